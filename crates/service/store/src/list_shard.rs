//! The shards of a job over a list of URLs. Only a few of them are open at a time, so that a long list
//! leaves workers for other jobs; the end of a shard opens the next one.

use contract::{JobId, ListId, Millis, ShardId};
use job::Job;
use runtime::off_runtime;
use urls::{CanonicalUrl, SiteShard};

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::url_search::SEARCHED_BYTES;
use crate::{Lease, Result, Store, StoreError, UrlSearch, random, url_list};

/// Shards of one job that run at a time, on all nodes together.
const OPEN_AT_A_TIME: u32 = 4;

/// Maximum bytes of the URLs of a shard, as text: more is no shard that was stored here.
const SHARD_BYTES: usize = 16 << 20;

const INSERT: &str = "INSERT INTO shards (id, job_id, number, host, state, epoch, head, \
    snapshot_seq, snapshot_bytes, log_bytes, lease_until, queued_at, deaths) \
    VALUES ($1, $2, $3, $4, $5, 0, 0, 0, 0, 0, 0, $6, 0)";
const INSERT_URLS: &str = "INSERT INTO job_urls (job_id, shard, urls) VALUES ($1, $2, $3)";
const URLS: &str = "SELECT urls FROM job_urls WHERE job_id = $1 AND shard = $2";
const ALL_URLS: &str = "SELECT urls FROM job_urls WHERE job_id = $1 ORDER BY shard";
/// The shards of a job over an uploaded list, as far as they contain some of its first `$5` URLs. Their
/// ids begin as that of the job, and end in their numbers.
const LINK: &str = "INSERT INTO shards (id, job_id, number, host, state, epoch, head, \
    snapshot_seq, snapshot_bytes, log_bytes, lease_until, queued_at, deaths) \
    SELECT s.id, CAST($1 AS TEXT), s.shard, COALESCE(s.host, s.id), 'waiting', 0, 0, 0, 0, 0, 0, \
    CAST($4 AS BIGINT), 0 FROM (SELECT shard, host, first_url, CAST($2 AS TEXT) || \
    SUBSTR(CAST(10000 + shard AS TEXT), 2) AS id FROM list_urls WHERE list_id = $3) s \
    WHERE s.first_url < CAST($5 AS BIGINT)";
const SET_LIST: &str = "UPDATE jobs SET list_id = $2, list_urls = $3 WHERE id = $1";
const URLS_OF_LIST: &str = "SELECT l.urls, j.list_urls FROM jobs j \
    JOIN list_urls l ON l.list_id = j.list_id WHERE j.id = $1 AND l.shard = $2";
/// Without lists that are longer than the `urls` of a request.
const ALL_URLS_OF_LIST: &str = "SELECT l.urls, j.list_urls FROM jobs j \
    JOIN list_urls l ON l.list_id = j.list_id WHERE j.id = $1 AND j.list_urls <= 10000 \
    ORDER BY l.shard";
/// A shard of a job over a list, from `$2`.
const NEXT_URLS: &str = "SELECT shard, urls FROM job_urls WHERE job_id = $1 AND shard >= $2 \
    ORDER BY shard LIMIT 1";
const NEXT_URLS_OF_LIST: &str = "SELECT l.shard, l.urls, j.list_urls FROM jobs j \
    JOIN list_urls l ON l.list_id = j.list_id WHERE j.id = $1 AND l.shard >= $2 \
    ORDER BY l.shard LIMIT 1";

/// Opens all shards of a job that is not over a list.
pub(crate) const OPEN: &str = "UPDATE shards SET state = 'open', owner = NULL, lease_until = 0, \
    queued_at = $2, deaths = 0, crashes = 0 WHERE job_id = $1 AND state <> 'closed'";
const OPEN_NEXT: &str = "UPDATE shards SET state = 'open', queued_at = $2 WHERE job_id = $1 \
    AND number = (SELECT MIN(n.number) FROM shards n WHERE n.job_id = $1 AND n.state = 'waiting')";
