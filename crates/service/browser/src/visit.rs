//! One page from its request to its answer: what the browser asks on the way is
//! answered here, and what it tells decides when the page is done.

mod raw_body;
mod requests;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, Version};
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use super::document::{Body, Head};
use super::events::{
    DataReceived, FrameNavigated, FrameStoppedLoading, LoadingFailed, LoadingFinished, Navigated,
    RequestWillBeSent, ResponseReceived,
};
use super::page_life::PageLife;
use super::pipe::{Call, CallError, Event, Reply};
use super::tab::Tab;
use super::{RenderSettings, failure, snapshot};
use net::deadline_after;
use net::{FetchError, FetchRequest, FetchResponse, Phase, RenderFault};

/// How much of the page is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) bytes: usize,
    /// Whether more than that is cut off rather than an error.
    pub(crate) cut: bool,
}

/// A page under way.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    tab: Tab,
    request: &'a FetchRequest,
    wanted: Wanted,
    user_agent: &'a str,
    started: Instant,
    reply: Duration,
    life: PageLife,
    /// What the main document's request is called.
    main: Option<String>,
    head: Option<Head>,
    /// The document that is shown, by the browser's name for it.
    shown: Option<String>,
    received: u64,
    wire_bytes: Option<u64>,
    /// Where the page would have gone by itself.
    onward: Option<String>,
}

/// Why the wait for a page is over.
enum Ending {
    /// It is as it should be, or at the end of its life.
    Done,
    /// The head is all there is.
    HeadOnly,
    /// The bytes behind this paused request are the answer.
    AsItIs(String),
    Failed(FetchError),
}

impl<'a> Visit<'a> {
    pub(crate) fn new(
        tab: Tab,
        request: &'a FetchRequest,
        wanted: Wanted,
        user_agent: &'a str,
        settings: &RenderSettings,
    ) -> Self {
        let now = Instant::now();
        let life = request.limits.whole.map_or(settings.page_life, |t| t.min(settings.page_life));
        let life = PageLife::new(settings.quiet, settings.stalled, deadline_after(life), now);
        Self {
            tab,
            request,
            wanted,
            user_agent,
            started: now,
            reply: settings.reply,
            life,
            main: None,
            head: None,
            shown: None,
            received: 0,
            wire_bytes: None,
            onward: None,
        }
    }

    /// The answer. `likely` is who gives it if the proxy does not know.
    pub(crate) async fn run(mut self, likely: SocketAddr) -> Result<FetchResponse, FetchError> {
        let body = match self.watch().await {
            Ending::Done => match self.finish().await? {
                Some(body) => body,
                None => {
                    self.tab.make_room();
                    return Ok(self.led_onward(likely));
                }
            },
            Ending::HeadOnly => Body { wire_bytes: Some(0), ..Body::default() },
            Ending::AsItIs(request) => self.read(&request).await?,
            Ending::Failed(error) => return Err(error),
        };
        self.tab.make_room();
        let remote = self.remote(likely);
        let elapsed = self.started.elapsed();
        let head = self.head.take().ok_or(FetchError::TimedOut(Phase::FirstByte))?;
        Ok(head.answer(body, remote, elapsed))
    }

