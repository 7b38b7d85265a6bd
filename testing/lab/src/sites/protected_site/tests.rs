use std::collections::BTreeSet;

use super::*;

fn wall(name: &str) -> &'static ProtectionPage {
    ProtectionPage::named(name).expect("a wall of that name")
}

fn status(site: &ProtectedSite, head: &str, path: &str) -> u16 {
    let request = Request::new(path, head, [127, 0, 0, 1].into(), false);
    let Reply::Full(whole) = site.respond(&request) else { panic!("walls answer whole") };
    whole.status
}

fn body(reply: Reply) -> String {
    let Reply::Full(whole) = reply else { panic!("walls answer whole") };
    String::from_utf8_lossy(&whole.body).into_owned()
}

#[test]
fn every_wall_stands_before_a_site() {
    let markers: BTreeSet<_> = ProtectionPage::ALL.iter().map(|wall| wall.marker).collect();
    assert_eq!(
        ProtectionPage::one_a_marker().map(|wall| wall.marker).collect::<BTreeSet<_>>(),
        markers
    );
    assert_eq!(ProtectionPage::one_a_marker().count(), markers.len());
    for wall in ProtectionPage::ALL {
        let site = ProtectedSite::new(wall);
        for path in ["/", "/page-7", "/no-such-page"] {
            assert_eq!(site.answer(path), wall.reply(), "{}", wall.name);
        }
        let skipped = [("/".to_owned(), ExpectedSkip::Protected(wall.marker))];
        assert_eq!(site.truth().skipped, skipped.into());
        assert!(site.truth().delivered.is_empty());
    }
}

#[test]
fn robots_and_sitemap_stay_readable_unless_hidden() {
    let site = ProtectedSite::new(wall("akamai_block")).with_pages(3);
    let request =
        Request::new("/robots.txt", "\r\nHost: a.test:81\r\n", [1, 1, 1, 1].into(), false);
    assert!(body(site.respond(&request)).contains("Sitemap: http://a.test:81/sitemap.xml"));
    let map = body(site.answer("/sitemap.xml"));
    assert_eq!(map.matches("<loc>").count(), 3);
    assert!(map.contains("<loc>http://walled.lab.test/page-2</loc>"));
    let hidden = ProtectedSite::new(wall("akamai_block")).hiding_robots().opening_to_tier();
    assert_eq!(status(&hidden, "", "/robots.txt"), 403);
    assert_eq!(status(&hidden, "", "/sitemap.xml"), 403);
    assert_eq!(status(&hidden, "\r\nvia-tier: 1\r\n", "/sitemap.xml"), 200);
}

#[test]
fn the_tier_and_a_browser_come_in() {
    let site = ProtectedSite::new(wall("cloudflare_challenge")).opening_to_tier();
    for (head, open) in [
        ("", false),
        ("\r\nUser-Agent: test\r\nCookie: other=1\r\n", false),
        ("\r\nVia-Tier: 0\r\n", false),
        ("\r\nVia-Tier: 1\r\n", true),
        ("\r\nX-Test-Proxy: exit-7\r\n", true),
        ("\r\nCookie: a=b; wall=open\r\n", true),
    ] {
        assert_eq!(status(&site, head, "/page-3"), if open { 200 } else { 403 }, "{head}");
    }
    let page = body(site.answer("/"));
    assert!(page.starts_with(KEY) && page.ends_with(wall("cloudflare_challenge").body));
    let proxied = Request::new("/", "", [127, 0, 0, 1].into(), true);
    assert!(body(site.respond(&proxied)).contains("Behind the wall, 0"));
    assert_eq!(site.truth_behind().delivered.len(), 60);
}

#[test]
fn a_wall_may_open_to_those_who_try_again() {
    let site = ProtectedSite::new(wall("kasada_challenge")).opening_after(3);
    let tries = |agent: &str| {
        let head = format!("\r\nUser-Agent: {agent}\r\n");
        [0; 5].map(|_| status(&site, &head, "/"))
    };
    assert_eq!(tries("one"), [429, 429, 429, 200, 200]);
    assert_eq!(tries("two"), [429, 429, 429, 200, 200]);
    assert_eq!(site.truth(), site.truth_behind());
}

#[test]
fn a_wall_may_go_up_late() {
    let site = ProtectedSite::new(wall("datadome_captcha")).with_pages(500).starting_after(200);
    let truth = site.truth();
    assert_eq!(truth.delivered.len(), 200);
    let mut answers = Vec::new();
    for number in 0..300 {
        answers.push(status(&site, "", &path(number)));
        // What is no page does not count.
        status(&site, "", "/no-such-page");
    }
    assert!(answers[..200].iter().all(|status| *status == 200));
    assert!(answers[200..].iter().all(|status| *status == 403));
    for number in 0..200 {
        assert!(truth.delivered.contains_key(&path(number)));
    }
}

#[test]
fn one_page_in_fifty_may_be_behind_it() {
    let site = ProtectedSite::new(wall("human_captcha")).with_pages(1_000).one_in(50);
    let truth = site.truth();
    let mut walled = 0;
    for number in 0..1_000 {
        let answer = status(&site, "", &path(number));
        walled += usize::from(answer == 403);
        if answer == 403 {
            assert!(!truth.delivered.contains_key(&path(number)));
        }
    }
    assert_eq!(walled, 20);
    assert_eq!(status(&site, "", "/"), 200);
    assert!(truth.skipped.len() > 5 && truth.delivered.len() > 900, "{}", truth.delivered.len());
}
