//! Markup that is meant to hurt its reader: deep, long, open-ended, or too much.

use std::fmt::Write as _;

use contract::FetchFault;

use super::{Deed, behind, titled};
use crate::{ExpectedSkip, Reply};

const SIZE: usize = 512 * 1024;

/// Sound pages that only hostile ones link to.
pub(super) const BEHIND: &[&str] = &[
    "lists",
    "inline",
    "templates",
    "drawings",
    "quotes",
    "tags",
    "comments",
    "scripts",
    "references",
    "attributes",
    "links",
    "title",
    "line",
];

pub(super) const DEEDS: &[Deed] = &[
    // Tree builders have taken minutes over this one.
    Deed::page("/deep-lists", "Lists", || repeated("Lists", "<ul><li>", "lists")),
    Deed::page("/deep-inline", "Inline", || repeated("Inline", "<b><i><a>", "inline")),
    Deed::page("/deep-templates", "Templates", || {
        let depth = SIZE / 21;
        let nest = "<template>".repeat(depth) + &"</template>".repeat(depth);
        page("Templates", &nest, "templates")
    }),
    Deed::page("/deep-drawings", "Drawings", || repeated("Drawings", "<svg><math>", "drawings")),
    Deed::page("/quotes", "Quotes", || repeated("Quotes", "<a title='\">\"'>", "quotes")),
    Deed::page("/tags", "Tags", || repeated("Tags", "<<<</<!x>", "tags")),
    Deed::page("/comments", "Comments", || repeated("Comments", "<!-- - --!><!-->", "comments")),
    Deed::page("/scripts", "Scripts", || {
        repeated("Scripts", "<script><!--<script></script>--></script>", "scripts")
    }),
    Deed::page("/references", "References", || {
        repeated("References", "&#x26;&notin&zzzzzz&#", "references")
    }),
    Deed::page("/attributes", "Attributes", || {
        page("Attributes", &format!("<a {}>", "a=b c ".repeat(SIZE / 6)), "attributes")
    }),
    Deed::page("/links", "Links", links),
    // Every address is relative to this base, and none is short.
    Deed::page("/bases", "Bases", || {
        let base = format!("<base href=\"http://outside.test/{}\">", "a/".repeat(900));
        Reply::html(titled("Bases", &(base + &"<a href=.>".repeat(50_000))))
    }),
    Deed::page("/title", TITLE, || {
        let title = TITLE.to_owned() + &"t".repeat(SIZE);
        page(&title, "", "title")
    }),
    Deed::page("/line", "One line", || page("One line", &"word ".repeat(1_400_000), "line")),
    Deed::nothing("/line-too-long", ExpectedSkip::Fault(FetchFault::TooLarge), || {
        page("One line", &"word ".repeat(2_000_000), "line")
    }),
    Deed::page("/open-attribute", "Open attribute", || {
        open("Open attribute", "<a href=\"", "/never/attribute ")
    }),
    Deed::page("/open-comment", "Open comment", || {
        open("Open comment", "<!--", "<a href=/never/comment>")
    }),
    Deed::page("/open-script", "Open script", || {
        open("Open script", "<script>", "<a href=/never/script>")
    }),
    Deed::page("/open-text", "Open text", || {
        open("Open text", "<plaintext>", "<a href=/never/plain>")
    }),
    Deed::untitled("/open-title", || {
        Reply::html("<a title=\"".repeat(3) + &"<title".repeat(SIZE / 6))
    }),
    Deed::page("/schemes", "Schemes", || {
        let odd = "<a href='javascript:alert(1)'><a href='data:text/html,<a href=/never/data>'>\
                   <a href='file:///etc/passwd'><a href='http://'><a href='http://[::1'>\
                   <a href='http://user:pass@outside.test/'><a href='//outside.test:0/'>\
                   <a href='http://outside.test:99999/'><a href='\u{1}\u{2}'>";
        Reply::html(titled("Schemes", odd))
    }),
];

/// As much of a title as is kept.
const TITLE: &str = {
    const BYTES: [u8; 1024] = [b't'; 1024];
    match std::str::from_utf8(&BYTES) {
        Ok(title) => title,
        Err(_) => "",
    }
};

/// A page with a link at its very end.
fn page(title: &str, middle: &str, name: &str) -> Reply {
    Reply::html(titled(title, &format!("{middle}{}", behind(name))))
}

fn repeated(title: &str, piece: &str, name: &str) -> Reply {
    page(title, &piece.repeat(SIZE / piece.len()), name)
}

/// Something that begins and never ends: what it holds is no markup.
fn open(title: &str, start: &str, inside: &str) -> Reply {
    Reply::html(titled(title, &format!("{start}{}", inside.repeat(SIZE / inside.len()))))
}

/// 6,000 links; the first 5,000 are looked at.
fn links() -> Reply {
    let mut html = behind("links");
    for number in 1..6_000 {
        // Writing to a String cannot fail.
        let _ = match number {
            5_990.. => write!(html, "<a href=\"/never/link-{number}\">"),
            _ => write!(html, "<a href=\"http://outside.test/{number}\">"),
        };
    }
    Reply::html(titled("Links", &html))
}
