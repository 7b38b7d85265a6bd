//! Retention of each class of data, with the exceptions of an account, and the roll-up of the ledger.

use std::time::Duration;

use contract::{AccountId, AuditAction, JobId, Millis, PageFileFormat, UsageGroup};
use crawl::{KeptFile, KeptPage, KeptResponse};
use fixture::pages_commit;
use job::{JobCommand, RunEnding};
use store::{
    AccountRetention, AuditFilter, CommitPages, LedgerAudit, PageRequest, RetentionPolicy, Store,
    StoreSettings,
};

use crate::harness::{Harness, NOW};
use crate::on_both;

on_both!(
    parts_of_a_run_are_deleted_before_its_results,
    account_keeps_its_data_as_long_as_its_exceptions_say,
    events_are_deleted_before_the_results,
    ledger_lines_of_a_job_and_day_become_one_and_all_sums_stay,
);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PAGE: PageRequest = PageRequest { number: 1, size: 100 };

fn after(days: u32) -> Millis {
    NOW.plus(DAY * days)
}

/// A finished run of four pages with a kept file.
async fn finished(harness: &Harness, account: &AccountId, host: &str) -> JobId {
    let (job, mut lease) = harness.running(account, host).await;
    let mut page = KeptPage::new(KeptResponse {
        url: format!("https://{host}/"),
        status: 200,
        headers: Vec::new(),
        fetched_at: NOW,
        rendered: false,
    });
    page.add(KeptFile {
        format: PageFileFormat::RawHtml,
        content_type: "text/html".to_owned(),
        body: b"<p>kept</p>".to_vec(),
    });
    let (commit, items) = pages_commit(0..2);
    let kept = [(0, Box::new(page))];
    let pages = CommitPages { items: &kept, ..CommitPages::default() };
    let appended =
        harness.store.append_with_pages(&mut lease, &commit, &items, pages, &[], NOW).await;
    appended.expect("it answers");
    harness.append(&mut lease, 2..4).await;
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(&lease, &done, NOW).await.expect("it ends");
    job.id
}

/// Whether results, files and log of a run exist.
async fn left(store: &Store, job: &JobId) -> (bool, bool, bool) {
    let items = store.results(job, 0, 10).await.expect("it answers").items.len();
    let pages = store.run_pages(job, 0..10).await.expect("it answers");
    let log = store.run_log(job, 0, 1 << 20).await.expect("it answers");
    (items == 4, pages.iter().any(|page| !page.files.is_empty()), log.is_some())
}

fn policy(settings: &mut StoreSettings, policy: RetentionPolicy) {
    settings.retention = policy;
}

async fn parts_of_a_run_are_deleted_before_its_results(harness: Harness) {
    let short = RetentionPolicy {
        page_files: Some(DAY * 3),
        run_logs: Some(DAY * 5),
        ..RetentionPolicy::default()
    };
    let harness = harness.with(|settings| policy(settings, short)).await;
    let account = harness.account("a@x.org", 100).await;
    let job = finished(&harness, &account, "a.example").await;
    let store = &harness.store;
    for (day, expected) in [
        (2, (true, true, true)),
        (3, (true, false, true)),
        (5, (true, false, false)),
        (29, (true, false, false)),
        (30, (false, false, false)),
    ] {
        store.purge(DAY * 30, after(day)).await.expect("it answers");
        assert_eq!(left(store, &job).await, expected, "after {day} days");
        let checks = store.verify_data().await.expect("it answers");
        assert!(checks.iter().all(store::DataCheck::is_clean), "after {day} days: {checks:?}");
    }
    harness.audit(&account).await;
}

