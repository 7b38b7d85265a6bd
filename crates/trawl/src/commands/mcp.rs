//! `trawl mcp`: MCP tools of a running server for an assistant that starts this command as a
//! child.
//!
//! Standard output carries the protocol; messages for people go to standard error.

use anyhow::Context;
use client::{ApiCall, ApiCallError, Client};
use contract::Account;

use super::{Exit, settings};
use crate::cli::{GlobalArgs, McpArgs};
use crate::credentials::Credentials;
use crate::logging;
use crate::printing::shown_credits;

pub async fn run(global: &GlobalArgs, args: &McpArgs) -> anyhow::Result<Exit> {
    let settings = settings(global, &[])?;
    logging::start(&settings.log, settings.log_json)
        .context("the setting log is not a valid log filter")?;
    // An assistant still gets an answer if the saved login cannot be read.
    let saved = Credentials::load().unwrap_or_else(|error| {
        eprintln!("trawl: warning: {error:#}");
        Credentials::default()
    });
    let url = args.url.as_deref().or(saved.default_server()).unwrap_or(&settings.public_url);
    let key = args.key.clone().or_else(|| saved.key(url).map(str::to_owned));
    let client = Client::over_http(url, settings.extra_ca.as_deref()).with_context(|| {
        format!("cannot connect to the server {url}; set it with --url or TRAWL_URL")
    })?;
    // Runs beside the protocol: the assistant gets the same errors with its first call.
    tokio::spawn(check_connection(client.clone(), key.clone(), url.to_owned()));
    mcp::serve_stdio(client, key.as_deref()).await?;
    Ok(Exit::Done)
}

/// Prints whether the server is reachable and accepts the key.
async fn check_connection(client: Client, key: Option<String>, url: String) {
    let Some(key) = key else {
        eprintln!(
            "trawl: no API key; set TRAWL_KEY or --key, or run `trawl login`. `trawl key create \
             --source mcp` creates one."
        );
        return;
    };
    let answer = client.send(ApiCall::get("/v1/account").bearer(&key)).await;
    match answer.map_err(ApiCallError::from).and_then(|answer| answer.json::<Account>()) {
        Ok(account) => eprintln!(
            "trawl: serving {} of {url} with {}",
            account.account_id,
            shown_credits(account.credits)
        ),
        Err(ApiCallError::Problem { problem, .. }) => eprintln!(
            "trawl: {url} rejects the key ({}: {}); see {} or `trawl explain {}`",
            problem.code, problem.message, problem.docs, problem.code
        ),
        Err(ApiCallError::Unexpected(error)) => {
            eprintln!("trawl: {error}; is `trawl serve` running there?");
        }
    }
}
