//! What a run keeps of the page of an item, because its request has `formats`: files, and the response
//! that they were made from.
//!
//! A page is written in the transaction of its item, so that a commit that is repeated after a crash
//! has it once. The files of a run have [`crate::StoreSettings::job_file_bytes`] together; a file
//! beyond them becomes a warning. A page with opted-out data has no files.

use std::ops::Range;

use contract::{JobFiles, JobId, Millis, PageFileFormat};
use crawl::{KeptPage, KeptResponse};
use html::entity::{EntityContext, resolve};
use privacy::OptOuts;
use serde::{Deserialize, Serialize};

use crate::blob::{self, BlobKey, PackedBlob, Removal};
use crate::columns::{ExecuteIn, ReadColumn, Tx, sql, to_json};
use crate::page_file::{PageFileRecord, PageFileState};
use crate::redacted_commit::RedactedCommit;
use crate::run_file_ticket::RunFileTicket;
use crate::skipped_page::NumberedSkips;
use crate::{Result, Store, job_row};

/// Pages that one transaction deletes.
const DELETED_PAGES: usize = 32;

/// Pages that an erasure lists at a time.
const LISTED_PAGES: u64 = 256;

const USED: &str = "SELECT file_bytes, files_not_kept FROM jobs WHERE id = $1";
const SET_USED: &str = "UPDATE jobs SET file_bytes = $2, files_not_kept = $3 WHERE id = $1";
const INSERT: &str = "INSERT INTO run_pages (job_id, item, files, warnings, response) \
    VALUES ($1, $2, $3, $4, $5)";
const PAGES: &str = "SELECT item, files, warnings FROM run_pages \
    WHERE job_id = $1 AND item >= $2 AND item < $3 ORDER BY item LIMIT $4";
const FILES: &str = "SELECT files FROM run_pages WHERE job_id = $1 AND item = $2";
const RESPONSE: &str = "SELECT response FROM run_pages WHERE job_id = $1 AND item = $2";
const FILE: &str = "SELECT j.account_id, p.files FROM run_pages p JOIN jobs j ON j.id = p.job_id \
    WHERE p.job_id = $1 AND p.item = $2";
const REDACT: &str = "UPDATE run_pages SET files = '[]', warnings = $3, response = '' \
    WHERE job_id = $1 AND item = $2";
const RELEASE: &str = "UPDATE jobs SET file_bytes = file_bytes - $2 WHERE id = $1";
const FIRST: &str = "SELECT item, files FROM run_pages WHERE job_id = $1 ORDER BY item LIMIT $2";
const DELETE: &str = "DELETE FROM run_pages WHERE job_id = $1 AND item = $2";

const WITHHELD: &str = "withheld: the page has data of a person or domain that opted out";

/// What is kept of the page of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRunPage {
    /// The number of the item in the results.
    pub item: u64,
    pub files: Vec<RunFile>,
    /// Which files are missing and why.
    pub warnings: Vec<String>,
}

/// A file of a run without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    pub format: PageFileFormat,
    pub content_type: String,
    pub bytes: u64,
    stored_bytes: u64,
}

/// The stored form of [`KeptResponse`].
#[derive(Debug, Serialize, Deserialize)]
struct StoredResponse {
    url: String,
    status: u16,
    headers: Vec<(String, String)>,
    fetched_at: Millis,
    rendered: bool,
}

/// What is kept of the pages of a commit.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommitPages<'a> {
    /// Each with the position of its item.
    pub items: &'a [(usize, Box<KeptPage>)],
    /// Each with the position of its skipped URL, which has a failed action.
    pub skipped: &'a [(usize, Box<KeptPage>)],
}

/// A page with its compressed files.
pub(crate) struct PackedPage {
    /// The position of its item in the commit, or its own number.
    number: u64,
    response: String,
    files: Vec<(RunFile, PackedBlob)>,
    warnings: Vec<String>,
}

/// The compressed pages of a commit.
pub(crate) struct PackedPages {
    pub items: Vec<PackedPage>,
    pub skipped: Vec<PackedPage>,
}

