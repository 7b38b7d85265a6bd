//! The budget of a job, and the deletion of a finished job.

use contract::{
    AuditAction, Confirm, CreditLimitAction, Credits, ErrorCode, JobId, Millis, Options, Scope,
    SkipReason, Status, Units,
};
use job::{JobCommand, JobDraft, Refusal, RunEnding};
use store::{
    Appended, AuditFilter, CommandError, Creation, Lease, NewJob, PageRequest, Store, UrlSearch,
};

use crate::harness::{
    Harness, NOW, contact_item, contacts_commit, new_contacts_job, new_job, pages_commit,
    skipped_url,
};
use crate::on_both;

on_both!(
    budget_is_charged_exactly_and_ends_the_run,
    budget_that_pauses_is_raised_by_a_confirmation,
    shards_never_exceed_the_budget_together,
    contacts_reserve_no_more_than_their_budget,
    budget_below_one_unit_is_refused,
    scope_and_options_of_a_job_are_stored,
    finished_job_is_deleted_at_once_and_its_ledger_stays,
    job_that_has_not_ended_is_not_deleted,
    log_of_a_run_is_read_within_its_limit,
    url_is_found_among_skipped_urls_and_results,
);

fn budgeted(new: NewJob, max_credits: u64, action: Option<&str>) -> NewJob {
    let options = Options {
        max_credits: Some(max_credits),
        on_max_credits: action
            .map_or(CreditLimitAction::End, |action| action.parse().expect("one")),
        ..Options::default()
    };
    NewJob { draft: JobDraft { options, ..new.draft }, ..new }
}

async fn running(harness: &Harness, new: &NewJob) -> Lease {
    harness.create(new).await;
    let lease = harness.claim().await.expect("a free shard");
    harness.start(&lease).await;
    lease
}

/// Appends commits as a worker does, until the credits do not cover the next unit. Returns the
/// number of delivered items.
async fn append_all(
    store: &Store,
    lease: &mut Lease,
    commits: impl Iterator<Item = (journal::Commit, Vec<contract::Item>)>,
) -> u64 {
    let mut delivered = 0;
    for (mut commit, mut items) in commits {
        loop {
            match store.append(lease, &commit, &items, &[], NOW).await.expect("it answers") {
                Appended::Stored => {
                    delivered += items.len() as u64;
                    break;
                }
                Appended::Short { covered: Units(0) } => return delivered,
                Appended::Short { covered } => items.truncate(commit.trim_to(covered.0).items),
                Appended::Lost => panic!("the lease was lost"),
            }
        }
    }
    delivered
}

async fn budget_is_charged_exactly_and_ends_the_run(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = budgeted(new_job(&account, "example.com"), 7, None);
    let mut lease = running(&harness, &new).await;
    let pages = (0..5_u32).map(|n| pages_commit(n * 3..n * 3 + 3));
    assert_eq!(append_all(&harness.store, &mut lease, pages).await, 7);
    let done = harness.store.report(&lease, &JobCommand::ExhaustCredits, NOW).await;
    let done = done.expect("it ends");
    assert_eq!((done.status, done.credits_used), (Status::Completed, Credits(7)));
    let error = done.error.expect("a reason");
    assert_eq!(error.code, ErrorCode::SampleStopped);
    assert!(error.message.contains("max_credits"), "{}", error.message);
    // The credits used are those of the jobs that are left.
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.used, audit.reserved), (Credits(93), Credits(7), Credits(0)));
}

