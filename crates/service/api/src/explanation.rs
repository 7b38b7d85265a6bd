//! Explains what a run did with a URL, from its log, its skipped URLs and its results. The work is
//! bounded: a larger log or result set is not read, and the answer says so.

use contract::{
    FailureCause, Millis, RuleCheck, SkippedUrl, UrlDisposition, UrlExplanation, UrlRule,
};
use crawl::{CrawlMode, CrawlPlan, FoundUrl, RunState, UrlExplainer};
use job::Job;
use registry::SiteCrawlError;
use runtime::off_runtime;
use store::{ShardLog, Store, StoreError, UrlSearch};
use thiserror::Error;
use urls::{CanonicalUrl, TrapRule, UrlError};

/// A log beyond this size, in bytes as stored, is not read: about 25,000 URLs.
const LOG_BYTES: u64 = 4 << 20;

/// Why there is no explanation.
#[derive(Debug, Error)]
pub enum ExplainError {
    #[error("{0}")]
    Url(UrlError),
    #[error("a run of mode {0} visits domains; its results have one record for each of them")]
    NotASite(contract::Mode),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Explains what a run did with a URL, which may be a path of its site.
///
/// # Errors
/// [`ExplainError`] when the URL is invalid, the run visits domains, or the database fails.
pub async fn explain_url(
    store: &Store,
    job: &Job,
    url: &str,
    now: Millis,
) -> Result<UrlExplanation, ExplainError> {
    let not_a_site = || ExplainError::NotASite(job.mode);
    let mode = registry::crawl_mode(job.mode).map_err(|_: SiteCrawlError| not_a_site())?;
    if job.is_list() {
        let url = CanonicalUrl::parse(url).map_err(ExplainError::Url)?;
        return explain_listed(store, job, mode, url, now).await;
    }
    let start = job.url.as_deref().ok_or_else(not_a_site)?;
    let start = CanonicalUrl::parse(start).map_err(ExplainError::Url)?;
    let url = start.join(url).map_err(ExplainError::Url)?;
    let plan = CrawlPlan { scope: job.scope.clone(), ..plan_of(job, start, now) };
    let log = store.run_log(&job.id, 0, LOG_BYTES).await?;
    let (mode, state) = off_runtime(|| restored(mode, &plan, log));
    let explainer = UrlExplainer::new(&plan, &*mode, state.as_ref());
    let url = explainer.identified(url);
    let found = explainer.find(&url);
    let mut explanation = not_searched(job, &url, found.as_ref(), explainer.checks(&url));
    match &found {
        Some(found) if found.is_delivered => delivered(&mut explanation),
        Some(found) if !found.is_finished => pending(&mut explanation, job),
        _ => search(&mut explanation, store, job, found.as_ref(), state.is_some()).await?,
    }
    Ok(explanation)
}

/// Explains what a run over a list did with a URL. It applies no rule but robots.txt, and requests
/// nothing but its list.
async fn explain_listed(
    store: &Store,
    job: &Job,
    mode: Box<dyn CrawlMode>,
    url: CanonicalUrl,
    now: Millis,
) -> Result<UrlExplanation, ExplainError> {
    let listed = store.find_listed(&job.id, url.as_str()).await?;
    let log = match listed {
        UrlSearch::Found(shard) => store.run_log(&job.id, shard, LOG_BYTES).await?,
        UrlSearch::NotFound | UrlSearch::TooLarge => None,
    };
    let plan = plan_of(job, url.clone(), now);
    let (mode, state) = off_runtime(|| restored(mode, &plan, log));
    let explainer = UrlExplainer::new(&plan, &*mode, state.as_ref());
    let found = explainer.find(&url);
    let checks = vec![explainer.robots_check(&url)];
    let mut explanation = not_searched(job, &url, found.as_ref(), checks);
    if listed == UrlSearch::NotFound {
        explanation.message = "It is not in the list of the run.".to_owned();
        return Ok(explanation);
    }
    let skipped_row = match &found {
        Some(found) if found.is_delivered => {
            delivered(&mut explanation);
            return Ok(explanation);
        }
        Some(found) if !found.is_finished => UrlSearch::NotFound,
        _ => store.find_skipped(&job.id, url.as_str()).await?,
    };
    let result = match &skipped_row {
        UrlSearch::Found(row) => {
            skipped(&mut explanation, row.clone(), found.as_ref());
            return Ok(explanation);
        }
        UrlSearch::NotFound | UrlSearch::TooLarge => {
            store.find_result(&job.id, url.as_str()).await?
        }
    };
    match (skipped_row, result, listed) {
        (_, UrlSearch::Found(()), _) => delivered(&mut explanation),
        (UrlSearch::NotFound, UrlSearch::NotFound, UrlSearch::Found(_)) => {
            pending(&mut explanation, job);
        }
        _ => too_large(&mut explanation),
    }
    Ok(explanation)
}

fn plan_of(job: &Job, start: CanonicalUrl, now: Millis) -> CrawlPlan {
    CrawlPlan {
        options: job.options.clone(),
        traps: TrapRule::in_year(now.year()),
        ..CrawlPlan::new(start)
    }
}

/// The explanation of a URL before the run is searched for it.
fn not_searched(
    job: &Job,
    url: &CanonicalUrl,
    found: Option<&FoundUrl>,
    checks: Vec<RuleCheck>,
) -> UrlExplanation {
    UrlExplanation {
        job_id: job.id.clone(),
        url: url.to_string(),
        disposition: UrlDisposition::NeverFound,
        message: String::new(),
        reason: None,
        found_on: found.and_then(|found| found.found_on.clone()),
        depth: found.and_then(|found| found.depth),
        status_code: None,
        cause: None,
        redirects_to: None,
        checks,
    }
}

/// The state of the run, if its log is kept and readable.
fn restored(
    mut mode: Box<dyn CrawlMode>,
    plan: &CrawlPlan,
    log: Option<ShardLog>,
) -> (Box<dyn CrawlMode>, Option<RunState>) {
    let Some(ShardLog { snapshot, commits }) = log else { return (mode, None) };
    let mut state = match snapshot.map(|snapshot| mode.restore(&snapshot)) {
        Some(Ok(state)) => state,
        Some(Err(_)) => return (mode, None),
        None if commits.is_empty() => return (mode, None),
        None => RunState::new(plan.traps.clone()),
    };
    for commit in &commits {
        state.replay(commit);
    }
    (mode, Some(state))
}

fn delivered(explanation: &mut UrlExplanation) {
    explanation.disposition = UrlDisposition::Delivered;
    explanation.message = "It is one of the results.".to_owned();
}

fn pending(explanation: &mut UrlExplanation, job: &Job) {
    explanation.disposition = UrlDisposition::Pending;
    explanation.message = match job.error.as_ref().filter(|_| job.status.is_final()) {
        Some(error) => format!(
            "It was found and not fetched: the run is {} ({}): {}.",
            job.status, error.code, error.message
        ),
        None => format!("It was found and is not finished: the run is {}.", job.status),
    };
}

/// Explains a URL that the state of the run does not know as delivered or pending.
async fn search(
    explanation: &mut UrlExplanation,
    store: &Store,
    job: &Job,
    found: Option<&FoundUrl>,
    is_known: bool,
) -> Result<(), ExplainError> {
    match store.find_skipped(&job.id, &explanation.url).await? {
        UrlSearch::Found(row) => {
            skipped(explanation, row, found);
            return Ok(());
        }
        UrlSearch::NotFound if found.is_some() => {
            explanation.disposition = UrlDisposition::Skipped;
            explanation.message =
                "It was read for the URLs that it lists and is neither a result nor skipped."
                    .to_owned();
            return Ok(());
        }
        UrlSearch::NotFound if is_known => {
            explanation.message = never_found(&explanation.checks);
            return Ok(());
        }
        UrlSearch::NotFound => match store.find_result(&job.id, &explanation.url).await? {
            UrlSearch::Found(()) => {
                delivered(explanation);
                return Ok(());
            }
            UrlSearch::NotFound => {
                explanation.message = never_found(&explanation.checks);
                return Ok(());
            }
            UrlSearch::TooLarge => {}
        },
        UrlSearch::TooLarge => {}
    }
    too_large(explanation);
    Ok(())
}

fn too_large(explanation: &mut UrlExplanation) {
    explanation.disposition = UrlDisposition::Unknown;
    explanation.message = "The run is too large to be searched for one URL; the lists of results \
                           and of skipped URLs are complete."
        .to_owned();
}

fn skipped(explanation: &mut UrlExplanation, row: SkippedUrl, found: Option<&FoundUrl>) {
    let SkippedUrl { reason, found_on, status_code, cause, redirects_to, failed_action, .. } = row;
    let mut message = format!("It was skipped: {reason}");
    if let Some(status) = status_code {
        message.push_str(&format!(", status {status}"));
    }
    if let Some(cause) = cause.filter(|cause| *cause != FailureCause::HttpStatus) {
        message.push_str(&format!(", {cause}"));
    }
    if let Some(failed) = failed_action {
        message.push_str(&format!(", {failed}"));
    }
    if let Some(other) = found.and_then(|found| found.replaced_by.as_deref()) {
        message.push_str(&format!("; {other} is delivered in its place"));
    }
    let failing = explanation.checks.iter().find(|check| check.passes == Some(false));
    if let Some(matched) = failing.and_then(|check| check.matched.as_deref()) {
        message.push_str(&format!(" ({matched})"));
    }
    message.push('.');
    explanation.disposition = UrlDisposition::Skipped;
    explanation.message = message;
    explanation.reason = Some(reason);
    explanation.found_on = found_on.or(explanation.found_on.take());
    explanation.status_code = status_code;
    explanation.cause = cause;
    explanation.redirects_to = redirects_to;
}

/// The message for a URL that the run never found, with the first rule that it would not pass.
fn never_found(checks: &[RuleCheck]) -> String {
    let found = "No page, sitemap or redirect that the run read leads to it";
    let failing = checks.iter().find(|check| check.passes == Some(false));
    match failing.map(|check| (check.rule, check.matched.as_deref())) {
        None => format!("{found}. The rules of the run would have permitted it."),
        Some((UrlRule::Filter, None)) => {
            format!("{found}. No pattern of include_paths matches it either.")
        }
        Some((rule, matched)) => {
            let matched = matched.map(|matched| format!(" ({matched})")).unwrap_or_default();
            format!("{found}. The rule {rule} would have excluded it{matched}.")
        }
    }
}
