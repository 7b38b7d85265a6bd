//! The whole status × command matrix in one snapshot, and invariants over any sequence of commands.

use std::fmt::Write as _;

use contract::{
    AccountId, Credits, ErrorCode, JobId, Millis, Mode, OnProtected, Options, Scope, SiteAccess,
    Status,
};
use job::{
    Decision, Job, JobCommand, JobDraft, JobEffect, RateCard, RunEnding, STALE_AFTER, Tier, decide,
};
use proptest::prelude::*;

const NOW: Millis = Millis(1_794_735_000_000);

fn draft() -> JobDraft {
    JobDraft {
        id: JobId::new(NOW, [1; 10]),
        account: AccountId::new(NOW, [2; 10]),
        source: "direct".to_owned(),
        creator: None,
        free: false,
        mode: Mode::Links,
        url: Some("https://example.com/".to_owned()),
        domains: Vec::new(),
        inputs: Vec::new(),
        listed_urls: 0,
        list: None,
        site_key: Some("example.com".to_owned()),
        scope: Scope::default(),
        options: Options::default(),
        on_protected: None,
        ceiling: None,
        external: None,
        webhook: None,
        access: SiteAccess::default(),
        batch_size: 10_000,
    }
}

fn create(draft: JobDraft) -> JobCommand {
    JobCommand::Create { draft: Box::new(draft), available: Credits(100) }
}

fn create_failed(draft: JobDraft) -> JobCommand {
    JobCommand::CreateFailed {
        draft: Box::new(draft),
        code: ErrorCode::ScheduleStartFailed,
        message: "no credits".to_owned(),
    }
}

fn confirm(continue_batch: bool, ceiling: Option<i64>, available: i64) -> JobCommand {
    JobCommand::Confirm {
        continue_batch,
        ceiling: ceiling.map(Credits),
        max_credits: None,
        available: Credits(available),
    }
}

fn protected() -> JobCommand {
    JobCommand::LearnTier(Tier::Protected { marker: "cloudflare_challenge".to_owned() })
}

fn after(job: &Job, command: &JobCommand) -> Job {
    decide(Some(job), command, &RateCard::default(), NOW).expect("the command fits").job
}

fn created(draft: JobDraft) -> Job {
    decide(None, &create(draft), &RateCard::default(), NOW).expect("the draft is good").job
}

/// One job in every distinct state, each reached by commands only.
fn states() -> Vec<(&'static str, Job)> {
    let queued = created(draft());
    let running = after(&queued, &JobCommand::Start);
    let auto = |ceiling| {
        after(&created(JobDraft { ceiling: Some(Credits(ceiling)), ..draft() }), &JobCommand::Start)
    };
    let failing = after(
        &created(JobDraft { on_protected: Some(OnProtected::Fail), ..draft() }),
        &JobCommand::Start,
    );
    vec![
        ("queued", queued.clone()),
        ("running, pause", running.clone()),
        ("running, auto up to 5", auto(5)),
        ("running, auto up to 2", auto(2)),
        ("running, fail", failing),
        ("running, protected", after(&auto(5), &protected())),
        ("awaiting_confirmation", after(&running, &protected())),
        ("awaiting_confirmation, ceiling 2", after(&auto(2), &protected())),
        ("paused on a boundary", after(&running, &JobCommand::ReachBoundary)),
        ("paused for credits", after(&running, &JobCommand::ExhaustCredits)),
        ("completed", after(&running, &JobCommand::Finish(RunEnding::Complete))),
        (
            "failed",
            after(&queued, &JobCommand::Fail { code: ErrorCode::ServerError, message: "x".into() }),
        ),
        ("aborted", after(&queued, &JobCommand::Abort)),
    ]
}

