//! Executes the script of a page: waits, steps and the picture.

use std::time::Duration;

use bytes::Bytes;
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::super::pipe::{CallError, Pipe};
use super::super::snapshot::evaluate;
use super::{LoadOutcome, PageLoad};
use contract::{ScreenshotArea, SecretText};
use net::{FailedStep, FetchResult, LoginScope, ScriptOutcome, ScriptStep, SiteCookie, WaitFor};

/// Pause between two looks for an element.
const POLL: Duration = Duration::from_millis(100);

/// Maximum height of a picture in pixels; the rest of the page is cut off.
const MAX_HEIGHT: f64 = 12_000.0;

/// Maximum bytes of a picture.
const MAX_PICTURE: usize = 12 << 20;

/// Finds the element of a selector and passes it to `act`; returns why it cannot, or "".
const WITH_ELEMENT: &str = "((selector, act) => { let element; \
    try { element = document.querySelector(selector) } catch (_) { return 'the selector is invalid' } \
    if (!element) return 'no element matches the selector'; act(element); return '' })";

/// Why a step cannot be executed.
enum StepError {
    /// A message for the client.
    Failed(String),
    Call(CallError),
}

impl From<CallError> for StepError {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl PageLoad<'_> {
    /// Executes the script of the request, if it has one. A failed step ends the steps; the picture
    /// shows the page as it is then.
    pub(super) async fn run_script(&mut self) -> FetchResult<()> {
        let Some(script) = self.request.script.clone() else { return Ok(()) };
        let mut outcome = ScriptOutcome::default();
        if let Some(wait) = &script.wait_for
            && let Some(problem) = self.wait(wait).await?
        {
            let warning = format!("wait_for: {problem}; the page is returned as it was");
            outcome.warnings.push(warning);
        }
        for (index, step) in script.steps.iter().enumerate() {
            if Instant::now() >= self.tracker.deadline() {
                let message = "the time of the page was over before this action".to_owned();
                outcome.failed_step = Some(FailedStep { index, message });
                break;
            }
            if let Some(message) = self.step(step).await? {
                outcome.failed_step = Some(FailedStep { index, message });
                break;
            }
            self.settle().await?;
            if let Some(origin) = self.left_for.take() {
                let message = format!("the page leads to {origin}, which is not the site");
                outcome.failed_step = Some(FailedStep { index, message });
                break;
            }
        }
        if let Some(login) = script.login.as_ref().filter(|_| outcome.failed_step.is_none()) {
            outcome.cookies = self.cookies(login).await?;
        }
        let is_failed = outcome.failed_step.is_some() && script.captures_failure;
        let area = script.screenshot.or_else(|| is_failed.then_some(ScreenshotArea::Viewport));
        if let Some(area) = area {
            match self.picture(area).await? {
                Ok(picture) => outcome.screenshot = Some(picture),
                Err(warning) => outcome.warnings.push(warning),
            }
        }
        script.set_outcome(outcome);
        Ok(())
    }

    /// Whether pictures and fonts are loaded, which a snapshot of the DOM does not need.
    pub(super) fn shows_pictures(&self) -> bool {
        self.request.script.as_ref().is_some_and(|script| script.screenshot.is_some())
    }

    /// The cookies that the browser sends to the site of a login.
    async fn cookies(&mut self, login: &LoginScope) -> FetchResult<Vec<SiteCookie>> {
        let (pipe, session, _) = self.page();
        let mut urls = vec![login.site.as_str().to_owned(), format!("{}/", login.site.origin())];
        if self.request.url.origin() == login.site.origin() {
            urls.push(self.request.url.as_str().to_owned());
        }
        let call = pipe.call(&session, "Network.getCookies", json!({"urls": urls}));
        let found: BrowserCookies =
            self.handle_events_during(call).await?.map_err(|error| self.call_failure(error))?;
        let cookies = found.cookies.into_iter();
        Ok(cookies
            .map(|BrowserCookie { name, value, path }| SiteCookie {
                name,
                value: SecretText::new(value),
                path,
            })
            .collect())
    }

