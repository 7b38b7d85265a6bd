//! Sitemaps: where they are searched, which URLs they add, and mode `sitemap`.

use contract::{DiscoveredBy, Item, LinkType, Mode, Options, Scope, SitemapItem};
use crawl::{Action, CrawlPlan, ResponseHead};
use job::RunEnding;

use crate::harness::{Answer, Run, Site, crawl, crawl_in, plan, plan_from, resume_in};

const HOME: &str = "https://site.test/";

fn urlset(urls: &[&str]) -> Answer {
    let urls: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    Answer::Xml(format!("<urlset>{urls}</urlset>"))
}

fn index(files: &[&str]) -> Answer {
    let files: String =
        files.iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>")).collect();
    Answer::Xml(format!("<sitemapindex>{files}</sitemapindex>"))
}

/// A start page with a link to `/a`, which links to `/b`; a sitemap with `/a` and an orphan.
fn site() -> Site {
    Site::of(&[
        (HOME, "<a href=/a>to a</a>"),
        ("https://site.test/a", "a <a href=/b>to b</a>"),
        ("https://site.test/b", "b"),
        ("https://site.test/orphan", "o <a href=/c>to c</a>"),
        ("https://site.test/c", "c"),
    ])
    .with(
        "https://site.test/sitemap.xml",
        urlset(&["https://site.test/a", "https://site.test/orphan"]),
    )
}

fn scoped(scope: Scope) -> CrawlPlan {
    CrawlPlan { scope, ..plan() }
}

/// The delivered paths, sorted.
fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

fn sitemap_item<'a>(run: &'a Run, url: &str) -> &'a SitemapItem {
    let item = run.whole.iter().find_map(|item| match item {
        Item::Sitemap(item) if item.link.url == url => Some(item),
        _ => None,
    });
    item.unwrap_or_else(|| panic!("no item {url}"))
}

#[test]
fn sitemap_is_not_searched_without_an_option() {
    let run = crawl(&site(), plan());
    assert_eq!(paths(&run), ["/", "/a", "/b"]);
    assert_eq!(run.item("https://site.test/a").in_sitemap, None, "no sitemap was read");
}

#[test]
fn sitemap_urls_join_the_run() {
    let scope = Scope { include_sitemap: true, ..Scope::default() };
    let run = crawl(&site(), scoped(scope));
    assert_eq!(paths(&run), ["/", "/a", "/b", "/c", "/orphan", "/sitemap.xml"]);
    let file = run.item("https://site.test/sitemap.xml");
    assert_eq!((file.kind, file.depth, file.orphan), (LinkType::Sitemap, None, false));
    let seen = |path: &str| {
        let revision = run.revision(&format!("https://site.test{path}"));
        (revision.depth, revision.inlinks, revision.orphan, revision.in_sitemap)
    };
    assert_eq!(seen("/"), (Some(0), 0, false, false), "the start is no orphan");
    assert_eq!(seen("/a"), (Some(1), 1, false, true));
    assert_eq!(seen("/orphan"), (None, 0, true, true));
    assert_eq!(seen("/c"), (None, 1, false, false), "an orphan links to it");
    let a = run.item("https://site.test/a");
    assert_eq!(a.discovered_by, [DiscoveredBy::Link, DiscoveredBy::Sitemap]);
    assert_eq!((a.found_on.as_deref(), a.anchor.as_deref()), (Some(HOME), Some("to a")));
    assert_eq!(
        run.item("https://site.test/orphan").found_on.as_deref(),
        Some("https://site.test/sitemap.xml")
    );
}

#[test]
fn orphans_are_delivered_without_the_files() {
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site(), scoped(scope));
    assert_eq!(paths(&run), ["/", "/a", "/b", "/c", "/orphan"]);
    assert!(run.item("https://site.test/orphan").orphan);
}

