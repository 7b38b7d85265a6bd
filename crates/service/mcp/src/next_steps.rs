//! The `next` text of tool results: what the model should do about a run or an estimate.

use contract::{Credits, ErrorCode, Estimate, PublicJob, Status};

/// The next step for a run.
pub(crate) fn for_run(job: &PublicJob) -> String {
    let id = &job.job_id;
    let results = job.counts.results;
    match job.status {
        Status::Queued | Status::Running => format!(
            "The run continues in the background. Call get_run with job_id {id} and wait_seconds 50 \
             until the status is no longer queued or running; results that are ready can \
             be read meanwhile ({results} now)."
        ),
        Status::AwaitingConfirmation => {
            let rate = job.credit_per_unit.map_or_else(String::new, |rate| {
                format!(" Continuing costs {rate} credits per unit.")
            });
            format!(
                "The site is behind bot protection and the run waits for an answer.{rate} Ask the \
                 user; then call confirm_run to continue at that rate, or abort_run to stop. Nothing \
                 is charged while it waits."
            )
        }
        Status::Paused if job.batch_ready => format!(
            "A batch is full and more of the site is left; {results} results can be read. Ask the \
             user; then call confirm_run with continue_batch true for the next batch, which costs \
             as much again, or abort_run to stop."
        ),
        Status::Paused => format!(
            "The run is paused{}. When credits have been added (get_account has the URL), call \
             confirm_run to continue. Ready results can be read.",
            why(job)
        ),
        Status::Completed => format!(
            "The run has ended{} with {results} results. Read them with read_results, or call \
             export_results for a file.",
            why(job)
        ),
        Status::Failed => {
            let remedy = job.error.as_ref().map_or("", |error| error.code.guide().remedy);
            format!("The run failed{}. {remedy}", why(job))
        }
        Status::Aborted => {
            format!("The run was stopped. Its {results} results stay readable with read_results.")
        }
    }
}

fn why(job: &PublicJob) -> String {
    job.error.as_ref().map_or_else(String::new, |error| match error.code {
        ErrorCode::SampleStopped => format!(" ({})", error.message),
        code => format!(" ({code}: {})", code.guide().meaning.trim_end_matches('.')),
    })
}

/// The next step after an estimate.
pub(crate) fn for_estimate(estimate: &Estimate) -> String {
    let rate = estimate.credit_per_unit;
    if let Some(reason) = estimate.reason {
        let cause = estimate.cause.map(|cause| format!(": {}", cause.describe()));
        let cause = cause.unwrap_or_default();
        return format!(
            "The start page cannot be fetched ({reason}{cause}): a run would likely end without \
             results. Tell the user, and check the URL before you call start_run."
        );
    }
    let range = match (estimate.estimated_credits_min, estimate.estimated_credits_max) {
        (Some(min), Some(max)) if min < max => format!(" (between {min} and {max})"),
        (Some(min), None) if min > Credits::ZERO => format!(" (at least {min})"),
        _ => String::new(),
    };
    let price = match (estimate.estimated_pages, estimate.estimated_credits) {
        (Some(pages), Some(credits)) => {
            format!("About {pages} pages; the run would cost about {credits} credits{range}.")
        }
        (None, Some(credits)) => format!("The run would cost about {credits} credits{range}."),
        (_, None) => format!(
            "The number of pages is unknown{range}; each unit costs {rate} credits. Start \
             with options.sample_size to see some results before paying for all."
        ),
    };
    let price = match (&estimate.under_path, &estimate.whole_site) {
        (Some(_), Some(site)) if estimate.estimated_credits != site.estimated_credits => {
            let whole = site
                .estimated_credits
                .map_or_else(|| "an unknown number of".to_owned(), |credits| credits.to_string());
            format!(
                "{price} This is below the path of the URL; the whole site \
                 (scope.specific_route false) would cost {whole} credits."
            )
        }
        _ => price,
    };
    let protected = if estimate.protected {
        format!(
            " The site is behind bot protection: pass on_protected \"auto\" with \
             max_credit_per_unit {rate} to accept that rate, or \"fail\" to reject it."
        )
    } else {
        String::new()
    };
    let short =
        estimate.estimated_credits.is_some_and(|needed| needed > estimate.credits_available)
            || estimate.credits_available <= Credits::ZERO;
    let balance = if short {
        " The balance does not cover it: tell the user; get_account has the top-up URL."
    } else {
        ""
    };
    format!("{price}{protected}{balance} Tell the user the price before you call start_run.")
}

