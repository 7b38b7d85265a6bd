//! `trawl job`: lists, shows, confirms, aborts, deletes and explains jobs.

use std::collections::BTreeMap;
use std::fmt::Display;

use api::{ExplainError, explain_url};
use contract::{
    AccountId, ChangeJob, Clock, Confirm, Credits, FailureCause, JobId, JobLabels, Mode, PublicJob,
    RuleCheck, SkipReason, SkippedPage, SkippedUrl, Status, UrlExplanation,
};
use job::Job as StoredJob;
use runtime::SystemClock;
use serde_json::{Value, json};
use store::{CommandError, JobFilter, PageRequest, Store};

use super::account_lookup::find_any_by_email;
use super::{Exit, open_store, print_json};
use crate::cli::{GlobalArgs, JobSubcommand, LabelFlags};
use crate::exit::{CommandFailure, fail};
use crate::printing::{counted, or_dash, outln, print_members, print_table};
use crate::terminal::painted_cell;

pub async fn run(global: &GlobalArgs, command: JobSubcommand) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    match command {
        JobSubcommand::List { email, status, mode, tag, search, limit, json } => {
            let filter = JobFilter {
                account: find_any_by_email(&store, email.as_deref()).await?,
                status: parse_value("status", status.as_deref(), Status::ALL)?,
                mode: parse_value("mode", mode.as_deref(), Mode::ALL)?,
                text: search,
                tag,
                ..JobFilter::default()
            };
            let (jobs, _) = store.jobs(&filter, PageRequest { number: 1, size: limit }).await?;
            show_list(&labelled(&store, &jobs).await?, json)?;
            Ok(Exit::Done)
        }
        JobSubcommand::Show { id, json } => {
            let job = find(&store, &id).await?;
            let labels = labels_of(&store, &job).await?;
            show_details(&details(&job, labels)?, json)?;
            Ok(Exit::Done)
        }
        JobSubcommand::Label { id, labels, no_tags } => {
            let job = find(&store, &id).await?;
            let change = required_change(&labels, no_tags)?;
            let mut labels = labels_of(&store, &job).await?;
            if let Some(name) = change.name {
                labels.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            }
            labels.tags = change.tags.unwrap_or(labels.tags);
            store.set_job_labels(&job.account, &job.id, &labels).await?;
            show_labels(&job.id, &labels);
            Ok(Exit::Done)
        }
        JobSubcommand::Confirm { id, continue_batch, max_credit_per_unit, max_credits } => {
            let job = find(&store, &id).await?;
            let answer = confirmation(continue_batch, max_credit_per_unit, max_credits);
            let now = SystemClock.now();
            print_outcome(store.confirm(&job.account, &job.id, answer, now).await)
        }
        JobSubcommand::Abort { id } => {
            let job = find(&store, &id).await?;
            print_outcome(store.abort(&job.account, &job.id, SystemClock.now()).await)
        }
        JobSubcommand::Delete { id } => {
            let job = find(&store, &id).await?;
            match store.delete_job(&job.account, &job.id, SystemClock.now()).await {
                Ok(()) => {
                    outln!("{} is deleted", job.id);
                    Ok(Exit::Done)
                }
                Err(CommandError::Store(error)) => Err(error.into()),
                Err(error) => fail!(Nothing, "{error}"),
            }
        }
        JobSubcommand::Explain { id, url, json } => {
            let job = find(&store, &id).await?;
            match explain_url(&store, &job, &url, SystemClock.now()).await {
                Ok(explanation) if json => print_json(&explanation)?,
                Ok(explanation) => show_explanation(&explanation),
                Err(ExplainError::Store(error)) => return Err(error.into()),
                Err(error) => fail!(Usage, "{error}"),
            }
            Ok(Exit::Done)
        }
        JobSubcommand::Skipped { id, reason, limit, json } => {
            let reason = parse_value("reason", reason.as_deref(), SkipReason::ALL)?;
            let job = find(&store, &id).await?;
            let page = PageRequest { number: 1, size: limit };
            let mut skipped = store.skipped(&job.id, reason, page).await?;
            // The number of a stored picture, which the API replaces by a link.
            for failed in skipped.items.iter_mut().filter_map(|row| row.failed_action.as_mut()) {
                failed.kept_as = None;
            }
            if json {
                print_json(&skipped)?;
            } else {
                show_skipped(&skipped);
            }
            Ok(Exit::Done)
        }
    }
}

