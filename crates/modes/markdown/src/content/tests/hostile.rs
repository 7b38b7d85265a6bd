//! Hostile pages: every input has a result in linear time.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Reads a page within a time that only superlinear work could exceed.
#[track_caller]
fn reads_in_time(html: &str) -> SelectedText {
    let began = Instant::now();
    let selected = select_page("https://hostile.test/", html);
    assert!(began.elapsed() < Duration::from_secs(60), "took {:?}", began.elapsed());
    selected
}

#[test]
fn deep_nesting_takes_linear_time() {
    let deep =
        format!("{}text{}", "<div class='a b'><b>".repeat(20_000), "</b></div>".repeat(20_000));
    reads_in_time(&deep);
}

#[test]
fn deep_inline_elements_take_linear_time() {
    let html = format!("{}{}", "<i>".repeat(500), "<b>x</b> ".repeat(20_000));
    reads_in_time(&html);
}

#[test]
fn many_blocks_take_linear_time() {
    let html = "<div class=card><p>one two</p><a href=/>three</a></div>".repeat(10_000);
    let selected = reads_in_time(&html);
    assert!(selected.content.visible_words >= 30_000);
}

#[test]
fn deep_blocks_with_long_classes_take_linear_time() {
    let class = (0..60).map(|at| format!("w{at}x")).collect::<String>();
    let html = format!(
        "{}{}",
        format!("<div class='{class} alpha beta gamma'>").repeat(400),
        "<p class='delta epsilon'>word</p>".repeat(10_000)
    );
    reads_in_time(&html);
}

#[test]
fn page_without_text_has_an_empty_selection() {
    for html in ["", "<p>", "<script>var a</script>", "<img src=a.png>", "&nbsp;", "…"] {
        let selected = select_page("https://empty.test/", html);
        assert_eq!(selected.content.kept_words, 0, "{html}");
        assert!(selected.content.blocks.is_empty());
        assert_eq!(selected.content.warnings, [ExtractionWarning::LittleText]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_markup_gives_a_selection(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<div class='nav x'>".to_owned()), Just("</div>".to_owned()),
                Just("<p>".to_owned()), Just("<table><tr><td>".to_owned()), Just("</table>".to_owned()),
                Just("<pre>".to_owned()), Just("</pre>".to_owned()), Just("<a href=/>".to_owned()),
                Just("</a>".to_owned()), Just("<br>".to_owned()), Just("<h2>".to_owned()),
                Just("<span hidden>".to_owned()), Just("<noscript>".to_owned()),
                Just("<img src=a>".to_owned()), Just("&nbsp;".to_owned()), Just("<ul><li>".to_owned()),
                "\\PC{0,20}", "[a-z ]{0,40}",
            ],
            0..60,
        )
    ) {
        let html = parts.concat();
        let selected = select_page("https://any.test/a/b?c", &html);
        prop_assert!(selected.content.kept_words <= selected.content.visible_words);
        // A page with words has an empty selection only with a warning.
        let is_warned = selected.content.warnings.contains(&ExtractionWarning::LittleText);
        prop_assert!(selected.content.kept_words > 0 || is_warned);
    }
}
