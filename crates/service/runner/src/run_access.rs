//! What the requests of a run are sent with: the client's credentials and the session of its login.
//! All of it goes to the origin of the run only.
//!
//! A login is executed before the first request, and again when a page shows that the session has
//! ended. One login at a time: requests that wait for it use its session.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Millis, SiteAccess};
use crawl::{FetchTask, Purpose};
use http::HeaderMap;
use http::header::COOKIE;
use net::{
    CookieJar, Fetch, FetchError, FetchRequest, FetchResponse, LoginScope, PageScript, ScriptStep,
    SiteCookie, SiteHeaders, WaitFor, credential_headers,
};
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::Mutex as AsyncMutex;
use urls::CanonicalUrl;

use crate::page_fetch::PageFetch;

/// Maximum logins of a run, failed ones included.
pub const MAX_LOGINS: u32 = 20;

/// Maximum time of one login.
const LOGIN_TIME: Duration = Duration::from_secs(30);

/// Attempts of the first login if its page cannot be loaded, and the pause between them.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(2);

/// Maximum refusals in a row that lead to no login, after logins that changed nothing.
const MAX_PATIENCE: u32 = 64;

/// A login that failed, as a message for the client. It names the step and no secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoginError {
    /// Another attempt would fail as well.
    #[error("login: {0}")]
    Failed(String),
    /// The page of the login could not be loaded.
    #[error("login: {0}")]
    Unavailable(String),
}

/// The steps of a login and their page.
#[derive(Debug)]
pub struct RunLogin {
    pub url: CanonicalUrl,
    pub steps: Vec<ScriptStep>,
    /// What is waited for after the steps.
    pub wait_for: Option<WaitFor>,
}

/// The session of a run, as it is kept for the next node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunSession {
    pub cookies: Vec<SiteCookie>,
    /// Number of logins so far.
    pub logins: u32,
}

/// Keeps the session of a run for a node that continues it.
#[async_trait]
pub trait SessionKeeper: Send + Sync {
    async fn keep(&self, session: &RunSession);
}

/// Credentials and session of a run.
pub struct RunAccess {
    /// The start of the run. Everything is sent to its origin only.
    site: CanonicalUrl,
    /// Isolates the state of the browser.
    session: Arc<str>,
    /// Without `Cookie` if there is a jar.
    headers: HeaderMap,
    /// The cookies of the client, with which each session begins.
    given: CookieJar,
    keeps_cookies: bool,
    login: Option<RunLogin>,
    state: Mutex<SessionState>,
    /// Locked during a login.
    logging_in: AsyncMutex<()>,
    keeper: Option<Arc<dyn SessionKeeper>>,
}

runtime::partial_debug!(RunAccess, site);

#[derive(Debug, Default)]
struct SessionState {
    jar: CookieJar,
    /// Increases with each login.
    number: u64,
    logins: u32,
    /// Whether a page was answered in this session, or another node has used it.
    works: bool,
    /// Refused pages since the last one that was answered.
    refusals: u32,
    /// Refusals in a row that lead to a login. More after logins that changed nothing: some pages are
    /// refused in any session.
    patience: u32,
}

impl RunAccess {
    /// The access to the site of a run, with `headers` of the client and its cookies.
    #[must_use]
    pub fn new(
        site: CanonicalUrl,
        run: impl Into<Arc<str>>,
        mut headers: HeaderMap,
        cookies: Vec<SiteCookie>,
        login: Option<RunLogin>,
    ) -> Self {
        let keeps_cookies = login.is_some() || !cookies.is_empty();
        if keeps_cookies {
            headers.remove(COOKIE);
        }
        let mut given = CookieJar::default();
        cookies.into_iter().for_each(|cookie| given.set(cookie));
        let state = SessionState { jar: given.clone(), patience: 1, ..SessionState::default() };
        Self {
            site,
            session: run.into(),
            headers,
            given,
            keeps_cookies,
            login,
            state: Mutex::new(state),
            logging_in: AsyncMutex::default(),
            keeper: None,
        }
    }

