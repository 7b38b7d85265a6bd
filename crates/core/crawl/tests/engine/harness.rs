//! A scripted site, and a driver that runs the engine against it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use contract::{Item, LinkItem, MarkdownItem, Millis, Mode, ProductItem, SkippedUrl};
use crawl::{
    Action, BodyNeed, CrawlPlan, Engine, FetchTask, FetchVia, Input, Purpose, ResponseHead,
    SiteCrawl,
};
use document::HeaderSigns;
use journal::{Cause, Commit, Overlay, Revision};
use urls::CanonicalUrl;

/// A page that is empty without JavaScript.
const SHELL: &str = "<!doctype html><title>App</title><div id=app></div>\
    <noscript>You need to enable JavaScript to run this app.</noscript>\
    <script src=/app.js></script>";

/// The response of a URL.
#[derive(Debug, Clone)]
pub enum Answer {
    Html(String),
    Text(String),
    Xml(String),
    File,
    Status(u16),
    Page(u16, String),
    /// A status with `Retry-After` in seconds.
    Wait(u16, u64),
    Moved(u16, String),
    Failure(Cause),
    /// A response with these headers.
    WithHead(ResponseHead, String),
    /// 405 for `HEAD`, otherwise a file.
    HeadRejected,
    /// A challenge for plain requests; this page for the protected tier.
    ProtectedPage(String),
    /// A challenge for every request.
    Challenge,
    /// An empty shell for plain requests; this page for a browser.
    Shell(String),
}

/// The responses of a site; other URLs are 404.
#[derive(Debug, Clone, Default)]
pub struct Site {
    answers: HashMap<String, VecDeque<Answer>>,
}

impl Site {
    /// A site with these pages, each with its body.
    pub fn of(pages: &[(&str, &str)]) -> Self {
        pages.iter().fold(Self::default(), |site, (url, html)| {
            site.with(url, Answer::Html((*html).to_owned()))
        })
    }

    /// Adds a response of a URL; the last one is repeated.
    pub fn with(mut self, url: &str, answer: Answer) -> Self {
        self.answers.entry(url.to_owned()).or_default().push_back(answer);
        self
    }

    pub fn moved(self, from: &str, to: &str) -> Self {
        self.with(from, Answer::Moved(301, to.to_owned()))
    }

    pub fn robots(self, text: &str) -> Self {
        self.with("https://site.test/robots.txt", Answer::Text(text.to_owned()))
    }

    /// Whether anything answers at this origin.
    pub fn has_origin(&self, origin: &str) -> bool {
        let at = |url: &String| url.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/'));
        self.answers.keys().any(at)
    }

    fn answer(&mut self, url: &str) -> Answer {
        match self.answers.get_mut(url) {
            Some(answers) if answers.len() > 1 => answers.pop_front(),
            Some(answers) => answers.front().cloned(),
            None => None,
        }
        .unwrap_or(Answer::Status(404))
    }
}

/// A site of the lab, at `https://site.test`.
pub fn lab_site(site: &dyn lab::Site) -> Site {
    let (mut scripted, mut paths) =
        (Site::default(), vec!["/".to_owned(), "/robots.txt".to_owned()]);
    let mut seen: HashSet<String> = paths.iter().cloned().collect();
    while let Some(path) = paths.pop() {
        let lab::Reply::Full(whole) = site.answer(&path) else { continue };
        let body = String::from_utf8_lossy(&whole.body).into_owned();
        for link in body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if link.starts_with('/') && seen.insert(link.to_owned()) {
                paths.push(link.to_owned());
            }
        }
        let header = |name| {
            whole.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
        };
        let head = ResponseHead {
            content_type: header("content-type"),
            language: header("content-language"),
            ..ResponseHead::default()
        };
        let answer = match whole.status {
            200 => Answer::WithHead(head, body),
            status => Answer::Status(status),
        };
        scripted = scripted.with(&format!("https://site.test{path}"), answer);
    }
    scripted
}

/// A shop of the lab under its own host, which its pages use.
pub fn lab_shop(shop: &lab::Shop) -> Site {
    let origin = format!("http://{}", shop.host());
    shop.pages().fold(Site::default(), |site, (path, html)| {
        site.with(&format!("{origin}{path}"), Answer::Html(html))
    })
}

/// A plan for `https://site.test/`.
pub fn plan() -> CrawlPlan {
    plan_from("https://site.test/")
}

pub fn plan_from(start: &str) -> CrawlPlan {
    CrawlPlan::new(CanonicalUrl::parse(start).expect("a URL"))
}

#[derive(Debug)]
pub struct Run {
    pub items: Vec<LinkItem>,
    /// The items of any mode.
    pub whole: Vec<Item>,
    pub skipped: Vec<SkippedUrl>,
    pub overlay: Overlay,
    /// Pages and robots.txt in the order of their requests.
    pub requests: Vec<(FetchTask, Millis)>,
    /// The final action: a boundary, an escalation or the end.
    pub end: Action,
    pub commits: Vec<Commit>,
    pub inlinks: HashMap<String, u32>,
    pub units: u64,
}

