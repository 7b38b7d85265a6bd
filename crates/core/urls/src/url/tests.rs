use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn spelled(text: &str) -> String {
    url(text).as_str().to_owned()
}

#[test]
fn spellings_of_one_url_are_equal() {
    for (given, kept) in [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:0443/a", "https://example.com/a"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2e%2E/c", "http://example.com/c"),
        ("http://example.com/%7euser/%2f", "http://example.com/~user/%2F"),
        ("http://example.com/a b|c", "http://example.com/a%20b%7Cc"),
        ("http://example.com/ü", "http://example.com/%C3%BC"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://example.com?", "http://example.com/"),
        ("http://example.com?b=2&a=1", "http://example.com/?a=1&b=2"),
        ("http://example.com/?a=2&b=1&a=1", "http://example.com/?a=2&a=1&b=1"),
        ("http://example.com/?&&a=1&", "http://example.com/?a=1"),
        ("http://example.com/?utm_source=x&UTM_Medium=y&gclid=1", "http://example.com/"),
        ("http://example.com/?utm%5Fsource=x&id=7", "http://example.com/?id=7"),
        ("http://example.com/a;jsessionid=1F.n2?b=1&PHPSESSID=x", "http://example.com/a?b=1"),
        ("http://example.com/?sid=0a1b2c3d4e5f60718293a4b5&t=7", "http://example.com/?t=7"),
        ("http://example.com/?q=it's", "http://example.com/?q=it%27s"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://ｅｘａｍｐｌｅ。com/", "http://example.com/"),
        ("http://exam\u{200b}ple.com/", "http://example.com/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("\n http://exa\tmple.com/a\n", "http://example.com/a"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("http:example.com/a", "http://example.com/a"),
        ("http://@example.com/", "http://example.com/"),
    ] {
        assert_eq!(spelled(given), kept, "{given}");
    }
}

#[test]
fn unfetchable_urls_are_rejected() {
    for (given, why) in [
        ("", UrlError::Syntax),
        ("/a", UrlError::Syntax),
        ("example.com", UrlError::Syntax),
        ("ftp://example.com/", UrlError::Scheme),
        ("javascript:alert(1)", UrlError::Scheme),
        ("mailto:a@example.com", UrlError::Scheme),
        ("http://user:pass@example.com/", UrlError::Credentials),
        ("http://user@example.com/", UrlError::Credentials),
        ("http://", UrlError::Host),
        ("http://exa mple.com/", UrlError::Host),
        ("http://a..b/", UrlError::Host),
        ("http://example.com../", UrlError::Host),
        ("http://ex!ample.com/", UrlError::Host),
        ("http://xn--0/", UrlError::Host),
        ("http://1.2.3.4.5/", UrlError::Host),
        ("http://example.com:0/", UrlError::Port),
        ("http://example.com:65536/", UrlError::Syntax),
    ] {
        assert_eq!(CanonicalUrl::parse(given), Err(why), "{given}");
    }
    let long = format!("http://example.com/{}", "a".repeat(2_048 - 19));
    assert_eq!(url(&long).as_str().len(), 2_048);
    assert_eq!(CanonicalUrl::parse(&format!("{long}a")), Err(UrlError::TooLong));
    assert_eq!(CanonicalUrl::parse(&"http://a/".repeat(5_000)), Err(UrlError::TooLong));
    let label = "a".repeat(64);
    assert_eq!(CanonicalUrl::parse(&format!("http://{label}.com/")), Err(UrlError::Host));
}

#[test]
fn parts_of_a_url_are_returned() {
    let url = url("https://www.example.com:8443/a/b?c=d");
    assert_eq!(url.scheme(), "https");
    assert_eq!(url.host(), "www.example.com");
    assert_eq!(url.bare_host(), "example.com");
    assert_eq!((url.port(), url.explicit_port()), (8443, Some(8443)));
    assert_eq!(url.path(), "/a/b");
    assert_eq!(url.query(), Some("c=d"));
    assert_eq!(url.path_and_query(), "/a/b?c=d");
    assert_eq!(url.origin(), "https://www.example.com:8443");
    assert_eq!(url.page_key(), "example.com:8443/a/b?c=d");
    assert_eq!(url.without_query().as_str(), "https://www.example.com:8443/a/b");
    assert_eq!(url.without_query().query(), None);
    assert_eq!(url.ip(), None);
    assert_eq!(super::CanonicalUrl::parse("http://[::1]:9/").unwrap().ip(), "::1".parse().ok());
    assert_eq!(self::url("http://www.com/").bare_host(), "www.com");
}

#[test]
fn references_are_resolved_against_their_page() {
    let page = url("https://example.com:8443/a/b/c?x=1");
    for (href, kept) in [
        ("d", "https://example.com:8443/a/b/d"),
        ("./d", "https://example.com:8443/a/b/d"),
        ("../d", "https://example.com:8443/a/d"),
        ("../../../../d", "https://example.com:8443/d"),
        ("/d?b&a", "https://example.com:8443/d?a&b"),
        ("?y=2", "https://example.com:8443/a/b/c?y=2"),
        ("?", "https://example.com:8443/a/b/c"),
        ("", "https://example.com:8443/a/b/c?x=1"),
        ("#top", "https://example.com:8443/a/b/c?x=1"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("https:d", "https://example.com:8443/a/b/d"),
        ("1:2", "https://example.com:8443/a/b/1:2"),
        ("\\d", "https://example.com:8443/d"),
        ("/a/.hidden", "https://example.com:8443/a/.hidden"),
    ] {
        assert_eq!(page.join(href).map(String::from).as_deref(), Ok(kept), "{href}");
    }
    for href in ["mailto:x@y.z", "javascript:void(0)", "data:text/html,x", "tel:1", "//", "///"] {
        assert!(page.join(href).is_err(), "{href}");
    }
}

#[test]
fn url_is_serialized_as_a_string() {
    let url = url("http://example.com/?a");
    let json = serde_json::to_string(&url).unwrap();
    assert_eq!(json, r#""http://example.com/?a""#);
    assert_eq!(serde_json::from_str::<CanonicalUrl>(&json).unwrap(), url);
    assert!(serde_json::from_str::<CanonicalUrl>(r#""ftp://x""#).is_err());
    let spelled_otherwise: CanonicalUrl =
        serde_json::from_str(r#""HTTP://EXAMPLE.com:80/?a#x""#).unwrap();
    assert_eq!(HashSet::from([url, spelled_otherwise]).len(), 1);
}

/// Texts that look like URLs, with everything odd mixed in.
fn odd() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("http://"),
        Just("https://"),
        Just("HTTP:"),
        Just("//"),
        Just("/"),
        Just("\\"),
        Just("."),
        Just(".."),
        Just("%2e"),
        Just("%2E"),
        Just("%"),
        Just("%41"),
        Just("%2f"),
        Just("?"),
        Just("&"),
        Just("="),
        Just("#"),
        Just("@"),
        Just(":"),
        Just(":80"),
        Just(":8080"),
        Just("a"),
        Just("b.c"),
        Just("example.com"),
        Just("www."),
        Just("xn--"),
        Just("1"),
        Just("0x7f"),
        Just("ü"),
        Just(" "),
        Just("\t"),
        Just("utm_x=1"),
        Just("'"),
        Just("|"),
        Just("["),
        Just("]"),
        Just("::1"),
        Just("\u{202e}"),
        Just("-"),
        Just("+"),
        Just(";"),
        Just(";jsessionid=1"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn slow_path(base: Option<&CanonicalUrl>, text: &str) -> Option<CanonicalUrl> {
    let text = trim_and_cut_fragment(text);
    let base = base.map(|base| Url::parse(base.as_str()).unwrap());
    let url = Url::options().base_url(base.as_ref()).parse(text).ok()?;
    CanonicalUrl::from_url(&url).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn canonical_url_parses_to_itself(text in odd(), host in prop::bool::ANY) {
        let text = if host { format!("https://example.com/{text}") } else { text };
        if let Ok(url) = CanonicalUrl::parse(&text) {
            let again = CanonicalUrl::parse(url.as_str()).unwrap();
            prop_assert_eq!(again.as_str(), url.as_str());
            prop_assert_eq!(again.path(), url.path());
            prop_assert_eq!(again.query(), url.query());
            prop_assert_eq!(again.host(), url.host());
            prop_assert_eq!(again.port(), url.port());
            let rebuilt = format!("{}{}", url.origin(), url.path_and_query());
            prop_assert_eq!(rebuilt.as_str(), url.as_str());
            prop_assert!(Url::parse(url.as_str()).is_ok());
            let kept = CanonicalUrl::kept(url.as_str()).unwrap();
            let parts = |url: &CanonicalUrl| (url.host_end, url.path_start, url.path_end, url.port);
            prop_assert_eq!(parts(&kept), parts(&url));
            prop_assert_eq!(kept, url);
        }
    }

    #[test]
    fn fast_path_and_slow_path_give_equal_urls(text in odd(), base in odd()) {
        prop_assert_eq!(CanonicalUrl::parse(&text).ok(), slow_path(None, &text));
        let base = url("https://www.example.com:8080/a/").join(&base);
        if let Ok(base) = base {
            prop_assert_eq!(base.join(&text).ok(), slow_path(Some(&base), &text), "{} on {}", text, base);
        }
    }

    #[test]
    fn arbitrary_text_does_not_panic(text: String, href: String) {
        let _ = CanonicalUrl::parse(&text);
        let _ = CanonicalUrl::kept(&text);
        let _ = CanonicalUrl::kept(&format!("http://{text}"));
        let _ = url("http://example.com/a").join(&href);
    }
}
