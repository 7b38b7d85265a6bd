//! The pages of the fake web, and their HTML.

use std::fmt::Write as _;

/// URLs in places that are not links for a reader of the page.
pub(crate) const HIDDEN_LINK: &str = "/ghost";

/// A page of the fake web.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimPage {
    /// Pages with the same number have the same text.
    pub text: usize,
    /// The declared language.
    pub language: Option<&'static str>,
    pub noindex: bool,
    pub links: Vec<SimLink>,
}

#[derive(Debug, Clone)]
pub(crate) struct SimLink {
    pub kind: SimLinkKind,
    /// The URL as it is written.
    pub href: String,
}

/// The kinds of links, the strongest first: if several lead to one URL, the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimLinkKind {
    Anchor,
    Canonical,
    /// A translation into this language.
    Version(&'static str),
    Feed,
    Image,
}

impl SimPage {
    pub fn add_link(&mut self, kind: SimLinkKind, href: impl Into<String>) {
        self.links.push(SimLink { kind, href: href.into() });
    }

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
        for SimLink { kind, href } in &self.links {
            let _ = match kind {
                SimLinkKind::Anchor => write!(body, "<a href='{href}'></a> "),
                SimLinkKind::Image => write!(body, "<img src='{href}'>"),
                SimLinkKind::Canonical => write!(html, "<link rel=canonical href='{href}'>"),
                SimLinkKind::Version(language) => {
                    write!(html, "<link rel=alternate hreflang={language} href='{href}'>")
                }
                SimLinkKind::Feed => {
                    write!(html, "<link rel=alternate type=application/rss+xml href='{href}'>")
                }
            };
        }
        let _ = write!(
            html,
            "</head><body><h1>No. {text}</h1><p>words of page {text}</p><nav>{body}</nav>\
             <!-- <a href={HIDDEN_LINK}1> --><script>'<a href={HIDDEN_LINK}2>'</script>\
             <template><a href={HIDDEN_LINK}3>x</a></template></body>"
        );
        html
    }
}
