//! The published test cases of Google's parser and of RFC 9309, rewritten. Differences are explained at the
//! case.

use super::{allows, url};
use crate::Robots;

/// A file, an agent, and its allowed and forbidden paths.
struct Case {
    file: &'static str,
    agent: &'static str,
    may: &'static [&'static str],
    may_not: &'static [&'static str],
}

fn check(cases: &[Case]) {
    for Case { file, agent, may, may_not } in cases {
        let robots = Robots::parse(file.as_bytes(), agent);
        for (paths, allowed) in [(may, true), (may_not, false)] {
            for path in *paths {
                assert_eq!(robots.allows(&url(path)), allowed, "{agent} {path}\n{file}");
            }
        }
    }
}

#[test]
fn lines_are_split_into_key_and_value() {
    check(&[
        Case { file: "", agent: "Lark", may: &["/", "/a"], may_not: &[] },
        Case {
            file: "user-agent: Lark\ndisallow: /",
            agent: "Lark",
            may: &[],
            may_not: &["/", "/a/b"],
        },
        Case { file: "user-agent: Lark\ndisallow: /", agent: "Wren", may: &["/"], may_not: &[] },
        Case { file: "name: Lark\nrule: /", agent: "Lark", may: &["/a/b"], may_not: &[] },
        // A missing colon is accepted.
        Case { file: "user-agent Lark\ndisallow /", agent: "Lark", may: &[], may_not: &["/a/b"] },
        Case {
            file: "user-agent\tLark\ndisallow \t /",
            agent: "Lark",
            may: &[],
            may_not: &["/a/b"],
        },
        Case {
            file: "user-agent: Lark\ndisallow / or so",
            agent: "Lark",
            may: &["/"],
            may_not: &[],
        },
        // In any case, and with common typos.
        Case {
            file: "USER-AGENT: Lark\nALLOW: /x/\nDISALLOW: /",
            agent: "Lark",
            may: &["/x/y"],
            may_not: &["/a"],
        },
        Case {
            file: "uSeR-aGeNt: Lark\nAlLoW: /x/\ndIsAlLoW: /",
            agent: "Lark",
            may: &["/x/y"],
            may_not: &["/a"],
        },
        Case {
            file: "useragent: Lark\ndissallow: /a\ndisalow: /b",
            agent: "Lark",
            may: &["/c"],
            may_not: &["/a", "/b"],
        },
        Case {
            file: "user agent: Lark\ndisallaw: /a\ndiasllow: /b",
            agent: "Lark",
            may: &["/c"],
            may_not: &["/a", "/b"],
        },
        Case {
            file: "user-agents: Lark\ndisallowed: /a",
            agent: "Lark",
            may: &["/c"],
            may_not: &["/a"],
        },
        Case {
            file: "user-agent: Lark\n# disallow: /\ndisallow: /a/b#c\nallow: /",
            agent: "Lark",
            may: &["/a/c"],
            may_not: &["/a/b", "/a/bx"],
        },
    ]);
}

#[test]
fn groups_apply_to_their_agents() {
    let file = "allow: /lost/\n\nuser-agent: Lark\ndisallow: /\nallow: /x/\nuser-agent: Wren\n\
                disallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: Crow\n\nuser-agent: Lark\n\
                allow: /z/\ndisallow: /\n";
    check(&[
        // Groups of one agent are merged, and a rule outside of groups is ignored.
        Case { file, agent: "Lark", may: &["/x/b", "/z/d"], may_not: &["/y/c", "/w/a", "/lost/"] },
        Case { file, agent: "Wren", may: &["/y/c", "/w/a"], may_not: &["/z/d", "/lost/"] },
        Case { file, agent: "Crow", may: &["/z/d"], may_not: &["/x/b", "/lost/"] },
        Case { file, agent: "Robin", may: &["/a", "/lost/"], may_not: &[] },
    ]);
    // Other lines do not separate two agents.
    for other in ["sitemap: https://example.com/s.xml", "noindex: /a", "crawl-delay: 2"] {
        let file = format!("user-agent: Lark\n{other}\nuser-agent: *\ndisallow: /\n");
        for agent in ["Lark", "Wren"] {
            assert!(!Robots::parse(file.as_bytes(), agent).allows(&url("/")), "{agent} {file}");
        }
    }
}

