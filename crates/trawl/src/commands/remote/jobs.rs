//! `trawl job` against a server.

use contract::{
    JobId, JobLabels, JobList, Mode, PublicJob, SkipReason, SkippedPage, Status, UrlExplanation,
};
use serde_json::{Value, json};

use super::with_query;
use crate::cli::JobSubcommand;
use crate::commands::connection::ServerConnection;
use crate::commands::job::{
    confirmation, missing, parse_value, required_change, show_details, show_explanation,
    show_labels, show_list, show_skipped, show_status,
};
use crate::commands::{Exit, print_json};
use crate::exit::fail;
use crate::printing::outln;

pub async fn job(server: &ServerConnection, command: JobSubcommand) -> anyhow::Result<Exit> {
    match command {
        JobSubcommand::List { email, status, mode, tag, search, limit, json } => {
            if email.is_some() {
                fail!(
                    Usage,
                    "--email belongs to the database of this machine; a server shows the jobs of the key"
                );
            }
            let status = parse_value("status", status.as_deref(), Status::ALL)?;
            let mode = parse_value("mode", mode.as_deref(), Mode::ALL)?;
            let filter = [
                ("status", status.map(|status| status.to_string())),
                ("mode", mode.map(|mode| mode.to_string())),
                ("tag", tag),
                ("q", search),
            ];
            show_list(&jobs(server, &filter, limit).await?, json)?;
        }
        JobSubcommand::Show { id, json } => {
            let job: Value = server.get(&path(&id, "")?).await?;
            show_details(&job, json)?;
        }
        JobSubcommand::Label { id, labels, no_tags } => {
            let change = required_change(&labels, no_tags)?;
            let job: PublicJob = server.patch(&path(&id, "")?, &change).await?;
            show_labels(&job.job_id, &JobLabels { name: job.name, tags: job.tags });
        }
        JobSubcommand::Confirm { id, continue_batch, max_credit_per_unit, max_credits } => {
            let answer = confirmation(continue_batch, max_credit_per_unit, max_credits);
            let job: PublicJob = server.post(&path(&id, "/confirm")?, &answer).await?;
            show_status(&job.job_id, job.status);
        }
        JobSubcommand::Abort { id } => {
            let job: PublicJob = server.post(&path(&id, "/abort")?, &json!({})).await?;
            show_status(&job.job_id, job.status);
        }
        JobSubcommand::Delete { id } => {
            server.delete(&path(&id, "")?).await?;
            outln!("{id} is deleted");
        }
        JobSubcommand::Explain { id, url, json } => {
            let explanation: UrlExplanation =
                server.post(&path(&id, "/explain")?, &json!({"url": url})).await?;
            if json {
                print_json(&explanation)?;
            } else {
                show_explanation(&explanation);
            }
        }
        JobSubcommand::Skipped { id, reason, limit, json } => {
            let reason = parse_value("reason", reason.as_deref(), SkipReason::ALL)?;
            let skipped = skipped(server, &path(&id, "/skipped")?, reason, limit).await?;
            if json {
                print_json(&skipped)?;
            } else {
                show_skipped(&skipped);
            }
        }
    }
    Ok(Exit::Done)
}

/// The path of an operation of a job.
fn path(id: &str, operation: &str) -> anyhow::Result<String> {
    let id: JobId = id.parse().map_err(|_| missing(id))?;
    Ok(format!("/v1/jobs/{id}{operation}"))
}

async fn jobs(
    server: &ServerConnection,
    filter: &[(&'static str, Option<String>)],
    limit: u64,
) -> anyhow::Result<Vec<PublicJob>> {
    let mut jobs = Vec::new();
    // Pages have the default size: the largest one depends on the server.
    for number in 1_u64.. {
        let mut parameters = filter.to_vec();
        parameters.push(("page", Some(number.to_string())));
        let page: JobList = server.get(&with_query("/v1/jobs", &parameters)).await?;
        let seen = number.saturating_mul(page.page_size);
        let is_last = page.items.is_empty() || seen >= page.total.min(limit);
        jobs.extend(page.items);
        if is_last {
            break;
        }
    }
    jobs.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(jobs)
}

async fn skipped(
    server: &ServerConnection,
    path: &str,
    reason: Option<SkipReason>,
    limit: u64,
) -> anyhow::Result<SkippedPage> {
    let at = |number: u64| {
        let reason = reason.map(|reason| reason.to_string());
        with_query(path, &[("page", Some(number.to_string())), ("reason", reason)])
    };
    let mut all: SkippedPage = server.get(&at(1)).await?;
    for number in 2.. {
        if !all.has_more || all.items.len() as u64 >= limit {
            break;
        }
        let next: SkippedPage = server.get(&at(number)).await?;
        all.has_more = next.has_more;
        all.items.extend(next.items);
    }
    all.items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    all.page_size = limit;
    all.has_more = (all.items.len() as u64) < all.total;
    Ok(all)
}
