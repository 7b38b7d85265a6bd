//! JavaScript shells of common frameworks, and pages that resemble them.

use crawl::{BodyNeed, ExtractRequest, FetchTask, FetchVia, Purpose, ResponseHead};
use journal::UrlId;
use urls::CanonicalUrl;

use super::*;
use crate::{PageHead, PageLimits};

fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://app.lab.test/").expect("an address")
}

fn shell(html: &str) -> Option<Shell> {
    let page =
        crate::read_page(html.as_bytes(), &PageHead::default(), &url(), &PageLimits::default());
    Shell::of(&page, html.as_bytes())
}

/// Shells of several frameworks.
const SHELLS: &[(&str, &str)] = &[
    (
        "a mount, a bundle and a message",
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Shop</title>\
         <link rel=icon href=/favicon.ico><script defer src=/static/js/main.3f2a.js></script>\
         <link href=/static/css/main.css rel=stylesheet></head><body>\
         <noscript>You need to enable JavaScript to run this app.</noscript>\
         <div id=root></div></body></html>",
    ),
    (
        "modules and a mount",
        "<!doctype html><html><head><title>App</title><script type=module crossorigin \
         src=/assets/index-a1b2.js></script><link rel=modulepreload href=/assets/vendor-c3d4.js>\
         </head><body><div id=app></div></body></html>",
    ),
    (
        "a custom element with a word",
        "<!doctype html><html><head><title>Portal</title><base href=/></head><body>\
         <app-root><span>Loading…</span></app-root><script src=runtime.js type=module></script>\
         <script src=main.js type=module></script></body></html>",
    ),
    (
        "a spinner in the mount",
        "<body><div id=main><div class=spinner><div></div><div></div></div></div>\
         <script src=/bundle.js></script></body>",
    ),
    (
        "a state in the page that no script has shown yet",
        "<body><div id=__app></div><script id=state type=application/json>{\"items\":[\"many words \
         that no reader sees before the script has run, and even more of them\"]}</script>\
         <script src=/chunk.js async></script></body>",
    ),
    ("nothing but a script that writes", "<script>document.write('<h1>All of it</h1>')</script>"),
    ("nothing but a module", "<title>x</title><script type=module src=boot.js></script>"),
    (
        "only a message to those without scripts",
        "<title>Game</title><noscript><p>This page needs JavaScript. Please turn it on.</p></noscript>\
         <script src=/boot.js></script>",
    ),
    (
        "a message in another language, a logo and a footer",
        "<body><noscript>Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.</noscript>\
         <div id=root></div><img src=/logo.svg alt=''><footer>© 2024 Example GmbH, Example Street \
         1, 12345 Example</footer><script src=/app.js></script></body>",
    ),
    (
        "a form that only its script sends",
        "<body><section id=main></section><form style='display: none;' method=post><input name=user>\
         <input name=password></form><script src=/forum.js></script></body>",
    ),
    (
        "tracking beside it",
        "<head><script>window.dataLayer=[];</script><script async src=https://tags.test/t.js></script>\
         </head><body><noscript><iframe src=https://tags.test/ns.html></iframe></noscript>\
         <div id=app></div><script src=/app.js></script></body>",
    ),
];

