//! Responses of bot protections: challenges and blocks.
//!
//! The pages are written for tests, with the signs by which the real ones are recognised. The lab
//! serves them, and the tests of the detection use them. To add one, add its line to
//! `protection_page/pages.tsv` and its body to `protection_page/pages/`.

use std::fs;
use std::sync::LazyLock;

use bytes::Bytes;

use crate::{FullReply, Reply};

/// A response of a bot protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectionPage {
    /// A unique name: the marker, and the difference from others of the same marker.
    pub name: &'static str,
    /// The marker that the detection must return.
    pub marker: &'static str,
    pub status: u16,
    pub headers: &'static [(&'static str, &'static str)],
    pub body: &'static str,
}

/// Name, marker, status, file of the body, and headers of each response.
const TABLE: &str = include_str!("protection_page/pages.tsv");

/// The folder of the bodies.
const BODIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/protection_page/pages");

static ALL: LazyLock<Vec<ProtectionPage>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| parse(row).unwrap_or_else(|| panic!("invalid row: {row}"))).collect()
});

/// A row of the table. Headers and body are leaked once, so that a page can be copied.
fn parse(row: &'static str) -> Option<ProtectionPage> {
    let mut cells = row.split('\t');
    let (name, marker) = (cells.next()?, cells.next()?);
    let status = cells.next()?.parse().ok()?;
    let body: &str = match cells.next()? {
        "-" => "",
        file => fs::read_to_string(format!("{BODIES}/{file}")).ok()?.leak(),
    };
    let headers: Option<Vec<_>> = cells.map(|header| header.split_once(": ")).collect();
    Some(ProtectionPage { name, marker, status, headers: headers?.leak(), body })
}

impl ProtectionPage {
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The response of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|protection| protection.name == name)
    }

    /// Whether the response is HTML, in which a script can run.
    pub(crate) fn is_html(&self) -> bool {
        self.headers.iter().any(|(_, value)| value.starts_with("text/html"))
    }

    #[must_use]
    pub fn reply(&self) -> Reply {
        let headers = self.headers.iter().map(|(name, value)| (*name, (*value).to_owned()));
        Reply::Full(FullReply {
            status: self.status,
            headers: headers.collect(),
            body: Bytes::from_static(self.body.as_bytes()),
        })
    }
}
