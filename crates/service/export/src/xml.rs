//! XML elements `<results><item>…` for modes whose items are not pages of a sitemap.

use quick_xml::escape::escape;
use serde_json::Value;

use crate::text::printable;
use crate::{ExportError, ExportSink, FileKind, RowWriter};

pub(crate) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

pub(crate) struct XmlResults<O> {
    out: O,
}

impl<O: ExportSink> XmlResults<O> {
    pub(crate) fn begin(mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::Xml);
        writeln!(out, "{DECLARATION}<results>")?;
        Ok(Self { out })
    }
}

impl<O: ExportSink> RowWriter for XmlResults<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        element(&mut self.out, "item", item)?;
        Ok(writeln!(self.out)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        writeln!(self.out, "</results>")?;
        Ok(self.out.flush()?)
    }
}

/// Writes a value as an element; members of a list become `item` elements. A missing value is an
/// empty element, so that every item has the same elements.
fn element(out: &mut impl std::io::Write, name: &str, value: &Value) -> std::io::Result<()> {
    // Names of free-form objects may be invalid as XML names.
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let (open, close) = if is_name {
        (name.to_owned(), name)
    } else {
        (format!("member name=\"{}\"", escape(printable(name))), "member")
    };
    match value {
        Value::Null => return write!(out, "<{open}/>"),
        Value::Array(list) if list.is_empty() => return write!(out, "<{open}/>"),
        _ => write!(out, "<{open}>")?,
    }
    match value {
        Value::Null => {}
        Value::String(text) => write!(out, "{}", escape(printable(text)))?,
        Value::Bool(_) | Value::Number(_) => write!(out, "{value}")?,
        Value::Array(list) => list.iter().try_for_each(|member| element(out, "item", member))?,
        Value::Object(members) => {
            members.iter().try_for_each(|(name, member)| element(out, name, member))?;
        }
    }
    write!(out, "</{close}>")
}
