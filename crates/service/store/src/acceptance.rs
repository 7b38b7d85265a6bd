//! Acceptances of a lawful basis for `contacts`: stored with the job or the page that was read at
//! once, kept after the job is purged.

use contract::{AccountId, ApplicationId, KeyId, Millis, RequestId};
use job::JobDraft;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, sql};
use crate::{Result, Store};

/// The acceptance that a job request contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAcceptance {
    /// The key that authenticated the request.
    pub key: Option<KeyId>,
    /// The application that sent the request. Without it and without a key it was a person with a
    /// session.
    pub application: Option<ApplicationId>,
    pub request: Option<RequestId>,
    /// The accepted section of the terms.
    pub terms: String,
}

/// An acceptance as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    pub account: AccountId,
    /// The e-mail of the account's owner.
    pub email: String,
    pub key: Option<KeyId>,
    pub application: Option<ApplicationId>,
    pub request: Option<RequestId>,
    pub terms: String,
    /// The id of the job, or of the page that was read at once.
    pub subject: String,
    /// Number of domains of the job; 1 for a page.
    pub domains: u64,
    pub accepted_at: Millis,
}

const INSERT: &str = "INSERT INTO acceptances \
    (job_id, account_id, key_id, request_id, terms, domains, accepted_at, application_id) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const LIST: &str = "SELECT p.job_id, p.account_id, a.email, p.key_id, p.request_id, p.terms, \
    p.domains, p.accepted_at, p.application_id FROM acceptances p JOIN accounts a ON a.id = p.account_id \
    WHERE (CAST($1 AS TEXT) IS NULL OR p.account_id = $1) \
    AND (p.accepted_at > $2 OR (p.accepted_at = $2 AND p.job_id > $3)) \
    ORDER BY p.accepted_at, p.job_id LIMIT 256";

/// Stores the acceptance of a job, in the transaction of its creation.
pub(crate) async fn insert(
    tx: &mut Tx,
    draft: &JobDraft,
    acceptance: &NewAcceptance,
    now: Millis,
) -> Result<()> {
    sql!(INSERT; draft.id, draft.account, acceptance.key, acceptance.request, acceptance.terms,
        draft.domains.len().max(1), now, acceptance.application)
    .run(tx)
    .await?;
    Ok(())
}

/// Stores the acceptance of a page that was read at once, in the transaction of its charge.
pub(crate) async fn insert_page(
    tx: &mut Tx,
    page: &str,
    account: &AccountId,
    acceptance: &NewAcceptance,
    now: Millis,
) -> Result<()> {
    sql!(INSERT; page, account, acceptance.key, acceptance.request, acceptance.terms, 1_i64, now,
        acceptance.application)
    .run(tx)
    .await?;
    Ok(())
}

impl Store {
    /// Up to 256 acceptances after `after`, of one account or of all, oldest first. Empty at the
    /// end.
    pub async fn acceptances(
        &self,
        account: Option<&AccountId>,
        after: Option<&Acceptance>,
    ) -> Result<Vec<Acceptance>> {
        let (at, job) =
            after.map_or((i64::MIN, ""), |after| (after.accepted_at.0, after.subject.as_str()));
        self.fetch_all(sql!(LIST; account, at, job), read).await
    }
}

fn read(row: &AnyRow) -> Result<Acceptance> {
    Ok(read_row!(row => Acceptance {
        account = "account_id", email, key = "key_id", application = "application_id",
        request = "request_id", terms, subject = "job_id", domains, accepted_at,
    }))
}
