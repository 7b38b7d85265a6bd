//! Erasure: everything about a person or domain is redacted, and everything else stays.

use contract::{ContactItem, ContactStatus, Credits, ExportFormat, External, Item, JobId};
use job::{JobCommand, RunEnding};
use journal::{Commit, DiscoveredUrl, Overlay, PayloadType, Revision, Snapshot, Step, Via, ViaSet};
use privacy::OptOut;
use serde_json::{Value, json};
use store::{Appended, EraseMode, EraseReport, IdempotencyKey, Lease, NewJob, Replay, Store};

use crate::harness::{
    Harness, NOW, contact_item, contacts_commit, new_contacts_job, new_job, pages_commit,
};
use crate::on_both;

on_both!(
    person_is_erased_from_the_results_of_all_accounts,
    dry_run_counts_and_changes_nothing,
    erased_domain_keeps_positions_without_data,
    erased_pages_keep_only_their_urls,
    requests_events_and_responses_are_redacted,
    run_logs_are_redacted,
    erasure_is_complete_during_commits_and_merges,
);

const ADA: &str = "ada.lovelace@firm.test";

fn ada() -> OptOut {
    OptOut::email(ADA).expect("a mailbox")
}

async fn erase(store: &Store, opt_out: &OptOut) -> EraseReport {
    store.erase(opt_out, EraseMode::Apply, NOW).await.expect("it erases")
}

async fn items(harness: &Harness, job: &JobId) -> Vec<Value> {
    harness.store.results(job, 0, 1_000).await.expect("it answers").items
}

fn record() -> ContactItem {
    contact_item("firm.test", &["Ada Lovelace", "Bob Bit"])
}

async fn person_is_erased_from_the_results_of_all_accounts(harness: Harness) {
    let mut jobs = Vec::new();
    for owner in ["a@x.org", "b@x.org"] {
        let account = harness.account(owner, 1_000).await;
        let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
        for n in 0..10 {
            let other = contact_item(&format!("d{n}.test"), &["Eve Ada"]);
            harness.append_records(&mut lease, vec![other, record()]).await;
        }
        let done = JobCommand::Finish(RunEnding::Complete);
        harness.store.report(&lease, &done, NOW).await.expect("it ends");
        jobs.push((account, job.id));
    }
    harness.store.merge_segments(&jobs[0].1).await.expect("it merges");
    let before = items(&harness, &jobs[0].1).await;
    let erased = erase(&harness.store, &ada()).await;
    assert_eq!((erased.opt_out_added, erased.jobs, erased.results), (true, 2, 20));
    assert_eq!(erased.logs_dropped, 2);
    for (account, job) in &jobs {
        let after = items(&harness, job).await;
        assert_eq!(after.len(), 20);
        for (before, after) in before.iter().zip(&after) {
            if before["domain"] != "firm.test" {
                assert_eq!(before, after);
                continue;
            }
            let names: Vec<_> = after["people"].as_array().expect("people").iter().collect();
            assert_eq!((names.len(), &names[0]["name"]), (1, &json!("Bob Bit")));
            assert_eq!(after["phones"].as_array().expect("phones").len(), 2);
            assert!(!after.to_string().contains("ovelace"));
            assert_eq!(after["status"], "found");
        }
        assert_eq!(harness.audit(account).await.balance, Credits(800), "what was paid is paid");
    }
    let list = harness.store.refresh_opt_outs().await.expect("it answers");
    assert!(list.cover_mailbox(ADA));
    let again = erase(&harness.store, &ada()).await;
    assert_eq!(
        again,
        EraseReport { jobs: 2, ..EraseReport::default() },
        "there is nothing left to do"
    );
}

async fn dry_run_counts_and_changes_nothing(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
    harness.append_records(&mut lease, vec![record()]).await;
    let before = items(&harness, &job.id).await;
    let erased = harness.store.erase(&ada(), EraseMode::DryRun, NOW).await.expect("it looks");
    assert_eq!((erased.opt_out_added, erased.results), (false, 1));
    assert_eq!(items(&harness, &job.id).await, before);
    assert!(harness.store.opt_out_records().await.expect("it answers").is_empty());
}