#[test]
fn agents_match_by_product_token() {
    for name in ["LARK", "lark", "LaRk song", "lark/2.1", "Lark*"] {
        let file =
            format!("user-agent: *\ndisallow: /\nuser-agent: {name}\nallow: /x/\ndisallow: /y/");
        for agent in ["Lark", "lark"] {
            let robots = Robots::parse(file.as_bytes(), agent);
            assert!(robots.allows(&url("/x/y")) && robots.allows(&url("/a")), "{name}");
            assert!(!robots.allows(&url("/y/")), "{name}");
        }
    }
    check(&[
        // Neither a prefix of the token nor a longer one matches.
        Case {
            file: "user-agent: Lark-Song\ndisallow: /",
            agent: "Lark",
            may: &["/"],
            may_not: &[],
        },
        Case {
            file: "user-agent: Lark\ndisallow: /",
            agent: "Lark-Song",
            may: &["/"],
            may_not: &[],
        },
        Case { file: "user-agent:\ndisallow: /", agent: "Lark", may: &["/"], may_not: &[] },
        Case { file: "user-agent: ツ\ndisallow: /", agent: "Lark", may: &["/"], may_not: &[] },
        // The wildcard group applies to agents without their own group.
        Case {
            file: "user-agent: *\nallow: /\nuser-agent: Lark\ndisallow: /",
            agent: "Lark",
            may: &[],
            may_not: &["/a"],
        },
        Case {
            file: "user-agent: *\nallow: /\nuser-agent: Lark\ndisallow: /",
            agent: "Wren",
            may: &["/a"],
            may_not: &[],
        },
        Case {
            file: "user-agent: *\ndisallow: /x/\nuser-agent: Lark\ndisallow: /y/",
            agent: "Lark",
            may: &["/x/a"],
            may_not: &["/y/a"],
        },
        Case {
            file: "user-agent: Lark\nallow: /\nuser-agent: Wren\ndisallow: /",
            agent: "Crow",
            may: &["/a"],
            may_not: &[],
        },
    ]);
}

#[test]
fn longest_rule_wins_and_allow_wins_a_tie() {
    for (rules, may, may_not) in [
        ("disallow: /x/page.html\nallow: /x/", &["/x/a"][..], &["/x/page.html"][..]),
        ("allow: /x/page.html\ndisallow: /x/", &["/x/page.html"], &["/x/"]),
        ("disallow:\nallow:", &["/x"], &[]),
        ("disallow:", &["/x"], &[]),
        ("disallow: /\nallow: /", &["/x"], &[]),
        ("disallow: /x\nallow: /x/", &["/x/"], &["/x"]),
        ("disallow: /x/page.html\nallow: /x/page.html", &["/x/page.html"], &[]),
        ("allow: /page\ndisallow: /*.html", &["/page"], &["/page.html"]),
        ("allow: /x/page.\ndisallow: /*.html", &["/x/page.html"], &["/x/y.html"]),
        ("allow: /p\ndisallow: /", &["/page"], &["/"]),
        ("allow: /folder\ndisallow: /folder", &["/folder/page"], &[]),
        ("allow: /page\ndisallow: /*.htm", &[], &["/page.htm"]),
        ("allow: /$\ndisallow: /", &["/"], &["/page.htm"]),
        ("disallow: /x/", &["/X/y", "/x"], &["/x/y"]),
        ("disallow: x/", &["/x/y"], &[]),
        // An allowed index file allows its folder, but nothing else in it.
        (
            "allow: /s/index.html\ndisallow: /",
            &["/s/", "/s/index.html"],
            &["/s/index.htm", "/s", "/a"],
        ),
        ("allow: /s/index.htm\ndisallow: /", &["/s/", "/s/index.htm", "/s/index.html"], &["/s/a"]),
        ("disallow: /s/index.html", &["/s/"], &["/s/index.html"]),
    ] {
        let file = format!("user-agent: *\n{rules}");
        for (paths, allowed) in [(may, true), (may_not, false)] {
            for path in paths {
                assert_eq!(allows(&file, path), allowed, "{path}\n{file}");
            }
        }
    }
}

#[test]
fn wildcard_and_end_anchor_match() {
    for (rules, may, may_not) in [
        (
            "disallow: /foo/bar/quz\nallow: /foo/*/qux",
            &["/foo/quz", "/foo//quz", "/foo/bax/quz"][..],
            &["/foo/bar/quz"][..],
        ),
        (
            "disallow: /foo/bar$\nallow: /foo/bar/qux",
            &["/foo/bar/qux", "/foo/bar/", "/foo/bar/baz"],
            &["/foo/bar"],
        ),
        (
            "disallow: /\nallow: /*.php",
            &["/a.php", "/b/a.php", "/b/a.php?c", "//b/any.php.html", "/a.php/", "/i?f=a.php/"],
            &["/php/", "/i?php", "/a.PHP", "/bar"],
        ),
        (
            "disallow: /\nallow: /*.php$",
            &["/a.php", "/b/a.php"],
            &["/a.php?c", "/a.php/", "/a.php5", "/php/", "/a?php", "/aphpa", "//a.PHP"],
        ),
        ("disallow: /\nallow: /fish*.php", &["/fish.php", "/fishes/cat.php?c"], &["/Fish.PHP"]),
        (
            "disallow: /\nallow: /fish/",
            &["/fish/", "/fish/salmon", "/fish/?salmon", "/fish/?id=a"],
            &["/fish", "/fish.html", "/Fish/Salmon.html"],
        ),
    ] {
        let file = format!("user-agent: *\n{rules}");
        for (paths, allowed) in [(may, true), (may_not, false)] {
            for path in paths {
                assert_eq!(allows(&file, path), allowed, "{path}\n{file}");
            }
        }
    }
}

