//! WARC 1.1 (ISO 28500:2017): records, each in its own gzip member.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use contract::Millis;
use data_encoding::HEXLOWER;
use flate2::{Compression, GzBuilder};
use http::StatusCode;
use sha2::{Digest, Sha256};
use uuid::Builder;

use super::{ArchiveSubject, ArchivedPage, SOFTWARE};

const CONFORMS_TO: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// A `revisit` record whose payload has the digest of another record.
const IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// Memory for the URLs of payloads that later pages may repeat. Beyond it, a repeated payload is
/// written again.
const KNOWN_PAYLOAD_BYTES: usize = 32 << 20;

/// Headers of a response that describe its encoded bytes. The kept body is decoded, so that they get
/// the prefix that other crawlers give them.
const ENCODING_HEADERS: [&str; 2] = ["content-encoding", "transfer-encoding"];

/// The type of the record of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordType {
    Response,
    /// The headers of a response whose body is in an earlier record.
    Revisit,
    /// A document that a browser rendered, which no site has sent.
    Resource,
}

impl RecordType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Revisit => "revisit",
            Self::Resource => "resource",
        }
    }
}

/// A record that was written for a page.
#[derive(Debug)]
pub(super) struct WrittenRecord {
    pub kind: RecordType,
    /// Its place in the file.
    pub bytes: Range<u64>,
    /// As `sha256:` and hexadecimal digits.
    pub payload_digest: String,
}

/// The first record with a payload.
struct KnownPayload {
    url: String,
    date: Millis,
    id: String,
}

pub(super) struct WarcWriter<W> {
    out: CountedWriter<W>,
    job: String,
    info_id: String,
    known: HashMap<[u8; 32], KnownPayload>,
    known_bytes: usize,
}

impl<W: Write> WarcWriter<W> {
    /// Writes the `warcinfo` record of a file with this name.
    pub fn begin(out: W, subject: &ArchiveSubject, name: &str) -> io::Result<Self> {
        let job = subject.job.to_string();
        let mut warc = Self {
            out: CountedWriter { out, position: 0 },
            info_id: record_id(&job, "warcinfo", 0),
            job,
            known: HashMap::new(),
            known_bytes: 0,
        };
        let mut info = Fields::default();
        info.add("software", SOFTWARE);
        info.add("format", "WARC File Format 1.1");
        info.add("conformsTo", CONFORMS_TO);
        info.add("isPartOf", &warc.job);
        let start = subject.url.as_deref().map(|url| format!(" of {url}")).unwrap_or_default();
        info.add("description", &format!("Pages of a run of mode {}{start}", subject.mode));
        let mut head = Fields::default();
        head.add("WARC-Type", "warcinfo");
        head.add("WARC-Record-ID", &warc.info_id);
        head.add("WARC-Filename", name);
        head.add("WARC-Date", &subject.created_at.to_string());
        head.add("Content-Type", "application/warc-fields");
        warc.record(head, &[info.0.as_bytes()])?;
        Ok(warc)
    }

    /// Writes the records of a page.
    pub fn write(&mut self, page: &ArchivedPage) -> io::Result<WrittenRecord> {
        let digest: [u8; 32] = Sha256::digest(&page.body).into();
        let known = self.known.get(&digest).filter(|_| !page.rendered && !page.body.is_empty());
        let kind = match known {
            _ if page.rendered => RecordType::Resource,
            Some(_) => RecordType::Revisit,
            None => RecordType::Response,
        };
        let id = record_id(&self.job, kind.as_str(), page.item);
        let payload_digest = labelled(&digest);
        let mut head = self.head_of(kind.as_str(), &id, page);
        head.add("WARC-Payload-Digest", &payload_digest);
        if let Some(first) = known {
            head.add("WARC-Profile", IDENTICAL_PAYLOAD);
            head.add("WARC-Refers-To", &first.id);
            head.add("WARC-Refers-To-Target-URI", &first.url);
            head.add("WARC-Refers-To-Date", &first.date.to_string());
        }
        let is_revisit = known.is_some();
        let bytes = match kind {
            RecordType::Resource => {
                head.add("Content-Type", page.header("content-type").unwrap_or("text/html"));
                self.record(head, &[&page.body])?
            }
            RecordType::Response | RecordType::Revisit => {
                head.add("Content-Type", "application/http;msgtype=response");
                let http = http_head(page);
                let body: &[u8] = if is_revisit { &[] } else { &page.body };
                self.record(head, &[&http, body])?
            }
        };
        if kind == RecordType::Response {
            self.remember(
                digest,
                KnownPayload { url: page.url.clone(), date: page.fetched_at, id: id.clone() },
            );
        }
        if page.rendered || !page.warnings.is_empty() {
            self.write_metadata(page, &id)?;
        }
        Ok(WrittenRecord { kind, bytes, payload_digest })
    }

