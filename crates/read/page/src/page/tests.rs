//! Links, head, budgets and robustness of pages.

use proptest::prelude::*;

use super::*;

mod head;
mod link_sources;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

const UTF_8: PageHead<'_> = PageHead {
    content_type: Some("text/html; charset=utf-8"),
    links: &[],
    robots: &[],
    language: None,
};

fn read(html: &str) -> Page {
    let page = url("https://example.com/shop/page");
    crate::read_page(html.as_bytes(), &UTF_8, &page, &PageLimits::default())
}

/// The links of a page in short form: kind, URL, text.
fn links(html: &str) -> Vec<String> {
    let page = read(html);
    let links = page.links.iter();
    links
        .map(|link| {
            let address = link.url.as_str().trim_start_matches("https://example.com");
            let nofollow = if link.nofollow { " nofollow" } else { "" };
            format!("{:?} {address} {}{nofollow}", link.kind, page.anchor(link))
                .trim_end()
                .to_owned()
        })
        .collect()
}

#[test]
fn title_description_and_head_are_read() {
    let page = read(
        "<!doctype html><html lang=de-AT><head><title> Ein &amp;\n Titel </title><title>Other</title>
         <meta name=Description content='  About &quot;this&quot; '>
         <meta name=robots content='noindex, follow'>
         <link rel=canonical href='/shop/page?utm_source=x'></head>
         <body><svg><title>Drawing</title></svg><h1> </h1><h1>One <b>h</b>eading</h1><h1>Two</h1>
         <p>Hello<p>w<i>or</i>ld</body>",
    );
    assert_eq!(page.title.as_deref(), Some("Ein & Titel"));
    assert_eq!(page.description.as_deref(), Some("About \"this\""));
    assert_eq!(page.h1.as_deref(), Some("One heading"));
    assert_eq!(page.language.as_deref(), Some("de-AT"));
    assert_eq!(page.canonical, Some(url("https://example.com/shop/page")));
    assert!(page.noindex && !page.nofollow);
    assert_eq!(page.word_count, 5);
}

#[test]
fn links_of_every_kind_are_collected() {
    let html = "<head><link rel=alternate hreflang=de href=/de><link rel=next href=?page=2>
        <link rel=alternate type='application/rss+xml' href=/feed>
        <link rel=stylesheet href=/style.css><link rel='alternate stylesheet' href=/other.css>
        <link rel=alternate type='application/json+oembed' href=/oembed>
        <meta http-equiv=refresh content='0; url=/moved'></head>
        <a href=one>One <b>two</b></a><map><area href=/area alt='Ar&eacute;a'></map>
        <iframe src=/frame><a href=/not></iframe><form action=/search></form>
        <form action=/order method=post></form>
        <img src=/a.png data-src=/b.png srcset='/c.png 1x, /d.png 2x'>
        <picture><source srcset=/e.webp></picture><video src=/f.mp4></video>";
    assert_eq!(
        links(html),
        [
            "Alternate /de",
            "Pagination /shop/page?page=2",
            "Feed /feed",
            "Refresh /moved",
            "Anchor /shop/one One two",
            "Area /area Aréa",
            "Frame /frame",
            "Form /search",
            "Image /a.png",
            "Image /b.png",
            "Image /c.png",
            "Image /d.png",
            "Image /e.webp",
            "Media /f.mp4",
        ]
    );
    let limits = PageLimits { images: false, ..PageLimits::default() };
    let page = crate::read_page(html.as_bytes(), &UTF_8, &url("https://example.com/"), &limits);
    assert_eq!(page.links.len(), 8);
}

#[test]
fn links_are_deduplicated_by_url() {
    assert_eq!(
        links(
            "<a href=/a rel='nofollow noopener'><img src=/i></a><a href=/b rel=nofollow>B</a>
               <a href='HTTPS://example.com:443/a#x'>First</a><a href=/a>Second</a>
               <img src=/c><a href=/c><img alt='The C'></a>"
        ),
        ["Anchor /a First", "Image /i", "Anchor /b B nofollow", "Anchor /c The C"]
    );
}

#[test]
fn non_links_are_ignored() {
    let html = "<!-- <a href=/1> --><script>'<a href=/2>'</script><template><a href=/3></template>
        <style><a href=/4></style><textarea><a href=/5></textarea><title><a href=/6></title>
        <a href='mailto:a@b.c'>m</a><a href='javascript:x()'>j</a><a href=#top>t</a><a href>e</a>
        <a href='tel:1'>t</a><a href='data:text/html,x'>d</a><a href='http://[bad'>b</a><a href=/7";
    assert_eq!(links(html), [""; 0]);
    assert_eq!(links("<noscript><a href=/x>X</a></noscript>"), ["Anchor /x X"]);
}