/// Google's parser leaves the normalisation of URLs to its caller: for it, `%62` is not `b`. RFC 9309
/// (2.2.2) normalises both sides first, and so do we.
#[test]
fn percent_encoding_is_normalised_before_matching() {
    for (rule, path) in [
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/ツ", "/foo/bar/ツ"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A"),
        ("/SanJosé", "/SanJos%c3%a9"),
        ("/a%2fb", "/a%2Fb"),
        ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar"),
    ] {
        let file = format!("user-agent: *\ndisallow: /\nallow: {rule}");
        assert!(allows(&file, path), "{rule} {path}");
    }
    assert!(allows("user-agent: *\ndisallow: /a%2Fb", "/a/b"));
}

/// The query parameters of canonical URLs are sorted; those of the site's rules are not.
#[test]
fn query_parameters_match_in_any_order() {
    for (rule, fitting, other) in [
        (
            "/foo/bar?qux=taz&baz=http://foo.bar?tar&par",
            &[
                "/foo/bar?qux=taz&baz=http://foo.bar?tar&par",
                "/foo/bar?par=1&qux=taz&baz=http://foo.bar?tar",
            ][..],
            &["/foo/bar?qux=taz&par", "/foo/bar?qux=tazz&baz=http://foo.bar?tar&par", "/foo?par"][..],
        ),
        (
            "/*&sort=",
            &["/a?zid=1&sort=2", "/a?sort=2&zid=1", "/a?id=1&sort=2"],
            &["/a?sort=1", "/a?id=1&resort=2"],
        ),
        ("/*?sort=*&dir=", &["/a?sort=x&dir=y", "/a?dir=y&sort=x&z"], &["/a?dir=y&z=1"]),
        ("/a?z=1&b=2$", &["/a?z=1&b=2"], &["/a?z=1&b=23", "/b?z=1&b=2"]),
        ("/a&b", &["/a&b?c&d"], &["/a?b&c"]),
    ] {
        let file = format!("user-agent: *\ndisallow: {rule}");
        for path in fitting {
            assert!(!allows(&file, path), "{rule} {path}");
        }
        for path in other {
            assert!(allows(&file, path), "{rule} {path}");
        }
    }
}

#[test]
fn line_ends_and_byte_order_marks_are_handled() {
    for end in ["\n", "\r\n", "\r", "\n\r\n"] {
        let file = ["user-agent: a", "allow: /x", "user-agent: *", "", "", "disallow: /"].join(end);
        for file in [file.clone(), format!("{file}{end}")] {
            assert!(!allows(&file, "/a"), "{file:?}");
        }
    }
    let with_mark = |mark: &[u8]| [mark, b"user-agent: *\ndisallow: /"].concat();
    for (mark, read) in [
        (&b"\xef\xbb\xbf"[..], true),
        // Truncated marks are skipped as well; other bytes change the line.
        (b"\xef\xbb", true),
        (b"\xef", true),
        (b"\xef\x11\xbf", false),
        (b"\xbb\xbf", false),
    ] {
        let robots = Robots::parse(&with_mark(mark), "Lark");
        assert_eq!(!robots.allows(&url("/a")), read, "{mark:?}");
    }
    // Only at the beginning of the file.
    assert!(allows("user-agent: *\n\u{feff}disallow: /", "/a"));
}

/// Google truncates lines after 16,664 bytes. We read them whole: no canonical URL is long enough to make a
/// difference.
#[test]
fn long_lines_are_read_whole() {
    let long = "a".repeat(20_000);
    let file = format!("user-agent: *\ndisallow: /x/{long}/y\ndisallow: /z/*{long}\nallow: /w");
    assert!(allows(&file, "/x/") && allows(&file, "/z/") && allows(&file, "/fux"));
    let padded = format!("user-agent: *\ndisallow: /x {}# end\n", " ".repeat(20_000));
    assert!(!allows(&padded, "/x"));
}

#[test]
fn sitemaps_are_read_anywhere_in_the_file() {
    let line = "sitemap: https://example.com/s.xml\n";
    let group = "user-agent: a\nallow: /x\nuser-agent: b\n\n";
    for file in
        [format!("{line}{group}"), format!("{group}{line}"), format!("SITE-MAP{}", &line[7..])]
    {
        let robots = Robots::parse(file.as_bytes(), "Lark");
        assert_eq!(robots.sitemaps(), ["https://example.com/s.xml"], "{file}");
    }
    // Without its colon, that of the scheme is used; the rest is still a URL reference.
    let robots = Robots::parse(b"Sitemap https://example.com/s.xml", "Lark");
    assert_eq!(robots.sitemaps(), ["//example.com/s.xml"]);
}

/// Google's matcher has no exception; RFC 9309 (2.2.2) always allows the file itself.
#[test]
fn robots_txt_itself_is_always_allowed() {
    assert!(allows("user-agent: *\ndisallow: /", "/robots.txt"));
}
