//! Webhooks of crawls and batches.
//!
//! A request becomes `webhook` of a job in the format `firecrawl`; [`delivery`] writes the bodies of
//! its deliveries. What only these need is in `external` of the job: the events and the metadata.

use axum::http::HeaderValue;
use contract::{BodyFields, DeliveryId, EventKind, JobReport, MarkdownItem, PublicJob, Status};
use data_encoding::HEXLOWER;
use ring::hmac;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::document::FirecrawlDocument;
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::{FirecrawlOrigin, JobKind, StoredWebhook};
use crate::scrape_format::ScrapeFormat;

/// The name of the header with the signature: `sha256=` and the HMAC-SHA256 of the body in hex.
pub const SIGNATURE_HEADER: &str = "x-firecrawl-signature";

/// The text whose HMAC under an API key is the secret of the key's webhooks.
const SECRET_PURPOSE: &[u8] = b"firecrawl webhooks";

/// Maximum entries of `events`.
const MAX_EVENTS: usize = 20;

/// Events by their name without `crawl.` or `batch_scrape.`.
const EVENTS: [&str; 4] = ["started", "page", "completed", "failed"];

/// `webhook` of a request.
#[derive(Debug, Default)]
pub(crate) struct WebhookRequest {
    url: String,
    headers: Map<String, Value>,
    metadata: Map<String, Value>,
    /// The events that it wants, as [`EVENTS`] spells them.
    events: Vec<&'static str>,
}

/// Reads `webhook`: a URL, or an object with it.
pub(crate) fn read_webhook(fields: &mut BodyFields<'_>) -> Option<WebhookRequest> {
    if let Some(Value::String(url)) = fields.value("webhook") {
        let url = url.trim().to_owned();
        return Some(WebhookRequest { url, events: EVENTS.to_vec(), ..WebhookRequest::default() });
    }
    fields.object("webhook", |inside| {
        let url = inside.text("url").unwrap_or_default().trim().to_owned();
        inside.require("url");
        let mut members = |name| match inside.value(name) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(members)) => members.clone(),
            Some(_) => {
                inside.wrong(name, "must be an object");
                Map::new()
            }
        };
        let (mut headers, metadata) = (members("headers"), members("metadata"));
        // Every delivery has this type.
        headers.retain(|name, value| {
            !(name.eq_ignore_ascii_case("content-type") && *value == "application/json")
        });
        WebhookRequest { url, headers, metadata, events: read_events(inside) }
    })
}

/// Reads `events`: names with or without the operation before them. All if there are none.
fn read_events(fields: &mut BodyFields<'_>) -> Vec<&'static str> {
    let mut events = Vec::new();
    if fields.is_cleared("events") {
        return EVENTS.to_vec();
    }
    for (index, name) in fields.texts("events", MAX_EVENTS).unwrap_or_default() {
        let short = name.strip_prefix("crawl.").or_else(|| name.strip_prefix("batch_scrape."));
        let short = short.unwrap_or(name);
        match EVENTS.into_iter().find(|known| *known == short) {
            Some(event) => events.push(event),
            None => {
                let known = EVENTS.join(", ");
                fields.wrong(&format!("events[{index}]"), format!("must be one of {known}"));
            }
        }
    }
    if events.is_empty() { EVENTS.to_vec() } else { events }
}

impl Default for StoredWebhook {
    /// All events, without metadata.
    fn default() -> Self {
        Self { events: EVENTS.map(str::to_owned).to_vec(), metadata: json!({}) }
    }
}

impl WebhookRequest {
    /// Adds the webhook to a job request. Returns its secret for the answer.
    pub fn add_to(self, job: &mut Map<String, Value>, session: &FirecrawlSession) -> String {
        let secret = secret_of(session.credential());
        if let Some(stored) = job.get_mut("external").and_then(|all| all.get_mut("firecrawl")) {
            stored["webhook"] = json!({"events": self.events, "metadata": self.metadata});
        }
        let webhook = json!({
            "url": self.url,
            "format": "firecrawl",
            "events": [EventKind::JobCompleted, EventKind::JobFailed, EventKind::JobAborted],
            "results": self.events.contains(&"page"),
            "headers": self.headers,
            "secret": secret,
        });
        job.insert("webhook".to_owned(), webhook);
        secret
    }
}

/// The secret that signs the deliveries of a caller's jobs. The same for all jobs of an API key, so
/// that a receiver can know it in advance.
fn secret_of(credential: Option<&HeaderValue>) -> String {
    let text = credential.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = text.split_once(' ').map_or(text, |(_, key)| key.trim());
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    format!("whsec_{}", HEXLOWER.encode(hmac::sign(&key, SECRET_PURPOSE).as_ref()))
}

/// The body of a delivery.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WebhookBody<'a> {
    success: bool,
    #[serde(rename = "type")]
    kind: String,
    /// Whether it is a crawl or a batch.
    id: &'a str,
    /// Of the delivery; the same in every attempt.
    webhook_id: String,
    /// The page of an event `page`, otherwise empty.
    data: Vec<FirecrawlDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    metadata: Value,
}

