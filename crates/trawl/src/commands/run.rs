//! `trawl run`: starts a job on a server, shows its progress and writes its results.

use client::ApiCall;
use contract::{CreateExport, JobAccepted, JobProgress, Mode, PageFileFormat, PublicJob, Status};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::connection::{ServerConnection, with_idempotency_key};
use super::job::label_change;
use super::watch::{ProgressDisplay, error_text, exit_of};
use super::{Exit, job_request, remote, site_members};
use crate::cli::{GlobalArgs, OutputFormat, RunArgs};
use crate::exit::fail;
use crate::printing::{counted, outln};
use crate::start_url::announce_route;

pub async fn run(global: &GlobalArgs, args: &RunArgs) -> anyhow::Result<Exit> {
    let format = match &args.output {
        Some(path) => {
            let format = OutputFormat::of(args.format, path);
            Some(format.map_err(|unknown| Exit::Usage.with(unknown))?)
        }
        None => None,
    };
    let request = job_request::of_flags(&args.request)?;
    let webhook = webhook(args)?;
    if request.long_list.is_some() && args.idempotency_key.is_some() {
        fail!(
            Usage,
            "--idempotency-key does not work with a list that is uploaded, because each upload has \
             another id; `trawl list upload` uploads it once, for --list-id"
        );
    }
    // Checked before a job is created.
    let labels = label_change(&args.labels, false)?;
    let mode = args.request.mode.parse::<Mode>();
    if let (Some(format), Ok(mode)) = (format, mode)
        && !format.suits(mode)
    {
        fail!(Usage, "llms.txt lists pages of mode markdown, and the mode is {mode}");
    }
    let server = ServerConnection::open(global, &args.server)?;
    let mut body = request.body;
    if format.is_some_and(OutputFormat::needs_raw_pages) {
        keep_raw_pages(&mut body);
    }
    body["if_busy"] = json!(args.if_busy);
    if let Some(webhook) = webhook {
        body["webhook"] = webhook;
    }
    let mut uploaded = None;
    if let Some(text) = request.long_list {
        let list = remote::upload_list(&server, remote::TEXT, text.into_bytes()).await?;
        if !args.quiet {
            let urls = counted(list.url_count, "URL", "URLs");
            eprintln!("trawl: {urls} uploaded as {}", list.list_id);
        }
        body["list_id"] = json!(list.list_id);
        uploaded = Some(list.list_id);
    }
    let call = ApiCall::post("/v1/jobs").json(&body);
    let call = with_idempotency_key(call, args.idempotency_key.as_deref())?;
    // Registered before the job exists: Ctrl-C does not stop it.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let job: JobAccepted = match (server.send(call).await, uploaded) {
        (Err(refused), Some(list)) => {
            // Without a job, the list would count against the limit of unused ones. The error of the
            // job matters more than that of the deletion.
            let _ = remote::delete_list(&server, &list).await;
            return Err(refused);
        }
        (created, _) => created?,
    };
    if let Some(labels) = labels {
        let _: PublicJob = server.patch(&format!("/v1/jobs/{}", job.job_id), &labels).await?;
    }
    if let (Some(secret), false) = (&job.webhook_secret, args.json) {
        eprintln!("trawl: the secret of the webhook, which is shown once: {secret}");
    }
    if let (Some(route), false) = (&request.route, args.quiet) {
        announce_route(route);
    }
    if let (Some(other), false) = (&job.waits_for_job, args.quiet) {
        eprintln!("trawl: waits for {other}, which crawls the same site");
    }
    let writes_to_stdout = args.output.as_deref() == Some("-");
    if args.json && !writes_to_stdout {
        outln!("{}", serde_json::to_string(&job)?);
    } else if writes_to_stdout {
        eprintln!("{}", job.job_id);
    } else {
        outln!("{}", job.job_id);
    }
    if args.detach {
        return Ok(Exit::Done);
    }
    let mut display = match args.json && !writes_to_stdout {
        true => ProgressDisplay::new(true),
        false => ProgressDisplay::on_stderr(args.quiet),
    };
    let last = tokio::select! {
        last = remote::follow(&server, &job.job_id, &mut display, is_last) => last?,
        _ = interrupt.recv() => return Ok(display.interrupted(job.job_id.as_str())),
    };
    display.clear();
    // Without a last state, the reader closed the pipe, as `head` does.
    let Some(last) = last else { return Ok(Exit::Done) };
    summarize(&last, args);
    let exit = exit_of(last.status).unwrap_or(Exit::Nothing);
    // A job without a result that failed gets no empty file.
    if let (Some(path), Some(format)) = (&args.output, format)
        && (exit == Exit::Done || last.counts.results > 0)
    {
        let body = CreateExport { format: format.into(), table: None, q: None, filter: None };
        let written = remote::download(&server, &job.job_id, &body, path).await?;
        return Ok(if exit == Exit::Done { written } else { exit });
    }
    Ok(exit)
}

