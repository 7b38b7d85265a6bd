//! Sitemap (sitemaps.org 0.9) of the indexable pages of a run.
//!
//! A sitemap has at most 50,000 URLs and 50 MB. Larger results become several sitemaps with an
//! index in a ZIP archive. The number of files is known only at the end, so that they are kept in
//! temporary files until then.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use quick_xml::escape::escape;
use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::text::printable;
use crate::xml::DECLARATION;
use crate::{ExportError, ExportSink, ExportSubject, FileKind, RowWriter};

/// Limits of one sitemap file.
const PART_URLS: usize = 50_000;
const PART_BYTES: usize = 50 * 1024 * 1024;

const OPEN: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" \
xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n";
const CLOSE: &str = "</urlset>\n";

/// Maximum images of one URL.
const IMAGES: usize = 1_000;

pub(crate) struct SitemapWriter<O> {
    out: O,
    /// Origin of the URLs in the index.
    origin: String,
    parts: Vec<File>,
    part: SitemapPart,
    limits: (usize, usize),
    /// Number of items that are not indexable pages.
    omitted: usize,
}

/// The sitemap file that is being written.
struct SitemapPart {
    file: BufWriter<File>,
    urls: usize,
    bytes: usize,
}

impl SitemapPart {
    fn begin() -> io::Result<Self> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        write!(file, "{DECLARATION}{OPEN}")?;
        Ok(Self { file, urls: 0, bytes: DECLARATION.len() + OPEN.len() + CLOSE.len() })
    }

    fn end(mut self) -> io::Result<File> {
        self.file.write_all(CLOSE.as_bytes())?;
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

impl<O: ExportSink> SitemapWriter<O> {
    pub(crate) fn begin(subject: &ExportSubject, out: O) -> Result<Self, ExportError> {
        Self::within((PART_URLS, PART_BYTES), subject, out)
    }

    fn within(
        limits: (usize, usize),
        subject: &ExportSubject,
        out: O,
    ) -> Result<Self, ExportError> {
        let url = subject.url.as_deref().unwrap_or_default();
        let host_end =
            url.find("://").and_then(|at| url[at + 3..].find('/').map(|end| at + 3 + end));
        let origin = host_end.map_or(url, |end| &url[..end]).to_owned();
        Ok(Self { out, origin, parts: Vec::new(), part: SitemapPart::begin()?, limits, omitted: 0 })
    }
}

impl<O: ExportSink> RowWriter for SitemapWriter<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        let Some(element) = url_element(item) else {
            self.omitted += 1;
            return Ok(());
        };
        let (urls, bytes) = self.limits;
        let is_full = self.part.urls >= urls || self.part.bytes + element.len() > bytes;
        if is_full && self.part.urls > 0 {
            let full = std::mem::replace(&mut self.part, SitemapPart::begin()?);
            self.parts.push(full.end()?);
        }
        self.part.file.write_all(element.as_bytes())?;
        self.part.urls += 1;
        self.part.bytes += element.len();
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Self { mut out, origin, mut parts, mut part, omitted, .. } = *self;
        part.file.write_all(omission(omitted).as_bytes())?;
        parts.push(part.end()?);
        if let [only] = parts.as_mut_slice() {
            out.start(FileKind::Xml);
            io::copy(only, &mut out)?;
            return Ok(out.flush()?);
        }
        out.start(FileKind::Zip);
        let mut archive = ZipWriter::new_stream(&mut out);
        let options = SimpleFileOptions::default();
        archive.start_file("sitemap.xml", options).map_err(io::Error::from)?;
        archive.write_all(index(&origin, parts.len()).as_bytes())?;
        for (number, part) in (1..).zip(&mut parts) {
            archive.start_file(name(number), options).map_err(io::Error::from)?;
            io::copy(part, &mut archive)?;
        }
        archive.finish().map_err(io::Error::from)?;
        Ok(out.flush()?)
    }
}

