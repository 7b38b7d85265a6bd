//! The queue of e-mails, and links for a new password.

use std::time::Duration;

use contract::{AuditAction, CreditPrice, Credits, ErrorCode, Millis, ScheduleId};
use job::{Backoff, JobCommand, RunEnding};
use store::{
    Appended, AuditFilter, Creation, Lease, MailKind, PageRequest, PasswordReset, PaymentSource,
    QueuedMail, RechargeFailurePolicy, ResetRequest, ScheduledJob, SlotRules, Store, TopUpChange,
};

use super::schedules::daily;
use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    failed_schedule_queues_one_mail_a_day,
    run_of_a_schedule_that_fails_queues_a_mail,
    other_ends_of_runs_queue_no_mail,
    failed_purchase_queues_a_mail_in_its_transaction,
    mail_is_leased_once_and_sent_once,
    nothing_is_queued_without_a_mail_server,
    reset_link_works_once_within_an_hour,
    reset_request_is_alike_for_unknown_addresses_and_limited,
    mails_and_links_are_deleted_with_their_account,
);

const MINUTE: Duration = Duration::from_secs(60);
const LEASE: Duration = Duration::from_secs(180);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn with_mail(harness: Harness) -> Harness {
    harness.with(|settings| settings.sends_mail = true).await
}

async fn claimed(store: &Store, now: Millis) -> Option<QueuedMail> {
    store.claim_mail(LEASE, now).await.expect("it answers")
}

/// A schedule whose slots are missed when it is started days later.
async fn schedule(harness: &Harness) -> ScheduleId {
    let account = harness.account("a@x.org", 10).await;
    let new = new_job(&account, "example.com");
    let made =
        harness.store.create_schedule(&account, daily(ScheduledJob::of(new), NOW), NOW).await;
    made.expect("it answers").expect("below the limit").id
}

async fn start(harness: &Harness, id: &ScheduleId, now: Millis) {
    let rules = SlotRules { tolerance: MINUTE, batch_size: 500 };
    let started = harness.store.start_due(id, rules, now).await.expect("it answers");
    assert!(started.is_some(), "a slot was due");
}

async fn failed_schedule_queues_one_mail_a_day(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    let id = schedule(&harness).await;
    let days = |days: u32| NOW.plus(DAY * days).plus(MINUTE * 300);
    start(&harness, &id, days(2)).await;
    start(&harness, &id, days(3)).await;
    let mail = claimed(store, days(3)).await.expect("a mail");
    assert_eq!((mail.kind, mail.subject.as_str()), (MailKind::ScheduleFailed, id.as_str()));
    assert!(mail.reason.contains("missed"), "{mail:?}");
    assert_eq!(claimed(store, days(3).plus(LEASE)).await.map(|mail| mail.attempts), Some(2));
    store.mark_mail_sent(&mail.id, days(4)).await.expect("it answers");
    start(&harness, &id, days(4)).await;
    assert_eq!(claimed(store, days(5)).await, None, "one was sent on this day");
    start(&harness, &id, days(6)).await;
    let next = claimed(store, days(6)).await.expect("another day");
    assert_ne!(next.id, mail.id, "another mail has another Message-ID");
    store.purge(DAY * 400, days(20)).await.expect("it answers");
    assert_eq!(claimed(store, days(20)).await, None, "expired");
}

/// A running job that a schedule has started.
async fn scheduled_run(harness: &Harness, schedule: &ScheduleId) -> Lease {
    let account =
        harness.store.schedule(schedule).await.expect("it answers").expect("kept").account;
    let run = harness.store.run_schedule(&account, schedule, (500, None), NOW).await;
    let Ok(Some(Creation::Created(_))) = run else { panic!("{run:?}") };
    let lease = harness.claim().await.expect("a shard");
    harness.start(&lease).await;
    lease
}

fn failure(message: &str) -> JobCommand {
    JobCommand::Fail { code: ErrorCode::LoginFailed, message: message.to_owned() }
}

