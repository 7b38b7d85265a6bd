//! One run over all bad responses, next to a run on a good site.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{FetchFault, LinkType};
use job::RunEnding;
use lab::{Catalogue, Hostile, Lab, Tarpit};
use net::HttpSettings;

use crate::expectations::assert_matches_site;
use crate::harness::{Run, fetcher, peak_memory, plan, run, settings};

const HOSTILE: &str = "hostile.lab.test";
const HEALTHY: &str = "healthy.lab.test";

/// Memory for sixteen bodies of 8 MiB, raw and decoded, and for the lab that serves them.
const MEMORY_AT_MOST: u64 = 1024 * 1024 * 1024;

/// Retryable URLs are requested at most three times, others once.
fn assert_tries(run: &Run, lab: &Lab) {
    let mut tries = BTreeMap::<String, usize>::new();
    for seen in lab.requests().into_iter().filter(|seen| seen.host == HOSTILE) {
        *tries.entry(seen.path).or_default() += 1;
    }
    for (path, tries) in tries {
        let item = run.items.get(&format!("http://{HOSTILE}{path}"));
        let most = match item.and_then(|item| item.error) {
            Some(FetchFault::Connect | FetchFault::Http) => 3,
            _ => 1,
        };
        assert!(tries <= most, "{path} was asked for {tries} times");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_responses_affect_only_their_url_and_no_other_run() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let lab = Lab::start().await.expect("a port is free");
    let site = Hostile { secret: secret.address() };
    lab.serve(HOSTILE, site.clone()).serve(HEALTHY, Catalogue::mixed(300));
    let fetcher = fetcher(settings(&lab));
    let mut again = plan(HOSTILE);
    again.retries.pages = 2;
    let (hostile, healthy) = tokio::join!(run(&fetcher, again), run(&fetcher, plan(HEALTHY)));

    assert_matches_site(&hostile, &lab, HOSTILE);
    assert_tries(&hostile, &lab);
    assert!(
        matches!(hostile.ending, RunEnding::Complete | RunEnding::Partial { .. }),
        "{:?}",
        hostile.ending
    );
    for (path, title) in site.titles() {
        let item = &hostile.items[&format!("http://{HOSTILE}{path}")];
        assert_eq!(item.title, title, "{path}");
    }
    assert_eq!(secret.request_count(), 0, "a redirect led to a forbidden address");
    assert!(hostile.known < 400, "nothing breeds URLs: {}", hostile.known);

    assert_matches_site(&healthy, &lab, HEALTHY);
    assert_eq!(healthy.ending, RunEnding::Complete);
    let memory = peak_memory();
    assert!(memory.is_none_or(|bytes| bytes < MEMORY_AT_MOST), "{memory:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_host_times_out_without_blocking_other_hosts() {
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HOSTILE, Tarpit).serve(HEALTHY, Catalogue::mixed(100));
    let hasty = HttpSettings {
        first_byte: Duration::from_secs(4),
        drip_window: Duration::from_secs(4),
        ..settings(&lab)
    };
    let fetcher = fetcher(hasty);
    let (tarpit, healthy) =
        tokio::join!(run(&fetcher, plan(HOSTILE)), run(&fetcher, plan(HEALTHY)));
    assert_matches_site(&tarpit, &lab, HOSTILE);
    assert!(matches!(tarpit.ending, RunEnding::Partial { .. }), "{:?}", tarpit.ending);
    assert_matches_site(&healthy, &lab, HEALTHY);
    assert_eq!(healthy.ending, RunEnding::Complete);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_classified_by_their_first_bytes_and_announced_size() {
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HOSTILE, Hostile::default());
    let fetcher = fetcher(settings(&lab));
    for (path, kind, size) in [
        ("/large-film", LinkType::File, Some(20 * 1024 * 1024)),
        ("/large-bytes", LinkType::File, Some(20 * 1024 * 1024)),
        ("/large-image", LinkType::Image, Some(20 * 1024 * 1024)),
        ("/large-text", LinkType::Other, Some(20 * 1024 * 1024)),
        ("/endless-film", LinkType::File, None),
    ] {
        let mut plan = plan(&format!("{HOSTILE}{path}"));
        plan.scope.one_page = true;
        plan.scope.include_files = true;
        plan.scope.include_images = true;
        let run = run(&fetcher, plan).await;
        assert_eq!(run.ending, RunEnding::Complete, "{path}");
        let item = &run.items[&format!("http://{HOSTILE}{path}")];
        assert_eq!((item.kind, item.status_code, item.error), (kind, Some(200), None), "{path}");
        if size.is_some() {
            assert_eq!(item.size_bytes, size, "{path}");
        }
    }
}
