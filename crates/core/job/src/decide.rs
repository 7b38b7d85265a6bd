//! The state machine: every transition of `docs/spec/jobs.md` and `docs/STATES.md`, and no other.

use std::time::Duration;

use contract::{
    Counts, Credits, ErrorCode, EventKind, JobError, Millis, OnProtected, Status, Units,
};
use thiserror::Error;

use crate::{Job, JobCommand, JobDraft, RateCard, RunEnding, Tier, WaitsFor};

use credit_limit::{current_rate, raise_max_credits, reach_credit_limit};

mod credit_limit;

/// Maximum time that a job may stay parked.
pub const STALE_AFTER: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The result of a command, to be stored in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The job after the command.
    pub job: Job,
    pub effects: Vec<JobEffect>,
}

/// A change outside the job's own row that a decision requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEffect {
    /// Reserve credits of the account.
    Reserve(Credits),
    /// Release the credits that are still reserved.
    Release,
    /// Make the job's shards claimable.
    OpenShards,
    /// Revoke the leases of the shards until the job is confirmed.
    ParkShards,
    /// Revoke the leases of the shards for good.
    CloseShards,
    Emit(EventKind),
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A field of the request is invalid for the mode or the state of the job.
    #[error("{field}: {message}")]
    Invalid { field: &'static str, message: String },
    /// The balance does not cover the units that are known in advance.
    #[error("{required} credits are needed and {available} are available")]
    InsufficientCredits { required: Credits, available: Credits },
    /// The budget of the credential does not cover the units that are known in advance.
    #[error(
        "{required} credits are needed and {available} are left of the budget of the key or \
         application that starts the job"
    )]
    BudgetExhausted { required: Credits, available: Credits },
    /// The command conflicts with the state of the job.
    #[error("{0}")]
    Conflict(String),
    #[error("the job is over: its status is {0}")]
    Ended(Status),
    /// A worker reports on a job that is not running: its lease is lost.
    #[error("the job is not running: its status is {0}")]
    NotRunning(Status),
}

/// Applies `command` to `job`. Time and balances are parameters.
///
/// # Errors
/// A [`Refusal`] when the command is not valid in the state of the job.
pub fn decide(
    job: Option<&Job>,
    command: &JobCommand,
    rates: &RateCard,
    now: Millis,
) -> Result<Decision, Refusal> {
    match (job, command) {
        (None, JobCommand::Create { draft, available }) => create(draft, *available, rates, now),
        (None, JobCommand::CreateFailed { draft, code, message }) => {
            let error = JobError::new(*code, message);
            Ok(end(&new_job(draft, now), Status::Failed, Some(error), rates, now))
        }
        (Some(job), JobCommand::Create { .. } | JobCommand::CreateFailed { .. }) => {
            Err(Refusal::Conflict(format!("the job {} exists already", job.id)))
        }
        (None, _) => Err(Refusal::Conflict("there is no such job".to_owned())),
        (Some(job), JobCommand::Start) => start(job, now),
        (Some(job), JobCommand::LearnTier(tier)) => learn_tier(job, tier, rates, now),
        (Some(job), JobCommand::SetAside { marker }) => {
            require_running(job)?;
            let mut job = job.clone();
            job.protected_marker.get_or_insert_with(|| marker.clone());
            Ok(Decision { job, effects: Vec::new() })
        }
        (Some(job), JobCommand::ReachBoundary) => {
            require_running(job)?;
            Ok(park(job, Status::Paused, WaitsFor::Boundary, EventKind::JobBatchReady, now))
        }
        (Some(job), JobCommand::ExhaustCredits | JobCommand::ExhaustBudget)
            if job.is_at_credit_limit(current_rate(job, rates)) =>
        {
            reach_credit_limit(job, rates, now)
        }
        (Some(job), JobCommand::ExhaustCredits) => exhaust_credits(job, now),
        (Some(job), JobCommand::ExhaustBudget) => exhaust_budget(job, now),
        (Some(job), JobCommand::Confirm { continue_batch, ceiling, max_credits, available }) => {
            let job = raise_max_credits(job, *max_credits, rates)?;
            confirm(&job, *continue_batch, *ceiling, *available, rates)
        }
        (Some(job), JobCommand::Abort) => abort(job, rates, now),
        (Some(job), JobCommand::Finish(ending)) => finish(job, ending, rates, now),
        (Some(job), JobCommand::Fail { code, message }) => match job.status {
            Status::Queued | Status::Running => {
                let error = JobError::new(*code, message);
                Ok(end(job, Status::Failed, Some(error), rates, now))
            }
            status @ (Status::AwaitingConfirmation | Status::Paused) => {
                Err(Refusal::NotRunning(status))
            }
            status @ (Status::Completed | Status::Failed | Status::Aborted) => {
                Err(Refusal::Ended(status))
            }
        },
        (Some(job), JobCommand::PurgeStale) => purge_stale(job, rates, now),
    }
}

