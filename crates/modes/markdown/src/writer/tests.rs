use super::*;

mod addresses;
mod blocks;
mod commonmark;
mod hostile;
mod inlines;
mod soup;

/// The Markdown of a page without a base URL.
fn markdown(html: &str) -> String {
    written(html).markdown
}

fn written(html: &str) -> Written {
    let dom = Dom::parse(html);
    let body = dom.body();
    let selection = Selection::all_below(&dom, body);
    write(&dom, &selection, 0, &Base::none())
}

fn check(cases: &[(&str, &str)]) {
    for (html, expected) in cases {
        assert_eq!(markdown(html).trim_end_matches('\n'), *expected, "{html}");
    }
}
