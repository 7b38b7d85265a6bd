//! Charging: in the transaction that makes a result readable, and never below zero.

use contract::{Confirm, Credits, ErrorCode, LedgerKind, Millis, Mode, Status, Units, UsageGroup};
use job::{JobCommand, Refusal, RunEnding};
use store::{Appended, CommandError, PageRequest};

use crate::harness::{Harness, NOW, pages_commit};
use crate::on_both;

on_both!(
    results_are_charged_with_their_commit,
    uncovered_results_are_not_delivered,
    two_runs_never_overdraw_one_account,
    run_paused_for_credits_continues_after_a_grant,
    usage_equals_the_sum_of_debits,
    ledger_is_listed_newest_first,
    concurrent_confirmations_take_effect_once,
);

async fn results_are_charged_with_their_commit(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    assert_eq!(harness.audit(&account).await.reserved, Credits(1), "the first unit is set aside");
    assert_eq!(harness.append(&mut lease, 0..3).await, Appended::Stored);
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.used, audit.reserved), (Credits(7), Credits(3), Credits(0)));
    let now = harness.job(&job.id).await;
    assert_eq!((now.counts.results, now.counts.pages, now.units), (3, 3, Units(3)));
    let done = JobCommand::Finish(RunEnding::Complete);
    let done = harness.store.report(&lease, &done, NOW).await.expect("it ends");
    assert_eq!((done.status, done.credits_used), (Status::Completed, Credits(3)));
    harness.audit(&account).await;
}

async fn uncovered_results_are_not_delivered(harness: Harness) {
    let account = harness.account("a@x.org", 5).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let (mut commit, mut items) = pages_commit(0..8);
    let short =
        harness.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("it answers");
    assert_eq!(short, Appended::Short { covered: Units(5) });
    assert_eq!(harness.job(&job.id).await.counts.results, 0, "nothing was written");
    assert_eq!(harness.audit(&account).await.balance, Credits(5), "nothing was charged");
    items.truncate(commit.trim_to(5).items);
    let paid =
        harness.store.append(&mut lease, &commit, &items, &[], NOW).await.expect("it answers");
    assert_eq!(paid, Appended::Stored);
    let audit = harness.audit(&account).await;
    assert_eq!((audit.balance, audit.used), (Credits(0), Credits(5)));
    let slice = harness.store.results(&job.id, 0, 100).await.expect("it answers");
    assert_eq!(slice.items.len(), 5);
}

async fn two_runs_never_overdraw_one_account(harness: Harness) {
    let account = harness.account("a@x.org", 101).await;
    let mut runs = Vec::new();
    for host in ["one.org", "two.org"] {
        let (job, mut lease) = harness.running(&account, host).await;
        let store = harness.store.clone();
        runs.push(tokio::spawn(async move {
            let mut delivered = 0;
            for n in 0..100_u32 {
                let (mut commit, mut items) = pages_commit(n * 3..n * 3 + 3);
                loop {
                    match store
                        .append(&mut lease, &commit, &items, &[], NOW)
                        .await
                        .expect("answers")
                    {
                        Appended::Stored => {
                            delivered += items.len() as u64;
                            break;
                        }
                        Appended::Short { covered } if covered.0 == 0 => {
                            return (job.id, delivered);
                        }
                        Appended::Short { covered } => {
                            items.truncate(commit.trim_to(covered.0).items);
                        }
                        Appended::Lost => panic!("the lease was lost"),
                    }
                }
            }
            (job.id, delivered)
        }));
    }
    let mut delivered = 0;
    for run in runs {
        let (job, count) = run.await.expect("no panic");
        assert_eq!(harness.job(&job).await.counts.results, count);
        delivered += count;
    }
    assert_eq!(delivered, 101);
    assert_eq!(harness.audit(&account).await.balance, Credits(0));
}

