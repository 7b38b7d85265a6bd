//! Pages that are empty without JavaScript: rendered by a browser if there is one, otherwise
//! delivered as they are.

use journal::UrlId;
use std::collections::HashMap;

use crate::ParsedResponse;

/// Shell pages that are not finished. Not durable.
#[derive(Debug, Default)]
pub(crate) struct ShellPages {
    /// Pages that the browser renders, with their plain responses.
    rendering: HashMap<UrlId, Box<ParsedResponse>>,
    /// The start page, until it is known whether the run delivers anything else.
    start: Option<(UrlId, Box<ParsedResponse>)>,
}

impl ShellPages {
    /// Sends a page to the browser.
    pub fn render(&mut self, id: UrlId, mut plain: ParsedResponse) {
        // Many pages may wait for the browser.
        if let Some(kept) = &mut plain.kept {
            kept.discard_files("the browser failed to render the page");
        }
        self.rendering.insert(id, Box::new(plain));
    }

    /// Whether the next request of a page goes to the browser.
    pub fn is_rendering(&self, id: UrlId) -> bool {
        self.rendering.contains_key(&id)
    }

    /// The plain response of a page that the browser has answered or failed.
    pub fn take_plain(&mut self, id: UrlId) -> Option<Box<ParsedResponse>> {
        self.rendering.remove(&id)
    }

    /// Keeps the start page until the end of the run.
    pub fn keep_start(&mut self, id: UrlId, plain: ParsedResponse) {
        self.start = Some((id, Box::new(plain)));
    }

    /// Whether the start page is kept, so that other pages do not wait for it.
    pub fn holds_start(&self) -> bool {
        self.start.is_some()
    }

    /// The start page that was kept.
    pub fn take_start(&mut self) -> Option<(UrlId, Box<ParsedResponse>)> {
        self.start.take()
    }
}
