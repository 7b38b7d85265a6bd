//! `trawl mcp`: the tools of a running server for an assistant that starts us as its child.
//!
//! Standard output belongs to the protocol. What people should know goes to standard error.

use anyhow::Context;
use client::{ApiCall, ApiCallError, Client};
use contract::Account;

use super::{Exit, settings};
use crate::cli::{Mcp, Place};
use crate::logging;

pub async fn run(place: &Place, args: &Mcp) -> anyhow::Result<Exit> {
    let settings = settings(place, &[])?;
    logging::start(&settings.log, settings.log_json).context("the setting log is no filter")?;
    let url = args.url.as_deref().unwrap_or(&settings.public_url);
    let client = Client::over_http(url, settings.extra_ca.as_deref())
        .with_context(|| format!("cannot use the server {url}; name it with --url or TRAWL_URL"))?;
    // Told beside the conversation: the assistant hears the same at its first call.
    tokio::spawn(introduce(client.clone(), args.key.clone(), url.to_owned()));
    mcp::serve_stdio(client, args.key.as_deref()).await?;
    Ok(Exit::Done)
}

/// Tells whoever reads along whether the server is there and knows the key.
async fn introduce(client: Client, key: Option<String>, url: String) {
    let Some(key) = key else {
        eprintln!(
            "trawl: no key; give one with TRAWL_KEY or --key. `trawl key create --source mcp` \
             makes one."
        );
        return;
    };
    let answer = client.send(ApiCall::get("/v1/account").bearer(&key)).await;
    match answer.map_err(ApiCallError::from).and_then(|answer| answer.json::<Account>()) {
        Ok(account) => eprintln!(
            "trawl: serving {} of {url} with {} credits",
            account.account_id, account.credits
        ),
        Err(ApiCallError::Problem { problem, .. }) => eprintln!(
            "trawl: {url} refuses the key ({}: {}); see {} or `trawl explain {}`",
            problem.code, problem.message, problem.docs, problem.code
        ),
        Err(ApiCallError::Unexpected(error)) => {
            eprintln!("trawl: {error}; is `trawl serve` running there?");
        }
    }
}
