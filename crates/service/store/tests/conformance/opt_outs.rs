//! Opt-outs: one list for all nodes, applied to every commit.

use contract::{AuditAction, Credits, Item, Millis};
use privacy::{OptOut, OptOutKind};
use serde_json::json;
use store::{Appended, AuditFilter, PageRequest};

use crate::harness::{Harness, NOW, contact_item, pages_commit};
use crate::on_both;

on_both!(
    opt_out_is_stored_once_and_can_be_removed,
    list_of_opt_outs_hides_the_persons,
    opt_out_reaches_every_node,
    commit_is_redacted_with_the_opt_out_of_another_node,
    emptied_record_is_not_charged,
    opted_out_domain_leaves_an_empty_record,
    texts_of_other_modes_are_redacted,
    opt_outs_of_the_settings_are_applied,
);

fn email(text: &str) -> OptOut {
    OptOut::email(text).expect("a mailbox")
}

async fn opt_out_is_stored_once_and_can_be_removed(harness: Harness) {
    let (ada, firm) = (email("ada@firm.test"), OptOut::domain("firm.test").expect("a domain"));
    let store = &harness.store;
    assert!(store.add_opt_out(&ada, NOW).await.expect("it answers"));
    assert!(!store.add_opt_out(&email("ADA+x@firm.test"), Millis(0)).await.expect("it answers"));
    assert!(store.add_opt_out(&firm, NOW).await.expect("it answers"));
    let stored = store.opt_out_records().await.expect("it answers");
    let stored: Vec<_> =
        stored.iter().map(|one| (one.kind, one.hint.as_str(), one.added_at)).collect();
    let expected =
        [(OptOutKind::Domain, "firm.test", NOW), (OptOutKind::Email, "a…@firm.test", NOW)];
    assert_eq!(stored, expected);
    assert!(store.remove_opt_out(&ada).await.expect("it answers"));
    assert!(!store.remove_opt_out(&ada).await.expect("it answers"));
    let list = store.refresh_opt_outs().await.expect("it answers");
    assert!(list.cover_host("firm.test"));
    assert!(store.remove_opt_out(&firm).await.expect("it answers"));
    assert!(store.refresh_opt_outs().await.expect("it answers").is_empty());
    let page = PageRequest { number: 1, size: 10 };
    let (log, _) = store.audit_entries(&AuditFilter::default(), page).await.expect("it answers");
    for action in [AuditAction::ObjectionAdded, AuditAction::ObjectionRemoved] {
        assert_eq!(log.iter().filter(|entry| entry.action == action).count(), 2, "{action}");
    }
    let shown = format!("{log:?}");
    assert!(!shown.contains("firm.test"), "{shown}");
}

async fn list_of_opt_outs_hides_the_persons(harness: Harness) {
    let name = OptOut::name("Ada Lovelace").expect("a name");
    for opt_out in [email("ada@firm.test"), name] {
        harness.store.add_opt_out(&opt_out, NOW).await.expect("it answers");
    }
    let stored = format!("{:?}", harness.store.opt_out_records().await.expect("it answers"));
    assert!(!stored.to_lowercase().contains("ada"), "{stored}");
}

async fn opt_out_reaches_every_node(harness: Harness) {
    let other = harness.other_node().await;
    let list = other.opt_outs();
    assert!(other.refresh_opt_outs().await.expect("it answers").is_empty());
    harness.store.add_opt_out(&email("ada@firm.test"), NOW).await.expect("it answers");
    assert!(!list.now().cover_mailbox("ada@firm.test"), "not refreshed yet");
    other.refresh_opt_outs().await.expect("it answers");
    assert!(list.now().cover_mailbox("ada@firm.test"));
}

