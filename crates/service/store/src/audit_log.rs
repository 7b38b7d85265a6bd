//! The audit log: who changed what, when and from where.
//!
//! Append-only. Each entry is inserted in the transaction of the change that it describes, so
//! that neither exists without the other. No statement updates an entry. Entries are deleted in
//! two cases: [`Store::purge`] deletes those older than [`crate::StoreSettings::keep_audit`],
//! and deleting an account deletes its entries except those about the account itself and its
//! credits.
//!
//! To record a change: call [`Store::append_audit`] with the open transaction. The actor comes from
//! the handle: callers make changes through [`Store::acting`].

use std::net::IpAddr;
use std::sync::Arc;

use contract::{
    AccountId, AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditId, AuditObject, Millis,
    RequestId,
};
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{PageRequest, Result, Store, StoreError, random};

/// Longer texts in `details` and `object_id` are cut: names come from clients.
const LONGEST_TEXT: usize = 200;

/// The actor and request behind the changes made through a [`Store`] handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditOrigin {
    pub actor: AuditActor,
    /// The client's address, for changes requested over the network.
    pub address: Option<IpAddr>,
    pub request: Option<RequestId>,
    /// Arrival of the request: the time of entries without a time of their own.
    pub at: Option<Millis>,
}

impl AuditOrigin {
    /// An actor of this kind, without an address or a request.
    #[must_use]
    pub fn of(kind: AuditActorKind, id: Option<String>) -> Self {
        Self { actor: AuditActor { kind, id }, address: None, request: None, at: None }
    }

    /// The operator, through the command line.
    #[must_use]
    pub fn command_line() -> Self {
        Self::of(AuditActorKind::Operator, None)
    }
}

/// A new audit entry. Actor, address and request come from the [`AuditOrigin`] of the handle.
#[derive(Debug, Clone)]
pub struct AuditRecord {
    account: Option<AccountId>,
    action: AuditAction,
    object: Option<(&'static str, String)>,
    details: Map<String, Value>,
    at: Option<Millis>,
}

impl AuditRecord {
    /// An entry about an account.
    #[must_use]
    pub fn of(account: &AccountId, action: AuditAction) -> Self {
        Self { account: Some(account.clone()), ..Self::of_service(action) }
    }

    /// An entry about the service, without an account.
    #[must_use]
    pub fn of_service(action: AuditAction) -> Self {
        Self { account: None, action, object: None, details: Map::new(), at: None }
    }

    /// The object of the action. Never a secret: a key is named by its id.
    #[must_use]
    pub fn object(mut self, kind: &'static str, id: impl Into<String>) -> Self {
        self.object = Some((kind, cut(id.into())));
        self
    }

    /// A member of `details`. Never a secret.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = match value.into() {
            Value::String(text) => Value::String(cut(text)),
            value => value,
        };
        self.details.insert(name.to_owned(), value);
        self
    }

    /// The members of `after` that differ from `before`, as members of `details`.
    #[must_use]
    pub(crate) fn changes(mut self, before: &impl Serialize, after: &impl Serialize) -> Self {
        let (before, after) = (to_members(before), to_members(after));
        for (name, value) in after {
            if before.get(&name) != Some(&value) {
                self = self.detail(&name, value);
            }
        }
        self
    }

    /// Whether the entry has no details, which means that nothing changed.
    pub(crate) fn is_bare(&self) -> bool {
        self.details.is_empty()
    }

    /// Sets the time of the change.
    #[must_use]
    pub fn at(mut self, now: Millis) -> Self {
        self.at = Some(now);
        self
    }
}

/// Selects entries of the audit log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// `None` for the entries of all accounts.
    pub account: Option<AccountId>,
    pub action: Option<AuditAction>,
    pub from: Option<Millis>,
    /// The end of the time range, exclusive.
    pub to: Option<Millis>,
}

const INSERT: &str = "INSERT INTO audit (id, account_id, at, actor_kind, actor_id, action, \
    object_kind, object_id, address, request_id, details) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
