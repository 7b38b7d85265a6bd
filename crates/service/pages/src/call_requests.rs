//! How the page of a call is requested: with a browser, a script, credentials or the cache.

use std::sync::Arc;
use std::time::Duration;

use contract::{PageAction, PageWait, RenderChoice, ScreenshotArea, SiteCredentials};
use net::{PageScript, ScriptOutcome, SiteHeaders, credential_headers};
use parking_lot::Mutex;
use runner::{Fetcher, PageCache, PageCacheUse, PageFetch};
use tokio::time::Instant;

use crate::page_files::{BodyCapture, cleaned};
use crate::{DeliveredPage, FileContent, PageCall, PageOutcome};

/// How the page of a call is requested.
#[derive(Debug, Clone, Default)]
pub struct PageWay {
    /// With `screenshot`, `wait_for` or `actions`, `Auto` means `Always`.
    pub render: RenderChoice,
    pub wait_for: Option<PageWait>,
    pub actions: Vec<PageAction>,
    pub screenshot: Option<ScreenshotArea>,
    /// Sent to the origin of the URL only.
    pub credentials: SiteCredentials,
    /// The page may be taken from the cache if it is at most this old.
    pub max_age: Duration,
}

/// The requests of one call, and what was seen of their responses.
pub(crate) struct CallRequests {
    fetch: Arc<PageFetch>,
    capture: Option<Arc<BodyCapture>>,
}

impl CallRequests {
    /// # Errors
    /// A header that cannot be sent, without its value.
    pub fn new(call: &PageCall, cache: &PageCache) -> Result<Self, String> {
        let PageWay { render, wait_for, actions, screenshot, credentials, max_age } = &call.way;
        let is_scripted = wait_for.is_some() || !actions.is_empty() || screenshot.is_some();
        let script = is_scripted.then(|| {
            let steps = actions.iter().cloned().map(Into::into).collect();
            Arc::new(PageScript::new(steps, wait_for.clone().map(Into::into), *screenshot))
        });
        let site_headers = if credentials.is_empty() {
            None
        } else {
            let headers = credential_headers(credentials)
                .map_err(|name| format!("the header {name} of a page cannot be sent"))?;
            Some(Arc::new(SiteHeaders::new(&call.url, headers)))
        };
        // What a login or an action leaves in the browser ends with the call.
        let session =
            (site_headers.is_some() || !actions.is_empty()).then(|| call.id.as_str().into());
        let fetch = PageFetch {
            always_renders: *render == RenderChoice::Always || is_scripted,
            script,
            is_run: false,
            site_headers,
            session,
            deadline: Instant::now().checked_add(call.within),
            cache: Some(PageCacheUse {
                cache: cache.clone(),
                max_age: *max_age,
                account: call.account.clone(),
                served: Mutex::default(),
            }),
        };
        let capture = call.files.any().then(Arc::default);
        Ok(Self { fetch: Arc::new(fetch), capture })
    }

    /// The fetcher with which the run of the call requests its page.
    pub fn fetcher(&self, fetcher: Fetcher) -> Fetcher {
        let fetcher = fetcher.with_page_fetch(Arc::clone(&self.fetch));
        match &self.capture {
            Some(capture) => fetcher.observed_by(Arc::clone(capture) as _),
            None => fetcher,
        }
    }

    /// The picture and the warnings of the script.
    ///
    /// # Errors
    /// The outcome of the call, if an action has failed.
    pub fn script_outcome(&self) -> Result<(Option<FileContent>, Vec<String>), PageOutcome> {
        let Some(script) = &self.fetch.script else { return Ok((None, Vec::new())) };
        let Some(outcome) = script.take_outcome() else {
            let message = "no browser has rendered the page";
            if !script.steps.is_empty() {
                let message = message.to_owned();
                return Err(PageOutcome::ActionFailed { action: 0, message, screenshot: None });
            }
            let parts = [
                ("wait_for", script.wait_for.is_some()),
                ("screenshot", script.screenshot.is_some()),
            ];
            let parts = parts.into_iter().filter(|(_, is_given)| *is_given);
            return Ok((None, parts.map(|(name, _)| format!("{name}: {message}")).collect()));
        };
        let ScriptOutcome { screenshot, warnings, failed_step, .. } = outcome;
        let screenshot =
            screenshot.map(|body| FileContent { content_type: "image/png".to_owned(), body });
        match failed_step {
            Some(failed) => Err(PageOutcome::ActionFailed {
                action: failed.index,
                message: failed.message,
                screenshot,
            }),
            None => Ok((screenshot, warnings)),
        }
    }

    /// The page with its files, and with the time when it was fetched.
    pub async fn complete(
        &self,
        mut page: DeliveredPage,
        fetcher: &Fetcher,
        call: &PageCall,
    ) -> DeliveredPage {
        if let Some(at) = self.fetch.cache.as_ref().and_then(|cache| *cache.served.lock()) {
            (page.cached, page.fetched_at) = (true, at);
            page.item.set_fetched_at(at);
        }
        if page.protected && !call.way.credentials.is_empty() {
            let message = "headers, cookies and credentials are not sent if a provider of the \
                protected tier fetches the page";
            page.warnings.push(message.to_owned());
        }
        let Some(captured) = self.capture.as_ref().and_then(|capture| capture.take()) else {
            return page;
        };
        if call.files.html {
            match cleaned(&captured, fetcher).await {
                Ok(html) => page.html = Some(html),
                Err(warning) => page.warnings.push(warning),
            }
        }
        page.raw_html = call.files.raw_html.then(|| captured.raw());
        page
    }
}
