//! What becomes of the requests that wait for a word from us.

use serde_json::{Value, json};

use super::super::document::{Head, Treatment};
use super::super::events::{AuthRequired, RequestPaused};
use super::super::guard_proxy::USER;
use super::{Ending, Visit};

/// What is never loaded: nothing of it stands in the document.
const UNWANTED: [&str; 5] = ["Image", "Font", "Media", "Ping", "CSPViolationReport"];

/// How the browser calls what has no name of its own: workers, and its icons.
const OTHER: &str = "Other";

/// How icons end.
const ICONS: [&str; 7] = [".ico", ".png", ".svg", ".gif", ".jpg", ".jpeg", ".webp"];

/// Which requests wait: documents, twice, and what may be unwanted.
pub(super) fn patterns() -> Vec<Value> {
    let stages = ["Request", "Response"]
        .map(|stage| json!({"resourceType": "Document", "requestStage": stage}));
    let unwanted = [&UNWANTED[..], &[OTHER]].concat().into_iter();
    let unwanted = unwanted.map(|kind| json!({"resourceType": kind, "requestStage": "Request"}));
    stages.into_iter().chain(unwanted).collect()
}

impl Visit<'_> {
    /// What becomes of a request.
    pub(super) fn decide(&mut self, paused: RequestPaused) -> Option<Ending> {
        if paused.resource_type == OTHER && !is_icon(&paused.request.url) {
            self.proceed(&paused.request_id);
            return None;
        }
        if paused.resource_type != "Document" {
            self.refuse(&paused, "BlockedByClient");
            return None;
        }
        let answered =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if paused.frame_id != self.tab.main_frame() {
            // What a frame shows is no part of the document around it.
            self.refuse(&paused, "BlockedByClient");
            return None;
        }
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
        self.main.clone_from(&paused.network_id);
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

fn is_icon(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    ICONS.iter().any(|ending| path.ends_with(ending))
}