    /// Waits; returns the problem if the element did not appear before the deadline.
    async fn wait(&mut self, wait: &WaitFor) -> FetchResult<Option<String>> {
        let deadline = self.tracker.deadline();
        match wait {
            WaitFor::Time(time) => {
                let until = deadline.min(Instant::now() + *time);
                self.handle_events_during(sleep_until(until)).await?;
                Ok(None)
            }
            WaitFor::Selector(selector) => {
                let (pipe, session, frame) = self.page();
                let is_login = self.is_login();
                let look = async {
                    let expression = format!("{WITH_ELEMENT}({}, () => {{}})", quoted(selector));
                    loop {
                        let found = evaluate(&pipe, &session, &frame, &expression).await;
                        let found: String = match found {
                            // The document was replaced while it was searched.
                            Err(CallError::Refused(_)) if is_login => {
                                "the page was not loaded in time".to_owned()
                            }
                            found => found?,
                        };
                        if found.is_empty() || Instant::now() >= deadline {
                            return Ok::<_, CallError>(found);
                        }
                        sleep(POLL).await;
                    }
                };
                let found = self.handle_events_during(look).await?;
                let problem = found.map_err(|error| self.call_failure(error))?;
                Ok(Some(problem).filter(|problem| !problem.is_empty()))
            }
        }
    }

    /// Executes a step; returns the message of its failure.
    async fn step(&mut self, step: &ScriptStep) -> FetchResult<Option<String>> {
        if let ScriptStep::Wait(wait) = step {
            return self.wait(wait).await;
        }
        let (pipe, session, frame) = self.page();
        let done = self.handle_events_during(execute(&pipe, &session, &frame, step)).await?;
        match done {
            Ok(()) => Ok(None),
            Err(StepError::Failed(message)) => Ok(Some(message)),
            Err(StepError::Call(error)) => Err(self.call_failure(error)),
        }
    }

    /// Waits until the page is idle again after a step.
    async fn settle(&mut self) -> FetchResult<()> {
        self.tracker.mark_loaded(Instant::now());
        loop {
            tokio::select! {
                event = self.tab.events.recv() => match event {
                    None => return Err(self.tab_failure()),
                    Some(event) => if let Some(LoadOutcome::Failed(error)) = self.handle_event(&event) {
                        return Err(error);
                    },
                },
                () = sleep_until(self.tracker.done_at()) => return Ok(()),
            }
        }
    }

    /// The picture, or the warning that it is missing.
    async fn picture(&mut self, area: ScreenshotArea) -> FetchResult<Result<Bytes, String>> {
        let (pipe, session, _) = self.page();
        let taken = self.handle_events_during(capture(&pipe, &session, area)).await?;
        let encoded = match taken {
            Ok(encoded) => encoded,
            Err(CallError::Refused(_) | CallError::TimedOut) => {
                return Ok(Err("screenshot: the browser could not take the picture".to_owned()));
            }
            Err(error @ CallError::Closed) => return Err(self.call_failure(error)),
        };
        let decoded = BASE64.decode(encoded.as_bytes()).unwrap_or_default();
        Ok(match decoded.len() {
            0 => Err("screenshot: the browser could not take the picture".to_owned()),
            length if length > MAX_PICTURE => {
                Err(format!("screenshot: the picture exceeds {MAX_PICTURE} bytes"))
            }
            _ => Ok(decoded.into()),
        })
    }

    fn page(&self) -> (Pipe, String, String) {
        let (pipe, session) = self.tab.session();
        (pipe, session, self.tab.main_frame().to_owned())
    }
}

/// A text as a JavaScript literal.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

