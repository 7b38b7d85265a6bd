//! Markdown: the pages of a `markdown` run as one document, other items as a table.

use contract::Mode;
use serde_json::Value;

use crate::{Column, ExportError, FileKind, Outlet, RowWriter, sheets};

/// The pages, one behind the other.
pub(crate) struct Document<O> {
    out: O,
    is_empty: bool,
}

impl<O: Outlet> Document<O> {
    pub(crate) fn begin(mut out: O) -> Self {
        out.begins(FileKind::Markdown);
        Self { out, is_empty: true }
    }
}

impl<O: Outlet> RowWriter for Document<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        let text = |member: &str| item.get(member).and_then(Value::as_str).unwrap_or_default();
        let (url, title) = (text("url"), text("title"));
        if !self.is_empty {
            self.out.write_all(b"\n---\n\n")?;
        }
        self.is_empty = false;
        let title = if title.is_empty() { url } else { title };
        writeln!(self.out, "# {}\n\nSource: <{url}>\n", inline(title))?;
        writeln!(self.out, "{}", text("markdown").trim_end())?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

/// A table of the columns that a person looks for first.
pub(crate) struct Table<O> {
    out: O,
    columns: Vec<Column>,
}

impl<O: Outlet> Table<O> {
    pub(crate) fn begin(mode: Mode, mut out: O) -> Result<Self, ExportError> {
        out.begins(FileKind::Markdown);
        let all = sheets(mode).first().map_or(&[][..], |sheet| sheet.columns);
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

impl<O: Outlet> RowWriter for Table<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for column in &self.columns {
            let text = column.cell(item).into_text();
            if is_address(&text) {
                // A bar is the only sign of an address that a table minds.
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

/// Whether it can stand between angle brackets.
fn is_address(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://"))
        && !text.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>'))
}

/// A text that stands in one line and means nothing but itself.
fn inline(text: &str) -> String {
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
