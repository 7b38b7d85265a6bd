//! Every robots.txt that is not as it should be, with sound pages behind it.

use job::RunEnding;
use lab::{Catalogue, Lab, OddRules};

use crate::bench::{fetcher, plan, run, settings};
use crate::told::assert_true;

const HEALTHY: &str = "healthy.lab.test";

#[tokio::test(flavor = "multi_thread")]
async fn odd_rules_are_taken_as_the_standard_says() {
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
        assert_true(&run, &lab, &host);
        if host == HEALTHY {
            assert_eq!(run.ending, RunEnding::Complete);
        }
    }
    assert_eq!(secret.request_count(), 0, "a redirect led to where nobody may go");
}