/// Pages with little text that are no shells.
const PAGES: &[(&str, &str)] = &[
    ("an empty page", ""),
    ("no script", "<title>x</title><div id=root></div>"),
    ("a greeting", "<html><body><h1>It works!</h1></body></html>"),
    (
        "a greeting with tracking",
        "<head><script async src=https://tags.test/t.js></script><script>dataLayer=[];function \
         gtag(){dataLayer.push(arguments)}gtag('js',new Date());gtag('config','G-1');</script></head>\
         <body><h1>It works!</h1><div id=cookie-banner></div></body>",
    ),
    (
        "a page that is coming soon",
        "<title>Soon</title><body><img src=/logo.png alt=''><h1>We open in May</h1>\
         <p>Write to hello@example.com</p><div id=consent></div><script src=/consent.js></script>",
    ),
    (
        "a form to sign in",
        "<title>Login</title><noscript>JavaScript is needed for the captcha.</noscript>\
         <form method=post><input name=user><input name=password type=password>\
         <button>Go</button></form><div id=captcha></div><script src=/captcha.js></script>",
    ),
    (
        "a frame set",
        "<frameset cols='20%,*'><frame src=/menu.html><frame src=/main.html></frameset>\
         <script src=/x.js></script>",
    ),
    (
        "a film",
        "<body><div id=player></div><video src=/a.mp4 controls></video><script src=/p.js></script>",
    ),
    (
        "a gallery",
        "<body><div id=lightbox></div><img src=1.jpg><img src=2.jpg><img src=3.jpg>\
         <script src=/l.js></script>",
    ),
    (
        "a way on",
        "<meta http-equiv=refresh content='0;url=/en/'><noscript>JavaScript</noscript>\
         <div id=x></div><script>location='/en/'</script>",
    ),
    (
        "a menu",
        "<body><nav><a href=/a>A</a><a href=/b>B</a><a href=/c>C</a><a href=/d>D</a><a href=/e>E</a>\
         <a href=/f>F</a></nav><div id=root></div><script src=/m.js></script>",
    ),
    (
        "some sentences",
        "<body><div id=widget></div><p>The office is closed on Mondays. Please leave your \
         parcels with the neighbours, or come back on Tuesday between nine and five. We are sorry \
         that we cannot offer more. Yours, the people of the second floor, who like their Mondays \
         quiet.</p><script src=/w.js></script><noscript>JavaScript shows a map here.</noscript>",
    ),
    (
        "a note with a banner",
        "<body><p>Back in May.</p><div id=consent></div><script src=/consent.js></script>",
    ),
    (
        "a short note with a widget",
        "<body><p>The office is closed on Mondays, and open on all other days.</p>\
         <div id=chat></div><script src=/chat.js></script>",
    ),
];

#[test]
fn shells_of_all_frameworks_are_detected() {
    for (name, html) in SHELLS {
        assert!(shell(html).is_some(), "{name}");
    }
}

#[test]
fn pages_with_little_text_are_no_shells() {
    for (name, html) in PAGES {
        assert_eq!(shell(html), None, "{name}");
    }
}

#[test]
fn prerendered_shell_is_a_page() {
    let words = "<p>Lamps, kettles and all that a house needs, at fair prices.</p>".repeat(12);
    for (name, html) in SHELLS {
        assert_eq!(shell(&format!("{html}<main>{words}</main>")), None, "{name}");
    }
}

#[test]
fn shell_reports_its_signals() {
    let expected = Shell {
        text_chars: 0,
        empty_mount: true,
        asks_for_scripts: true,
        modules: false,
        mostly_script: false,
    };
    assert_eq!(shell(SHELLS[0].1), Some(expected));
}

#[test]
fn shell_without_an_extractor_is_rendered_only_if_it_shows_no_links() {
    let is_rendered = |links: &str| {
        let html = format!("<body>{links}<div id=root></div><script src=/app.js></script></body>");
        assert!(shell(&html).is_some(), "{links}");
        let task = FetchTask {
            url: url(),
            purpose: Purpose::Url { id: UrlId::START, need: BodyNeed::Page { images: false } },
            visit: None,
            gap: None,
            fetch_via: FetchVia::Plain,
            extract: ExtractRequest::default(),
        };
        let head = ResponseHead { status: 200, ..ResponseHead::default() };
        crate::parse_response(&task, head, html.as_bytes()).is_shell
    };
    let legal = "<a href=/imprint></a><a href=/privacy></a>";
    assert!(is_rendered(legal));
    assert!(is_rendered(&format!("{legal}<a href=https://other.test/></a><a href=/></a>")));
    assert!(!is_rendered(&format!("{legal}<a href=/shop></a>")));
}

mod odd {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shell_detection_never_panics(pieces in prop::collection::vec(prop_oneof![
            Just("<div id=a>".to_owned()), Just("</div>".to_owned()), Just("<h1>".to_owned()),
            Just("</h1>".to_owned()), Just("<noscript>".to_owned()), Just("</noscript>".to_owned()),
            Just("<template>".to_owned()), Just("<script>".to_owned()), Just("</script>".to_owned()),
            Just("<x-y>".to_owned()), Just("</x-y>".to_owned()), Just("javascript".to_owned()), ".{0,3}",
        ], 0..40)) {
            shell(&pieces.concat());
        }
    }
}
