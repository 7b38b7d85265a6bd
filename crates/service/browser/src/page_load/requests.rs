//! Decides about paused requests: continue, fail, or read the response.

use serde_json::{Value, json};

use super::super::document::{DocumentHead, Treatment};
use super::super::events::{AuthRequired, RequestPaused};
use super::super::guard_proxy::USER;
use super::{LoadOutcome, PageLoad};
use urls::CanonicalUrl;

/// The resource type that is rendered.
const DOCUMENT: &str = "Document";

/// Resource types that never change the DOM and are blocked.
const BLOCKED_TYPES: [&str; 8] =
    ["Image", "Font", "Media", "TextTrack", "Manifest", "Ping", "Prefetch", "CSPViolationReport"];

/// The resource type of workers and icons.
const OTHER: &str = "Other";

/// File name extensions of icons.
const ICONS: [&str; 7] = [".ico", ".png", ".svg", ".gif", ".jpg", ".jpeg", ".webp"];

/// Which requests are paused: all before they are sent, because prefetches have no resource type of
/// their own; documents also after the response headers.
pub(super) fn patterns() -> Value {
    json!([
        {"requestStage": "Request"},
        {"requestStage": "Response", "resourceType": DOCUMENT},
    ])
}

impl PageLoad<'_> {
    pub(super) fn handle_paused(&mut self, paused: RequestPaused) -> Option<LoadOutcome> {
        if paused.resource_type != DOCUMENT {
            if self.is_needed(&paused) {
                self.continue_subresource(&paused);
            } else {
                self.fail_request(&paused, "BlockedByClient");
            }
            return None;
        }
        if paused.frame_id != self.tab.main_frame() {
            // The content of a frame is no part of the document.
            self.fail_request(&paused, "BlockedByClient");
            return None;
        }
        let answered =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if answered {
            return self.handle_response_headers(paused);
        }
        if self.main.is_some() && self.is_login() {
            self.follow(&paused);
            return None;
        }
        if self.main.is_some() {
            // The page navigates. The engine decides about the target.
            if paused.request.method == "GET" {
                self.redirect_target.get_or_insert(paused.request.url.clone());
            }
            self.fail_request(&paused, "Aborted");
            return None;
        }
        self.main = Some(paused.network_id.clone().unwrap_or_default());
        let headers = self.document_headers(&paused);
        let params = json!({"requestId": paused.request_id, "headers": headers});
        self.tab.send("Fetch.continueRequest", params);
        None
    }

    /// Continues a navigation of a login, by a form or a redirect, if it stays on the site.
    fn follow(&mut self, paused: &RequestPaused) {
        let target = CanonicalUrl::parse(&paused.request.url).ok();
        let origin = target.as_ref().map_or("another address", CanonicalUrl::origin);
        let login = self.request.script.as_ref().and_then(|script| script.login.as_ref());
        let is_inside = login.is_some_and(|login| login.site.origin() == origin)
            || self.request.url.origin() == origin;
        if !is_inside {
            self.left_for.get_or_insert(origin.to_owned());
            return self.fail_request(paused, "Aborted");
        }
        // A redirect has the id of its request.
        self.main = Some(paused.network_id.clone().unwrap_or_default());
        self.received = 0;
        self.continue_subresource(paused);
    }

    /// The headers of the main document's request: `Accept` of the fetch, and no cache.
    fn document_headers(&self, paused: &RequestPaused) -> Vec<Value> {
        let client = self.request.client_headers().into_iter().flatten();
        let client = client.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let mut ours =
            vec![("Accept", self.request.accept.as_ref()), ("Cache-Control", "no-cache")];
        for (name, value) in client {
            ours.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            ours.push((name, value));
        }
        let theirs = paused
            .request
            .headers
            .iter()
            .filter(|(name, _)| !ours.iter().any(|(ours, _)| ours.eq_ignore_ascii_case(name)));
        let theirs = theirs.map(|(name, value)| json!({"name": name, "value": value}));
        let ours = ours.iter().map(|(name, value)| json!({"name": name, "value": value}));
        theirs.chain(ours).collect()
    }

    /// Continues another request than the first, with the headers of the client if it goes to
    /// their origin. The overridden headers do not extend to redirects, which are paused again.
    fn continue_subresource(&self, paused: &RequestPaused) {
        let site = self.request.site_headers.as_ref().filter(|_| self.request.at.is_none());
        let url = site.and_then(|_| CanonicalUrl::parse(&paused.request.url).ok());
        let headers = site.zip(url.as_ref()).and_then(|(site, url)| site.of(url));
        let headers = headers.filter(|headers| !headers.is_empty());
        let Some(headers) = headers else { return self.continue_request(&paused.request_id) };
        let client: Vec<_> = headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        let is_replaced =
            |name: &str| client.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let theirs = paused.request.headers.iter().filter(|(name, _)| !is_replaced(name));
        let theirs = theirs.map(|(name, value)| json!({"name": name, "value": value}));
        let client = client.iter().map(|(name, value)| json!({"name": name, "value": value}));
        let headers: Vec<_> = theirs.chain(client).collect();
        let params = json!({"requestId": paused.request_id, "headers": headers});
        self.tab.send("Fetch.continueRequest", params);
    }

    /// Whether the page needs this part: for its DOM, or for its picture.
    fn is_needed(&self, paused: &RequestPaused) -> bool {
        let is_shown = matches!(paused.resource_type.as_str(), "Image" | "Font");
        (is_shown && self.shows_pictures()) || may_change_document(paused)
    }

    fn handle_response_headers(&mut self, paused: RequestPaused) -> Option<LoadOutcome> {
        let Some(status) = paused.response_status_code else {
            // No response: `Page.navigate` returns the error.
            self.continue_request(&paused.request_id);
            return None;
        };
        let head = DocumentHead::new(status, paused.response_headers, self.started.elapsed());
        let treatment = head.treatment();
        self.head = Some(head);
        if self.is_login() {
            // The browser follows redirects: each is paused as a request again.
            self.continue_request(&paused.request_id);
            return None;
        }
        match treatment {
            Treatment::Render => {
                self.continue_request(&paused.request_id);
                None
            }
            Treatment::HeadersOnly => Some(LoadOutcome::HeadersOnly),
            Treatment::RawBody => Some(LoadOutcome::RawBody(paused.request_id)),
        }
    }

    fn continue_request(&self, request: &str) {
        self.tab.send("Fetch.continueRequest", json!({"requestId": request}));
    }

    fn fail_request(&self, paused: &RequestPaused, reason: &str) {
        let params = json!({"requestId": paused.request_id, "errorReason": reason});
        self.tab.send("Fetch.failRequest", params);
    }

    /// Sends the credentials to the guard proxy, and none to sites.
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

fn may_change_document(paused: &RequestPaused) -> bool {
    let is_prefetch = paused.request.headers.iter().any(|(name, value)| {
        (name.eq_ignore_ascii_case("sec-purpose") || name.eq_ignore_ascii_case("purpose"))
            && value.contains("prefetch")
    });
    let kind = paused.resource_type.as_str();
    let is_icon = kind == OTHER && has_extension(&paused.request.url, &ICONS);
    !is_prefetch && !is_icon && !BLOCKED_TYPES.contains(&kind)
}

fn has_extension(url: &str, endings: &[&str]) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    endings.iter().any(|ending| path.ends_with(ending))
}
