//! HTML and pictures of pages that were read at once, behind signed links for some minutes.
//!
//! A file is stored in compressed parts, so that no row is large and a download reads one part after
//! the other. The files of an account have [`ACCOUNT_BYTES`] together: beyond them the oldest are
//! deleted. An erasure deletes all files of all accounts, because pictures cannot be searched.

use bytes::Bytes;
use contract::{AccountId, Millis, PageFileId};

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{Result, Store, StoreError};
use runtime::off_runtime;

/// Bytes of a part before compression.
const PART_BYTES: usize = 512 << 10;

/// Maximum stored bytes of the files of an account.
const ACCOUNT_BYTES: i64 = 64 << 20;

/// Compression of parts: fast, because the caller waits.
const LEVEL: i32 = 1;

const INSERT: &str = "INSERT INTO page_files \
    (id, account_id, content_type, bytes, stored_bytes, expires_at) \
    VALUES ($1, $2, $3, $4, $5, $6)";
const INSERT_PART: &str = "INSERT INTO page_file_parts (file_id, part, body) VALUES ($1, $2, $3)";
const READ: &str = "SELECT account_id, content_type, bytes, expires_at FROM page_files \
    WHERE id = $1";
const PART: &str = "SELECT body FROM page_file_parts WHERE file_id = $1 AND part = $2";
const OF_ACCOUNT: &str = "SELECT id, stored_bytes, expires_at FROM page_files \
    WHERE account_id = $1 ORDER BY expires_at DESC, id DESC";
const DELETE_PARTS: &str = "DELETE FROM page_file_parts WHERE file_id = $1";
const DELETE: &str = "DELETE FROM page_files WHERE id = $1";

/// Files whose links have expired.
pub(crate) const DELETE_EXPIRED: &[&str] = &[
    "DELETE FROM page_file_parts WHERE file_id IN \
     (SELECT id FROM page_files WHERE expires_at <= $1)",
    "DELETE FROM page_files WHERE expires_at <= $1",
];

/// Deletes the files of all pages.
pub(crate) const DELETE_ALL: &[&str] = &["DELETE FROM page_file_parts", "DELETE FROM page_files"];

/// A file of a page to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPageFile {
    pub id: PageFileId,
    pub content_type: String,
    pub body: Bytes,
    pub expires_at: Millis,
}

/// A stored file without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFileRecord {
    pub id: PageFileId,
    pub account: AccountId,
    pub content_type: String,
    /// Number of bytes of the content.
    pub bytes: u64,
}

impl PageFileRecord {
    /// Number of parts of the content.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.bytes.div_ceil(PART_BYTES as u64)
    }
}

/// The state of the link to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageFileState {
    Ready(PageFileRecord),
    /// The link has expired, or the file was deleted.
    Expired,
    /// The signature does not match.
    Invalid,
}

/// A file with its compressed parts.
pub(crate) struct PackedFile<'a> {
    file: &'a NewPageFile,
    parts: Vec<Vec<u8>>,
}

/// Compresses the files of a page.
pub(crate) fn pack(files: &[NewPageFile]) -> Result<Vec<PackedFile<'_>>> {
    let packed = files.iter().map(|file| {
        let parts = file.body.chunks(PART_BYTES).map(|part| zstd::bulk::compress(part, LEVEL));
        let parts = parts.collect::<Result<Vec<_>, _>>();
        let damaged = |cause| StoreError::Damaged(format!("cannot compress a file: {cause}"));
        Ok(PackedFile { file, parts: parts.map_err(damaged)? })
    });
    packed.collect()
}

/// Stores files, and deletes the oldest files of the account beyond its limit. The caller holds the
/// account's row.
pub(crate) async fn insert(
    tx: &mut Tx,
    account: &AccountId,
    files: &[PackedFile<'_>],
    now: Millis,
) -> Result<()> {
    for PackedFile { file, parts } in files {
        let stored: usize = parts.iter().map(Vec::len).sum();
        sql!(INSERT; file.id, account, file.content_type, file.body.len(), stored, file.expires_at)
            .run(tx)
            .await?;
        for (number, part) in parts.iter().enumerate() {
            sql!(INSERT_PART; file.id, number, part).run(tx).await?;
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let rows = sql!(OF_ACCOUNT; account).fetch_all(&mut **tx).await?;
    let mut total = 0;
    for row in &rows {
        total += row.read::<i64>("stored_bytes")?;
        if total > ACCOUNT_BYTES || row.read::<Millis>("expires_at")? <= now {
            let id: PageFileId = row.read("id")?;
            sql!(DELETE_PARTS; id).run(tx).await?;
            sql!(DELETE; id).run(tx).await?;
        }
    }
    Ok(())
}

impl Store {
    /// The last part of the link to a file: its id and signature.
    ///
    /// # Errors
    /// [`StoreError`] when no `secret_key` is configured.
    pub fn page_file_ticket(&self, id: &PageFileId) -> Result<String> {
        Ok(format!("{id}.{}", self.secret_key()?.sign_page_file(id)))
    }

    /// Stores files that belong to no charge.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or the account is closed.
    pub async fn keep_page_files(
        &self,
        account: &AccountId,
        files: &[NewPageFile],
        now: Millis,
    ) -> Result<()> {
        let packed = off_runtime(|| pack(files))?;
        let mut tx = self.begin().await?;
        lock_active_account(&mut tx, account).await?;
        insert(&mut tx, account, &packed, now).await?;
        Ok(tx.commit().await?)
    }

    /// The file that a signed link names.
    pub async fn page_file(&self, ticket: &str, now: Millis) -> Result<PageFileState> {
        let parsed = ticket.split_once('.');
        let parsed = parsed.and_then(|(id, signature)| Some((id.parse().ok()?, signature)));
        let Some((id, signature)) = parsed else { return Ok(PageFileState::Invalid) };
        let id: PageFileId = id;
        if !self.secret_key()?.verify_page_file(&id, signature) {
            return Ok(PageFileState::Invalid);
        }
        let row = sql!(READ; id).fetch_optional(self.reader()?).await?;
        let Some(row) = row.as_ref() else { return Ok(PageFileState::Expired) };
        if row.read::<Millis>("expires_at")? <= now {
            return Ok(PageFileState::Expired);
        }
        Ok(PageFileState::Ready(read_row!(row => PageFileRecord {
            account = "account_id", content_type, bytes;
            id,
        })))
    }

    /// A part of a file, from 0; `None` when it was deleted.
    pub async fn page_file_part(&self, id: &PageFileId, part: u64) -> Result<Option<Vec<u8>>> {
        let packed: Option<Vec<u8>> =
            scalar!(PART; id, part).fetch_optional(self.reader()?).await?;
        let Some(packed) = packed else { return Ok(None) };
        let unpacked = off_runtime(|| zstd::bulk::decompress(&packed, PART_BYTES));
        let damaged = |cause| StoreError::Damaged(format!("cannot decompress a file: {cause}"));
        unpacked.map(Some).map_err(damaged)
    }
}