async fn commit_is_redacted_with_the_opt_out_of_another_node(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
    let record = || contact_item("firm.test", &["Ada Lovelace", "Bob Bit"]);
    harness.append_records(&mut lease, vec![record()]).await;
    let other = harness.other_node().await;
    other.add_opt_out(&email("ada.lovelace@firm.test"), NOW).await.expect("it answers");
    assert_eq!(harness.append_records(&mut lease, vec![record()]).await, Appended::Stored);
    let items = harness.store.results(&job.id, 0, 10).await.expect("it answers").items;
    let people = |item: &serde_json::Value| item["people"].as_array().map(Vec::len);
    assert_eq!((people(&items[0]), people(&items[1])), (Some(2), Some(1)));
    assert!(!items[1].to_string().contains("ovelace"));
    assert_eq!(items[1]["status"], "found");
    assert_eq!(harness.job(&job.id).await.credits_used, Credits(20));
}

async fn emptied_record_is_not_charged(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["a.test", "b.test"]).await;
    let mut record = contact_item("a.test", &["Ada Lovelace"]);
    record.emails.remove(0);
    record.phones.remove(0);
    record.addresses.clear();
    let ada = OptOut::name("Ada Lovelace").expect("a name");
    harness.store.add_opt_out(&ada, NOW).await.expect("it answers");
    harness.append_records(&mut lease, vec![record, contact_item("b.test", &[])]).await;
    let items = harness.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!((&items[0]["status"], &items[1]["status"]), (&json!("none"), &json!("found")));
    assert_eq!(items[0]["people"], json!([]));
    let job = harness.job(&job.id).await;
    assert_eq!((job.units.0, job.credits_used), (1, Credits(10)));
    harness.audit(&account).await;
    // Replay after a crash has the charged units.
    let log = harness.store.shard_log(&lease).await.expect("it answers");
    assert_eq!(log.commits[0].totals().units, 1);
}

async fn opted_out_domain_leaves_an_empty_record(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
    let firm = OptOut::domain("firm.test").expect("a domain");
    harness.store.add_opt_out(&firm, NOW).await.expect("it answers");
    harness.append_records(&mut lease, vec![contact_item("firm.test", &["Ada Lovelace"])]).await;
    let items = harness.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!(
        (&items[0]["domain"], &items[0]["status"]),
        (&json!("firm.test"), &json!("blocked"))
    );
    assert_eq!((&items[0]["emails"], &items[0]["company"]["name"]), (&json!([]), &json!(null)));
    assert_eq!(harness.job(&job.id).await.credits_used, Credits(0));
}

async fn opt_outs_of_the_settings_are_applied(mut harness: Harness) {
    harness.settings.opt_outs = vec![email("ada.lovelace@firm.test")];
    harness.store = harness.other_node().await;
    harness.store.add_opt_out(&email("bob.bit@firm.test"), NOW).await.expect("it answers");
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.visiting(&account, &["firm.test"]).await;
    let people = ["Ada Lovelace", "Bob Bit", "Eve Other"];
    harness.append_records(&mut lease, vec![contact_item("firm.test", &people)]).await;
    let items = harness.store.results(&job.id, 0, 10).await.expect("it answers").items;
    let left: Vec<_> = items[0]["people"].as_array().expect("people").iter().collect();
    assert_eq!((left.len(), &left[0]["name"]), (1, &json!("Eve Other")));
}

async fn texts_of_other_modes_are_redacted(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.store.add_opt_out(&email("ada@firm.test"), NOW).await.expect("it answers");
    let (commit, mut items) = pages_commit(0..3);
    if let Item::Link(page) = &mut items[1] {
        page.title = Some("Contact\nAda@firm.test, bob@firm.test".to_owned());
    }
    let appended = harness.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    let read = harness.store.results(&job.id, 0, 10).await.expect("it answers").items;
    assert_eq!(read[1]["title"], "Contact\n(removed), bob@firm.test");
    assert_eq!(read[0], serde_json::to_value(&items[0]).expect("JSON"));
    assert_eq!(harness.job(&job.id).await.credits_used, Credits(3), "a redacted page is charged");
}