    /// Sets the tab up and goes there. All of it is said at once, but heard before the
    /// page is asked for: what the browser has not yet taken in is lost when the page
    /// comes to another process than the empty one before it.
    async fn set_out(&self) -> Result<Call, CallError> {
        let commands = [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            // Bodies are not kept: nobody asks for them again.
            ("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})),
            ("Network.setBypassServiceWorker", json!({"bypass": true})),
            ("Emulation.setUserAgentOverride", json!({"userAgent": self.user_agent})),
            // Only one tab of a window is in front. The others would wait until they are; a
            // window for each costs more than half of all pages.
            ("Emulation.setFocusEmulationEnabled", json!({"enabled": true})),
            ("Fetch.enable", json!({"patterns": requests::patterns(), "handleAuthRequests": true})),
        ];
        for heard in commands.map(|(method, params)| self.tab.begin(method, params)) {
            heard.await?;
        }
        Ok(self.tab.begin("Page.navigate", json!({"url": self.request.url.as_str()})))
    }

    /// Waits until the page is done.
    async fn watch(&mut self) -> Ending {
        let mut going = match timeout(self.reply, self.set_out()).await {
            Ok(Ok(going)) => pin!(going),
            Ok(Err(error)) => return Ending::Failed(self.refusal(error)),
            Err(_) => {
                // Nothing of the page is there yet: this is not its fault.
                let why = "an empty tab does not answer".to_owned();
                return Ending::Failed(RenderFault::Unavailable(why).into());
            }
        };
        let mut gone_there = false;
        loop {
            let ending = tokio::select! {
                event = self.tab.events.recv() => match event {
                    Some(event) => self.take(&event),
                    None => Some(Ending::Failed(self.lost())),
                },
                reply = &mut going, if !gone_there => {
                    gone_there = true;
                    self.has_gone(reply)
                }
                () = sleep_until(self.life.done_at()) => Some(Ending::Done),
            };
            if let Some(ending) = ending {
                return ending;
            }
        }
    }

    fn has_gone(&self, reply: Reply) -> Option<Ending> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => return Some(Ending::Failed(self.refusal(error))),
        };
        let navigated: Navigated = serde_json::from_str(reply.get()).ok()?;
        let error = navigated.error_text.filter(|text| !text.is_empty())?;
        Some(match self.head {
            // There was an answer, but nothing to show.
            Some(_) => Ending::HeadOnly,
            None => Ending::Failed(self.failure(&error)),
        })
    }

    fn failure(&self, error: &str) -> FetchError {
        let url = &self.request.url;
        failure::of(error, self.tab.browser.proxy.last(url.host(), url.port()))
    }

    /// Why a command has no result.
    fn refusal(&self, error: CallError) -> FetchError {
        match error {
            CallError::Gone => self.lost(),
            CallError::Late => RenderFault::Hung.into(),
            CallError::Refused(why) => RenderFault::Refused(why).into(),
        }
    }

    /// The tab is gone without our doing.
    fn lost(&self) -> FetchError {
        let browser = &self.tab.browser;
        let fault = match (browser.is_over_limit(), browser.pipe.is_closed()) {
            (true, _) => RenderFault::OverLimit,
            (false, true) => RenderFault::BrowserGone,
            (false, false) => RenderFault::Crashed,
        };
        fault.into()
    }

    /// Answers an event, or learns from it.
    fn take(&mut self, event: &Event) -> Option<Ending> {
        let now = Instant::now();
        match event.method.as_str() {
            "Fetch.requestPaused" => return self.decide(event.read()?),
            "Fetch.authRequired" => self.authorize(&event.read()?),
            "Page.javascriptDialogOpening" => {
                self.tab.send("Page.handleJavaScriptDialog", json!({"accept": false}));
            }
            // After the load event, and also when there is none because the page has tried
            // to leave before.
            "Page.frameStoppedLoading" if self.shown.is_some() => {
                let stopped: FrameStoppedLoading = event.read()?;
                if stopped.frame_id == self.tab.main_frame() {
                    self.life.has_loaded(now);
                }
            }
            "Page.frameNavigated" => return self.shows(event.read()?),
            "Network.requestWillBeSent" => {
                let sent: RequestWillBeSent = event.read()?;
                // A stream of events ends with its page; what a worker gets is told to the
                // worker.
                let is_stream = sent.kind.as_deref() == Some("EventSource");
                if !is_stream && !sent.loader_id.is_empty() {
                    self.life.asks(sent.request_id, now);
                }
            }
            "Network.responseReceived" => {
                let received: ResponseReceived = event.read()?;
                if self.is_main(&received.request_id)
                    && let Some(head) = &mut self.head
                    && received.response.protocol.as_deref() == Some("h2")
                {
                    head.version = Version::HTTP_2;
                }
            }
            "Network.dataReceived" => {
                let data: DataReceived = event.read()?;
                if self.is_main(&data.request_id) {
                    self.received += data.data_length;
                    if !self.wanted.cut && self.received > self.wanted.bytes as u64 {
                        let error = FetchError::TooLarge(self.wanted.bytes);
                        return Some(Ending::Failed(error));
                    }
                }
            }
            "Network.loadingFinished" => {
                let finished: LoadingFinished = event.read()?;
                self.life.has(&finished.request_id, now);
                if self.is_main(&finished.request_id) {
                    self.wire_bytes = Some(finished.encoded_data_length.max(0.0) as u64);
                }
            }
            "Network.loadingFailed" => {
                let failed: LoadingFailed = event.read()?;
                self.life.has(&failed.request_id, now);
                // A document that broke off; it is shown all the same, but is not whole.
                if self.shown.is_some() && self.is_main(&failed.request_id) {
                    return Some(Ending::Failed(self.failure(&failed.error_text)));
                }
            }
            "Inspector.targetCrashed" => {
                return Some(Ending::Failed(RenderFault::Crashed.into()));
            }
            _ => {}
        }
        None
    }

    fn is_main(&self, request: &str) -> bool {
        self.main.as_deref() == Some(request)
    }

    /// A frame shows another document.
    fn shows(&mut self, navigated: FrameNavigated) -> Option<Ending> {
        let frame = navigated.frame;
        if frame.id != self.tab.main_frame() || self.head.is_none() {
            return None;
        }
        if frame.unreachable_url.is_some() {
            // An error without a word: the browser puts a page of its own there.
            return Some(Ending::HeadOnly);
        }
        match &self.shown {
            None => self.shown = Some(frame.loader_id),
            Some(shown) if *shown == frame.loader_id => {}
            Some(_) => return Some(Ending::Failed(RenderFault::NavigatedAway(frame.url).into())),
        }
        None
    }

    /// The page as it is now; nothing if it leads onward and holds nothing itself.
    async fn finish(&mut self) -> Result<Option<Body>, FetchError> {
        if self.head.is_none() {
            return Err(FetchError::TimedOut(Phase::FirstByte));
        }
        // An empty page loads at once; of this one not a byte came in all its life.
        let is_awaited = self.received == 0 && !self.life.is_loaded();
        if self.shown.is_none() || is_awaited {
            return Err(FetchError::TimedOut(Phase::Whole));
        }
        self.tab.send("Page.stopLoading", json!({}));
        let (pipe, session) = self.tab.line();
        let frame = self.tab.main_frame().to_owned();
        let taken = self.meanwhile(snapshot::take(pipe, session, frame, self.wanted.bytes)).await?;
        let snapshot = taken.map_err(|error| self.refusal(error))?;
        if snapshot.is_bare && self.leads_onward() {
            return Ok(None);
        }
        let mut html = snapshot.html.into_bytes();
        let is_whole = snapshot.is_whole && html.len() <= self.wanted.bytes;
        if !is_whole && !self.wanted.cut {
            return Err(FetchError::TooLarge(self.wanted.bytes));
        }
        html.truncate(self.wanted.bytes);
        let wire_bytes = self.wire_bytes.or(Some(self.received));
        Ok(Some(Body { bytes: Bytes::from(html), truncated: !is_whole, shown: true, wire_bytes }))
    }

    /// Waits for something in the page, which may need answers to get there.
    async fn meanwhile<T>(&mut self, work: impl Future<Output = T>) -> Result<T, FetchError> {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                event = self.tab.events.recv() => match event {
                    None => return Err(self.lost()),
                    Some(event) => if let Some(Ending::Failed(error)) = self.take(&event) {
                        return Err(error);
                    },
                },
            }
        }
    }

    fn leads_onward(&self) -> bool {
        self.onward.as_deref().is_some_and(|onward| {
            let (page, _) = onward.split_once('#').unwrap_or((onward, ""));
            let is_web = page.starts_with("http://") || page.starts_with("https://");
            is_web && page != self.request.url.as_str()
        })
    }

    /// A page that is only a way to another one is a redirect, whatever it is made of.
    fn led_onward(&self, likely: SocketAddr) -> FetchResponse {
        let mut headers = HeaderMap::new();
        let onward = self.onward.as_deref().unwrap_or_default();
        headers.extend(HeaderValue::from_str(onward).ok().map(|onward| (LOCATION, onward)));
        let first_byte = self.head.as_ref().map_or(self.started.elapsed(), |head| head.first_byte);
        let head = Head { status: 302, headers, version: Version::HTTP_11, first_byte };
        let body = Body { wire_bytes: self.wire_bytes, ..Body::default() };
        head.answer(body, self.remote(likely), self.started.elapsed())
    }

    fn remote(&self, likely: SocketAddr) -> SocketAddr {
        let url = &self.request.url;
        match self.tab.browser.proxy.last(url.host(), url.port()) {
            Some(Ok(remote)) => remote,
            Some(Err(_)) | None => likely,
        }
    }
}
