//! A site as a list of answers, and a driver that carries the engine through it.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use contract::{Item, LinkItem, Millis, Mode};
use crawl::{Action, AnswerHead, Crawl, Input, Plan, Reading, Task};
use journal::{Cause, Commit};
use site::CanonicalUrl;

/// How a URL answers.
#[derive(Debug, Clone)]
pub enum Answer {
    Html(String),
    Text(String),
    File,
    Status(u16),
    /// A status with a page.
    Page(u16, String),
    /// A status, and the wish to wait so many seconds.
    Wait(u16, u64),
    Moved(u16, String),
    Fails(Cause),
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

    fn answer(&mut self, url: &str) -> Answer {
        match self.answers.get_mut(url) {
            Some(answers) if answers.len() > 1 => answers.pop_front(),
            Some(answers) => answers.front().cloned(),
            None => None,
        }
        .unwrap_or(Answer::Status(404))
    }
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
        self.items.iter().map(|item| item.url.as_str()).collect()
    }

    pub fn item(&self, url: &str) -> &LinkItem {
        self.items.iter().find(|item| item.url == url).unwrap_or_else(|| panic!("no item {url}"))
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
    drive(&mut site.clone(), Crawl::new(plan))
}

/// Goes on where a log ends.
pub fn go_on(site: &Site, plan: Plan, log: &[Commit]) -> Run {
    drive(&mut site.clone(), Crawl::replay(plan, None, log).expect("the log replays"))
}

/// How long an answer takes, in milliseconds.
pub const ANSWER: Duration = Duration::from_millis(10);

/// Answers one request after the other; commits after each answer.
fn drive(site: &mut Site, mut crawl: Crawl) -> Run {
    let mut now = Millis(0);
    let mut queue = VecDeque::new();
    let (mut items, mut asked, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    let mut input = Input::Begin;
    let end = loop {
        let (mut wake, mut end) = (None, None);
        for action in crawl.handle(input, now) {
            match action {
                Action::Fetch(task) => queue.push_back(task),
                Action::WakeAt(at) => wake = Some(at),
                over @ (Action::ReachBoundary | Action::Finish(_)) => end = Some(over),
            }
        }
        let pending = crawl.take_pending();
        commits.push(pending.commit);
        items.extend(pending.items.into_iter().map(|Item::Link(link)| *link));
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
    let inlinks = items
        .iter()
        .zip(&overlay.revisions)
        .map(|(item, revision)| (item.url.clone(), revision.inlinks))
        .collect();
    Run { items, asked, end, commits, inlinks, units: crawl.state().units() }
}

fn told(site: &mut Site, task: Task) -> Input {
    let head = |status| AnswerHead { status, elapsed: ANSWER, ..AnswerHead::default() };
    let typed = |kind: &str, body: &str| {
        let content_type = Some(kind.to_owned());
        let size_bytes = body.len() as u64;
        (AnswerHead { content_type, size_bytes, ..head(200) }, body.as_bytes().to_vec())
    };
    let (head, body) = match site.answer(task.url.as_str()) {
        Answer::Html(html) => typed("text/html; charset=utf-8", &html),
        Answer::Text(text) => typed("text/plain", &text),
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
    };
    let reading = Reading::of(&task, head, &body);
    Input::Answered(task, Box::new(reading))
}