    /// What the record of a page does not say: how it was fetched, and what is missing.
    fn write_metadata(&mut self, page: &ArchivedPage, about: &str) -> io::Result<()> {
        let id = record_id(&self.job, "metadata", page.item);
        let mut head = self.head_of("metadata", &id, page);
        head.add("WARC-Refers-To", about);
        head.add("Content-Type", "application/warc-fields");
        let mut fields = Fields::default();
        if page.rendered {
            fields.add("rendered-by", "browser");
            fields.add("http-status", &page.status.to_string());
        }
        for warning in &page.warnings {
            fields.add("warning", warning);
        }
        self.record(head, &[fields.0.as_bytes()]).map(drop)
    }

    fn head_of(&self, kind: &str, id: &str, page: &ArchivedPage) -> Fields {
        let mut head = Fields::default();
        head.add("WARC-Type", kind);
        head.add("WARC-Record-ID", id);
        head.add("WARC-Warcinfo-ID", &self.info_id);
        head.add("WARC-Target-URI", &page.url);
        head.add("WARC-Date", &page.fetched_at.to_string());
        head
    }

    fn remember(&mut self, digest: [u8; 32], payload: KnownPayload) {
        let bytes = payload.url.len() + payload.id.len() + size_of::<([u8; 32], KnownPayload)>();
        if self.known_bytes + bytes <= KNOWN_PAYLOAD_BYTES {
            self.known_bytes += bytes;
            self.known.entry(digest).or_insert(payload);
        }
    }

    /// Writes a record with the parts of its block; returns its place in the file.
    fn record(&mut self, mut head: Fields, block: &[&[u8]]) -> io::Result<Range<u64>> {
        let mut digest = Sha256::new();
        for part in block {
            digest.update(part);
        }
        head.add("WARC-Block-Digest", &labelled(&digest.finalize().into()));
        let length: usize = block.iter().map(|part| part.len()).sum();
        head.add("Content-Length", &length.to_string());
        let start = self.out.position;
        // Without a time, so that the same record has the same bytes.
        let mut member = GzBuilder::new().mtime(0).write(&mut self.out, Compression::default());
        write!(member, "WARC/1.1\r\n{}\r\n", head.0)?;
        for part in block {
            member.write_all(part)?;
        }
        member.write_all(b"\r\n\r\n")?;
        member.finish()?;
        Ok(start..self.out.position)
    }
}

/// Named fields, one per line.
#[derive(Default)]
struct Fields(String);

impl Fields {
    fn add(&mut self, name: &str, value: &str) {
        let value = one_line(value);
        // Writing to a string does not fail.
        let _ = write!(self.0, "{name}: {value}\r\n");
    }
}

/// The text without control characters, which would end its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Status line and headers of the response of a page.
fn http_head(page: &ArchivedPage) -> Vec<u8> {
    let reason = StatusCode::from_u16(page.status).ok().and_then(|code| code.canonical_reason());
    let mut head = format!("HTTP/1.1 {} {}\r\n", page.status, reason.unwrap_or_default());
    for (name, value) in &page.headers {
        let is_wrong_length = name.eq_ignore_ascii_case("content-length")
            && value.trim().parse() != Ok(page.body.len());
        let is_of_encoding =
            ENCODING_HEADERS.iter().any(|encoding| name.eq_ignore_ascii_case(encoding));
        let prefix = if is_wrong_length || is_of_encoding { "x-orig-" } else { "" };
        let _ = write!(head, "{prefix}{}: {}\r\n", one_line(name), one_line(value));
    }
    head.push_str("\r\n");
    // As the site has sent them: each character is a byte.
    head.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

fn labelled(digest: &[u8; 32]) -> String {
    format!("sha256:{}", HEXLOWER.encode(digest))
}

/// The id of a record: the same in each export of a run.
fn record_id(job: &str, kind: &str, number: u64) -> String {
    let hash = Sha256::digest(format!("{job}/{kind}/{number}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    format!("<urn:uuid:{}>", Builder::from_custom_bytes(bytes).into_uuid())
}

/// Counts the bytes that are written.
struct CountedWriter<W> {
    out: W,
    position: u64,
}

impl<W: Write> Write for CountedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
