//! What headers say of a protection, in one small number.
//!
//! A caller shows the headers as they pass and keeps none of them: the signs are what
//! matters to the rules, in whatever order and case the headers came.

use super::{ProtectionKind, ProtectionMarker, Vendor};

/// The signs in the headers of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct HeaderSigns(u8);

/// Cloudflare says that it challenges.
const CLOUDFLARE_CHALLENGE: u8 = 1;
/// The answer came through Cloudflare, as very many do.
const CLOUDFLARE: u8 = 1 << 1;
const AWS_CHALLENGE: u8 = 1 << 2;
const AWS_CAPTCHA: u8 = 1 << 3;
const VERCEL_CHALLENGE: u8 = 1 << 4;
const VERCEL_DENY: u8 = 1 << 5;
/// DataDome says that it did something else than let the request pass.
const DATADOME: u8 = 1 << 6;
const KASADA: u8 = 1 << 7;

impl HeaderSigns {
    /// The signs in these headers: names and values.
    pub fn of<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut signs = Self::default();
        for (name, value) in headers {
            signs.note(name, value);
        }
        signs
    }

    /// Adds what one header says.
    pub fn note(&mut self, name: &str, value: &str) {
        let value = value.trim();
        let is = |known: &str| value.eq_ignore_ascii_case(known);
        // Told apart by the first letter, most headers cost nothing.
        self.0 |= match name.as_bytes().first().map(u8::to_ascii_lowercase) {
            Some(b'c') if name.eq_ignore_ascii_case("cf-ray") => CLOUDFLARE,
            Some(b'c') if name.eq_ignore_ascii_case("cf-mitigated") && is("challenge") => {
                CLOUDFLARE_CHALLENGE
            }
            Some(b's') if name.eq_ignore_ascii_case("server") && is("cloudflare") => CLOUDFLARE,
            Some(b'x') => unofficial(name, value),
            _ => 0,
        };
    }

    /// No header said anything.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, sign: u8) -> bool {
        self.0 & sign != 0
    }

    pub(super) fn cloudflare(self) -> bool {
        self.has(CLOUDFLARE)
    }

    pub(super) fn datadome(self) -> bool {
        self.has(DATADOME)
    }

    pub(super) fn kasada(self) -> bool {
        self.has(KASADA)
    }

    /// The marker that needs no more than a header.
    pub(super) fn marker(self) -> Option<ProtectionMarker> {
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

/// The signs of a header whose name begins with `x`.
fn unofficial(name: &str, value: &str) -> u8 {
    let is = |known: &str| value.eq_ignore_ascii_case(known);
    let begins = |known: &str| {
        name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known))
    };
    if name.eq_ignore_ascii_case("x-amzn-waf-action") {
        match () {
            () if is("challenge") => AWS_CHALLENGE,
            () if is("captcha") => AWS_CAPTCHA,
            () => 0,
        }
    } else if name.eq_ignore_ascii_case("x-vercel-mitigated") {
        match () {
            () if is("challenge") => VERCEL_CHALLENGE,
            () if is("deny") => VERCEL_DENY,
            () => 0,
        }
    } else if name.eq_ignore_ascii_case("x-dd-b") {
        if is("1") || is("2") { DATADOME } else { 0 }
    } else if name.eq_ignore_ascii_case("x-datadome") {
        if value.is_empty() || is("protected") { 0 } else { DATADOME }
    } else if begins("x-kpsdk-") {
        KASADA
    } else {
        0
    }
}
