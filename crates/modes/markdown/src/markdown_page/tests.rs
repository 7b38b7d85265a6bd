//! Whole pages: visible text, JSON-LD text, JavaScript shells.

use super::*;

const PLEA: &str = "<noscript>You need to enable JavaScript to run this app.</noscript>";

fn read(html: &str) -> (MarkdownPage, Vec<ExtractionWarning>) {
    let url = CanonicalUrl::parse("https://site.test/a").expect("a URL");
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let (_, text) =
        MarkdownPage::read(html.as_bytes(), &head, &url, &limits, &RepeatedBlocks::default());
    let warnings = text.extraction.warnings.clone();
    (text, warnings)
}

fn shell(head: &str) -> String {
    format!("<!doctype html>{head}<body><div id=root></div>{PLEA}<script src=/app.js></script>")
}

fn json_ld(json: &str) -> String {
    format!("<script type='application/ld+json'>{json}</script>")
}

const DESCRIPTION: &str =
    "<meta name=description content='Where divers meet to talk of their finds all night.'>";

const JOB: &str = r#"{"@type": "JobPosting", "title": "Diver", "description":
    "<p>We dive for <b>pearls</b> and old bottles.</p><ul><li>Hold your breath</li></ul>"}"#;

#[test]
fn whole_page_has_everything_except_navigation_and_footer() {
    let html = "<title>Shop</title><nav><a href=/>Home</a></nav><header class=top>Shop of the day\
        </header><main><header><h1>Lamps</h1></header><p>One lamp.</p><aside>Also chairs.</aside>\
        <form>Your name please</form></main><div class=nav-links><a href=/a>All the lamps</a></div>\
        <div class=cookie-banner>We use cookies.</div><footer>Imprint of the shop</footer>";
    let url = CanonicalUrl::parse("https://site.test/").expect("a valid URL");
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let style = MarkdownStyle { main_content: false, ..MarkdownStyle::default() };
    let (all, none) = (ContentSelectors::default(), RepeatedBlocks::default());
    let (_, text) =
        MarkdownPage::read_as(style, &all, html.as_bytes(), &head, &url, &limits, &none);
    assert_eq!(text.markdown, "# Lamps\n\nOne lamp.\n\nAlso chairs.\n\nYour name please\n");
    assert_eq!(text.extraction.method, contract::ExtractionMethod::Visible);
}

/// The page as it is read with these selectors.
fn part(html: &str, include: &[&str], exclude: &[&str]) -> MarkdownPage {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let options = contract::Options {
        include_selectors: texts(include),
        exclude_selectors: texts(exclude),
        ..contract::Options::default()
    };
    let url = CanonicalUrl::parse("https://site.test/").expect("a valid URL");
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let (style, none) = (MarkdownStyle::default(), RepeatedBlocks::default());
    let selectors = ContentSelectors::of(&options);
    MarkdownPage::read_as(style, &selectors, html.as_bytes(), &head, &url, &limits, &none).1
}

#[test]
fn selectors_choose_the_elements_that_are_read() {
    let words =
        "The lamp burns oil of the olive and gives a warm light for a whole night. ".repeat(9);
    let html = format!(
        "<title>Lamps</title><nav class=top><a href=/a>Home</a></nav><main><h1>Lamps</h1>\
         <p>{words}</p><div class=share><a href=/share>Share this lamp</a></div>\
         <ul><li>Oil</li><li class=old>Wax</li></ul><p style='display:none'>Hidden</p></main>"
    );
    let whole = part(&html, &[], &[]);
    assert!(whole.markdown.contains("- Wax"), "{}", whole.markdown);
    let without = part(&html, &[], &["ul .old", ".share"]);
    assert!(without.markdown.contains("- Oil") && without.markdown.contains("The lamp burns"));
    assert!(!without.markdown.contains("Wax") && !without.markdown.contains("Share"));
    assert_ne!(whole.content_hash, without.content_hash);
    assert_eq!(part(&html, &["li"], &[]).markdown, "- Oil\n- Wax\n");
    let some = part(&html, &["nav, h1", "[style]"], &[]);
    assert_eq!(some.markdown, "[Home](https://site.test/a)\n\n# Lamps\n");
    assert_eq!(some.links.len(), 1);
    assert_eq!(some.title.as_deref(), Some("Lamps"), "that of the whole page");
    let none = part(&html, &["article"], &[]);
    assert_eq!((none.markdown.trim(), none.word_count), ("", 0));
}

#[test]
fn selected_part_is_not_replaced_by_the_json_ld() {
    let page = format!("{}<p class=a>One lamp.</p><p>Two lamps.</p>", json_ld(JOB));
    assert_eq!(part(&page, &[".a"], &[]).markdown, "One lamp.\n");
}

#[test]
fn shell_uses_the_text_of_its_json_ld() {
    let (page, warnings) = read(&shell(&json_ld(JOB)));
    assert_eq!(page.markdown, "We dive for **pearls** and old bottles.\n\n- Hold your breath\n");
    assert_eq!((page.word_count, page.extraction.method), (10, ExtractionMethod::Stated));
    assert_eq!(warnings, [ExtractionWarning::NeedsJavascript]);
}

#[test]
fn shell_without_json_ld_has_no_text() {
    let heads = [String::new(), DESCRIPTION.to_owned(), json_ld("{")];
    for head in heads {
        let (page, warnings) = read(&shell(&head));
        assert_eq!((page.markdown.as_str(), page.word_count), ("", 0), "{head}");
        assert!(warnings.contains(&ExtractionWarning::NeedsJavascript), "{warnings:?}");
    }
}

#[test]
fn visible_text_takes_precedence_over_json_ld() {
    let text = "The pearls of the northern sea are small, grey and hard to find in winter.";
    let head = format!("<meta name=description content=d>{}", json_ld(JOB));
    let (page, warnings) = read(&format!("{head}<body><h1>Pearls</h1><p>{text}</p>"));
    assert_eq!(page.markdown, format!("# Pearls\n\n{text}\n"));
    assert_eq!(warnings, []);
    // A few visible words stay, unless the JSON-LD has much more text.
    assert_eq!(read(&format!("{DESCRIPTION}<p>Sign in</p>")).0.markdown, "Sign in\n");
    let few = read(&format!("{}<p>Sign in</p>", json_ld(JOB))).0;
    assert_eq!(few.extraction.method, ExtractionMethod::Stated);
}

#[test]
fn streamed_page_is_read_in_visual_order() {
    let (page, _) = read(
        "<!doctype html><title>Reefs</title><body><main><template id=B:0></template></main>\
         <footer>All rights reserved</footer><script>$RC('B:0','S:0')</script>\
         <div hidden id=S:0><h1>Reefs</h1><template id=B:1></template>\
         <p>Whoever dives there at night sees them glow, for an hour or for two.</p></div>\
         <div hidden id=S:1><p>They grow by a finger's breadth in a year, and not even that.</p></div>",
    );
    let (first, then) = (page.markdown.find("They grow"), page.markdown.find("Whoever dives"));
    assert!(page.markdown.starts_with("# Reefs") && first < then && first.is_some(), "{page:?}");
    assert!(!page.markdown.contains("rights reserved"), "{}", page.markdown);
}
