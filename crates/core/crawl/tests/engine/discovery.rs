//! Which URLs are found, how, and which are in scope.

use contract::{DiscoveredBy, Options, RobotsDirective, Scope};
use crawl::{Action, CrawlPlan, ResponseHead};
use job::RunEnding;

use crate::harness::{Answer, Site, crawl, plan, plan_from};

fn scoped(scope: Scope) -> CrawlPlan {
    CrawlPlan { scope, ..plan() }
}

#[test]
fn pages_are_found_breadth_first_with_their_referrer() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=/a>to a</a><a href=/b></a>"),
        ("https://site.test/a", "<a href=/c> to  c </a><a href=/b>late</a>"),
        ("https://site.test/b", "<a href=/>home</a>"),
        ("https://site.test/c", "the end"),
    ]);
    let run = crawl(&site, plan());
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    let home = "https://site.test/";
    assert_eq!(run.urls(), ["/", "/a", "/b", "/c"].map(|path| format!("https://site.test{path}")));
    assert_eq!(run.pages_requested(), run.urls(), "each page once, the nearest first");
    let seen = |url: &str| {
        let item = run.item(url);
        (item.depth, item.found_on.as_deref(), item.anchor.as_deref(), item.discovered_by.clone())
    };
    assert_eq!(seen(home), (Some(0), None, None, vec![DiscoveredBy::Start]));
    let by_link = vec![DiscoveredBy::Link];
    assert_eq!(seen("https://site.test/a"), (Some(1), Some(home), Some("to a"), by_link.clone()));
    assert_eq!(seen("https://site.test/b"), (Some(1), Some(home), None, by_link.clone()));
    assert_eq!(
        seen("https://site.test/c"),
        (Some(2), Some("https://site.test/a"), Some("to c"), by_link)
    );
    assert_eq!(run.inlinks["https://site.test/b"], 2, "both pages that link to it");
    assert_eq!(run.inlinks[home], 1);
}

#[test]
fn hidden_urls_are_not_fetched() {
    let site = Site::of(&[(
        "https://site.test/",
        "<!-- <a href=/comment> --><script>x='<a href=/script>'</script>\
         <template><a href=/template>t</a></template><style>a{background:url(/style)}</style>\
         <a href=mailto:a@site.test></a><a href=javascript:void(0)></a><img src=/image.png>\
         <a href=https://other.test/>out</a><a href=/report.pdf>file</a>",
    )]);
    let run = crawl(&site, plan());
    assert_eq!(run.pages_requested(), ["https://site.test/"]);
}

#[test]
fn specific_route_limits_the_scope() {
    let start = "https://site.test/docs/";
    let site = Site::of(&[
        (start, "<a href=a></a><a href=/docs2></a><a href=/></a>"),
        ("https://site.test/docs/a", ""),
        ("https://site.test/docs2", ""),
    ]);
    let scope = Scope { specific_route: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan_from(start) });
    assert_eq!(run.pages_requested(), [start, "https://site.test/docs/a"]);
}

#[test]
fn subdomains_are_crawled_when_included() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=https://shop.site.test/>shop</a>"),
        ("https://shop.site.test/", ""),
    ]);
    assert_eq!(crawl(&site, plan()).urls().len(), 1);
    let run = crawl(&site, scoped(Scope { include_subdomains: true, ..Scope::default() }));
    assert_eq!(run.urls(), ["https://site.test/", "https://shop.site.test/"]);
    let requested: Vec<_> = run.requests.iter().map(|(task, _)| task.url.as_str()).collect();
    assert!(requested.contains(&"https://shop.site.test/robots.txt"), "each origin has its rules");
}

#[test]
fn queries_are_ignored_unless_included() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=/a?x=1></a><a href=/a?x=2></a><a href='/a?x=1&utm_id=3'>"),
        ("https://site.test/a", "plain"),
        ("https://site.test/a?x=1", "one"),
        ("https://site.test/a?x=2", "two"),
    ]);
    assert_eq!(crawl(&site, plan()).urls()[1..], ["https://site.test/a"]);
    let run = crawl(&site, scoped(Scope { include_query_strings: true, ..Scope::default() }));
    assert_eq!(run.urls()[1..], ["https://site.test/a?x=1", "https://site.test/a?x=2"]);
}

#[test]
fn url_spellings_of_one_page_are_one_url() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=http://www.site.test/a></a><a href=https://site.test/a>"),
        ("http://www.site.test/a", ""),
    ]);
    assert_eq!(crawl(&site, plan()).urls(), ["https://site.test/", "http://www.site.test/a"]);
}

#[test]
fn links_are_recorded_but_not_followed_without_discovery() {
    let site = Site::of(&[
        ("https://site.test/", "<a href=/a>to a</a><a href=https://other.test/>out</a>"),
        ("https://site.test/a", ""),
    ]);
    let options = Options { discovery: false, ..Options::default() };
    let scope = Scope { include_external: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { options, scope, ..plan() });
    assert_eq!(run.pages_requested(), ["https://site.test/"]);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/a", "https://other.test/"]);
    let item = run.item("https://site.test/a");
    assert_eq!((item.status_code, item.broken, item.indexable), (None, false, None));
    assert_eq!((item.anchor.as_deref(), item.fetched_at), (Some("to a"), None));
    assert_eq!(run.units, 1, "what was not requested is free");
}

