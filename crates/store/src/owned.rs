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
