//! Valid, malformed and hostile sitemaps.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use document::SitemapKind;

mod hostile;
mod samples;

fn place() -> CanonicalUrl {
    CanonicalUrl::parse("https://example.com/maps/sitemap.xml").unwrap()
}

fn try_read(body: impl AsRef<[u8]>) -> Result<SitemapFile, SitemapError> {
    crate::read_sitemap(body.as_ref(), Some("application/xml"), &place(), &SitemapLimits::default())
}

#[track_caller]
fn read(body: impl AsRef<[u8]>) -> SitemapFile {
    try_read(body).unwrap()
}

fn urls(file: &SitemapFile) -> Vec<&str> {
    file.entries.iter().map(|entry| entry.url.as_str()).collect()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn urlset_fields_are_read() {
    let file = read(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <!-- by hand --><?xml-stylesheet href="x.xsl"?>
        <sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9">
          <sm:url><sm:loc>
             https://example.com/a?x=1&amp;y=2&#38;z=3 </sm:loc>
             <sm:lastmod>2024-05-01T10:00:00+00:00</sm:lastmod>
             <sm:changefreq>Weekly</sm:changefreq><sm:priority>.80</sm:priority></sm:url>
          <sm:url><sm:loc><![CDATA[/b?p=1&q=2]]></sm:loc><sm:lastmod>soon</sm:lastmod></sm:url>
          <sm:url><sm:loc>c.html</sm:loc><sm:loc>/second</sm:loc></sm:url>
          <sm:url><sm:loc>/d?a=1&b=2</sm:loc></sm:url>
          <sm:url><sm:loc>mailto:me@example.com</sm:loc></sm:url>
          <sm:url><sm:lastmod>2024</sm:lastmod></sm:url><sm:url/>
          <sm:url><sm:loc></sm:loc></sm:url>
        </sm:urlset> trailing"#,
    );
    assert_eq!((file.kind, file.truncated, file.rejected), (SitemapKind::UrlSet, false, 4));
    assert_eq!(
        urls(&file),
        [
            "https://example.com/a?x=1&y=2&z=3",
            "https://example.com/b?p=1&q=2",
            "https://example.com/maps/c.html",
            "https://example.com/d?a=1&b=2",
        ]
    );
    let first = &file.entries[0];
    assert_eq!(first.lastmod.as_deref(), Some("2024-05-01T10:00:00+00:00"));
    assert_eq!(first.changefreq.as_deref(), Some("weekly"));
    assert_eq!(first.priority.as_deref(), Some("0.8"));
    assert_eq!(file.entries[1].lastmod, None);
}

#[test]
fn truncated_file_gives_complete_entries() {
    let head = "<urlset><url><loc>/a</loc></url>";
    for rest in [
        "",
        "<url><loc>/b",
        "<url></loc></url>",
        "<url><loc>/b</lo",
        "</wrong>",
        "<url><!-- <loc>/b</loc>",
        "<url><loc><![CDATA[/b",
    ] {
        let file = read(format!("{head}{rest}"));
        assert_eq!(urls(&file), ["https://example.com/a"], "{rest}");
        assert!(file.truncated, "{rest}");
    }
    let file = read(format!("{head}<url><loc>/b</loc><lastmod>20"));
    assert_eq!(urls(&file).len(), 2, "an address that was whole counts");
    assert!(file.truncated);
}

#[test]
fn gzip_is_recognised_by_its_magic_bytes() {
    let plain = b"<urlset><url><loc>/a</loc></url></urlset>";
    let packed = gzip(plain);
    let file = crate::read_sitemap(&packed, Some("text/html"), &place(), &SitemapLimits::default())
        .unwrap();
    assert_eq!((file.entries.len(), file.truncated), (1, false));
    let lines: String = (0..2000).map(|n| format!("https://example.com/{}\n", n * n)).collect();
    let packed = gzip(lines.as_bytes());
    let file = read(&packed[..packed.len() / 2]);
    assert!(file.truncated && (100..2000).contains(&file.entries.len()));
    assert_eq!(try_read([0x1f, 0x8b, 1, 2, 3]), Err(SitemapError::Gzip));
}

#[test]
fn only_text_with_absolute_urls_is_a_sitemap() {
    let file =
        read("\u{feff}https://example.com/a\r\n\r\nHTTP://Example.com/b?utm_source=x\n c \n");
    assert_eq!(urls(&file), ["https://example.com/a", "http://example.com/b"]);
    assert_eq!((file.kind, file.rejected), (SitemapKind::Text, 1));
    let wide: Vec<u8> =
        "\u{feff}https://example.com/ü".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(urls(&read(wide)), ["https://example.com/%C3%BC"]);
    for other in [
        "User-agent: *\nDisallow:",
        "https://example.com/ is where we are",
        "{\"url\": \"https://example.com/\"}",
        "<!doctype html><html><body>https://example.com/</body></html>",
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "<",
        "<!-- ",
    ] {
        assert_eq!(try_read(other), Err(SitemapError::NotSitemap), "{other}");
    }
    assert_eq!(try_read(" \n"), Err(SitemapError::Empty));
    assert!(read("<urlset/>").entries.is_empty());
}

#[test]
fn sitemaps_in_other_charsets_are_decoded() {
    let body =
        b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>/\xfc</loc></url></urlset>";
    assert_eq!(urls(&read(body)), ["https://example.com/%C3%BC"]);
    let wide: Vec<u8> = "<urlset><url><loc>/ü</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert_eq!(urls(&read(wide)), ["https://example.com/%C3%BC"]);
}

#[test]
fn sitemap_limits_are_enforced() {
    let limits = SitemapLimits {
        bytes: 400,
        entries: 3,
        children: 2,
        extras: 2,
        ..SitemapLimits::default()
    };
    let read = |body: &[u8]| crate::read_sitemap(body, None, &place(), &limits).unwrap();
    let pages = format!("<urlset>{}</urlset>", "<url><loc>/a</loc></url>".repeat(5));
    let children =
        format!("<sitemapindex>{}</sitemapindex>", "<sitemap><loc>/a</loc></sitemap>".repeat(5));
    let lines = "https://example.com/\n".repeat(5);
    for (body, entries, children) in [(&pages, 3, 0), (&children, 0, 2), (&lines, 3, 0)] {
        for body in [body.as_bytes().to_vec(), gzip(body.as_bytes())] {
            let file = read(&body);
            assert_eq!((file.entries.len(), file.children.len()), (entries, children));
            assert!(file.truncated);
        }
    }
    let images = "<image:loc>/i</image:loc>".repeat(5);
    let file = read(format!("<urlset><url><loc>/</loc>{images}</url></urlset>").as_bytes());
    assert_eq!((file.entries[0].images.len(), file.truncated), (2, true));
    let long = format!("<urlset><url><loc>/ü{}</loc></url></urlset>", "x".repeat(500));
    for body in [long.as_bytes().to_vec(), gzip(long.as_bytes())] {
        assert!(read(&body).truncated);
    }
}

proptest! {
    #[test]
    fn read_never_panics_on_bytes(body: Vec<u8>, content_type: Option<String>) {
        let limits = SitemapLimits::default();
        let _ = crate::read_sitemap(&body, content_type.as_deref(), &place(), &limits);
        let _ = crate::read_sitemap(&gzip(&body), None, &place(), &limits);
    }

    #[test]
    fn read_never_panics_on_markup(
        pieces in proptest::collection::vec(
            prop::sample::select(vec![
                "<urlset>", "</urlset>", "<url>", "</url>", "<loc>", "</loc>", "<sitemap>",
                "<image:image>", "</image:image>", "<xhtml:link rel='alternate' hreflang='de' href='/d'/>",
                "/a", "&amp;", "&#0;", "&#xD800;", "&x;", "&", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>",
                "<!DOCTYPE a [", "]>", "<lastmod>", "</lastmod>", "2024-05-01", "ü", "<", ">", "\"", "<a b=",
                "<rss>", "<item>", "<link>", "</link>", "</item>", "<video:video>", "<priority>1",
            ]),
            0..40,
        ),
    ) {
        let body = format!("<urlset>{}", pieces.concat());
        let limits = SitemapLimits { entries: 4, extras: 2, ..SitemapLimits::default() };
        if let Ok(file) = crate::read_sitemap(body.as_bytes(), None, &place(), &limits) {
            prop_assert!(file.entries.len() <= 4);
            prop_assert!(file.entries.iter().all(|entry| entry.images.len() <= 2));
        }
    }
}
