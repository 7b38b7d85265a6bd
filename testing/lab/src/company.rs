//! Companies in eight languages and fifteen countries, drawn from a seed, with the truth
//! about each: the whole record, every page that a value stands on, and what stands there and
//! belongs to others. Domains without a company are here as well: parked, dead, walled.

mod crowd;
mod firm;
mod ids;
mod land;
mod linked_data;
mod markup;
mod noise;
mod outcome;
mod outsider;
mod pages;
mod paths;
mod phone;
mod plan;
mod record;
mod scribe;
mod shell;
mod team;
mod trades;
mod truth;
mod vcard;
mod veil;
mod words;

pub use truth::{
    AddressTruth, CompanyTruth, ContactStatus, EmailTruth, Fact, FirmTruth, Method, PersonTruth,
    PhoneKind, PhoneTruth, ProfileTruth, Seniority, Standing, Veil,
};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::{Lab, RawStep, Reply, Site, SiteTruth, Withheld};
use firm::Firm;
use outcome::Outcome;
use paths::Page;
use plan::Plan;
use scribe::{Ledger, Scribe};

/// A port that nothing listens on: whoever connects is refused.
const CLOSED: &str = "127.0.0.1:1";

/// What every picture shows: nothing.
const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n";

/// One domain. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Company {
    host: String,
    content: Arc<Content>,
    /// How long each page takes.
    pause: Duration,
    /// Only `www.` answers.
    www_only: bool,
}

#[derive(Debug)]
enum Content {
    Firm(Box<Built>),
    Outcome(Outcome),
}

/// A site as it was written.
#[derive(Debug)]
struct Built {
    pages: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    truth: CompanyTruth,
    sitemap: bool,
}

impl Company {
    /// Every domain of the lab.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let firms = plan::all().map(|plan| Self::of_plan(plan, plan.host, plan.name, plan.legal));
        let others = outcome::ALL.iter().map(|(host, outcome)| Self::of_outcome(host, outcome));
        firms.chain(others).collect()
    }

    /// The domain of this name.
    #[must_use]
    pub fn named(host: &str) -> Option<Self> {
        if let Some(plan) = plan::all().find(|plan| plan.host == host) {
            return Some(Self::of_plan(plan, plan.host, plan.name, plan.legal));
        }
        let known = outcome::ALL.iter().find(|(name, _)| *name == host)?;
        Some(Self::of_outcome(known.0, &known.1))
    }

    /// `count` small sites of one make, one in ten of them dead or slow.
    #[must_use]
    pub fn crowd(count: usize) -> Vec<Self> {
        (0..count).map(crowd::member).collect()
    }

    fn of_outcome(host: &str, outcome: &Outcome) -> Self {
        Self {
            host: host.to_owned(),
            content: Arc::new(Content::Outcome(outcome.clone())),
            pause: Duration::ZERO,
            www_only: false,
        }
    }

    fn of_plan(plan: &Plan, host: &str, name: &str, legal: &str) -> Self {
        let firm = Firm::draw(plan, host, name, legal);
        let mut ledger = Ledger::default();
        let mut pages = BTreeMap::new();
        let mut description = String::new();
        for page in paths::pages(plan) {
            let path = page.path(plan);
            let mut scribe = Scribe::new(&firm, &path, &mut ledger);
            let html = pages::write(&mut scribe, page);
            if page == Page::Home {
                description = shell::description_text(&scribe);
            }
            pages.insert(path, html);
        }
        let truth = record::of(&firm, &ledger, &description);
        let built = Built { pages, files: ledger.files, truth, sitemap: plan.sitemap };
        Self {
            host: host.to_owned(),
            content: Arc::new(Content::Firm(Box::new(built))),
            pause: if plan.is(plan::Twist::Slow) { Duration::from_secs(2) } else { Duration::ZERO },
            www_only: plan.is(plan::Twist::WwwOnly),
        }
    }

    /// The domain that is asked for.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The names under which the lab answers for it.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match &*self.content {
            Content::Firm(_) if self.www_only => vec![format!("www.{}", self.host)],
            Content::Firm(_) => vec![self.host.clone(), format!("www.{}", self.host)],
            Content::Outcome(outcome) => outcome.names(&self.host),
        }
    }

    /// Every page with its text, by path.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let (written, others) = match &*self.content {
            Content::Firm(built) => (Some(&built.pages), Vec::new()),
            Content::Outcome(outcome) => (None, outcome.pages(&self.host)),
        };
        let written = written.into_iter().flatten();
        written.map(|(path, html)| (path.clone(), html.clone())).chain(others)
    }

    /// What stands under a path: a page, or a file that pages link to.
    #[must_use]
    pub fn text_at(&self, path: &str) -> Option<String> {
        match &*self.content {
            Content::Firm(built) => {
                built.pages.get(path).or_else(|| built.files.get(path)).cloned()
            }
            Content::Outcome(outcome) => {
                outcome.pages(&self.host).into_iter().find(|page| page.0 == path).map(|page| page.1)
            }
        }
    }

    /// The truth about it.
    #[must_use]
    pub fn company_truth(&self) -> CompanyTruth {
        match &*self.content {
            Content::Firm(built) => built.truth.clone(),
            Content::Outcome(Outcome::Moved(to)) => match Self::named(to) {
                Some(other) => CompanyTruth {
                    host: self.host.clone(),
                    redirected_to: Some((*to).to_owned()),
                    ..other.company_truth()
                },
                None => Outcome::Moved(to).truth(&self.host),
            },
            Content::Outcome(outcome) => outcome.truth(&self.host),
        }
    }

    /// Serves all of them under their names. The table of names that comes back is for the
    /// resolver: it has the lab's address for what answers, a closed port for what refuses,
    /// and nothing for what does not exist.
    pub fn serve_all(companies: &[Self], lab: &Lab) -> String {
        let mut entries = Vec::new();
        for company in companies {
            for name in company.names() {
                lab.serve(&name, company.clone());
                entries.push(format!("{name}={}", lab.address()));
            }
            match &*company.content {
                Content::Outcome(Outcome::Refused) => {
                    entries.push(format!("{}={CLOSED}", company.host));
                    entries.push(format!("www.{}={CLOSED}", company.host));
                }
                Content::Outcome(Outcome::Everything) => {
                    entries.push(format!("*.{}={}", company.host, lab.address()));
                }
                Content::Firm(_) | Content::Outcome(_) => {}
            }
        }
        entries.join(",")
    }
}

