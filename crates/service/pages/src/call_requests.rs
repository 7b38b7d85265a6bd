//! How the page of a call is requested: with a browser, a script, credentials or the cache.

use std::sync::Arc;
use std::time::Duration;

use contract::PageFileFormat;
use net::{ScriptOutcome, SiteHeaders, credential_headers};
use runner::{Fetcher, PageCache, PageCacheUse, PageFetch};
use tokio::time::Instant;

use crate::page_files::{BodyCapture, cleaned};
use crate::{DeliveredPage, FileContent, PageCall, PageOutcome};

/// The requests of one call, and what was seen of their responses.
pub(crate) struct CallRequests {
    fetch: Arc<PageFetch>,
    capture: Option<Arc<BodyCapture>>,
}

impl CallRequests {
    /// # Errors
    /// A header that cannot be sent, without its value.
    pub fn new(call: &PageCall, cache: &PageCache) -> Result<Self, String> {
        let access = &call.access;
        let credentials = access.credentials();
        let site_headers = if credentials.is_empty() {
            None
        } else {
            let headers = credential_headers(&credentials)
                .map_err(|name| format!("the header {name} of a page cannot be sent"))?;
            Some(Arc::new(SiteHeaders::new(&call.url, headers)))
        };
        // What a login or an action leaves in the browser ends with the call.
        let session =
            (site_headers.is_some() || !access.actions.is_empty()).then(|| call.id.as_str().into());
        let fetch = PageFetch {
            site_headers,
            session,
            deadline: Instant::now().checked_add(call.within),
            ..PageFetch::of_page(access)
        };
        let fetch = fetch.with_cache(PageCacheUse {
            cache: cache.clone(),
            max_age: Duration::from_secs(access.max_age),
            account: call.account.clone(),
        });
        let keeps_body =
            access.keeps(PageFileFormat::Html) || access.keeps(PageFileFormat::RawHtml);
        let capture = keeps_body.then(Arc::default);
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
                message: script.describe(&failed),
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
        if page.protected && !call.access.credentials().is_empty() {
            let message = "headers, cookies and credentials are not sent if a provider of the \
                protected tier fetches the page";
            page.warnings.push(message.to_owned());
        }
        let Some(captured) = self.capture.as_ref().and_then(|capture| capture.take()) else {
            return page;
        };
        if call.access.keeps(PageFileFormat::Html) {
            match cleaned(&captured, fetcher).await {
                Ok(html) => page.html = Some(html),
                Err(warning) => page.warnings.push(warning),
            }
        }
        page.raw_html = call.access.keeps(PageFileFormat::RawHtml).then(|| captured.raw());
        page
    }
}
