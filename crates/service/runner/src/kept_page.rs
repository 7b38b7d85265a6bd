//! What a run keeps of a page: its HTML, as received and cleaned, and its picture.

use bytes::Bytes;
use contract::{Millis, PageFileFormat};
use crawl::{FetchTask, FetchVia, KeptFile, KeptPage, KeptResponse};
use html::charset::decode;
use net::{FetchResponse, ScriptOutcome};
use page::clean_html;
use reader::ReadExecutor;
use urls::CanonicalUrl;

pub const CLEANED_TYPE: &str = "text/html; charset=utf-8";

/// The type of pages without a declared one.
pub const UNKNOWN_TYPE: &str = "application/octet-stream";

const PICTURE_TYPE: &str = "image/png";

/// Headers that have secrets of a session.
const SECRET_HEADERS: [&str; 2] = ["set-cookie", "set-cookie2"];

/// The page without scripts and with absolute URLs, or a warning why it is missing.
///
/// # Errors
/// The warning, if the page exceeds the limits for reading it.
pub async fn cleaned_html(
    url: &CanonicalUrl,
    content_type: Option<String>,
    body: Bytes,
    executor: &ReadExecutor,
) -> Result<String, String> {
    let url = url.clone();
    let cleaned = executor
        .run(body.len(), move || clean_html(&decode(&body, content_type.as_deref()), &url))
        .await;
    cleaned.map_err(|failure| format!("html: {failure}"))
}

/// The files of a page, and the warnings of its script.
pub(crate) async fn kept_page(
    formats: &[PageFileFormat],
    task: &FetchTask,
    response: &FetchResponse,
    script: Option<ScriptOutcome>,
    fetched_at: Millis,
    executor: &ReadExecutor,
) -> KeptPage {
    let content_type: Option<String> = response.content_type().map(Into::into);
    let is_truncated = response.body_truncated;
    let mut page = KeptPage::new(kept_response(task, response, fetched_at));
    for &format in formats {
        let file = |content_type: &str, body| {
            Ok::<_, String>(KeptFile { format, content_type: content_type.to_owned(), body })
        };
        let made = match format {
            PageFileFormat::Html | PageFileFormat::RawHtml if is_truncated => {
                Err(format!("{format}: the response is too large"))
            }
            PageFileFormat::Html => {
                let (declared, body) = (content_type.clone(), response.body.clone());
                match cleaned_html(&task.url, declared, body, executor).await {
                    Ok(html) => file(CLEANED_TYPE, html.into_bytes()),
                    Err(warning) => Err(warning),
                }
            }
            PageFileFormat::RawHtml => {
                file(content_type.as_deref().unwrap_or(UNKNOWN_TYPE), response.body.to_vec())
            }
            PageFileFormat::Screenshot => match &script {
                Some(ScriptOutcome { screenshot: Some(picture), .. }) => {
                    file(PICTURE_TYPE, picture.to_vec())
                }
                // Its warnings name the cause.
                Some(_) => continue,
                None => Err(format!("{format}: no browser has rendered the page")),
            },
        };
        match made {
            Ok(file) => page.add(file),
            Err(warning) => page.warnings.push(warning),
        }
    }
    page.warnings.extend(script.into_iter().flat_map(|script| script.warnings));
    page
}

fn kept_response(task: &FetchTask, response: &FetchResponse, fetched_at: Millis) -> KeptResponse {
    let headers = response.headers.iter();
    let headers = headers.filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str()));
    let latin1 = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
    KeptResponse {
        url: task.url.to_string(),
        status: response.status,
        headers: headers
            .map(|(name, value)| (name.to_string(), latin1(value.as_bytes())))
            .collect(),
        fetched_at,
        rendered: task.fetch_via == FetchVia::Browser,
    }
}
