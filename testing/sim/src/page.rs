//! The pages of the fake web, and how they are written.

use std::fmt::Write as _;

/// Names that stand only where no reader of the page would see a link.
pub(crate) const GHOST: &str = "/ghost";

/// A page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    /// What it says; pages with the same number say the same.
    pub text: usize,
    /// What it says that it is written in.
    pub language: Option<&'static str>,
    pub noindex: bool,
    pub ties: Vec<Tie>,
}

/// A way in which a page leads somewhere.
#[derive(Debug, Clone)]
pub(crate) struct Tie {
    pub kind: TieKind,
    /// As it is written.
    pub href: String,
}

/// The ways, the strongest first: who is tied to an address in several has the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TieKind {
    /// A link for readers.
    Anchor,
    /// What it calls its own address.
    Canonical,
    /// Its translation into this language.
    Version(&'static str),
    /// The news of the site.
    Feed,
    Image,
}

impl Page {
    pub fn tie(&mut self, kind: TieKind, href: impl Into<String>) {
        self.ties.push(Tie { kind, href: href.into() });
    }

    /// The page as a browser gets it.
    pub fn html(&self) -> String {
        let text = self.text;
        let mut html = String::from("<!doctype html><html");
        if let Some(language) = self.language {
            let _ = write!(html, " lang={language}");
        }
        let _ = write!(html, "><head><title>Page {text}</title>");
        if self.noindex {
            html.push_str("<meta name=robots content=noindex>");
        }
        let mut body = String::new();
        for Tie { kind, href } in &self.ties {
            let _ = match kind {
                TieKind::Anchor => write!(body, "<a href='{href}'></a> "),
                TieKind::Image => write!(body, "<img src='{href}'>"),
                TieKind::Canonical => write!(html, "<link rel=canonical href='{href}'>"),
                TieKind::Version(language) => {
                    write!(html, "<link rel=alternate hreflang={language} href='{href}'>")
                }
                TieKind::Feed => {
                    write!(html, "<link rel=alternate type=application/rss+xml href='{href}'>")
                }
            };
        }
        let _ = write!(
            html,
            "</head><body><h1>No. {text}</h1><p>words of page {text}</p><nav>{body}</nav>\
             <!-- <a href={GHOST}1> --><script>'<a href={GHOST}2>'</script>\
             <template><a href={GHOST}3>x</a></template></body>"
        );
        html
    }
}
