//! URLs that are only checked: external links, images, files.

use contract::{FetchFault, LinkType, Options, Scope};
use crawl::{BodyNeed, CrawlPlan, Purpose};
use journal::Cause;

use crate::harness::{Answer, Run, Site, crawl, plan};

const HOME: &str = "https://site.test/";

fn scoped(scope: Scope) -> CrawlPlan {
    CrawlPlan { scope, ..plan() }
}

fn external() -> Scope {
    Scope { include_external: true, ..Scope::default() }
}

/// The part of the response that was requested for each URL, without robots.txt.
fn wants(run: &Run) -> Vec<(&str, BodyNeed)> {
    let of = |(task, _): &'_ (crawl::FetchTask, _)| match task.purpose {
        Purpose::Url { need, .. } => Some(need),
        Purpose::Robots { .. } => None,
    };
    run.requests
        .iter()
        .filter_map(|requests| Some((requests.0.url.as_str(), of(requests)?)))
        .collect()
}

#[test]
fn external_links_are_checked_and_never_read() {
    let site = Site::of(&[
        (HOME, "<a href=https://other.test/x?q=1>out</a><a href=https://gone.test/>gone</a>"),
        ("https://other.test/x?q=1", "<a href=/more>more</a>"),
    ]);
    let run = crawl(&site, scoped(external()));
    assert_eq!(run.urls(), [HOME, "https://other.test/x?q=1", "https://gone.test/"]);
    assert_eq!(wants(&run)[1], ("https://other.test/x?q=1", BodyNeed::Head));
    let seen = |url: &str| {
        let item = run.item(url);
        (item.status_code, item.external, item.broken, item.found_on.as_deref())
    };
    assert_eq!(seen("https://other.test/x?q=1"), (Some(200), true, false, Some(HOME)));
    assert_eq!(seen("https://gone.test/"), (Some(404), true, true, Some(HOME)));
    assert_eq!(run.units, 1, "external pages are free");
    assert_eq!(crawl(&site, plan()).urls(), [HOME], "only when requested");
}

#[test]
fn rejected_head_request_falls_back_to_first_bytes() {
    let site = Site::of(&[(HOME, "<a href=https://other.test/a>out</a>")])
        .with("https://other.test/a", Answer::HeadRejected);
    let run = crawl(&site, scoped(external()));
    assert_eq!(
        wants(&run)[1..],
        [("https://other.test/a", BodyNeed::Head), ("https://other.test/a", BodyNeed::FirstBytes)]
    );
    let item = run.item("https://other.test/a");
    assert_eq!((item.status_code, item.kind), (Some(200), LinkType::File));
}

#[test]
fn redirects_of_external_links_are_followed() {
    let site = Site::of(&[(HOME, "<a href=https://other.test/a>out</a>")])
        .moved("https://other.test/a", "https://third.test/b")
        .with("https://third.test/b", Answer::Status(503))
        .with("https://third.test/b", Answer::Html("found".to_owned()));
    let run = crawl(&site, scoped(external()));
    assert_eq!(run.urls(), [HOME, "https://other.test/a"]);
    let item = run.item("https://other.test/a");
    assert_eq!(item.final_url.as_deref(), Some("https://third.test/b"));
    assert_eq!((item.status_code, item.redirects.len()), (Some(200), 1));
    let requests: Vec<_> = run.requests.iter().map(|(task, _)| task.url.as_str()).collect();
    assert!(requests.contains(&"https://third.test/robots.txt"), "every host has its rules");
}