fn create(
    draft: &JobDraft,
    available: Credits,
    rates: &RateCard,
    now: Millis,
) -> Result<Decision, Refusal> {
    let rate = rates.normal(draft.mode);
    if let Some(ceiling) = draft.ceiling
        && ceiling < rate
    {
        return Err(Refusal::Invalid {
            field: "max_credit_per_unit",
            message: format!("must be at least {rate}, the normal rate of mode {}", draft.mode),
        });
    }
    if (draft.on_protected, draft.ceiling) == (Some(OnProtected::Auto), None) {
        return Err(Refusal::Invalid {
            field: "max_credit_per_unit",
            message: "is required when on_protected is auto".to_owned(),
        });
    }
    let mut job = new_job(draft, now);
    if job.is_at_credit_limit(rate) {
        return Err(Refusal::Invalid {
            field: "options.max_credits",
            message: format!("must be at least {rate}, the normal rate of mode {}", draft.mode),
        });
    }
    let covered = job.credits_left().map_or(Units(u64::MAX), |left| left.covers(rate));
    let required = match job.free {
        true => Credits::ZERO,
        false => rate.times(job.units_in_advance().min(covered)).unwrap_or(Credits(i64::MAX)),
    };
    if required > available {
        return Err(Refusal::InsufficientCredits { required, available });
    }
    job.reserved = required;
    Ok(Decision { job, effects: vec![JobEffect::Reserve(required), JobEffect::OpenShards] })
}

/// A queued job for the draft.
fn new_job(draft: &JobDraft, now: Millis) -> Job {
    let on_protected = draft.on_protected.unwrap_or(match draft.ceiling {
        Some(_) => OnProtected::Auto,
        None => OnProtected::Pause,
    });
    Job {
        id: draft.id.clone(),
        account: draft.account.clone(),
        source: draft.source.clone(),
        creator: draft.creator.clone(),
        free: draft.free,
        mode: draft.mode,
        url: draft.url.clone(),
        domains: draft.domains.clone(),
        inputs: draft.inputs.clone(),
        listed_urls: draft.listed_urls,
        list: draft.list.clone(),
        site_key: draft.site_key.clone(),
        scope: draft.scope.clone(),
        options: draft.options.clone(),
        on_protected,
        ceiling: draft.ceiling,
        external: draft.external.clone(),
        webhook: draft.webhook.clone(),
        access: draft.access.clone(),
        batch_size: draft.batch_size,
        status: Status::Queued,
        waits_for: None,
        rate: None,
        protected: false,
        protected_marker: None,
        batch: 1,
        counts: Counts::default(),
        units: Units(0),
        protected_units: Units(0),
        credits_used: Credits::ZERO,
        reserved: Credits::ZERO,
        error: None,
        created_at: now,
        started_at: None,
        parked_at: None,
        finished_at: None,
    }
}

fn start(job: &Job, now: Millis) -> Result<Decision, Refusal> {
    match job.status {
        Status::Queued | Status::Running => {
            let mut job = job.clone();
            job.status = Status::Running;
            job.started_at = job.started_at.or(Some(now));
            Ok(Decision { job, effects: Vec::new() })
        }
        status @ (Status::AwaitingConfirmation
        | Status::Paused
        | Status::Completed
        | Status::Failed
        | Status::Aborted) => Err(Refusal::NotRunning(status)),
    }
}

