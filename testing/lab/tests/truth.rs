//! The truth of each site equals the result of a simple crawl of its replies.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use lab::{
    Broken, Catalogue, Copies, Empty, ExpectedSkip, Handbook, HostileScripts, Marking, Polyglot,
    Refusing, Reply, Scripted, Site, SiteTruth,
};

/// Removes every part from `open` to `close`.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

fn links(html: &[u8]) -> Vec<String> {
    let html = String::from_utf8_lossy(html);
    let html = without(&html, "<!--", "-->");
    let html = without(&html, "<script>", "</script>");
    let html = without(&html, "<template>", "</template>");
    let html = without(&html, "<link ", ">");
    html.split("href=\"")
        .skip(1)
        .chain(html.split("src=\"").skip(1))
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// Crawls a site and classifies its URLs.
fn visit(site: &dyn Site) -> SiteTruth {
    let robots = match site.answer("/robots.txt") {
        Reply::Full(whole) if whole.status == 200 => {
            String::from_utf8_lossy(&whole.body).into_owned()
        }
        _ => String::new(),
    };
    let forbidden: Vec<&str> = robots
        .lines()
        .filter_map(|line| line.strip_prefix("Disallow: "))
        .filter(|path| !path.is_empty())
        .collect();
    let (mut delivered, mut skipped) = (BTreeMap::new(), BTreeMap::new());
    let mut seen = BTreeSet::from(["/".to_owned()]);
    let mut queue = VecDeque::from(["/".to_owned()]);
    while let Some(path) = queue.pop_front() {
        let why = if path.starts_with("http") {
            ExpectedSkip::External
        } else if forbidden.iter().any(|prefix| path.starts_with(prefix)) {
            ExpectedSkip::Robots
        } else if let Some((plain, _)) = path.split_once('?') {
            if seen.insert(plain.to_owned()) {
                queue.push_back(plain.to_owned());
            }
            ExpectedSkip::Variant(plain.to_owned())
        } else {
            let Reply::Full(whole) = site.answer(&path) else { continue };
            let header = |name: &str| {
                whole.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
            };
            let kind = header("content-type").unwrap_or_default();
            if let Some(to) = header("location") {
                if seen.insert(to.clone()) {
                    queue.push_back(to.clone());
                }
                ExpectedSkip::Redirect(to)
            } else if whole.status != 200 {
                ExpectedSkip::Status(whole.status)
            } else if kind.starts_with("image/") {
                ExpectedSkip::Image
            } else if !kind.starts_with("text/html") {
                ExpectedSkip::File
            } else {
                for link in links(&whole.body) {
                    if seen.insert(link.clone()) {
                        queue.push_back(link);
                    }
                }
                delivered.insert(path, whole.status);
                continue;
            }
        };
        skipped.insert(path, why);
    }
    SiteTruth { delivered, skipped, never: Vec::new() }
}

#[track_caller]
fn assert_true(site: &Catalogue) {
    let (truth, found) = (site.truth(), visit(site));
    assert_eq!(truth.delivered, found.delivered);
    assert_eq!(truth.skipped, found.skipped);
    let asked = found.delivered.keys().chain(found.skipped.keys());
    for path in asked {
        assert!(!truth.never.iter().any(|never| path.starts_with(never)), "{path}");
    }
}

#[test]
fn plain_catalogue_matches_its_truth() {
    for pages in [0, 1, 2, 3, 20, 1000] {
        assert_true(&Catalogue { page_bytes: 1500, ..Catalogue::plain(pages) });
    }
}

#[test]
fn mixed_catalogue_matches_its_truth_for_every_seed() {
    for seed in 0..20 {
        let site = Catalogue { seed, page_bytes: 1500, ..Catalogue::mixed(200) };
        assert_true(&site);
        // Every kind of extra occurs.
        let kinds: HashSet<_> = site.truth().skipped.values().map(std::mem::discriminant).collect();
        assert_eq!(kinds.len(), 7);
    }
}

#[test]
fn one_link_per_page_reaches_all_pages() {
    let plain = Catalogue::plain(50);
    assert_true(&Catalogue { links_per_page: 0, page_bytes: 0, seed: 9, ..plain });
}

#[test]
fn pages_have_the_configured_size_and_unique_titles() {
    let site = Catalogue { page_bytes: 30_000, ..Catalogue::plain(300) };
    let mut titles = BTreeSet::new();
    for path in site.truth().delivered.keys() {
        let html = body(&site, path);
        assert!((29_000..32_000).contains(&html.len()), "{path}: {}", html.len());
        let title = html.split("<title>").nth(1).and_then(|rest| rest.split('<').next());
        titles.insert(title.expect("every page has a title").to_owned());
    }
    assert_eq!(titles.len(), 300);
}

#[test]
fn page_has_one_spelling() {
    let site = Catalogue::plain(10);
    for path in
        ["/page-0", "/page-007", "/page-10", "/page-", "/page-x", "/page-99999999999999999999"]
    {
        assert!(matches!(site.answer(path), Reply::Full(whole) if whole.status == 404), "{path}");
    }
}

#[test]
fn broken_site_links_to_all_its_faults() {
    let site = Broken::default();
    let Reply::Full(start) = site.answer("/") else { panic!("the start page is whole") };
    let linked: BTreeSet<String> = links(&start.body).into_iter().collect();
    let truth = site.truth();
    let expected: BTreeSet<String> =
        truth.delivered.keys().chain(truth.skipped.keys()).cloned().collect();
    assert_eq!(linked, expected);
    for (path, why) in &truth.skipped {
        match (site.answer(path), why) {
            (Reply::Full(whole), ExpectedSkip::Status(status)) => assert_eq!(whole.status, *status),
            (_, ExpectedSkip::Fault(_)) => {}
            (reply, why) => panic!("{path}: {why:?}, but {reply:?}"),
        }
    }
}

#[test]
fn sites_without_pages_have_an_empty_truth() {
    for site in [&Empty as &dyn Site, &Refusing::Everything, &Refusing::Unavailable] {
        assert!(site.truth().delivered.is_empty());
        assert_eq!(site.truth().skipped.len(), 1);
    }
}

#[test]
fn sites_with_scripts_match_their_truth_without_rendering() {
    for site in Scripted::ALL {
        assert_eq!(site.truth().delivered, visit(&site).delivered, "{site:?}");
        for path in site.truth_rendered().delivered.keys() {
            let (title, text) = Scripted::content(path).expect("a page");
            let html = without(&body(&site, path), "<script>", "</script>");
            assert_eq!(html.contains(text), !site.needs_rendering(), "{site:?} {path}");
            assert_eq!(html.contains(title), !site.needs_rendering(), "{site:?} {path}");
        }
    }
}

#[test]
fn data_of_the_shell_contains_every_page() {
    let data = body(&Scripted::Shell, "/data.json");
    for path in Scripted::Shell.truth_rendered().delivered.keys() {
        let (title, text) = Scripted::content(path).expect("a page");
        assert!(
            data.contains(&format!("{path:?}:{{\"title\":{title:?},\"text\":{text:?}")),
            "{path}"
        );
    }
}

#[test]
fn hostile_scripts_are_harmless_without_rendering() {
    let site = HostileScripts::default();
    let Reply::Full(start) = site.answer("/") else { panic!("the start page is whole") };
    let mut linked: BTreeSet<String> = links(&start.body).into_iter().collect();
    linked.insert("/".to_owned());
    assert_eq!(linked, site.truth().delivered.keys().cloned().collect());
    for path in HostileScripts::attacks() {
        let html = body(&site, path);
        assert!(!html.contains("PRIVATE") && !html.contains("ELSEWHERE"), "{path}");
    }
}

#[test]
fn catalogue_of_several_batches_is_complete() {
    let site = Catalogue { page_bytes: 0, ..Catalogue::plain(25_000) };
    assert_eq!(visit(&site).delivered, site.truth().delivered);
}

fn body(site: &dyn Site, path: &str) -> String {
    match site.answer(path) {
        Reply::Full(whole) if whole.status == 200 => {
            String::from_utf8_lossy(&whole.body).into_owned()
        }
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn handbook_matches_its_truth() {
    let site = Handbook::default();
    let (truth, found) = (site.truth(), visit(&site));
    assert_eq!((truth.delivered, truth.skipped), (found.delivered, found.skipped));
    for (path, text) in site.texts() {
        let html = body(&site, &path);
        for piece in text.text.iter().chain(&text.around).chain([&text.title]) {
            assert!(html.contains(piece.as_str()), "{path} holds {piece}");
        }
    }
    for (path, text) in Handbook::plain_texts() {
        assert_eq!(body(&site, path).trim_end(), text);
    }
}

#[test]
fn multilingual_site_has_the_languages_of_its_truth() {
    for marking in Marking::ALL {
        let site = Polyglot::new(marking);
        let languages = site.languages();
        assert_eq!(languages.len(), 12, "{marking:?}");
        for (path, language) in languages {
            let html = body(&site, &path);
            let words: &[&str] = match language {
                "en" => &[" and "],
                "de" => &[" und "],
                _ => &[" et ", " la "],
            };
            assert!(words.iter().any(|word| html.contains(word)), "{marking:?} {path}");
        }
    }
}

#[test]
fn copies_match_their_groups() {
    for group in Copies.groups() {
        for path in group.others.iter().chain(&group.kept) {
            assert!(!body(&Copies, path).is_empty(), "{path}");
        }
    }
    for path in Copies.alone() {
        assert!(body(&Copies, path).contains("rel=\"canonical\""), "{path}");
    }
}