impl Built {
    fn answer(&self, host: &str, path: &str) -> Reply {
        if let Some(html) = self.pages.get(path) {
            return Reply::html(html.clone());
        }
        if let Some(text) = self.files.get(path) {
            return Reply::typed(200, "text/vcard; charset=utf-8", text.clone());
        }
        match path {
            "/robots.txt" => {
                let sitemap = if self.sitemap {
                    format!("Sitemap: http://{host}/sitemap.xml\n")
                } else {
                    String::new()
                };
                Reply::text(format!("User-agent: *\nDisallow: /trap/\n{sitemap}"))
            }
            "/sitemap.xml" if self.sitemap => {
                let urls: String = self
                    .pages
                    .keys()
                    .map(|path| format!("<url><loc>http://{host}{path}</loc></url>\n"))
                    .collect();
                Reply::typed(
                    200,
                    "application/xml",
                    format!(
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset \
                         xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
                    ),
                )
            }
            _ if path.starts_with("/img/") => Reply::typed(200, "image/svg+xml", PICTURE),
            _ => match path.strip_prefix("/trap/").and_then(|number| number.parse::<u64>().ok()) {
                // Each leads one further, for ever.
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
        let reply = match &*self.content {
            Content::Firm(built) => built.answer(&self.host, path_and_query),
            Content::Outcome(outcome) => outcome.answer(&self.host, path_and_query),
        };
        match reply {
            Reply::Whole(whole) if !self.pause.is_zero() => {
                let mut bytes = whole.head(false).into_bytes();
                bytes.extend_from_slice(&whole.body);
                let steps = [
                    RawStep::Pause(self.pause),
                    RawStep::Bytes(Bytes::from(bytes)),
                    RawStep::Close,
                ];
                Reply::Raw(steps.into())
            }
            other => other,
        }
    }

    /// Its pages; the files that they link to are not listed.
    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth { never: vec!["/trap/".to_owned()], ..SiteTruth::default() };
        if matches!(&*self.content, Content::Outcome(Outcome::Forbidden)) {
            truth.withheld.insert("/".to_owned(), Withheld::Robots);
        } else {
            truth.delivered.extend(self.pages().map(|(path, _)| (path, 200)));
        }
        truth
    }
}
