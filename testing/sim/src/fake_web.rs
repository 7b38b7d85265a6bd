//! A web generated from a seed, and its responses.
//!
//! Permanent failures are part of the web; transient failures end within the engine's retries, so
//! that the expected results do not depend on time.

use std::collections::HashMap;
use std::time::Duration;

use contract::Millis;
use crawl::{BodyNeed, FetchTask, Purpose, ResponseHead};
use journal::Cause;
use urls::CanonicalUrl;

use crate::bot_protection::BotProtection;
use crate::external_hosts;
use crate::fake_response::{FakeResponse, head, redirect};
use crate::hosts::{OLD, QUERY, SHOP, SITE};
use crate::requested_run::RequestedRun;
use crate::resource::{Recovery, Resource, ResourceKind, SimFailure, TransientFault};
use crate::rng::Rng;
use crate::robots_behaviour::{RobotsBehaviour, robots_hop};
use crate::web_generator::{GeneratedWeb, draw};

/// The web of a run: one site, maybe with a subdomain and an old host, and external hosts.
#[derive(Debug)]
pub(crate) struct FakeWeb {
    pub start: CanonicalUrl,
    pub requested: RequestedRun,
    /// The URLs of the job, if it has a list.
    pub listed: Vec<CanonicalUrl>,
    resources: HashMap<String, Resource>,
    rules: HashMap<&'static str, RobotsBehaviour>,
    /// The sitemaps that robots.txt of the site names.
    named: Vec<String>,
    /// The only origin that the site answers under, if it redirects the others.
    spelling: Option<&'static str>,
    history: HashMap<String, RequestLog>,
    latency: Rng,
    /// The bot protection of its pages.
    pub protection: Option<BotProtection>,
}

/// The requests of one address so far.
#[derive(Debug, Clone, Copy)]
struct RequestLog {
    first: Millis,
    failures: u64,
    /// Number of bodies that were returned.
    readings: u64,
}

const SPELLINGS: &[&str] =
    &["http://site.test", "https://site.test", "http://www.site.test", "https://www.site.test"];

impl FakeWeb {
    pub fn new(seed: u64) -> Self {
        let requested = RequestedRun::of(seed);
        let mut rng = Rng::new(seed, 1);
        let spelling = rng.percent(50).then(|| rng.pick(SPELLINGS));
        let mut rules: HashMap<_, _> = external_hosts::RULES.iter().copied().collect();
        rules.insert(OLD, RobotsBehaviour::Absent);
        rules.insert(SITE, RobotsBehaviour::draw(&mut rng));
        rules.insert(SHOP, RobotsBehaviour::draw(&mut rng));
        let path = if requested.scope.specific_route { "/dir/" } else { "/" };
        let home = format!("{}{path}", rng.pick(SPELLINGS));
        let moved = rng.percent(10);
        let start = if moved { "http://old.test/" } else { &home };
        let GeneratedWeb { resources, named } = draw(&mut rng, &requested);
        let mut resources: HashMap<_, _> =
            resources.into_iter().map(|resource| (resource.key.clone(), resource)).collect();
        if moved {
            let (key, kind) =
                (format!("{OLD}/"), ResourceKind::Redirect { status: 301, to: home.clone() });
            resources.insert(key.clone(), Resource { key, kind, failure: None });
        }
        Self {
            start: parse(start),
            requested,
            listed: Vec::new(),
            resources,
            rules,
            named,
            spelling,
            history: HashMap::new(),
            latency: Rng::new(seed, 2),
            protection: None,
        }
    }

    /// The web of a job over a list: most of its resources, external hosts, and URLs that do not
    /// exist.
    pub fn with_list(seed: u64) -> Self {
        let mut web = Self::new(seed);
        let mut rng = Rng::new(seed, 8);
        web.requested = web.requested.over_list();
        let mut keys: Vec<_> = web.resources.keys().cloned().collect();
        keys.sort_unstable();
        let missing = ["site.test/nowhere", "far.test/nowhere", "dead.test/", "mute.test/"];
        keys.extend(missing.map(str::to_owned));
        keys.retain(|_| rng.percent(80));
        let mut urls: Vec<_> = keys.iter().map(|key| parse(&format!("https://{key}"))).collect();
        let turn = rng.index(urls.len().max(1));
        urls.rotate_left(turn);
        if urls.is_empty() {
            urls.push(web.start.clone());
        }
        web.listed = urls;
        web
    }

    /// Whether robots.txt of the host allows a URL.
    pub fn allows(&self, url: &CanonicalUrl) -> bool {
        self.rules.get(url.bare_host()).is_none_or(|rules| rules.allows(url.path()))
    }

    /// The sitemaps that a reader of the host's robots.txt finds.
    pub fn named_sitemaps(&self, host: &str) -> &[String] {
        let are_read = self.rules.get(host).is_some_and(|rules| rules.are_read());
        if host == SITE && are_read { &self.named } else { &[] }
    }