fn commands() -> Vec<(&'static str, JobCommand)> {
    vec![
        ("create", create(draft())),
        ("create failed", create_failed(draft())),
        ("start", JobCommand::Start),
        ("learn: normal", JobCommand::LearnTier(Tier::Normal)),
        ("learn: protected", protected()),
        ("set aside", JobCommand::SetAside { marker: "cloudflare_challenge".to_owned() }),
        ("reach boundary", JobCommand::ReachBoundary),
        ("exhaust credits", JobCommand::ExhaustCredits),
        ("confirm", confirm(false, None, 100)),
        ("confirm, ceiling 1", confirm(false, Some(1), 100)),
        ("confirm, ceiling 9", confirm(false, Some(9), 100)),
        ("confirm, continue_batch", confirm(true, None, 100)),
        ("confirm, no credits", confirm(false, None, 0)),
        ("confirm, continue_batch, no credits", confirm(true, None, 0)),
        ("abort", JobCommand::Abort),
        ("finish: complete", JobCommand::Finish(RunEnding::Complete)),
        (
            "finish: partial",
            JobCommand::Finish(RunEnding::Partial { message: "3 of 9 pages".to_owned() }),
        ),
        ("finish: sampled", JobCommand::Finish(RunEnding::Sampled)),
        (
            "finish: nothing",
            JobCommand::Finish(RunEnding::nothing(ErrorCode::NoData, "nothing there")),
        ),
        ("fail", JobCommand::Fail { code: ErrorCode::PipelineBug, message: "a bug".to_owned() }),
        ("purge stale", JobCommand::PurgeStale),
    ]
}

fn describe(decision: &Decision) -> String {
    let job = &decision.job;
    let mut text = job.status.to_string();
    if let Some(waits_for) = job.waits_for {
        write!(text, " for {}", waits_for.as_str()).expect("a string grows");
    }
    write!(text, " · batch {}", job.batch).expect("a string grows");
    if let Some(rate) = job.rate {
        write!(text, " · rate {rate}").expect("a string grows");
    }
    if job.protected {
        text.push_str(" · protected");
    }
    if let Some(ceiling) = job.ceiling {
        write!(text, " · ceiling {ceiling}").expect("a string grows");
    }
    if let Some(error) = &job.error {
        write!(text, " · {}", error.code).expect("a string grows");
    }
    for effect in &decision.effects {
        write!(text, " · {effect:?}").expect("a string grows");
    }
    text
}

#[test]
fn every_status_under_every_command() {
    let mut matrix = String::new();
    for (name, command) in commands() {
        let outcome = decide(None, &command, &RateCard::default(), NOW);
        let line = outcome.map_or_else(|no| format!("refused: {no}"), |yes| describe(&yes));
        writeln!(matrix, "(none) + {name}\n    {line}").expect("a string grows");
    }
    for (state, job) in states() {
        for (name, command) in commands() {
            let outcome = decide(Some(&job), &command, &RateCard::default(), NOW);
            let line = outcome.map_or_else(|no| format!("refused: {no}"), |yes| describe(&yes));
            writeln!(matrix, "{state} + {name}\n    {line}").expect("a string grows");
        }
    }
    insta::assert_snapshot!(matrix);
}

#[test]
fn ceiling_below_the_normal_rate_is_refused() {
    let cheap = JobDraft { mode: Mode::Markdown, ceiling: Some(Credits(1)), ..draft() };
    let refusal = decide(None, &create(cheap), &RateCard::default(), NOW).expect_err("too low");
    assert_eq!(
        refusal.to_string(),
        "max_credit_per_unit: must be at least 2, the normal rate of mode markdown"
    );
}

#[test]
fn auto_requires_a_ceiling_and_a_ceiling_implies_auto() {
    let auto = JobDraft { on_protected: Some(OnProtected::Auto), ..draft() };
    decide(None, &create(auto), &RateCard::default(), NOW).expect_err("auto without a ceiling");
    assert_eq!(created(draft()).on_protected, OnProtected::Pause);
    let ceiling = JobDraft { ceiling: Some(Credits(5)), ..draft() };
    assert_eq!(created(ceiling).on_protected, OnProtected::Auto);
}

#[test]
fn contacts_reserve_every_domain_in_advance() {
    let domains: Vec<_> = (0..11).map(|n| format!("d{n}.example")).collect();
    let contacts = JobDraft { mode: Mode::Contacts, domains, url: None, site_key: None, ..draft() };
    let refusal =
        decide(None, &create(contacts.clone()), &RateCard::default(), NOW).expect_err("110 > 100");
    assert_eq!(refusal.to_string(), "110 credits are needed and 100 are available");
    let affordable = JobDraft { domains: contacts.domains[..10].to_vec(), ..contacts };
    let job = created(affordable);
    assert_eq!(job.reserved, Credits(100));
    assert_eq!(job.batch_ends_at(), None);
}