async fn erased_domain_keeps_positions_without_data(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["firm.test", "other.test"]).await;
    let mut other = contact_item("other.test", &["Eve Other"]);
    other.emails.push(record().emails[1].clone());
    harness.append_records(&mut lease, vec![record(), other]).await;
    let ticket = harness
        .store
        .create_export(&job.id, ExportFormat::Json, store::ExportPart::default(), NOW, NOW)
        .await;
    ticket.expect("it answers").expect("the job exists");
    let firm = OptOut::domain("firm.test").expect("a domain");
    assert_eq!(erase(&harness.store, &firm).await.results, 2);
    let left = items(&harness, &job.id).await;
    let bare = ContactItem::empty("firm.test".to_owned(), ContactStatus::Blocked, NOW);
    assert_eq!(left[0], serde_json::to_value(bare).expect("JSON"));
    assert!(!left[1].to_string().contains("firm"), "{}", left[1]);
    assert_eq!(left[1]["people"][0]["name"], "Eve Other");
    let job = harness.job(&job.id).await;
    assert_eq!((job.counts.results, job.credits_used), (2, Credits(20)));
    harness.audit(&account).await;
}

async fn erased_pages_keep_only_their_urls(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..3).await;
    let domain = OptOut::domain("example.com").expect("a domain");
    assert_eq!(erase(&harness.store, &domain).await.results, 3);
    for (n, item) in items(&harness, &job.id).await.iter().enumerate() {
        assert_eq!(item["url"], format!("https://example.com/{n}"));
        assert_eq!((&item["title"], &item["status_code"]), (&json!(null), &json!(200)));
    }
    assert_eq!(erase(&harness.store, &domain).await.results, 0);
}

async fn requests_events_and_responses_are_redacted(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let hook = harness.webhook(&account, None).await.details.id;
    let mut new = new_job(&account, "example.com");
    new.draft.url = Some(format!("https://example.com/?to={}", ADA.replace('@', "%40")));
    let other = json!({"note": format!("for {ADA}")});
    let other = other.as_object().expect("members").clone();
    new.draft.external = Some(External { other, ..External::default() });
    let key = IdempotencyKey { key: "k1".to_owned(), body_hash: "b".to_owned() };
    let new = NewJob { idempotency: Some(key.clone()), ..new };
    let job = harness.create(&new).await.accepted.job_id;
    harness.store.abort(&account, &job, NOW).await.expect("it stops");
    let erased = erase(&harness.store, &ada()).await;
    assert_eq!((erased.requests, erased.events), (3, 1));
    let event = &harness.deliveries(&hook).await[0].payload;
    let shown = event["data"]["job"].clone();
    assert_eq!(shown["url"], "https://example.com/?to=(removed)");
    assert_eq!(shown["external"]["note"], "for (removed)");
    let seen = harness.job(&job).await.public();
    assert_eq!(serde_json::to_value(seen).expect("JSON"), shown);
    let answer = harness.store.replay(&account, &key, NOW).await.expect("it answers");
    assert!(matches!(answer, Replay::Answered(answer) if answer.url == seen_url(&shown)));
    assert!(erase(&harness.store, &ada()).await.is_empty());
}

fn seen_url(job: &Value) -> Option<String> {
    job["url"].as_str().map(str::to_owned)
}