/// The webhook of the flags.
fn webhook(args: &RunArgs) -> anyhow::Result<Option<Value>> {
    let Some(url) = &args.webhook else { return Ok(None) };
    let mut webhook = json!({"url": url});
    if !args.webhook_events.is_empty() {
        webhook["events"] = json!(args.webhook_events);
    }
    if let Some(secret) = &args.webhook_secret {
        webhook["secret"] = json!(secret);
    }
    let headers = site_members::pairs(&args.webhook_headers, ':', "webhook-header")?;
    if !headers.is_empty() {
        webhook["headers"] = Value::Object(headers);
    }
    if let Some(format) = &args.webhook_format {
        webhook["format"] = json!(format);
    }
    if args.webhook_results {
        webhook["results"] = json!(true);
    }
    Ok(Some(webhook))
}

/// Adds the raw pages to what the job keeps, for a web archive.
fn keep_raw_pages(body: &mut Value) {
    let raw = json!(PageFileFormat::RawHtml);
    match body.get_mut("formats").and_then(Value::as_array_mut) {
        Some(formats) if formats.contains(&raw) => {}
        Some(formats) => formats.push(raw),
        None => body["formats"] = json!([raw]),
    }
}

/// Whether the job has ended or continues only after an answer.
fn is_last(progress: &JobProgress) -> bool {
    match progress.status {
        Status::Queued | Status::Running => false,
        Status::AwaitingConfirmation
        | Status::Paused
        | Status::Completed
        | Status::Failed
        | Status::Aborted => true,
    }
}

/// Prints how the job ended and what to do next, to standard error.
fn summarize(last: &JobProgress, args: &RunArgs) {
    let id = &last.job_id;
    if let Some(error) = &last.error {
        eprintln!("trawl: {}", error_text(error));
    }
    if last.status == Status::Paused || last.status == Status::AwaitingConfirmation {
        let flag = if last.batch_ready { " --continue-batch" } else { "" };
        eprintln!(
            "trawl: the job is {}; `trawl job confirm {id}{flag}` continues it, `trawl job abort \
             {id}` stops it",
            last.status
        );
    }
    if args.quiet {
        return;
    }
    let credits = u64::try_from(last.credits_used.0).unwrap_or_default();
    let results = counted(last.counts.results, "result", "results");
    eprintln!("{}: {results}, {}", last.status, counted(credits, "credit", "credits"));
    if args.output.is_none() && last.counts.results > 0 {
        eprintln!("`trawl export {id} -o FILE` writes the results");
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::cli::{self, Cli, CliCommand};

    fn webhook_of(words: &[&str]) -> anyhow::Result<Option<Value>> {
        let words = ["trawl", "run", "a.test"].iter().chain(words);
        let matches = cli::command().try_get_matches_from(words)?;
        let CliCommand::Run(args) = Cli::from_arg_matches(&matches)?.command else {
            panic!("another command")
        };
        webhook(&args)
    }

    #[test]
    fn every_member_of_a_webhook_has_a_flag() {
        let words = ["--webhook", "https://a.test/in", "--webhook-event", "job.completed"];
        let secret = ["--webhook-secret", "0123456789abcdef0123456789abcdef"];
        let format = ["--webhook-format", "firecrawl", "--webhook-results"];
        let headers = ["--webhook-header", "X-A: b", "--webhook-header", "X-C: d"];
        let all = [&words[..], &secret, &format, &headers].concat();
        let webhook = webhook_of(&all).expect("valid flags").expect("a webhook");
        let expected = json!({
            "url": "https://a.test/in",
            "events": ["job.completed"],
            "secret": "0123456789abcdef0123456789abcdef",
            "format": "firecrawl",
            "results": true,
            "headers": {"X-A": "b", "X-C": "d"},
        });
        assert_eq!(webhook, expected);
        let document = api::openapi(&api::ApiSettings::default());
        let members = document["components"]["schemas"]["JobWebhook"]["properties"].as_object();
        for member in members.expect("the schema of the request").keys() {
            assert!(webhook.get(member).is_some(), "{member} has no flag");
        }
        assert_eq!(webhook_of(&[]).expect("valid flags"), None);
        assert!(webhook_of(&secret).is_err(), "a secret without a webhook");
        let wrong = ["--webhook", "https://a.test/in", "--webhook-header", "X-A"];
        assert!(webhook_of(&wrong).is_err(), "a header without a value");
    }
}
