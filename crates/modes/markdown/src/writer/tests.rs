//! Helpers for tests of the Markdown writer.

use super::*;

mod blocks;
mod commonmark;
mod hostile;
mod inlines;
mod link_styles;
mod link_urls;
mod round_trip_text;

/// The Markdown of a page without a base URL.
fn markdown(html: &str) -> String {
    written(html).markdown
}

fn written(html: &str) -> WrittenMarkdown {
    let dom = Dom::parse(html);
    let body = dom.body();
    let selection = NodeSelection::all_below(&dom, body);
    write(&dom, &selection, 0, WriterTarget::inline(&BaseUrl::none()))
}

fn check(cases: &[(&str, &str)]) {
    for (html, expected) in cases {
        assert_eq!(markdown(html).trim_end_matches('\n'), *expected, "{html}");
    }
}