    /// The resource at a URL, whatever its spelling.
    pub fn shows(&self, url: &CanonicalUrl) -> Option<&ResourceKind> {
        let resource = self.resources.get(&format!("{}{}", url.bare_host(), url.path()));
        resource.map(|resource| &resource.kind)
    }

    /// An address whose body was read more than once.
    pub fn read_twice(&self) -> Option<&str> {
        let twice = self.history.iter().find(|(_, history)| history.readings > 1);
        twice.map(|(key, _)| key.as_str())
    }

    pub fn answer(&mut self, task: &FetchTask, now: Millis) -> FakeResponse {
        let slow = self.latency.percent(5);
        let millis = if slow { 3_000 } else { self.latency.within(5, 400) };
        let after = Duration::from_millis(millis);
        let (head_only, in_part) = match task.purpose {
            Purpose::Url { need, .. } => (need == BodyNeed::Head, need == BodyNeed::FirstBytes),
            Purpose::Robots { .. } => (false, false),
        };
        let mut answer = self.respond(&task.url, head_only, in_part, now);
        let is_page = matches!(task.purpose, Purpose::Url { need: BodyNeed::Page { .. }, .. });
        if let (Ok((ResponseHead { status: 200, .. }, _)), Some(protection)) =
            (&answer, &mut self.protection)
            && is_page
            && protection.blocks(urls::page_key(task.url.as_str()), task.fetch_via)
        {
            answer = Ok(BotProtection::answer());
        }
        match answer {
            Err(SimFailure::NoResponse) => {
                FakeResponse { after: Duration::from_secs(30), answer: Err(Cause::Timeout) }
            }
            Err(SimFailure::Cause(cause)) => FakeResponse { after, answer: Err(cause) },
            Err(SimFailure::Status { status, retry_after }) => {
                let retry_after = retry_after.map(Duration::from_secs);
                FakeResponse { after, answer: Ok((head(status, retry_after, after), Vec::new())) }
            }
            Ok((head, body)) => {
                let size_bytes = body.len() as u64;
                let status = if in_part && head.status == 200 { 206 } else { head.status };
                let head = ResponseHead { status, size_bytes, elapsed: after, ..head };
                FakeResponse {
                    after,
                    answer: Ok((head, if head_only { Vec::new() } else { body })),
                }
            }
        }
    }

    fn respond(
        &mut self,
        url: &CanonicalUrl,
        head_only: bool,
        in_part: bool,
        now: Millis,
    ) -> Result<(ResponseHead, Vec<u8>), SimFailure> {
        let (host, path) = (url.bare_host().to_owned(), url.path().to_owned());
        if let Some(cause) = external_hosts::out_of_reach(&host) {
            return Err(SimFailure::Cause(cause));
        }
        let origin = url.origin();
        if let Some(spelling) = self.spelling.filter(|spelling| host == SITE && *spelling != origin)
        {
            return Ok(redirect(301, &format!("{spelling}{}", url.path_and_query())));
        }
        let key = format!("{host}{path}");
        let fresh = RequestLog { first: now, failures: 0, readings: 0 };
        if let (Some(rules), Some(hop)) = (self.rules.get(host.as_str()), robots_hop(&path)) {
            let history = self.history.entry(key).or_insert(fresh);
            let named = if host == SITE { self.named.as_slice() } else { &[] };
            return rules.respond(hop, &mut history.failures, named);
        }
        let Some(resource) = self.resources.get(&key) else {
            return Err(SimFailure::Status { status: 404, retry_after: None });
        };
        // If queries are ignored, requests with any query are retries of one page, and must be
        // enough for its transient failure.
        let asked = if self.requested.scope.include_query_strings {
            format!("{host}{}", url.path_and_query())
        } else {
            key
        };
        let history = self.history.entry(asked).or_insert(fresh);
        if let Some(TransientFault { failure, recovery }) = resource.failure {
            let fails = match recovery {
                Recovery::After(times) => history.failures < times,
                Recovery::For(millis) => now.since(history.first) < Duration::from_millis(millis),
            };
            if fails {
                history.failures += 1;
                return Err(failure);
            }
        }
        let (content_type, body) = match &resource.kind {
            ResourceKind::Queried(_) if url.query().is_none() => return Ok(redirect(302, QUERY)),
            ResourceKind::Redirect { status, to } => return Ok(redirect(*status, to)),
            ResourceKind::Broken(failure) => return Err(*failure),
            ResourceKind::File { takes_head: false, .. } if head_only => {
                return Err(SimFailure::Status { status: 405, retry_after: None });
            }
            ResourceKind::Page(page) | ResourceKind::Queried(page) => {
                ("text/html; charset=utf-8", page.html())
            }
            ResourceKind::File { content_type, .. } => (*content_type, "%PDF-1.7".to_owned()),
            ResourceKind::UrlList(list) => list.written(),
        };
        history.readings += u64::from(!head_only && !in_part);
        let content_type = Some(content_type.to_owned());
        Ok((
            ResponseHead { status: 200, content_type, ..ResponseHead::default() },
            body.into_bytes(),
        ))
    }
}

fn parse(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("generated URLs are valid")
}
