//! The head of every tab of a run: how far it is, its id, and what failed.

use contract::{JobError, Status};
use maud::{Markup, html};

use super::RunPage;
use crate::number_format::{number, span};

/// Fewer processed URLs say nothing about the time that is left.
const FEW: u64 = 10;

/// The bar of a moving run, its counts, and its id. The script updates them.
pub(super) fn show(run: &RunPage) -> Markup {
    let job = &run.job;
    let is_moving = matches!(job.status, Status::Queued | Status::Running);
    let live = (!job.status.is_final()).then(|| run.path("/live"));
    let now = run.user.state.now();
    let end = job.finished_at.unwrap_or(now);
    let (done, of) = progress(run);
    let (one, many) = job.mode.unit();
    html! {
        section.summary #run aria-label="Progress" data-live=[live] data-status=(job.status)
            data-now=(now.0) data-since=(job.created_at.0) data-target=[job.options.sample_size] {
            @if is_moving {
                progress max=(of.max(1)) value=(done) aria-label="Progress of the run" {}
            }
            p.counts {
                b data-of="fetched" { (number(run.fetched)) } " of "
                span data-of="pages" { (number(job.counts.pages.max(run.fetched))) }
                " " @if job.counts.pages == 1 { (one) } @else { (many) } " processed · "
                b data-of="results" { (number(job.counts.results)) } " "
                span data-of="results-word" { (plural(job.counts.results == 1, "result")) } " · "
                b data-of="credits" { (number(job.credits_used.0)) } " "
                span data-of="credits-word" { (plural(job.credits_used.0 == 1, "credit")) } " · "
                span data-of="elapsed" { (span(end.since(job.created_at).as_secs())) }
                @if is_moving {
                    span data-of="left" {
                        @if let Some(left) = seconds_left(run) { " · about " (span(left)) " left" }
                    }
                }
            }
            p.copyline.quiet {
                "Job " code #job-id { (job.id) }
                button type="button" data-copies="job-id" hidden { "Copy" }
            }
            // Screen readers announce what the script writes here.
            p.hidden-label role="status" #announce {}
        }
    }
}

/// The value and the maximum of the bar: results of a sample, otherwise URLs.
fn progress(run: &RunPage) -> (u64, u64) {
    let counts = &run.job.counts;
    match run.job.options.sample_size {
        Some(sample) => (counts.results.min(sample), sample),
        None => (run.fetched, counts.pages.max(run.fetched)),
    }
}

/// The time that the known URLs need at the rate of the run so far.
fn seconds_left(run: &RunPage) -> Option<u64> {
    let since = run.job.started_at.unwrap_or(run.job.created_at);
    let seconds = run.user.state.now().since(since).as_secs();
    let (done, of) = progress(run);
    (done >= FEW && of > done && seconds > 0).then(|| seconds.saturating_mul(of - done) / done)
}

/// What failed, what to do, and where that is explained.
pub(super) fn failure(error: &JobError, status: Status) -> Markup {
    let guide = error.code.guide();
    let class = if status == Status::Failed { "complaint" } else { "asks" };
    html! {
        section class=(class) aria-label="Why the run stopped" {
            p {
                span.chip.warn { (error.code) } " "
                @if let Some(cause) = error.cause { span.chip { (cause) } " " }
                (error.message)
            }
            p {
                (guide.remedy) " "
                a href={ "/docs/errors#job-" (error.code) } { "About this error" }
            }
        }
    }
}

/// A noun without or with an s.
fn plural(is_one: bool, noun: &str) -> String {
    if is_one { noun.to_owned() } else { format!("{noun}s") }
}

#[cfg(test)]
mod tests {
    use contract::{ErrorCode, FailureCause};

    use super::*;

    #[test]
    fn failure_has_cause_remedy_and_link() {
        let mut error = JobError::new(ErrorCode::ServerError, "no answer from <host>");
        error.cause = Some(FailureCause::ConnectionRefused);
        let shown = failure(&error, Status::Failed).into_string();
        for words in ["connection_refused", "&lt;host&gt;", "/docs/errors#job-server_error"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        let remedy = ErrorCode::ServerError.guide().remedy;
        assert!(shown.contains(&html! { (remedy) }.into_string()), "{shown}");
    }
}
