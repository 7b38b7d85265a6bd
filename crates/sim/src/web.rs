//! A web made of a seed, and how it answers.
//!
//! Its lasting faults are part of what it is; its passing faults pass soon enough for
//! the engine's retries, so that what can be had of it does not depend on when one
//! asks.

use std::collections::HashMap;
use std::time::Duration;

use contract::{Millis, Scope};
use crawl::AnswerHead;
use journal::Cause;
use site::CanonicalUrl;

use crate::place::{Fault, Kind, Passing, Place, Trouble};
use crate::rng::Rng;
use crate::rules::{Rules, robots_hop};

/// The web of a run: one site, perhaps with a host below it and an older address.
#[derive(Debug)]
pub(crate) struct Web {
    pub start: CanonicalUrl,
    pub scope: Scope,
    places: HashMap<String, Place>,
    rules: HashMap<&'static str, Rules>,
    /// The one spelling that the site answers under, where it insists on one.
    spelling: Option<&'static str>,
    contacts: HashMap<String, Contact>,
    latency: Rng,
}

/// How often, and since when, an address was asked.
#[derive(Debug, Clone, Copy)]
struct Contact {
    first: Millis,
    failures: u64,
    successes: u64,
}

/// What comes back, and after what time.
#[derive(Debug)]
pub(crate) struct Reply {
    pub after: Duration,
    pub answer: Result<(AnswerHead, Vec<u8>), Cause>,
}

/// What stands at an address once all trouble has passed.
#[derive(Debug)]
pub(crate) enum Shown {
    /// A page with these links, as they are written.
    Page(Vec<String>),
    File,
    Moved(String),
    Nothing,
}

pub(crate) const SITE: &str = "site.test";
pub(crate) const SHOP: &str = "shop.site.test";
pub(crate) const OLD: &str = "old.test";
/// What a page that insists on a query adds.
const QUERY: &str = "?lang=en";
const SPELLINGS: &[&str] =
    &["http://site.test", "https://site.test", "http://www.site.test", "https://www.site.test"];