#[test]
fn urls_are_resolved_against_the_base() {
    let expected = ["Anchor /other/a A"];
    assert_eq!(links("<base href=/other/><base href=/second/><a href=a>A</a>"), expected);
    assert_eq!(links("<a href=a>A</a><base href=/other/x>"), expected);
    assert_eq!(links("<a href=a>A</a><base href=deep/>"), ["Anchor /shop/deep/a A"]);
    assert_eq!(links("<base href='javascript:x'><a href=a>A</a>"), ["Anchor /shop/a A"]);
    let page = read("<link rel=canonical href=a><base href=/other/>");
    assert_eq!(page.canonical, Some(url("https://example.com/other/a")));
}

#[test]
fn anchor_text_ends_with_its_element() {
    assert_eq!(
        links("<a href=/a>A<a href=/b>B</a> outside <a href=/c>C<p>more"),
        ["Anchor /a A", "Anchor /b B", "Anchor /c C more"]
    );
    let long = format!("<a href=/a>{}</a>", "ü ".repeat(500));
    let page = read(&long);
    let anchor = page.anchor(&page.links[0]);
    assert!(anchor.len() <= 200 && anchor.ends_with('ü'));
}

#[test]
fn links_beyond_the_limit_are_dropped() {
    let html: String = (0..5_010).map(|n| format!("<a href=/{n}>")).collect();
    let page = read(&html);
    assert_eq!((page.links.len(), page.links_truncated), (5_000, true));
    assert!(!read("<a href=/1><a href=/1>").links_truncated);
}

#[test]
fn long_base_url_exhausts_the_url_budget() {
    let base = format!("<base href='/{}'>", "a/".repeat(900));
    let many = |links: u32| -> String { (0..links).map(|n| format!("<a href=./{n}>")).collect() };
    // The budget counts processed bytes: 1 MiB for a page of this size.
    let page = read(&format!("{base}{}", many(5_000)));
    assert!((400..600).contains(&page.links.len()), "{}", page.links.len());
    assert!(page.links_truncated);
    // Invalid URLs cost as much, because they would be unlimited otherwise.
    let page = read(&format!("{base}{}<a href=/last>", "<a href='//['>".repeat(20_000)));
    assert!(page.links.is_empty() && page.links_truncated);
    // A realistic page stays below the budget.
    let item = |n| format!("<li><a href='./item-{n}'>Item {n}</a></li>");
    let list: String = (0..5_000).map(item).collect();
    let page = read(&format!("<base href='/{}'>{list}", "a/".repeat(60)));
    assert_eq!((page.links.len(), page.links_truncated), (5_000, false));
    let page = read(&format!("{base}{}", many(300)));
    assert_eq!((page.links.len(), page.links_truncated), (300, false));
}

#[test]
fn content_hash_ignores_markup() {
    let plain = read("<p>Some text\n here</p>");
    let other = read("<!-- c --><div class=x><script>1</script>Some <b>text</b> here</div>");
    assert_eq!(plain.content_hash, other.content_hash);
    assert_eq!(plain.content_hash.len(), 16);
    assert_ne!(plain.content_hash, read("<p>Other text</p>").content_hash);
}

#[test]
fn robots_meta_of_other_crawlers_is_ignored() {
    assert!(!read("<meta name=googlebot content=noindex>").noindex);
    let page = read("<meta name=Trawl content=none>");
    assert!(page.noindex && page.nofollow);
}

#[test]
fn long_title_is_truncated_at_a_character_boundary() {
    let title = read(&format!("<title>{}", "€".repeat(1_000))).title.unwrap();
    assert_eq!(title, "€".repeat(341));
}

#[test]
fn hostile_pages_are_read_completely() {
    for piece in ["<a>", "<h1>", "&#", "&amp", "<a href=/x>", "x ", "<base href=/>", "<a href='"] {
        let _ = read(&piece.repeat(200_000 / piece.len()));
    }
    let size = 5_000_000;
    for piece in ["<<<<<<", "<a href="] {
        assert_eq!(read(&piece.repeat(size / piece.len())).links.len(), 0);
    }
    let huge = format!("<a href='{}'>x</a><img src='{}'", "a".repeat(size), "b".repeat(size));
    assert_eq!(read(&huge).links.len(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn read_never_panics_on_bytes(
        body: Vec<u8>,
        content_type: Option<String>,
        language: Option<String>,
        links: Vec<String>,
        robots: Vec<String>,
    ) {
        let page = url("https://example.com/");
        let head = PageHead {
            content_type: content_type.as_deref(),
            links: &links,
            robots: &robots,
            language: language.as_deref(),
        };
        let _ = crate::read_page(&body, &head, &page, &PageLimits::default());
    }

    #[test]
    fn read_never_panics_on_markup(html in "(<|>|/|a |href|=|\"|'|&|#|;|base|meta|h1|title|template|svg|script|--|!|[a-zü ]){0,60}") {
        let page = read(&html);
        prop_assert!(page.links.len() <= html.len());
    }
}
