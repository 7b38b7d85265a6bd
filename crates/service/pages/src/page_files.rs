//! The HTML of a page, as it was received and cleaned.

use bytes::Bytes;
use crawl::{FetchTask, FetchVia};
use net::FetchResponse;
use parking_lot::Mutex;
use runner::{CLEANED_TYPE, Fetcher, ResponseObserver, UNKNOWN_TYPE, cleaned_html};
use urls::CanonicalUrl;

use crate::FileContent;
use crate::observed_run::is_page;

/// The last page that was received.
#[derive(Debug, Default)]
pub(crate) struct BodyCapture(Mutex<Option<CapturedPage>>);

#[derive(Debug)]
pub(crate) struct CapturedPage {
    url: CanonicalUrl,
    content_type: Option<String>,
    body: Bytes,
}

impl BodyCapture {
    pub fn take(&self) -> Option<CapturedPage> {
        self.0.lock().take()
    }
}

impl ResponseObserver for BodyCapture {
    fn observe(&self, task: &FetchTask, response: &FetchResponse) {
        let mut kept = self.0.lock();
        // A page that the browser failed to render keeps its plain response.
        let is_worse = task.fetch_via == FetchVia::Browser && response.body.is_empty();
        if is_page(task) && (200..300).contains(&response.status) && !(is_worse && kept.is_some()) {
            *kept = Some(CapturedPage {
                url: task.url.clone(),
                content_type: response.content_type().map(Into::into),
                body: response.body.clone(),
            });
        }
    }
}

impl CapturedPage {
    /// The bytes as received, or as rendered.
    pub fn raw(&self) -> FileContent {
        let content_type = self.content_type.clone();
        let content_type = content_type.unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        FileContent { content_type, body: self.body.clone() }
    }
}

/// The cleaned HTML of a page, or a warning why it is missing.
pub(crate) async fn cleaned(page: &CapturedPage, fetcher: &Fetcher) -> Result<FileContent, String> {
    let CapturedPage { url, content_type, body } = page;
    let executor = fetcher.reader().executor();
    let html = cleaned_html(url, content_type.clone(), body.clone(), executor).await?;
    Ok(FileContent { content_type: CLEANED_TYPE.to_owned(), body: html.into() })
}
