//! Browser contexts: one for each key, so that cookies and storage never pass between
//! two of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::RenderSettings;
use super::pipe::{CallError, Pipe};

/// How many contexts are kept, in use or not. Each costs some megabytes.
const KEPT: usize = 32;

type Key = Option<Arc<str>>;

/// The contexts of a browser.
#[derive(Debug)]
pub(crate) struct Contexts {
    pipe: Pipe,
    pages: u32,
    idle: Duration,
    kept: Mutex<HashMap<Key, Arc<BrowserContext>>>,
    /// Held while one is made, so that a key gets one and not two.
    making: tokio::sync::Mutex<()>,
}

/// One of them; it is closed when it is no longer kept and its last page is gone.
#[derive(Debug)]
pub(crate) struct BrowserContext {
    pub(crate) id: String,
    pipe: Pipe,
    pages: AtomicU32,
    used: Mutex<Instant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    browser_context_id: String,
}

impl Contexts {
    pub(crate) fn new(pipe: Pipe, settings: &RenderSettings) -> Self {
        Self {
            pipe,
            pages: settings.context_pages,
            idle: settings.context_idle,
            kept: Mutex::default(),
            making: tokio::sync::Mutex::default(),
        }
    }

    /// The context of `key`, for one page.
    pub(crate) async fn of(&self, key: &Key) -> Result<Arc<BrowserContext>, CallError> {
        let _making = self.making.lock().await;
        if let Some(context) = self.take_up(key) {
            return Ok(context);
        }
        let params = json!({"disposeOnDetach": true});
        let made: Made = self.pipe.call("", "Target.createBrowserContext", params).await?;
        let context = Arc::new(BrowserContext {
            id: made.browser_context_id,
            pipe: self.pipe.clone(),
            pages: AtomicU32::new(1),
            used: Mutex::new(Instant::now()),
        });
        let refuse = json!({"behavior": "deny", "browserContextId": context.id});
        self.pipe.send("", "Browser.setDownloadBehavior", refuse);
        // Granting none refuses all of them.
        let refuse = json!({"permissions": [], "browserContextId": context.id});
        self.pipe.send("", "Browser.grantPermissions", refuse);
        let mut kept = self.kept();
        if kept.len() >= KEPT {
            let oldest = kept.iter().min_by_key(|(_, context)| context.used());
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|key| kept.remove(&key));
        }
        kept.insert(key.clone(), Arc::clone(&context));
        Ok(context)
    }

    fn take_up(&self, key: &Key) -> Option<Arc<BrowserContext>> {
        let mut kept = self.kept();
        let context = kept.get(key)?;
        if context.pages.fetch_add(1, Ordering::Relaxed) >= self.pages {
            kept.remove(key);
            return None;
        }
        *context.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(Arc::clone(context))
    }

    /// Lets go of those that nobody has used for a while.
    pub(crate) fn sweep(&self) {
        self.kept().retain(|_, context| {
            Arc::strong_count(context) > 1 || context.used().elapsed() < self.idle
        });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Key, Arc<BrowserContext>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BrowserContext {
    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BrowserContext {
    fn drop(&mut self) {
        let params = json!({"browserContextId": self.id});
        self.pipe.send("", "Target.disposeBrowserContext", params);
    }
}