const REOPEN: &str = "UPDATE shards SET state = CASE WHEN number IN (SELECT n.number \
    FROM shards n WHERE n.job_id = $1 AND n.state <> 'closed' ORDER BY n.number LIMIT $3) \
    THEN 'open' ELSE 'waiting' END, owner = NULL, lease_until = 0, queued_at = $2, deaths = 0, \
    crashes = 0 WHERE job_id = $1 AND state <> 'closed'";

/// Inserts a shard with its URLs.
pub(crate) async fn insert(
    tx: &mut Tx,
    job: &JobId,
    number: u32,
    shard: &SiteShard<'_>,
    now: Millis,
) -> Result<()> {
    let urls = off_runtime(|| pack(shard.urls.iter().map(|url| url.as_str())))?;
    insert_packed(tx, job, number, shard.host, urls, now).await
}

/// The same with the URLs as [`pack`] encodes them. Only one node at a time fetches from `host`; a
/// shard without one may run on any node.
pub(crate) async fn insert_packed(
    tx: &mut Tx,
    job: &JobId,
    number: u32,
    host: Option<&str>,
    urls: Vec<u8>,
    now: Millis,
) -> Result<()> {
    let id = ShardId::new(now, random());
    let host = host.unwrap_or_else(|| id.as_str());
    let state = if number < OPEN_AT_A_TIME { "open" } else { "waiting" };
    sql!(INSERT; id, job, number, host, state, now).run(tx).await?;
    sql!(INSERT_URLS; job, number, urls).run(tx).await.map(drop)
}

/// Inserts the shards of a job over an uploaded list. The URLs stay where they are.
pub(crate) async fn link(tx: &mut Tx, job: &Job, list: &ListId, now: Millis) -> Result<()> {
    // 28 of the 32 digits of the job, and 4 for the number.
    let digits = job.id.as_str().get(JobId::PREFIX.len()..JobId::PREFIX.len() + 28);
    let prefix = format!("{}{}", ShardId::PREFIX, digits.unwrap_or_default());
    let most = job.requested_urls();
    sql!(LINK; job.id, prefix, list, now, most).run(tx).await?;
    sql!(SET_LIST; job.id, list, most).run(tx).await?;
    reopen(tx, &job.id, now).await
}

/// Opens the next shard after another one ended. Returns whether there was one.
pub(crate) async fn open_next(tx: &mut Tx, job: &JobId, now: Millis) -> Result<bool> {
    Ok(sql!(OPEN_NEXT; job, now).run(tx).await? > 0)
}

/// Opens the shards of a job that continues, as many as may run at a time.
pub(crate) async fn reopen(tx: &mut Tx, job: &JobId, now: Millis) -> Result<()> {
    sql!(REOPEN; job, now, OPEN_AT_A_TIME).run(tx).await.map(drop)
}

/// Encodes URLs as compressed lines.
pub(crate) fn pack<'u>(urls: impl Iterator<Item = &'u str>) -> Result<Vec<u8>> {
    let mut text = String::new();
    for url in urls {
        text.push_str(url);
        text.push('\n');
    }
    zstd::bulk::compress(text.as_bytes(), 3).map_err(|cause| damaged(&cause))
}

/// Decodes the lines of a shard.
pub(crate) fn unpack(packed: &[u8]) -> Result<String> {
    let text = zstd::bulk::decompress(packed, SHARD_BYTES).map_err(|cause| damaged(&cause))?;
    String::from_utf8(text).map_err(|cause| damaged(&cause))
}

/// The lines of a shard of an uploaded list, as far as a job requests them.
fn requested_urls(packed: &[u8], most: u64) -> Result<String> {
    let text = unpack(packed)?;
    let urls = url_list::first_urls(&text, most);
    Ok(urls.fold(String::new(), |lines, (_, url)| lines + url + "\n"))
}