/// The body of a delivery and the value of [`SIGNATURE_HEADER`].
#[derive(Debug)]
pub struct SignedBody {
    pub signature: String,
    pub body: String,
}

/// The delivery of a report about a job. `None` if its webhook does not get this event, or if the
/// result is no page.
#[must_use]
pub fn delivery(
    id: &DeliveryId,
    job: &PublicJob,
    report: JobReport,
    secret: &str,
) -> Option<SignedBody> {
    // A job that was started through the API of the service can have this format, too.
    let stored = FirecrawlOrigin::of(job).unwrap_or_default();
    let webhook = stored.webhook.unwrap_or_default();
    let (event, item) = match report {
        JobReport::Start => ("started", None),
        JobReport::Result(item) => ("page", Some(item)),
        JobReport::Event(EventKind::JobCompleted) => ("completed", None),
        JobReport::Event(EventKind::JobFailed | EventKind::JobAborted) => ("failed", None),
        JobReport::Event(_) => return None,
    };
    if !webhook.events.iter().any(|known| known == event) {
        return None;
    }
    let document = match item.map(serde_json::from_value::<MarkdownItem>).transpose() {
        Ok(item) => item.map(|item| document(item, &stored.formats)),
        Err(cause) => {
            tracing::error!(job.id = %job.job_id, %cause, "a result is no document");
            return None;
        }
    };
    let error = (event == "failed").then(|| match &job.error {
        Some(error) if job.status == Status::Failed => error.message.clone(),
        Some(_) | None => "the job was cancelled".to_owned(),
    });
    let operation = match stored.kind {
        JobKind::Crawl => "crawl",
        JobKind::Batch => "batch_scrape",
    };
    let body = WebhookBody {
        success: event != "failed",
        kind: format!("{operation}.{event}"),
        id: job.job_id.as_str(),
        webhook_id: uuid_of(id),
        data: document.into_iter().collect(),
        error,
        metadata: webhook.metadata,
    };
    let body = serde_json::to_string(&body).ok()?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = HEXLOWER.encode(hmac::sign(&key, body.as_bytes()).as_ref());
    Some(SignedBody { signature: format!("sha256={signature}"), body })
}

/// The document of an event, which has no files: HTML may have megabytes, and the link of a picture works
/// for minutes, which is less than the time of all attempts.
fn document(item: MarkdownItem, formats: &[ScrapeFormat]) -> FirecrawlDocument {
    let mut document = FirecrawlDocument::of_item(item, formats);
    let files = formats.iter().filter(|format| format.file().is_some());
    let files: Vec<_> = files.map(|format| format.name()).collect();
    if !files.is_empty() {
        let files = files.join(", ");
        document.warn([format!("{files}: not part of webhooks, but of the status of the job")]);
    }
    document
}