#[test]
fn sitemap_first_replaces_links() {
    let options = Options { sitemap_first: true, ..Options::default() };
    let run = crawl(&site(), CrawlPlan { options: options.clone(), ..plan() });
    assert_eq!(paths(&run), ["/", "/a", "/orphan"]);
    assert_eq!(
        run.skipped_with_reasons(),
        [("https://site.test/b", "not_followed"), ("https://site.test/c", "not_followed")]
    );
    let bare = Site::of(&[(HOME, "<a href=/a>a</a>"), ("https://site.test/a", "a")])
        .with("https://site.test/sitemap.xml", urlset(&["https://other.test/x"]));
    let run = crawl(&bare, CrawlPlan { options, ..plan() });
    assert_eq!(paths(&run), ["/", "/a"], "nothing usable in it: the links are followed");
}

#[test]
fn sitemap_is_the_whole_run_without_discovery() {
    let options = Options { discovery: false, ..Options::default() };
    let scope = Scope { include_sitemap: true, ..Scope::default() };
    let run = crawl(&site(), CrawlPlan { options: options.clone(), ..scoped(scope) });
    let requested: Vec<_> = run.pages_requested();
    assert!(
        !requested.contains(&"https://site.test/b")
            && requested.contains(&"https://site.test/orphan")
    );
    assert_eq!(run.item("https://site.test/b").status_code, None, "recorded, not requested");
    let options = Options { sitemap_first: true, ..options };
    let run = crawl(&site(), CrawlPlan { options, ..plan() });
    assert_eq!(paths(&run), ["/", "/a", "/orphan"]);
}

#[test]
fn single_page_run_reads_no_sitemap() {
    let scope = Scope { one_page: true, include_sitemap: true, ..Scope::default() };
    let run = crawl_in(Mode::Sitemap, &site(), scoped(scope));
    assert_eq!(run.pages_requested(), [HOME]);
}

#[test]
fn sitemap_is_taken_from_robots_txt_or_guessed() {
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let named = site()
        .robots("User-agent: *\nSitemap: https://site.test/maps/one.xml\nSitemap: https://cdn.test/two.xml")
        .with("https://site.test/maps/one.xml", urlset(&["https://site.test/c"]));
    let run = crawl(&named, scoped(scope.clone()));
    assert_eq!(paths(&run), ["/", "/a", "/b", "/c"], "the guess is not needed");
    assert!(!run.pages_requested().contains(&"https://cdn.test/two.xml"));
    assert_eq!(run.skipped_with_reasons(), [("https://cdn.test/two.xml", "foreign_sitemap")]);

    let elsewhere = Site::of(&[
        (HOME, ""),
        ("https://site.test/c", "c"),
        ("https://site.test/sitemap.xml", "<h1>Welcome</h1>"),
    ])
    .moved("https://site.test/sitemap_index.xml", "/elsewhere.html")
    .with("https://site.test/elsewhere.html", Answer::Html("nothing".to_owned()))
    .with("https://site.test/sitemap.txt", Answer::Text("https://site.test/c\n".to_owned()));
    let run = crawl(&elsewhere, scoped(scope));
    assert_eq!(paths(&run), ["/", "/c"]);
    assert_eq!(
        run.skipped_with_reasons(),
        [],
        "a guessed location without a sitemap is not reported"
    );
}

#[test]
fn sitemap_index_is_followed_and_loops_end() {
    let site = Site::of(&[(HOME, ""), ("https://site.test/c", "c")])
        .with(
            "https://site.test/sitemap.xml",
            index(&[
                "https://site.test/2.xml",
                "https://site.test/sitemap.xml",
                "https://evil.test/3.xml",
            ]),
        )
        .with(
            "https://site.test/2.xml",
            index(&["https://site.test/sitemap.xml", "https://site.test/3.xml"]),
        )
        .with(
            "https://site.test/3.xml",
            urlset(&["https://site.test/c", "https://site.test/c", "https://evil.test/x"]),
        );
    let run = crawl(&site, scoped(Scope { include_orphan: true, ..Scope::default() }));
    assert_eq!(paths(&run), ["/", "/c"]);
    assert_eq!(run.times("https://site.test/sitemap.xml").len(), 1);
    assert_eq!(
        run.skipped_with_reasons(),
        [("https://evil.test/3.xml", "foreign_sitemap"), ("https://evil.test/x", "external")]
    );
}