/// A commit with a link whose text is the e-mail address.
async fn append_link(harness: &Harness, lease: &mut Lease) {
    let url = format!("https://example.com/?to={ADA}");
    let found = DiscoveredUrl::page(url, Via::Link, Some(ADA.to_uppercase().into()));
    let commit = Commit { steps: vec![Step::Seeded(vec![found])] };
    let appended = harness.store.append(lease, &commit, &[], &[], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
}

async fn run_logs_are_redacted(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (_, mut over) = harness.running(&account, "example.org").await;
    append_link(&harness, &mut over).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&over, &done, NOW).await.expect("it ends");
    let (job, mut lease) = harness.running(&account, "example.com").await;
    append_link(&harness, &mut lease).await;
    let state = vec![format!("link of {ADA}"), "other".to_owned()];
    let snapshot = Snapshot::of(PayloadType::SiteSnapshot, &state).expect("it encodes");
    assert!(harness.store.write_snapshot(&lease, &snapshot).await.expect("it answers"));
    append_link(&harness, &mut lease).await;
    let (commit, pages) = pages_commit(0..1);
    let alternate = contract::Alternate { lang: "en".to_owned(), url: format!("/{ADA}") };
    let revision = Revision {
        depth: None,
        inlinks: 0,
        ways: ViaSet::default(),
        orphan: false,
        in_sitemap: false,
    };
    harness.store.append(&mut lease, &commit, &pages, &[], NOW).await.expect("it answers");
    let translations = [(0, vec![alternate])].into();
    let overlay = Overlay { revisions: vec![revision], translations, ..Overlay::default() };
    assert!(harness.store.write_overlay(&lease, &overlay).await.expect("it answers"));

    let erased = erase(&harness.store, &ada()).await;
    assert_eq!((erased.logs, erased.logs_dropped, erased.jobs), (3, 1, 2));
    let log = harness.store.shard_log(&lease).await.expect("the run goes on");
    let blotted = "x".repeat(ADA.len());
    let snapshot = log.snapshot.expect("a snapshot");
    let stored = snapshot.open(PayloadType::SiteSnapshot).expect("a header");
    let state: Vec<String> = stored.decode().expect("it decodes");
    assert_eq!(state, [format!("link of {blotted}"), "other".to_owned()]);
    let Step::Seeded(found) = &log.commits[0].steps[0] else { panic!("what was found") };
    assert_eq!(found[0].anchor.as_deref(), Some(blotted.as_str()));
    assert_eq!(found[0].url, format!("https://example.com/?to={blotted}"));
    assert_eq!(items(&harness, &job.id).await.len(), 1);
    assert_eq!(harness.append(&mut lease, 1..2).await, Appended::Stored);
}

async fn erasure_is_complete_during_commits_and_merges(harness: Harness) {
    let mut writers = Vec::new();
    for n in 0..4 {
        let account = harness.account(&format!("a{n}@x.org"), 100_000).await;
        let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
        // Each with its own cached list, like a node.
        let store = harness.other_node().await;
        writers.push(tokio::spawn(async move {
            for at in 0..60 {
                let (commit, items) = contacts_commit(at, vec![record(), record()]);
                store.append(&mut lease, &commit, &items, &[], NOW).await.expect("it appends");
                if at % 20 == 10 {
                    store.merge_segments(&lease.job).await.expect("it merges");
                }
            }
            job.id
        }));
    }
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    let eraser = harness.other_node().await;
    erase(&eraser, &ada()).await;
    for writer in writers {
        let job = writer.await.expect("no panic");
        let read = items(&harness, &job).await;
        assert_eq!(read.len(), 120);
        for item in &read {
            assert!(!item.to_string().contains("ovelace"), "{item}");
        }
    }
}

/// The bytes of the database file and its write-ahead log.
fn raw(folder: &std::path::Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        bytes.extend(std::fs::read(entry.expect("an entry").path()).expect("a file"));
    }
    bytes
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_byte_of_the_mailbox_is_left_in_the_file() {
    let harness = Harness::sqlite().await;
    let folder = harness.folder.as_ref().expect("a folder").path().to_owned();
    let account = harness.account("a@x.org", 10_000).await;
    let mut new = new_contacts_job(&account, &["firm.test"]);
    let other = json!({"note": format!("for {ADA}")}).as_object().expect("members").clone();
    new.draft.external = Some(External { other, ..External::default() });
    harness.create(&new).await;
    let mut lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    for n in 0..50 {
        let mut record = record();
        // Incompressible text stays readable in the file.
        record.company.description = Some(format!("{ADA} {:032x}", rand_like(n)));
        harness.append_records(&mut lease, vec![record]).await;
    }
    let (commit, mut pages) = pages_commit(0..1);
    if let Item::Link(page) = &mut pages[0] {
        page.title = Some(ADA.to_owned());
    }
    harness.store.append(&mut lease, &commit, &pages, &[], NOW).await.expect("it appends");
    harness.store.merge_segments(&lease.job).await.expect("it merges: old rows are free pages now");
    assert!(holds(&raw(&folder), ADA), "present before");
    erase(&harness.store, &ada()).await;
    assert!(!holds(&raw(&folder), ADA), "not even in what was deleted");
    assert!(!holds(&raw(&folder), "ada.lovelace"));
    assert_eq!(harness.append(&mut lease, 9..10).await, Appended::Stored);
}

fn rand_like(n: u128) -> u128 {
    n.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835).wrapping_add(7)
}
