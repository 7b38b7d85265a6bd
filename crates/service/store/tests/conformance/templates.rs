//! Extraction templates: stored with the commit that learned them, read by the next run.

use journal::{Commit, Fact, Finished, ItemIdentity, Outcome, Step, UrlId};
use store::Appended;

use crate::harness::{Harness, NOW, pages_commit};
use crate::on_both;

on_both!(
    last_learned_template_is_stored,
    template_is_stored_only_with_its_commit,
    template_can_be_listed_and_deleted,
    product_pages_are_counted,
);

fn version(site: &str, template: &[u8], learned: bool) -> Step {
    let (site, template) = (site.to_owned(), template.to_vec());
    Step::Learned(Fact::Template { site, template, learned })
}

async fn append(harness: &Harness, lease: &mut store::Lease, steps: Vec<Step>) -> Appended {
    let commit = Commit { steps };
    harness.store.append(lease, &commit, &[], &[], NOW).await.expect("it answers")
}

async fn last_learned_template_is_stored(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    assert_eq!(harness.store.template("example.com").await.expect("it answers"), None);
    // A run does not store the template that it started with: another may have learned a newer one.
    append(&harness, &mut lease, vec![version("example.com", b"begun with", false)]).await;
    assert_eq!(harness.store.template("example.com").await.expect("it answers"), None);
    let steps = vec![
        version("example.com", b"first", true),
        version("example.org", b"other", true),
        version("example.com", &[0, 255, 7], true),
    ];
    append(&harness, &mut lease, steps).await;
    append(&harness, &mut lease, vec![version("example.com", b"newest", true)]).await;
    let kept = harness.store.templates().await.expect("it answers");
    let kept: Vec<_> = kept
        .iter()
        .map(|template| (template.site.as_str(), template.version, template.body.as_slice()))
        .collect();
    assert_eq!(kept, [("example.com", 2, &b"newest"[..]), ("example.org", 1, b"other")]);
}

async fn template_is_stored_only_with_its_commit(harness: Harness) {
    let account = harness.account("a@x.org", 3).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    let stale = store::Lease { epoch: lease.epoch - 1, ..lease.clone() };
    let steps = vec![version("example.com", b"stale", true)];
    assert_eq!(append(&harness, &mut stale.clone(), steps).await, Appended::Lost);
    let (mut commit, items) = pages_commit(0..9);
    commit.steps.push(version("example.com", b"unpaid", true));
    let appended = harness.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert!(matches!(appended.expect("it answers"), Appended::Short { .. }));
    assert_eq!(harness.store.template("example.com").await.expect("it answers"), None);
}

async fn template_can_be_listed_and_deleted(harness: Harness) {
    let account = harness.account("a@x.org", 3).await;
    let (_, mut lease) = harness.running(&account, "example.com").await;
    append(&harness, &mut lease, vec![version("example.com", b"learned", true)]).await;
    let kept = harness.store.template("example.com").await.expect("it answers");
    assert_eq!(kept.as_deref(), Some(&b"learned"[..]));
    assert_eq!(harness.store.templates().await.expect("it answers")[0].learned_at, NOW);
    assert!(harness.store.delete_template("example.com").await.expect("it answers"));
    assert!(!harness.store.delete_template("example.com").await.expect("it answers"));
    assert_eq!(harness.store.template("example.com").await.expect("it answers"), None);
}

async fn product_pages_are_counted(harness: Harness) {
    let account = harness.account("a@x.org", 3).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let page = |ordinal, sells: bool| {
        Step::Finished(Finished {
            identity: sells.then(|| Box::new(ItemIdentity::default())),
            ..Finished::bare(UrlId(ordinal), Outcome::Answered(200))
        })
    };
    append(&harness, &mut lease, vec![page(0, false), page(1, true), page(2, true)]).await;
    let job = harness.store.job(&job.id).await.expect("it answers").expect("a job");
    assert_eq!((job.counts.products, job.counts.results), (2, 0));
}
