//! Pages that are empty without JavaScript: shown to a browser where there is one, and else
//! taken for what they are.

use std::collections::HashMap;

use crate::Reading;

/// The shells of a run whose end is open. Not lasting.
#[derive(Debug, Default)]
pub(crate) struct Shells {
    /// On their way through the browser, with what plain HTTP gave.
    rendering: HashMap<u32, Box<Reading>>,
    /// The start page, for as long as it is not known whether the run finds anything else.
    start: Option<(u32, Box<Reading>)>,
}

impl Shells {
    /// Sends a page to the browser.
    pub fn render(&mut self, ordinal: u32, plain: Reading) {
        self.rendering.insert(ordinal, Box::new(plain));
    }

    /// Whether a page is to be asked for by the browser.
    pub fn is_rendering(&self, ordinal: u32) -> bool {
        self.rendering.contains_key(&ordinal)
    }

    /// What plain HTTP gave, once the browser has answered or failed.
    pub fn take_plain(&mut self, ordinal: u32) -> Option<Box<Reading>> {
        self.rendering.remove(&ordinal)
    }

    /// Keeps the start page until the end.
    pub fn keep_start(&mut self, ordinal: u32, plain: Reading) {
        self.start = Some((ordinal, Box::new(plain)));
    }

    /// Whether the start page is kept: nobody waits for it then.
    pub fn keep_start_page(&self) -> bool {
        self.start.is_some()
    }

    /// The start page that was kept.
    pub fn take_start(&mut self) -> Option<(u32, Box<Reading>)> {
        self.start.take()
    }
}
