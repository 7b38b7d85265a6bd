//! A site as a list of answers, and a driver that carries the engine through it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use contract::{Item, LinkItem, MarkdownItem, Millis, Mode, ProductItem, SkippedUrl};
use crawl::{
    Action, AnswerHead, Crawl, Engine, Input, Means, Plan, Purpose, Reading, RunState, Task, Want,
};
use journal::{Cause, Commit, Overlay, Revision};
use page::HeaderSigns;
use urls::CanonicalUrl;

/// A page that shows nothing without JavaScript.
const SHELL: &str = "<!doctype html><title>App</title><div id=app></div>\
    <noscript>You need to enable JavaScript to run this app.</noscript>\
    <script src=/app.js></script>";

/// How a URL answers.
#[derive(Debug, Clone)]
pub enum Answer {
    Html(String),
    Text(String),
    Xml(String),
    File,
    Status(u16),
    /// A status with a page.
    Page(u16, String),
    /// A status, and the wish to wait so many seconds.
    Wait(u16, u64),
    Moved(u16, String),
    Fails(Cause),
    /// An answer with headers of its own.
    Headed(AnswerHead, String),
    /// 405 to whoever asks for the head alone, else a file.
    NoHead,
    /// A wall to plain requests; this page to whoever comes by the tier.
    Walled(String),
    /// A wall to everybody.
    Wall,
    /// An empty shell to plain requests; this page in a browser.
    Shell(String),
}

/// The answers of a site; what is not listed is not there.
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

    /// One more answer of a URL: the last of them stays.
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
pub fn of_lab(site: &dyn lab::Site) -> Site {
    let (mut scripted, mut paths) =
        (Site::default(), vec!["/".to_owned(), "/robots.txt".to_owned()]);
    let mut seen: HashSet<String> = paths.iter().cloned().collect();
    while let Some(path) = paths.pop() {
        let lab::Reply::Whole(whole) = site.answer(&path) else { continue };
        let body = String::from_utf8_lossy(&whole.body).into_owned();
        for link in body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if link.starts_with('/') && seen.insert(link.to_owned()) {
                paths.push(link.to_owned());
            }
        }
        let header = |name| {
            whole.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
        };
        let head = AnswerHead {
            content_type: header("content-type"),
            language: header("content-language"),
            ..AnswerHead::default()
        };
        let answer = match whole.status {
            200 => Answer::Headed(head, body),
            status => Answer::Status(status),
        };
        scripted = scripted.with(&format!("https://site.test{path}"), answer);
    }
    scripted
}

/// A shop of the lab under its own name, which its pages use.
pub fn of_shop(shop: &lab::Shop) -> Site {
    let origin = format!("http://{}", shop.host());
    shop.pages().fold(Site::default(), |site, (path, html)| {
        site.with(&format!("{origin}{path}"), Answer::Html(html))
    })
}

/// A plan for `https://site.test/`.
pub fn plan() -> Plan {
    plan_from("https://site.test/")
}

pub fn plan_from(start: &str) -> Plan {
    Plan::new(CanonicalUrl::parse(start).expect("a URL"), Mode::Links)
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    pub items: Vec<LinkItem>,
    /// The items as they are, of any mode.
    pub whole: Vec<Item>,
    pub skipped: Vec<SkippedUrl>,
    pub overlay: Overlay,
    /// Pages and robots.txt in the order in which they were asked for.
    pub asked: Vec<(Task, Millis)>,
    /// Boundary or end.
    pub end: Action,
    pub commits: Vec<Commit>,
    pub inlinks: HashMap<String, u32>,
    pub units: u64,
}

impl Run {
    /// The URLs delivered, in their order.
    pub fn urls(&self) -> Vec<&str> {
        self.whole.iter().map(Item::url).collect()
    }

    pub fn item(&self, url: &str) -> &LinkItem {
        self.items.iter().find(|item| item.url == url).unwrap_or_else(|| panic!("no item {url}"))
    }

    /// A page of a run that delivers texts.
    pub fn page(&self, url: &str) -> &MarkdownItem {
        let of = self.whole.iter().find_map(|item| match item {
            Item::Markdown(page) if page.url == url => Some(page),
            _ => None,
        });
        of.unwrap_or_else(|| panic!("no page {url}"))
    }

    /// The products as whoever reads them in the end gets them.
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

    /// A product of a run that delivers products.
    pub fn product(&self, url: &str) -> ProductItem {
        let found = self.products().into_iter().find(|product| product.url == url);
        found.unwrap_or_else(|| panic!("no product {url} among {:?}", self.urls()))
    }

    /// The URL of an item, and what is known of it in the end.
    pub fn revision(&self, url: &str) -> Revision {
        let at = self.whole.iter().position(|item| item.url() == url);
        let at = at.unwrap_or_else(|| panic!("no item {url}"));
        self.overlay.revisions[at]
    }

    /// What was left out, and why.
    pub fn left_out(&self) -> Vec<(&str, &str)> {
        let one = |skipped: &'_ SkippedUrl| skipped.reason.as_str();
        self.skipped.iter().map(|skipped| (skipped.url.as_str(), one(skipped))).collect()
    }

