//! Elements that contain links, and similar ones that do not.

use super::{links, read};

#[test]
fn get_forms_become_links() {
    for (html, found) in [
        ("<form action=/a>", &["Form /a"][..]),
        ("<form method=GET action=/a>", &["Form /a"]),
        ("<form method='' action=/a>", &["Form /a"]),
        ("<form method=put action=/a>", &["Form /a"]),
        ("<form method=Post action=/a>", &[]),
        ("<form method=dialog action=/a>", &[]),
        ("<form>", &[]),
    ] {
        assert_eq!(links(html), found, "{html}");
    }
}

#[test]
fn submit_buttons_override_action_and_method() {
    for (html, found) in [
        ("<form><button formaction=/a>", &["Form /a"][..]),
        ("<form><button type=submit formaction=/a>", &["Form /a"]),
        ("<form><input type=Submit formaction=/a>", &["Form /a"]),
        ("<form><input type=image formaction=/a src=/i.png>", &["Form /a", "Image /i.png"]),
        ("<form method=post><button formaction=/a>", &[]),
        ("<form method=post><button formmethod=get formaction=/a>", &["Form /a"]),
        ("<form><button formmethod=post formaction=/a>", &[]),
        ("<form><button type=button formaction=/a>", &[]),
        ("<form><button type=reset formaction=/a>", &[]),
        ("<form><input formaction=/a><input type=text formaction=/b>", &[]),
        // Without a form, or with one elsewhere on the page.
        ("<button formaction=/a>", &[]),
        ("<form></form><button formaction=/a>", &[]),
        ("<form><button form=other formaction=/a>", &[]),
        ("<button form=other formmethod=get formaction=/a>", &["Form /a"]),
    ] {
        assert_eq!(links(html), found, "{html}");
    }
}

#[test]
fn lazily_loaded_images_are_found() {
    for (html, found) in [
        ("<img src='data:image/gif;base64,R0' data-src=/a.png>", &["Image /a.png"][..]),
        (
            "<img data-lazy-src=/a.png data-lazy-srcset='/b.png 2x'>",
            &["Image /a.png", "Image /b.png"],
        ),
        ("<img src=/a.png data-original=/b.png>", &["Image /a.png", "Image /b.png"]),
        ("<img data-srcset='/a.png 1x, /b.png 2x'>", &["Image /a.png", "Image /b.png"]),
        (
            "<picture><source data-srcset='/a.webp 1x' srcset=/b.webp><img src=/c.png></picture>",
            &["Image /b.webp", "Image /a.webp", "Image /c.png"],
        ),
        (
            "<img data-src=/a.png><noscript><img src=/b.png></noscript>",
            &["Image /a.png", "Image /b.png"],
        ),
        ("<video poster=/a.png src=/b.mp4>", &["Media /b.mp4", "Image /a.png"]),
        ("<video><source data-src=/a.mp4></video>", &["Media /a.mp4"]),
        (
            "<svg><image href=/a.png /><image xlink:href=/b.png /></svg>",
            &["Image /a.png", "Image /b.png"],
        ),
        ("<input type=image src=/a.png>", &["Image /a.png"]),
        ("<input src=/a.png><img href=/b.png>", &[]),
    ] {
        assert_eq!(links(html), found, "{html}");
    }
}

#[test]
fn frames_and_image_maps_become_links() {
    for (html, found) in [
        ("<frameset><frame src=/a><frame src=/b></frameset>", &["Frame /a", "Frame /b"][..]),
        ("<iframe src=/a></iframe>", &["Frame /a"]),
        ("<iframe src=about:blank></iframe><iframe srcdoc='<a href=/a>'></iframe>", &[]),
        ("<map><area href=/a alt=A nohref><area alt=B></map>", &["Area /a A"]),
        ("<svg><a xlink:href=/a><text>A</text></a></svg>", &["Anchor /a A"]),
    ] {
        assert_eq!(links(html), found, "{html}");
    }
}

#[test]
fn link_elements_to_pages_and_feeds_only_are_kept() {
    for (rel, found) in [
        ("canonical", &["Canonical /a"][..]),
        ("next", &["Pagination /a"]),
        ("prev", &["Pagination /a"]),
        ("alternate", &["Alternate /a"]),
        ("amphtml", &["Alternate /a"]),
        ("stylesheet", &[]),
        ("icon", &[]),
        ("preload", &[]),
        ("manifest", &[]),
        ("dns-prefetch", &[]),
        ("pingback", &[]),
        ("", &[]),
    ] {
        assert_eq!(links(&format!("<link rel='{rel}' href=/a>")), found, "{rel}");
    }
}

#[test]
fn links_in_scripts_comments_and_templates_are_ignored() {
    for html in [
        "<a ping=/a>x</a>",
        "<meta property=og:url content=https://example.com/a>",
        "<meta name=refresh content='0; url=/a'>",
        "<blockquote cite=/a></blockquote>",
        "<div href=/a src=/b data-href=/c></div>",
        "<!-- <form action=/a><img src=/b><link rel=next href=/c> -->",
        "<script><form action=/a></form></script><script type=text/html><a href=/b></script>",
        "<template><form action=/a><button formaction=/b></form><img src=/c></template>",
        "<template><template></template><base href=/x/><link rel=next href=/c></template>",
        "<style>a { background: url(/a.png) }</style>",
    ] {
        assert_eq!(links(html), [""; 0], "{html}");
    }
}

#[test]
fn refresh_is_read_anywhere_in_the_document() {
    for html in [
        "<meta http-equiv=Refresh content='3;URL=/a'>",
        "<noscript><meta http-equiv=refresh content=\"0; url='/a'\"></noscript>",
        "<base href=/><meta content='0;url=a' http-equiv=' refresh '>",
    ] {
        assert_eq!(links(html), ["Refresh /a"], "{html}");
    }
}

#[test]
fn lang_on_a_later_element_is_used() {
    for (html, language) in [
        ("<meta http-equiv=Content-Language content=de>", Some("de")),
        ("<html lang=fr><meta http-equiv=content-language content=de>", Some("fr")),
        ("<meta http-equiv=content-language content='de, en'>", None),
        ("<meta name=content-language content=de>", None),
    ] {
        assert_eq!(read(html).language.as_deref(), language, "{html}");
    }
}
