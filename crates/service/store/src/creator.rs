//! The key or application that created a schedule or webhook. Both outlive their creator and can be
//! paused when it is revoked.

use contract::{AccountId, AuditAction, Creator};

use crate::columns::{ExecuteIn, Tx, scalar, sql};
use crate::delivery::HOLD_PENDING;
use crate::{AuditRecord, Result, Store, StoreError};

const PAUSE_SCHEDULES: &str = "UPDATE schedules SET paused = 1 \
    WHERE account_id = $1 AND created_by = $2 AND paused = 0 RETURNING id";
const DISABLE_WEBHOOKS: &str = "UPDATE webhooks SET active = 0 \
    WHERE account_id = $1 AND created_by = $2 AND active = 1 RETURNING id";

const LOCK_KEY: &str = "UPDATE keys SET name = name \
    WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL";
const LOCK_GRANT: &str = "UPDATE application_grants SET granted_at = granted_at \
    WHERE account_id = $1 AND application_id = $2 AND EXISTS (SELECT 1 FROM authorizations z \
    WHERE z.account_id = $1 AND z.application_id = $2)";

/// Locks the credential that creates or changes something, or fails when it was revoked. A
/// concurrent revocation waits for this transaction and then pauses what it has written. Rows are
/// locked in the order account, credential, schedule or webhook.
pub(crate) async fn lock_creator(
    tx: &mut Tx,
    account: &AccountId,
    creator: Option<&Creator>,
) -> Result<()> {
    let Some(creator) = creator else { return Ok(()) };
    let statement = match creator {
        Creator::Key(_) => LOCK_KEY,
        Creator::Application(_) => LOCK_GRANT,
    };
    match sql!(statement; account, creator).run(tx).await? {
        0 => Err(StoreError::CredentialEnded),
        _ => Ok(()),
    }
}

impl Store {
    /// Pauses the schedules and disables the webhooks that `creator` created for the account.
    /// Pending deliveries are held until the owner enables the endpoint again.
    pub(crate) async fn pause_created_by(
        &self,
        tx: &mut Tx,
        account: &AccountId,
        creator: &Creator,
    ) -> Result<()> {
        let schedules: Vec<String> =
            scalar!(PAUSE_SCHEDULES; account, creator).fetch_all(&mut **tx).await?;
        for schedule in schedules {
            let record = AuditRecord::of(account, AuditAction::ScheduleChanged)
                .object("schedule", schedule)
                .detail("paused", true);
            self.append_audit(tx, record).await?;
        }
        let endpoints: Vec<String> =
            scalar!(DISABLE_WEBHOOKS; account, creator).fetch_all(&mut **tx).await?;
        for endpoint in endpoints {
            sql!(HOLD_PENDING; endpoint).run(tx).await?;
            let record = AuditRecord::of(account, AuditAction::WebhookChanged)
                .object("webhook", endpoint)
                .detail("active", false);
            self.append_audit(tx, record).await?;
        }
        Ok(())
    }
}
