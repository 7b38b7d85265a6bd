//! A tab: one page of one context. Dropping it closes it, however stubborn its page is.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::browser::{Browser, Lease};
use super::contexts::BrowserContext;
use super::pipe::{Call, CallError, Event, Pipe};
use runtime::InFlight;

/// How long a tab may take to close when it is asked to.
const CLOSING: Duration = Duration::from_secs(2);

/// An open tab.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) browser: Arc<Browser>,
    _lease: Lease,
    pub(crate) events: mpsc::Receiver<Event>,
    target: String,
    session: String,
    /// What it holds until it is closed for good.
    held: Option<Held>,
}

/// The place is for a tab that works; one that has done its work is as good as closed.
type Held = (Arc<BrowserContext>, Option<Place>);

/// Room for one tab that works.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    _counted: InFlight,
}

impl Place {
    pub(crate) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: permit, _counted: InFlight::new("trawl_browser_tabs") }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

impl Tab {
    /// A tab on an empty page.
    pub(crate) async fn open(
        lease: Lease,
        isolation: Option<Arc<str>>,
        place: Place,
    ) -> Result<Self, CallError> {
        let browser = Arc::clone(lease.browser());
        let context = browser.contexts.of(&isolation).await?;
        let params = json!({"url": "about:blank", "browserContextId": context.id});
        let created: Created = browser.pipe.call("", "Target.createTarget", params).await?;
        let target = created.target_id;
        let params = json!({"targetId": target, "flatten": true});
        let attached = browser.pipe.call("", "Target.attachToTarget", params).await;
        let Attached { session_id: session } = attached.inspect_err(|_| {
            browser.pipe.send("", "Target.closeTarget", json!({"targetId": target}));
        })?;
        let events = browser.pipe.listen(&session);
        let held = Some((context, Some(place)));
        Ok(Self { browser, _lease: lease, events, target, session, held })
    }

    /// The id of the page's main frame, which is that of the tab.
    pub(crate) fn main_frame(&self) -> &str {
        &self.target
    }

    pub(crate) fn send(&self, method: &str, params: Value) {
        self.browser.pipe.send(&self.session, method, params);
    }

    pub(crate) fn begin(&self, method: &str, params: Value) -> Call {
        self.browser.pipe.begin(&self.session, method, params)
    }

    /// It has done its work: another may begin while this one closes.
    pub(crate) fn make_room(&mut self) {
        if let Some((_, place)) = &mut self.held {
            *place = None;
        }
    }

    /// The way to it, for what goes on beside its events.
    pub(crate) fn line(&self) -> (Pipe, String) {
        (self.browser.pipe.clone(), self.session.clone())
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let (_, none) = mpsc::channel(1);
        let closing = Closing {
            pipe: self.browser.pipe.clone(),
            reply: self.browser.settings.reply,
            browser: Arc::downgrade(&self.browser),
            events: std::mem::replace(&mut self.events, none),
            target: std::mem::take(&mut self.target),
            session: std::mem::take(&mut self.session),
            _held: self.held.take(),
        };
        closing.ask();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(closing.see_to_it());
        }
    }
}

/// A tab on its way out. It does not keep its browser alive.
struct Closing {
    pipe: Pipe,
    reply: Duration,
    browser: Weak<Browser>,
    events: mpsc::Receiver<Event>,
    target: String,
    session: String,
    _held: Option<Held>,
}

impl Closing {
    fn ask(&self) {
        self.pipe.send("", "Target.closeTarget", json!({"targetId": self.target}));
    }

    async fn see_to_it(mut self) {
        if self.is_gone_within(CLOSING).await {
            return;
        }
        // The process is busy with something else; this does not ask it.
        self.pipe.send(&self.session, "Page.crash", json!({}));
        self.ask();
        if !self.is_gone_within(self.reply).await
            && let Some(browser) = self.browser.upgrade()
        {
            browser.end("a tab cannot be closed");
        }
    }

    /// The events of a tab end with it.
    async fn is_gone_within(&mut self, time: Duration) -> bool {
        let over = async { while self.events.recv().await.is_some() {} };
        timeout(time, over).await.is_ok()
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.pipe.leave(&self.session);
    }
}