    /// The access to the site of a run that starts at `site`, as its request says.
    ///
    /// # Errors
    /// The message for the client, if a header cannot be sent or the login cannot be requested.
    pub fn of_request(
        site: CanonicalUrl,
        run: impl Into<Arc<str>>,
        access: &SiteAccess,
    ) -> Result<Self, String> {
        let headers = credential_headers(&access.credentials())
            .map_err(|name| format!("the header {name} cannot be sent"))?;
        let cookies = access.cookies.iter().map(|(name, value)| SiteCookie {
            name: name.clone(),
            value: value.clone(),
            path: "/".to_owned(),
        });
        let login = access.login.as_ref().map(|login| {
            let url = CanonicalUrl::parse(&login.url);
            let url = url.map_err(|_| "login: its URL cannot be requested".to_owned())?;
            let steps = login.actions.iter().cloned().map(Into::into).collect();
            Ok::<_, String>(RunLogin {
                url,
                steps,
                wait_for: login.wait_for.clone().map(Into::into),
            })
        });
        Ok(Self::new(site, run, headers, cookies.collect(), login.transpose()?))
    }

    /// The page of the login.
    #[must_use]
    pub fn login_url(&self) -> Option<&CanonicalUrl> {
        self.login.as_ref().map(|login| &login.url)
    }

    /// Continues the session of another node.
    #[must_use]
    pub fn with_session(self, session: RunSession) -> Self {
        {
            let mut state = self.state.lock();
            state.logins = session.logins;
            state.works = !session.cookies.is_empty();
            state.number = u64::from(state.works);
            session.cookies.into_iter().for_each(|cookie| state.jar.set(cookie));
        }
        self
    }