impl PackedPages {
    /// The bytes of the files, to be uploaded. Those beyond `most` bytes of the run, which has `used`
    /// already, are left out.
    pub fn blobs(&mut self, used: u64, most: u64) -> impl Iterator<Item = &mut PackedBlob> {
        let pages = self.items.iter_mut().chain(&mut self.skipped);
        let files = pages.flat_map(|page| &mut page.files);
        files.scan(used, move |used, (_, blob)| {
            let with_this = used.saturating_add(blob.stored_bytes());
            match with_this > most {
                true => blob.drop_content(),
                false => *used = with_this,
            }
            Some(blob)
        })
    }

    /// Whether there are files.
    pub fn has_files(&self) -> bool {
        self.items.iter().chain(&self.skipped).any(|page| !page.files.is_empty())
    }
}

/// Compresses the pages of a commit. Files of pages with opted-out data are left out.
pub(crate) fn pack(
    opt_outs: &OptOuts,
    commit: &RedactedCommit<'_>,
    pages: CommitPages<'_>,
    skips: &NumberedSkips<'_>,
) -> Result<PackedPages> {
    let items = pages.items.iter().map(|(position, page)| {
        pack_page(opt_outs, commit.redacted.contains(position), *position as u64, page)
    });
    let skipped =
        skips.pages.iter().map(|(number, page)| pack_page(opt_outs, false, *number, page));
    Ok(PackedPages {
        items: items.collect::<Result<_>>()?,
        skipped: skipped.collect::<Result<_>>()?,
    })
}

fn pack_page(
    opt_outs: &OptOuts,
    is_redacted: bool,
    number: u64,
    page: &KeptPage,
) -> Result<PackedPage> {
    let KeptResponse { url, status, headers, fetched_at, rendered } = page.response.clone();
    let response = to_json(&StoredResponse { url, status, headers, fetched_at, rendered })?;
    let is_covered = is_redacted
        || covers(opt_outs, &page.response.url, &response)
        || page.files.iter().any(|file| covers_file(opt_outs, file.format, &file.body));
    let (response, mut warnings) = match is_covered {
        true => (String::new(), Vec::new()),
        false => (response, page.warnings.clone()),
    };
    let mut files = Vec::with_capacity(page.files.len());
    for file in &page.files {
        if is_covered {
            warnings.push(format!("{}: {WITHHELD}", file.format));
            continue;
        }
        let blob = PackedBlob::pack(&file.body)?;
        let described = RunFile {
            format: file.format,
            content_type: file.content_type.clone(),
            bytes: blob.bytes,
            stored_bytes: blob.stored_bytes(),
        };
        files.push((described, blob));
    }
    Ok(PackedPage { number, response, files, warnings })
}

fn covers(opt_outs: &OptOuts, url: &str, text: &str) -> bool {
    !opt_outs.is_empty() && (opt_outs.cover_url(url) || opt_outs.redact(text).is_some())
}

fn covers_file(opt_outs: &OptOuts, format: PageFileFormat, body: &[u8]) -> bool {
    !opt_outs.is_empty()
        && format != PageFileFormat::Screenshot
        && covers_html(opt_outs, &String::from_utf8_lossy(body))
}

/// Whether an opt-out covers an address in the source of a page, which may write its characters as
/// references or percent escapes.
pub(crate) fn covers_html(opt_outs: &OptOuts, source: &str) -> bool {
    let is_covered = |text: &str| opt_outs.redact(text).is_some();
    is_covered(source)
        || is_covered(&resolve(source, EntityContext::Text))
        || (source.contains("%40") && is_covered(&source.replace("%40", "@")))
}

fn key_of(job: &JobId, item: u64, format: PageFileFormat) -> BlobKey {
    BlobKey { owner: job.to_string(), name: format!("{item}/{format}") }
}

