//! A web made of a seed, and how it answers.
//!
//! Its lasting faults are part of what it is; its passing faults pass soon enough for
//! the engine's retries, so that what can be had of it does not depend on when one
//! asks.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use crawl::{AnswerHead, Purpose, Task, Want};
use journal::Cause;
use urls::CanonicalUrl;

use crate::abroad;
use crate::draw::{Drawing, draw};
use crate::place::{Fault, Kind, Passing, Place, Trouble};
use crate::rng::Rng;
use crate::rules::{Rules, robots_hop};
use crate::wall::Wall;
use crate::wish::Wish;

/// The web of a run: one site, perhaps with a host below it and an older address, and the
/// hosts that it links to.
#[derive(Debug)]
pub(crate) struct Web {
    pub start: CanonicalUrl,
    pub wish: Wish,
    places: HashMap<String, Place>,
    rules: HashMap<&'static str, Rules>,
    /// The sitemaps that robots.txt of the site names.
    named: Vec<String>,
    /// The one spelling that the site answers under, where it insists on one.
    spelling: Option<&'static str>,
    contacts: HashMap<String, Contact>,
    latency: Rng,
    /// What stands before its pages.
    pub wall: Option<Wall>,
}

/// How often, and since when, an address was asked.
#[derive(Debug, Clone, Copy)]
struct Contact {
    first: Millis,
    failures: u64,
    /// Bodies that were given out.
    readings: u64,
}

/// What comes back, and after what time.
#[derive(Debug)]
pub(crate) struct Reply {
    pub after: Duration,
    pub answer: Result<(AnswerHead, Vec<u8>), Cause>,
}

pub(crate) const SITE: &str = "site.test";
pub(crate) const SHOP: &str = "shop.site.test";
pub(crate) const OLD: &str = "old.test";
/// What a page that insists on a query adds.
pub(crate) const QUERY: &str = "?form=long";
const SPELLINGS: &[&str] =
    &["http://site.test", "https://site.test", "http://www.site.test", "https://www.site.test"];

impl Web {
    /// The web of a seed.
    pub fn new(seed: u64) -> Self {
        let wish = Wish::of(seed);
        let mut rng = Rng::new(seed, 1);
        let spelling = rng.percent(50).then(|| rng.pick(SPELLINGS));
        let mut rules: HashMap<_, _> = abroad::RULES.iter().copied().collect();
        rules.insert(OLD, Rules::Absent);
        rules.insert(SITE, Rules::draw(&mut rng));
        rules.insert(SHOP, Rules::draw(&mut rng));
        let path = if wish.scope.specific_route { "/dir/" } else { "/" };
        let home = format!("{}{path}", rng.pick(SPELLINGS));
        let moved = rng.percent(10);
        let start = if moved { "http://old.test/" } else { &home };
        let Drawing { places, named } = draw(&mut rng, &wish);
        let mut places: HashMap<_, _> =
            places.into_iter().map(|place| (place.key.clone(), place)).collect();
        if moved {
            let (key, kind) = (format!("{OLD}/"), Kind::Redirect { status: 301, to: home.clone() });
            places.insert(key.clone(), Place { key, kind, trouble: None });
        }
        Self {
            start: parse(start),
            wish,
            places,
            rules,
            named,
            spelling,
            contacts: HashMap::new(),
            latency: Rng::new(seed, 2),
            wall: None,
        }
    }

    /// Whether the rules of a host, once they are known, let anyone ask for this.
    pub fn permits(&self, url: &CanonicalUrl) -> bool {
        self.rules.get(url.bare_host()).is_none_or(|rules| rules.permit(url.path()))
    }

    /// The sitemaps that a reader of robots.txt of this host learns of.
    pub fn named_sitemaps(&self, host: &str) -> &[String] {
        let are_read = self.rules.get(host).is_some_and(|rules| rules.are_read());
        if host == SITE && are_read { &self.named } else { &[] }
    }

    /// What stands at an address, whatever its spelling.
    pub fn shows(&self, url: &CanonicalUrl) -> Option<&Kind> {
        let place = self.places.get(&format!("{}{}", url.bare_host(), url.path()));
        place.map(|place| &place.kind)
    }

