//! Paths of numbered pages: `/`, `/page-1`, `/page-2` and so on.

pub(super) fn page_path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}") }
}

/// The number of the page with this path, below `count`.
pub(super) fn numbered_page(path: &str, count: usize) -> Option<usize> {
    match path.strip_prefix("/page-") {
        Some(text) => number_below(text, count).filter(|number| *number > 0),
        None => (path == "/").then_some(0),
    }
}

/// A number below `count` in its only spelling: `007` is not 7.
pub(super) fn number_below(text: &str, count: usize) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number < count && number.to_string() == text).then_some(number)
}