fn damaged(cause: &dyn std::fmt::Display) -> StoreError {
    StoreError::Damaged(format!("the URLs of a list: {cause}"))
}

impl Store {
    /// The URLs of a shard of a list, in the order of the client. URLs that an opt-out has redacted
    /// since are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or the row is damaged.
    pub async fn shard_urls(&self, lease: &Lease) -> Result<Vec<CanonicalUrl>> {
        let packed: Option<Vec<u8>> =
            scalar!(URLS; lease.job, lease.number).fetch_optional(self.reader()?).await?;
        if packed.is_none() {
            let row = sql!(URLS_OF_LIST; lease.job, lease.number);
            let Some(row) = row.fetch_optional(self.reader()?).await? else {
                return Ok(Vec::new());
            };
            let (packed, most): (Vec<u8>, u64) = (row.read("urls")?, row.read("list_urls")?);
            return off_runtime(|| {
                let text = unpack(&packed)?;
                let urls = url_list::first_urls(&text, most);
                Ok(urls.filter_map(|(_, url)| CanonicalUrl::parse(url).ok()).collect())
            });
        }
        off_runtime(|| {
            let text = unpack(&packed.unwrap_or_default())?;
            Ok(text.lines().filter_map(|line| CanonicalUrl::parse(line).ok()).collect())
        })
    }

    /// The number of the shard that has this URL of a list.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a row is damaged.
    pub async fn find_listed(&self, job: &JobId, url: &str) -> Result<UrlSearch<u32>> {
        let (mut next, mut bytes) = (0_u32, 0);
        while bytes <= SEARCHED_BYTES {
            let own = sql!(NEXT_URLS; job, next).fetch_optional(self.reader()?).await?;
            let (shard, text) = match own {
                Some(row) => {
                    let packed: Vec<u8> = row.read("urls")?;
                    (row.read("shard")?, off_runtime(|| unpack(&packed))?)
                }
                None => {
                    let row = sql!(NEXT_URLS_OF_LIST; job, next);
                    let Some(row) = row.fetch_optional(self.reader()?).await? else {
                        return Ok(UrlSearch::NotFound);
                    };
                    let (packed, most): (Vec<u8>, u64) =
                        (row.read("urls")?, row.read("list_urls")?);
                    (row.read("shard")?, off_runtime(|| requested_urls(&packed, most))?)
                }
            };
            if off_runtime(|| text.lines().any(|line| urls::same_page(line, url))) {
                return Ok(UrlSearch::Found(shard));
            }
            bytes += text.len();
            next = shard + 1;
        }
        Ok(UrlSearch::TooLarge)
    }

    /// The URLs of the list of a job, by shard; none of an uploaded list of more than 10,000.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a row is damaged.
    pub async fn urls_of_job(&self, job: &JobId) -> Result<Vec<String>> {
        let shards: Vec<Vec<u8>> = scalar!(ALL_URLS; job).fetch_all(self.reader()?).await?;
        let mut urls = Vec::new();
        off_runtime(|| {
            for packed in &shards {
                urls.extend(unpack(packed)?.lines().map(str::to_owned));
            }
            Ok::<_, StoreError>(())
        })?;
        if !shards.is_empty() {
            return Ok(urls);
        }
        let rows = sql!(ALL_URLS_OF_LIST; job).fetch_all(self.reader()?).await?;
        let mut listed = Vec::new();
        for row in &rows {
            let (packed, most): (Vec<u8>, u64) = (row.read("urls")?, row.read("list_urls")?);
            off_runtime(|| {
                let text = unpack(&packed)?;
                let first = url_list::first_urls(&text, most);
                listed.extend(first.map(|(at, url)| (at, url.to_owned())));
                Ok::<_, StoreError>(())
            })?;
        }
        listed.sort_unstable();
        Ok(listed.into_iter().map(|(_, url)| url).collect())
    }
}