async fn run_of_a_schedule_that_fails_queues_a_mail(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    let id = schedule(&harness).await;
    let lease = scheduled_run(&harness, &id).await;
    store.report(&lease, &failure("the password is wrong"), NOW).await.expect("it fails");
    let mail = claimed(store, NOW).await.expect("a mail");
    assert_eq!((mail.kind, mail.subject.as_str()), (MailKind::ScheduleFailed, id.as_str()));
    let expected = format!("{} failed: the password is wrong (login_failed)", lease.job);
    assert_eq!(mail.reason, expected);
    store.mark_mail_sent(&mail.id, NOW).await.expect("it answers");
    let again = scheduled_run(&harness, &id).await;
    store.report(&again, &failure("still wrong"), NOW).await.expect("it fails");
    assert_eq!(claimed(store, NOW.plus(MINUTE)).await, None, "one was sent on this day");
}

async fn other_ends_of_runs_queue_no_mail(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    let id = schedule(&harness).await;
    let aborted = scheduled_run(&harness, &id).await;
    let account = harness.job(&aborted.job).await.account;
    store.abort(&account, &aborted.job, NOW).await.expect("it is aborted");
    let refused = store.report(&aborted, &failure("too late"), NOW).await;
    refused.expect_err("the lease was revoked");
    let (_, unscheduled) = harness.running(&account, "other.example.com").await;
    store.report(&unscheduled, &failure("no schedule"), NOW).await.expect("it fails");
    let mut completed = scheduled_run(&harness, &id).await;
    assert_eq!(harness.append(&mut completed, 0..1).await, Appended::Stored);
    store.report(&completed, &JobCommand::Finish(RunEnding::Complete), NOW).await.expect("it ends");
    assert_eq!(claimed(store, NOW.plus(MINUTE)).await, None);
}

async fn failed_purchase_queues_a_mail_in_its_transaction(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    let account = harness.account("a@x.org", 10).await;
    let source = PaymentSource { customer: "cus_1".to_owned(), method: "pm_1".to_owned() };
    store.set_payment_source(&account, &source).await.expect("it answers");
    let change = TopUpChange {
        enabled: true,
        threshold: Some(Credits(50)),
        amount: Some(Credits(100)),
        monthly: None,
    };
    store.set_auto_top_up(&account, change).await.expect("it answers");
    let price = CreditPrice { per_thousand: 150, currency: "eur".to_owned() };
    store.open_recharges(&price, NOW).await.expect("it answers");
    let recharge = store.claim_recharge(LEASE, NOW).await.expect("it answers").expect("one");
    let policy = RechargeFailurePolicy::BackOff(Backoff { first: DAY, longest: DAY });
    assert!(store.fail_recharge(&recharge, "card declined", policy, NOW).await.expect("ok"));
    assert!(!store.fail_recharge(&recharge, "again", policy, NOW).await.expect("ok"), "once");
    let mail = claimed(store, NOW).await.expect("a mail");
    assert_eq!((mail.kind, mail.reason.as_str()), (MailKind::TopUpFailed, "card declined"));
    assert_eq!(mail.account, account);
}

async fn mail_is_leased_once_and_sent_once(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    for name in ["a@x.org", "b@x.org"] {
        harness.account(name, 0).await;
        store.request_password_reset(name, None, NOW).await.expect("it answers");
    }
    let claims = futures_util::future::join_all((0..8).map(|_| claimed(store, NOW))).await;
    let ids: std::collections::BTreeSet<_> =
        claims.into_iter().flatten().map(|mail| mail.id).collect();
    // Nodes that find the same row get nothing, and look again.
    assert!(!ids.is_empty() && ids.len() <= 2, "{ids:?}");
    let mut all = ids;
    while let Some(mail) = claimed(store, NOW).await {
        assert!(all.insert(mail.id), "leased twice");
    }
    assert_eq!(all.len(), 2);
    let mut ids = all.into_iter();
    let (sent, retried) = (ids.next().expect("one"), ids.next().expect("two"));
    store.mark_mail_sent(&sent, NOW).await.expect("it answers");
    store.retry_mail(&retried, NOW.plus(MINUTE)).await.expect("it answers");
    assert_eq!(claimed(store, NOW).await, None);
    let again = claimed(store, NOW.plus(MINUTE)).await.expect("it is due");
    assert_eq!((again.id.as_str(), again.attempts), (retried.as_str(), 2));
    store.drop_mail(&retried).await.expect("it answers");
    assert_eq!(claimed(store, NOW.plus(DAY)).await, None, "the other one was sent");
}

