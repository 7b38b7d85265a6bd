use super::*;

fn protection(name: &str) -> &'static ProtectionPage {
    ProtectionPage::named(name).expect("a protection page")
}

fn status(site: &ProtectedSite, head: &str, path: &str) -> u16 {
    let request = Request::new(path, head, [127, 0, 0, 1].into(), false);
    let Reply::Full(whole) = site.respond(&request) else { panic!("a raw reply") };
    whole.status
}

fn body(reply: Reply) -> String {
    let Reply::Full(whole) = reply else { panic!("a raw reply") };
    String::from_utf8_lossy(&whole.body).into_owned()
}

#[test]
fn every_protection_page_protects_a_site() {
    for protection in ProtectionPage::all() {
        let site = ProtectedSite::new(protection);
        for path in ["/", "/page-7", "/no-such-page"] {
            assert_eq!(site.answer(path), protection.reply(), "{}", protection.name);
        }
        let skipped = [("/".to_owned(), ExpectedSkip::Protected(protection.marker))];
        assert_eq!(site.truth().skipped, skipped.into());
        assert!(site.truth().delivered.is_empty());
    }
}

#[test]
fn robots_and_sitemap_stay_readable() {
    let site = ProtectedSite::new(protection("akamai_block")).with_pages(3);
    let request =
        Request::new("/robots.txt", "\r\nHost: a.test:81\r\n", [1, 1, 1, 1].into(), false);
    assert!(body(site.respond(&request)).contains("Sitemap: http://a.test:81/sitemap.xml"));
    let map = body(site.answer("/sitemap.xml"));
    assert_eq!(map.matches("<loc>").count(), 3);
    assert!(map.contains("<loc>http://walled.lab.test/page-2</loc>"));
}

#[test]
fn tier_and_browser_pass() {
    let site = ProtectedSite::new(protection("cloudflare_challenge")).passing_tier();
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
    assert!(
        page.starts_with(PASS_SCRIPT) && page.ends_with(protection("cloudflare_challenge").body)
    );
    let proxied = Request::new("/", "", [127, 0, 0, 1].into(), true);
    assert!(body(site.respond(&proxied)).contains("Behind the wall, 0"));
    assert_eq!(site.truth_after_passing().delivered.len(), 60);
}

#[test]
fn client_passes_after_enough_attempts() {
    let site = ProtectedSite::new(protection("kasada_challenge")).passing_after(3);
    let attempts = |agent: &str| {
        let head = format!("\r\nUser-Agent: {agent}\r\n");
        [0; 5].map(|_| status(&site, &head, "/"))
    };
    assert_eq!(attempts("one"), [429, 429, 429, 200, 200]);
    assert_eq!(attempts("two"), [429, 429, 429, 200, 200]);
    assert_eq!(site.truth(), site.truth_after_passing());
}

#[test]
fn protection_starts_after_some_pages() {
    let site =
        ProtectedSite::new(protection("datadome_captcha")).with_pages(500).starting_after(200);
    let truth = site.truth();
    assert_eq!(truth.delivered.len(), 200);
    let mut answers = Vec::new();
    for number in 0..300 {
        answers.push(status(&site, "", &page_path(number)));
        // A missing page is not counted.
        status(&site, "", "/no-such-page");
    }
    assert!(answers[..200].iter().all(|status| *status == 200));
    assert!(answers[200..].iter().all(|status| *status == 403));
    for number in 0..200 {
        assert!(truth.delivered.contains_key(&page_path(number)));
    }
}

#[test]
fn one_page_in_fifty_is_protected() {
    let site = ProtectedSite::new(protection("human_captcha")).with_pages(1_000).one_in(50);
    let truth = site.truth();
    let mut protected = 0;
    for number in 0..1_000 {
        let answer = status(&site, "", &page_path(number));
        protected += usize::from(answer == 403);
        if answer == 403 {
            assert!(!truth.delivered.contains_key(&page_path(number)));
        }
    }
    assert_eq!(protected, 20);
    assert_eq!(status(&site, "", "/"), 200);
    assert!(truth.skipped.len() > 5 && truth.delivered.len() > 900, "{}", truth.delivered.len());
}
