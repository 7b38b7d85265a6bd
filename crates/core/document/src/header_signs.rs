//! Signs of bot protection in headers, as a bit set.
//!
//! The caller passes each header once and keeps none of them. Order and case of the headers do not
//! matter.

use serde::{Deserialize, Serialize};

use crate::protection_marker::{ProtectionKind, ProtectionMarker, Vendor};

/// The signs in the headers of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct HeaderSigns(u8);

/// Cloudflare states that it challenges.
const CLOUDFLARE_CHALLENGE: u8 = 1;
/// The response came through Cloudflare, as very many do.
const CLOUDFLARE: u8 = 1 << 1;
const AWS_CHALLENGE: u8 = 1 << 2;
const AWS_CAPTCHA: u8 = 1 << 3;
const VERCEL_CHALLENGE: u8 = 1 << 4;
const VERCEL_DENY: u8 = 1 << 5;
/// DataDome states that it did not let the request pass.
const DATADOME: u8 = 1 << 6;
const KASADA: u8 = 1 << 7;

impl HeaderSigns {
    /// The signs in headers, given as names and values.
    pub fn of<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut signs = Self::default();
        for (name, value) in headers {
            signs.note(name, value);
        }
        signs
    }

    /// Adds the sign of one header.
    pub fn note(&mut self, name: &str, value: &str) {
        // First letter and length exclude most headers cheaply.
        let first = name.as_bytes().first().map(u8::to_ascii_lowercase);
        self.0 |= match (first, name.len()) {
            (Some(b'c'), 6) if name.eq_ignore_ascii_case("cf-ray") => CLOUDFLARE,
            (Some(b'c'), 12) if name.eq_ignore_ascii_case("cf-mitigated") => {
                one_of(value, &[("challenge", CLOUDFLARE_CHALLENGE)])
            }
            (Some(b's'), 6) if name.eq_ignore_ascii_case("server") => {
                one_of(value, &[("cloudflare", CLOUDFLARE)])
            }
            (Some(b'x'), _) => x_header_signs(name, value),
            _ => 0,
        };
    }

    /// Whether no header has a sign.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, sign: u8) -> bool {
        self.0 & sign != 0
    }

    /// Whether the response came through Cloudflare.
    #[must_use]
    pub fn cloudflare(self) -> bool {
        self.has(CLOUDFLARE)
    }

    /// Whether DataDome did not let the request pass.
    #[must_use]
    pub fn datadome(self) -> bool {
        self.has(DATADOME)
    }

    #[must_use]
    pub fn kasada(self) -> bool {
        self.has(KASADA)
    }

    /// The marker that a header alone proves.
    #[must_use]
    pub fn marker(self) -> Option<ProtectionMarker> {
        let (vendor, kind) = if self.has(CLOUDFLARE_CHALLENGE) {
            (Vendor::Cloudflare, ProtectionKind::Challenge)
        } else if self.has(AWS_CAPTCHA) {
            (Vendor::AwsWaf, ProtectionKind::Captcha)
        } else if self.has(AWS_CHALLENGE) {
            (Vendor::AwsWaf, ProtectionKind::Challenge)
        } else if self.has(VERCEL_CHALLENGE) {
            (Vendor::Vercel, ProtectionKind::Challenge)
        } else if self.has(VERCEL_DENY) {
            (Vendor::Vercel, ProtectionKind::Block)
        } else {
            return None;
        };
        Some(ProtectionMarker { vendor, kind })
    }
}

/// The sign of a value, compared in any case.
fn one_of(value: &str, known: &[(&str, u8)]) -> u8 {
    let value = value.trim_ascii();
    known.iter().find(|(word, _)| value.eq_ignore_ascii_case(word)).map_or(0, |(_, sign)| *sign)
}

/// The signs of a header whose name begins with `x`.
fn x_header_signs(name: &str, value: &str) -> u8 {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    match name.len() {
        6 if is("x-dd-b") => one_of(value, &[("1", DATADOME), ("2", DATADOME)]),
        10 if is("x-datadome") => match value.trim_ascii() {
            "" => 0,
            value if value.eq_ignore_ascii_case("protected") => 0,
            _ => DATADOME,
        },
        17 if is("x-amzn-waf-action") => {
            one_of(value, &[("challenge", AWS_CHALLENGE), ("captcha", AWS_CAPTCHA)])
        }
        18 if is("x-vercel-mitigated") => {
            one_of(value, &[("challenge", VERCEL_CHALLENGE), ("deny", VERCEL_DENY)])
        }
        9.. if name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("x-kpsdk-")) => KASADA,
        _ => 0,
    }
}
