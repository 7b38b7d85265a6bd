//! Applications that act for people: who they are, and which of them an account is connected to.

use contract::{
    AccountId, ApplicationId, AuditAction, ClientAuth, ConnectedApplication, Creator, Millis,
    OauthScopes,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::credential::fingerprint;
use crate::limits::limit_columns;
use crate::{
    ApplicationSecret, AuditRecord, LimitChange, Store, StoreError, authorization, limits, random,
};

/// An application that wants to be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApplication {
    pub name: String,
    pub uri: Option<String>,
    pub redirect_uris: Vec<String>,
    pub client_auth: ClientAuth,
    pub scopes: OauthScopes,
}

/// An application that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub uri: Option<String>,
    pub redirect_uris: Vec<String>,
    pub client_auth: ClientAuth,
    /// What it may ask people for.
    pub scopes: OauthScopes,
    pub created_at: Millis,
}

const INSERT: &str = "INSERT INTO applications \
    (id, name, uri, redirect_uris, client_auth, secret_hash, scopes, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const BY_ID: &str = "SELECT id, name, uri, redirect_uris, client_auth, secret_hash, scopes, \
    created_at FROM applications WHERE id = $1";
/// A row for each approval that is alive: an application may have several, of different scopes.
const CONNECTED: &str = concat!(
    "SELECT a.id, a.name, a.uri, z.scopes, g.granted_at, g.last_used_at, ",
    limit_columns!(),
    " FROM application_grants g JOIN applications a ON a.id = g.application_id \
     JOIN authorizations z \
     ON z.account_id = g.account_id AND z.application_id = g.application_id \
     LEFT JOIN credential_limits l \
     ON l.account_id = g.account_id AND l.holder = g.application_id \
     WHERE g.account_id = $1 ORDER BY g.granted_at DESC, a.id"
);
const CONNECTION: &str =
    "SELECT COUNT(*) FROM application_grants WHERE account_id = $1 AND application_id = $2";
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance WHERE id = $1";
/// Keeps the newest of the applications that no person has approved.
const DROP_UNAPPROVED: &str = "DELETE FROM applications WHERE id IN (SELECT a.id \
    FROM applications a WHERE NOT EXISTS \
    (SELECT 1 FROM application_grants g WHERE g.application_id = a.id) \
    ORDER BY a.created_at DESC, a.id DESC LIMIT 1000000 OFFSET $1)";
const DISCONNECT: &str =
    "DELETE FROM application_grants WHERE account_id = $1 AND application_id = $2";

impl Store {
    /// Makes an application known, with the secret that it proves itself by if it can keep one.
    /// When more than [`StoreSettings::unapproved_applications`] are known that no person has
    /// approved, the oldest of those are dropped.
    ///
    /// [`StoreSettings::unapproved_applications`]: crate::StoreSettings::unapproved_applications
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn register_application(
        &self,
        new: NewApplication,
        now: Millis,
    ) -> Result<(Application, Option<ApplicationSecret>), StoreError> {
        let secret = match new.client_auth {
            ClientAuth::None => None,
            ClientAuth::Basic | ClientAuth::Post => Some(ApplicationSecret::mint()),
        };
        let application = Application {
            id: ApplicationId::new(now, random()),
            name: new.name,
            uri: new.uri,
            redirect_uris: new.redirect_uris,
            client_auth: new.client_auth,
            scopes: new.scopes,
            created_at: now,
        };
        let mut tx = self.begin().await?;
        sqlx::query(INSERT)
            .bind(application.id.as_str())
            .bind(&application.name)
            .bind(&application.uri)
            .bind(application.redirect_uris.join("\n"))
            .bind(application.client_auth.as_str())
            .bind(secret.as_ref().map(|secret| fingerprint(secret.reveal())))
            .bind(application.scopes.to_string())
            .bind(now.0)
            .execute(&mut *tx)
            .await?;
        sqlx::query(DROP_UNAPPROVED)
            .bind(i64::from(self.inner.settings.unapproved_applications.max(1)))
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok((application, secret))
    }

