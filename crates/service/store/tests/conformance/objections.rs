//! The list of objections: one for all nodes, heeded by every commit.

use contract::{AuditAction, Credits, Item, Millis};
use privacy::OptOut;
use privacy::OptOutKind;
use serde_json::json;
use store::{Appended, AuditFilter, Page};

use crate::bench::{Bench, NOW, contact_item, pages_commit};
use crate::on_both;

on_both!(
    an_objection_is_kept_once_and_can_be_withdrawn,
    a_list_of_people_does_not_tell_who_they_are,
    every_node_learns_of_it,
    a_commit_heeds_what_another_node_has_just_been_told,
    a_record_that_is_left_empty_is_free,
    a_domain_that_objects_leaves_a_bare_record,
    texts_of_other_modes_lose_the_mailbox,
    settings_add_to_the_list,
);

fn email(text: &str) -> OptOut {
    OptOut::email(text).expect("a mailbox")
}

async fn an_objection_is_kept_once_and_can_be_withdrawn(bench: Bench) {
    let (ada, firm) = (email("ada@firm.test"), OptOut::domain("firm.test").expect("a domain"));
    let store = &bench.store;
    assert!(store.add_objection(&ada, NOW).await.expect("it answers"));
    assert!(!store.add_objection(&email("ADA+x@firm.test"), Millis(0)).await.expect("it answers"));
    assert!(store.add_objection(&firm, NOW).await.expect("it answers"));
    let kept = store.objection_records().await.expect("it answers");
    let kept: Vec<_> = kept.iter().map(|one| (one.kind, one.hint.as_str(), one.added_at)).collect();
    let expected =
        [(OptOutKind::Domain, "firm.test", NOW), (OptOutKind::Email, "a…@firm.test", NOW)];
    assert_eq!(kept, expected);
    assert!(store.remove_objection(&ada).await.expect("it answers"));
    assert!(!store.remove_objection(&ada).await.expect("it answers"));
    let list = store.refresh_objections().await.expect("it answers");
    assert!(list.cover_host("firm.test"));
    assert!(store.remove_objection(&firm).await.expect("it answers"));
    assert!(store.refresh_objections().await.expect("it answers").is_empty());
    let page = Page { number: 1, size: 10 };
    let (log, _) = store.audit_entries(&AuditFilter::default(), page).await.expect("it answers");
    for action in [AuditAction::ObjectionAdded, AuditAction::ObjectionRemoved] {
        assert_eq!(log.iter().filter(|entry| entry.action == action).count(), 2, "{action}");
    }
    let shown = format!("{log:?}");
    assert!(!shown.contains("firm.test"), "{shown}");
}

async fn a_list_of_people_does_not_tell_who_they_are(bench: Bench) {
    let name = OptOut::name("Ada Lovelace").expect("a name");
    for objection in [email("ada@firm.test"), name] {
        bench.store.add_objection(&objection, NOW).await.expect("it answers");
    }
    let kept = format!("{:?}", bench.store.objection_records().await.expect("it answers"));
    assert!(!kept.to_lowercase().contains("ada"), "{kept}");
}

async fn every_node_learns_of_it(bench: Bench) {
    let other = bench.other_node().await;
    let list = other.objections();
    assert!(other.refresh_objections().await.expect("it answers").is_empty());
    bench.store.add_objection(&email("ada@firm.test"), NOW).await.expect("it answers");
    assert!(!list.now().cover_mailbox("ada@firm.test"), "it has not looked yet");
    other.refresh_objections().await.expect("it answers");
    assert!(list.now().cover_mailbox("ada@firm.test"));
}