impl Run {
    /// The delivered URLs, in order.
    pub fn urls(&self) -> Vec<&str> {
        self.whole.iter().map(Item::url).collect()
    }

    pub fn item(&self, url: &str) -> &LinkItem {
        self.items.iter().find(|item| item.url == url).unwrap_or_else(|| panic!("no item {url}"))
    }

    /// An item of mode `markdown`.
    pub fn page(&self, url: &str) -> &MarkdownItem {
        let of = self.whole.iter().find_map(|item| match item {
            Item::Markdown(page) if page.url == url => Some(page),
            _ => None,
        });
        of.unwrap_or_else(|| panic!("no page {url}"))
    }

    /// The products with the overlay applied, as a client reads them.
    pub fn products(&self) -> Vec<ProductItem> {
        let numbered = (0_u64..).zip(&self.whole);
        numbered
            .map(|(place, item)| {
                let mut item = serde_json::to_value(item).expect("JSON");
                self.overlay.apply(place, &mut item);
                serde_json::from_value(item).expect("a product")
            })
            .collect()
    }

    /// An item of mode `products`.
    pub fn product(&self, url: &str) -> ProductItem {
        let found = self.products().into_iter().find(|product| product.url == url);
        found.unwrap_or_else(|| panic!("no product {url} among {:?}", self.urls()))
    }

    /// The latest values of an item.
    pub fn revision(&self, url: &str) -> Revision {
        let at = self.whole.iter().position(|item| item.url() == url);
        let at = at.unwrap_or_else(|| panic!("no item {url}"));
        self.overlay.revisions[at]
    }

    /// The skipped URLs with their reasons.
    pub fn skipped_with_reasons(&self) -> Vec<(&str, &str)> {
        let one = |skipped: &'_ SkippedUrl| skipped.reason.as_str();
        self.skipped.iter().map(|skipped| (skipped.url.as_str(), one(skipped))).collect()
    }

    /// The requested URLs, without robots.txt.
    pub fn pages_requested(&self) -> Vec<&str> {
        let urls = self.requests.iter().map(|(task, _)| task.url.as_str());
        urls.filter(|url| !url.ends_with("/robots.txt")).collect()
    }

    /// The times at which a URL was requested.
    pub fn times(&self, url: &str) -> Vec<i64> {
        let of = self.requests.iter().filter(|(task, _)| task.url.as_str() == url);
        of.map(|(_, at)| at.0).collect()
    }
}

/// Crawls a site from the start in mode `links`.
pub fn crawl(site: &Site, plan: CrawlPlan) -> Run {
    crawl_in(Mode::Links, site, plan)
}

/// Crawls a site from the start.
pub fn crawl_in(mode: Mode, site: &Site, plan: CrawlPlan) -> Run {
    let (run, crawl) = drive(&mut site.clone(), start(mode, plan));
    // The log and the snapshot must restore every run.
    let replayed = replay(mode, crawl.plan().clone(), &run.commits);
    assert_eq!(replayed.state(), crawl.state(), "the log restores another state");
    assert_eq!(replayed.overlay(), crawl.overlay(), "the log restores another overlay");
    let snapshot = crawl.snapshot().expect("a snapshot");
    let restored = registry::replay_site_crawl(mode, crawl.plan().clone(), Some(&snapshot), &[]);
    let restored = restored.expect("it is read");
    assert_eq!(restored.state(), crawl.state(), "the snapshot restores another state");
    assert_eq!(restored.overlay(), crawl.overlay(), "the snapshot restores another overlay");
    run
}

/// Continues where a log ends, in mode `links`.
pub fn resume(site: &Site, plan: CrawlPlan, log: &[Commit]) -> Run {
    resume_in(Mode::Links, site, plan, log)
}

/// Continues where a log ends.
pub fn resume_in(mode: Mode, site: &Site, plan: CrawlPlan, log: &[Commit]) -> Run {
    drive(&mut site.clone(), replay(mode, plan, log)).0
}

/// A run before its first request.
pub fn start(mode: Mode, plan: CrawlPlan) -> SiteCrawl {
    registry::site_crawl(mode, plan).expect("a mode of sites")
}

/// The run that a log restores.
pub fn replay(mode: Mode, plan: CrawlPlan, log: &[Commit]) -> SiteCrawl {
    registry::replay_site_crawl(mode, plan, None, log).expect("the log replays")
}

pub const ANSWER: Duration = Duration::from_millis(10);