/// A comment with the number of omitted results.
fn omission(omitted: usize) -> String {
    if omitted == 0 {
        return String::new();
    }
    format!(
        "<!-- {omitted} of the results are omitted: a sitemap lists only pages of the site that \
         responded with 200, may be indexed and are canonical. The json, csv and xlsx exports have all \
         results. -->\n"
    )
}

fn name(number: usize) -> String {
    format!("sitemap-{number}.xml")
}

/// The sitemap index. It expects the files next to it at the root of the site.
fn index(origin: &str, parts: usize) -> String {
    let mut text = DECLARATION.to_owned();
    text.push_str("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for number in 1..=parts {
        let url = format!("{origin}/{}", name(number));
        text.push_str(&format!("<sitemap><loc>{}</loc></sitemap>\n", escape(&url)));
    }
    text.push_str("</sitemapindex>\n");
    text
}

/// The `<url>` element of a page; `None` if it does not belong into a sitemap.
fn url_element(item: &Value) -> Option<String> {
    let text = |member: &str| item.get(member).and_then(Value::as_str);
    let is = |member: &str| item.get(member) == Some(&Value::Bool(true));
    let is_listed = text("type") == Some("page")
        && item.get("status_code").and_then(Value::as_u64) == Some(200)
        && is("indexable")
        && !is("external");
    let url = text("url").filter(|_| is_listed)?;
    let mut element = format!("<url><loc>{}</loc>", escaped(url));
    if let Some(lastmod) = text("lastmod").filter(|moment| is_w3c_datetime(moment)) {
        element.push_str(&format!("<lastmod>{lastmod}</lastmod>"));
    }
    if let Some(often) = text("changefreq").filter(|word| CHANGEFREQ.contains(word)) {
        element.push_str(&format!("<changefreq>{often}</changefreq>"));
    }
    if let Some(priority) = text("priority").filter(|number| is_priority(number)) {
        element.push_str(&format!("<priority>{priority}</priority>"));
    }
    let list = |member: &str| item.get(member).and_then(Value::as_array).into_iter().flatten();
    for alternate in list("alternates") {
        let part = |member: &str| alternate.get(member).and_then(Value::as_str);
        if let (Some(language), Some(url)) = (part("lang"), part("url")) {
            element.push_str(&format!(
                "<xhtml:link rel=\"alternate\" hreflang=\"{}\" href=\"{}\"/>",
                escaped(language),
                escaped(url)
            ));
        }
    }
    for image in list("images").filter_map(Value::as_str).take(IMAGES) {
        element.push_str(&format!(
            "<image:image><image:loc>{}</image:loc></image:image>",
            escaped(image)
        ));
    }
    element.push_str("</url>\n");
    Some(element)
}

const CHANGEFREQ: &[&str] = &["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

fn escaped(text: &str) -> String {
    escape(printable(text)).into_owned()
}

/// Whether the text is a number from 0.0 to 1.0, as the schema requires.
fn is_priority(text: &str) -> bool {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain && text.parse::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number))
}

/// Whether the text is a W3C date, or date-time with a zone. One invalid value of a site would
/// make the whole file invalid.
fn is_w3c_datetime(text: &str) -> bool {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    is_date(date) && time.is_none_or(is_time_in_zone)
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 31,
    };
    year > 0 && (1..=12).contains(&month) && (1..=days).contains(&day)
}

fn is_time_in_zone(text: &str) -> bool {
    let time = match text.strip_suffix('Z') {
        Some(time) => time,
        None => {
            let Some(at) = text.rfind(['+', '-']) else { return false };
            let Some([hours, minutes]) = numbers(&text[at + 1..], ':', [2, 2]) else {
                return false;
            };
            if hours * 60 + minutes > 14 * 60 || minutes > 59 {
                return false;
            }
            &text[..at]
        }
    };
    let whole = match time.split_once('.') {
        Some((whole, part)) if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => {
            whole
        }
        Some(_) => return false,
        None => time,
    };
    numbers(whole, ':', [2, 2, 2])
        .is_some_and(|[hours, minutes, seconds]| hours < 24 && minutes < 60 && seconds < 60)
}

/// Splits a text into numbers with a fixed number of digits each.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        *number = part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests;