fn learn_tier(job: &Job, tier: &Tier, rates: &RateCard, now: Millis) -> Result<Decision, Refusal> {
    require_running(job)?;
    let mut job = job.clone();
    let marker = match tier {
        // A site without a challenge later does not undo a confirmed escalation.
        Tier::Normal => {
            job.rate = job.rate.or(Some(rates.normal(job.mode)));
            return Ok(Decision { job, effects: Vec::new() });
        }
        Tier::Protected { marker } => marker,
    };
    if job.protected {
        return Ok(Decision { job, effects: Vec::new() });
    }
    let rate = rates.protected(job.mode);
    job.protected_marker = Some(marker.clone());
    if job.on_protected != OnProtected::Fail {
        // Clients see this rate while the job waits; a confirmation accepts exactly it.
        job.protected = true;
        job.rate = Some(rate);
    }
    match job.on_protected {
        OnProtected::Auto if job.ceiling.is_some_and(|ceiling| rate <= ceiling) => {
            // A site crawl continues; what was set aside of a list is opened again.
            let effects = match job.is_sharded() {
                true => vec![JobEffect::OpenShards],
                false => Vec::new(),
            };
            Ok(Decision { job, effects })
        }
        OnProtected::Auto | OnProtected::Pause => Ok(park(
            &job,
            Status::AwaitingConfirmation,
            WaitsFor::Escalation,
            EventKind::JobAwaitingConfirmation,
            now,
        )),
        OnProtected::Fail => {
            let error = JobError::new(
                ErrorCode::ProtectedRateRefused,
                format!(
                    "the site is behind bot protection ({marker}), which costs {rate} credits a \
                     unit, and on_protected is fail"
                ),
            );
            Ok(end(&job, Status::Failed, Some(error), rates, now))
        }
    }
}

fn exhaust_credits(job: &Job, now: Millis) -> Result<Decision, Refusal> {
    require_running(job)?;
    let mut decision = park(job, Status::Paused, WaitsFor::Credits, EventKind::JobProgress, now);
    decision.job.error = Some(JobError::new(
        ErrorCode::CreditsExhausted,
        "the balance does not cover the next result; top up, then confirm",
    ));
    Ok(decision)
}

/// As [`exhaust_credits`], with another message: topping up the account does not help.
fn exhaust_budget(job: &Job, now: Millis) -> Result<Decision, Refusal> {
    let mut decision = exhaust_credits(job, now)?;
    decision.job.error = Some(JobError::new(
        ErrorCode::CreditsExhausted,
        "the budget of the key or application that started the job is used up; raise it \
                  (a daily budget starts again at 00:00 UTC), then confirm",
    ));
    Ok(decision)
}

fn confirm(
    job: &Job,
    continue_batch: bool,
    ceiling: Option<Credits>,
    available: Credits,
    rates: &RateCard,
) -> Result<Decision, Refusal> {
    let waits_for = match (job.status, job.waits_for) {
        (Status::AwaitingConfirmation | Status::Paused, Some(waits_for)) => waits_for,
        (status @ (Status::Completed | Status::Failed | Status::Aborted), _) => {
            return Err(Refusal::Ended(status));
        }
        (
            status @ (Status::Queued
            | Status::Running
            | Status::AwaitingConfirmation
            | Status::Paused),
            _,
        ) => {
            return Err(Refusal::Conflict(format!(
                "the job waits for nothing: its status is {status}"
            )));
        }
    };
    let rate = accepted_rate(job, waits_for, continue_batch, ceiling, rates)?;
    if let (Some(new), Some(old)) = (ceiling, job.ceiling)
        && new < old
    {
        return Err(Refusal::Invalid {
            field: "max_credit_per_unit",
            message: format!("must be at least {old}, the current ceiling of the job"),
        });
    }
    if available < rate && !job.free {
        return Err(Refusal::InsufficientCredits { required: rate, available });
    }
    let mut job = job.clone();
    if waits_for == WaitsFor::Escalation {
        job.rate = Some(rate);
    }
    // The ceiling covers the accepted rate from now on.
    job.ceiling = ceiling.or(job.ceiling).map(|ceiling| ceiling.max(rate));
    job.status = Status::Queued;
    job.waits_for = None;
    job.parked_at = None;
    job.error = None;
    if waits_for == WaitsFor::Boundary {
        job.batch = job.batch.saturating_add(1);
    }
    Ok(Decision { job, effects: vec![JobEffect::OpenShards] })
}

/// The rate per unit that this confirmation accepts: the one that the job shows, whatever its
/// ceiling. A rate that rose while the job waited needs a ceiling that covers it, so that nothing
/// is charged at a rate that the client has not seen.
fn accepted_rate(
    job: &Job,
    waits_for: WaitsFor,
    continue_batch: bool,
    ceiling: Option<Credits>,
    rates: &RateCard,
) -> Result<Credits, Refusal> {
    let shown = job.rate.unwrap_or_else(|| rates.normal(job.mode));
    let rate = match waits_for {
        WaitsFor::Escalation => rates.protected(job.mode),
        WaitsFor::Boundary | WaitsFor::Credits => shown,
    };
    if continue_batch != (waits_for == WaitsFor::Boundary) {
        return Err(Refusal::Conflict(waits_for.sentence(rate)));
    }
    match (waits_for, ceiling) {
        (WaitsFor::Escalation, Some(ceiling)) if ceiling < rate => Err(Refusal::Invalid {
            field: "max_credit_per_unit",
            message: format!("must be at least {rate}, the rate that the job waits for"),
        }),
        (WaitsFor::Escalation, None) if rate > shown => Err(Refusal::Conflict(format!(
            "the rate rose from {shown} to {rate} credits per unit while the job waited: \
             confirm with max_credit_per_unit at or above {rate} to accept it"
        ))),
        (WaitsFor::Escalation | WaitsFor::Boundary | WaitsFor::Credits, _) => Ok(rate),
    }
}