const COLUMNS: &str = "job:36, mode:9, status:21, results:>8, credits:>8, url";

/// The body that confirms a job.
pub fn confirmation(
    continue_batch: bool,
    max_credit_per_unit: Option<i64>,
    max_credits: Option<i64>,
) -> Confirm {
    Confirm {
        continue_batch: continue_batch.then_some(true),
        max_credit_per_unit: max_credit_per_unit.map(Credits),
        max_credits: max_credits.map(Credits),
    }
}

/// Jobs with their names and tags.
async fn labelled(store: &Store, jobs: &[StoredJob]) -> anyhow::Result<Vec<PublicJob>> {
    let mut by_account: BTreeMap<&AccountId, Vec<&JobId>> = BTreeMap::new();
    for job in jobs {
        by_account.entry(&job.account).or_default().push(&job.id);
    }
    let mut labels = BTreeMap::new();
    for (account, ids) in by_account {
        labels.extend(store.job_labels(account, &ids).await?);
    }
    let with_labels =
        |job: &StoredJob| job.public().labelled(labels.remove(&job.id).unwrap_or_default());
    Ok(jobs.iter().map(with_labels).collect())
}

async fn labels_of(store: &Store, job: &StoredJob) -> anyhow::Result<JobLabels> {
    let mut labels = store.job_labels(&job.account, &[&job.id]).await?;
    Ok(labels.remove(&job.id).unwrap_or_default())
}

/// The change that the flags for name and tags ask for; `None` without any.
pub fn label_change(flags: &LabelFlags, no_tags: bool) -> anyhow::Result<Option<ChangeJob>> {
    if let Some(wrong) = flags.name.as_deref().and_then(JobLabels::wrong_name) {
        fail!(Usage, "--name {wrong}");
    }
    if let Some(wrong) = flags.tags.iter().find_map(|tag| JobLabels::wrong_tag(tag)) {
        fail!(Usage, "--tag {wrong}");
    }
    if flags.tags.len() > JobLabels::MAX_TAGS {
        fail!(Usage, "--tag must be given at most {} times", JobLabels::MAX_TAGS);
    }
    let has_tags = no_tags || !flags.tags.is_empty();
    let change = ChangeJob {
        name: flags.name.clone(),
        tags: has_tags.then(|| {
            let mut tags: Vec<String> = Vec::new();
            for tag in flags.tags.iter().filter(|_| !no_tags) {
                if !tags.contains(tag) {
                    tags.push(tag.clone());
                }
            }
            tags
        }),
    };
    Ok(Some(change).filter(|change| change.name.is_some() || change.tags.is_some()))
}

/// The change of `trawl job label`, which needs one.
pub fn required_change(flags: &LabelFlags, no_tags: bool) -> anyhow::Result<ChangeJob> {
    match label_change(flags, no_tags)? {
        Some(change) => Ok(change),
        None => fail!(Usage, "give --name, --tag or --no-tags"),
    }
}

/// Prints name and tags of a job after a change.
pub fn show_labels(id: &JobId, labels: &JobLabels) {
    let name = labels.name.as_deref().unwrap_or("-");
    let tags = if labels.tags.is_empty() { "-".to_owned() } else { labels.tags.join(", ") };
    outln!("{id} has the name {name} and the tags {tags}");
}

/// Prints jobs as a table.
pub fn show_list(jobs: &[PublicJob], json: bool) -> anyhow::Result<()> {
    if json {
        return print_json(&jobs);
    }
    print_table(COLUMNS, jobs.iter().map(cells));
    Ok(())
}

/// Prints the members of a job.
pub fn show_details(details: &Value, json: bool) -> anyhow::Result<()> {
    match details {
        Value::Object(members) if !json => print_members(members),
        _ => print_json(details)?,
    }
    Ok(())
}

fn cells(job: &PublicJob) -> [String; 6] {
    let (results, credits) = (job.counts.results.to_string(), job.credits_used.0.to_string());
    let (mode, status) = (job.mode.to_string(), job.status.to_string());
    let mut site = or_dash(job.url.as_ref());
    if let Some(name) = &job.name {
        site.push_str(&format!("  {name}"));
    }
    if !job.tags.is_empty() {
        site.push_str(&format!("  [{}]", job.tags.join(", ")));
    }
    [job.job_id.to_string(), mode, status, results, credits, site]
}

