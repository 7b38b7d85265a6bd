//! A site behind a login: a form with a CSRF token, and sessions that expire.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::lab_state::lock;
use crate::{Reply, Request, Site, SiteTruth};

/// The user name and the password of the form.
pub const MEMBER: (&str, &str) = ("ada", "correct-horse-battery-staple");

/// Pages that only members see. Without a valid session each redirects to `/login`. Clones share
/// their sessions.
#[derive(Debug, Clone)]
pub struct Members {
    pages: usize,
    /// Pages after which a session has expired.
    session_pages: usize,
    shared: Arc<MembersState>,
}

#[derive(Debug, Default)]
struct MembersState {
    /// Sessions of members, with the number of pages that each has got.
    sessions: Mutex<HashMap<String, usize>>,
    /// The CSRF token of each session that has got the form.
    tokens: Mutex<HashMap<String, String>>,
    logins: AtomicUsize,
    rejected: AtomicUsize,
    minted: AtomicUsize,
}

impl Members {
    /// A site with this many pages below `/`, and sessions that do not expire.
    #[must_use]
    pub fn new(pages: usize) -> Self {
        Self { pages, session_pages: usize::MAX, shared: Arc::default() }
    }

    /// Ends each session after this many pages.
    #[must_use]
    pub fn expiring_after(self, session_pages: usize) -> Self {
        Self { session_pages, ..self }
    }

    /// Number of successful logins.
    #[must_use]
    pub fn logins(&self) -> usize {
        self.shared.logins.load(Ordering::Relaxed)
    }

    /// Number of submitted forms with a wrong password or CSRF token.
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.shared.rejected.load(Ordering::Relaxed)
    }

    /// Ends the sessions of all members.
    pub fn end_sessions(&self) {
        lock(&self.shared.sessions).clear();
    }

    fn mint(&self, kind: &str) -> String {
        format!("{kind}{}", self.shared.minted.fetch_add(1, Ordering::Relaxed))
    }

    /// The form, with a token that belongs to a new session cookie.
    fn form(&self, note: &str) -> Reply {
        let (anonymous, token) = (self.mint("anonymous"), self.mint("token"));
        lock(&self.shared.tokens).insert(anonymous.clone(), token.clone());
        Reply::html(format!(
            "<title>Sign in</title><h1>Sign in</h1><p>{note}</p>\
             <form method=post action=/login><input type=hidden name=csrf value={token}>\
             <input id=user name=user><input id=password name=password type=password>\
             <button id=go>Sign in</button></form>"
        ))
        .with_header("set-cookie", format!("session={anonymous}; Path=/; HttpOnly"))
    }

    fn submitted(&self, request: &Request<'_>) -> Reply {
        let session = request.cookie("session").unwrap_or_default();
        let token = lock(&self.shared.tokens).remove(session);
        let is_own = token.is_some() && token == request.form_field("csrf");
        let is_member = request.form_field("user").as_deref() == Some(MEMBER.0)
            && request.form_field("password").as_deref() == Some(MEMBER.1);
        if !is_own || !is_member {
            self.shared.rejected.fetch_add(1, Ordering::Relaxed);
            return self.form("The password or the form is not valid.");
        }
        self.shared.logins.fetch_add(1, Ordering::Relaxed);
        let session = self.mint("member");
        lock(&self.shared.sessions).insert(session.clone(), 0);
        Reply::redirect(302, "/welcome")
            .with_header("set-cookie", format!("session={session}; Path=/; HttpOnly"))
    }

    /// Whether the request has a valid session, which gets one page more.
    fn is_member(&self, request: &Request<'_>) -> bool {
        let Some(session) = request.cookie("session") else { return false };
        let mut sessions = lock(&self.shared.sessions);
        let Some(pages) = sessions.get_mut(session) else { return false };
        *pages += 1;
        if *pages > self.session_pages {
            sessions.remove(session);
            return false;
        }
        true
    }

    fn page(&self, path: &str) -> Option<Reply> {
        let links = |numbers: std::ops::Range<usize>| -> String {
            numbers.map(|n| format!("<a href=/page/{n}>Page {n}</a> ")).collect()
        };
        let words = "Only members of this site can read the text of this page. ".repeat(6);
        let body = match path {
            "/" => links(0..self.pages.min(10)),
            path => {
                let n: usize = path.strip_prefix("/page/")?.parse().ok()?;
                if n >= self.pages {
                    return None;
                }
                links((n + 10).min(self.pages)..(n + 11).min(self.pages))
            }
        };
        Some(Reply::html(format!(
            "<title>Page {path}</title><main><h1>Page {path}</h1><p>{words} {path}</p>{body}</main>"
        )))
    }
}

impl Site for Members {
    fn answer(&self, path_and_query: &str) -> Reply {
        self.respond(&Request::plain(path_and_query))
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        match (request.method(), request.path()) {
            (_, "/robots.txt") => Reply::text(""),
            ("POST", "/login") => self.submitted(request),
            (_, "/login") => self.form(""),
            // The page after a login counts for no session.
            (_, "/welcome") => Reply::html("<title>Welcome</title><p id=member>You are signed in."),
            (_, path) if !self.is_member(request) => {
                Reply::redirect(302, format!("/login?next={path}"))
            }
            (_, path) => self.page(path).unwrap_or_else(|| Reply::status(404)),
        }
    }

    /// The truth for a run that is logged in.
    fn truth(&self) -> SiteTruth {
        let pages = (0..self.pages).map(|n| format!("/page/{n}"));
        SiteTruth::of_pages(pages.chain(["/".to_owned()]))
    }
}
