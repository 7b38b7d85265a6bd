//! Invalid and unusual robots.txt files, with good pages behind them.

use job::RunEnding;
use lab::{Catalogue, Lab, OddRules};

use crate::expectations::assert_matches_site;
use crate::harness::{fetcher, plan, run, settings};

const HEALTHY: &str = "healthy.lab.test";

#[tokio::test(flavor = "multi_thread")]
async fn invalid_robots_txt_is_handled_as_rfc_9309_says() {
    let secret = Lab::start().await.expect("a port is free");
    secret.serve("secret.lab.test", Catalogue::plain(1));
    let lab = Lab::start().await.expect("a port is free");
    lab.serve(HEALTHY, Catalogue::mixed(50));
    let mut hosts = vec![HEALTHY.to_owned()];
    for (number, odd) in OddRules::all(secret.address()).into_iter().enumerate() {
        let host = format!("odd-{number}.lab.test");
        lab.serve(&host, odd);
        hosts.push(host);
    }
    let fetcher = fetcher(settings(&lab));
    let mut runs = tokio::task::JoinSet::new();
    for host in hosts {
        let fetcher = fetcher.clone();
        runs.spawn(async move {
            let run = run(&fetcher, plan(&host)).await;
            (host, run)
        });
    }
    while let Some(done) = runs.join_next().await {
        let (host, run) = done.expect("no panic");
        assert_matches_site(&run, &lab, &host);
        if host == HEALTHY {
            assert_eq!(run.ending, RunEnding::Complete);
        }
    }
    assert_eq!(secret.request_count(), 0, "a redirect led to a forbidden address");
}
