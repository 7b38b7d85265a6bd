//! The entries besides site crawls on hostile sites: pages that are read at once, lists of URLs, and
//! maps. Each URL has an outcome, and no forbidden address is requested.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{CreateMap, ErrorCode, LinkType, Mode, PageFileFormat, PageId, SiteAccess};
use crawl::CrawlPlan;
use lab::{Catalogue, Hostile, Lab, Signpost, forbidden_urls};
use net::HttpFetch;
use pages::{FailureKind, PageCall, PageOutcome, PageService};
use privacy::Denylist;
use reader::ReadExecutor;
use urls::CanonicalUrl;

use crate::harness::{fetcher, plan, run, settings};

const HOSTILE: &str = "hostile.lab.test";
const SIGNPOST: &str = "signpost.lab.test";

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

/// A page call with all files that need no browser.
fn call(target: CanonicalUrl) -> PageCall {
    let formats = vec![PageFileFormat::Html, PageFileFormat::RawHtml];
    PageCall {
        id: PageId::new(contract::Millis(0), [0; 10]),
        account: String::new(),
        mode: Mode::Links,
        input: target.to_string(),
        url: target,
        options: contract::Options::default(),
        access: SiteAccess { formats, ..SiteAccess::default() },
        with_links: true,
        accepts_protected: false,
        learned: None,
        denylist: Denylist::default(),
        opt_outs_version: 0,
        within: Duration::from_secs(60),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_response_is_one_outcome_of_a_page_call() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HOSTILE, Hostile { secret: secret.address() });
    let service = PageService::new(fetcher(settings(&lab)), plan(HOSTILE).retries);
    let truth = lab.truth(HOSTILE).expect("a site");
    let mut outcomes = BTreeMap::new();
    for path in truth.delivered.keys().chain(truth.skipped.keys()) {
        let target = url(&format!("http://{HOSTILE}{path}"));
        let outcome = match service.read(call(target)).await {
            PageOutcome::Delivered(page) => {
                let link = page.item.link().expect("an item of links");
                assert!(link.kind != LinkType::Page || page.raw_html.is_some(), "{path}");
                "delivered".to_owned()
            }
            PageOutcome::NotDelivered(failure) => {
                assert!(!failure.message.is_empty(), "{path}");
                assert_ne!(failure.kind, FailureKind::Internal, "{path}: {failure:?}");
                format!("{:?}", failure.kind)
            }
            other => panic!("{path}: {other:?}"),
        };
        if let Some(status) = truth.delivered.get(path) {
            // A script that is never closed leaves a start page without text, which needs a browser.
            let is_delivered = outcome == "delivered" || path == "/open-script";
            assert!(is_delivered || *status >= 300, "{path}: {outcome}");
        }
        outcomes.insert(path.clone(), outcome);
    }
    assert!(outcomes.len() > 20, "{outcomes:?}");
    assert!(outcomes.values().any(|outcome| outcome == "Site"), "{outcomes:?}");
    assert_eq!(secret.request_count(), 0, "a redirect led to a forbidden address");
}

#[tokio::test(flavor = "multi_thread")]
async fn list_of_bad_responses_has_an_outcome_for_each_url() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HOSTILE, Hostile { secret: secret.address() });
    let truth = lab.truth(HOSTILE).expect("a site");
    let paths = truth.delivered.keys().chain(truth.skipped.keys());
    let urls = paths.map(|path| url(&format!("http://{HOSTILE}{path}"))).collect();
    let seeds = CrawlPlan::listed(urls).expect("a list");
    let of_site = plan(HOSTILE);
    let plan = CrawlPlan {
        start: seeds.start.clone(),
        seeds: seeds.seeds,
        scope: of_site.scope.clone(),
        concurrency: of_site.concurrency,
        retries: of_site.retries,
        ..of_site
    };
    let listed = run(&fetcher(settings(&lab)), plan).await;
    for (path, status) in &truth.delivered {
        let item = listed.items.get(&format!("http://{HOSTILE}{path}"));
        let item = item.unwrap_or_else(|| panic!("{path} has no result"));
        assert_eq!(item.status_code, Some(*status), "{path}");
    }
    for seen in lab.requests() {
        let forbidden = truth.never.iter().find(|never| seen.path.starts_with(never.as_str()));
        assert_eq!(forbidden, None, "{} was asked for", seen.path);
    }
    assert_eq!(secret.request_count(), 0, "a redirect led to a forbidden address");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_of_a_hostile_site_ends_in_time_and_leaves_it_nowhere() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HOSTILE, Hostile { secret: secret.address() });
    let fetch = HttpFetch::new(settings(&lab)).expect("sound settings");
    let request: CreateMap =
        serde_json::from_value(serde_json::json!({"url": format!("http://{HOSTILE}/")}))
            .expect("a request");
    let within = Duration::from_secs(10);
    let start = url(&request.url);
    let found = probe::map_urls(
        &fetch,
        &ReadExecutor::default(),
        &start,
        &request,
        within,
        &Denylist::default(),
    )
    .await
    .expect("a map");
    assert!(!found.urls.is_empty() && found.urls.len() < 400, "{}", found.urls.len());
    assert_eq!(secret.request_count(), 0, "a redirect led to a forbidden address");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_entry_follows_a_redirect_to_a_forbidden_address() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let places = forbidden_urls(secret.address());
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(SIGNPOST, Signpost(places.clone()));
    let fetcher = fetcher(settings(&lab));
    let service = PageService::new(fetcher.clone(), plan(SIGNPOST).retries);
    let urls: Vec<_> =
        (0..places.len()).map(|number| url(&format!("http://{SIGNPOST}/to-{number}"))).collect();
    for (target, place) in urls.iter().zip(&places) {
        let outcome = service.read(call(target.clone())).await;
        let PageOutcome::NotDelivered(failure) = outcome else { panic!("{place}: {outcome:?}") };
        assert_eq!(failure.kind, FailureKind::Address, "{place}: {failure:?}");
        assert_eq!(failure.code, ErrorCode::InvalidUrl, "{place}");
    }
    let seeds = CrawlPlan::listed(urls).expect("a list");
    let of_site = plan(SIGNPOST);
    let listed = CrawlPlan { start: seeds.start.clone(), seeds: seeds.seeds, ..of_site };
    let listed = run(&fetcher, listed).await;
    assert!(listed.items.values().all(|item| item.status_code != Some(200)), "{:?}", listed.items);
    let fetch = HttpFetch::new(settings(&lab)).expect("sound settings");
    for number in [0, 9, 30] {
        let request = serde_json::json!({"url": format!("http://{SIGNPOST}/to-{number}")});
        let request: CreateMap = serde_json::from_value(request).expect("a request");
        let start = url(&request.url);
        let within = Duration::from_secs(5);
        let (readers, denylist) = (ReadExecutor::default(), Denylist::default());
        let map = probe::map_urls(&fetch, &readers, &start, &request, within, &denylist).await;
        let is_empty = map.as_ref().is_ok_and(|map| map.urls.len() <= 1);
        assert!(map.is_err() || is_empty, "{map:?}");
    }
    assert_eq!(secret.request_count(), 0);
}
