//! A tab: one page of one context. Dropping it closes it, by force if the page does not respond.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::browser::{Browser, BrowserLease};
use super::contexts::BrowserContext;
use super::pipe::{CallError, DevToolsEvent, PendingCall, Pipe};
use runtime::InFlight;

/// Time for a tab to close before its process is crashed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct BrowserTab {
    pub(crate) browser: Arc<Browser>,
    _lease: BrowserLease,
    pub(crate) events: mpsc::Receiver<DevToolsEvent>,
    target: String,
    session: String,
    /// Kept until the tab is closed.
    resources: Option<TabResources>,
}

/// The permit is released when the page is done, before the tab is closed.
type TabResources = (Arc<BrowserContext>, Option<TabPermit>);

/// The permit of one working tab.
#[derive(Debug)]
pub(crate) struct TabPermit {
    _permit: OwnedSemaphorePermit,
    _counted: InFlight,
}

impl TabPermit {
    pub(crate) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: permit, _counted: InFlight::new("trawl_browser_tabs") }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateTargetResult {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachResult {
    session_id: String,
}

impl BrowserTab {
    /// Opens a tab with `about:blank`.
    pub(crate) async fn open(
        lease: BrowserLease,
        isolation: Option<Arc<str>>,
        permit: TabPermit,
    ) -> Result<Self, CallError> {
        let browser = Arc::clone(lease.browser());
        let context = browser.contexts.of(&isolation).await?;
        let params = json!({"url": "about:blank", "browserContextId": context.id});
        let created: CreateTargetResult =
            browser.pipe.call("", "Target.createTarget", params).await?;
        let target = created.target_id;
        let params = json!({"targetId": target, "flatten": true});
        let attached = browser.pipe.call("", "Target.attachToTarget", params).await;
        let AttachResult { session_id: session } = attached.inspect_err(|_| {
            browser.pipe.send("", "Target.closeTarget", json!({"targetId": target}));
        })?;
        let events = browser.pipe.subscribe(&session);
        let resources = Some((context, Some(permit)));
        Ok(Self { browser, _lease: lease, events, target, session, resources })
    }

    /// The id of the main frame, which is that of the target.
    pub(crate) fn main_frame(&self) -> &str {
        &self.target
    }

    pub(crate) fn send(&self, method: &str, params: Value) {
        self.browser.pipe.send(&self.session, method, params);
    }

    pub(crate) fn begin(&self, method: &str, params: Value) -> PendingCall {
        self.browser.pipe.begin(&self.session, method, params)
    }

    /// Lets another tab start while this one closes.
    pub(crate) fn release_permit(&mut self) {
        if let Some((_, permit)) = &mut self.resources {
            *permit = None;
        }
    }

    /// Pipe and session id, for calls while events are handled.
    pub(crate) fn session(&self) -> (Pipe, String) {
        (self.browser.pipe.clone(), self.session.clone())
    }
}

impl Drop for BrowserTab {
    fn drop(&mut self) {
        let (_, none) = mpsc::channel(1);
        let closer = TabCloser {
            pipe: self.browser.pipe.clone(),
            reply: self.browser.settings.reply,
            browser: Arc::downgrade(&self.browser),
            events: std::mem::replace(&mut self.events, none),
            target: std::mem::take(&mut self.target),
            session: std::mem::take(&mut self.session),
            _resources: self.resources.take(),
        };
        closer.request_close();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(closer.ensure_closed());
        }
    }
}

/// Closes a tab in the background. Does not keep its browser alive.
struct TabCloser {
    pipe: Pipe,
    reply: Duration,
    browser: Weak<Browser>,
    events: mpsc::Receiver<DevToolsEvent>,
    target: String,
    session: String,
    _resources: Option<TabResources>,
}

impl TabCloser {
    fn request_close(&self) {
        self.pipe.send("", "Target.closeTarget", json!({"targetId": self.target}));
    }

    async fn ensure_closed(mut self) {
        if self.is_closed_within(CLOSE_TIMEOUT).await {
            return;
        }
        // The renderer is busy; the browser process handles this command.
        self.pipe.send(&self.session, "Page.crash", json!({}));
        self.request_close();
        if !self.is_closed_within(self.reply).await
            && let Some(browser) = self.browser.upgrade()
        {
            browser.kill("timeout while closing a tab");
        }
    }

    /// The event channel ends when the tab is closed.
    async fn is_closed_within(&mut self, time: Duration) -> bool {
        let closed = async { while self.events.recv().await.is_some() {} };
        timeout(time, closed).await.is_ok()
    }
}

impl Drop for TabCloser {
    fn drop(&mut self) {
        self.pipe.unsubscribe(&self.session);
    }
}
