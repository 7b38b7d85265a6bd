//! Markdown: the pages of a `markdown` run as one document, items of other modes as a table.

use contract::{ExportColumn, ExportTable};
use serde_json::Value;

use crate::cell::ExportCell;
use crate::reference_numbers::renumbered;
use crate::{ExportError, ExportSink, FileKind, RowWriter};

/// Writes pages one after the other, separated by rules.
pub(crate) struct MarkdownDocument<O> {
    out: O,
    is_empty: bool,
    /// Number of link references in the pages so far.
    references: usize,
}

impl<O: ExportSink> MarkdownDocument<O> {
    pub(crate) fn begin(kind: FileKind, mut out: O) -> Self {
        out.start(kind);
        Self { out, is_empty: true, references: 0 }
    }
}

impl<O: ExportSink> RowWriter for MarkdownDocument<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        let text = |member: &str| item.get(member).and_then(Value::as_str).unwrap_or_default();
        let (url, title) = (text("url"), text("title"));
        if !self.is_empty {
            self.out.write_all(b"\n---\n\n")?;
        }
        self.is_empty = false;
        let (body, references) = renumbered(text("markdown").trim(), self.references);
        self.references += references;
        // A text that begins with its own heading needs no second one.
        if body.starts_with("# ") {
            let (heading, rest) = body.split_once('\n').unwrap_or((&body, ""));
            writeln!(self.out, "{heading}\n\nSource: <{url}>")?;
            if !rest.is_empty() {
                writeln!(self.out, "\n{}", rest.trim_start_matches('\n'))?;
            }
            return Ok(());
        }
        let title = if title.is_empty() { url } else { title };
        writeln!(self.out, "# {}\n\nSource: <{url}>\n\n{body}", inline(title))?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

/// Writes a table of the brief columns.
pub(crate) struct MarkdownTable<O> {
    out: O,
    columns: Vec<ExportColumn>,
}

impl<O: ExportSink> MarkdownTable<O> {
    pub(crate) fn begin(tables: &[ExportTable], mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::Markdown);
        let all = tables.first().map_or(&[][..], |table| table.columns);
        let columns: Vec<_> = all.iter().filter(|column| column.brief).copied().collect();
        for column in &columns {
            write!(out, "| {} ", inline(column.name))?;
        }
        writeln!(out, "|")?;
        for _ in &columns {
            write!(out, "| --- ")?;
        }
        writeln!(out, "|")?;
        Ok(Self { out, columns })
    }
}

impl<O: ExportSink> RowWriter for MarkdownTable<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for column in &self.columns {
            let text = ExportCell::of(item, column.path).into_text();
            if is_autolink(&text) {
                // A bar is the only character of a URL that breaks a table.
                write!(self.out, "| <{}> ", text.replace('|', "%7C"))?;
            } else {
                write!(self.out, "| {} ", inline(&text))?;
            }
        }
        Ok(writeln!(self.out, "|")?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

/// Whether the text can be an autolink in angle brackets.
fn is_autolink(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://"))
        && !text.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>'))
}

/// The text on one line with Markdown characters escaped.
pub(crate) fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => {
                if !escaped.ends_with(' ') {
                    escaped.push(' ');
                }
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}
