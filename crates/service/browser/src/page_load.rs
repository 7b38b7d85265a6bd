//! Loads one page: navigates, handles the DevTools events and decides when the page is done.

mod raw_body;
mod requests;
mod script;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use contract::PageDevice;
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, Version};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};

use super::document::{DocumentBody, DocumentHead};
use super::events::{
    DataReceived, FrameNavigated, FrameStoppedLoading, LoadingFailed, LoadingFinished,
    NavigateResult, RequestWillBeSent, ResponseReceived,
};
use super::load_tracker::LoadTracker;
use super::pipe::{CallError, CommandResult, DevToolsEvent, PendingCall};
use super::tab::BrowserTab;
use super::{RenderSettings, error_mapping, snapshot};
use net::{
    FetchError, FetchRequest, FetchResponse, FetchResult, Phase, RenderFault, deadline_after,
};

/// Limit of the page in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RenderLimit {
    pub(crate) bytes: usize,
    /// Whether a larger page is truncated instead of an error.
    pub(crate) truncate: bool,
}

/// The state of one page load.
#[derive(Debug)]
pub(crate) struct PageLoad<'a> {
    tab: BrowserTab,
    request: &'a FetchRequest,
    limit: RenderLimit,
    user_agent: &'a str,
    started: Instant,
    reply: Duration,
    tracker: LoadTracker,
    /// The request id of the main document.
    main: Option<String>,
    head: Option<DocumentHead>,
    /// The loader id of the rendered document.
    rendered: Option<String>,
    received: u64,
    wire_bytes: Option<u64>,
    /// The URL that the page tried to navigate to.
    redirect_target: Option<String>,
    /// The origin that a step of a login tried to navigate to, outside of its scope.
    left_for: Option<String>,
}

/// How waiting for a page ended.
enum LoadOutcome {
    /// The page is idle, or its time is over.
    Done,
    /// There is no body to render.
    HeadersOnly,
    /// The body of this paused request is the response.
    RawBody(String),
    Failed(FetchError),
}

impl<'a> PageLoad<'a> {
    pub(crate) fn new(
        tab: BrowserTab,
        request: &'a FetchRequest,
        limit: RenderLimit,
        user_agent: &'a str,
        settings: &RenderSettings,
    ) -> Self {
        let now = Instant::now();
        let is_login = request.script.as_ref().is_some_and(|script| script.login.is_some());
        let page_life = match request.limits.whole {
            // A login has several documents.
            Some(time) if is_login => time,
            time => time.map_or(settings.page_life, |time| time.min(settings.page_life)),
        };
        let tracker =
            LoadTracker::new(settings.quiet, settings.stalled, deadline_after(page_life), now);
        Self {
            tab,
            request,
            limit,
            user_agent,
            started: now,
            reply: settings.reply,
            tracker,
            main: None,
            head: None,
            rendered: None,
            received: 0,
            wire_bytes: None,
            redirect_target: None,
            left_for: None,
        }
    }

    /// Whether the script is a login, which may navigate.
    fn is_login(&self) -> bool {
        self.request.script.as_ref().is_some_and(|script| script.login.is_some())
    }

    /// Loads the page. `expected_remote` is the address of the response if the proxy has none.
    pub(crate) async fn run(mut self, expected_remote: SocketAddr) -> FetchResult<FetchResponse> {
        let body = match self.watch().await {
            LoadOutcome::Done => match self.scripted_snapshot().await? {
                Some(body) => body,
                None => {
                    self.tab.release_permit();
                    return Ok(self.redirect_response(expected_remote));
                }
            },
            LoadOutcome::HeadersOnly => {
                DocumentBody { wire_bytes: Some(0), ..DocumentBody::default() }
            }
            LoadOutcome::RawBody(request) => self.read(&request).await?,
            LoadOutcome::Failed(error) => return Err(error),
        };
        self.tab.release_permit();
        let remote = self.remote(expected_remote);
        let elapsed = self.started.elapsed();
        let head = self.head.take().ok_or(FetchError::TimedOut(Phase::FirstByte))?;
        Ok(head.into_response(body, remote, elapsed))
    }