/// Prints the status of the job after a command, or why it was rejected.
fn print_outcome(result: Result<StoredJob, CommandError>) -> anyhow::Result<Exit> {
    match result {
        Ok(job) => {
            show_status(&job.id, job.status);
            Ok(Exit::Done)
        }
        Err(CommandError::Store(error)) => Err(error.into()),
        Err(error) => fail!(Nothing, "{error}"),
    }
}

/// Prints the status of a job after a command.
pub fn show_status(id: &JobId, status: Status) {
    outln!("{id} is {status}");
}

/// The value with this name, or an error with the known values.
pub fn parse_value<T: Copy + Display>(
    name: &str,
    given: Option<&str>,
    all: &[T],
) -> anyhow::Result<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    let found = all.iter().find(|word| word.to_string() == given);
    if found.is_none() {
        let all: Vec<_> = all.iter().map(T::to_string).collect();
        fail!(Usage, "the {name} must be one of {}", all.join(", "));
    }
    Ok(found.copied())
}

pub async fn find(store: &Store, id: &str) -> anyhow::Result<StoredJob> {
    let job = match id.parse() {
        Ok(id) => store.job(&id).await?,
        Err(_) => None,
    };
    Ok(job.ok_or_else(|| missing(id))?)
}

/// The error for an identifier of no job.
pub fn missing(id: &str) -> CommandFailure {
    Exit::Nothing.with(format_args!("there is no job {id}; `trawl job list` shows all"))
}

/// Prints why a URL was delivered, skipped or not found.
pub fn show_explanation(explanation: &UrlExplanation) {
    let UrlExplanation { url, disposition, message, found_on, depth, redirects_to, .. } =
        explanation;
    outln!("{url}\n{disposition}: {message}");
    outln!("{:12}  {}", "found_on", or_dash(found_on.as_ref()));
    outln!("{:12}  {}", "depth", or_dash(*depth));
    if let Some(to) = redirects_to {
        outln!("{:12}  {to}", "redirects_to");
    }
    for RuleCheck { rule, passes, matched } in &explanation.checks {
        let verdict = match passes {
            Some(true) => "passes",
            Some(false) => "fails",
            None => "unknown",
        };
        let verdict = format!("{verdict:8}");
        let matched = matched.as_deref().unwrap_or_default();
        outln!("{:12}  {}  {matched}", rule.as_str(), painted_cell(&verdict));
    }
}

/// Prints the number of URLs for each reason, then the URLs.
pub fn show_skipped(skipped: &SkippedPage) {
    outln!("{:>8}  reason", "urls");
    for (reason, count) in &skipped.reasons {
        outln!("{count:>8}  {reason}");
    }
    // A very long URL must not widen the table.
    let lengths = skipped.items.iter().map(|item| item.url.chars().count());
    let width = lengths.max().unwrap_or(0).clamp(3, 80);
    outln!("\n{:width$}  {:18}  {:>6}  {:19}  found_on", "url", "reason", "status", "cause");
    for row in &skipped.items {
        let SkippedUrl { url, reason, found_on, status_code, cause, redirects_to, failed_action } =
            row;
        let found_on = found_on.as_deref().unwrap_or("-");
        let status = or_dash(*status_code);
        let cause = cause.map_or("-", FailureCause::as_str);
        let leads = redirects_to.as_ref().map(|to| format!(" -> {to}"));
        let failed = failed_action.as_ref().map(|failed| format!(" ({failed})"));
        let about = leads.or(failed).unwrap_or_default();
        outln!("{url:width$}  {:18}  {status:>6}  {cause:19}  {found_on}{about}", reason.as_str());
    }
    let more = skipped.total.saturating_sub(skipped.items.len() as u64);
    if more > 0 {
        eprintln!("trawl: {}; increase --limit", counted(more, "more row", "more rows"));
    }
}

/// The public job with internal fields for the operator.
fn details(job: &StoredJob, labels: JobLabels) -> anyhow::Result<Value> {
    let mut whole = serde_json::to_value(job.public().labelled(labels))?;
    if let Some(members) = whole.as_object_mut() {
        let more = json!({
            "account_id": job.account,
            "scope": job.scope,
            "options": job.options,
            "on_protected": job.on_protected,
            "max_credit_per_unit": job.ceiling,
            "units": job.units,
            "reserved": job.reserved,
            "started_at": job.started_at,
            "parked_at": job.parked_at,
        });
        if let Value::Object(more) = more {
            members.extend(more);
        }
    }
    Ok(whole)
}