#[test]
fn robots_txt_of_external_hosts_is_obeyed() {
    let site = Site::of(&[(
        HOME,
        "<a href=https://shy.test/a>1</a><a href=https://dead.test/a>2</a>\
         <a href=https://loop.test/a>3</a>",
    )])
    .with("https://shy.test/robots.txt", Answer::Text("User-agent: *\nDisallow: /".to_owned()))
    .with("https://dead.test/robots.txt", Answer::Failure(Cause::NameNotFound))
    .moved("https://loop.test/a", "/b")
    .moved("https://loop.test/b", "/a");
    let run = crawl(&site, scoped(external()));
    let seen = |url: &str| (run.item(url).status_code, run.item(url).error, run.item(url).broken);
    assert_eq!(seen("https://shy.test/a"), (None, Some(FetchFault::Robots), false));
    assert_eq!(seen("https://dead.test/a"), (None, Some(FetchFault::Dns), true));
    assert_eq!(seen("https://loop.test/a"), (Some(301), Some(FetchFault::RedirectLoop), true));
    assert!(matches!(run.end, crawl::Action::Finish(job::RunEnding::Complete)));
}

#[test]
fn images_and_files_are_checked_when_included() {
    let page = "<img src=/a.png><img data-src=/b.webp><a href=/c.pdf>c</a><video src=/d.mp4>\
                </video><img src=https://cdn.test/e.png><a href=/f.jpg>f</a>";
    let site = ["/a.png", "/b.webp", "/c.pdf", "/d.mp4", "/f.jpg"].iter().fold(
        Site::of(&[(HOME, page)]),
        |site, path| {
            let kind = match path.rsplit('.').next() {
                Some("pdf") => "application/pdf",
                Some("mp4") => "video/mp4",
                _ => "image/png",
            };
            let head = crawl::ResponseHead {
                content_type: Some(kind.to_owned()),
                size_bytes: 77,
                ..crawl::ResponseHead::default()
            };
            site.with(&format!("https://site.test{path}"), Answer::WithHead(head, "x".to_owned()))
        },
    );
    let paths = |scope: Scope| {
        let run = crawl(&site, scoped(scope));
        assert!(wants(&run)[1..].iter().all(|(_, need)| *need == BodyNeed::Head));
        let urls = run.urls().into_iter().skip(1);
        urls.map(|url| url.trim_start_matches("https://").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(Scope::default()), [""; 0]);
    let images = Scope { include_images: true, ..Scope::default() };
    assert_eq!(paths(images.clone()), ["site.test/a.png", "site.test/b.webp", "site.test/f.jpg"]);
    let files = Scope { include_files: true, ..Scope::default() };
    assert_eq!(paths(files), ["site.test/c.pdf", "site.test/d.mp4"]);
    let all = Scope { include_images: true, include_files: true, ..external() };
    assert_eq!(paths(all).len(), 6, "and those of other hosts with the links that leave");
    let run = crawl(&site, scoped(images.clone()));
    let item = run.item("https://site.test/a.png");
    assert_eq!((item.kind, item.size_bytes, item.external), (LinkType::Image, Some(77), false));
    assert_eq!(run.units, 4, "a URL of the site that answers is a unit");
    let dead = crawl(&Site::of(&[(HOME, page)]), scoped(images));
    assert_eq!(dead.urls(), [HOME], "what is broken is delivered when that is requested");
}

#[test]
fn slow_host_does_not_block_other_hosts() {
    let links: String = (0..20).map(|n| format!("<a href=https://slow.test/{n}>s</a>")).collect();
    let site = Site::of(&[
        (HOME, &format!("{links}<a href=/quick>q</a>")),
        ("https://site.test/quick", "q"),
    ]);
    let run = crawl(&site, CrawlPlan { host_concurrency: 2, concurrency: 4, ..scoped(external()) });
    let place = |url: &str| run.pages_requested().iter().position(|requests| *requests == url);
    assert!(place("https://site.test/quick") < place("https://slow.test/2"));
}

#[test]
fn external_links_are_recorded_without_following_links() {
    let site = Site::of(&[(HOME, "<a href=https://other.test/>out</a>")])
        .with("https://site.test/sitemap.xml", Answer::Text(format!("{HOME}\n")));
    let options = Options { sitemap_first: true, ..Options::default() };
    let run = crawl(&site, CrawlPlan { options, ..scoped(external()) });
    assert_eq!(run.urls(), [HOME, "https://other.test/"]);
}