#[test]
fn sitemap_files_and_depth_are_bounded() {
    let deep = (0..8).fold(Site::of(&[(HOME, "")]), |site, n| {
        let (own, next) =
            (format!("https://site.test/m{n}.xml"), format!("https://site.test/m{}.xml", n + 1));
        site.with(&own, index(&[&next]))
    });
    let deep = deep.robots("Sitemap: https://site.test/m0.xml");
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&deep, scoped(scope.clone()));
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/m4.xml", "sitemap_limit")]);
    let many: Vec<_> = (0..700).map(|n| format!("https://site.test/m{n}.xml")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let wide = Site::of(&[(HOME, "")]).with("https://site.test/sitemap.xml", index(&many));
    let run = crawl(&wide, scoped(scope));
    let files = run.pages_requested().iter().filter(|url| url.ends_with(".xml")).count();
    let missing = run.skipped.iter().filter(|skipped| skipped.reason.as_str() == "sitemap_limit");
    assert_eq!((run.end, missing.count()), (Action::Finish(RunEnding::Complete), 201));
    assert!((500..=506).contains(&files), "{files}");
}

#[test]
fn sitemap_mode_delivers_indexable_pages_with_sitemap_values() {
    let xml = "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml' \
        xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\
        <url><loc>https://site.test/</loc><lastmod>2024-05-01</lastmod><changefreq>daily</changefreq>\
        <priority>0.8</priority><image:image><image:loc>https://cdn.test/i.png</image:loc></image:image>\
        <xhtml:link rel='alternate' hreflang='de' href='https://site.test/de'/></url>\
        <url><loc>https://site.test/hidden</loc></url><url><loc>https://site.test/gone</loc></url>\
        <url><loc>https://site.test/copy</loc></url></urlset>";
    let modified = ResponseHead {
        last_modified: contract::Millis::parse_iso("2024-02-03T04:05:06Z"),
        ..ResponseHead::default()
    };
    let site = Site::of(&[
        (HOME, "start <img src=/own.png><a href=/linked>l</a>"),
        ("https://site.test/de", "deutsch"),
        ("https://site.test/hidden", "<meta name=robots content=noindex>hidden"),
        ("https://site.test/copy", "<link rel=canonical href=/linked>copy"),
    ])
    .with(
        "https://site.test/linked",
        Answer::WithHead(
            modified,
            "linked <img src=/l.png>\
        <link rel=alternate hreflang=fr href=/fr>"
                .to_owned(),
        ),
    )
    .with("https://site.test/sitemap.xml", Answer::Xml(xml.to_owned()));
    let run = crawl_in(Mode::Sitemap, &site, plan());
    assert_eq!(paths(&run), ["/", "/de", "/linked"]);
    let left: Vec<_> = run.skipped_with_reasons();
    for line in [
        ("https://site.test/hidden", "not_indexable"),
        ("https://site.test/copy", "not_indexable"),
        ("https://site.test/gone", "broken"),
    ] {
        assert!(left.contains(&line), "{line:?} in {left:?}");
    }
    let home = sitemap_item(&run, HOME);
    assert_eq!(home.lastmod.as_deref(), Some("2024-05-01"));
    assert_eq!(
        (home.changefreq.as_deref(), home.priority.as_deref()),
        (Some("daily"), Some("0.8"))
    );
    assert_eq!(home.images, ["https://cdn.test/i.png"]);
    assert_eq!(home.sitemap_url.as_deref(), Some("https://site.test/sitemap.xml"));
    assert_eq!(
        (home.alternates[0].lang.as_str(), home.alternates[0].url.as_str()),
        ("de", "https://site.test/de")
    );
    let linked = sitemap_item(&run, "https://site.test/linked");
    assert_eq!(linked.lastmod.as_deref(), Some("2024-02-03T04:05:06.000Z"));
    assert_eq!(
        (linked.images.as_slice(), linked.sitemap_url.as_deref()),
        (&["https://site.test/l.png".to_owned()][..], None)
    );
    assert_eq!((linked.alternates[0].lang.as_str(), linked.alternates.len()), ("fr", 1));
    assert_eq!(run.units, 3);
}