async fn budget_that_pauses_is_raised_by_a_confirmation(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = budgeted(new_job(&account, "example.com"), 2, Some("pause"));
    let mut lease = running(&harness, &new).await;
    assert_eq!(harness.append(&mut lease, 0..2).await, Appended::Stored);
    let ending = JobCommand::Finish(RunEnding::CreditLimit);
    let parked = harness.store.report(&lease, &ending, NOW).await.expect("it waits");
    assert_eq!(parked.status, Status::Paused);
    let error = parked.error.expect("a reason");
    assert_eq!(error.code, ErrorCode::CreditsExhausted);
    let confirm = |max_credits: Option<i64>| {
        let answer = Confirm { max_credits: max_credits.map(Credits), ..Confirm::default() };
        harness.store.confirm(&account, &new.draft.id, answer, NOW)
    };
    let refused = confirm(None).await;
    assert!(matches!(refused, Err(CommandError::Refused(Refusal::Conflict(_)))), "{refused:?}");
    for low in [1, 2] {
        let refused = confirm(Some(low)).await;
        assert!(
            matches!(&refused, Err(CommandError::Refused(Refusal::Invalid { field, .. }))
                if *field == "max_credits"),
            "{low}: {refused:?}"
        );
    }
    assert_eq!(confirm(Some(5)).await.expect("it continues").status, Status::Queued);
    assert_eq!(harness.job(&new.draft.id).await.options.max_credits, Some(5), "it is stored");
    let mut lease = harness.claim().await.expect("it is claimable");
    harness.start(&lease).await;
    let pages = (2..12_u32).map(|n| pages_commit(n..n + 1));
    assert_eq!(append_all(&harness.store, &mut lease, pages).await, 3);
    assert_eq!(harness.job(&new.draft.id).await.credits_used, Credits(5));
    harness.audit(&account).await;
}

/// The shards of a list of domains are charged by several workers at the same time.
async fn shards_never_exceed_the_budget_together(harness: Harness) {
    let account = harness.account("a@x.org", 100_000).await;
    let domains: Vec<String> = (0..700).map(|n| format!("d{n}.example")).collect();
    let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
    let new = budgeted(new_contacts_job(&account, &domains), 1_234, None);
    harness.create(&new).await;
    let mut workers = Vec::new();
    for shard in 0..3_u32 {
        let mut lease = harness.claim().await.expect("a free shard");
        harness.start(&lease).await;
        let store = harness.store.clone();
        workers.push(tokio::spawn(async move {
            let records = (0..40_u32).map(|n| {
                let records =
                    (0..3).map(|m| contact_item(&format!("d{shard}-{n}-{m}.example"), &[]));
                contacts_commit(n * 3, records.collect())
            });
            append_all(&store, &mut lease, records).await
        }));
    }
    let mut delivered = 0;
    for worker in workers {
        delivered += worker.await.expect("no panic");
    }
    let job = harness.job(&new.draft.id).await;
    let rate = job.rate.expect("a rate");
    assert_eq!(job.credits_used, Credits(1_234 / rate.0 * rate.0), "exactly what fits");
    assert_eq!(Credits(i64::try_from(delivered).expect("few") * rate.0), job.credits_used);
    harness.audit(&account).await;
}

async fn contacts_reserve_no_more_than_their_budget(harness: Harness) {
    let account = harness.account("a@x.org", 30).await;
    let domains = ["a.example", "b.example", "c.example", "d.example", "e.example"];
    let whole = harness.store.create_job(&new_contacts_job(&account, &domains), NOW).await;
    assert!(matches!(whole, Ok(Creation::Refused(Refusal::InsufficientCredits { .. }))));
    harness.create(&budgeted(new_contacts_job(&account, &domains), 25, None)).await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(20), "two domains at 10 each");
}

async fn budget_below_one_unit_is_refused(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = budgeted(new_contacts_job(&account, &["a.example"]), 9, None);
    let refused = harness.store.create_job(&new, NOW).await.expect("it answers");
    let Creation::Refused(Refusal::Invalid { field, message }) = refused else {
        panic!("not refused: {refused:?}");
    };
    assert_eq!(field, "options.max_credits");
    assert!(message.contains("at least 10"), "{message}");
}

async fn scope_and_options_of_a_job_are_stored(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = new_job(&account, "example.com");
    let scope = Scope {
        include_paths: vec!["/blog/**".to_owned(), r"re:^/p/\d+$".to_owned()],
        exclude_paths: vec!["*.pdf".to_owned()],
        ..Scope::default()
    };
    let options = Options { max_depth: Some(3), delay_ms: Some(250), ..Options::default() };
    let draft = JobDraft { scope: scope.clone(), options: options.clone(), ..new.draft.clone() };
    harness.create(&NewJob { draft, ..new.clone() }).await;
    let job = harness.job(&new.draft.id).await;
    assert_eq!((&job.scope, &job.options), (&scope, &options));
    let shown = job.with_request();
    assert_eq!((shown.scope, shown.options), (Some(scope), Some(options)));
    assert_eq!((job.public().scope, job.public().options), (None, None));
}

