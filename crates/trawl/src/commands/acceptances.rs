//! `trawl account acceptances`: confirmations of a lawful basis for `contacts` jobs and pages.

use serde_json::json;
use store::{Acceptance, Store};

use super::account_lookup::find_any;
use super::{Exit, print_json};
use crate::printing::print_table;

/// Lists the acceptances of all accounts, or of one account by e-mail or identifier.
pub async fn list(store: &Store, account: Option<&str>, json: bool) -> anyhow::Result<Exit> {
    let account = find_any(store, account).await?;
    let mut all: Vec<Acceptance> = Vec::new();
    loop {
        let more = store.acceptances(account.as_ref(), all.last()).await?;
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    if json {
        let rows: Vec<_> = all.iter().map(row).collect();
        print_json(&rows)?;
        return Ok(Exit::Done);
    }
    let columns =
        "accepted:24, account:32, key or application:36, terms:5, domains:>7, job or page";
    let cells = |one: &Acceptance| {
        let credential = credential(one).to_owned();
        let (accepted, domains) = (one.accepted_at.to_string(), one.domains.to_string());
        [accepted, one.email.clone(), credential, one.terms.clone(), domains, one.subject.clone()]
    };
    print_table(columns, all.iter().map(cells));
    Ok(Exit::Done)
}

/// The key or application of the acceptance; `-` for a session of the owner.
fn credential(one: &Acceptance) -> &str {
    let key = one.key.as_ref().map(contract::KeyId::as_str);
    let application = one.application.as_ref().map(contract::ApplicationId::as_str);
    key.or(application).unwrap_or("-")
}

fn row(one: &Acceptance) -> serde_json::Value {
    let is_page = one.subject.starts_with(contract::PageId::PREFIX);
    let subject = Some(&one.subject);
    json!({
        "account_id": one.account,
        "email": one.email,
        "key_id": one.key,
        "application_id": one.application,
        "job_id": subject.filter(|_| !is_page),
        "page_id": subject.filter(|_| is_page),
        "request_id": one.request,
        "terms": one.terms,
        "domains": one.domains,
        "accepted_at": one.accepted_at,
    })
}
