//! Whoever sits at the browser.

use std::fmt;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use contract::{AccountId, Credits};
use maud::{Markup, html};

use crate::{ConsoleState, Failure, session};

/// A person who is signed in. As an extractor it leads everybody else to the sign-in page, and
/// back from there.
pub(crate) struct Person {
    pub account: AccountId,
    pub email: String,
    /// May see the operator's pages.
    pub admin: bool,
    /// What the account has to spend.
    pub balance: Credits,
    token: String,
}

impl Person {
    /// The token of the session, for calls of the API.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The field that every form which posts must hold.
    pub fn form_token(&self) -> Markup {
        html! { input type="hidden" name="form_token" value=(session::form_token(&self.token)); }
    }

    /// Whoever this session belongs to.
    pub async fn of_session(token: String, state: &ConsoleState) -> Result<Option<Self>, Failure> {
        let store = state.store();
        let Some(caller) = store.authenticate_session(&token, state.now()).await? else {
            return Ok(None);
        };
        let Some(account) = store.account(&caller.account).await? else { return Ok(None) };
        Ok(Some(Self {
            balance: account.available(),
            account: account.id,
            email: account.email,
            admin: account.admin,
            token,
        }))
    }
}

impl fmt::Debug for Person {
    // The token never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person").field("account", &self.account).finish_non_exhaustive()
    }
}

impl FromRequestParts<ConsoleState> for Person {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> Result<Self, Failure> {
        let person = match session::token(&parts.headers, state) {
            Some(token) => Self::of_session(token, state).await?,
            None => None,
        };
        person.ok_or_else(|| {
            if is_fetch(&parts.headers) {
                return Failure::SignedOut;
            }
            // What was posted is lost with the session: there is nothing to come back to.
            let asked = parts.uri.path_and_query().map(|path| path.as_str().to_owned());
            Failure::SignIn { next: asked.filter(|_| parts.method == Method::GET) }
        })
    }
}

/// Whether a script asks, which has no use for the page that a person would be led to.
fn is_fetch(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_some_and(|dest| dest == "empty")
}