async fn nothing_is_queued_without_a_mail_server(harness: Harness) {
    let id = schedule(&harness).await;
    start(&harness, &id, NOW.plus(DAY * 2)).await;
    let asked = harness.store.request_password_reset("a@x.org", None, NOW).await;
    assert_eq!(asked.expect("it answers"), ResetRequest::Accepted);
    assert_eq!(claimed(&harness.store, NOW.plus(DAY * 3)).await, None);
}

async fn reset_link_works_once_within_an_hour(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    let session = store.open_session(&account, NOW).await.expect("a session");
    let link = async || {
        store.create_password_reset(&account, NOW).await.expect("it answers").expect("a link")
    };
    let (first, second) = (link().await, link().await);
    let in_time = NOW.plus(MINUTE * 59);
    assert!(store.is_password_reset(first.reveal(), in_time).await.expect("it answers"));
    let late = NOW.plus(MINUTE * 60);
    let reset = store.reset_password(first.reveal(), "a new password", late).await;
    assert!(matches!(reset.expect("it answers"), PasswordReset::Expired));
    let reset = store.reset_password(first.reveal(), "short", in_time).await;
    assert!(matches!(reset.expect("it answers"), PasswordReset::Refused(_)));
    let reset = store.reset_password(first.reveal(), "a new password", in_time).await;
    assert!(matches!(reset.expect("it answers"), PasswordReset::Done(_)));
    for used in [first.reveal(), second.reveal(), "reset_x", "once_x", ""] {
        let reset = store.reset_password(used, "another password", in_time).await;
        assert!(matches!(reset.expect("it answers"), PasswordReset::Expired), "{used}");
    }
    let signed_in = store.sign_in("a@x.org", "a new password").await.expect("it answers");
    assert_eq!(signed_in.map(|signed_in| signed_in.account), Some(account.clone()));
    let ended = store.authenticate_session(&session.token, in_time).await.expect("it answers");
    assert!(ended.is_none(), "sessions have ended");
    let action = Some(AuditAction::PasswordChanged);
    let filter = AuditFilter { account: Some(account), action, ..AuditFilter::default() };
    let page = PageRequest { number: 1, size: 10 };
    let (entries, _) = store.audit_entries(&filter, page).await.expect("it answers");
    assert_eq!(entries.len(), 1);
}

async fn reset_request_is_alike_for_unknown_addresses_and_limited(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    harness.account("a@x.org", 0).await;
    let ask = async |email: &str, from: &str, now: Millis| {
        let from = Some(from.parse().expect("an address"));
        store.request_password_reset(email, from, now).await.expect("it answers")
    };
    for _ in 0..4 {
        assert_eq!(ask("b@x.org", "192.0.2.1", NOW).await, ResetRequest::Accepted);
    }
    assert_eq!(claimed(store, NOW).await, None, "there is no such account");
    assert_eq!(ask(" A@x.org", "192.0.2.1", NOW).await, ResetRequest::Accepted);
    assert_eq!(ask("a@x.org", "192.0.2.1", NOW).await, ResetRequest::Wait);
    assert_eq!(ask("a@x.org", "2001:db8::1", NOW).await, ResetRequest::Accepted, "another network");
    assert_eq!(ask("a@x.org", "192.0.2.1", NOW.plus(MINUTE)).await, ResetRequest::Accepted);
    let mail = claimed(store, NOW).await.expect("a mail");
    assert_eq!(mail.kind, MailKind::PasswordReset);
    store.mark_mail_sent(&mail.id, NOW).await.expect("it answers");
    ask("a@x.org", "192.0.2.2", NOW.plus(MINUTE * 4)).await;
    assert_eq!(claimed(store, NOW.plus(MINUTE * 4)).await, None, "one in five minutes");
    ask("a@x.org", "192.0.2.2", NOW.plus(MINUTE * 5)).await;
    assert!(claimed(store, NOW.plus(MINUTE * 5)).await.is_some());
}

async fn mails_and_links_are_deleted_with_their_account(harness: Harness) {
    let harness = with_mail(harness).await;
    let store = &harness.store;
    let account = harness.account("a@x.org", 0).await;
    store.request_password_reset("a@x.org", None, NOW).await.expect("it answers");
    let link = store.create_password_reset(&account, NOW).await.expect("ok").expect("a link");
    store.delete_account(&account, NOW).await.expect("it is deleted");
    assert_eq!(claimed(store, NOW).await, None);
    assert!(!store.is_password_reset(link.reveal(), NOW).await.expect("it answers"));
}