#[test]
fn long_domain_list_is_split_into_shards_and_a_sample_takes_the_first_domains() {
    let domains: Vec<_> = (0..600).map(|n| format!("d{n}.example")).collect();
    let contacts = JobDraft { mode: Mode::Contacts, domains, url: None, site_key: None, ..draft() };
    let create = |draft: JobDraft| {
        let command = JobCommand::Create { draft: Box::new(draft), available: Credits(10_000) };
        decide(None, &command, &RateCard::default(), NOW).expect("a good draft").job
    };
    let job = create(contacts.clone());
    let sizes: Vec<_> = (0..4).map(|number| job.domains_of_shard(number).len()).collect();
    assert_eq!((job.shards(), sizes), (3, vec![250, 250, 100, 0]));
    assert_eq!(job.domains_of_shard(1)[0], "d250.example");
    let options = Options { sample_size: Some(7), ..Options::default() };
    let sample = create(JobDraft { options, ..contacts });
    assert_eq!((sample.shards(), sample.reserved), (1, Credits(70)));
    assert_eq!(sample.domains_of_shard(0).len(), 7);
}

#[test]
fn protected_domains_are_set_aside_and_reopened_at_the_higher_rate() {
    let draft = JobDraft {
        mode: Mode::Contacts,
        domains: vec!["a.example".to_owned(), "b.example".to_owned()],
        url: None,
        site_key: None,
        ceiling: Some(Credits(50)),
        ..draft()
    };
    let running = after(&created(draft), &JobCommand::Start);
    let noted = after(&running, &JobCommand::SetAside { marker: "kasada".to_owned() });
    assert_eq!((noted.protected, noted.protected_marker.as_deref()), (false, Some("kasada")));
    let decision = decide(Some(&noted), &protected(), &RateCard::default(), NOW).expect("accepted");
    assert_eq!(decision.effects, [JobEffect::OpenShards]);
    assert_eq!((decision.job.status, decision.job.rate), (Status::Running, Some(Credits(50))));
}

#[test]
fn confirm_accepts_the_rate_that_the_job_shows() {
    let auto = created(JobDraft { ceiling: Some(Credits(2)), ..draft() });
    let waiting = after(&after(&auto, &JobCommand::Start), &protected());
    assert_eq!((waiting.status, waiting.rate), (Status::AwaitingConfirmation, Some(Credits(5))));
    let confirmed = after(&waiting, &confirm(false, None, 100));
    assert_eq!((confirmed.status, confirmed.rate), (Status::Queued, Some(Credits(5))));
    assert_eq!(confirmed.ceiling, Some(Credits(5)));
    let refusal = |rates: &RateCard, ceiling| {
        decide(Some(&waiting), &confirm(false, ceiling, 100), rates, NOW)
            .expect_err("not accepted")
            .to_string()
    };
    let low = refusal(&RateCard::default(), Some(4));
    assert_eq!(low, "max_credit_per_unit: must be at least 5, the rate that the job waits for");
    let risen = RateCard { protected_factor: 7, ..RateCard::default() };
    let unseen = refusal(&risen, None);
    assert!(unseen.contains("rose from 5 to 7"), "{unseen}");
    let seen = decide(Some(&waiting), &confirm(false, Some(7), 100), &risen, NOW).expect("seen");
    assert_eq!(seen.job.rate, Some(Credits(7)));
}

#[test]
fn protected_rate_is_shown_only_where_it_applies() {
    let running = after(&created(draft()), &JobCommand::Start);
    let running = after(&running, &JobCommand::LearnTier(Tier::Normal));
    let waiting = after(&running, &protected());
    assert_eq!((waiting.protected, waiting.rate), (true, Some(Credits(5))));
    let resumed = after(&after(&waiting, &confirm(false, None, 100)), &JobCommand::Start);
    let blocked = RunEnding::nothing(ErrorCode::TargetBlocked, "blocked");
    let failing = JobDraft { on_protected: Some(OnProtected::Fail), ..draft() };
    let failing = after(&after(&created(failing), &JobCommand::Start), &protected());
    for ended in [
        after(&waiting, &JobCommand::Abort),
        after(&resumed, &JobCommand::Finish(blocked)),
        failing.clone(),
    ] {
        assert_eq!((ended.protected, ended.protected_marker.is_some()), (false, true));
        assert_ne!(ended.rate, Some(Credits(5)));
    }
    assert_eq!(failing.error.expect("a reason").code, ErrorCode::ProtectedRateRefused);
    let charged = Job { protected_units: contract::Units(1), ..resumed };
    let done = after(&charged, &JobCommand::Finish(RunEnding::Complete));
    assert_eq!((done.protected, done.rate), (true, Some(Credits(5))));
}

