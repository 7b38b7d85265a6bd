//! HTML and pictures of pages, behind signed links that work for some minutes.
//!
//! The files of a page that was read at once are rows of `page_files` until their link expires. Those of
//! an account have [`ACCOUNT_BYTES`] together: beyond them the oldest are deleted. An erasure deletes
//! all of them, because pictures cannot be searched. The files of a run are in `run_page.rs`; a link to
//! one of them names it and the time until which it works.

use bytes::Bytes;
use contract::{AccountId, Millis, PageFileId};

use crate::account_lock::lock_active_account;
use crate::blob::{self, BlobKey, PackedBlob, Removal, delete_of_page_files};
use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::run_file_ticket::RunFileTicket;
use crate::{Result, Store};
use runtime::off_runtime;

/// Maximum stored bytes of the files of an account.
const ACCOUNT_BYTES: i64 = 64 << 20;

const INSERT: &str = "INSERT INTO page_files \
    (id, account_id, content_type, bytes, stored_bytes, expires_at) \
    VALUES ($1, $2, $3, $4, $5, $6)";
const READ: &str = "SELECT account_id, content_type, bytes, expires_at FROM page_files \
    WHERE id = $1";
const OF_ACCOUNT: &str = "SELECT id, stored_bytes, expires_at FROM page_files \
    WHERE account_id = $1 ORDER BY expires_at DESC, id DESC";
const DELETE: &str = "DELETE FROM page_files WHERE id = $1";

/// Files whose links have expired.
pub(crate) const DELETE_EXPIRED: [&str; 4] = delete_of_page_files!(" WHERE expires_at <= $1");

/// Deletes the files of all pages that were read at once.
pub(crate) const DELETE_ALL: [&str; 4] = delete_of_page_files!("");

/// Deletes those of an account.
pub(crate) const DELETE_OF_ACCOUNT: [&str; 4] = delete_of_page_files!(" WHERE account_id = $1");

/// The name of the only bytes of a file.
const NAME: &str = "file";

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
    pub(crate) key: BlobKey,
    pub account: AccountId,
    pub content_type: String,
    /// Number of bytes of the content.
    pub bytes: u64,
}

impl PageFileRecord {
    /// Number of parts of the content.
    #[must_use]
    pub fn parts(&self) -> u64 {
        blob::parts_of(self.bytes)
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

/// A file with its compressed bytes.
pub(crate) struct PackedFile<'a> {
    file: &'a NewPageFile,
    blob: PackedBlob,
}

/// Compresses the files of a page.
pub(crate) fn pack(files: &[NewPageFile]) -> Result<Vec<PackedFile<'_>>> {
    let packed = files.iter();
    packed.map(|file| Ok(PackedFile { file, blob: PackedBlob::pack(&file.body)? })).collect()
}

/// The bytes of files, to be uploaded.
pub(crate) fn blobs_of<'a>(
    files: &'a mut [PackedFile<'_>],
) -> impl Iterator<Item = &'a mut PackedBlob> {
    files.iter_mut().map(|file| &mut file.blob)
}

fn key_of(id: &PageFileId) -> BlobKey {
    BlobKey { owner: id.to_string(), name: NAME.to_owned() }
}

/// Stores files, and deletes the oldest files of the account beyond its limit. The caller holds the
/// account's row.
pub(crate) async fn insert(
    tx: &mut Tx,
    account: &AccountId,
    files: &[PackedFile<'_>],
    now: Millis,
) -> Result<()> {
    for PackedFile { file, blob } in files {
        sql!(INSERT; file.id, account, file.content_type, blob.bytes, blob.stored_bytes(),
            file.expires_at)
        .run(tx)
        .await?;
        blob::put(tx, &key_of(&file.id), blob).await?;
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
            blob::delete(tx, &key_of(&id), Removal::Expired).await?;
            sql!(DELETE; id).run(tx).await?;
        }
    }
    Ok(())
}

impl Store {
    /// The last part of the link to a file: its id and signature.
    ///
    /// # Errors
    /// [`StoreError`](crate::StoreError) when no `secret_key` is configured.
    pub fn page_file_ticket(&self, id: &PageFileId) -> Result<String> {
        Ok(format!("{id}.{}", self.secret_key()?.sign_page_file(id.as_str())))
    }

    /// Stores files that belong to no charge.
    ///
    /// # Errors
    /// [`StoreError`](crate::StoreError) when the database fails or the account is closed.
    pub async fn keep_page_files(
        &self,
        account: &AccountId,
        files: &[NewPageFile],
        now: Millis,
    ) -> Result<()> {
        let mut packed = off_runtime(|| pack(files))?;
        let upload = self.upload(blobs_of(&mut packed), now).await?;
        let mut tx = self.begin().await?;
        lock_active_account(&mut tx, account).await?;
        upload.insert(&mut tx).await?;
        insert(&mut tx, account, &packed, now).await?;
        Ok(tx.commit().await?)
    }

    /// The file that a signed link names.
    pub async fn page_file(&self, ticket: &str, now: Millis) -> Result<PageFileState> {
        let Some((name, signature)) = ticket.rsplit_once('.') else {
            return Ok(PageFileState::Invalid);
        };
        if !self.secret_keys()?.any(|key| key.verify_page_file(name, signature)) {
            return Ok(PageFileState::Invalid);
        }
        if let Some(of_run) = RunFileTicket::parse(name) {
            return self.run_file(&of_run, now).await;
        }
        let Ok(id) = name.parse::<PageFileId>() else { return Ok(PageFileState::Invalid) };
        let row = sql!(READ; id).fetch_optional(self.reader()?).await?;
        let Some(row) = row.as_ref() else { return Ok(PageFileState::Expired) };
        if row.read::<Millis>("expires_at")? <= now {
            return Ok(PageFileState::Expired);
        }
        Ok(PageFileState::Ready(PageFileRecord {
            key: key_of(&id),
            account: row.read("account_id")?,
            content_type: row.read("content_type")?,
            bytes: row.read("bytes")?,
        }))
    }

    /// A part of a file, from 0; `None` when it was deleted.
    pub async fn page_file_part(
        &self,
        file: &PageFileRecord,
        part: u64,
    ) -> Result<Option<Vec<u8>>> {
        self.blob_part(&file.key, part).await
    }
}