    /// Addresses whose body was read more than once.
    pub fn read_twice(&self) -> Option<&str> {
        let twice = self.contacts.iter().find(|(_, contact)| contact.readings > 1);
        twice.map(|(key, _)| key.as_str())
    }

    /// Answers a request.
    pub fn answer(&mut self, task: &Task, now: Millis) -> Reply {
        let slow = self.latency.percent(5);
        let millis = if slow { 3_000 } else { self.latency.within(5, 400) };
        let after = Duration::from_millis(millis);
        let (head_only, in_part) = match task.purpose {
            Purpose::Url { want, .. } => (want == Want::Head, want == Want::FirstBytes),
            Purpose::Robots { .. } => (false, false),
        };
        let mut answer = self.say(&task.url, head_only, in_part, now);
        let is_page = matches!(task.purpose, Purpose::Url { want: Want::Page { .. }, .. });
        if let (Ok((AnswerHead { status: 200, .. }, _)), Some(wall)) = (&answer, &mut self.wall)
            && is_page
            && wall.stands_before(urls::page_key(task.url.as_str()), task.means)
        {
            answer = Ok(Wall::answer());
        }
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
                let status = if in_part && head.status == 200 { 206 } else { head.status };
                let head = AnswerHead { status, size_bytes, elapsed: after, ..head };
                Reply { after, answer: Ok((head, if head_only { Vec::new() } else { body })) }
            }
        }
    }

    fn say(
        &mut self,
        url: &CanonicalUrl,
        head_only: bool,
        in_part: bool,
        now: Millis,
    ) -> Result<(AnswerHead, Vec<u8>), Trouble> {
        let (host, path) = (url.bare_host().to_owned(), url.path().to_owned());
        if let Some(cause) = abroad::out_of_reach(&host) {
            return Err(Trouble::Fails(cause));
        }
        let origin = url.origin();
        if let Some(spelling) = self.spelling.filter(|spelling| host == SITE && *spelling != origin)
        {
            return Ok(redirect(301, &format!("{spelling}{}", url.path_and_query())));
        }
        let key = format!("{host}{path}");
        let fresh = Contact { first: now, failures: 0, readings: 0 };
        if let (Some(rules), Some(hop)) = (self.rules.get(host.as_str()), robots_hop(&path)) {
            let contact = self.contacts.entry(key).or_insert(fresh);
            let named = if host == SITE { self.named.as_slice() } else { &[] };
            return rules.say(hop, &mut contact.failures, named);
        }
        let Some(place) = self.places.get(&key) else {
            return Err(Trouble::Says { status: 404, retry_after: None });
        };
        // Where queries count, each makes a page of its own. Where they do not, the retries
        // of all of them are one page's retries, and must be enough for its trouble.
        let asked = if self.wish.scope.include_query_strings {
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
        let (content_type, body) = match &place.kind {
            Kind::Queried(_) if url.query().is_none() => return Ok(redirect(302, QUERY)),
            Kind::Redirect { status, to } => return Ok(redirect(*status, to)),
            Kind::Broken(trouble) => return Err(*trouble),
            Kind::File { takes_head: false, .. } if head_only => {
                return Err(Trouble::Says { status: 405, retry_after: None });
            }
            Kind::Page(page) | Kind::Queried(page) => ("text/html; charset=utf-8", page.html()),
            Kind::File { content_type, .. } => (*content_type, "%PDF-1.7".to_owned()),
            Kind::List(list) => list.written(),
        };
        contact.readings += u64::from(!head_only && !in_part);
        let content_type = Some(content_type.to_owned());
        Ok((AnswerHead { status: 200, content_type, ..AnswerHead::default() }, body.into_bytes()))
    }
}

fn head(status: u16, retry_after: Option<Duration>, elapsed: Duration) -> AnswerHead {
    AnswerHead { status, retry_after, elapsed, ..AnswerHead::default() }
}

pub(crate) fn redirect(status: u16, to: &str) -> (AnswerHead, Vec<u8>) {
    let location = Some(to.to_owned());
    (AnswerHead { status, location, ..AnswerHead::default() }, Vec::new())
}

fn parse(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("the web's own addresses are good")
}