/// Answers one request after the other, and commits after each response.
fn drive(site: &mut Site, mut crawl: SiteCrawl) -> (Run, SiteCrawl) {
    let mut now = Millis(0);
    let mut queue = VecDeque::new();
    let (mut items, mut requests, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    let (mut skipped, mut whole) = (Vec::new(), Vec::new());
    let mut input = Input::Begin;
    let end = loop {
        let (mut wake, mut end) = (None, None);
        for action in crawl.handle(input, now) {
            match action {
                Action::Fetch(task) => queue.push_back(task),
                Action::WakeAt(at) => wake = Some(at),
                Action::Abandon(_) => panic!("a crawl has no visits"),
                Action::Fail(error) => panic!("{error}"),
                over @ (Action::ReachBoundary | Action::Escalate(_) | Action::Finish(_)) => {
                    end = Some(over);
                }
            }
        }
        let pending = crawl.take_pending();
        commits.push(pending.commit);
        skipped.extend(pending.skipped);
        items.extend(pending.items.iter().filter_map(|item| item.link()).cloned());
        whole.extend(pending.items);
        if let Some(end) = end {
            break end;
        }
        input = match (queue.pop_front(), wake) {
            (Some(task), _) => {
                requests.push((task.clone(), now));
                now = now.plus(ANSWER);
                respond(site, task)
            }
            (None, Some(at)) => {
                assert!(at > now, "a wake-up in the past");
                now = at;
                Input::Tick
            }
            (None, None) => panic!("the engine waits for nothing"),
        };
    };
    // A list has none.
    let overlay = crawl.overlay().unwrap_or_default();
    let inlinks = whole
        .iter()
        .zip(&overlay.revisions)
        .map(|(item, revision)| (item.url().to_owned(), revision.inlinks))
        .collect();
    let units = crawl.state().units();
    let run = Run { items, whole, skipped, overlay, requests, end, commits, inlinks, units };
    (run, crawl)
}

/// The response of a site to a task.
pub fn respond(site: &mut Site, task: FetchTask) -> Input {
    let is_head = matches!(task.purpose, Purpose::Url { need: BodyNeed::Head, .. });
    let head = |status| ResponseHead { status, elapsed: ANSWER, ..ResponseHead::default() };
    let typed = |kind: &str, body: &str| {
        let content_type = Some(kind.to_owned());
        let size_bytes = body.len() as u64;
        (ResponseHead { content_type, size_bytes, ..head(200) }, body.as_bytes().to_vec())
    };
    let (head, body) = match site.answer(task.url.as_str()) {
        Answer::Html(html) => typed("text/html; charset=utf-8", &html),
        Answer::Text(text) => typed("text/plain", &text),
        Answer::Xml(xml) => typed("application/xml", &xml),
        Answer::File => typed("application/pdf", "%PDF-1.7"),
        Answer::Status(status) => (head(status), Vec::new()),
        Answer::Page(status, html) => {
            let (head, body) = typed("text/html", &html);
            (ResponseHead { status, ..head }, body)
        }
        Answer::Wait(status, seconds) => {
            let retry_after = Some(Duration::from_secs(seconds));
            (ResponseHead { retry_after, ..head(status) }, Vec::new())
        }
        Answer::Moved(status, to) => {
            (ResponseHead { location: Some(to), ..head(status) }, Vec::new())
        }
        Answer::Failure(cause) => return Input::Failed(task, cause),
        Answer::WithHead(own, body) => {
            let content_type = own.content_type.clone().or(Some("text/html".to_owned()));
            (ResponseHead { status: 200, elapsed: ANSWER, content_type, ..own }, body.into_bytes())
        }
        Answer::ProtectedPage(html) if task.fetch_via == FetchVia::Tier => {
            typed("text/html", &html)
        }
        Answer::ProtectedPage(_) | Answer::Challenge => {
            let signs = HeaderSigns::of([("cf-mitigated", "challenge")]);
            (ResponseHead { signs, ..head(403) }, b"Just a moment...".to_vec())
        }
        Answer::Shell(html) if task.fetch_via == FetchVia::Browser => typed("text/html", &html),
        Answer::Shell(_) => typed("text/html", SHELL),
        Answer::HeadRejected if is_head => (head(405), Vec::new()),
        Answer::HeadRejected => {
            let (head, body) = typed("application/pdf", "%PDF-1.7");
            (ResponseHead { status: 206, ..head }, body)
        }
    };
    let body = if is_head { Vec::new() } else { body };
    let response = page::parse_response(&task, head, &body);
    Input::Answered(task, Box::new(response))
}

/// The largest number of page requests in flight, if no response comes after that of the start page.
pub fn most_in_flight(site: &Site, plan: CrawlPlan) -> usize {
    let mut site = site.clone();
    let mut crawl = start(Mode::Links, plan);
    let mut queue: VecDeque<FetchTask> = VecDeque::new();
    let mut input = Input::Begin;
    let mut answered = 0;
    loop {
        for action in crawl.handle(input, Millis(0)) {
            if let Action::Fetch(task) = action {
                queue.push_back(task);
            }
        }
        // robots.txt and the start page.
        if answered == 2 {
            return queue.len();
        }
        let Some(task) = queue.pop_front() else { return 0 };
        answered += 1;
        input = respond(&mut site, task);
    }
}
