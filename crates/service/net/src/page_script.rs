//! What a browser does with a page besides rendering it: actions, a wait, a picture, another screen.
//! Fetchers without a browser ignore it.
//!
//! The script is shared by the requests of one page. The browser writes the outcome into it, because
//! a response has no place for it; the outcome of the last rendering counts.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use contract::{PageAction, PageActionType, PageDevice, PageWait, ScreenshotArea, SecretText};
use parking_lot::Mutex;
use urls::CanonicalUrl;

use crate::SiteCookie;

/// One step that the browser executes in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptStep {
    /// Clicks the first element that the selector matches.
    Click {
        selector: String,
    },
    /// Types a text into the first element that the selector matches.
    Type {
        /// `None` for the element that has the focus.
        selector: Option<String>,
        /// A secret: often it is a password.
        text: SecretText,
    },
    /// Presses a key, for example `Enter`, in the element that has the focus.
    Press {
        key: String,
    },
    /// Scrolls to an element, or by a number of pixels, or to the end of the page.
    Scroll {
        selector: Option<String>,
        pixels: Option<i64>,
    },
    Wait(WaitFor),
}

impl fmt::Display for ScriptStep {
    /// The step without the text that it types.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Click { selector } => write!(f, "click {selector}"),
            Self::Type { selector: Some(selector), .. } => write!(f, "type into {selector}"),
            Self::Type { selector: None, .. } => f.write_str("type"),
            // A single character may be a part of a password.
            Self::Press { key } if key.chars().count() > 1 => write!(f, "press {key}"),
            Self::Press { .. } => f.write_str("press"),
            Self::Scroll { selector: Some(selector), .. } => write!(f, "scroll to {selector}"),
            Self::Scroll { selector: None, .. } => f.write_str("scroll"),
            Self::Wait(WaitFor::Selector(selector)) => write!(f, "wait for {selector}"),
            Self::Wait(WaitFor::Time(time)) => write!(f, "wait {} ms", time.as_millis()),
        }
    }
}

/// What is waited for after a page has loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// An element that matches a CSS selector.
    Selector(String),
    Time(Duration),
}

impl From<PageWait> for WaitFor {
    fn from(wait: PageWait) -> Self {
        match wait {
            PageWait::Selector(selector) => Self::Selector(selector),
            PageWait::Milliseconds(milliseconds) => Self::Time(Duration::from_millis(milliseconds)),
        }
    }
}

impl From<PageAction> for ScriptStep {
    /// A validated action: members that its type does not have are ignored.
    fn from(action: PageAction) -> Self {
        let PageAction { kind, selector, text, key, pixels, milliseconds } = action;
        match kind {
            PageActionType::Click => Self::Click { selector: selector.unwrap_or_default() },
            PageActionType::Type => {
                Self::Type { selector, text: SecretText::new(text.unwrap_or_default()) }
            }
            PageActionType::Press => Self::Press { key: key.unwrap_or_default() },
            PageActionType::Scroll => Self::Scroll { selector, pixels },
            PageActionType::Wait => Self::Wait(match selector {
                Some(selector) => WaitFor::Selector(selector),
                None => WaitFor::Time(Duration::from_millis(milliseconds.unwrap_or(0))),
            }),
        }
    }
}

/// Steps, wait and picture of one page, and their outcome.
#[derive(Debug, Default)]
pub struct PageScript {
    pub steps: Vec<ScriptStep>,
    /// Waited for before the steps.
    pub wait_for: Option<WaitFor>,
    /// A picture after the steps.
    pub screenshot: Option<ScreenshotArea>,
    /// The screen on which the page is rendered.
    pub device: PageDevice,
    /// Whether the page is captured if a step fails.
    pub captures_failure: bool,
    /// Set for a login, whose steps lead to other documents.
    pub login: Option<LoginScope>,
    outcome: Mutex<Option<ScriptOutcome>>,
}

/// Where the steps of a login may lead, and which cookies are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginScope {
    /// The site whose cookies are returned. The browser may navigate within its origin and within
    /// that of the request; another navigation is a failure.
    pub site: CanonicalUrl,
}

/// What the script of a page has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptOutcome {
    /// The picture of the page, as PNG.
    pub screenshot: Option<Bytes>,
    /// Why the page may be incomplete, as messages for the client.
    pub warnings: Vec<String>,
    /// The first step that failed; later steps were not executed.
    pub failed_step: Option<FailedStep>,
    /// The cookies after a login.
    pub cookies: Vec<SiteCookie>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedStep {
    /// The position of the step, from 0.
    pub index: usize,
    pub message: String,
}

impl PageScript {
    #[must_use]
    pub fn new(
        steps: Vec<ScriptStep>,
        wait_for: Option<WaitFor>,
        screenshot: Option<ScreenshotArea>,
    ) -> Self {
        let captures_failure = !steps.is_empty();
        Self { steps, wait_for, screenshot, captures_failure, ..Self::default() }
    }

    /// The same on this screen.
    #[must_use]
    pub fn on(self, device: PageDevice) -> Self {
        Self { device, ..self }
    }

    /// The script of a login, whose steps end with the wait.
    #[must_use]
    pub fn of_login(
        mut steps: Vec<ScriptStep>,
        wait_for: Option<WaitFor>,
        site: LoginScope,
    ) -> Self {
        steps.extend(wait_for.map(ScriptStep::Wait));
        Self { steps, login: Some(site), ..Self::default() }
    }

    /// The same script for one page of a run, with a separate outcome.
    #[must_use]
    pub fn for_page_of_run(&self, captures_failure: bool) -> Self {
        Self {
            steps: self.steps.clone(),
            wait_for: self.wait_for.clone(),
            screenshot: self.screenshot,
            device: self.device,
            captures_failure: captures_failure && self.captures_failure,
            login: self.login.clone(),
            outcome: Mutex::default(),
        }
    }

    /// Replaces the outcome of an earlier rendering.
    pub fn set_outcome(&self, outcome: ScriptOutcome) {
        *self.outcome.lock() = Some(outcome);
    }

    /// A step with the cause of its failure, for the client.
    #[must_use]
    pub fn describe(&self, failed: &FailedStep) -> String {
        match self.steps.get(failed.index) {
            Some(step) => format!("{step}: {}", failed.message),
            None => failed.message.clone(),
        }
    }

    /// Takes the outcome of the last rendering; `None` if no browser has executed the script.
    pub fn take_outcome(&self) -> Option<ScriptOutcome> {
        std::mem::take(&mut *self.outcome.lock())
    }
}

/// Scripts that do the same are equal, whatever they have found.
impl PartialEq for PageScript {
    fn eq(&self, other: &Self) -> bool {
        (&self.steps, &self.wait_for, self.screenshot, self.device, &self.login)
            == (&other.steps, &other.wait_for, other.screenshot, other.device, &other.login)
    }
}

impl Eq for PageScript {}
