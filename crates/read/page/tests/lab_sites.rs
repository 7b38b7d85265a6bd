//! Pages, sitemaps, traps and shells of the lab sites, compared with their truth.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use lab::{
    Catalogue, FullReply, HostileScripts, Mapped, ProtectedSite, Reply, Scripted, Site,
    SitemapTruth, Trapping,
};
use page::{PageHead, PageLimits, Shell, SitemapLimits, SitemapLocations};
use urls::{CanonicalUrl, Robots, TrapRule, TrapWatch};

const ORIGIN: &str = "http://site.lab.test";

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("{ORIGIN}{path}")).expect("an address")
}

fn ask(site: &dyn Site, url: &CanonicalUrl) -> Option<FullReply> {
    match site.answer(url.path_and_query()) {
        Reply::Full(whole) if whole.status == 200 => Some(whole),
        Reply::Full(_) | Reply::Raw(_) => None,
    }
}

fn content_type(whole: &FullReply) -> Option<&str> {
    let header = whole.headers.iter().find(|(name, _)| *name == "content-type");
    header.map(|(_, value)| value.as_str())
}

fn path(url: &str) -> String {
    url.strip_prefix(ORIGIN).unwrap_or(url).to_owned()
}

#[test]
fn lab_sitemaps_are_read_completely() {
    let site = Mapped::new(ORIGIN);
    let robots = ask(&site, &url("/robots.txt")).expect("robots.txt");
    let places = SitemapLocations::of(&url("/"), &Robots::parse(&robots.body, "Trawl"));
    let mut queue: VecDeque<CanonicalUrl> = places.iter().cloned().collect();
    let mut seen: HashSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut found = SitemapTruth::default();
    while let Some(place) = queue.pop_front() {
        let Some(whole) = ask(&site, &place) else { continue };
        let limits = SitemapLimits::default();
        let file = page::read_sitemap(&whole.body, content_type(&whole), &place, &limits)
            .expect("a sitemap");
        assert!(!file.truncated && file.rejected == 0);
        found.files.push(path(place.as_str()));
        for entry in file.entries {
            let key = path(entry.url.as_str());
            if entry.url.host() != place.host() {
                found.foreign.push(key);
                continue;
            }
            if !entry.images.is_empty() {
                let images = entry.images.iter().map(|image| path(image)).collect();
                found.images.insert(key.clone(), images);
            }
            if !entry.alternates.is_empty() {
                let all = entry.alternates.iter();
                let all = all.map(|(tag, url)| (tag.clone(), path(url.as_str()))).collect();
                found.alternates.insert(key.clone(), all);
            }
            found.pages.insert(key, entry.lastmod);
        }
        queue.extend(file.children.into_iter().filter(|child| seen.insert(child.clone())));
    }
    let linked = site.truth().delivered;
    found.orphans =
        found.pages.keys().filter(|page| !linked.contains_key(*page)).cloned().collect();
    found.unlisted = linked.into_keys().filter(|page| !found.pages.contains_key(page)).collect();
    assert_eq!(found, site.sitemap_truth());
}

/// Crawls every link of a site; returns the status of each URL.
fn run(site: Trapping, mut watch: Option<TrapWatch>, budget: usize) -> BTreeMap<String, u16> {
    let start = url("/");
    let mut queue = VecDeque::from([start.clone()]);
    let mut seen = BTreeSet::from([start]);
    let mut contents = HashSet::new();
    let mut delivered = BTreeMap::new();
    while let Some(place) = queue.pop_front() {
        if delivered.len() >= budget {
            break;
        }
        if watch.as_ref().is_some_and(|watch| watch.judge_again(&place).is_err()) {
            continue;
        }
        let Some(whole) = ask(&site, &place) else { continue };
        let head = PageHead { content_type: content_type(&whole), ..PageHead::default() };
        let page = page::read_page(&whole.body, &head, &place, &PageLimits::default());
        let duplicate = !contents.insert(page.content_hash.clone());
        if let Some(watch) = &mut watch {
            watch.learn(&place, duplicate);
        }
        delivered.insert(path(place.as_str()), whole.status);
        for link in page.links {
            let fits = |watch: &mut TrapWatch| watch.offer(&link.url).is_ok();
            if !seen.contains(&link.url) && watch.as_mut().is_none_or(fits) {
                seen.insert(link.url.clone());
                queue.push_back(link.url);
            }
        }
    }
    delivered
}

#[test]
fn trap_watch_stops_every_lab_trap() {
    for site in Trapping::ALL {
        let watch = TrapWatch::new(TrapRule::in_year(2026));
        let mut delivered = run(site, Some(watch), 5_000);
        let before = delivered.len();
        delivered.retain(|path, _| !path.starts_with(site.trap_prefix()));
        assert_eq!(delivered, site.truth().delivered, "{site:?}");
        let deep = before - delivered.len();
        assert!((1..=site.max_trap_pages()).contains(&deep), "{site:?}: {deep}");
    }
}

#[test]
fn lab_traps_are_endless_without_trap_watch() {
    for site in Trapping::ALL {
        // URL normalisation alone prevents the trap of session ids.
        if site != Trapping::Sessions {
            let caught = run(site, None, site.max_trap_pages() + 50).len();
            assert_eq!(caught, site.max_trap_pages() + 50, "{site:?}");
        }
    }
}

/// Whether the page at `path` is detected as a shell.
fn is_shell(site: &dyn Site, path: &str) -> bool {
    let place = url(path);
    let whole = ask(site, &place).expect("a page");
    let head = PageHead { content_type: content_type(&whole), ..PageHead::default() };
    let page = page::read_page(&whole.body, &head, &place, &PageLimits::default());
    Shell::of(&page, &whole.body).is_some()
}

#[test]
fn only_lab_pages_that_need_scripts_are_shells() {
    for site in Scripted::ALL {
        for path in site.truth_rendered().delivered.keys() {
            assert_eq!(is_shell(&site, path), site.needs_rendering(), "{site:?} {path}");
        }
    }
}

/// Otherwise no run would render these pages, and browser abuse would go untested.
#[test]
fn browser_abuse_pages_are_detected_as_shells() {
    for path in HostileScripts::attacks().filter(|path| *path != "/leaves-by-meta") {
        assert!(is_shell(&HostileScripts::default(), path), "{path}");
    }
    assert!(
        !is_shell(&HostileScripts::default(), "/")
            && !is_shell(&HostileScripts::default(), "/fine")
    );
}

#[test]
fn lab_pages_with_content_are_no_shells() {
    let challenge = lab::ProtectionPage::named("akamai_block").expect("a lab challenge");
    let open = ProtectedSite::new(challenge).starting_after(usize::MAX);
    let catalogue = Catalogue::mixed(50);
    let sites: [&dyn Site; 3] = [&catalogue, &open, &Trapping::Facets];
    for site in sites {
        for path in site.truth().delivered.keys() {
            assert!(!is_shell(site, path), "{site:?} {path}");
        }
    }
}
