//! Starts a job on a running server, waits for its end and prints the URLs of its results.
//!
//!     TRAWL_KEY=key_live_… cargo run --example client -- https://docs.lab.test/ http://127.0.0.1:8080

use std::time::Duration;

use anyhow::Context;
use client::{ApiCall, Client};
use contract::{JobAccepted, PublicJob, ResultsPage, Status};
use serde_json::json;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().context("usage: client URL [SERVER]")?;
    let server = arguments.next().unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
    let key = std::env::var("TRAWL_KEY").context("set TRAWL_KEY to an API key of the server")?;
    let client = Client::over_http(&server, None)?;

    // Every field of the body is described in docs/spec/jobs.md.
    let body = json!({"mode": "links", "url": url, "options": {"sample_size": 20}});
    let call = ApiCall::post("/v1/jobs").bearer(&key).json(&body);
    // `send` fails without a response, `json` if the response is an error of the API.
    let created: JobAccepted = client.send(call).await?.json()?;
    let path = format!("/v1/jobs/{}", created.job_id);
    let job = loop {
        let job: PublicJob = client.send(ApiCall::get(&path).bearer(&key)).await?.json()?;
        match job.status {
            Status::Queued | Status::Running => tokio::time::sleep(Duration::from_secs(1)).await,
            // The last two wait for `POST /v1/jobs/{id}/confirm` and have results already.
            Status::Completed
            | Status::Failed
            | Status::Aborted
            | Status::AwaitingConfirmation
            | Status::Paused => break job,
        }
    };
    eprintln!("{} is {} with {} results", job.job_id, job.status, job.counts.results);
    if let Some(error) = job.error {
        eprintln!("{}: {}", error.code, error.message);
    }
    for page in 1.. {
        let path = format!("{path}/results?page={page}&page_size=100");
        let results: ResultsPage = client.send(ApiCall::get(&path).bearer(&key)).await?.json()?;
        for item in results.items {
            println!("{}", item.url());
        }
        if !results.has_more {
            break;
        }
    }
    Ok(())
}
