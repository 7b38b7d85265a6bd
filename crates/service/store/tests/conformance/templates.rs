//! Templates of sites: kept with the commit that learned them, found by the next run.

use journal::{Commit, Fact, Finished, Outcome, ProductFingerprint, Step, UrlId};
use store::Appended;

use crate::bench::{Bench, NOW, pages_commit};
use crate::on_both;

on_both!(
    the_last_version_that_was_learned_is_kept,
    a_version_is_kept_with_its_commit_or_not_at_all,
    a_template_can_be_looked_at_and_forgotten,
    pages_that_sell_something_are_counted,
);

fn version(site: &str, template: &[u8], learned: bool) -> Step {
    let (site, template) = (site.to_owned(), template.to_vec());
    Step::Learned(Fact::Template { site, template, learned })
}

async fn append(bench: &Bench, lease: &mut store::Lease, steps: Vec<Step>) -> Appended {
    let commit = Commit { steps };
    bench.store.append(lease, &commit, &[], &[], NOW).await.expect("it answers")
}

async fn the_last_version_that_was_learned_is_kept(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    assert_eq!(bench.store.template("example.com").await.expect("it answers"), None);
    // A run that began with a version does not keep it again: another may have learned since.
    append(&bench, &mut lease, vec![version("example.com", b"begun with", false)]).await;
    assert_eq!(bench.store.template("example.com").await.expect("it answers"), None);
    let steps = vec![
        version("example.com", b"first", true),
        version("example.org", b"other", true),
        version("example.com", &[0, 255, 7], true),
    ];
    append(&bench, &mut lease, steps).await;
    append(&bench, &mut lease, vec![version("example.com", b"newest", true)]).await;
    let kept = bench.store.templates().await.expect("it answers");
    let kept: Vec<_> = kept
        .iter()
        .map(|template| (template.site.as_str(), template.version, template.body.as_slice()))
        .collect();
    assert_eq!(kept, [("example.com", 2, &b"newest"[..]), ("example.org", 1, b"other")]);
}

async fn a_version_is_kept_with_its_commit_or_not_at_all(bench: Bench) {
    let account = bench.account("a@x.org", 3).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    let stale = store::Lease { epoch: lease.epoch - 1, ..lease.clone() };
    let steps = vec![version("example.com", b"stale", true)];
    assert_eq!(append(&bench, &mut stale.clone(), steps).await, Appended::Lost);
    let (mut commit, items) = pages_commit(0..9);
    commit.steps.push(version("example.com", b"unpaid", true));
    let appended = bench.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert!(matches!(appended.expect("it answers"), Appended::Short { .. }));
    assert_eq!(bench.store.template("example.com").await.expect("it answers"), None);
}

async fn a_template_can_be_looked_at_and_forgotten(bench: Bench) {
    let account = bench.account("a@x.org", 3).await;
    let (_, mut lease) = bench.running(&account, "example.com").await;
    append(&bench, &mut lease, vec![version("example.com", b"learned", true)]).await;
    let kept = bench.store.template("example.com").await.expect("it answers");
    assert_eq!(kept.as_deref(), Some(&b"learned"[..]));
    assert_eq!(bench.store.templates().await.expect("it answers")[0].learned_at, NOW);
    assert!(bench.store.forget_template("example.com").await.expect("it answers"));
    assert!(!bench.store.forget_template("example.com").await.expect("it answers"));
    assert_eq!(bench.store.template("example.com").await.expect("it answers"), None);
}

async fn pages_that_sell_something_are_counted(bench: Bench) {
    let account = bench.account("a@x.org", 3).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    let page = |ordinal, sells: bool| {
        Step::Finished(Finished {
            product: sells.then(|| Box::new(ProductFingerprint::default())),
            ..Finished::bare(UrlId(ordinal), Outcome::Answered(200))
        })
    };
    append(&bench, &mut lease, vec![page(0, false), page(1, true), page(2, true)]).await;
    let job = bench.store.job(&job.id).await.expect("it answers").expect("a job");
    assert_eq!((job.counts.products, job.counts.results), (2, 0));
}
