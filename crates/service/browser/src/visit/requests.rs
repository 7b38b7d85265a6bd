//! What becomes of the requests that wait for a word from us.

use serde_json::{Value, json};

use super::super::document::{Head, Treatment};
use super::super::events::{AuthRequired, RequestPaused};
use super::super::guard_proxy::USER;
use super::{Ending, Visit};

/// What is judged twice, and shown.
const DOCUMENT: &str = "Document";

/// What is never loaded: nothing of it stands in the document.
const UNWANTED: [&str; 8] =
    ["Image", "Font", "Media", "TextTrack", "Manifest", "Ping", "Prefetch", "CSPViolationReport"];

/// How the browser calls what has no name of its own: workers, and its icons.
const OTHER: &str = "Other";

/// How icons end.
const ICONS: [&str; 7] = [".ico", ".png", ".svg", ".gif", ".jpg", ".jpeg", ".webp"];

/// Which requests wait: all of them before they are sent, because guesses about what
/// may be wanted next have no type of their own; documents also when they are answered.
pub(super) fn patterns() -> Value {
    json!([
        {"requestStage": "Request"},
        {"requestStage": "Response", "resourceType": DOCUMENT},
    ])
}

impl Visit<'_> {
    /// What becomes of a request.
    pub(super) fn decide(&mut self, paused: RequestPaused) -> Option<Ending> {
        if paused.resource_type != DOCUMENT {
            if is_wanted(&paused) {
                self.proceed(&paused.request_id);
            } else {
                self.refuse(&paused, "BlockedByClient");
            }
            return None;
        }
        if paused.frame_id != self.tab.main_frame() {
            // What a frame shows is no part of the document around it.
            self.refuse(&paused, "BlockedByClient");
            return None;
        }
        let answered =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if answered {
            return self.judge_head(paused);
        }
        if self.main.is_some() {
            // The page wants to leave by itself. Where to is for the engine to judge.
            if paused.request.method == "GET" {
                self.onward.get_or_insert(paused.request.url.clone());
            }
            self.refuse(&paused, "Aborted");
            return None;
        }
        self.main = Some(paused.network_id.clone().unwrap_or_default());
        let headers = self.outgoing(&paused);
        let params = json!({"requestId": paused.request_id, "headers": headers});
        self.tab.send("Fetch.continueRequest", params);
        None
    }

    /// The headers of the main document's request: what was asked for, and not from
    /// the browser's cache.
    fn outgoing(&self, paused: &RequestPaused) -> Vec<Value> {
        let ours = [("Accept", self.request.accept.as_ref()), ("Cache-Control", "no-cache")];
        let theirs = paused
            .request
            .headers
            .iter()
            .filter(|(name, _)| !ours.iter().any(|(ours, _)| ours.eq_ignore_ascii_case(name)));
        let theirs = theirs.map(|(name, value)| json!({"name": name, "value": value}));
        let ours = ours.iter().map(|(name, value)| json!({"name": name, "value": value}));
        theirs.chain(ours).collect()
    }

    fn judge_head(&mut self, paused: RequestPaused) -> Option<Ending> {
        let Some(status) = paused.response_status_code else {
            // No answer: `Page.navigate` will say so.
            self.proceed(&paused.request_id);
            return None;
        };
        let head = Head::new(status, paused.response_headers, self.started.elapsed());
        let treatment = head.treatment();
        self.head = Some(head);
        match treatment {
            Treatment::Show => {
                self.proceed(&paused.request_id);
                None
            }
            Treatment::HeadOnly => Some(Ending::HeadOnly),
            Treatment::AsItIs => Some(Ending::AsItIs(paused.request_id)),
        }
    }

    fn proceed(&self, request: &str) {
        self.tab.send("Fetch.continueRequest", json!({"requestId": request}));
    }

    fn refuse(&self, paused: &RequestPaused, reason: &str) {
        let params = json!({"requestId": paused.request_id, "errorReason": reason});
        self.tab.send("Fetch.failRequest", params);
    }

    /// The proxy is told its secret; sites are told nothing.
    pub(super) fn authorize(&self, wanted: &AuthRequired) {
        let proxy = &self.tab.browser.proxy;
        let is_proxy = wanted.auth_challenge.source.as_deref() == Some("Proxy")
            && wanted.auth_challenge.origin == format!("http://{}", proxy.address());
        let response = if is_proxy {
            json!({
                "response": "ProvideCredentials",
                "username": USER,
                "password": proxy.secret(),
            })
        } else {
            json!({"response": "CancelAuth"})
        };
        let params = json!({"requestId": wanted.request_id, "authChallengeResponse": response});
        self.tab.send("Fetch.continueWithAuth", params);
    }
}

/// Whether it may change the document.
fn is_wanted(paused: &RequestPaused) -> bool {
    let is_guess = paused.request.headers.iter().any(|(name, value)| {
        (name.eq_ignore_ascii_case("sec-purpose") || name.eq_ignore_ascii_case("purpose"))
            && value.contains("prefetch")
    });
    let kind = paused.resource_type.as_str();
    let is_icon = kind == OTHER && has_ending(&paused.request.url, &ICONS);
    !is_guess && !is_icon && !UNWANTED.contains(&kind)
}

fn has_ending(url: &str, endings: &[&str]) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    endings.iter().any(|ending| path.ends_with(ending))
}
