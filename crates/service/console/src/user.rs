//! The signed-in user of the console.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use client::RequestOrigin;
use contract::{AccountId, AuditActorKind, Credits};
use maud::{Markup, html};
use store::{AuditOrigin, Store};

use crate::{ConsoleState, PageError, PageResult, UserApi, session};

/// A signed-in user. As an extractor it redirects requests without a session to the sign-in page.
pub(crate) struct ConsoleUser {
    /// The state of the console, for handlers.
    pub state: ConsoleState,
    pub account: AccountId,
    pub email: String,
    /// Whether the user may see the operator pages.
    pub admin: bool,
    /// The available credits of the account.
    pub balance: Credits,
    token: String,
    origin: RequestOrigin,
}

impl ConsoleUser {
    /// The API with the session of this user.
    pub fn api(&self) -> UserApi<'_> {
        UserApi::new(&self.state.client, &self.token, &self.origin)
    }

    /// The session token for calls of the API.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The store with this operator as the actor of all changes.
    pub fn operating(&self) -> Store {
        let actor = AuditOrigin::of(AuditActorKind::Operator, Some(self.account.to_string()));
        self.state.store.acting(AuditOrigin {
            address: self.origin.address(self.state.settings.trust_forwarded_for),
            request: self.origin.request.clone(),
            at: Some(self.state.now()),
            ..actor
        })
    }

    /// The hidden field that every form that posts must contain.
    pub fn form_token(&self) -> Markup {
        html! { input type="hidden" name="form_token" value=(session::form_token(&self.token)); }
    }

    /// The user of a session token.
    pub async fn of_session(
        token: String,
        origin: RequestOrigin,
        state: &ConsoleState,
    ) -> PageResult<Option<Self>> {
        let store = &state.store;
        let Some(caller) = store.authenticate_session(&token, state.now()).await? else {
            return Ok(None);
        };
        let Some(account) = store.account(&caller.account).await? else { return Ok(None) };
        if account.suspended_at.is_some() {
            let message = "This account is suspended. Ask the operator of the service.";
            return Err(PageError::rejected(StatusCode::FORBIDDEN, message));
        }
        Ok(Some(Self {
            state: state.clone(),
            balance: account.available(),
            account: account.id,
            email: account.email,
            admin: account.admin,
            token,
            origin,
        }))
    }
}

runtime::partial_debug!(ConsoleUser, account);

impl FromRequestParts<ConsoleState> for ConsoleUser {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> PageResult<Self> {
        let user = match session::token(&parts.headers, state) {
            Some(token) => Self::of_session(token, RequestOrigin::of(parts), state).await?,
            None => None,
        };
        user.ok_or_else(|| {
            if is_fetch(&parts.headers) {
                return PageError::SignedOut;
            }
            // A posted form is lost with the session: there is no page to return to.
            let asked = parts.uri.path_and_query().map(|path| path.as_str().to_owned());
            PageError::SignIn { next: asked.filter(|_| parts.method == Method::GET) }
        })
    }
}

/// Whether a script sent the request; it gets 401 instead of a redirect.
fn is_fetch(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_some_and(|dest| dest == "empty")
}
