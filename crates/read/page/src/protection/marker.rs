//! The name of a protection: vendor and kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A detected protection: `cloudflare_challenge`, `akamai_block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProtectionMarker {
    /// The vendor of the product.
    pub vendor: Vendor,
    /// How it treats the visitor.
    pub kind: ProtectionKind,
}

/// The vendor that protects a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vendor {
    Cloudflare,
    Akamai,
    DataDome,
    /// HUMAN, formerly PerimeterX.
    Human,
    /// Imperva, formerly Incapsula.
    Imperva,
    Kasada,
    AwsWaf,
    Sucuri,
    DdosGuard,
    Vercel,
    F5,
    Fastly,
    Radware,
    Anubis,
    QueueIt,
    /// A CAPTCHA of any vendor in place of the page.
    CaptchaWall,
}

/// How a protection treats the visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProtectionKind {
    /// A challenge that a browser passes without interaction.
    Challenge,
    /// The request is refused.
    Block,
    /// A puzzle that needs a person.
    Captcha,
    /// A queue that limits load and is not directed against bots.
    WaitingRoom,
}

impl Vendor {
    /// All vendors, for tests and documentation.
    pub const ALL: [Self; 16] = [
        Self::Cloudflare,
        Self::Akamai,
        Self::DataDome,
        Self::Human,
        Self::Imperva,
        Self::Kasada,
        Self::AwsWaf,
        Self::Sucuri,
        Self::DdosGuard,
        Self::Vercel,
        Self::F5,
        Self::Fastly,
        Self::Radware,
        Self::Anubis,
        Self::QueueIt,
        Self::CaptchaWall,
    ];

    /// The vendor part of a marker.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Akamai => "akamai",
            Self::DataDome => "datadome",
            Self::Human => "human",
            Self::Imperva => "imperva",
            Self::Kasada => "kasada",
            Self::AwsWaf => "aws_waf",
            Self::Sucuri => "sucuri",
            Self::DdosGuard => "ddos_guard",
            Self::Vercel => "vercel",
            Self::F5 => "f5",
            Self::Fastly => "fastly",
            Self::Radware => "radware",
            Self::Anubis => "anubis",
            Self::QueueIt => "queue_it",
            Self::CaptchaWall => "captcha_wall",
        }
    }
}

impl ProtectionKind {
    /// All kinds, for parsing and tests.
    pub const ALL: [Self; 4] = [Self::Challenge, Self::Block, Self::Captcha, Self::WaitingRoom];

    /// The kind part of a marker.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Block => "block",
            Self::Captcha => "captcha",
            Self::WaitingRoom => "waiting_room",
        }
    }

    /// Whether it keeps bots out, so that the site belongs to the protected tier.
    #[must_use]
    pub fn is_protection(self) -> bool {
        match self {
            Self::Challenge | Self::Block | Self::Captcha => true,
            Self::WaitingRoom => false,
        }
    }
}

/// The error for a text that is no marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("unknown protection marker")]
pub struct UnknownMarker;

impl fmt::Display for ProtectionMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.vendor.as_str(), self.kind.as_str())
    }
}

impl FromStr for ProtectionMarker {
    type Err = UnknownMarker;

    fn from_str(text: &str) -> Result<Self, UnknownMarker> {
        // Both parts may contain `_`, so that the text cannot simply be split.
        let named = |kind: ProtectionKind| {
            let vendor = text.strip_suffix(kind.as_str())?.strip_suffix('_')?;
            let vendor = Vendor::ALL.into_iter().find(|known| known.as_str() == vendor)?;
            Some(Self { vendor, kind })
        };
        ProtectionKind::ALL.into_iter().find_map(named).ok_or(UnknownMarker)
    }
}

impl From<ProtectionMarker> for String {
    fn from(marker: ProtectionMarker) -> Self {
        marker.to_string()
    }
}

impl TryFrom<String> for ProtectionMarker {
    type Error = UnknownMarker;

    fn try_from(text: String) -> Result<Self, UnknownMarker> {
        text.parse()
    }
}
