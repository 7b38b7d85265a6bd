//! The budget of a job (`max_credits`): its end, and its raise by a confirmation.

use contract::{Credits, ErrorCode, JobError, Millis, Status};

use super::{Decision, Refusal, end, exhaust_credits, require_running};
use crate::{Job, RateCard, RunEnding, WaitsFor};

pub(super) fn current_rate(job: &Job, rates: &RateCard) -> Credits {
    job.rate.unwrap_or_else(|| rates.normal(job.mode))
}

/// `max_credits` does not cover the next result: the job ends or waits, as its request says.
pub(super) fn reach_credit_limit(
    job: &Job,
    rates: &RateCard,
    now: Millis,
) -> Result<Decision, Refusal> {
    require_running(job)?;
    let max = job.options.max_credits.unwrap_or_default();
    if job.pauses_at_credit_limit() {
        let mut decision = exhaust_credits(job, now)?;
        decision.job.error = Some(JobError::new(
            ErrorCode::CreditsExhausted,
            format!(
                "options.max_credits ({max}) does not cover the next result; confirm with a \
                 higher max_credits, or abort"
            ),
        ));
        return Ok(decision);
    }
    if job.credits_used > Credits::ZERO {
        return Ok(end(job, Status::Completed, RunEnding::CreditLimit.error(), rates, now));
    }
    let rate = current_rate(job, rates);
    let error = JobError::new(
        ErrorCode::CreditsExhausted,
        format!(
            "options.max_credits ({max}) does not cover one result at the rate of the site, \
             {rate} credits per unit"
        ),
    );
    Ok(end(job, Status::Failed, Some(error), rates, now))
}

/// The job with a higher `max_credits`. A job that waits at its limit cannot continue without.
pub(super) fn raise_max_credits(
    job: &Job,
    max_credits: Option<Credits>,
    rates: &RateCard,
) -> Result<Job, Refusal> {
    let rate = current_rate(job, rates);
    let waits = job.waits_for == Some(WaitsFor::Credits) && job.is_at_credit_limit(rate);
    let least = job.credits_used.plus(rate).unwrap_or(rate);
    let invalid = |message| Err(Refusal::Invalid { field: "max_credits", message });
    let mut job = job.clone();
    match (max_credits, job.options.max_credits) {
        (None, _) if waits => Err(Refusal::Conflict(format!(
            "the job has used up its max_credits: confirm with max_credits of at least {least}"
        ))),
        (None, _) => Ok(job),
        (Some(_), None) => invalid("must not be given: the job has no max_credits".to_owned()),
        (Some(new), Some(old)) => match u64::try_from(new.0) {
            Ok(new) if new < old => invalid(format!("must be at least {old}, the current value")),
            _ if waits && new < least => {
                invalid(format!("must be at least {least}, to cover the next result"))
            }
            Ok(new) => {
                job.options.max_credits = Some(new);
                Ok(job)
            }
            Err(_) => invalid("is out of range".to_owned()),
        },
    }
}
