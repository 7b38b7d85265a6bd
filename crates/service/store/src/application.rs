//! OAuth applications: registration, authentication, and the connections of an account.

use contract::{
    AccountId, ApplicationId, AuditAction, ClientAuth, ConnectedApplication, Creator, Millis,
    OauthScopes,
};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, read_row, scalar, sql};
use crate::credential::fingerprint;
use crate::limits::limit_columns;
use crate::{
    ApplicationSecret, AuditRecord, LimitChange, Result, Store, authorization, limits, random,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApplication {
    pub name: String,
    pub uri: Option<String>,
    pub redirect_uris: Vec<String>,
    pub client_auth: ClientAuth,
    pub scopes: OauthScopes,
}

/// A registered application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub uri: Option<String>,
    pub redirect_uris: Vec<String>,
    pub client_auth: ClientAuth,
    /// The scopes that it may request.
    pub scopes: OauthScopes,
    pub created_at: Millis,
}

const INSERT: &str = "INSERT INTO applications \
    (id, name, uri, redirect_uris, client_auth, secret_hash, scopes, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const BY_ID: &str = "SELECT id, name, uri, redirect_uris, client_auth, secret_hash, scopes, \
    created_at FROM applications WHERE id = $1";
/// One row per valid authorization: an application may have several with different scopes.
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
/// Drops the oldest applications without an approval.
const DROP_UNAPPROVED: &str = "DELETE FROM applications WHERE id IN (SELECT a.id \
    FROM applications a WHERE NOT EXISTS \
    (SELECT 1 FROM application_grants g WHERE g.application_id = a.id) \
    ORDER BY a.created_at DESC, a.id DESC LIMIT 1000000 OFFSET $1)";
const DISCONNECT: &str =
    "DELETE FROM application_grants WHERE account_id = $1 AND application_id = $2";

impl Store {
    /// Registers an application, with a client secret unless it is a public client. Beyond
    /// [`StoreSettings::unapproved_applications`] the oldest applications without an approval are
    /// dropped.
    ///
    /// [`StoreSettings::unapproved_applications`]: crate::StoreSettings::unapproved_applications
    pub async fn register_application(
        &self,
        new: NewApplication,
        now: Millis,
    ) -> Result<(Application, Option<ApplicationSecret>)> {
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
        sql!(INSERT; application.id, application.name, application.uri,
            application.redirect_uris.join("\n"), application.client_auth,
            secret.as_ref().map(|secret| fingerprint(secret.reveal())), application.scopes, now)
        .run(&mut tx)
        .await?;
        sql!(DROP_UNAPPROVED; self.inner.settings.unapproved_applications.max(1))
            .run(&mut tx)
            .await?;
        tx.commit().await?;
        Ok((application, secret))
    }

    /// The application with this id.
    pub async fn application(&self, id: &ApplicationId) -> Result<Option<Application>> {
        self.fetch_optional(sql!(BY_ID; id), read).await
    }

    /// The application, if it is authenticated: a confidential client by its secret, a public
    /// client by sending none.
    pub async fn authenticate_application(
        &self,
        id: &ApplicationId,
        secret: Option<&str>,
    ) -> Result<Option<Application>> {
        let row = sql!(BY_ID; id).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let stored: Option<String> = row.read("secret_hash")?;
        // Hashes are compared: the time of the comparison reveals nothing about the secret.
        if stored != secret.map(fingerprint) {
            return Ok(None);
        }
        read(&row).map(Some)
    }

    /// The applications connected to the account, the latest approved first, each with the scopes
    /// of all its authorizations.
    pub async fn connected_applications(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<Vec<ConnectedApplication>> {
        let rows = sql!(CONNECTED; account).fetch_all(self.reader()?).await?;
        let mut connected: Vec<ConnectedApplication> = Vec::new();
        for row in &rows {
            let id: ApplicationId = row.read("id")?;
            let granted: OauthScopes = row.read("scopes")?;
            match connected.last_mut() {
                Some(last) if last.id == id => {
                    let all: OauthScopes =
                        last.scopes.iter().copied().chain(granted.iter()).collect();
                    last.scopes = all.iter().collect();
                }
                _ => connected.push(read_row!(row => ConnectedApplication {
                    name, uri, connected_at = "granted_at", last_used_at;
                    id,
                    scopes: granted.iter().collect(),
                    limits: limits::read(row, now)?,
                })),
            }
        }
        Ok(connected)
    }

    /// Changes the limits of a connected application. False when it is not connected.
    pub async fn change_application_limits(
        &self,
        account: &AccountId,
        application: &ApplicationId,
        change: &LimitChange,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        // Locked in the order of a debit: account, limits.
        sql!(LOCK_ACCOUNT; account).run(&mut tx).await?;
        let connected: i64 = scalar!(CONNECTION; account, application).fetch_one(&mut *tx).await?;
        if connected == 0 {
            return Ok(false);
        }
        limits::ensure(&mut tx, account, application.as_str(), false).await?;
        let before = limits::configured(&mut tx, account, application.as_str()).await?;
        limits::change(&mut tx, account, application.as_str(), change).await?;
        let after = limits::configured(&mut tx, account, application.as_str()).await?;
        let record = AuditRecord::of(account, AuditAction::GrantChanged)
            .object("application", application.as_str())
            .changes(&before, &after);
        if !record.is_bare() {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Revokes all authorizations of an application for the account, and pauses the schedules and
    /// webhooks that it created. False when it was not connected.
    pub async fn disconnect_application(
        &self,
        account: &AccountId,
        application: &ApplicationId,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let ended = sql!(DISCONNECT; account, application).run(&mut tx).await?;
        authorization::end_all(&mut tx, account, application).await?;
        if ended > 0 {
            let record = AuditRecord::of(account, AuditAction::GrantRevoked)
                .object("application", application.as_str());
            self.append_audit(&mut tx, record).await?;
        }
        let creator = Creator::Application(application.clone());
        self.pause_created_by(&mut tx, account, &creator).await?;
        tx.commit().await?;
        Ok(ended > 0)
    }
}

fn read(row: &AnyRow) -> Result<Application> {
    let redirect_uris: String = row.read("redirect_uris")?;
    Ok(read_row!(row => Application {
        id, name, uri, client_auth, scopes, created_at;
        redirect_uris: redirect_uris.lines().map(str::to_owned).collect(),
    }))
}