    #[must_use]
    pub fn with_keeper(self, keeper: Arc<dyn SessionKeeper>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Whether requests for this URL are sent with credentials.
    pub(crate) fn covers(&self, url: &CanonicalUrl) -> bool {
        url.origin() == self.site.origin()
    }

    /// Logs in before the first request, unless there is a session.
    ///
    /// # Errors
    /// [`LoginError`] if a step fails, or if the page cannot be loaded after three attempts.
    pub async fn begin(&self, browser: Option<&dyn Fetch>) -> Result<(), LoginError> {
        if self.login.is_none() || self.state.lock().number > 0 {
            return Ok(());
        }
        let _logging_in = self.logging_in.lock().await;
        let mut attempt = 1;
        loop {
            match self.log_in(browser).await {
                Err(LoginError::Unavailable(cause)) if attempt < ATTEMPTS => {
                    tracing::info!(cause, "the page of the login cannot be loaded, retrying");
                    attempt += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                result => return result,
            }
        }
    }

    /// Adds credentials and session to a request. Returns the number of the session.
    pub(crate) fn prepare(&self, request: &mut FetchRequest) -> u64 {
        let state = self.state.lock();
        let mut headers = self.headers.clone();
        if self.keeps_cookies
            && let Some(cookies) = state.jar.header(request.url.path())
        {
            headers.insert(COOKIE, cookies);
        }
        request.site_headers = Some(Arc::new(SiteHeaders::new(&self.site, headers)));
        request.session = Some(Arc::clone(&self.session));
        state.number
    }

    /// Takes the cookies of a response to a request in this session.
    pub(crate) fn receive(
        &self,
        session: u64,
        url: &CanonicalUrl,
        response: &FetchResponse,
        now: Millis,
    ) {
        let mut state = self.state.lock();
        // The response of an ended session does not change the next one.
        if self.keeps_cookies && state.number == session {
            state.jar.receive(url, &response.headers, now);
        }
    }

    /// Whether the response shows that there is no valid session: a redirect to the login, or for a
    /// page 401 or 403.
    pub(crate) fn is_refused(&self, task: &FetchTask, response: &FetchResponse) -> bool {
        let Some(login) = &self.login else { return false };
        let Purpose::Url { .. } = task.purpose else { return false };
        let is_login = |url: &CanonicalUrl| {
            url.origin() == login.url.origin() && url.path() == login.url.path()
        };
        if is_login(&task.url) {
            return false;
        }
        match response.status {
            401 | 403 => PageFetch::is_page(task),
            300..=399 => {
                let location = response.location();
                let target = location.and_then(|location| task.url.join(&location).ok());
                target.is_some_and(|target| is_login(&target))
            }
            _ => false,
        }
    }

    /// Notes a page that was answered in this session.
    pub(crate) fn answered(&self, session: u64, task: &FetchTask, response: &FetchResponse) {
        if !PageFetch::is_page(task) || !matches!(response.status, 200..=299) {
            return;
        }
        let mut state = self.state.lock();
        if state.number == session {
            (state.works, state.refusals) = (true, 0);
        }
    }

    /// Logs in after a page was refused in this session. Returns whether there is a new session.
    pub(crate) async fn renew(&self, session: u64, browser: Option<&dyn Fetch>) -> bool {
        let _logging_in = self.logging_in.lock().await;
        {
            let mut state = self.state.lock();
            if state.number != session {
                return true;
            }
            state.refusals += 1;
            if !state.works {
                state.patience = state.patience.saturating_mul(2).min(MAX_PATIENCE);
                return false;
            }
            if state.refusals < state.patience {
                return false;
            }
        }
        match self.log_in(browser).await {
            Ok(()) => true,
            Err(error) => {
                tracing::info!(%error, "login failed after the session had ended");
                false
            }
        }
    }

    async fn log_in(&self, browser: Option<&dyn Fetch>) -> Result<(), LoginError> {
        let Some(login) = &self.login else { return Ok(()) };
        let failed = |why: String| Err(LoginError::Failed(why));
        let Some(browser) = browser else {
            return failed("the service has no browser".to_owned());
        };
        let logins = {
            let mut state = self.state.lock();
            if state.logins >= MAX_LOGINS {
                return failed(format!("the run has logged in {MAX_LOGINS} times already"));
            }
            state.logins += 1;
            state.logins
        };
        let scope = LoginScope { site: self.site.clone() };
        let script = PageScript::of_login(login.steps.clone(), login.wait_for.clone(), scope);
        let script = Arc::new(script);
        let mut request = FetchRequest::get(login.url.clone()).within(LOGIN_TIME);
        request.script = Some(Arc::clone(&script));
        // Without cookies: those of the browser would not be sent beside them.
        request.site_headers = Some(Arc::new(SiteHeaders::new(&self.site, self.headers.clone())));
        request.session = Some(format!("{} login {logins}", self.session).into());
        let response = browser.fetch(request).await.map_err(|error| unavailable(&error))?;
        let Some(outcome) = script.take_outcome() else {
            let status = response.status;
            return failed(format!("its page could not be rendered, the status is {status}"));
        };
        if let Some(step) = outcome.failed_step {
            let place = match login.steps.get(step.index) {
                Some(action) => format!("action {} ({action})", step.index + 1),
                None => "wait_for".to_owned(),
            };
            return failed(format!("{place}: {}", step.message));
        }
        let session = {
            let mut state = self.state.lock();
            state.jar = self.given.clone();
            outcome.cookies.into_iter().for_each(|cookie| state.jar.set(cookie));
            state.number += 1;
            (state.works, state.refusals) = (false, 0);
            RunSession { cookies: state.jar.cookies().to_vec(), logins: state.logins }
        };
        tracing::info!(logins, cookies = session.cookies.len(), "logged in");
        if let Some(keeper) = &self.keeper {
            keeper.keep(&session).await;
        }
        Ok(())
    }
}

fn unavailable(error: &FetchError) -> LoginError {
    LoginError::Unavailable(format!("its page could not be loaded: {error}"))
}

/// The response to a page that is refused in any session, in place of a redirect to the login.
pub(crate) fn refused(mut response: FetchResponse) -> FetchResponse {
    if matches!(response.status, 300..=399) {
        response.status = 401;
        response.headers.clear();
        response.body.clear();
    }
    response
}

#[cfg(test)]
mod tests;