async fn run_paused_for_credits_continues_after_a_grant(harness: Harness) {
    let account = harness.account("a@x.org", 2).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    assert_eq!(harness.append(&mut lease, 0..2).await, Appended::Stored);
    let parked =
        harness.store.report(&lease, &JobCommand::ExhaustCredits, NOW).await.expect("parks");
    assert_eq!(parked.status, Status::Paused);
    assert_eq!(parked.error.expect("a reason").code, ErrorCode::CreditsExhausted);
    assert_eq!(harness.claim().await, None, "parked");
    let poor = harness.store.confirm(&account, &job.id, Confirm::default(), NOW).await;
    assert!(matches!(
        poor,
        Err(CommandError::Refused(Refusal::InsufficientCredits { required: Credits(1), .. }))
    ));
    harness.store.grant("a@x.org", Credits(5), NOW).await.expect("it answers");
    let queued = harness.store.confirm(&account, &job.id, Confirm::default(), NOW).await;
    assert_eq!(queued.expect("it goes on").status, Status::Queued);
    let mut lease = harness.claim().await.expect("free again");
    assert_eq!(lease.head, 1, "where it stopped");
    harness.start(&lease).await;
    assert_eq!(harness.append(&mut lease, 2..4).await, Appended::Stored);
    assert_eq!(harness.audit(&account).await.balance, Credits(3));
}

async fn usage_equals_the_sum_of_debits(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    for (host, pages) in [("one.org", 3), ("two.org", 4)] {
        let (_, mut lease) = harness.running(&account, host).await;
        harness.append(&mut lease, 0..pages).await;
    }
    for group in UsageGroup::ALL {
        let (rows, total) = harness
            .store
            .usage(&account, Millis(0), Millis(i64::MAX), *group)
            .await
            .expect("it answers");
        assert_eq!(rows.len(), 1, "{group}");
        let expected = match group {
            UsageGroup::Source => "direct",
            UsageGroup::Mode => "links",
            UsageGroup::Day => "2026-11-15",
        };
        assert_eq!(rows[0].group.as_deref(), Some(expected));
        assert_eq!((total.jobs, total.units, total.credits), (2, Units(7), Credits(7)));
        assert_eq!((total.group, rows[0].units), (None, Units(7)));
    }
    let (rows, total) =
        harness.store.usage(&account, Millis(0), NOW, UsageGroup::Day).await.expect("it answers");
    assert_eq!((rows.len(), total.jobs), (0, 0), "`to` is not included");
}

async fn concurrent_confirmations_take_effect_once(harness: Harness) {
    let account = harness.account("a@x.org", 10).await;
    let (job, lease) = harness.running(&account, "example.com").await;
    harness.store.report(&lease, &JobCommand::ReachBoundary, NOW).await.expect("it parks");
    let answers: Vec<_> = (0..10)
        .map(|_| {
            let (store, account, id) = (harness.store.clone(), account.clone(), job.id.clone());
            let answer = Confirm { continue_batch: Some(true), ..Confirm::default() };
            tokio::spawn(async move { store.confirm(&account, &id, answer, NOW).await })
        })
        .collect();
    let mut effects = 0;
    for answer in answers {
        match answer.await.expect("no panic") {
            Ok(job) => {
                effects += 1;
                assert_eq!((job.status, job.batch), (Status::Queued, 2));
            }
            Err(CommandError::Refused(Refusal::Conflict(_))) => {}
            Err(other) => panic!("unexpected: {other}"),
        }
    }
    assert_eq!(effects, 1);
    assert_eq!(harness.job(&job.id).await.batch, 2);
}

async fn ledger_is_listed_newest_first(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    for first in 0..3 {
        harness.append(&mut lease, first..first + 1).await;
    }
    let page = async |number, size| {
        harness
            .store
            .ledger_lines(&account, PageRequest { number, size })
            .await
            .expect("it answers")
    };
    let (all, more) = page(1, 10).await;
    assert_eq!((all.len(), more), (4, false));
    let grant = all.iter().find(|line| line.kind == LedgerKind::Grant).expect("the first credits");
    assert_eq!((grant.amount, &grant.job_id, grant.mode), (Credits(100), &None, None));
    let debits: Vec<_> = all.iter().filter(|line| line.kind == LedgerKind::Debit).collect();
    for line in &debits {
        assert_eq!((line.amount, line.job_id.as_ref()), (Credits(-1), Some(&job.id)));
        assert_eq!((line.mode, line.source.as_deref()), (Some(Mode::Links), Some("direct")));
    }
    let (first, more) = page(1, 3).await;
    let (last, end) = page(2, 3).await;
    assert_eq!((more, end), (true, false));
    assert_eq!([first, last].concat(), all, "pages do not overlap");
    let other = harness.account("b@x.org", 0).await;
    let page = PageRequest { number: 1, size: 3 };
    assert!(harness.store.ledger_lines(&other, page).await.expect("it answers").0.is_empty());
}
