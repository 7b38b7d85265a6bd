//! What a run sends to its site: the credentials of the request and the session of its login,
//! encrypted. A row exists only until its job has ended.

use contract::{JobId, SecretText, SiteAccess};
use serde::{Deserialize, Serialize};

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql, to_json};
use crate::secret_key::SealedFor;
use crate::{Lease, Result, Store, StoreError};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCookie {
    pub name: String,
    pub value: SecretText,
    pub path: String,
}

/// The session of a run after a login.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredSession {
    pub cookies: Vec<StoredCookie>,
    /// Number of logins of the run so far.
    pub logins: u32,
}

/// The decrypted secrets of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct JobSecrets {
    /// The members of the request with their values.
    pub access: SiteAccess,
    /// Absent before the first login.
    pub session: Option<StoredSession>,
}

const INSERT: &str = "INSERT INTO job_secrets (job_id, credentials) VALUES ($1, $2)";
const ONE: &str = "SELECT credentials, session FROM job_secrets WHERE job_id = $1";
/// Updates no row after the job has ended.
const SET_SESSION: &str = "UPDATE job_secrets SET session = $2 WHERE job_id = $1 AND EXISTS \
    (SELECT 1 FROM shards s WHERE s.id = $3 AND s.epoch = $4)";
pub(crate) const DELETE: &str = "DELETE FROM job_secrets WHERE job_id = $1";

/// Stores the secrets of a new job.
pub(crate) async fn insert(
    store: &Store,
    tx: &mut Tx,
    job: &JobId,
    access: &SiteAccess,
) -> Result<()> {
    let sealed = seal(store, tx, SealedFor::Credentials(job.as_str()), access).await?;
    sql!(INSERT; job, sealed).run(tx).await.map(drop)
}

/// Encrypts secrets with the key that all nodes of the database have.
pub(crate) async fn seal(
    store: &Store,
    tx: &mut Tx,
    owner: SealedFor<'_>,
    access: &SiteAccess,
) -> Result<Vec<u8>> {
    store.seal(tx, owner, to_json(access)?.as_bytes()).await
}

/// Decrypts the secrets of a request.
pub(crate) fn open(store: &Store, owner: SealedFor<'_>, sealed: &[u8]) -> Result<SiteAccess> {
    parse(&store.open(owner, sealed)?)
}

fn parse<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    // The cause may quote a secret.
    serde_json::from_slice(bytes)
        .map_err(|_| StoreError::Damaged("the secrets of a job are invalid".to_owned()))
}

impl Store {
    /// The secrets of a run; `None` if it has none, or has ended.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails, or if the secrets cannot be decrypted.
    pub async fn job_secrets(&self, job: &JobId) -> Result<Option<JobSecrets>> {
        let Some(row) = sql!(ONE; job).fetch_optional(self.reader()?).await? else {
            return Ok(None);
        };
        let owner = SealedFor::Credentials(job.as_str());
        let access = open(self, owner, &row.read::<Vec<u8>>("credentials")?)?;
        let session = match row.read::<Option<Vec<u8>>>("session")? {
            Some(sealed) => {
                let owner = SealedFor::Session(job.as_str());
                Some(parse(&self.open(owner, &sealed)?)?)
            }
            None => None,
        };
        Ok(Some(JobSecrets { access, session }))
    }

    /// Keeps the session of a run for the node that continues it. Does nothing after the job has
    /// ended or the lease is lost.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn keep_session(&self, lease: &Lease, session: &StoredSession) -> Result<()> {
        let owner = SealedFor::Session(lease.job.as_str());
        let mut tx = self.begin().await?;
        let sealed = self.seal(&mut tx, owner, to_json(session)?.as_bytes()).await?;
        sql!(SET_SESSION; lease.job, sealed, lease.shard, lease.epoch).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}
