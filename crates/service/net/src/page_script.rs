//! What a browser does with a page besides rendering it: actions, a wait, a picture. Fetchers without
//! a browser ignore it.
//!
//! The script is shared by the requests of one page. The browser writes the outcome into it, because
//! a response has no place for it; the outcome of the last rendering counts.

use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;

/// One step that the browser executes in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptStep {
    /// Clicks the first element that the selector matches.
    Click {
        selector: String,
    },
    /// Types a text into the first element that the selector matches.
    Type {
        selector: String,
        text: String,
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

/// What is waited for after a page has loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// An element that matches a CSS selector.
    Selector(String),
    Time(Duration),
}

/// The part of a page that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenshotArea {
    FullPage,
    Viewport,
}

/// Steps, wait and picture of one page, and their outcome.
#[derive(Debug, Default)]
pub struct PageScript {
    pub steps: Vec<ScriptStep>,
    /// Waited for before the steps.
    pub wait_for: Option<WaitFor>,
    /// A picture after the steps.
    pub screenshot: Option<ScreenshotArea>,
    outcome: Mutex<ScriptOutcome>,
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
        Self { steps, wait_for, screenshot, outcome: Mutex::default() }
    }

    /// Replaces the outcome of an earlier rendering.
    pub fn set_outcome(&self, outcome: ScriptOutcome) {
        *self.outcome.lock() = outcome;
    }

    /// Takes the outcome of the last rendering.
    pub fn take_outcome(&self) -> ScriptOutcome {
        std::mem::take(&mut *self.outcome.lock())
    }
}

/// Scripts that do the same are equal, whatever they have found.
impl PartialEq for PageScript {
    fn eq(&self, other: &Self) -> bool {
        (&self.steps, &self.wait_for, self.screenshot)
            == (&other.steps, &other.wait_for, other.screenshot)
    }
}

impl Eq for PageScript {}