/// The digits of an id in the form of a UUID, which receivers expect.
fn uuid_of(id: &DeliveryId) -> String {
    let text = id.as_str();
    let digits = text.rsplit_once('_').map_or(text, |(_, digits)| digits);
    let mut grouped = String::with_capacity(36);
    for (index, digit) in digits.chars().enumerate() {
        if [8, 12, 16, 20].contains(&index) {
            grouped.push('-');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use contract::{JobId, Millis};

    use super::*;

    fn job(more: &Value) -> PublicJob {
        let id = JobId::new(Millis(1), [1; 10]);
        let mut job = json!({
            "job_id": id, "mode": "markdown", "url": "https://a.example/", "status": "completed",
            "counts": {"pages": 2, "products": 0, "results": 2}, "credits_used": 4,
            "credit_per_unit": 2, "protected": false, "protected_marker": null, "batch": 1,
            "batch_ready": false, "next_batch": null, "created_at": Millis(1), "source": "direct",
            "finished_at": null, "error": null,
            "external": {"firecrawl": {"kind": "crawl", "formats": ["markdown"],
                "webhook": {"events": EVENTS, "metadata": {"run": "7"}}}},
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            job[name] = value.clone();
        }
        serde_json::from_value(job).expect("a job")
    }

    fn body(job: &PublicJob, report: JobReport) -> Option<Value> {
        let id = DeliveryId::new(Millis(1), [2; 10]);
        let signed = delivery(&id, job, report, "whsec_x")?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"whsec_x");
        let mac = signed.signature.strip_prefix("sha256=").expect("a signature");
        let mac = HEXLOWER.decode(mac.as_bytes()).expect("hexadecimal digits");
        hmac::verify(&key, signed.body.as_bytes(), &mac).expect("the signature of the body");
        serde_json::from_str(&signed.body).ok()
    }

    #[test]
    fn bodies_have_the_members_of_firecrawl() {
        let job = job(&json!({}));
        let item = json!({"url": "https://a.example/", "title": "A", "markdown": "# A",
            "final_url": null, "canonical_url": null, "description": null, "language": "en",
            "author": null, "published_at": null, "modified_at": null, "depth": 0,
            "status_code": 200, "word_count": 1, "token_estimate": 2, "headings": [], "links": [],
            "images": [], "content_hash": "00", "rendered": false,
            "extraction": {"method": "blocks", "kept_ratio": 1.0, "warnings": []},
            "fetched_at": Millis(1)});
        let page = body(&job, JobReport::Result(item)).expect("a body");
        let names: Vec<_> = page.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["success", "type", "id", "webhookId", "data", "metadata"]);
        assert_eq!(page["type"], "crawl.page");
        assert_eq!(page["data"][0]["markdown"], "# A");
        assert_eq!(page["data"][0]["metadata"]["statusCode"], 200);
        assert_eq!(page["metadata"], json!({"run": "7"}));
        let id = page["webhookId"].as_str().expect("a text");
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        for (report, kind) in [
            (JobReport::Start, "crawl.started"),
            (JobReport::Event(EventKind::JobCompleted), "crawl.completed"),
        ] {
            let body = body(&job, report).expect("a body");
            assert_eq!((&body["success"], &body["type"]), (&json!(true), &json!(kind)));
            assert_eq!(body["data"], json!([]));
        }
        assert_eq!(body(&job, JobReport::Event(EventKind::JobProgress)), None);
    }

    #[test]
    fn documents_of_deliveries_name_the_files_that_they_lack() {
        let stored = json!({"kind": "crawl", "formats": ["markdown", "html", "screenshot"]});
        let job = job(&json!({"external": {"firecrawl": stored}}));
        let formats = FirecrawlOrigin::of(&job).expect("an origin").formats;
        let item = json!({"url": "https://a.example/", "title": "A", "markdown": "# A",
            "final_url": null, "canonical_url": null, "description": null, "language": "en",
            "author": null, "published_at": null, "modified_at": null, "depth": 0,
            "status_code": 200, "word_count": 1, "token_estimate": 2, "headings": [], "links": [],
            "images": [], "content_hash": "00", "rendered": false,
            "extraction": {"method": "blocks", "kept_ratio": 1.0, "warnings": []},
            "fetched_at": Millis(1)});
        let item = serde_json::from_value(item).expect("an item");
        let document = json!(document(item, &formats));
        let warning = document["warning"].as_str().expect("a warning");
        assert!(warning.starts_with("html, screenshot: "), "{warning}");
        assert!(document.get("html").is_none());
    }

    #[test]
    fn end_without_success_has_an_error() {
        let failed =
            json!({"status": "failed", "error": {"code": "no_data", "message": "nothing"}});
        for (job, kind, error) in [
            (job(&failed), EventKind::JobFailed, "nothing"),
            (job(&json!({"status": "aborted"})), EventKind::JobAborted, "the job was cancelled"),
        ] {
            let body = body(&job, JobReport::Event(kind)).expect("a body");
            assert_eq!(body["type"], "crawl.failed");
            assert_eq!((&body["success"], &body["error"]), (&json!(false), &json!(error)));
        }
    }

    #[test]
    fn events_of_a_webhook_are_its_own_and_a_batch_has_other_names() {
        let stored = |webhook: Value| {
            let firecrawl = json!({"kind": "batch", "formats": [], "webhook": webhook});
            json!({"external": {"firecrawl": firecrawl}})
        };
        let ends = job(&stored(json!({"events": ["completed"], "metadata": {}})));
        assert_eq!(body(&ends, JobReport::Start), None);
        let end = body(&ends, JobReport::Event(EventKind::JobCompleted)).expect("a body");
        assert_eq!(end["type"], "batch_scrape.completed");
        let of_the_service = job(&json!({"external": null}));
        let start = body(&of_the_service, JobReport::Start).expect("a body");
        assert_eq!((&start["type"], &start["metadata"]), (&json!("crawl.started"), &json!({})));
    }

    fn read(webhook: &Value) -> (Option<WebhookRequest>, Vec<String>) {
        let given = json!({"webhook": webhook});
        let mut fields = BodyFields::of(&given).expect("an object");
        let read = read_webhook(&mut fields);
        (read, fields.finish().into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn webhook_is_a_url_or_an_object() {
        let (all, errors) = read(&json!("https://h.example/"));
        let all = all.expect("a webhook");
        assert_eq!((all.url.as_str(), &all.events[..]), ("https://h.example/", &EVENTS[..]));
        assert!(errors.is_empty());
        let (some, errors) = read(&json!({"url": "https://h.example/", "metadata": {"a": 1},
            "headers": {"Content-Type": "application/json", "X-Run": "7"},
            "events": ["page", "crawl.completed", "batch_scrape.failed"]}));
        let some = some.expect("a webhook");
        assert_eq!(some.events, ["page", "completed", "failed"]);
        assert_eq!(json!(some.headers), json!({"X-Run": "7"}));
        assert!(errors.is_empty(), "{errors:?}");
        let (_, errors) = read(&json!({"events": ["done"], "headers": 3, "secret": "x"}));
        let named = ["webhook.url", "webhook.headers", "webhook.events[0]", "webhook.secret"]
            .map(str::to_owned);
        assert_eq!(errors, named);
        assert_eq!(read(&json!(3)).1, ["webhook"]);
    }

    #[test]
    fn secret_depends_on_the_key_alone() {
        let secret = |text: &str| secret_of(HeaderValue::from_str(text).ok().as_ref());
        assert_eq!(secret("Bearer key_live_a"), secret("bearer  key_live_a"));
        assert_ne!(secret("Bearer key_live_a"), secret("Bearer key_live_b"));
        assert_eq!(secret("Bearer key_live_a").len(), 70);
        assert!(!secret("Bearer key_live_a").contains("key_live"));
    }
}
