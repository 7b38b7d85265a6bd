use proptest::prelude::*;

use super::*;

mod published;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("https://example.com{path}")).unwrap()
}

fn robots(text: &str) -> Robots {
    Robots::parse(text.as_bytes(), "Trawl")
}

fn allows(text: &str, path: &str) -> bool {
    robots(text).allows(&url(path))
}

/// Whether a single rule forbids a path.
fn fits(pattern: &str, path: &str) -> bool {
    !allows(&format!("user-agent: *\ndisallow: {pattern}"), path)
}

#[test]
fn without_rules_everything_is_allowed() {
    for text in ["", "user-agent: *", "user-agent: *\ndisallow:", "disallow: /", "nonsense\n:\n::"]
    {
        assert!(allows(text, "/a"), "{text}");
    }
    assert!(Robots::allow_all().allows(&url("/")));
    assert!(!Robots::disallow_all().allows(&url("/")));
    assert!(Robots::disallow_all().allows(&url("/robots.txt")));
}

#[test]
fn group_of_the_agent_wins_over_the_wildcard_group() {
    let text = "user-agent: *\ndisallow: /\nuser-agent: trawl\ndisallow: /x\n";
    assert!(allows(text, "/a"));
    assert!(!allows(text, "/x/y"));
    // Even if it is empty.
    assert!(allows("user-agent: *\ndisallow: /\n\nuser-agent: Trawl\n", "/a"));
    // Groups of other agents are ignored.
    assert!(allows("user-agent: other\ndisallow: /", "/a"));
    assert!(allows("user-agent: trawler\ndisallow: /", "/a"));
    for name in ["TRAWL", "Trawl/2.1 (+https://x)", "trawl *"] {
        assert!(!allows(&format!("user-agent: {name}\ndisallow: /"), "/a"), "{name}");
    }
    for name in ["*", "* foo"] {
        assert!(!allows(&format!("user-agent: {name}\ndisallow: /"), "/a"), "{name}");
    }
    assert!(allows("user-agent: *foo\ndisallow: /", "/a"));
}

#[test]
fn groups_of_one_agent_are_merged() {
    let text = "user-agent: trawl\ndisallow: /a\n\nuser-agent: b\ndisallow: /\n\n\
                user-agent: c\nuser-agent: trawl\ndisallow: /d\n";
    assert!(!allows(text, "/a") && !allows(text, "/d") && allows(text, "/e"));
    // Blank and unknown lines do not separate agents from their rules.
    let text = "user-agent: trawl\n\nsitemap: https://example.com/s.xml\nfoo: bar\nuser-agent: b\ndisallow: /a";
    assert!(!allows(text, "/a"));
}

#[test]
fn lines_are_parsed_leniently() {
    for text in [
        "USER-AGENT: *\r\nDISALLOW: /a\r\n",
        "user-agent: *\rdisallow: /a\r",
        "\u{feff}user-agent: *\ndisallow: /a",
        "  user-agent :\t* # all\n\tdisallow:/a#b",
        "user-agent *\ndisallow /a",
        "useragent: *\ndisalow: /a",
        "user-agent: *\n\n\ndisallow: /a",
    ] {
        assert!(!allows(text, "/a/b"), "{text:?}");
        assert!(allows(text, "/b"), "{text:?}");
    }
    assert!(allows("user-agent: *\ndisallow / a b", "/a"));
}

#[test]
fn longest_pattern_wins() {
    let group = |rules: &str| format!("user-agent: *\n{rules}");
    for (rules, path, allowed) in [
        ("allow: /p\ndisallow: /", "/page", true),
        ("disallow: /\nallow: /p", "/page", true),
        ("allow: /folder\ndisallow: /folder", "/folder/page", true),
        ("allow: /page\ndisallow: /*.htm", "/page.htm", false),
        ("allow: /page\ndisallow: /*.ph", "/page.php5", true),
        ("allow: /$\ndisallow: /", "/", true),
        ("allow: /$\ndisallow: /", "/page.htm", false),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", true),
        ("allow: /x/page.html\ndisallow: /x/", "/x/", false),
        ("disallow: /\nallow: /s/index.html", "/s/", true),
        ("disallow: /\nallow: /s/index.html", "/s/other", false),
        ("disallow: /\nallow: /s/index.html", "/s/index.html", true),
        ("disallow: /X/", "/x/y", true),
    ] {
        assert_eq!(allows(&group(rules), path), allowed, "{rules} {path}");
    }
}

