//! Data from headers, and the precedence of the document.

use urls::CanonicalUrl;

use crate::{LinkKind, Page, PageHead, PageLimits};

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn read(html: &str, head: &PageHead<'_>) -> Page {
    let page = url("https://example.com/shop/page");
    crate::read_page(html.as_bytes(), head, &page, &PageLimits::default())
}

fn with_links(links: &[&str], html: &str) -> Page {
    let links: Vec<String> = links.iter().map(|link| (*link).to_owned()).collect();
    read(html, &PageHead { links: &links, ..PageHead::default() })
}

fn seen(page: &Page) -> Vec<(LinkKind, &str)> {
    let short = |url: &'_ CanonicalUrl| url.as_str().len().min("https://example.com".len());
    page.links.iter().map(|link| (link.kind, &link.url.as_str()[short(&link.url)..])).collect()
}

fn alternates(page: &Page) -> Vec<(&str, &str)> {
    let list = page.alternates.iter();
    list.map(|(tag, url)| (tag.as_str(), url.path_and_query())).collect()
}

#[test]
fn link_headers_become_links() {
    let page = with_links(
        &[
            "</de>; rel=alternate; hreflang=de, </p/2>; rel=\"next nofollow\"",
            "<?page=0>; rel=prev, </feed>; rel=alternate; type=\"application/rss+xml\"",
            "</shop/page?utm_source=x>; rel=canonical",
            "</style.css>; rel=preload; as=style, <https://cdn.example>; rel=preconnect",
            "</wp-json/>; rel=\"https://api.w.org/\", </x.json>; rel=alternate; type=application/json",
            "</print>; rev=alternate, <#part>; rel=next, <>; rel=next, <mailto:a@b.c>; rel=next",
        ],
        "<a href=/p/2>two</a><a href=/a>A</a>",
    );
    use LinkKind::{Alternate, Anchor, Canonical, Feed, Pagination};
    let expected = [
        (Alternate, "/de"),
        (Anchor, "/p/2"),
        (Pagination, "/shop/page?page=0"),
        (Feed, "/feed"),
        (Canonical, "/shop/page"),
        (Anchor, "/a"),
    ];
    assert_eq!(seen(&page), expected);
    assert_eq!(page.anchor(&page.links[1]), "two");
    assert_eq!(page.canonical, Some(url("https://example.com/shop/page")));
    assert_eq!(alternates(&page), [("de", "/de")]);
}

#[test]
fn document_canonical_takes_precedence_over_header() {
    let header = ["</of-head>; rel=canonical", "</second>; rel=canonical"];
    let canonical = |html: &str| with_links(&header, html).canonical.unwrap();
    assert_eq!(canonical("<p>x"), url("https://example.com/of-head"));
    assert_eq!(canonical("<link rel=canonical href=/own>"), url("https://example.com/own"));
    // An invalid canonical is ignored.
    let unusable = "<link rel=canonical href='mailto:a@b.c'>";
    assert_eq!(canonical(unusable), url("https://example.com/of-head"));
}

#[test]
fn link_headers_with_another_anchor_are_ignored() {
    for (anchor, ours) in [
        ("", true),
        ("/shop/page", true),
        ("page", true),
        ("https://example.com/shop/page", true),
        ("/other", false),
        ("#part", false),
        ("https://example.org/shop/page", false),
        ("urn:x", false),
    ] {
        let page = with_links(&[&format!("</a>; anchor=\"{anchor}\"; rel=next")], "");
        assert_eq!(page.links.len(), usize::from(ours), "{anchor}");
    }
}

#[test]
fn link_headers_ignore_the_document_base() {
    for html in ["<base href=/other/><a href=b>", "<a href=b><base href=/other/>"] {
        let page = with_links(&["<a>; rel=next, <c>; rel=alternate; hreflang=fr"], html);
        let expected = [
            (LinkKind::Pagination, "/shop/a"),
            (LinkKind::Alternate, "/shop/c"),
            (LinkKind::Anchor, "/other/b"),
        ];
        assert_eq!(seen(&page), expected, "{html}");
        assert_eq!(alternates(&page), [("fr", "/shop/c")], "{html}");
    }
}

#[test]
fn alternates_are_merged_from_headers_and_document() {
    let page = with_links(
        &["</v>; rel=alternate; hreflang=en; hreflang=en-gb", "</v>; rel=alternate; hreflang=EN"],
        "<base href=/b/><link rel=alternate hreflang=DE-at href=v>
         <link rel='ALTERNATE' hreflang=x-default href=/v><link rel=alternate hreflang=en href=/v>
         <link rel=alternate hreflang=nonsense href=/v><link rel=alternate hreflang=fr href=''>
         <link rel='canonical alternate' hreflang=it href=/it><link rel=next hreflang=es href=/2>
         <link rel=alternate hreflang=pt type=application/atom+xml href=/atom>
         <link rel='alternate stylesheet' hreflang=nl href=/s><link rel=alternate href=/m>
         <!-- <link rel=alternate hreflang=ru href=/ru> --><a hreflang=ja href=/ja>",
    );
    let expected =
        [("en", "/v"), ("en-GB", "/v"), ("de-AT", "/b/v"), ("x-default", "/v"), ("it", "/it")];
    assert_eq!(alternates(&page), expected);
}

#[test]
fn robots_directives_of_headers_and_document_are_merged() {
    let robots = ["googlebot: noindex".to_owned(), "nofollow".to_owned()];
    let head = PageHead { robots: &robots, ..PageHead::default() };
    let page = read("<p>x", &head);
    assert_eq!((page.noindex, page.nofollow), (false, true));
    let page = read("<meta name=robots content='noindex, follow'>", &head);
    assert_eq!((page.noindex, page.nofollow), (true, true));
}

#[test]
fn document_language_takes_precedence_over_header() {
    for (header, html, language) in [
        ("de-AT", "<p>x", Some("de-AT")),
        (" de ", "<html><p>x", Some("de")),
        ("de,", "<p>x", Some("de")),
        ("de", "<html lang=fr>", Some("fr")),
        ("de", "<html lang=''>", Some("de")),
        ("de", "<html lang='no such thing'>", Some("de")),
        ("de, en", "<p>x", None),
        ("", "<p>x", None),
        ("ü", "<p>x", None),
        ("de, en", "<html lang=fr>", Some("fr")),
    ] {
        let page = read(html, &PageHead { language: Some(header), ..PageHead::default() });
        assert_eq!(page.language.as_deref(), language, "{header} {html}");
    }
}