async fn account_keeps_its_data_as_long_as_its_exceptions_say(harness: Harness) {
    let store = &harness.store;
    let (long, short) =
        (harness.account("l@x.org", 100).await, harness.account("s@x.org", 100).await);
    let plain = harness.account("p@x.org", 100).await;
    let jobs = [
        finished(&harness, &long, "l.example").await,
        finished(&harness, &short, "s.example").await,
        finished(&harness, &plain, "p.example").await,
    ];
    let longer = AccountRetention {
        results_days: Some(60),
        page_files_days: Some(40),
        audit_days: Some(3_000),
        ..AccountRetention::default()
    };
    let shorter = AccountRetention {
        results_days: Some(10),
        run_log_days: Some(1),
        audit_days: Some(1),
        ..AccountRetention::default()
    };
    for (account, retention) in [(&long, &longer), (&short, &shorter)] {
        store.set_account_retention(account, retention, NOW).await.expect("it is set");
        assert_eq!(&store.account_retention(account).await.expect("it answers"), retention);
    }
    let all = async || {
        let mut states = Vec::new();
        for job in &jobs {
            states.push(left(store, job).await);
        }
        states
    };
    let (whole, none) = ((true, true, true), (false, false, false));
    for (day, expected) in [
        (1, [whole, (true, true, false), whole]),
        (10, [whole, none, whole]),
        (30, [whole, none, none]),
        (40, [(true, false, true), none, none]),
        (60, [none, none, none]),
    ] {
        store.purge(DAY * 30, after(day)).await.expect("it answers");
        assert_eq!(all().await, expected, "after {day} days");
    }
    // The service keeps its audit log for 400 days.
    store.purge(DAY * 30, after(401)).await.expect("it answers");
    for (account, expected) in [(&long, true), (&short, false), (&plain, false)] {
        let filter = AuditFilter { account: Some(account.clone()), ..AuditFilter::default() };
        let (entries, _) = store.audit_entries(&filter, PAGE).await.expect("it answers");
        assert_eq!(!entries.is_empty(), expected, "{account}: {entries:?}");
    }

    let filter = AuditFilter {
        account: Some(long.clone()),
        action: Some(AuditAction::SettingsChanged),
        ..AuditFilter::default()
    };
    let (changes, _) = store.audit_entries(&filter, PAGE).await.expect("it answers");
    assert_eq!(changes.len(), 1);
    let default = AccountRetention::default();
    store.set_account_retention(&long, &default, NOW).await.expect("it is set");
    assert_eq!(store.account_retention(&long).await.expect("it answers"), default);
    store.delete_account(&long, after(402)).await.expect("no row of the exceptions is in the way");
}

async fn events_are_deleted_before_the_results(harness: Harness) {
    let short = RetentionPolicy { events: Some(DAY * 2), ..RetentionPolicy::default() };
    let harness = harness.with(|settings| policy(settings, short)).await;
    let (store, account) = (&harness.store, harness.account("a@x.org", 100).await);
    let other = harness.account("b@x.org", 100).await;
    let exception = AccountRetention { events_days: Some(20), ..AccountRetention::default() };
    store.set_account_retention(&other, &exception, NOW).await.expect("it is set");
    let jobs = [
        finished(&harness, &account, "a.example").await,
        finished(&harness, &other, "b.example").await,
    ];
    for (day, expected) in [(1, [true, true]), (2, [false, true]), (20, [false, false])] {
        store.purge(DAY * 30, after(day)).await.expect("it answers");
        for (job, expected) in jobs.iter().zip(expected) {
            let events = store.events(job).await.expect("it answers");
            assert_eq!(!events.is_empty(), expected, "after {day} days: {events:?}");
            assert!(left(store, job).await.0, "the results stay");
        }
    }
}

async fn ledger_lines_of_a_job_and_day_become_one_and_all_sums_stay(harness: Harness) {
    let keep = RetentionPolicy { ledger_lines: Some(DAY * 10), ..RetentionPolicy::default() };
    let harness = harness.with(|settings| policy(settings, keep)).await;
    let (store, account) = (&harness.store, harness.account("a@x.org", 100).await);
    let done = finished(&harness, &account, "a.example").await;
    let (running, mut lease) = harness.running(&account, "b.example").await;
    harness.append(&mut lease, 0..3).await;
    harness.append(&mut lease, 3..4).await;
    let sums = async || -> (LedgerAudit, _) {
        let audit = harness.audit(&account).await;
        let mut usage = Vec::new();
        for group in [UsageGroup::Day, UsageGroup::Mode, UsageGroup::Source] {
            usage.push(store.usage(&account, NOW, after(1), group).await.expect("it answers"));
        }
        (audit, usage)
    };
    let lines = async |job: &JobId| {
        let (lines, _) = store.ledger_lines(&account, PAGE).await.expect("it answers");
        lines.into_iter().filter(|line| line.job_id.as_ref() == Some(job)).collect::<Vec<_>>()
    };
    let before = sums().await;
    assert_eq!((lines(&done).await.len(), lines(&running.id).await.len()), (2, 2));
    store.purge(DAY * 3_000, after(10)).await.expect("it answers");
    assert_eq!(lines(&done).await.len(), 2, "the day is not over for as long");
    for day in [11, 12] {
        store.purge(DAY * 3_000, after(day)).await.expect("it answers");
        let rolled = lines(&done).await;
        assert_eq!((rolled.len(), rolled[0].units.0), (1, 4));
        assert_eq!(lines(&running.id).await.len(), 2, "its job has not ended");
        assert_eq!(sums().await, before);
    }
    // A node that continues the run still finds the line of its commit.
    harness.append(&mut lease, 4..5).await;
    harness.audit(&account).await;
}