impl Web {
    /// The web of a seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 1);
        let has_shop = rng.percent(30);
        let scope = Scope {
            include_subdomains: has_shop && rng.percent(80),
            include_broken: rng.percent(40),
            include_files: rng.percent(20),
            include_query_strings: rng.percent(20),
            one_page: rng.percent(4),
            ..Scope::default()
        };
        let spelling = rng.percent(50).then(|| rng.pick(SPELLINGS));
        let mut rules = HashMap::from([(SITE, Rules::draw(&mut rng)), (OLD, Rules::Absent)]);
        rules.insert(SHOP, Rules::draw(&mut rng));
        let moved = rng.percent(10);
        let start = if moved { "http://old.test/" } else { rng.pick(SPELLINGS) };
        let mut places = HashMap::new();
        for place in crate::place::draw(&mut rng, has_shop) {
            places.insert(place.key.clone(), place);
        }
        if moved {
            let home = format!("{}/", rng.pick(SPELLINGS));
            let key = format!("{OLD}/");
            let kind = Kind::Redirect { status: 301, to: home };
            places.insert(key.clone(), Place { key, kind, trouble: None });
        }
        Self {
            start: parse(start),
            scope,
            places,
            rules,
            spelling,
            contacts: HashMap::new(),
            latency: Rng::new(seed, 2),
        }
    }

    /// Whether the rules of the site, once they are known, let anyone ask for this.
    pub fn permits(&self, url: &CanonicalUrl) -> bool {
        self.rules.get(url.bare_host()).is_none_or(|rules| rules.permit(url.path()))
    }

    /// What stands at an address, whatever its spelling.
    pub fn shows(&self, url: &CanonicalUrl) -> Shown {
        let place = self.places.get(&format!("{}{}", url.bare_host(), url.path()));
        match place.map(|place| &place.kind) {
            // Where queries count, the one that the site adds makes another page.
            Some(Kind::Queried(_)) if self.scope.include_query_strings && url.query().is_none() => {
                Shown::Moved(QUERY.to_owned())
            }
            Some(Kind::Page(html) | Kind::Queried(html)) => {
                // Only what is a link for a reader stands in quotes.
                let links = html.split("href='").skip(1).filter_map(|rest| rest.split('\'').next());
                Shown::Page(links.map(str::to_owned).collect())
            }
            Some(Kind::File) => Shown::File,
            Some(Kind::Redirect { to, .. }) => Shown::Moved(to.clone()),
            Some(Kind::Broken(_)) | None => Shown::Nothing,
        }
    }

    /// Addresses that were read with success more than once.
    pub fn read_twice(&self) -> Option<&str> {
        let twice = self.contacts.iter().find(|(_, contact)| contact.successes > 1);
        twice.map(|(key, _)| key.as_str())
    }

    /// Answers a request.
    pub fn answer(&mut self, url: &CanonicalUrl, now: Millis) -> Reply {
        let slow = self.latency.percent(5);
        let millis = if slow { 3_000 } else { self.latency.within(5, 400) };
        let after = Duration::from_millis(millis);
        let answer = self.say(url, now);
        match answer {
            Err(Trouble::Lost) => {
                Reply { after: Duration::from_secs(30), answer: Err(Cause::Timeout) }
            }
            Err(Trouble::Fails(cause)) => Reply { after, answer: Err(cause) },
            Err(Trouble::Says { status, retry_after }) => {
                let retry_after = retry_after.map(Duration::from_secs);
                Reply { after, answer: Ok((head(status, retry_after, after), Vec::new())) }
            }
            Ok((head, body)) => {
                let size_bytes = body.len() as u64;
                Reply {
                    after,
                    answer: Ok((AnswerHead { size_bytes, elapsed: after, ..head }, body)),
                }
            }
        }
    }

    fn say(&mut self, url: &CanonicalUrl, now: Millis) -> Result<(AnswerHead, Vec<u8>), Trouble> {
        let (host, path) = (url.bare_host().to_owned(), url.path().to_owned());
        let origin = url.origin();
        if let Some(spelling) = self.spelling.filter(|spelling| host == SITE && *spelling != origin)
        {
            return Ok(redirect(301, &format!("{spelling}{}", url.path_and_query())));
        }
        let key = format!("{host}{path}");
        let fresh = Contact { first: now, failures: 0, successes: 0 };
        if let (Some(rules), Some(hop)) = (self.rules.get(host.as_str()), robots_hop(&path)) {
            let contact = self.contacts.entry(key).or_insert(fresh);
            return rules.say(hop, &mut contact.failures);
        }
        let Some(place) = self.places.get(&key) else {
            return Err(Trouble::Says { status: 404, retry_after: None });
        };
        // Where queries count, each makes a page of its own. Where they do not, the retries
        // of all of them are one page's retries, and must be enough for its trouble.
        let asked = if self.scope.include_query_strings {
            format!("{host}{}", url.path_and_query())
        } else {
            key
        };
        let contact = self.contacts.entry(asked).or_insert(fresh);
        if let Some(Fault { trouble, passing }) = place.trouble {
            let fails = match passing {
                Passing::After(times) => contact.failures < times,
                Passing::For(millis) => now.since(contact.first) < Duration::from_millis(millis),
            };
            if fails {
                contact.failures += 1;
                return Err(trouble);
            }
        }
        match &place.kind {
            Kind::Queried(_) if url.query().is_none() => Ok(redirect(302, QUERY)),
            Kind::Page(html) | Kind::Queried(html) => {
                contact.successes += 1;
                Ok((typed("text/html; charset=utf-8"), html.clone().into_bytes()))
            }
            Kind::File => {
                contact.successes += 1;
                Ok((typed("application/pdf"), b"%PDF-1.7".to_vec()))
            }
            Kind::Redirect { status, to } => Ok(redirect(*status, to)),
            Kind::Broken(trouble) => Err(*trouble),
        }
    }
}

fn head(status: u16, retry_after: Option<Duration>, elapsed: Duration) -> AnswerHead {
    AnswerHead { status, retry_after, elapsed, ..AnswerHead::default() }
}

fn typed(content_type: &str) -> AnswerHead {
    let content_type = Some(content_type.to_owned());
    AnswerHead { status: 200, content_type, ..AnswerHead::default() }
}

pub(crate) fn redirect(status: u16, to: &str) -> (AnswerHead, Vec<u8>) {
    let location = Some(to.to_owned());
    (AnswerHead { status, location, ..AnswerHead::default() }, Vec::new())
}

fn parse(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("the web's own addresses are good")
}
