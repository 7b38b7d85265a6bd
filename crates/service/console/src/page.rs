//! A page in its layout.

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::assets::{CONSOLE_CSS, MARK_SVG, Name};
use crate::words::number;
use crate::{Person, assets};

/// The parts of the console that the navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Runs,
    NewRun,
    Schedules,
    Account,
    Operator,
}

impl Section {
    const ALL: [Self; 5] =
        [Self::Runs, Self::NewRun, Self::Schedules, Self::Account, Self::Operator];

    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Runs => ("/runs", "Runs"),
            Self::NewRun => ("/runs/new", "New run"),
            Self::Schedules => ("/schedules", "Schedules"),
            Self::Account => ("/account", "Account"),
            Self::Operator => ("/operator", "Operator"),
        }
    }

    fn is_for(self, person: &Person) -> bool {
        self != Self::Operator || person.admin
    }
}

/// A page that is being made.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    title: String,
    person: Option<&'a Person>,
    section: Option<Section>,
    scripts: Vec<Name>,
    policy: Option<HeaderValue>,
}

impl<'a> Page<'a> {
    /// A page for somebody who is signed in.
    pub fn of(person: &'a Person, title: impl Into<String>) -> Self {
        Self { person: Some(person), ..Self::for_anybody(title) }
    }

    /// A page that needs no session, and shows nothing of one.
    pub fn for_anybody(title: impl Into<String>) -> Self {
        Self { title: title.into(), person: None, section: None, scripts: Vec::new(), policy: None }
    }

    /// Where it is in the navigation.
    pub fn at(mut self, section: Section) -> Self {
        self.section = Some(section);
        self
    }

    /// With a script of `assets.rs`; the page works without it.
    pub fn script(mut self, name: Name) -> Self {
        self.scripts.push(name);
        self
    }

    /// With another policy than that of `frame.rs`.
    pub fn policy(mut self, policy: HeaderValue) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The page around what it has to say.
    #[expect(clippy::needless_pass_by_value, reason = "the content goes into the page")]
    pub fn show(self, content: Markup) -> Response {
        let Self { title, person, section, scripts, policy } = self;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " · Trawl" }
                    link rel="icon" type="image/svg+xml" href=(assets::path(MARK_SVG));
                    link rel="stylesheet" href=(assets::path(CONSOLE_CSS));
                    // Nothing is painted before the page is whole: the columns of a table that
                    // comes in pieces would move.
                    link rel="expect" href="#end" blocking="render";
                    @for script in scripts {
                        script type="module" src=(assets::path(script)) {}
                    }
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header.top {
                        a.brand href="/runs" { img src=(assets::path(MARK_SVG)) alt="" width="22" height="22"; "Trawl" }
                        @if let Some(person) = person {
                            (navigation(person, section))
                        }
                    }
                    main id="content" { (content) }
                    footer.bottom id="end" {
                        a href="/docs/" { "API reference" }
                        a href="/bot" { "About the crawler" }
                    }
                }
            }
        };
        let mut response = Html(page.into_string()).into_response();
        if let Some(policy) = policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

fn navigation(person: &Person, here: Option<Section>) -> Markup {
    html! {
        nav.sections aria-label="Console" {
            @for section in Section::ALL.into_iter().filter(|section| section.is_for(person)) {
                @let (path, name) = section.link();
                a href=(path) aria-current=[(here == Some(section)).then_some("page")] { (name) }
            }
        }
        div.self {
            a.balance href="/account" title="Credits that you can spend" {
                b { (number(person.balance.0)) } " credits"
            }
            span.who title=(person.email) { (person.email) }
            form method="post" action="/sign-out" {
                (person.form_token())
                button.plain type="submit" { "Sign out" }
            }
        }
    }
}
