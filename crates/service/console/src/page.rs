//! The layout of all pages.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::assets::{AssetName, CONSOLE_CSS, LOCAL_TIME_JS, MARK_SVG, SHORTCUTS_JS, THEME_JS};
use crate::number_format::number;
use crate::{ConsoleUser, assets};

/// Entries of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Runs,
    NewRun,
    ReadPage,
    Schedules,
    Account,
    Docs,
    Operator,
}

impl Section {
    const ALL: [Self; 7] = [
        Self::Runs,
        Self::NewRun,
        Self::ReadPage,
        Self::Schedules,
        Self::Account,
        Self::Docs,
        Self::Operator,
    ];

    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::Runs => ("/runs", "Runs"),
            Self::NewRun => ("/runs/new", "New run"),
            Self::ReadPage => ("/read", "Read a page"),
            Self::Schedules => ("/schedules", "Schedules"),
            Self::Account => ("/account", "Account"),
            Self::Docs => ("/docs", "Docs"),
            Self::Operator => ("/operator", "Operator"),
        }
    }

    fn is_for(self, user: &ConsoleUser) -> bool {
        self != Self::Operator || user.admin
    }
}

/// A page under construction.
#[derive(Debug)]
pub(crate) struct ConsolePage<'a> {
    title: String,
    user: Option<&'a ConsoleUser>,
    section: Option<Section>,
    scripts: Vec<AssetName>,
    /// Style sheets besides that of all pages.
    styles: Vec<AssetName>,
    policy: Option<HeaderValue>,
    status: StatusCode,
    /// The heading and the tabs above the content.
    tabs: Option<Markup>,
}

/// A tab: its path and name.
pub(crate) type Tab = (&'static str, &'static str);

impl<'a> ConsolePage<'a> {
    /// A page of a signed-in user.
    pub fn of(user: &'a ConsoleUser, title: impl Into<String>) -> Self {
        Self { user: Some(user), ..Self::public(title) }
    }

    /// A page without a session.
    pub fn public(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            user: None,
            section: None,
            scripts: Vec::new(),
            styles: Vec::new(),
            policy: None,
            status: StatusCode::OK,
            tabs: None,
        }
    }

    /// A page of a section with tabs; `path` is that of the selected one.
    pub fn tab(user: &'a ConsoleUser, section: Section, tabs: &[Tab], path: &str) -> Self {
        let name = tabs.iter().find(|tab| tab.0 == path).map_or("", |tab| tab.1);
        let (_, heading) = section.link();
        let tabs = html! {
            div.head { h1 { (heading) } }
            nav.tabs aria-label=(heading) {
                @for (other, name) in tabs {
                    a href=(other) aria-current=[(*other == path).then_some("page")] { (name) }
                }
            }
        };
        Self { tabs: Some(tabs), ..Self::of(user, name).at(section) }
    }

    /// Sets the status code of the response.
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Marks the current entry of the navigation.
    pub fn at(mut self, section: Section) -> Self {
        self.section = Some(section);
        self
    }

    /// Adds a script of `assets.rs`; the page must work without it.
    pub fn script(mut self, name: AssetName) -> Self {
        self.scripts.push(name);
        self
    }

    /// Adds a style sheet of `assets.rs`.
    pub fn style(mut self, name: AssetName) -> Self {
        self.styles.push(name);
        self
    }

    /// Replaces the content security policy of `page_middleware`.
    pub fn policy(mut self, policy: HeaderValue) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Renders the page with its content.
    #[expect(clippy::needless_pass_by_value, reason = "the content goes into the page")]
    pub fn show(self, content: Markup) -> Response {
        let Self { title, user, section, scripts, styles, policy, status, tabs } = self;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " · Trawl" }
                    script src=(assets::path(THEME_JS)) {}
                    link rel="icon" type="image/svg+xml" href=(assets::path(MARK_SVG));
                    link rel="stylesheet" href=(assets::path(CONSOLE_CSS));
                    @for style in styles {
                        link rel="stylesheet" href=(assets::path(style));
                    }
                    // Do not paint before the page is complete: columns of a table that arrives in
                    // chunks would move.
                    link rel="expect" href="#end" blocking="render";
                    script type="module" src=(assets::path(LOCAL_TIME_JS)) {}
                    script type="module" src=(assets::path(SHORTCUTS_JS)) {}
                    @for script in scripts {
                        script type="module" src=(assets::path(script)) {}
                    }
                }
                body {
                    a.skip href="#content" { "Skip to content" }
                    header.top {
                        a.brand href="/runs" { img src=(assets::path(MARK_SVG)) alt="" width="22" height="22"; "Trawl" }
                        @if let Some(user) = user {
                            (navigation(user, section))
                        } @else if section == Some(Section::Docs) {
                            (public_navigation())
                        }
                    }
                    main id="content" { @if let Some(tabs) = tabs { (tabs) } (content) }
                    @if user.is_some() || section == Some(Section::Docs) { (shortcuts()) }
                    footer.bottom {
                        a href="/docs" { "Documentation" }
                        a href="/docs/api" { "API reference" }
                        a href="/bot" { "About the crawler" }
                        span.quiet id="zone" { "Times in UTC" }
                        div.display {
                            @if user.is_some() || section == Some(Section::Docs) {
                                button.plain type="button" id="open-shortcuts" { "Keyboard shortcuts" }
                            }
                            label for="theme" { "Theme" }
                            select id="theme" autocomplete="off" {
                                option value="" { "System" }
                                option value="light" { "Light" }
                                option value="dark" { "Dark" }
                            }
                        }
                    }
                    div id="end" hidden {}
                }
            }
        };
        let mut response = (status, Html(page.into_string())).into_response();
        if let Some(policy) = policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// The navigation of pages that need no session.
