//! The name of a protection: who, and what kind of answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A protection that answered: `cloudflare_challenge`, `akamai_block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProtectionMarker {
    /// Whose it is.
    pub vendor: Vendor,
    /// What it does with the visitor.
    pub kind: ProtectionKind,
}

/// Who protects the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vendor {
    Cloudflare,
    Akamai,
    DataDome,
    /// HUMAN, once PerimeterX.
    Human,
    /// Imperva, once Incapsula.
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
    /// A CAPTCHA of any make that stands before the page, by whomever it was put there.
    CaptchaWall,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProtectionKind {
    /// A browser passes it by itself.
    Challenge,
    /// No.
    Block,
    /// A person passes it.
    Captcha,
    /// Whoever waits gets in: it is there for load, not against robots.
    WaitingRoom,
}

impl Vendor {
    /// All of them.
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

    /// Its name within a marker.
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
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Challenge, Self::Block, Self::Captcha, Self::WaitingRoom];

    /// Its name within a marker.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Block => "block",
            Self::Captcha => "captcha",
            Self::WaitingRoom => "waiting_room",
        }
    }

    /// Whether it keeps robots out, so that the site belongs to the protected tier.
    #[must_use]
    pub fn is_protection(self) -> bool {
        match self {
            Self::Challenge | Self::Block | Self::Captcha => true,
            Self::WaitingRoom => false,
        }
    }
}

/// A text that names no protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this is not the name of a protection")]
pub struct UnknownMarker;

impl fmt::Display for ProtectionMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.vendor.as_str(), self.kind.as_str())
    }
}

impl FromStr for ProtectionMarker {
    type Err = UnknownMarker;

    fn from_str(text: &str) -> Result<Self, UnknownMarker> {
        // Both halves may hold the sign that joins them, so it cannot simply be split.
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