#[test]
fn sitemaps_of_a_moved_site_are_read_at_its_new_host() {
    let site = Site::of(&[("https://new.test/", "new"), ("https://new.test/o", "o")])
        .moved(HOME, "https://new.test/")
        .with("https://new.test/sitemap.xml", urlset(&["https://new.test/o"]));
    let run = crawl(&site, scoped(Scope { include_orphan: true, ..Scope::default() }));
    assert_eq!(run.urls(), ["https://new.test/", "https://new.test/o"]);
}

#[test]
fn specific_route_uses_the_sitemap_of_the_site() {
    let site = Site::of(&[
        ("https://site.test/docs/", "d"),
        ("https://site.test/docs/o", "o"),
        ("https://site.test/x", "x"),
    ])
    .with(
        "https://site.test/sitemap.xml",
        urlset(&["https://site.test/docs/o", "https://site.test/x"]),
    );
    let scope = Scope { specific_route: true, include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan_from("https://site.test/docs/") });
    assert_eq!(paths(&run), ["/docs/", "/docs/o"]);
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/x", "outside_route")]);
}

#[test]
fn resumed_run_keeps_sitemap_values() {
    let xml =
        "<urlset><url><loc>https://site.test/a</loc><lastmod>2024-05-01</lastmod></url></urlset>";
    let site = Site::of(&[(HOME, "h"), ("https://site.test/a", "a")])
        .with("https://site.test/sitemap.xml", Answer::Xml(xml.to_owned()));
    let whole = crawl_in(Mode::Sitemap, &site, plan());
    for cut in 0..whole.commits.len() {
        let run = resume_in(Mode::Sitemap, &site, plan(), &whole.commits[..cut]);
        let before: usize =
            whole.commits[..cut].iter().map(|commit| commit.totals().delivered as usize).sum();
        assert_eq!(before + run.items.len(), 2, "cut at {cut}");
        if let Some(Item::Sitemap(item)) = run.whole.last() {
            assert_eq!(item.lastmod.as_deref(), Some("2024-05-01"), "cut at {cut}");
        }
    }
}

#[test]
fn depth_is_updated_however_late_a_path_is_found() {
    // All of them are listed, and fetched before the start page links to them.
    let site = Site::of(&[
        (HOME, "<a href=/1>1</a>"),
        ("https://site.test/1", "1 <a href=/2>2</a>"),
        ("https://site.test/2", "2 <a href=/3>3</a>"),
        ("https://site.test/3", "3 <a href=/4>4</a>"),
        ("https://site.test/4", "4"),
    ])
    .with(
        "https://site.test/sitemap.xml",
        Answer::Text((1..4).map(|n| format!("https://site.test/{n}\n")).collect()),
    );
    let run = crawl(&site, scoped(Scope { include_orphan: true, ..Scope::default() }));
    let depth = |url: &str| run.revision(url).depth;
    assert_eq!(depth(HOME), Some(0));
    for n in 1..5 {
        assert_eq!(depth(&format!("https://site.test/{n}")), Some(n), "/{n}");
    }
}

