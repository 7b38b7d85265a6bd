//! Who has confirmed a lawful basis for processing contacts: written with the job that it was
//! confirmed for, and kept when that is gone.

use contract::{AccountId, ApplicationId, JobId, KeyId, Millis, RequestId};
use job::Draft;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::account::account_id;
use crate::job_row::{count, job_id, signed};
use crate::{Store, StoreError};

/// A confirmation, as it comes with the request for a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAcceptance {
    /// The key that the request came with.
    pub key: Option<KeyId>,
    /// The application that asked. Without it and without a key the account's owner asked in
    /// person.
    pub application: Option<ApplicationId>,
    pub request: Option<RequestId>,
    /// The section of the terms that is accepted.
    pub terms: String,
}

/// A confirmation that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    pub account: AccountId,
    /// The e-mail of the account's owner.
    pub email: String,
    pub key: Option<KeyId>,
    pub application: Option<ApplicationId>,
    pub request: Option<RequestId>,
    pub terms: String,
    pub job: JobId,
    /// How many domains the job was for.
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

/// Writes down what was accepted for a job, in the transaction of its creation.
pub(crate) async fn keep(
    tx: &mut Transaction<'static, Any>,
    draft: &Draft,
    acceptance: &NewAcceptance,
    now: Millis,
) -> Result<(), StoreError> {
    sqlx::query(INSERT)
        .bind(draft.id.as_str())
        .bind(draft.account.as_str())
        .bind(acceptance.key.as_ref().map(KeyId::as_str))
        .bind(acceptance.request.as_ref().map(RequestId::as_str))
        .bind(&acceptance.terms)
        .bind(signed(draft.domains.len().max(1) as u64))
        .bind(now.0)
        .bind(acceptance.application.as_ref().map(ApplicationId::as_str))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

impl Store {
    /// Some acceptances of all accounts or of one, oldest first, after the one given. None
    /// when there are no more.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn acceptances(
        &self,
        account: Option<&AccountId>,
        after: Option<&Acceptance>,
    ) -> Result<Vec<Acceptance>, StoreError> {
        let rows = sqlx::query(LIST)
            .bind(account.map(AccountId::as_str))
            .bind(after.map_or(i64::MIN, |after| after.accepted_at.0))
            .bind(after.map_or("", |after| after.job.as_str()))
            .fetch_all(self.reader()?)
            .await?;
        rows.iter().map(read).collect()
    }
}

fn read(row: &AnyRow) -> Result<Acceptance, StoreError> {
    let damaged = |what: String| StoreError::Damaged(format!("an acceptance: {what}"));
    let key: Option<String> = row.try_get("key_id")?;
    let application: Option<String> = row.try_get("application_id")?;
    let request: Option<String> = row.try_get("request_id")?;
    Ok(Acceptance {
        account: account_id(row, "account_id")?,
        email: row.try_get("email")?,
        key: key.map(|key| key.parse().map_err(|_| damaged(key))).transpose()?,
        application: application.map(|id| id.parse().map_err(|_| damaged(id))).transpose()?,
        request: request.map(|id| id.parse().map_err(|_| damaged(id))).transpose()?,
        terms: row.try_get("terms")?,
        job: job_id(row, "job_id")?,
        domains: count(row, "domains")?,
        accepted_at: Millis(row.try_get("accepted_at")?),
    })
}