    /// Configures the tab and navigates. The commands are sent together, and all are acknowledged
    /// before the navigation: a navigation to another renderer process loses pending commands.
    async fn navigate(&self) -> Result<PendingCall, CallError> {
        let commands = [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            // No buffers: bodies are never read again.
            ("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})),
            ("Network.setBypassServiceWorker", json!({"bypass": true})),
            ("Emulation.setUserAgentOverride", json!({"userAgent": self.user_agent})),
            // Only one tab of a window has the focus and the others would be throttled; one
            // window per tab more than halves the throughput.
            ("Emulation.setFocusEmulationEnabled", json!({"enabled": true})),
            ("Fetch.enable", json!({"patterns": requests::patterns(), "handleAuthRequests": true})),
        ];
        let commands = commands.into_iter().chain(self.device_commands());
        let pending: Vec<_> =
            commands.map(|(method, params)| self.tab.begin(method, params)).collect();
        for command in pending {
            command.await?;
        }
        Ok(self.tab.begin("Page.navigate", json!({"url": self.request.url.as_str()})))
    }

    /// The commands that set another screen than that of the window.
    fn device_commands(&self) -> Vec<(&'static str, Value)> {
        let device = self.request.script.as_ref().map(|script| script.device);
        match device.unwrap_or_default() {
            PageDevice::Desktop => Vec::new(),
            PageDevice::Mobile => vec![
                (
                    "Emulation.setDeviceMetricsOverride",
                    json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}),
                ),
                (
                    "Emulation.setTouchEmulationEnabled",
                    json!({"enabled": true, "maxTouchPoints": 5}),
                ),
            ],
        }
    }

    async fn watch(&mut self) -> LoadOutcome {
        let mut navigation = match timeout(self.reply, self.navigate()).await {
            Ok(Ok(navigation)) => pin!(navigation),
            Ok(Err(error)) => return LoadOutcome::Failed(self.call_failure(error)),
            Err(_) => {
                // Nothing of the page was loaded yet: not a fault of the page.
                let why = "timeout while configuring a tab".to_owned();
                return LoadOutcome::Failed(RenderFault::Unavailable(why).into());
            }
        };
        let mut is_navigated = false;
        loop {
            let outcome = tokio::select! {
                event = self.tab.events.recv() => match event {
                    Some(event) => self.handle_event(&event),
                    None => Some(LoadOutcome::Failed(self.tab_failure())),
                },
                reply = &mut navigation, if !is_navigated => {
                    is_navigated = true;
                    self.navigation_outcome(reply)
                }
                () = sleep_until(self.tracker.done_at()) => Some(LoadOutcome::Done),
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    fn navigation_outcome(&self, reply: CommandResult) -> Option<LoadOutcome> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => return Some(LoadOutcome::Failed(self.call_failure(error))),
        };
        let navigated: NavigateResult = serde_json::from_str(reply.get()).ok()?;
        let error = navigated.error_text.filter(|text| !text.is_empty())?;
        Some(match self.head {
            // There was a response without a document.
            Some(_) => LoadOutcome::HeadersOnly,
            None => LoadOutcome::Failed(self.load_failure(&error)),
        })
    }

    fn load_failure(&self, error: &str) -> FetchError {
        let url = &self.request.url;
        error_mapping::fetch_error(error, self.tab.browser.proxy.last(url.host(), url.port()))
    }

    fn call_failure(&self, error: CallError) -> FetchError {
        match error {
            CallError::Closed => self.tab_failure(),
            CallError::TimedOut => RenderFault::Hung.into(),
            CallError::Refused(why) => RenderFault::Refused(why).into(),
        }
    }

    /// Why the tab was closed by the browser.
    fn tab_failure(&self) -> FetchError {
        let browser = &self.tab.browser;
        let fault = match (browser.is_over_limit(), browser.pipe.is_closed()) {
            (true, _) => RenderFault::OverLimit,
            (false, true) => RenderFault::BrowserGone,
            (false, false) => RenderFault::Crashed,
        };
        fault.into()
    }

    fn handle_event(&mut self, event: &DevToolsEvent) -> Option<LoadOutcome> {
        let now = Instant::now();
        match event.method.as_str() {
            "Fetch.requestPaused" => return self.handle_paused(event.read()?),
            "Fetch.authRequired" => self.authorize(&event.read()?),
            "Page.javascriptDialogOpening" => {
                self.tab.send("Page.handleJavaScriptDialog", json!({"accept": false}));
            }
            // After the load event, or without one if the page tried to navigate before it.
            "Page.frameStoppedLoading" if self.rendered.is_some() => {
                let stopped: FrameStoppedLoading = event.read()?;
                if stopped.frame_id == self.tab.main_frame() {
                    self.tracker.mark_loaded(now);
                }
            }
            "Page.frameNavigated" => return self.frame_navigated(event.read()?),
            "Network.requestWillBeSent" => {
                let sent: RequestWillBeSent = event.read()?;
                // Event streams never finish; requests of workers have their own session.
                let is_stream = sent.kind.as_deref() == Some("EventSource");
                if !is_stream && !sent.loader_id.is_empty() {
                    self.tracker.request_started(sent.request_id, now);
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
                    if !self.limit.truncate && self.received > self.limit.bytes as u64 {
                        let error = FetchError::TooLarge(self.limit.bytes);
                        return Some(LoadOutcome::Failed(error));
                    }
                }
            }
            "Network.loadingFinished" => {
                let finished: LoadingFinished = event.read()?;
                self.tracker.request_finished(&finished.request_id, now);
                if self.is_main(&finished.request_id) {
                    self.wire_bytes = Some(finished.encoded_data_length.max(0.0) as u64);
                }
            }
            "Network.loadingFailed" => {
                let failed: LoadingFailed = event.read()?;
                self.tracker.request_finished(&failed.request_id, now);
                // The document is rendered but incomplete.
                let is_main = self.rendered.is_some() && self.is_main(&failed.request_id);
                // A navigation of a login may replace another one.
                if is_main && !self.is_login() {
                    return Some(LoadOutcome::Failed(self.load_failure(&failed.error_text)));
                }
            }
            "Inspector.targetCrashed" => {
                return Some(LoadOutcome::Failed(RenderFault::Crashed.into()));
            }
            _ => {}
        }
        None
    }

    fn is_main(&self, request: &str) -> bool {
        self.main.as_deref() == Some(request)
    }

    fn frame_navigated(&mut self, navigated: FrameNavigated) -> Option<LoadOutcome> {
        let frame = navigated.frame;
        if frame.id != self.tab.main_frame() || self.head.is_none() {
            return None;
        }
        if frame.unreachable_url.is_some() {
            // The browser shows its own error page.
            return Some(LoadOutcome::HeadersOnly);
        }
        match &self.rendered {
            None => self.rendered = Some(frame.loader_id),
            Some(rendered) if *rendered == frame.loader_id => {}
            Some(_) if self.is_login() => self.rendered = Some(frame.loader_id),
            Some(_) => {
                return Some(LoadOutcome::Failed(RenderFault::NavigatedAway(frame.url).into()));
            }
        }
        None
    }

    /// The DOM after the script of the request.
    async fn scripted_snapshot(&mut self) -> FetchResult<Option<DocumentBody>> {
        if self.rendered.is_some() {
            self.run_script().await?;
            if self.is_login() {
                // Only its cookies are used.
                return Ok(Some(DocumentBody::default()));
            }
        }
        self.take_snapshot().await
    }

    /// The current DOM; `None` if the page is empty and navigates elsewhere.
    async fn take_snapshot(&mut self) -> FetchResult<Option<DocumentBody>> {
        if self.head.is_none() {
            return Err(FetchError::TimedOut(Phase::FirstByte));
        }
        // An empty page loads at once; this one received no byte until its deadline.
        let is_silent = self.received == 0 && !self.tracker.is_loaded();
        if self.rendered.is_none() || is_silent {
            return Err(FetchError::TimedOut(Phase::Whole));
        }
        self.tab.send("Page.stopLoading", json!({}));
        let (pipe, session) = self.tab.session();
        let frame = self.tab.main_frame().to_owned();
        let taken = self
            .handle_events_during(snapshot::take(pipe, session, frame, self.limit.bytes))
            .await?;
        let snapshot = taken.map_err(|error| self.call_failure(error))?;
        if snapshot.is_bare && self.has_redirect_target() {
            return Ok(None);
        }
        let mut html = snapshot.html.into_bytes();
        let is_whole = snapshot.is_whole && html.len() <= self.limit.bytes;
        if !is_whole && !self.limit.truncate {
            return Err(FetchError::TooLarge(self.limit.bytes));
        }
        html.truncate(self.limit.bytes);
        let wire_bytes = self.wire_bytes.or(Some(self.received));
        Ok(Some(DocumentBody {
            bytes: Bytes::from(html),
            truncated: !is_whole,
            rendered: true,
            wire_bytes,
        }))
    }

    /// Waits for `work` while events are handled, which `work` may depend on.
    async fn handle_events_during<T>(&mut self, work: impl Future<Output = T>) -> FetchResult<T> {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                event = self.tab.events.recv() => match event {
                    None => return Err(self.tab_failure()),
                    Some(event) => if let Some(LoadOutcome::Failed(error)) = self.handle_event(&event) {
                        return Err(error);
                    },
                },
            }
        }
    }

    fn has_redirect_target(&self) -> bool {
        self.redirect_target.as_deref().is_some_and(|redirect_target| {
            let (page, _) = redirect_target.split_once('#').unwrap_or((redirect_target, ""));
            let is_web = page.starts_with("http://") || page.starts_with("https://");
            is_web && page != self.request.url.as_str()
        })
    }

    /// An empty page that navigates elsewhere is reported as a redirect.
    fn redirect_response(&self, expected_remote: SocketAddr) -> FetchResponse {
        let mut headers = HeaderMap::new();
        let redirect_target = self.redirect_target.as_deref().unwrap_or_default();
        headers.extend(
            HeaderValue::from_str(redirect_target)
                .ok()
                .map(|redirect_target| (LOCATION, redirect_target)),
        );
        let first_byte = self.head.as_ref().map_or(self.started.elapsed(), |head| head.first_byte);
        let head = DocumentHead { status: 302, headers, version: Version::HTTP_11, first_byte };
        let body = DocumentBody { wire_bytes: self.wire_bytes, ..DocumentBody::default() };
        head.into_response(body, self.remote(expected_remote), self.started.elapsed())
    }

    fn remote(&self, expected_remote: SocketAddr) -> SocketAddr {
        let url = &self.request.url;
        match self.tab.browser.proxy.last(url.host(), url.port()) {
            Some(Ok(remote)) => remote,
            Some(Err(_)) | None => expected_remote,
        }
    }
}