/// Inserts pages of a commit, whose first item has this number; 0 for pages with their own numbers. Files
/// beyond `most` stored bytes of the job are left out with a warning. The caller holds the job's row.
pub(crate) async fn insert(
    tx: &mut Tx,
    job: &JobId,
    first_item: u64,
    pages: Vec<PackedPage>,
    most: u64,
) -> Result<()> {
    if pages.is_empty() {
        return Ok(());
    }
    let row = sql!(USED; job).fetch_one(&mut **tx).await?;
    let (mut used, mut not_kept) =
        (row.read::<u64>("file_bytes")?, row.read::<u64>("files_not_kept")?);
    for PackedPage { number, response, files, mut warnings } in pages {
        let item = first_item + number;
        let mut kept = Vec::with_capacity(files.len());
        for (file, blob) in files {
            if !blob.has_content() || used.saturating_add(file.stored_bytes) > most {
                not_kept += 1;
                warnings.push(too_many(file.format, most));
                continue;
            }
            used += file.stored_bytes;
            blob::put(tx, &key_of(job, item, file.format), &blob).await?;
            kept.push(file);
        }
        let response = if kept.is_empty() { String::new() } else { response };
        sql!(INSERT; job, item, to_json(&kept)?, to_json(&warnings)?, response).run(tx).await?;
    }
    sql!(SET_USED; job, used, not_kept).run(tx).await.map(drop)
}

fn too_many(format: PageFileFormat, most: u64) -> String {
    format!(
        "{format}: not kept, because the files of a job have at most {most} bytes (job_file_bytes)"
    )
}

/// Deletes the files and the response of a page, because of an opt-out. The caller holds the job's row.
/// Returns whether there were any.
pub(crate) async fn redact(tx: &mut Tx, job: &JobId, item: u64) -> Result<bool> {
    let Some(row) = sql!(FILES; job, item).fetch_optional(&mut **tx).await? else {
        return Ok(false);
    };
    let files: Vec<RunFile> = row.read_json("files")?;
    let mut freed = 0;
    let mut warnings = Vec::new();
    for file in &files {
        blob::delete(tx, &key_of(job, item, file.format), Removal::Erased).await?;
        freed += file.stored_bytes;
        warnings.push(format!("{}: {WITHHELD}", file.format));
    }
    sql!(REDACT; job, item, to_json(&warnings)?).run(tx).await?;
    sql!(RELEASE; job, freed).run(tx).await?;
    Ok(!files.is_empty())
}

impl Store {
    /// What is kept of the pages of items with these numbers, in their order.
    pub async fn run_pages(&self, job: &JobId, items: Range<u64>) -> Result<Vec<KeptRunPage>> {
        let most = items.end.saturating_sub(items.start);
        self.read_run_pages(job, items, most).await
    }

    /// Some pages from this item on; none at the end.
    pub(crate) async fn next_run_pages(&self, job: &JobId, from: u64) -> Result<Vec<KeptRunPage>> {
        self.read_run_pages(job, from..i64::MAX.unsigned_abs(), LISTED_PAGES).await
    }

    async fn read_run_pages(
        &self,
        job: &JobId,
        items: Range<u64>,
        most: u64,
    ) -> Result<Vec<KeptRunPage>> {
        self.fetch_all(sql!(PAGES; job, items.start, items.end, most), |row| {
            Ok(KeptRunPage {
                item: row.read("item")?,
                files: row.read_json("files")?,
                warnings: row.read_json("warnings")?,
            })
        })
        .await
    }

    /// The response that the page of an item was read from; `None` if nothing is kept of it.
    pub async fn run_response(&self, job: &JobId, item: u64) -> Result<Option<KeptResponse>> {
        let row = sql!(RESPONSE; job, item).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        if row.read::<String>("response")?.is_empty() {
            return Ok(None);
        }
        let StoredResponse { url, status, headers, fetched_at, rendered } =
            row.read_json("response")?;
        Ok(Some(KeptResponse { url, status, headers, fetched_at, rendered }))
    }