fn abort(job: &Job, rates: &RateCard, now: Millis) -> Result<Decision, Refusal> {
    match job.status {
        Status::Queued | Status::Running | Status::AwaitingConfirmation | Status::Paused => {
            let error = JobError::new(
                ErrorCode::UserStopped,
                "aborted by its owner; results so far are kept",
            );
            Ok(end(job, Status::Aborted, Some(error), rates, now))
        }
        Status::Aborted => Ok(Decision { job: job.clone(), effects: Vec::new() }),
        status @ (Status::Completed | Status::Failed) => Err(Refusal::Ended(status)),
    }
}

fn finish(
    job: &Job,
    ending: &RunEnding,
    rates: &RateCard,
    now: Millis,
) -> Result<Decision, Refusal> {
    require_running(job)?;
    if *ending == RunEnding::CreditLimit {
        return reach_credit_limit(job, rates, now);
    }
    let status = match ending {
        RunEnding::Complete
        | RunEnding::Partial { .. }
        | RunEnding::Sampled
        | RunEnding::PageLimit
        | RunEnding::CreditLimit => Status::Completed,
        RunEnding::Nothing(_) => Status::Failed,
    };
    Ok(end(job, status, ending.error(), rates, now))
}

fn purge_stale(job: &Job, rates: &RateCard, now: Millis) -> Result<Decision, Refusal> {
    match (job.status, job.parked_at) {
        (Status::AwaitingConfirmation | Status::Paused, Some(parked_at))
            if now.since(parked_at) >= STALE_AFTER =>
        {
            let error =
                JobError::new(ErrorCode::StalePurged, "parked for 14 days without an answer");
            Ok(end(job, Status::Failed, Some(error), rates, now))
        }
        (status @ (Status::Completed | Status::Failed | Status::Aborted), _) => {
            Err(Refusal::Ended(status))
        }
        (Status::Queued | Status::Running | Status::AwaitingConfirmation | Status::Paused, _) => {
            Err(Refusal::Conflict("the job has not been parked for long enough".to_owned()))
        }
    }
}

fn require_running(job: &Job) -> Result<(), Refusal> {
    match job.status {
        Status::Running => Ok(()),
        status @ (Status::Queued
        | Status::AwaitingConfirmation
        | Status::Paused
        | Status::Completed
        | Status::Failed
        | Status::Aborted) => Err(Refusal::NotRunning(status)),
    }
}

fn park(job: &Job, status: Status, waits_for: WaitsFor, event: EventKind, now: Millis) -> Decision {
    let mut job = job.clone();
    job.status = status;
    job.waits_for = Some(waits_for);
    job.parked_at = Some(now);
    job.reserved = Credits::ZERO;
    Decision {
        job,
        effects: vec![JobEffect::ParkShards, JobEffect::Release, JobEffect::Emit(event)],
    }
}

fn end(
    job: &Job,
    status: Status,
    error: Option<JobError>,
    rates: &RateCard,
    now: Millis,
) -> Decision {
    let event = match status {
        Status::Completed => EventKind::JobCompleted,
        Status::Aborted => EventKind::JobAborted,
        Status::Failed
        | Status::Queued
        | Status::Running
        | Status::AwaitingConfirmation
        | Status::Paused => EventKind::JobFailed,
    };
    let mut job = job.clone();
    if job.protected && job.protected_units == Units(0) {
        // No unit was charged at the protected rate, so that it never applied.
        job.protected = false;
        job.rate = Some(rates.normal(job.mode));
    }
    job.status = status;
    job.waits_for = None;
    job.parked_at = None;
    job.reserved = Credits::ZERO;
    job.error = error;
    job.finished_at = Some(now);
    Decision {
        job,
        effects: vec![JobEffect::CloseShards, JobEffect::Release, JobEffect::Emit(event)],
    }
}
