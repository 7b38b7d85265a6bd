//! CDXJ: a line per record of a WARC file, sorted by the key of its URL and its time.

use std::io::{self, Write};

use contract::Millis;
use serde_json::json;

use super::ArchivedPage;
use super::sorted_lines::SortedLines;
use super::surt;
use super::warc::{RecordType, WrittenRecord};

pub(super) struct CdxjIndex {
    lines: SortedLines,
    /// The name of the WARC file.
    file: String,
}

impl CdxjIndex {
    pub fn new(file: &str) -> Self {
        Self { lines: SortedLines::new(), file: file.to_owned() }
    }

    /// Adds the record of a page.
    pub fn push(&mut self, page: &ArchivedPage, record: &WrittenRecord) -> io::Result<()> {
        let mut fields = json!({"url": page.url});
        let mime = match record.kind {
            RecordType::Revisit => Some("warc/revisit"),
            RecordType::Response | RecordType::Resource => page.media_type(),
        };
        if let Some(mime) = mime {
            fields["mime"] = json!(mime);
        }
        if record.kind != RecordType::Resource {
            fields["status"] = json!(page.status.to_string());
        }
        fields["digest"] = json!(record.payload_digest);
        fields["length"] = json!((record.bytes.end - record.bytes.start).to_string());
        fields["offset"] = json!(record.bytes.start.to_string());
        fields["filename"] = json!(self.file);
        self.lines.push(format!("{} {} {fields}", surt::key(&page.url), digits(page.fetched_at)))
    }

    pub fn write_to(self, out: &mut impl Write) -> io::Result<()> {
        self.lines.write_to(out)
    }
}

/// As `20261115093000`, in UTC.
fn digits(moment: Millis) -> String {
    moment.to_string().chars().filter(char::is_ascii_digit).take(14).collect()
}