    /// The application.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn application(&self, id: &ApplicationId) -> Result<Option<Application>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        row.as_ref().map(read).transpose()
    }

    /// The application, if it has proved itself: one with a secret by that secret, one without
    /// by sending none.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn authenticate_application(
        &self,
        id: &ApplicationId,
        secret: Option<&str>,
    ) -> Result<Option<Application>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let kept: Option<String> = row.try_get("secret_hash")?;
        // Hashes are compared: how long that takes tells nothing of the secret.
        if kept != secret.map(fingerprint) {
            return Ok(None);
        }
        read(&row).map(Some)
    }

    /// The applications that may act for the account, the latest approved first, each with all
    /// that any of its tokens can do.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn connected_applications(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<Vec<ConnectedApplication>, StoreError> {
        let rows = sqlx::query(CONNECTED).bind(account.as_str()).fetch_all(self.reader()?).await?;
        let mut connected: Vec<ConnectedApplication> = Vec::new();
        for row in &rows {
            let (id, granted) = (application_id(row, "id")?, scopes(row, "scopes")?);
            match connected.last_mut() {
                Some(last) if last.id == id => {
                    let all: OauthScopes =
                        last.scopes.iter().copied().chain(granted.iter()).collect();
                    last.scopes = all.iter().collect();
                }
                _ => connected.push(ConnectedApplication {
                    id,
                    name: row.try_get("name")?,
                    uri: row.try_get("uri")?,
                    scopes: granted.iter().collect(),
                    connected_at: Millis(row.try_get("granted_at")?),
                    last_used_at: row.try_get::<Option<i64>, _>("last_used_at")?.map(Millis),
                    limits: limits::read(row, now)?,
                }),
            }
        }
        Ok(connected)
    }

    /// Changes the limits of a connected application. False when it is not connected.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn change_application_limits(
        &self,
        account: &AccountId,
        application: &ApplicationId,
        change: &LimitChange,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        // The order of rows is that of a debit: account, limits.
        sqlx::query(LOCK_ACCOUNT).bind(account.as_str()).execute(&mut *tx).await?;
        let connected: i64 = sqlx::query_scalar(CONNECTION)
            .bind(account.as_str())
            .bind(application.as_str())
            .fetch_one(&mut *tx)
            .await?;
        if connected == 0 {
            return Ok(false);
        }
        limits::begin(&mut tx, account, application.as_str(), false).await?;
        let before = limits::set(&mut tx, account, application.as_str()).await?;
        limits::change(&mut tx, account, application.as_str(), change).await?;
        let after = limits::set(&mut tx, account, application.as_str()).await?;
        let record = AuditRecord::of(account, AuditAction::GrantChanged)
            .object("application", application.as_str())
            .changes(&before, &after);
        if !record.is_bare() {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Takes back what the account has granted to an application: its codes and tokens are
    /// refused from this instant on, and the schedules and webhooks that it made are paused.
    /// False when it was not connected.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn disconnect_application(
        &self,
        account: &AccountId,
        application: &ApplicationId,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let ended = sqlx::query(DISCONNECT)
            .bind(account.as_str())
            .bind(application.as_str())
            .execute(&mut *tx)
            .await?;
        authorization::end_all(&mut tx, account, application).await?;
        if ended.rows_affected() > 0 {
            let record = AuditRecord::of(account, AuditAction::GrantRevoked)
                .object("application", application.as_str());
            self.append_audit(&mut tx, record).await?;
        }
        let creator = Creator::Application(application.clone());
        self.pause_made_by(&mut tx, account, &creator).await?;
        tx.commit().await?;
        Ok(ended.rows_affected() > 0)
    }
}

pub(crate) fn application_id(row: &AnyRow, column: &str) -> Result<ApplicationId, StoreError> {
    let text: String = row.try_get(column)?;
    text.parse().map_err(|_| StoreError::Damaged(format!("{column} is no application: {text}")))
}

pub(crate) fn scopes(row: &AnyRow, column: &str) -> Result<OauthScopes, StoreError> {
    let text: String = row.try_get(column)?;
    text.parse().map_err(|_| StoreError::Damaged(format!("{column} are no scopes: {text}")))
}

fn read(row: &AnyRow) -> Result<Application, StoreError> {
    let client_auth: String = row.try_get("client_auth")?;
    let redirect_uris: String = row.try_get("redirect_uris")?;
    Ok(Application {
        id: application_id(row, "id")?,
        name: row.try_get("name")?,
        uri: row.try_get("uri")?,
        redirect_uris: redirect_uris.lines().map(str::to_owned).collect(),
        client_auth: client_auth
            .parse::<ClientAuth>()
            .map_err(|_| StoreError::Damaged(format!("no way to prove oneself: {client_auth}")))?,
        scopes: scopes(row, "scopes")?,
        created_at: Millis(row.try_get("created_at")?),
    })
}
