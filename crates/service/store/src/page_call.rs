//! Page calls that are forwarded to the node that has the lease on their host.
//!
//! The node of the client inserts a row (`waiting`) and waits. The node that has the host takes the
//! call (`taken`), reads the page in order with its own requests, and writes the answer
//! (`delivered`) in the transaction of the charge. The row ends with one statement of the first node,
//! which deletes it: a call that was not delivered before cannot be charged afterwards, because
//! the transaction of the charge finds no row. So the first node may read the page itself when the
//! lease ends, or answer that the time has passed.
//!
//! Times are of the database's clock. Rows of nodes that have died are deleted after their deadline.

use std::time::Duration;

use contract::{AccountId, Creator, Millis, PageId, RequestId};
use runtime::off_runtime;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use tokio::sync::{broadcast, watch};

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql, to_json};
use crate::idempotency::{IdempotencyKey, pack, unpack};
use crate::page_host::ENTER;
use crate::page_wakes::{CALL_WAITS, PageWakes};
use crate::secret_key::SealedFor;
use crate::{NewAcceptance, NodeName, Result, Store, StoreError};

/// Maximum bytes of an encrypted request. A larger call is not forwarded.
const REQUEST_BYTES: usize = 256 << 10;

/// Maximum bytes of an encrypted answer, compressed. A larger one is not forwarded.
const ANSWER_BYTES: usize = 8 << 20;

/// Time after its deadline for which a row is kept.
const GRACE: Duration = Duration::from_secs(5);

const OF_ACCOUNT: &str = "SELECT COUNT(*) FROM page_calls WHERE account_id = $1 AND deadline > $2";
const INSERT: &str = "INSERT INTO page_calls \
    (id, account_id, host, origin, state, request, created_at, deadline) \
    VALUES ($1, $2, $3, $4, 'waiting', $5, $6, $7)";
const HOLDER: &str = "SELECT owner FROM host_leases WHERE host = $1 AND lease_until > $2";

/// The first call that waits at $2 for a host of node $1, or that was taken by a node which has lost
/// the host.
macro_rules! next {
    ($suffix:literal) => {
        concat!(
            "SELECT c.id, c.host, c.request, c.deadline FROM page_calls c \
             JOIN host_leases h ON h.host = c.host \
             WHERE c.state IN ('waiting', 'taken') AND (c.taker IS NULL OR c.taker <> $1) \
             AND h.owner = $1 AND h.lease_until > $2 AND c.deadline > $2 \
             ORDER BY c.created_at, c.id LIMIT 1",
            $suffix
        )
    };
}
const NEXT: &str = next!("");
const NEXT_SKIP_LOCKED: &str = next!(" FOR UPDATE OF c SKIP LOCKED");
const TAKE: &str = "UPDATE page_calls SET state = 'taken', taker = $2 \
    WHERE id = $1 AND state IN ('waiting', 'taken')";
const END: &str = "UPDATE page_calls SET state = $2, answer = $3 \
    WHERE id = $1 AND state = 'taken' RETURNING origin";
const DECLINE: &str = "UPDATE page_calls SET state = 'declined' \
    WHERE id = $1 AND state IN ('waiting', 'taken') RETURNING origin";
const STATUS: &str = "SELECT c.state, CAST(CASE WHEN h.host IS NULL OR h.lease_until <= $3 \
    OR (h.owner = $2 AND (c.taker IS NULL OR c.taker <> $2)) THEN 1 ELSE 0 END AS BIGINT) AS is_free \
    FROM page_calls c LEFT JOIN host_leases h ON h.host = c.host WHERE c.id = $1";
const WITHDRAW: &str = "DELETE FROM page_calls WHERE id = $1 RETURNING state, answer";
const DELETE_EXPIRED: &str = "DELETE FROM page_calls WHERE deadline <= $1";

/// A valid page call with what is stored of its caller.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCallRequest {
    pub page_id: PageId,
    pub account: AccountId,
    pub creator: Option<Creator>,
    /// The channel that it is counted for.
    pub source: String,
    pub idempotency: Option<IdempotencyKey>,
    pub acceptance: Option<NewAcceptance>,
    pub request_id: RequestId,
    /// The URL of the service as the client sees it, for links in the answer.
    pub public_url: String,
    /// The body of the request. It may have credentials.
    pub body: Value,
}

runtime::partial_debug!(PageCallRequest, page_id, account, request_id);

/// Whether a page call was forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageForwarding {
    Forwarded,
    /// The account has as many forwarded calls as it may have.
    AccountLimit,
    /// The request is too large, or no `secret_key` is configured.
    NotPossible,
}

