//! Markup that attacks parsers: deep, long, unterminated or excessive.

use std::fmt::Write as _;

use contract::FetchFault;

use super::{HostileCase, behind, titled};
use crate::{ExpectedSkip, Reply};

const SIZE: usize = 512 * 1024;

/// Valid pages that only hostile pages link to.
pub(super) const BEHIND: &str = "lists inline templates drawings quotes tags comments \
    scripts references attributes links title line";

pub(super) const CASES: &[HostileCase] = &[
    // Some tree builders take minutes for this.
    HostileCase::page("/deep-lists", "Lists", || repeated("Lists", "<ul><li>", "lists")),
    HostileCase::page("/deep-inline", "Inline", || repeated("Inline", "<b><i><a>", "inline")),
    HostileCase::page("/deep-templates", "Templates", || {
        let depth = SIZE / 21;
        let nest = "<template>".repeat(depth) + &"</template>".repeat(depth);
        page("Templates", &nest, "templates")
    }),
    HostileCase::page("/deep-drawings", "Drawings", || {
        repeated("Drawings", "<svg><math>", "drawings")
    }),
    HostileCase::page("/quotes", "Quotes", || repeated("Quotes", "<a title='\">\"'>", "quotes")),
    HostileCase::page("/tags", "Tags", || repeated("Tags", "<<<</<!x>", "tags")),
    HostileCase::page("/comments", "Comments", || {
        repeated("Comments", "<!-- - --!><!-->", "comments")
    }),
    HostileCase::page("/scripts", "Scripts", || {
        repeated("Scripts", "<script><!--<script></script>--></script>", "scripts")
    }),
    HostileCase::page("/references", "References", || {
        repeated("References", "&#x26;&notin&zzzzzz&#", "references")
    }),
    HostileCase::page("/attributes", "Attributes", || {
        page("Attributes", &format!("<a {}>", "a=b c ".repeat(SIZE / 6)), "attributes")
    }),
    HostileCase::page("/links", "Links", links),
    // Every URL is relative to this long base.
    HostileCase::page("/bases", "Bases", || {
        let base = format!("<base href=\"http://outside.test/{}\">", "a/".repeat(900));
        Reply::html(titled("Bases", &(base + &"<a href=.>".repeat(50_000))))
    }),
    HostileCase::page("/title", TITLE, || {
        let title = TITLE.to_owned() + &"t".repeat(SIZE);
        page(&title, "", "title")
    }),
    HostileCase::page("/line", "One line", || page("One line", &"word ".repeat(1_400_000), "line")),
    HostileCase::skipped("/line-too-long", ExpectedSkip::Fault(FetchFault::TooLarge), || {
        page("One line", &"word ".repeat(2_000_000), "line")
    }),
    HostileCase::page("/open-attribute", "Open attribute", || {
        open("Open attribute", "<a href=\"", "/never/attribute ")
    }),
    HostileCase::page("/open-comment", "Open comment", || {
        open("Open comment", "<!--", "<a href=/never/comment>")
    }),
    HostileCase::page("/open-script", "Open script", || {
        open("Open script", "<script>", "<a href=/never/script>")
    }),
    HostileCase::page("/open-text", "Open text", || {
        open("Open text", "<plaintext>", "<a href=/never/plain>")
    }),
    HostileCase::untitled("/open-title", || {
        Reply::html("<a title=\"".repeat(3) + &"<title".repeat(SIZE / 6))
    }),
    HostileCase::page("/schemes", "Schemes", || {
        let odd = "<a href='javascript:alert(1)'><a href='data:text/html,<a href=/never/data>'>\
                   <a href='file:///etc/passwd'><a href='http://'><a href='http://[::1'>\
                   <a href='http://user:pass@outside.test/'><a href='//outside.test:0/'>\
                   <a href='http://outside.test:99999/'><a href='\u{1}\u{2}'>";
        Reply::html(titled("Schemes", odd))
    }),
];

/// The maximum length of a title.
const TITLE: &str = {
    const BYTES: [u8; 1024] = [b't'; 1024];
    match std::str::from_utf8(&BYTES) {
        Ok(title) => title,
        Err(_) => "",
    }
};

/// A page with a link at its end.
fn page(title: &str, middle: &str, name: &str) -> Reply {
    Reply::html(titled(title, &format!("{middle}{}", behind(name))))
}

fn repeated(title: &str, piece: &str, name: &str) -> Reply {
    page(title, &piece.repeat(SIZE / piece.len()), name)
}

/// An unterminated construct: its content is no markup.
fn open(title: &str, start: &str, inside: &str) -> Reply {
    Reply::html(titled(title, &format!("{start}{}", inside.repeat(SIZE / inside.len()))))
}

/// 6,000 links, of which the first 5,000 are read.
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