fn public_navigation() -> Markup {
    html! {
        nav.sections aria-label="Console" {
            a href="/docs" aria-current="page" { "Docs" }
            a href="/sign-in" { "Sign in" }
        }
    }
}

/// The keys of `shortcuts.js` and what they do.
const SHORTCUTS: [(&[&str], &str); 7] = [
    (&["/"], "Search"),
    (&["n"], "New run"),
    (&["g", "r"], "Runs"),
    (&["g", "s"], "Schedules"),
    (&["g", "a"], "Account"),
    (&["g", "d"], "Documentation"),
    (&["?"], "This list"),
];

/// The list of keyboard shortcuts, which a script opens.
fn shortcuts() -> Markup {
    html! {
        dialog id="shortcuts" aria-labelledby="shortcuts-title" {
            h2 id="shortcuts-title" { "Keyboard shortcuts" }
            dl.pairs {
                @for (keys, action) in SHORTCUTS {
                    dt { @for key in keys { kbd { (key) } " " } }
                    dd { (action) }
                }
            }
            div.tick {
                input id="use-shortcuts" type="checkbox" checked autocomplete="off";
                label for="use-shortcuts" { "Use these shortcuts in this browser" }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}

/// The sections and the account: a row, or on a small screen a menu behind a button, also without
/// script.
fn navigation(user: &ConsoleUser, here: Option<Section>) -> Markup {
    html! {
        a.balance.narrow-only href="/account" title="Available credits" {
            b { (number(user.balance.0)) } " credits"
        }
        button.menu-button type="button" popovertarget="menu" { "Menu" }
        div.menu id="menu" popover="auto" { (menu(user, here)) }
    }
}

fn menu(user: &ConsoleUser, here: Option<Section>) -> Markup {
    html! {
        nav.sections aria-label="Console" {
            @for section in Section::ALL.into_iter().filter(|section| section.is_for(user)) {
                @let (path, name) = section.link();
                a href=(path) aria-current=[(here == Some(section)).then_some("page")] { (name) }
            }
        }
        div.self {
            a.balance.wide-only href="/account" title="Available credits" {
                b { (number(user.balance.0)) } " credits"
            }
            span.who title=(user.email) { (user.email) }
            form method="post" action="/sign-out" {
                (user.form_token())
                button.plain type="submit" { "Sign out" }
            }
        }
    }
}
