//! Browser contexts: one per isolation key, so that keys share neither cookies nor storage.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;

use super::RenderSettings;
use super::pipe::{CallError, Pipe};

/// Maximum contexts, in use or idle. Each costs some megabytes.
const MAX_CONTEXTS: usize = 32;

type ContextKey = Option<Arc<str>>;

/// The contexts of one browser.
#[derive(Debug)]
pub(crate) struct Contexts {
    pipe: Pipe,
    pages: u32,
    idle: Duration,
    open: Mutex<HashMap<ContextKey, Arc<BrowserContext>>>,
    /// Locked while a context is created, so that a key gets only one.
    creating: tokio::sync::Mutex<()>,
}

/// A context; dropping the last reference, by the pool or by a page, closes it.
#[derive(Debug)]
pub(crate) struct BrowserContext {
    pub(crate) id: String,
    pipe: Pipe,
    pages: AtomicU32,
    last_used: Mutex<Instant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateContextResult {
    browser_context_id: String,
}

impl Contexts {
    pub(crate) fn new(pipe: Pipe, settings: &RenderSettings) -> Self {
        Self {
            pipe,
            pages: settings.context_pages,
            idle: settings.context_idle,
            open: Mutex::default(),
            creating: tokio::sync::Mutex::default(),
        }
    }

    /// The context of `key`, counted as used by one more page.
    pub(crate) async fn of(&self, key: &ContextKey) -> Result<Arc<BrowserContext>, CallError> {
        let _creating = self.creating.lock().await;
        if let Some(context) = self.reuse(key) {
            return Ok(context);
        }
        let params = json!({"disposeOnDetach": true});
        let created: CreateContextResult =
            self.pipe.call("", "Target.createBrowserContext", params).await?;
        let context = Arc::new(BrowserContext {
            id: created.browser_context_id,
            pipe: self.pipe.clone(),
            pages: AtomicU32::new(1),
            last_used: Mutex::new(Instant::now()),
        });
        let refuse = json!({"behavior": "deny", "browserContextId": context.id});
        self.pipe.send("", "Browser.setDownloadBehavior", refuse);
        // An empty list denies all permissions.
        let refuse = json!({"permissions": [], "browserContextId": context.id});
        self.pipe.send("", "Browser.grantPermissions", refuse);
        let mut open = self.open.lock();
        if open.len() >= MAX_CONTEXTS {
            let oldest = open.iter().min_by_key(|(_, context)| context.last_used());
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|key| open.remove(&key));
        }
        open.insert(key.clone(), Arc::clone(&context));
        Ok(context)
    }

    fn reuse(&self, key: &ContextKey) -> Option<Arc<BrowserContext>> {
        let mut open = self.open.lock();
        let context = open.get(key)?;
        if context.pages.fetch_add(1, Ordering::Relaxed) >= self.pages {
            open.remove(key);
            return None;
        }
        *context.last_used.lock() = Instant::now();
        Some(Arc::clone(context))
    }

    /// Closes contexts that are idle too long.
    pub(crate) fn sweep(&self) {
        self.open.lock().retain(|_, context| {
            Arc::strong_count(context) > 1 || context.last_used().elapsed() < self.idle
        });
    }
}

impl BrowserContext {
    fn last_used(&self) -> Instant {
        *self.last_used.lock()
    }
}

impl Drop for BrowserContext {
    fn drop(&mut self) {
        let params = json!({"browserContextId": self.id});
        self.pipe.send("", "Target.disposeBrowserContext", params);
    }
}
