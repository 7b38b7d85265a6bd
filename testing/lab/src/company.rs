//! Recorded companies in eight languages and fifteen countries, with the truth of each: the complete
//! record, the pages of every value, and values of third parties. Also domains without a company:
//! parked, dead, behind bot protection.

mod dead_domain;
mod generated;
mod truth;

pub use truth::{
    AddressTruth, CompanyTruth, EmailTruth, FirmTruth, PersonTruth, PhoneKind, PhoneTruth,
    ProfileTruth, TruthValue, ValuePlace,
};

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use crate::recording::{self, LazyRecording};
use crate::{ExpectedSkip, Lab, RawStep, Reply, Site, SiteTruth};
use dead_domain::DeadDomain;

/// The folder of the recordings.
const KIND: &str = "companies";

/// A port that nothing listens on: connections are refused.
const CLOSED: &str = "127.0.0.1:1";

const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n";

/// A domain. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Company {
    host: String,
    content: Arc<Content>,
}

#[derive(Debug)]
enum Content {
    Site(LazyRecording<Box<CompanyRecording>>),
    Dead(DeadDomain),
}

#[derive(Debug, Deserialize)]
struct CompanyRecording {
    pages: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    truth: CompanyTruth,
    has_sitemap: bool,
    /// Delay of each response.
    pause_seconds: u64,
    /// Only the host with `www.` responds.
    www_only: bool,
}

impl Company {
    /// Every recorded company, then the dead domains. A recording is read at its first use.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let recorded = recording::hosts(KIND);
        let sites = recorded.iter().map(|host| Self::of_host(host));
        let dead = dead_domain::ALL.iter().map(|(host, domain)| Self::of_dead(host, domain));
        sites.chain(dead).collect()
    }

    /// The domain of this name.
    #[must_use]
    pub fn named(host: &str) -> Option<Self> {
        if recording::hosts(KIND).iter().any(|known| known == host) {
            return Some(Self::of_host(host));
        }
        let (host, domain) = dead_domain::ALL.iter().find(|(name, _)| *name == host)?;
        Some(Self::of_dead(host, domain))
    }

    /// `count` generated sites of small companies, one in ten of them dead or slow: for tests of
    /// scale.
    #[must_use]
    pub fn generated(count: usize) -> Vec<Self> {
        (0..count).map(generated::member).collect()
    }

    fn of_dead(host: &str, domain: &DeadDomain) -> Self {
        Self { host: host.to_owned(), content: Arc::new(Content::Dead(domain.clone())) }
    }

    fn of_host(host: &str) -> Self {
        let content = Content::Site(recording::lazy(KIND, host));
        Self { host: host.to_owned(), content: Arc::new(content) }
    }

    fn of_site(site: CompanyRecording) -> Self {
        let host = site.truth.host.clone();
        let content = Content::Site(LazyLock::new(Box::new(|| Box::new(site))));
        Self { host, content: Arc::new(content) }
    }

    /// The domain that a run requests.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host names under which the lab serves it.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match &*self.content {
            Content::Site(site) if site.www_only => vec![format!("www.{}", self.host)],
            Content::Site(_) => vec![self.host.clone(), format!("www.{}", self.host)],
            Content::Dead(domain) => domain.names(&self.host),
        }
    }

    /// Every page with its text, by path.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let (written, others) = match &*self.content {
            Content::Site(built) => (Some(&built.pages), Vec::new()),
            Content::Dead(domain) => (None, domain.pages(&self.host)),
        };
        let written = written.into_iter().flatten();
        written.map(|(path, html)| (path.clone(), html.clone())).chain(others)
    }

    /// The text of a path: a page, or a file that pages link to.
    #[must_use]
    pub fn text_at(&self, path: &str) -> Option<String> {
        match &*self.content {
            Content::Site(built) => {
                built.pages.get(path).or_else(|| built.files.get(path)).cloned()
            }
            Content::Dead(domain) => {
                domain.pages(&self.host).into_iter().find(|page| page.0 == path).map(|page| page.1)
            }
        }
    }

    #[must_use]
    pub fn company_truth(&self) -> CompanyTruth {
        match &*self.content {
            Content::Site(built) => built.truth.clone(),
            Content::Dead(DeadDomain::Moved(to)) => match Self::named(to) {
                Some(other) => CompanyTruth {
                    host: self.host.clone(),
                    redirected_to: Some((*to).to_owned()),
                    ..other.company_truth()
                },
                None => DeadDomain::Moved(to).truth(&self.host),
            },
            Content::Dead(domain) => domain.truth(&self.host),
        }
    }

    /// Serves all companies. Returns the table of names for the resolver: the address of the lab for
    /// hosts that respond, a closed port for hosts that refuse, and no entry for names that do not
    /// resolve.
    pub fn serve_all(companies: &[Self], lab: &Lab) -> String {
        let mut entries = Vec::new();
        for company in companies {
            for name in company.names() {
                lab.serve(&name, company.clone());
                entries.push(format!("{name}={}", lab.address()));
            }
            match &*company.content {
                Content::Dead(DeadDomain::Refused) => {
                    entries.push(format!("{}={CLOSED}", company.host));
                    entries.push(format!("www.{}={CLOSED}", company.host));
                }
                Content::Dead(DeadDomain::Everything) => {
                    entries.push(format!("*.{}={}", company.host, lab.address()));
                }
                Content::Site(_) | Content::Dead(_) => {}
            }
        }
        entries.join(",")
    }
}