macro_rules! entries {
    ($account:literal) => {
        concat!(
            "SELECT id, account_id, at, actor_kind, actor_id, action, object_kind, object_id, \
             address, request_id, details FROM audit WHERE ",
            $account,
            " AND (CAST($2 AS TEXT) IS NULL OR action = $2) AND at >= $3 AND at < $4 \
             ORDER BY at DESC, id DESC LIMIT $5 OFFSET $6"
        )
    };
}
const OF_ACCOUNT: &str = entries!("account_id = $1");
const OF_ALL: &str = entries!("CAST($1 AS TEXT) IS NULL");
pub(crate) const DELETE_OLD: &str = "DELETE FROM audit WHERE at <= $1 AND NOT EXISTS \
    (SELECT 1 FROM retention r WHERE r.account_id = audit.account_id AND r.audit_days IS NOT NULL)";
pub(crate) const DELETE_OLD_OF: &str = "DELETE FROM audit WHERE at <= $1 AND account_id = $2";

impl Store {
    /// A handle to the same database with `origin` as the actor of all changes made through it.
    #[must_use]
    pub fn acting(&self, origin: AuditOrigin) -> Self {
        Self { inner: Arc::clone(&self.inner), origin: Some(Arc::new(origin)) }
    }

    /// A page of the audit log, newest first, and whether another follows.
    pub async fn audit_entries(
        &self,
        filter: &AuditFilter,
        page: PageRequest,
    ) -> Result<(Vec<AuditEntry>, bool)> {
        let statement = if filter.account.is_some() { OF_ACCOUNT } else { OF_ALL };
        let rows = sql!(statement; filter.account, filter.action,
            filter.from.map_or(i64::MIN, |from| from.0), filter.to.map_or(i64::MAX, |to| to.0),
            page.size.saturating_add(1), page.offset())
        .fetch_all(self.reader()?)
        .await?;
        let shown = usize::try_from(page.size).unwrap_or(usize::MAX);
        let entries = rows.iter().take(shown).map(read).collect::<Result<_, _>>()?;
        Ok((entries, rows.len() > shown))
    }

    /// Commits a change together with its entry.
    pub(crate) async fn commit_audited(&self, mut tx: Tx, record: AuditRecord) -> Result<()> {
        self.append_audit(&mut tx, record).await?;
        Ok(tx.commit().await?)
    }

    /// Appends an entry to the audit log, in the transaction of the change that it describes.
    pub(crate) async fn append_audit(&self, tx: &mut Tx, record: AuditRecord) -> Result<()> {
        let system = || AuditActor { kind: AuditActorKind::System, id: None };
        let origin = self.origin.as_deref();
        let actor = origin.map_or_else(system, |origin| origin.actor.clone());
        let at = match record.at.or_else(|| origin.and_then(|origin| origin.at)) {
            Some(at) => at,
            None => Millis(scalar!(self.dialect().clock()).fetch_one(&mut **tx).await?),
        };
        let (object_kind, object_id) = record.object.unzip();
        sql!(INSERT; AuditId::new(at, random()), record.account, at, actor.kind, actor.id,
            record.action, object_kind, object_id,
            origin.and_then(|origin| origin.address).map(|address| address.to_string()),
            origin.and_then(|origin| origin.request.as_ref()).map(RequestId::as_str),
            Value::Object(record.details).to_string())
        .run(tx)
        .await?;
        Ok(())
    }
}

fn to_members(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(members)) => members,
        Ok(_) | Err(_) => Map::new(),
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
        text.truncate(end);
    }
    text
}

fn read(row: &AnyRow) -> Result<AuditEntry> {
    let (id, details): (String, String) = (row.read("id")?, row.read("details")?);
    let object: (Option<String>, Option<String>) =
        (row.read("object_kind")?, row.read("object_id")?);
    let damaged = || StoreError::Damaged(format!("audit entry {id} cannot be read"));
    Ok(read_row!(row => AuditEntry {
        at, account_id, action, address, request_id;
        id: id.parse().map_err(|_| damaged())?,
        actor: AuditActor { kind: row.read("actor_kind")?, id: row.read("actor_id")? },
        object: object.0.zip(object.1).map(|(kind, id)| AuditObject { kind, id }),
        details: serde_json::from_str(&details).map_err(|_| damaged())?,
    }))
}