async fn ended(harness: &Harness, lease: &Lease) {
    let done = JobCommand::Finish(RunEnding::Complete);
    harness.store.report(lease, &done, NOW).await.expect("it ends");
}

async fn finished_job_is_deleted_at_once_and_its_ledger_stays(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append_with(&mut lease, 0..4, 0..9).await;
    ended(&harness, &lease).await;
    let expires = Millis(NOW.0 + 60_000);
    let store = &harness.store;
    let ticket = store.create_export(
        &job.id,
        contract::ExportFormat::Json,
        store::ExportPart::default(),
        NOW,
        expires,
    );
    let ticket = ticket.await.expect("it answers").expect("a ticket");
    let other = harness.account("b@x.org", 10).await;
    let foreign = store.delete_job(&other, &job.id, NOW).await;
    assert!(matches!(foreign, Err(CommandError::NotFound)), "{foreign:?}");
    store.delete_job(&account, &job.id, NOW).await.expect("it is deleted");
    assert!(store.job(&job.id).await.expect("it answers").is_none());
    assert!(store.results(&job.id, 0, 10).await.expect("it answers").items.is_empty());
    let page = PageRequest { number: 1, size: 10 };
    assert_eq!(store.skipped(&job.id, None, page).await.expect("it answers").total, 0);
    let state = store.export(ticket.reveal(), NOW).await.expect("it answers");
    assert_eq!(state, store::ExportTicketState::Expired);
    let again = store.delete_job(&account, &job.id, NOW).await;
    assert!(matches!(again, Err(CommandError::NotFound)), "{again:?}");
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.used, audit.ledger), (Credits(6), Credits(0), Credits(6)));
    let filter = AuditFilter { action: Some(AuditAction::JobDeleted), ..AuditFilter::default() };
    let (entries, _) = store.audit_entries(&filter, page).await.expect("it answers");
    assert_eq!(entries.len(), 1);
    // The site is free for another run.
    harness.create(&new_job(&account, "example.com")).await;
}

async fn job_that_has_not_ended_is_not_deleted(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, lease) = harness.running(&account, "example.com").await;
    let refuse = |id: JobId| {
        let (store, account) = (harness.store.clone(), account.clone());
        async move {
            let refused = store.delete_job(&account, &id, NOW).await;
            assert!(
                matches!(&refused, Err(CommandError::Refused(Refusal::Conflict(_)))),
                "{refused:?}"
            );
        }
    };
    refuse(job.id.clone()).await;
    harness.store.report(&lease, &JobCommand::ReachBoundary, NOW).await.expect("it parks");
    refuse(job.id.clone()).await;
    harness.store.abort(&account, &job.id, NOW).await.expect("it is aborted");
    harness.store.delete_job(&account, &job.id, NOW).await.expect("it is deleted");
}

async fn log_of_a_run_is_read_within_its_limit(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..4).await;
    let log = harness.store.run_log(&job.id, 0, 1 << 20).await.expect("it answers");
    assert_eq!(log.expect("it fits").commits.len(), 1);
    assert!(harness.store.run_log(&job.id, 0, 1).await.expect("it answers").is_none());
    let unknown = JobId::new(NOW, [9; 10]);
    assert!(harness.store.run_log(&unknown, 0, 1 << 20).await.expect("it answers").is_none());
}

async fn url_is_found_among_skipped_urls_and_results(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for n in 0..4_u32 {
        harness.append_with(&mut lease, n * 3..n * 3 + 3, n * 10..n * 10 + 10).await;
    }
    let wanted = skipped_url(37);
    let found = harness.store.find_skipped(&job.id, &wanted.url).await.expect("it answers");
    assert_eq!(found, UrlSearch::Found(wanted.clone()));
    assert_ne!(wanted.reason, SkipReason::Excluded);
    let item = fixture::item(7);
    let found = harness.store.find_result(&job.id, item.url()).await.expect("it answers");
    assert_eq!(found, UrlSearch::Found(()));
    for url in ["https://example.com/nowhere", "https://example.com/"] {
        let found = harness.store.find_skipped(&job.id, url).await.expect("it answers");
        assert_eq!(found, UrlSearch::NotFound, "{url}");
    }
}