    /// The URLs asked for, without robots.txt.
    pub fn pages_asked(&self) -> Vec<&str> {
        let urls = self.asked.iter().map(|(task, _)| task.url.as_str());
        urls.filter(|url| !url.ends_with("/robots.txt")).collect()
    }

    /// When a URL was asked for.
    pub fn times(&self, url: &str) -> Vec<i64> {
        let of = self.asked.iter().filter(|(task, _)| task.url.as_str() == url);
        of.map(|(_, at)| at.0).collect()
    }
}

/// Crawls a site from the beginning.
pub fn crawl(site: &Site, plan: Plan) -> Run {
    let (run, crawl) = drive(&mut site.clone(), Crawl::new(plan));
    // Whatever a run does, its log and its snapshot give it back.
    let replayed = Crawl::replay(crawl.plan().clone(), None, &run.commits).expect("it replays");
    assert_eq!(replayed.state(), crawl.state(), "the log tells another story");
    let snapshot = crawl.snapshot().expect("a snapshot");
    assert_eq!(&snapshot.state::<RunState>().expect("it is read"), crawl.state());
    run
}

/// Goes on where a log ends.
pub fn go_on(site: &Site, plan: Plan, log: &[Commit]) -> Run {
    drive(&mut site.clone(), Crawl::replay(plan, None, log).expect("the log replays")).0
}

/// How long an answer takes, in milliseconds.
pub const ANSWER: Duration = Duration::from_millis(10);

/// Answers one request after the other; commits after each answer.
fn drive(site: &mut Site, mut crawl: Crawl) -> (Run, Crawl) {
    let mut now = Millis(0);
    let mut queue = VecDeque::new();
    let (mut items, mut asked, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    let (mut skipped, mut whole) = (Vec::new(), Vec::new());
    let mut input = Input::Begin;
    let end = loop {
        let (mut wake, mut end) = (None, None);
        for action in crawl.handle(input, now) {
            match action {
                Action::Fetch(task) => queue.push_back(task),
                Action::WakeAt(at) => wake = Some(at),
                Action::Abandon(_) => panic!("a crawl has no visits"),
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
                asked.push((task.clone(), now));
                now = now.plus(ANSWER);
                told(site, task)
            }
            (None, Some(at)) => {
                assert!(at > now, "a wake-up in the past");
                now = at;
                Input::Tick
            }
            (None, None) => panic!("the engine waits for nothing"),
        };
    };
    let overlay = crawl.state().overlay();
    let inlinks = whole
        .iter()
        .zip(&overlay.revisions)
        .map(|(item, revision)| (item.url().to_owned(), revision.inlinks))
        .collect();
    let units = crawl.state().units();
    let run = Run { items, whole, skipped, overlay, asked, end, commits, inlinks, units };
    (run, crawl)
}

/// What a site answers to a task.
pub fn told(site: &mut Site, task: Task) -> Input {
    let is_head = matches!(task.purpose, Purpose::Url { want: Want::Head, .. });
    let head = |status| AnswerHead { status, elapsed: ANSWER, ..AnswerHead::default() };
    let typed = |kind: &str, body: &str| {
        let content_type = Some(kind.to_owned());
        let size_bytes = body.len() as u64;
        (AnswerHead { content_type, size_bytes, ..head(200) }, body.as_bytes().to_vec())
    };
    let (head, body) = match site.answer(task.url.as_str()) {
        Answer::Html(html) => typed("text/html; charset=utf-8", &html),
        Answer::Text(text) => typed("text/plain", &text),
        Answer::Xml(xml) => typed("application/xml", &xml),
        Answer::File => typed("application/pdf", "%PDF-1.7"),
        Answer::Status(status) => (head(status), Vec::new()),
        Answer::Page(status, html) => {
            let (head, body) = typed("text/html", &html);
            (AnswerHead { status, ..head }, body)
        }
        Answer::Wait(status, seconds) => {
            let retry_after = Some(Duration::from_secs(seconds));
            (AnswerHead { retry_after, ..head(status) }, Vec::new())
        }
        Answer::Moved(status, to) => {
            (AnswerHead { location: Some(to), ..head(status) }, Vec::new())
        }
        Answer::Fails(cause) => return Input::Failed(task, cause),
        Answer::Headed(own, body) => {
            let content_type = own.content_type.clone().or(Some("text/html".to_owned()));
            (AnswerHead { status: 200, elapsed: ANSWER, content_type, ..own }, body.into_bytes())
        }
        Answer::Walled(html) if task.means == Means::Tier => typed("text/html", &html),
        Answer::Walled(_) | Answer::Wall => {
            let signs = HeaderSigns::of([("cf-mitigated", "challenge")]);
            (AnswerHead { signs, ..head(403) }, b"Just a moment...".to_vec())
        }
        Answer::Shell(html) if task.means == Means::Browser => typed("text/html", &html),
        Answer::Shell(_) => typed("text/html", SHELL),
        Answer::NoHead if is_head => (head(405), Vec::new()),
        Answer::NoHead => {
            let (head, body) = typed("application/pdf", "%PDF-1.7");
            (AnswerHead { status: 206, ..head }, body)
        }
    };
    let body = if is_head { Vec::new() } else { body };
    let reading = Reading::of(&task, head, &body);
    Input::Answered(task, Box::new(reading))
}