#[test]
fn feeds_of_the_start_page_add_links() {
    let rss = "<rss><channel><item><link>https://site.test/news</link></item>\
               <item><link>https://other.test/x</link></item></channel></rss>";
    let site = Site::of(&[
        (
            "https://site.test/",
            "<link rel=alternate type=application/rss+xml href=/feed>\
          <a href=/post>post</a>",
        ),
        ("https://site.test/post", "<link rel=alternate type=application/rss+xml href=/post/feed>"),
        ("https://site.test/news", "news"),
        ("https://site.test/post/feed", "<rss><channel></channel></rss>"),
    ])
    .with("https://site.test/feed", Answer::Xml(rss.to_owned()));
    let run = crawl(&site, plan());
    assert_eq!(
        run.urls(),
        ["https://site.test/", "https://site.test/post", "https://site.test/news"]
    );
    let news = run.item("https://site.test/news");
    assert_eq!(news.found_on.as_deref(), Some("https://site.test/feed"));
    assert_eq!(run.inlinks["https://site.test/news"], 0, "a feed is no page");
    assert!(!run.pages_requested().contains(&"https://site.test/post/feed"));
    assert!(run.skipped_with_reasons().contains(&("https://site.test/post/feed", "file")));
}

#[test]
fn link_headers_add_links() {
    let head = ResponseHead {
        links: vec!["</b>; rel=next, </de>; rel=alternate; hreflang=de".to_owned()],
        ..ResponseHead::default()
    };
    let site = Site::of(&[("https://site.test/b", "b"), ("https://site.test/de", "de")])
        .with("https://site.test/", Answer::WithHead(head, "start".to_owned()));
    let run = crawl(&site, plan());
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/b", "https://site.test/de"]);
    assert_eq!(run.item("https://site.test/de").discovered_by, [DiscoveredBy::Hreflang]);
}

#[test]
fn index_file_with_the_same_page_is_its_folder() {
    let site = Site::of(&[
        (
            "https://site.test/",
            "<a href=/index.html>home</a><a href=/a/index.html>a</a>\
          <a href=/a/>folder</a><a href=/b/index.php>b</a><a href=/c/></a><a href=/c/index.html></a>",
        ),
        (
            "https://site.test/index.html",
            "<a href=/index.html>home</a><a href=/a/index.html>a</a>\
          <a href=/a/>folder</a><a href=/b/index.php>b</a><a href=/c/></a><a href=/c/index.html></a>",
        ),
        ("https://site.test/a/", "the a"),
        ("https://site.test/a/index.html", "the <b>a</b>"),
        ("https://site.test/b/index.php", "the b"),
        ("https://site.test/c/", "the c"),
        ("https://site.test/c/index.html", "another c"),
    ]);
    let run = crawl(&site, plan());
    assert_eq!(
        run.urls(),
        ["/", "/a/", "/b/index.php", "/c/", "/c/index.html"]
            .map(|path| format!("https://site.test{path}"))
    );
    assert_eq!(
        run.skipped_with_reasons(),
        [
            ("https://site.test/index.html", "same_page"),
            ("https://site.test/a/index.html", "same_page")
        ]
    );
}

#[test]
fn robots_directives_and_nofollow_are_recorded() {
    let head = ResponseHead { robots: vec!["nofollow".to_owned()], ..ResponseHead::default() };
    let site = Site::of(&[("https://site.test/", "<a rel=nofollow href=/a>a</a><a href=/b>b</a>")])
        .with("https://site.test/a", Answer::Html("<meta name=robots content=noindex>a".to_owned()))
        .with("https://site.test/b", Answer::WithHead(head, "b".to_owned()));
    let run = crawl(&site, plan());
    let seen = |url: &str| (run.item(url).nofollow, run.item(url).robots.clone());
    assert_eq!(seen("https://site.test/a"), (true, vec![RobotsDirective::Noindex]));
    assert_eq!(seen("https://site.test/b"), (false, vec![RobotsDirective::Nofollow]));
}

#[test]
fn single_page_run_fetches_one_page() {
    let site = Site::of(&[("https://site.test/", "<a href=/a>"), ("https://site.test/a", "")]);
    let run = crawl(&site, scoped(Scope { one_page: true, ..Scope::default() }));
    assert_eq!(run.pages_requested(), ["https://site.test/"]);
}

#[test]
fn single_page_is_known_by_the_requested_url() {
    let site = Site::default()
        .moved("https://site.test/", "/en")
        .moved("https://site.test/en", "https://other.test/home")
        .with("https://other.test/home", Answer::Html("<a href=/more>".to_owned()));
    let run = crawl(&site, scoped(Scope { one_page: true, ..Scope::default() }));
    assert_eq!(run.urls(), ["https://site.test/"]);
    let item = run.item("https://site.test/");
    assert_eq!(item.final_url.as_deref(), Some("https://other.test/home"));
    let hops: Vec<_> = item.redirects.iter().map(|hop| (hop.url.as_str(), hop.status)).collect();
    assert_eq!(hops, [("https://site.test/", 301), ("https://site.test/en", 301)]);
}

#[test]
fn files_are_delivered_when_included() {
    let site = Site::of(&[("https://site.test/", "<a href=/report.pdf>")])
        .with("https://site.test/report.pdf", Answer::File);
    let run = crawl(&site, scoped(Scope { include_files: true, ..Scope::default() }));
    assert_eq!(run.urls(), ["https://site.test/", "https://site.test/report.pdf"]);
}
