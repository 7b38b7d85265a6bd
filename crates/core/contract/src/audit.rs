//! The audit log: who changed what of an account, when and from where.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{AccountId, AuditId, Millis, RequestId};

string_enum! {
    /// What happened. Names are stable; new ones are added at any time.
    pub enum AuditAction {
        /// The account was created.
        AccountCreated = "account.created",
        /// The operator suspended the account.
        AccountSuspended = "account.suspended",
        /// The operator resumed the account.
        AccountResumed = "account.resumed",
        /// The account and its data were deleted.
        AccountDeleted = "account.deleted",
        /// A user signed in successfully.
        SessionOpened = "session.opened",
        /// A sign-in failed. Repeated failures are recorded at 1, 2, 4, 8, … attempts.
        SessionRefused = "session.refused",
        /// A session ended: signed out or revoked.
        SessionEnded = "session.ended",
        /// All sessions of the account were ended.
        SessionsEnded = "sessions.ended",
        /// The owner changed the password, or the operator set a new one.
        PasswordChanged = "password.changed",
        /// An API key was created.
        KeyCreated = "key.created",
        /// The name or the limits of an API key were changed.
        KeyChanged = "key.changed",
        /// An API key was revoked.
        KeyRevoked = "key.revoked",
        /// An OAuth application was given access to the account.
        GrantCreated = "grant.created",
        /// The limits of an OAuth application were changed.
        GrantChanged = "grant.changed",
        /// The access of an OAuth application was revoked.
        GrantRevoked = "grant.revoked",
        /// Credits were added by the operator or by a purchase.
        CreditsGranted = "credits.granted",
        /// The owner deleted a job and its results.
        JobDeleted = "job.deleted",
        /// A download link for the results of a job was created.
        ExportCreated = "export.created",
        /// A download link was used.
        ExportDownloaded = "export.downloaded",
        /// A setting of the account was changed.
        SettingsChanged = "settings.changed",
        /// A webhook endpoint was created.
        WebhookCreated = "webhook.created",
        /// A webhook endpoint was changed.
        WebhookChanged = "webhook.changed",
        /// A webhook endpoint was removed.
        WebhookRemoved = "webhook.removed",
        /// A schedule was created.
        ScheduleCreated = "schedule.created",
        /// A schedule was changed, paused or resumed.
        ScheduleChanged = "schedule.changed",
        /// A schedule was deleted. Its runs stay.
        ScheduleRemoved = "schedule.removed",
        /// The operator changed the key that encrypts stored secrets.
        SecretKeyRotated = "secret_key.rotated",
        /// The erasure of a person or a domain from all stored results was requested.
        ErasureRequested = "erasure.requested",
        /// An opt-out was added: its data is no longer stored.
        ObjectionAdded = "objection.added",
        /// An opt-out was removed.
        ObjectionRemoved = "objection.removed",
    }
}

string_enum! {
    /// How the actor was authenticated.
    pub enum AuditActorKind {
        /// A person with an account session.
        Session = "session",
        /// An API key of the account.
        ApiKey = "api_key",
        /// An authorized OAuth application.
        Application = "application",
        /// The operator, by the command line or the console.
        Operator = "operator",
        /// The service, without a caller.
        System = "system",
        /// A client without a valid credential.
        Anonymous = "anonymous",
    }
}

/// The actor of an audit entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    pub kind: AuditActorKind,
    /// The id of the account, key or application; null if there is none.
    #[schema(required = true)]
    pub id: Option<String>,
}

/// The object of an audit entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditObject {
    /// The kind of the object, as `key`, `session` or `job`.
    #[schema(example = "key")]
    pub kind: String,
    pub id: String,
}

/// An entry of the audit log. Entries are never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Millis,
    /// The account that it concerns; null if it concerns the whole service.
    #[schema(required = true)]
    pub account_id: Option<AccountId>,
    pub actor: AuditActor,
    pub action: AuditAction,
    #[schema(required = true)]
    pub object: Option<AuditObject>,
    /// The client address of the request; null for actions from inside the service.
    #[schema(required = true)]
    pub address: Option<String>,
    /// The id of the request, as in `X-Request-Id` and in the log.
    #[schema(required = true)]
    pub request_id: Option<RequestId>,
    /// Details of the action, never secrets. Members depend on the action.
    #[schema(value_type = Object)]
    pub details: Map<String, Value>,
}

/// A page of the audit log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditPage {
    pub items: Vec<AuditEntry>,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
