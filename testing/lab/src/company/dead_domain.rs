//! Domains without a company: parked, dead, behind bot protection, forbidden by robots.txt, moved.

use bytes::Bytes;

use contract::ContactStatus;

use super::truth::CompanyTruth;
use crate::reply::LONG_PAUSE;
use crate::{ProtectionPage, RawStep, Reply};

/// The response of a domain without a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeadDomain {
    /// Parked: offered for sale by a domain dealer.
    ForSale,
    Advertised,
    /// The registrar's page for a domain without a site.
    Placeholder,
    /// Connections are refused.
    Refused,
    /// The name does not resolve.
    Unknown,
    /// The connection is accepted and gets no response.
    Silent,
    /// Status 503 for every request.
    Failing,
    /// Redirects to another domain.
    Moved(&'static str),
    /// The same empty page for every path and every name below the domain.
    Everything,
    Protected,
    /// robots.txt forbids everything.
    Forbidden,
    /// A page of pictures without contact data.
    Mute,
}

/// Every domain of this kind.
pub(super) const ALL: &[(&str, DeadDomain)] = &[
    ("mistralwerk-zuverkaufen.test", DeadDomain::ForSale),
    ("olearia-vendesi.test", DeadDomain::Advertised),
    ("new-domain-fennwick.test", DeadDomain::Placeholder),
    ("refused-kestrelmoor.test", DeadDomain::Refused),
    ("vergangen-lab.de", DeadDomain::Unknown),
    ("silent-harrowgate.test", DeadDomain::Silent),
    ("failing-quarzhof.test", DeadDomain::Failing),
    ("altename-hohenrode.test", DeadDomain::Moved("hohenrode-lab.de")),
    ("anyname-everywhere.test", DeadDomain::Everything),
    ("walled-castellan.test", DeadDomain::Protected),
    ("forbidden-minster.test", DeadDomain::Forbidden),
    ("mute-pictures.test", DeadDomain::Mute),
];

impl DeadDomain {
    /// The host names under which the lab serves it.
    pub(super) fn names(&self, host: &str) -> Vec<String> {
        match self {
            Self::Refused | Self::Unknown => Vec::new(),
            Self::Everything => ["", "www.", "mail.", "shop.", "qx7r."]
                .iter()
                .map(|label| format!("{label}{host}"))
                .collect(),
            _ => vec![host.to_owned(), format!("www.{host}")],
        }
    }

    pub(super) fn pages(&self, host: &str) -> Vec<(String, String)> {
        let html = match self {
            Self::ForSale => include_str!("dead_domain/for_sale.html"),
            Self::Advertised => include_str!("dead_domain/advertised.html"),
            Self::Placeholder => include_str!("dead_domain/placeholder.html"),
            Self::Everything | Self::Mute => include_str!("dead_domain/pictures.html"),
            Self::Forbidden => {
                "<!doctype html><title>Minster</title><p>info@forbidden-minster.test</p>\n"
            }
            Self::Refused
            | Self::Unknown
            | Self::Silent
            | Self::Failing
            | Self::Moved(_)
            | Self::Protected => return Vec::new(),
        };
        vec![("/".to_owned(), html.replace("HOST", host))]
    }

    pub(super) fn answer(&self, host: &str, path: &str) -> Reply {
        match self {
            Self::Silent | Self::Refused | Self::Unknown => Reply::Raw(vec![
                RawStep::Pause(LONG_PAUSE),
                RawStep::Bytes(Bytes::new()),
                RawStep::Reset,
            ]),
            Self::Failing => Reply::status(503),
            Self::Moved(to) => Reply::redirect(301, format!("http://{to}{path}")),
            Self::Protected => match ProtectionPage::named("cloudflare_challenge") {
                Some(protection) => protection.reply(),
                None => Reply::status(403),
            },
            Self::Forbidden if path == "/robots.txt" => Reply::text("User-agent: *\nDisallow: /\n"),
            _ => {
                let known = path == "/" || path.starts_with("/?") || *self == Self::Everything;
                match self.pages(host).pop() {
                    Some((_, html)) if known => Reply::html(html),
                    _ => Reply::status(404),
                }
            }
        }
    }

    pub(super) fn truth(&self, host: &str) -> CompanyTruth {
        let status = match self {
            Self::ForSale | Self::Advertised | Self::Placeholder => ContactStatus::Parked,
            Self::Refused | Self::Unknown | Self::Silent | Self::Failing => {
                ContactStatus::Unreachable
            }
            Self::Protected | Self::Forbidden => ContactStatus::Blocked,
            Self::Everything | Self::Mute | Self::Moved(_) => ContactStatus::None,
        };
        let foreign: &[&str] = match self {
            Self::ForSale => &["+1 503-555-0188", "+15035550188", "sales@namebroker.test"],
            Self::Placeholder => {
                &["040 66969 771", "+494066969771", "support@namenshafen.test", "Namenshafen SE"]
            }
            Self::Forbidden => &["info@forbidden-minster.test"],
            _ => &[],
        };
        let foreign = foreign.iter().map(|value| (*value).to_owned()).collect();
        CompanyTruth { foreign, ..CompanyTruth::without_data(host, status) }
    }
}
