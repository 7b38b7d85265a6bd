//! What the readers of a page share: its visible text, mailboxes and phone numbers.

use std::ops::Deref;

use html::dom::Dom;

use crate::page_emails::{self, EmailOccurrence};
use crate::phone::{self, PhoneOccurrence};
use crate::visible_text::VisibleText;

/// A page with its mailboxes and phone numbers. Dereferences to its visible text.
#[derive(Debug)]
pub(crate) struct PageView<'d, 'a> {
    text: VisibleText<'d, 'a>,
    pub mails: Vec<EmailOccurrence>,
    pub phones: Vec<PhoneOccurrence>,
}

impl<'d, 'a> PageView<'d, 'a> {
    /// `host` is that of the site, without `www.`.
    pub fn read(dom: &'d Dom<'a>, host: &str) -> Self {
        let text = VisibleText::read(dom, host);
        let mails = page_emails::read(&text, host);
        let phones = phone::read(&text);
        Self { text, mails, phones }
    }
}

impl<'d, 'a> Deref for PageView<'d, 'a> {
    type Target = VisibleText<'d, 'a>;

    fn deref(&self) -> &Self::Target {
        &self.text
    }
}