    /// How much a run has kept of its pages.
    pub async fn job_files(&self, job: &JobId) -> Result<JobFiles> {
        let row = sql!(USED; job).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(JobFiles::default()) };
        let (stored_bytes, not_kept) = (row.read("file_bytes")?, row.read("files_not_kept")?);
        Ok(JobFiles { stored_bytes, not_kept })
    }

    /// The last part of the link to a file of a run: its name, the time until which the link works,
    /// and the signature.
    ///
    /// # Errors
    /// [`StoreError`](crate::StoreError) when no `secret_key` is configured.
    pub fn run_file_ticket(
        &self,
        job: &JobId,
        item: u64,
        format: PageFileFormat,
        expires_at: Millis,
    ) -> Result<String> {
        let name = RunFileTicket { job: job.clone(), item, format, expires_at }.name();
        let signature = self.secret_key()?.sign_page_file(&name);
        Ok(format!("{name}.{signature}"))
    }

    pub(crate) async fn run_file(
        &self,
        ticket: &RunFileTicket,
        now: Millis,
    ) -> Result<PageFileState> {
        let RunFileTicket { job, item, format, expires_at } = ticket;
        if *expires_at <= now {
            return Ok(PageFileState::Expired);
        }
        let row = sql!(FILE; job, item).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(PageFileState::Expired) };
        let files: Vec<RunFile> = row.read_json("files")?;
        let Some(file) = files.into_iter().find(|file| file.format == *format) else {
            return Ok(PageFileState::Expired);
        };
        Ok(PageFileState::Ready(PageFileRecord {
            key: key_of(job, *item, *format),
            account: row.read("account_id")?,
            content_type: file.content_type,
            bytes: file.bytes,
        }))
    }

    /// The number of bytes that can be read of a file of a run; `None` if some are missing.
    pub(crate) async fn stored_run_file(
        &self,
        job: &JobId,
        item: u64,
        file: &RunFile,
    ) -> Result<Option<u64>> {
        let body = self.run_file_body(job, item, file).await?;
        Ok(body.map(|body| body.len() as u64))
    }

    /// The bytes of a file of a run; `None` if some are missing.
    pub(crate) async fn run_file_body(
        &self,
        job: &JobId,
        item: u64,
        file: &RunFile,
    ) -> Result<Option<Vec<u8>>> {
        self.blob(&key_of(job, item, file.format), file.bytes).await
    }

    /// Deletes what a run has kept of its pages, some of them per transaction: they may be gigabytes.
    /// The job is about to be deleted.
    pub(crate) async fn delete_run_pages(&self, job: &JobId) -> Result<()> {
        loop {
            let mut tx = self.begin().await?;
            sql!(job_row::HOLD; job).run(&mut tx).await?;
            let rows = sql!(FIRST; job, DELETED_PAGES).fetch_all(&mut *tx).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for row in &rows {
                let item: u64 = row.read("item")?;
                for file in row.read_json::<Vec<RunFile>>("files")? {
                    blob::delete(&mut tx, &key_of(job, item, file.format), Removal::Expired)
                        .await?;
                }
                sql!(DELETE; job, item).run(&mut tx).await?;
            }
            tx.commit().await?;
        }
    }

    /// Whether a file or the response of a page has data that is opted out.
    pub(crate) async fn covers_run_page(
        &self,
        opt_outs: &OptOuts,
        job: &JobId,
        page: &KeptRunPage,
    ) -> Result<bool> {
        if let Some(response) = self.run_response(job, page.item).await? {
            let headers = response.headers.iter().map(|(_, value)| value.as_str());
            let texts = std::iter::once(response.url.as_str()).chain(headers);
            if opt_outs.cover_url(&response.url)
                || texts.into_iter().any(|text| opt_outs.redact(text).is_some())
            {
                return Ok(true);
            }
        }
        for file in page.files.iter().filter(|file| file.format != PageFileFormat::Screenshot) {
            let key = key_of(job, page.item, file.format);
            let Some(body) = self.blob(&key, file.bytes).await? else { continue };
            if runtime::off_runtime(|| covers_file(opt_outs, file.format, &body)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
