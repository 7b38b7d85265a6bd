//! `trawl job`.

use contract::Status;
use job::Job as StoredJob;
use serde_json::{Value, json};
use store::{JobFilter, Page};

use super::{Exit, open_store, print_json};
use crate::cli::{Job, Place};

pub async fn run(place: &Place, command: Job) -> anyhow::Result<Exit> {
    let (store, _) = open_store(place).await?;
    match command {
        Job::List { email, status, limit, json } => {
            let status = match status.as_deref().map(Status::from_word) {
                Some(None) => {
                    let all: Vec<_> = Status::ALL.iter().map(|status| status.as_str()).collect();
                    eprintln!("trawl: the status is one of {}", all.join(", "));
                    return Ok(Exit::Usage);
                }
                Some(known) => known,
                None => None,
            };
            let account = match email {
                None => None,
                Some(email) => match store.account_by_email(&email).await? {
                    Some(account) => Some(account.id),
                    None => {
                        eprintln!("trawl: no account has the e-mail {email}");
                        return Ok(Exit::Nothing);
                    }
                },
            };
            let filter = JobFilter { account, status, ..JobFilter::default() };
            let (jobs, _) = store.jobs(&filter, Page { number: 1, size: limit }).await?;
            if json {
                print_json(&jobs.iter().map(StoredJob::public).collect::<Vec<_>>())?;
            } else {
                println!(
                    "{:36}  {:9}  {:21}  {:>8}  {:>8}  url",
                    "job", "mode", "status", "results", "credits"
                );
                for job in &jobs {
                    println!(
                        "{:36}  {:9}  {:21}  {:>8}  {:>8}  {}",
                        job.id.as_str(),
                        job.mode.as_str(),
                        job.status.as_str(),
                        job.counts.results,
                        job.credits_used.0,
                        job.url.as_deref().unwrap_or("-")
                    );
                }
            }
            Ok(Exit::Done)
        }
        Job::Show { id, json } => {
            let job = match id.parse() {
                Ok(id) => store.job(&id).await?,
                Err(_) => None,
            };
            let Some(job) = job else {
                eprintln!("trawl: there is no job {id}; `trawl job list` shows all");
                return Ok(Exit::Nothing);
            };
            let whole = whole(&job)?;
            if json {
                print_json(&whole)?;
            } else if let Some(members) = whole.as_object() {
                for (name, value) in members {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    println!("{name:18}  {value}");
                }
            }
            Ok(Exit::Done)
        }
    }
}

/// The job as its owner sees it, and what the operator may know besides.
fn whole(job: &StoredJob) -> anyhow::Result<Value> {
    let mut whole = serde_json::to_value(job.public())?;
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
