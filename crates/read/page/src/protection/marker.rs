//! The name of a protection: vendor and kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use text::named_enum;
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

named_enum! {
    /// The vendor that protects a site.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Vendor {
        Cloudflare = "cloudflare",
        Akamai = "akamai",
        DataDome = "datadome",
        /// HUMAN, formerly PerimeterX.
        Human = "human",
        /// Imperva, formerly Incapsula.
        Imperva = "imperva",
        Kasada = "kasada",
        AwsWaf = "aws_waf",
        Sucuri = "sucuri",
        DdosGuard = "ddos_guard",
        Vercel = "vercel",
        F5 = "f5",
        Fastly = "fastly",
        Radware = "radware",
        Anubis = "anubis",
        QueueIt = "queue_it",
        /// A CAPTCHA of any vendor in place of the page.
        CaptchaWall = "captcha_wall",
    }
}

named_enum! {
    /// How a protection treats the visitor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ProtectionKind {
        /// A challenge that a browser passes without interaction.
        Challenge = "challenge",
        /// The request is refused.
        Block = "block",
        /// A puzzle that needs a person.
        Captcha = "captcha",
        /// A queue that limits load and is not directed against bots.
        WaitingRoom = "waiting_room",
    }
}

impl ProtectionKind {
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