impl CompanyRecording {
    fn answer(&self, host: &str, path: &str) -> Reply {
        if let Some(html) = self.pages.get(path) {
            return Reply::html(html.clone());
        }
        if let Some(text) = self.files.get(path) {
            return Reply::typed(200, "text/vcard; charset=utf-8", text.clone());
        }
        match path {
            "/robots.txt" => {
                let sitemap = if self.has_sitemap {
                    format!("Sitemap: http://{host}/sitemap.xml\n")
                } else {
                    String::new()
                };
                Reply::text(format!("User-agent: *\nDisallow: /trap/\n{sitemap}"))
            }
            "/sitemap.xml" if self.has_sitemap => Reply::sitemap(host, self.pages.keys().cloned()),
            _ if path.starts_with("/img/") => Reply::typed(200, "image/svg+xml", PICTURE),
            _ => match path.strip_prefix("/trap/").and_then(|number| number.parse::<u64>().ok()) {
                // An endless chain of links.
                Some(number) => Reply::html(format!(
                    "<!doctype html><title>{number}</title><a href=\"/trap/{}\">members</a> \
                     member{number}@{host}\n",
                    number.wrapping_add(1)
                )),
                None => Reply::status(404),
            },
        }
    }
}

impl Site for Company {
    fn answer(&self, path_and_query: &str) -> Reply {
        let (reply, pause) = match &*self.content {
            Content::Site(site) => (site.answer(&self.host, path_and_query), site.pause_seconds),
            Content::Dead(domain) => (domain.answer(&self.host, path_and_query), 0),
        };
        match reply {
            Reply::Full(whole) if pause > 0 => {
                let mut bytes = whole.head(false).into_bytes();
                bytes.extend_from_slice(&whole.body);
                let steps = [
                    RawStep::Pause(Duration::from_secs(pause)),
                    RawStep::Bytes(Bytes::from(bytes)),
                    RawStep::Close,
                ];
                Reply::Raw(steps.into())
            }
            other => other,
        }
    }

    /// The pages; files that they link to are not listed.
    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth { never: vec!["/trap/".to_owned()], ..SiteTruth::default() };
        if matches!(&*self.content, Content::Dead(DeadDomain::Forbidden)) {
            truth.skipped.insert("/".to_owned(), ExpectedSkip::Robots);
        } else {
            truth.delivered.extend(self.pages().map(|(path, _)| (path, 200)));
        }
        truth
    }
}