/// The state of a forwarded call for the node of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageCallStatus {
    Open {
        /// Whether this node may have the host now, and does not read the page yet.
        host_is_free: bool,
    },
    /// It was answered or declined, or its row was deleted: [`Store::withdraw_page_call`] returns
    /// the answer if there is one.
    Ended,
}

/// The answer to a forwarded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageCallAnswer {
    /// The page was charged; its answer as JSON.
    Delivered(String),
    /// Nothing was charged; the problem as JSON.
    Failed(String),
    /// Another request with the same `Idempotency-Key` was answered first.
    Replayed,
}

/// A forwarded call that this node has to answer. It counts as a page of this node on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenPageCall {
    pub request: PageCallRequest,
    pub host: String,
    /// Time until the deadline.
    pub remaining: Duration,
}

impl Store {
    /// Forwards a page call to the node that has its host, with the time until its deadline and the
    /// maximum number of forwarded calls of the account.
    ///
    /// # Errors
    /// [`StoreError::AccountClosed`] if the account is suspended.
    pub async fn forward_page(
        &self,
        request: &PageCallRequest,
        host: &str,
        origin: &NodeName,
        within: Duration,
        most: usize,
    ) -> Result<PageForwarding> {
        let (id, account) = (&request.page_id, &request.account);
        let Ok(key) = self.secret_key() else { return Ok(PageForwarding::NotPossible) };
        let sealed = key.seal(SealedFor::PageCall(id.as_str()), to_json(request)?.as_bytes())?;
        if sealed.len() > REQUEST_BYTES {
            return Ok(PageForwarding::NotPossible);
        }
        let mut tx = self.begin().await?;
        lock_active_account(&mut tx, account).await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let open: i64 = scalar!(OF_ACCOUNT; account, clock).fetch_one(&mut *tx).await?;
        if u64::try_from(open).unwrap_or(0) >= most as u64 {
            tx.rollback().await?;
            return Ok(PageForwarding::AccountLimit);
        }
        let deadline = Millis(clock).plus(within);
        sql!(INSERT; id, account, host, origin, sealed, clock, deadline).run(&mut tx).await?;
        let holder: Option<String> = scalar!(HOLDER; host, clock).fetch_optional(&mut *tx).await?;
        if let Some(holder) = holder {
            self.notify_node(&mut tx, &holder, CALL_WAITS).await?;
        }
        tx.commit().await?;
        Ok(PageForwarding::Forwarded)
    }