#[test]
fn parked_job_is_purged_after_fourteen_days() {
    let paused = after(&after(&created(draft()), &JobCommand::Start), &JobCommand::ReachBoundary);
    let early = NOW.plus(STALE_AFTER - std::time::Duration::from_millis(1));
    decide(Some(&paused), &JobCommand::PurgeStale, &RateCard::default(), early)
        .expect_err("not stale yet");
    let purged =
        decide(Some(&paused), &JobCommand::PurgeStale, &RateCard::default(), NOW.plus(STALE_AFTER))
            .expect("stale")
            .job;
    assert_eq!(purged.status, Status::Failed);
    assert_eq!(purged.error.expect("a reason").code, ErrorCode::StalePurged);
}

proptest! {
    /// In any sequence of commands a final state never changes, a parked or ended job has no
    /// reservation, and every stop emits an event.
    #[test]
    fn invariants_hold_for_any_sequence_of_commands(order in prop::collection::vec(0..21usize, 1..40)) {
        let all = commands();
        let rates = RateCard::default();
        let mut job = created(draft());
        for index in order {
            let before = job.clone();
            let Ok(Decision { job: next, effects }) = decide(Some(&job), &all[index].1, &rates, NOW)
            else { continue };
            if before.status.is_final() {
                prop_assert_eq!(&before, &next);
            }
            let parked = matches!(next.status, Status::Paused | Status::AwaitingConfirmation);
            prop_assert_eq!(parked, next.waits_for.is_some());
            prop_assert_eq!(parked, next.parked_at.is_some());
            prop_assert_eq!(next.status.is_final(), next.finished_at.is_some());
            if parked || next.status.is_final() {
                prop_assert_eq!(next.reserved, Credits::ZERO);
            }
            if next.status != before.status && (parked || next.status.is_final()) {
                prop_assert!(effects.iter().any(|e| matches!(e, JobEffect::Emit(_))));
                prop_assert!(effects.contains(&JobEffect::Release));
            }
            let public = next.public();
            prop_assert_eq!(public.batch_ready, public.next_batch.is_some());
            job = next;
        }
    }
}

#[test]
fn used_up_budget_pauses_the_job_like_used_up_credits_with_its_own_message() {
    let running = after(&created(draft()), &JobCommand::Start);
    let credits = after(&running, &JobCommand::ExhaustCredits);
    let budget = after(&running, &JobCommand::ExhaustBudget);
    let error = budget.error.clone().expect("a reason");
    assert_eq!(error.code, ErrorCode::CreditsExhausted);
    assert!(error.message.contains("budget of the key"), "{}", error.message);
    assert_eq!(Job { error: credits.error.clone(), ..budget }, credits);
}

#[test]
fn free_job_reserves_nothing_and_needs_no_balance() {
    let rates = RateCard::default();
    let create = |draft: JobDraft, available| {
        decide(None, &JobCommand::Create { draft: Box::new(draft), available }, &rates, NOW)
    };
    assert!(create(draft(), Credits::ZERO).is_err());
    let decision = create(JobDraft { free: true, ..draft() }, Credits::ZERO).expect("a job");
    assert_eq!(decision.job.reserved, Credits::ZERO);
    let parked = after(&after(&decision.job, &JobCommand::Start), &protected());
    let confirmed = decide(Some(&parked), &confirm(false, None, 0), &rates, NOW);
    let confirmed = confirmed.expect("it goes on").job;
    assert_eq!(confirmed.status, Status::Queued);
    let normal =
        after(&after(&decision.job, &JobCommand::Start), &JobCommand::LearnTier(Tier::Normal));
    let shown =
        [&decision.job, &normal, &parked, &confirmed].map(|job| job.public().credit_per_unit);
    let asked = rates.protected(Mode::Links);
    assert_eq!(shown, [None, Some(Credits::ZERO), Some(asked), Some(Credits::ZERO)]);
}