async fn execute(
    pipe: &Pipe,
    session: &str,
    frame: &str,
    step: &ScriptStep,
) -> Result<(), StepError> {
    let on_element = async |selector: &str, act: &str| {
        let expression = format!("{WITH_ELEMENT}({}, {act})", quoted(selector));
        let problem: String = evaluate(pipe, session, frame, &expression).await?;
        if problem.is_empty() { Ok(()) } else { Err(StepError::Failed(problem)) }
    };
    match step {
        ScriptStep::Click { selector } => {
            let act = "e => { e.scrollIntoView({block: 'center'}); e.click() }";
            on_element(selector, act).await
        }
        ScriptStep::Type { selector, text } => {
            let act = "e => { e.scrollIntoView({block: 'center'}); e.focus(); \
                if (typeof e.select === 'function') e.select() }";
            if let Some(selector) = selector {
                on_element(selector, act).await?;
            }
            let typed: Value =
                pipe.call(session, "Input.insertText", json!({"text": text.reveal()})).await?;
            drop(typed);
            Ok(())
        }
        ScriptStep::Press { key } => {
            for event in key_events(key) {
                let pressed: Value = pipe.call(session, "Input.dispatchKeyEvent", event).await?;
                drop(pressed);
            }
            Ok(())
        }
        ScriptStep::Scroll { selector: Some(selector), .. } => {
            on_element(selector, "e => e.scrollIntoView({block: 'center'})").await
        }
        ScriptStep::Scroll { selector: None, pixels } => {
            let by = pixels.map_or_else(
                || "document.documentElement.scrollHeight".to_owned(),
                |pixels| pixels.to_string(),
            );
            let expression = format!("(window.scrollBy(0, {by}), '')");
            let _: String = evaluate(pipe, session, frame, &expression).await?;
            Ok(())
        }
        // Handled by the caller, which has the deadline.
        ScriptStep::Wait(_) => Ok(()),
    }
}

/// Code and text of the keys with a name; a single character has its own text.
const KEYS: &[(&str, u32, &str)] = &[
    ("Enter", 13, "\r"),
    ("Tab", 9, ""),
    ("Escape", 27, ""),
    ("Backspace", 8, ""),
    ("Delete", 46, ""),
    ("ArrowUp", 38, ""),
    ("ArrowDown", 40, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowRight", 39, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("Home", 36, ""),
    ("End", 35, ""),
];

/// The events of pressing and releasing a key.
fn key_events(key: &str) -> [Value; 2] {
    let named = KEYS.iter().find(|(name, ..)| *name == key);
    let (code, text) = named.map_or((0, key), |(_, code, text)| (*code, *text));
    let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
    let mut down = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
    if !text.is_empty() {
        down["text"] = text.into();
    }
    if named.is_some() {
        down["code"] = key.into();
    }
    [down, json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code})]
}

#[derive(Deserialize)]
struct BrowserCookies {
    cookies: Vec<BrowserCookie>,
}

#[derive(Deserialize)]
struct BrowserCookie {
    name: String,
    value: String,
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutMetrics {
    css_content_size: ContentSize,
}

#[derive(Deserialize)]
struct ContentSize {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct CapturedScreenshot {
    /// The picture in Base64.
    data: String,
}

async fn capture(pipe: &Pipe, session: &str, area: ScreenshotArea) -> Result<String, CallError> {
    let params = match area {
        ScreenshotArea::Viewport => json!({"format": "png"}),
        ScreenshotArea::FullPage => {
            let metrics: LayoutMetrics =
                pipe.call(session, "Page.getLayoutMetrics", json!({})).await?;
            let ContentSize { width, height } = metrics.css_content_size;
            let (width, height) = (width.clamp(1.0, 4_000.0), height.clamp(1.0, MAX_HEIGHT));
            json!({
                "format": "png",
                "captureBeyondViewport": true,
                "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
            })
        }
    };
    let picture: CapturedScreenshot = pipe.call(session, "Page.captureScreenshot", params).await?;
    Ok(picture.data)
}