#[test]
fn patterns_match_as_in_rfc_9309() {
    for (pattern, fitting, other) in [
        (
            "/fish",
            &["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=anything"][..],
            &["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"][..],
        ),
        ("/fish*", &["/fish", "/fishheads/yummy.html"], &["/Fish.asp", "/catfish"]),
        (
            "/fish/",
            &["/fish/", "/fish/?id=anything", "/fish/salmon.htm"],
            &["/fish", "/fish.html", "/animals/fish"],
        ),
        (
            "/*.php",
            &[
                "/index.php",
                "/filename.php",
                "/folder/any.php.file.html",
                "/filename.php/",
                "/filename.php?parameters",
            ],
            &["/", "/windows.PHP"],
        ),
        (
            "/*.php$",
            &["/filename.php", "/folder/filename.php"],
            &["/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP"],
        ),
        ("/fish*.php", &["/fish.php", "/fishheads/catfish.php?parameters"], &["/Fish.PHP"]),
        ("*/private", &["/private", "/a/private/b"], &["/privat"]),
        ("/*?sort=", &["/a?sort=1", "/?sort="], &["/a/sort"]),
        ("/$a", &["/$ab"], &["/", "/a"]),
        ("/a$$", &["/a$"], &["/a", "/ab", "/a$b"]),
        ("/a*$", &["/a", "/abc"], &["/b"]),
        ("/a**b", &["/ab", "/axxb"], &["/a"]),
        ("/ab*ba$", &["/abba", "/ab-ba"], &["/aba"]),
    ] {
        for path in fitting {
            assert!(fits(pattern, path), "{pattern} {path}");
        }
        for path in other {
            assert!(!fits(pattern, path), "{pattern} {path}");
        }
    }
}

#[test]
fn percent_encodings_are_equivalent() {
    for (pattern, path) in [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/a-%2A.html", "/a-*.html"),
        ("/a-%2a.html", "/a-%2A.html"),
        ("/%24a", "/$a"),
        ("/it's", "/it's"),
    ] {
        assert!(fits(pattern, path), "{pattern} {path}");
    }
    assert!(!fits("/a-%2A.html", "/a-b.html"));
    assert!(!Robots::parse(b"user-agent: *\ndisallow: /\xff", "Trawl").allows(&url("/%FF")));
}

#[test]
fn crawl_delay_and_sitemaps_are_read() {
    let robots = robots(
        "Sitemap: https://example.com/a.xml\nuser-agent: other\ncrawl-delay: 99\ndisallow: /\n\n\
         user-agent: trawl\nCrawl-Delay: 1.5\nsitemap: /b.xml\nsitemap: /b.xml\n",
    );
    assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(1_500)));
    assert_eq!(robots.sitemaps(), ["https://example.com/a.xml", "/b.xml"]);
    for odd in ["-1", "nan", "inf", "x", ""] {
        let text = format!("user-agent: *\ncrawl-delay: {odd}");
        assert_eq!(self::robots(&text).crawl_delay(), None, "{odd}");
    }
    let endless = self::robots("user-agent: *\ncrawl-delay: 1e300");
    assert_eq!(endless.crawl_delay(), Some(Duration::from_secs(86_400)));
}

#[test]
fn file_is_read_up_to_its_limit() {
    let mut text = String::from("user-agent: *\ndisallow: /first\n");
    while text.len() < Robots::MAX_BYTES - 8 {
        text.push_str("#######\n");
    }
    text.push_str("disallow: /a-name-that-the-limit-cuts\ndisallow: /last\n");
    assert!(!allows(&text, "/first") && allows(&text, "/a") && allows(&text, "/last"));
}

#[test]
fn hostile_patterns_match_in_linear_time() {
    let pattern = format!("/{}b", "a*".repeat(2_000));
    let path = format!("/{}", "a".repeat(2_000));
    let text = format!("user-agent: *\ndisallow: {pattern}\n").repeat(100);
    assert!(allows(&text, &path));
    let text = "user-agent: *\n".to_owned() + &"disallow: /*&*&*&*&*&*&*&*b$\n".repeat(10_000);
    let members = (0..40).map(|n| format!("a{n}={n}")).collect::<Vec<_>>().join("&");
    assert!(allows(&text, &format!("/?{members}")));
}

#[test]
fn rules_are_serialized() {
    let robots = robots("user-agent: *\ndisallow: /a\nallow: /a/b$\ncrawl-delay: 2\nsitemap: /s");
    let json = serde_json::to_string(&robots).unwrap();
    assert_eq!(serde_json::from_str::<Robots>(&json).unwrap(), robots);
}

/// Reference implementation by backtracking.
fn fits_by_trial(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((b'$', [])) => path.is_empty(),
        Some((b'*', rest)) => (0..=path.len()).any(|at| fits_by_trial(rest, &path[at..])),
        Some((byte, rest)) => path.first() == Some(byte) && fits_by_trial(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn matching_equals_the_reference_implementation(pattern in "/[ab*]{0,8}\\$?", path in "/[ab]{0,10}") {
        prop_assert_eq!(fits(&pattern, &path), fits_by_trial(pattern.as_bytes(), path.as_bytes()));
    }

    #[test]
    fn arbitrary_file_does_not_panic(body: Vec<u8>, path: String) {
        let robots = Robots::parse(&body, "Trawl");
        if let Ok(url) = CanonicalUrl::parse(&format!("http://a.b/{path}")) {
            let _ = robots.allows(&url);
        }
    }
}
