//! What a key or an application made: schedules and webhooks. They outlive their maker, and are
//! paused with it on request.

use contract::{AccountId, AuditAction, Creator};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::{AuditRecord, Store, StoreError, webhook};

const PAUSE_SCHEDULES: &str = "UPDATE schedules SET paused = 1 \
    WHERE account_id = $1 AND created_by = $2 AND paused = 0 RETURNING id";
const SWITCH_OFF: &str = "UPDATE webhooks SET active = 0 \
    WHERE account_id = $1 AND created_by = $2 AND active = 1 RETURNING id";

const HOLD_KEY: &str = "UPDATE keys SET name = name \
    WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL";
const HOLD_GRANT: &str = "UPDATE application_grants SET granted_at = granted_at \
    WHERE account_id = $1 AND application_id = $2 AND EXISTS (SELECT 1 FROM authorizations z \
    WHERE z.account_id = $1 AND z.application_id = $2)";

/// Holds the credential that makes or changes something, or fails when it was revoked: what is
/// written after this is committed before a revocation pauses what the credential made. Rows are
/// locked in the order account, credential, schedule or webhook.
pub(crate) async fn hold_creator(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    creator: Option<&Creator>,
) -> Result<(), StoreError> {
    let Some(creator) = creator else { return Ok(()) };
    let statement = match creator {
        Creator::Key(_) => HOLD_KEY,
        Creator::Application(_) => HOLD_GRANT,
    };
    let hold = sqlx::query(statement).bind(account.as_str()).bind(creator.as_str());
    match hold.execute(&mut **tx).await?.rows_affected() {
        0 => Err(StoreError::CredentialEnded),
        _ => Ok(()),
    }
}

impl Store {
    /// Pauses the schedules and switches off the webhooks that `creator` made for the account.
    /// What waits for an endpoint is held until its owner switches it on again.
    pub(crate) async fn pause_made_by(
        &self,
        tx: &mut Transaction<'static, Any>,
        account: &AccountId,
        creator: &Creator,
    ) -> Result<(), StoreError> {
        let schedules: Vec<String> = sqlx::query_scalar(PAUSE_SCHEDULES)
            .bind(account.as_str())
            .bind(creator.as_str())
            .fetch_all(&mut **tx)
            .await?;
        for schedule in schedules {
            let record = AuditRecord::of(account, AuditAction::ScheduleChanged)
                .object("schedule", schedule)
                .detail("paused", true);
            self.append_audit(tx, record).await?;
        }
        let endpoints: Vec<String> = sqlx::query_scalar(SWITCH_OFF)
            .bind(account.as_str())
            .bind(creator.as_str())
            .fetch_all(&mut **tx)
            .await?;
        for endpoint in endpoints {
            sqlx::query(webhook::HOLD).bind(endpoint.as_str()).execute(&mut **tx).await?;
            let record = AuditRecord::of(account, AuditAction::WebhookChanged)
                .object("webhook", endpoint)
                .detail("active", false);
            self.append_audit(tx, record).await?;
        }
        Ok(())
    }
}

/// The column `created_by` of a row.
pub(crate) fn created_by(row: &AnyRow) -> Result<Option<Creator>, StoreError> {
    let Some(text) = row.try_get::<Option<String>, _>("created_by")? else { return Ok(None) };
    let damaged = |_| StoreError::Damaged(format!("created_by is no credential: {text}"));
    text.parse().map(Some).map_err(damaged)
}
