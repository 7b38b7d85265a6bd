//! Hostile sitemaps: entities, nesting, long lines, compression bombs.

use super::{SitemapError, SitemapLimits, gzip, place, read, try_read, urls};

#[test]
fn dtd_entities_are_not_expanded() {
    let mut laughs = String::from("<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a0 'ha'>\n");
    for n in 1..20 {
        let more = format!("&a{};", n - 1).repeat(10);
        laughs.push_str(&format!("<!ENTITY a{n} '{more}'>\n"));
    }
    laughs.push_str(
        "<!ENTITY file SYSTEM 'file:///etc/passwd'>]>\
         <urlset><url><loc>/x?&a19;</loc></url><url><loc>/y?&file;</loc></url></urlset>",
    );
    let file = read(laughs);
    assert_eq!(urls(&file), ["https://example.com/x?a19;", "https://example.com/y?file;"]);
}

#[test]
fn deep_nesting_takes_linear_time() {
    for tag in ["<url>", "<loc>", "<a>", "<image:image>"] {
        let file = read(format!("<urlset>{}", tag.repeat(300_000)));
        assert!(file.entries.is_empty(), "{tag}");
    }
    let open = "<url><loc>/a</loc></url>";
    let deep = format!("<urlset>{}{open}", "<x>".repeat(100_000));
    assert_eq!(read(deep).entries.len(), 1);
}

#[test]
fn ten_megabyte_line_is_read() {
    let much = "a".repeat(10 * 1024 * 1024);
    assert_eq!(try_read(&much), Err(SitemapError::NotSitemap));
    assert_eq!(try_read(format!("<{much}")), Err(SitemapError::NotSitemap));
    for body in [
        format!("<urlset><url><loc>/{much}</loc></url></urlset>"),
        format!("<urlset><url><loc>{}</loc></url></urlset>", "&#97;".repeat(2_000_000)),
        format!("<urlset><url {much}=''><loc x='{much}'></loc></url></urlset>"),
    ] {
        let file = read(body);
        assert_eq!((file.entries.len(), file.rejected), (0, 1));
    }
    let many = format!("<urlset>{}</urlset>", "<url><loc>/a</loc></url>".repeat(400_000));
    let file = read(many);
    assert_eq!((file.entries.len(), file.truncated), (50_000, true));
}

#[test]
fn decompression_bomb_stops_at_the_limit() {
    let limits = SitemapLimits { bytes: 1024 * 1024, ..SitemapLimits::default() };
    let bomb = gzip(&vec![b'\n'; 4 * 1024 * 1024]);
    let read = crate::read_sitemap(&bomb, None, &place(), &limits);
    assert_eq!(read, Err(SitemapError::Empty));
    let mut bomb = b"<urlset><url><loc>/a</loc></url>".to_vec();
    bomb.resize(4 * 1024 * 1024, b' ');
    let file = crate::read_sitemap(&gzip(&bomb), None, &place(), &limits).unwrap();
    assert_eq!((file.entries.len(), file.truncated), (1, true));
}

#[test]
fn resolved_relative_urls_are_limited_in_total() {
    let base = format!("https://example.com/{}/", "x".repeat(1_900));
    let base = urls::CanonicalUrl::parse(&base).unwrap();
    let limits = SitemapLimits { bytes: 1024 * 1024, ..SitemapLimits::default() };
    let entry = format!("<url><loc>/a</loc>{}</url>", "<image:loc>i</image:loc>".repeat(900));
    let body = format!("<urlset>{}</urlset>", entry.repeat(40));
    let file = crate::read_sitemap(body.as_bytes(), None, &base, &limits).unwrap();
    let kept: usize = file.entries.iter().flat_map(|entry| &entry.images).map(String::len).sum();
    assert!(kept <= limits.bytes && file.truncated);
}