    /// The state of a call that this node has forwarded.
    pub async fn page_call_status(&self, id: &PageId, node: &NodeName) -> Result<PageCallStatus> {
        let clock = self.database_clock().await?;
        let row = sql!(STATUS; id, node, clock).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(PageCallStatus::Ended) };
        Ok(match row.read::<String>("state")?.as_str() {
            "waiting" | "taken" => PageCallStatus::Open { host_is_free: row.read("is_free")? },
            _ => PageCallStatus::Ended,
        })
    }

    /// Ends a call that this node has forwarded, and returns its answer. Without one nothing was
    /// charged, and nothing will be.
    pub async fn withdraw_page_call(&self, id: &PageId) -> Result<Option<PageCallAnswer>> {
        let mut tx = self.begin().await?;
        let row = sql!(WITHDRAW; id).fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        row.map_or(Ok(None), |row| self.read_answer(id, &row))
    }

    /// Takes the first call that waits for a host of this node, and enters the host for it as
    /// [`Store::enter_host`] does.
    pub async fn take_page_call(
        &self,
        node: &NodeName,
        lease: Duration,
    ) -> Result<Option<TakenPageCall>> {
        let statement = self.dialect().claim(NEXT, NEXT_SKIP_LOCKED);
        loop {
            let mut tx = self.begin().await?;
            let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
            let row = sql!(statement; node, clock).fetch_optional(&mut *tx).await?;
            let Some(row) = row else {
                tx.rollback().await?;
                return Ok(None);
            };
            let (id, host): (PageId, String) = (row.read("id")?, row.read("host")?);
            let Ok(request) = self.open_request(&id, &row.read::<Vec<u8>>("request")?) else {
                // Of a later release, or encrypted with another key.
                self.decline_in(&mut tx, &id).await?;
                tx.commit().await?;
                continue;
            };
            let until = Millis(clock).plus(lease);
            let entered = sql!(ENTER; host, node, until, clock).run(&mut tx).await?;
            if entered == 0 || sql!(TAKE; id, node).run(&mut tx).await? == 0 {
                tx.rollback().await?;
                return Ok(None);
            }
            tx.commit().await?;
            let remaining = row.read::<Millis>("deadline")?.since(Millis(clock));
            return Ok(Some(TakenPageCall { request, host, remaining }));
        }
    }

    /// Answers a taken call that was not charged. Does nothing if it was withdrawn.
    pub async fn end_page_call(&self, id: &PageId, answer: &PageCallAnswer) -> Result<()> {
        let (state, sealed) = match answer {
            PageCallAnswer::Replayed => ("replayed", None),
            PageCallAnswer::Failed(problem) => ("failed", self.seal_answer(id, problem)?),
            PageCallAnswer::Delivered(_) => {
                let message = "a page is delivered with its charge only".to_owned();
                return Err(StoreError::Damaged(message));
            }
        };
        let mut tx = self.begin().await?;
        self.end_in(&mut tx, id, state, sealed).await?;
        Ok(tx.commit().await?)
    }

    /// Leaves a call to the node of its client, which reads the page when it has the host.
    pub async fn decline_page_call(&self, id: &PageId) -> Result<()> {
        let mut tx = self.begin().await?;
        self.decline_in(&mut tx, id).await?;
        Ok(tx.commit().await?)
    }

    /// Deletes the calls of nodes that have not withdrawn them until their deadline. Returns their
    /// number.
    pub async fn delete_expired_page_calls(&self) -> Result<u64> {
        let before = self.database_clock().await?.minus(GRACE);
        self.execute(sql!(DELETE_EXPIRED; before)).await
    }

    /// Changes when a call may wait for this node.
    #[must_use]
    pub fn page_calls_waiting(&self) -> watch::Receiver<()> {
        self.inner.page_wakes.waiting()
    }

    /// The forwarded calls of this node that have ended, from now on.
    #[must_use]
    pub fn page_calls_ended(&self) -> broadcast::Receiver<PageId> {
        self.inner.page_wakes.ended()
    }

    async fn decline_in(&self, tx: &mut Tx, id: &PageId) -> Result<()> {
        let origin: Option<String> = scalar!(DECLINE; id).fetch_optional(&mut **tx).await?;
        match origin {
            Some(origin) => self.notify_node(tx, &origin, &PageWakes::ended_payload(id)).await,
            None => Ok(()),
        }
    }

    /// Returns whether the call was still taken.
    async fn end_in(
        &self,
        tx: &mut Tx,
        id: &PageId,
        state: &'static str,
        sealed: Option<Vec<u8>>,
    ) -> Result<bool> {
        let origin: Option<String> =
            scalar!(END; id, state, sealed).fetch_optional(&mut **tx).await?;
        let Some(origin) = origin else { return Ok(false) };
        self.notify_node(tx, &origin, &PageWakes::ended_payload(id)).await?;
        Ok(true)
    }

    fn open_request(&self, id: &PageId, sealed: &[u8]) -> Result<PageCallRequest> {
        let bytes = self.open(SealedFor::PageCall(id.as_str()), sealed)?;
        // The cause may quote a secret.
        serde_json::from_slice(&bytes)
            .map_err(|_| StoreError::Damaged("a forwarded page call is invalid".to_owned()))
    }

    pub(crate) fn seal_answer(&self, id: &PageId, text: &str) -> Result<Option<Vec<u8>>> {
        off_runtime(|| {
            let packed = pack(text)?;
            if packed.len() > ANSWER_BYTES {
                return Ok(None);
            }
            self.secret_key()?.seal(SealedFor::PageAnswer(id.as_str()), &packed).map(Some)
        })
    }

    pub(crate) fn open_answer(&self, id: &PageId, sealed: &[u8]) -> Result<String> {
        off_runtime(|| unpack(&self.open(SealedFor::PageAnswer(id.as_str()), sealed)?))
    }

    fn read_answer(&self, id: &PageId, row: &AnyRow) -> Result<Option<PageCallAnswer>> {
        let text = || {
            let sealed: Option<Vec<u8>> = row.read("answer")?;
            let sealed = sealed.ok_or_else(|| StoreError::Damaged("answer is NULL".to_owned()))?;
            self.open_answer(id, &sealed)
        };
        Ok(match row.read::<String>("state")?.as_str() {
            "delivered" => Some(PageCallAnswer::Delivered(text()?)),
            "failed" => Some(PageCallAnswer::Failed(text()?)),
            "replayed" => Some(PageCallAnswer::Replayed),
            _ => None,
        })
    }
}

/// Writes the answer to a forwarded call in the transaction of its charge. False if the call was
/// withdrawn or the answer is too large: then the transaction has to be rolled back.
pub(crate) async fn deliver(store: &Store, tx: &mut Tx, id: &PageId, text: &str) -> Result<bool> {
    let Some(sealed) = store.seal_answer(id, text)? else { return Ok(false) };
    store.end_in(tx, id, "delivered", Some(sealed)).await
}