async fn a_commit_heeds_what_another_node_has_just_been_told(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.visiting(&account, &["firm.test"]).await;
    let record = || contact_item("firm.test", &["Ada Lovelace", "Bob Bit"]);
    bench.append_records(&mut lease, vec![record()]).await;
    let other = bench.other_node().await;
    other.add_objection(&email("ada.lovelace@firm.test"), NOW).await.expect("it answers");
    assert_eq!(bench.append_records(&mut lease, vec![record()]).await, Appended::Stored);
    let items = bench.store.results(&job.id, 0, 10).await.expect("it answers").items;
    let people = |item: &serde_json::Value| item["people"].as_array().map(Vec::len);
    assert_eq!((people(&items[0]), people(&items[1])), (Some(2), Some(1)));
    assert!(!items[1].to_string().contains("ovelace"));
    assert_eq!(items[1]["status"], "found");
    assert_eq!(bench.job(&job.id).await.credits_used, Credits(20));
}

async fn a_record_that_is_left_empty_is_free(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.visiting(&account, &["a.test", "b.test"]).await;
    let mut record = contact_item("a.test", &["Ada Lovelace"]);
    record.emails.remove(0);
    record.phones.remove(0);
    record.addresses.clear();
    let ada = OptOut::name("Ada Lovelace").expect("a name");
    bench.store.add_objection(&ada, NOW).await.expect("it answers");
    bench.append_records(&mut lease, vec![record, contact_item("b.test", &[])]).await;
    let items = bench.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!((&items[0]["status"], &items[1]["status"]), (&json!("none"), &json!("found")));
    assert_eq!(items[0]["people"], json!([]));
    let job = bench.job(&job.id).await;
    assert_eq!((job.units.0, job.credits_used), (1, Credits(10)));
    bench.audit(&account).await;
    // A crash gives back what was charged, not what would have been.
    let log = bench.store.shard_log(&lease).await.expect("it answers");
    assert_eq!(log.commits[0].totals().units, 1);
}

async fn a_domain_that_objects_leaves_a_bare_record(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.visiting(&account, &["firm.test"]).await;
    let firm = OptOut::domain("firm.test").expect("a domain");
    bench.store.add_objection(&firm, NOW).await.expect("it answers");
    bench.append_records(&mut lease, vec![contact_item("firm.test", &["Ada Lovelace"])]).await;
    let items = bench.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!(
        (&items[0]["domain"], &items[0]["status"]),
        (&json!("firm.test"), &json!("blocked"))
    );
    assert_eq!((&items[0]["emails"], &items[0]["company"]["name"]), (&json!([]), &json!(null)));
    assert_eq!(bench.job(&job.id).await.credits_used, Credits(0));
}

async fn settings_add_to_the_list(mut bench: Bench) {
    bench.settings.objections = vec![email("ada.lovelace@firm.test")];
    bench.store = bench.other_node().await;
    bench.store.add_objection(&email("bob.bit@firm.test"), NOW).await.expect("it answers");
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.visiting(&account, &["firm.test"]).await;
    let people = ["Ada Lovelace", "Bob Bit", "Eve Other"];
    bench.append_records(&mut lease, vec![contact_item("firm.test", &people)]).await;
    let items = bench.store.results(&job.id, 0, 10).await.expect("it answers").items;
    let left: Vec<_> = items[0]["people"].as_array().expect("people").iter().collect();
    assert_eq!((left.len(), &left[0]["name"]), (1, &json!("Eve Other")));
}

async fn texts_of_other_modes_lose_the_mailbox(bench: Bench) {
    let account = bench.account("a@x.org", 100).await;
    let (job, mut lease) = bench.running(&account, "example.com").await;
    bench.store.add_objection(&email("ada@firm.test"), NOW).await.expect("it answers");
    let (commit, mut items) = pages_commit(0..3);
    if let Item::Link(page) = &mut items[1] {
        page.title = Some("Contact\nAda@firm.test, bob@firm.test".to_owned());
    }
    let appended = bench.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    let read = bench.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!(read[1]["title"], "Contact\n(removed), bob@firm.test");
    assert_eq!(read[0], serde_json::to_value(&items[0]).expect("JSON"));
    assert_eq!(bench.job(&job.id).await.credits_used, Credits(3), "a page is a page");
}