#[cfg(test)]
mod tests {
    use contract::{Counts, EstimatedPrice, JobError, JobId, Millis, Mode};

    use super::*;

    fn job(status: Status) -> PublicJob {
        PublicJob {
            job_id: JobId::new(Millis(1), [1; 10]),
            mode: Mode::Links,
            status,
            url: Some("https://example.com/".to_owned()),
            counts: Counts { pages: 9, products: 0, results: 7 },
            credits_used: Credits(7),
            credit_per_unit: Some(Credits(5)),
            protected: false,
            protected_marker: None,
            batch: 1,
            batch_ready: false,
            next_batch: None,
            external: None,
            source: "mcp".to_owned(),
            created_at: Millis(1),
            finished_at: None,
            error: None,
            name: None,
            tags: Vec::new(),
            scope: None,
            options: None,
            on_protected: None,
            max_credit_per_unit: None,
            list_id: None,
            webhook: None,
            access: None,
            files: None,
        }
    }

    #[test]
    fn every_waiting_status_names_the_tool_to_call() {
        let next = |job: &PublicJob| for_run(job);
        assert!(next(&job(Status::Running)).contains("get_run"));
        let waits = next(&job(Status::AwaitingConfirmation));
        assert!(waits.contains("5 credits per unit") && waits.contains("confirm_run"), "{waits}");
        let boundary = PublicJob { batch_ready: true, ..job(Status::Paused) };
        assert!(next(&boundary).contains("continue_batch true"));
        let error = |code| Some(JobError::new(code, ""));
        let parked = PublicJob { error: error(ErrorCode::CreditsExhausted), ..job(Status::Paused) };
        assert!(next(&parked).contains("ran out"), "{}", next(&parked));
        assert!(next(&job(Status::Completed)).contains("read_results"));
        let failed = PublicJob { error: error(ErrorCode::NoData), ..job(Status::Failed) };
        assert!(next(&failed).contains(ErrorCode::NoData.guide().remedy));
        assert!(next(&job(Status::Aborted)).contains("stay readable"));
    }

    #[test]
    fn estimate_names_protected_rate_and_missing_credits() {
        let estimate = Estimate {
            url: "https://example.com/".to_owned(),
            mode: Mode::Markdown,
            credit_per_unit: Credits(10),
            credit_per_1000: Credits(10_000),
            protected: true,
            requires_protected_tier: true,
            protected_marker: Some("cloudflare".to_owned()),
            estimated_pages: Some(50),
            estimated_credits: Some(Credits(500)),
            estimated_pages_min: Some(40),
            estimated_pages_max: Some(60),
            estimated_credits_min: Some(Credits(400)),
            estimated_credits_max: Some(Credits(600)),
            under_path: None,
            whole_site: None,
            credits_available: Credits(20),
            reachable: Some(true),
            reason: None,
            cause: None,
        };
        let text = for_estimate(&estimate);
        for part in
            ["about 500 credits (between 400 and 600)", "max_credit_per_unit 10", "does not cover"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let reason = Some(contract::Unreachable::Forbidden);
        let refused = Estimate { reachable: Some(false), reason, ..estimate.clone() };
        assert!(for_estimate(&refused).contains("forbidden"));
        let site = EstimatedPrice { estimated_credits: Some(Credits(9_000)), ..Default::default() };
        let under_path = Some(EstimatedPrice::default());
        let docs = Estimate { under_path, whole_site: Some(site), ..estimate.clone() };
        assert!(for_estimate(&docs).contains("the whole site (scope.specific_route false)"));
        let unknown = Estimate { estimated_pages: None, estimated_credits: None, ..estimate };
        assert!(for_estimate(&unknown).contains("sample_size"));
    }
}
