//! `llms.txt`: the pages of a `markdown` run as a list of links with their descriptions, in the form of
//! llmstxt.org.

use serde_json::Value;

use crate::markdown::inline;
use crate::{ExportError, ExportSink, ExportSubject, FileKind, RowWriter};

/// Maximum characters of a description.
const MAX_DESCRIPTION: usize = 300;

/// Writes a heading with the host of the site, and a line for each page.
pub(crate) struct LlmsTxt<O> {
    out: O,
    start_url: Option<String>,
    is_empty: bool,
}

impl<O: ExportSink> LlmsTxt<O> {
    pub(crate) fn begin(subject: &ExportSubject, mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::LlmsTxt);
        let host = subject.url.as_deref().and_then(|url| url.split('/').nth(2));
        let host = host.map(|host| host.strip_prefix("www.").unwrap_or(host));
        writeln!(out, "# {}", inline(host.unwrap_or("Pages")))?;
        Ok(Self { out, start_url: subject.url.clone(), is_empty: true })
    }
}

impl<O: ExportSink> RowWriter for LlmsTxt<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        let text = |member: &str| item.get(member).and_then(Value::as_str).unwrap_or_default();
        let url = text("url");
        let description = shortened(&inline(text("description").trim()));
        if self.is_empty {
            let is_start = self.start_url.as_deref() == Some(url);
            if is_start && !description.is_empty() {
                writeln!(self.out, "\n> {description}")?;
            }
            writeln!(self.out, "\n## Pages\n")?;
            self.is_empty = false;
        }
        let title = Some(text("title").trim()).filter(|title| !title.is_empty()).unwrap_or(url);
        write!(self.out, "- [{}]({})", inline(title), target(url))?;
        if !description.is_empty() {
            write!(self.out, ": {description}")?;
        }
        Ok(writeln!(self.out)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

/// The URL as the target of a link: parentheses would end it.
fn target(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

/// At most [`MAX_DESCRIPTION`] characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches(['\\', ' '])),
        None => text.to_owned(),
    }
}
