//! The robots.txt of a host of the fake web.

use crawl::ResponseHead;

use crate::fake_response::redirect;
use crate::resource::SimFailure;
use crate::rng::Rng;

/// The folder that is disallowed, if any.
const CLOSED: &str = "/private/";

/// What robots.txt of a host says, and how it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RobotsBehaviour {
    /// 404: everything is allowed.
    Absent,
    /// One folder is disallowed.
    Folder,
    /// Everything is disallowed.
    Closed,
    /// One folder is disallowed, but the first requests fail.
    Late { status: u16, failures: u64 },
    /// The file can never be read.
    Never,
    /// One folder is disallowed; the file is this many redirects away.
    Away(u8),
    /// One folder is disallowed, with a `Crawl-delay`.
    Delay { tenths: u64 },
}

impl RobotsBehaviour {
    pub fn draw(rng: &mut Rng) -> Self {
        match rng.within(0, 99) {
            0..30 => Self::Absent,
            30..58 => Self::Folder,
            58..60 => Self::Closed,
            60..74 => Self::Late { status: rng.pick(&[429, 500, 503]), failures: rng.within(1, 2) },
            74..76 => Self::Never,
            // Four, because another spelling of the host costs one more; seven are too many.
            76..88 => Self::Away(rng.pick(&[1, 2, 4, 7])),
            _ => Self::Delay { tenths: rng.pick(&[2, 5, 20, 300]) },
        }
    }

    /// Whether a path is allowed.
    pub fn allows(self, path: &str) -> bool {
        match self {
            Self::Absent => true,
            Self::Closed | Self::Never => false,
            // Too many redirects: as if there were no rules.
            Self::Away(hops) if hops > 5 => true,
            Self::Folder | Self::Late { .. } | Self::Away(_) | Self::Delay { .. } => {
                !path.starts_with(CLOSED)
            }
        }
    }

    /// Whether a reader gets the `Sitemap` lines.
    pub fn are_read(self) -> bool {
        !matches!(self, Self::Absent | Self::Never | Self::Away(6..))
    }

    /// Answers a request `hop` redirects after the first.
    pub fn respond(
        self,
        hop: u8,
        failures: &mut u64,
        sitemaps: &[String],
    ) -> Result<(ResponseHead, Vec<u8>), SimFailure> {
        let mut text = match self {
            Self::Absent => return Err(SimFailure::Status { status: 404, retry_after: None }),
            Self::Closed => "User-agent: *\nDisallow: /\n".to_owned(),
            Self::Late { status, failures: wanted } if *failures < wanted => {
                *failures += 1;
                return Err(SimFailure::Status { status, retry_after: None });
            }
            Self::Never => return Err(SimFailure::Status { status: 503, retry_after: None }),
            Self::Away(hops) if hop < hops => {
                return Ok(redirect(302, &format!("/robots{}.txt", hop + 1)));
            }
            Self::Delay { tenths } => {
                let (whole, tenth) = (tenths / 10, tenths % 10);
                format!("User-agent: *\nCrawl-delay: {whole}.{tenth}\nDisallow: {CLOSED}\n")
            }
            Self::Folder | Self::Late { .. } | Self::Away(_) => {
                format!("User-agent: Other\nDisallow: /\n\nUser-agent: Trawl\nDisallow: {CLOSED}\n")
            }
        };
        for sitemap in sitemaps {
            text.push_str(&format!("Sitemap: {sitemap}\n"));
        }
        let head = ResponseHead {
            status: 200,
            content_type: Some("text/plain".to_owned()),
            ..ResponseHead::default()
        };
        Ok((head, text.into_bytes()))
    }
}

/// The number of redirects between `/robots.txt` and a path.
pub(crate) fn robots_hop(path: &str) -> Option<u8> {
    let number = path.strip_prefix("/robots")?.strip_suffix(".txt")?;
    if number.is_empty() { Some(0) } else { number.parse().ok() }
}
