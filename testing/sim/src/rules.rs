//! The robots.txt of a host of the fake web.

use crawl::AnswerHead;

use crate::place::Trouble;
use crate::rng::Rng;
use crate::web::redirect;

/// The folder that is closed where anything is.
const CLOSED: &str = "/private/";

/// What a host says to crawlers, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// There is none: everything is open.
    Absent,
    /// One folder is closed.
    Folder,
    /// Everything is.
    Closed,
    /// One folder is closed, but the first tries to read so fail.
    Late { status: u16, failures: u64 },
    /// They cannot be read at all.
    Never,
    /// One folder is closed, and that stands so many redirects away.
    Away(u8),
    /// One folder is closed, and requests are to keep this distance.
    Delay { tenths: u64 },
}

impl Rules {
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

    /// Whether a path may be asked for.
    pub fn permit(self, path: &str) -> bool {
        match self {
            Self::Absent => true,
            Self::Closed | Self::Never => false,
            // More redirects than are followed: as if there were no rules.
            Self::Away(hops) if hops > 5 => true,
            Self::Folder | Self::Late { .. } | Self::Away(_) | Self::Delay { .. } => {
                !path.starts_with(CLOSED)
            }
        }
    }

    /// Whether what they say of sitemaps reaches a reader.
    pub fn are_read(self) -> bool {
        !matches!(self, Self::Absent | Self::Never | Self::Away(6..))
    }

    /// Answers at `hop` redirects from the beginning.
    pub fn say(
        self,
        hop: u8,
        failures: &mut u64,
        sitemaps: &[String],
    ) -> Result<(AnswerHead, Vec<u8>), Trouble> {
        let mut text = match self {
            Self::Absent => return Err(Trouble::Says { status: 404, retry_after: None }),
            Self::Closed => "User-agent: *\nDisallow: /\n".to_owned(),
            Self::Late { status, failures: wanted } if *failures < wanted => {
                *failures += 1;
                return Err(Trouble::Says { status, retry_after: None });
            }
            Self::Never => return Err(Trouble::Says { status: 503, retry_after: None }),
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
        let head = AnswerHead {
            status: 200,
            content_type: Some("text/plain".to_owned()),
            ..AnswerHead::default()
        };
        Ok((head, text.into_bytes()))
    }
}

/// How many redirects behind `/robots.txt` a path stands, if it is of that kind.
pub(crate) fn robots_hop(path: &str) -> Option<u8> {
    let number = path.strip_prefix("/robots")?.strip_suffix(".txt")?;
    if number.is_empty() { Some(0) } else { number.parse().ok() }
}
