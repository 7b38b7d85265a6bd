//! The URLs of an upload, in a temporary file. Memory holds 30 to 70 bytes per URL: a fingerprint, the
//! place in the file and the site; 64 MiB for a million URLs.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use urls::{CanonicalUrl, Fingerprint, is_sample_host, pack_sites, site_order};

use super::ListShard;
use crate::{Result, StoreError, list_shard};

/// The URLs of an upload that is not stored yet. Dropping it deletes its temporary file.
#[derive(Debug)]
pub struct ListSpool {
    file: BufWriter<File>,
    /// The end of each URL in the file.
    ends: Vec<u64>,
    /// The site of each URL, as its place in the order of sites, with the number of the URL.
    sites: Vec<(u64, u32)>,
    seen: HashSet<Fingerprint>,
    samples: u64,
}

impl ListSpool {
    /// An empty spool, in the folder of temporary files.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when no file can be created.
    pub fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(|cause| unavailable(&cause))?;
        Ok(Self {
            file: BufWriter::new(file),
            ends: Vec::new(),
            sites: Vec::new(),
            seen: HashSet::new(),
            samples: 0,
        })
    }

    /// Adds a URL, unless it was added before.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot be written, as on a full disk.
    pub fn push(&mut self, url: &CanonicalUrl) -> Result<()> {
        if !self.seen.insert(Fingerprint::of(url)) {
            return Ok(());
        }
        let number = u32::try_from(self.ends.len())
            .map_err(|_| StoreError::Damaged("a list has too many URLs".to_owned()))?;
        self.file.write_all(url.as_str().as_bytes()).map_err(|cause| unavailable(&cause))?;
        self.ends.push(self.start_of(number) + url.as_str().len() as u64);
        self.sites.push((site_order(url), number));
        self.samples += u64::from(is_sample_host(url.bare_host()));
        Ok(())
    }

    /// Number of different URLs.
    #[must_use]
    pub fn url_count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// Whether all URLs are on built-in sample sites, which cost nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.samples == self.url_count()
    }

    /// Whether some URLs are on built-in sample sites and others are not: these are two jobs.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.samples > 0 && !self.is_free()
    }

    fn start_of(&self, number: u32) -> u64 {
        let before = (number as usize).checked_sub(1).and_then(|before| self.ends.get(before));
        before.copied().unwrap_or(0)
    }

    /// Divides the URLs into shards, and reads one after the other from the file.
    pub(super) fn into_shards(
        mut self,
    ) -> Result<impl Iterator<Item = Result<ListShard>> + Send + 'static> {
        self.file.flush().map_err(|cause| unavailable(&cause))?;
        self.seen = HashSet::new();
        let mut sites = std::mem::take(&mut self.sites);
        sites.sort_unstable();
        let parts = pack_sites(sites.chunk_by(|a, b| a.0 == b.0));
        drop(sites);
        Ok(parts.into_iter().map(move |part| self.shard(part)))
    }

    fn shard(&mut self, mut part: Vec<(u64, u32)>) -> Result<ListShard> {
        let is_one_site =
            part.windows(2).all(|two| two.first().map(|at| at.0) == two.last().map(|at| at.0));
        part.sort_unstable_by_key(|(_, number)| *number);
        let mut lines = Vec::with_capacity(part.len());
        for run in part.chunk_by(|a, b| a.1 + 1 == b.1) {
            let Some((_, first)) = run.first() else { continue };
            let text = self.read_run(*first, run.len())?;
            let mut rest = text.as_str();
            for (_, number) in run {
                let length =
                    self.ends.get(*number as usize).map_or(0, |end| end - self.start_of(*number));
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let (url, others) = rest.split_at_checked(length).ok_or_else(damaged)?;
                lines.push(format!("{number} {url}"));
                rest = others;
            }
        }
        let first = lines.first().and_then(|line| line.split_once(' ')).map(|(_, url)| url);
        let host = first.filter(|_| is_one_site).and_then(|url| CanonicalUrl::parse(url).ok());
        Ok(ListShard {
            host: host.map(|url| url.bare_host().to_owned()),
            first_url: part.first().map_or(0, |(_, number)| *number),
            urls: list_shard::pack(lines.iter().map(String::as_str))?,
        })
    }

    /// Reads `count` URLs that follow each other in the file.
    fn read_run(&mut self, first: u32, count: usize) -> Result<String> {
        let start = self.start_of(first);
        let end = self.ends.get(first as usize + count - 1).copied().ok_or_else(damaged)?;
        let mut text = String::new();
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(start)).map_err(|cause| unavailable(&cause))?;
        file.take(end - start).read_to_string(&mut text).map_err(|cause| unavailable(&cause))?;
        Ok(text)
    }
}

fn unavailable(cause: &std::io::Error) -> StoreError {
    StoreError::Unavailable(format!(
        "cannot write or read the temporary file of an upload: {cause}"
    ))
}

fn damaged() -> StoreError {
    StoreError::Damaged("the temporary file of an upload is too short".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_divided_by_site_with_their_numbers() {
        let mut spool = ListSpool::new().expect("a file");
        for at in 0..5_000 {
            let site = if at % 2 == 0 { 0 } else { at % 7 + 1 };
            let url = format!("https://s{site}.example/{at}");
            spool.push(&CanonicalUrl::parse(&url).expect("a URL")).expect("a spool");
            spool.push(&CanonicalUrl::parse(&url).expect("a URL")).expect("a spool");
        }
        assert_eq!((spool.url_count(), spool.is_free(), spool.is_mixed()), (5_000, false, false));
        let (mut seen, mut hosts) = (Vec::new(), Vec::new());
        for shard in spool.into_shards().expect("shards") {
            let shard = shard.expect("a shard");
            let text = list_shard::unpack(&shard.urls).expect("text");
            let lines: Vec<_> = super::super::first_urls(&text, u64::MAX).collect();
            assert!(lines.len() <= 2_000 && lines.is_sorted());
            assert_eq!(lines.first().map(|(number, _)| *number), Some(shard.first_url.into()));
            hosts.push((lines.len(), shard.host));
            seen.extend(lines.iter().map(|(number, url)| {
                assert!(url.ends_with(&format!("/{number}")), "{number} {url}");
                *number
            }));
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..5_000).collect::<Vec<_>>());
        hosts.sort_unstable();
        let one = |count| (count, Some("s0.example".to_owned()));
        assert!(hosts.contains(&one(500)) && hosts.contains(&one(2_000)), "{hosts:?}");
    }
}