#[test]
fn start_page_is_read_before_listed_urls() {
    let head = "<link rel=alternate type=application/rss+xml href=/feed>";
    let rss = "<rss><channel><item><link>https://site.test/news</link></item></channel></rss>";
    let site = Site::default()
        .with(HOME, Answer::Wait(503, 5))
        .with(HOME, Answer::Html(format!("{head}home")))
        .with("https://site.test/o", Answer::Html(format!("{head}orphan")))
        .with("https://site.test/news", Answer::Html("news".to_owned()))
        .with("https://site.test/feed", Answer::Xml(rss.to_owned()))
        .with("https://site.test/sitemap.xml", urlset(&["https://site.test/o"]));
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, scoped(scope.clone()));
    assert_eq!(paths(&run), ["/", "/news", "/o"], "the feed of the start page is read");
    assert_eq!(
        run.skipped_with_reasons(),
        [("https://site.test/feed", "file")],
        "and reported once"
    );
    // The start may be listed itself, under its redirect target.
    let moved = Site::default()
        .moved(HOME, "/en")
        .with("https://site.test/en", Answer::Html(format!("{head}home")))
        .with("https://site.test/news", Answer::Html("news".to_owned()))
        .with("https://site.test/feed", Answer::Xml(rss.to_owned()))
        .with("https://site.test/sitemap.xml", urlset(&["https://site.test/en"]));
    assert_eq!(paths(&crawl(&moved, scoped(scope.clone()))), ["/en", "/news"]);
    // The start waits for nothing, not even for its folder.
    let start = "https://site.test/index.html";
    let index = Site::of(&[(start, "home"), (HOME, "home")])
        .with("https://site.test/sitemap.xml", urlset(&[HOME, start]));
    let run = crawl(&index, CrawlPlan { scope, ..plan_from(start) });
    assert_eq!(paths(&run), ["/index.html"]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn external_sitemap_entries_are_checked_when_included() {
    let foreign = "https://other.test/x";
    let site = Site::of(&[(HOME, "<a href=https://other.test/x>x</a>"), (foreign, "x")])
        .with("https://site.test/sitemap.xml", urlset(&[HOME, foreign]));
    let scope = Scope { include_orphan: true, include_external: true, ..Scope::default() };
    let run = crawl(&site, scoped(scope));
    assert_eq!((run.urls(), run.skipped_with_reasons()), (vec![HOME, foreign], vec![]));
    let item = run.item(foreign);
    assert_eq!((item.external, item.in_sitemap, run.units), (true, Some(false), 1));
}

#[test]
fn folder_with_canonical_index_file_is_not_indexable() {
    let html = "<link rel=canonical href=/index.html>home";
    let site = Site::of(&[(HOME, html), ("https://site.test/index.html", html)]);
    let run = crawl_in(Mode::Sitemap, &site, plan());
    assert_eq!(paths(&run), ["/index.html"]);
    assert_eq!(run.skipped_with_reasons(), [(HOME, "not_indexable")]);
}

#[test]
fn recorded_link_is_fetched_if_a_redirect_leads_there() {
    let site = Site::of(&[(HOME, "<a href=/new>n</a>"), ("https://site.test/new", "new")])
        .moved("https://site.test/old", "/new")
        .with("https://site.test/sitemap.xml", urlset(&["https://site.test/old"]));
    let options = Options { discovery: false, ..Options::default() };
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { options, ..scoped(scope) });
    assert_eq!(run.item("https://site.test/new").status_code, Some(200));
    assert_eq!(run.skipped_with_reasons(), [("https://site.test/old", "redirect")]);
}

#[test]
fn recorded_links_block_nothing() {
    let index = "https://site.test/a/index.html";
    let site = Site::of(&[(HOME, "<a href=/a/>a</a>"), (index, "a")])
        .with("https://site.test/sitemap.xml", urlset(&[index]));
    let options = Options { discovery: false, ..Options::default() };
    let scope = Scope { include_orphan: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { options, ..scoped(scope.clone()) });
    assert_eq!(paths(&run), ["/", "/a/", "/a/index.html"]);
    // When a redirect leads there, it is fetched at once, and others wait for it.
    let site = Site::of(&[
        (HOME, "<a href=/a/>a</a><a href=/a/index.html>i</a>"),
        ("https://site.test/a/", "a"),
        (index, "a"),
    ])
    .moved("https://site.test/1", "/a/")
    .moved("https://site.test/2", "/a/index.html")
    .with("https://site.test/sitemap.xml", urlset(&["https://site.test/1", "https://site.test/2"]));
    let options = Options { discovery: false, ..Options::default() };
    let run = crawl(&site, CrawlPlan { options, ..scoped(scope) });
    assert_eq!(paths(&run), ["/", "/a/"]);
    assert_eq!(run.skipped_with_reasons().last(), Some(&(index, "same_page")));
}
