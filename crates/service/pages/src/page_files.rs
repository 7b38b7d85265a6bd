//! The HTML of a page, as it was received and cleaned.

use bytes::Bytes;
use crawl::{FetchTask, FetchVia};
use html::charset::decode;
use net::FetchResponse;
use page::clean_html;
use parking_lot::Mutex;
use runner::{Fetcher, ResponseObserver};
use urls::CanonicalUrl;

use crate::FileContent;
use crate::observed_run::is_page;

/// The files of a page that a call asks for, besides the screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileParts {
    pub html: bool,
    pub raw_html: bool,
}

impl FileParts {
    pub(crate) fn any(self) -> bool {
        self.html || self.raw_html
    }
}

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
        let content_type = content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
        FileContent { content_type, body: self.body.clone() }
    }
}

/// The cleaned HTML of a page, or a warning why it is missing.
pub(crate) async fn cleaned(page: &CapturedPage, fetcher: &Fetcher) -> Result<FileContent, String> {
    let CapturedPage { url, content_type, body } = page;
    let (url, content_type, body) = (url.clone(), content_type.clone(), body.clone());
    let executor = fetcher.reader().executor();
    let html = executor
        .run(body.len(), move || clean_html(&decode(&body, content_type.as_deref()), &url))
        .await;
    match html {
        Ok(html) => Ok(FileContent {
            content_type: "text/html; charset=utf-8".to_owned(),
            body: html.into(),
        }),
        Err(failure) => Err(format!("html: {failure}")),
    }
}
