//! Stripe client: an off-session `PaymentIntent` per recharge, with the recharge's id as the
//! idempotency key.
//!
//! No text of Stripe is passed on: outcomes have texts of our own, which quote only plain error
//! codes. Neither the API key nor card data is ever logged.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use net::{HttpPost, Post, PostResponse};
use serde::Deserialize;
use store::Recharge;
use url::form_urlencoded;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Longer error codes are not quoted.
const MAX_CODE_LENGTH: usize = 64;

/// The operator's secret API key, as an `Authorization` header.
#[derive(Clone)]
pub struct StripeKey(HeaderValue);

impl StripeKey {
    /// `None` when the text has characters that no key has.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if text.is_empty() || !text.chars().all(plain) {
            return None;
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {text}")).ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }
}

impl std::fmt::Debug for StripeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StripeKey(…)")
    }
}

/// The outcome of a call to the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChargeOutcome {
    /// The payment succeeded.
    Paid { reference: String },
    /// The payment failed for good.
    Declined { reason: String },
    /// The provider did not process the request, which says nothing about earlier attempts.
    Refused { reason: String },
    /// The payment is being processed.
    Pending { reference: String },
    /// There was no usable response.
    Unknown { reason: String, may_have_arrived: bool },
}

/// A client for the Stripe API.
#[derive(Debug, Clone)]
pub struct Stripe {
    http: HttpPost,
    key: StripeKey,
    url: String,
}

/// The fields of a `PaymentIntent` that are used.
#[derive(Debug, Deserialize)]
struct PaymentIntent {
    id: String,
    status: String,
}

#[derive(Debug, Deserialize)]
struct StripeError {
    error: StripeErrorDetails,
}

#[derive(Debug, Default, Deserialize)]
struct StripeErrorDetails {
    code: Option<String>,
    decline_code: Option<String>,
}

impl Stripe {
    /// A client for the API at `url`, which begins with `https:` and does not end with a slash.
    #[must_use]
    pub fn new(http: HttpPost, key: StripeKey, url: impl Into<String>) -> Self {
        Self { http, key, url: url.into() }
    }

    /// Requests the payment, or queries it if its reference is known. The request for a recharge is
    /// always the same, as idempotency keys require.
    pub(crate) async fn charge(&self, recharge: &Recharge) -> ChargeOutcome {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, self.key.0.clone());
        let (method, url, body) = match &recharge.reference {
            Some(reference) => {
                let url = format!("{}/v1/payment_intents/{reference}", self.url);
                (Method::GET, url, Bytes::new())
            }
            None => {
                let form = HeaderValue::from_static("application/x-www-form-urlencoded");
                headers.insert(CONTENT_TYPE, form);
                if let Ok(id) = HeaderValue::from_str(recharge.id.as_str()) {
                    headers.insert(IDEMPOTENCY_KEY, id);
                }
                let url = format!("{}/v1/payment_intents", self.url);
                (Method::POST, url, Bytes::from(form_of(recharge)))
            }
        };
        match self.http.send(method, Post { url, headers, body }).await {
            Ok(reply) => outcome_of(&reply),
            Err(error) => ChargeOutcome::Unknown {
                reason: format!("the payment provider gave no answer ({error})"),
                may_have_arrived: error.may_have_arrived(),
            },
        }
    }
}

fn form_of(recharge: &Recharge) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("amount", &recharge.price.to_string())
        .append_pair("currency", &recharge.currency)
        .append_pair("customer", &recharge.source.customer)
        .append_pair("payment_method", &recharge.source.method)
        .append_pair("off_session", "true")
        .append_pair("confirm", "true")
        .append_pair("description", &format!("{} credits", recharge.credits))
        .append_pair("metadata[recharge]", recharge.id.as_str())
        .append_pair("metadata[account]", recharge.account.as_str())
        .finish()
}

fn outcome_of(reply: &PostResponse) -> ChargeOutcome {
    let unknown = |may_have_arrived| ChargeOutcome::Unknown {
        reason: format!("the payment provider answered {}", reply.status),
        may_have_arrived,
    };
    match reply.status {
        200..=299 => match serde_json::from_slice(&reply.body) {
            Ok(intent) => outcome_of_intent(intent),
            Err(_) => unknown(true),
        },
        402 => {
            let error = serde_json::from_slice::<StripeError>(&reply.body);
            let details = error.map(|error| error.error).unwrap_or_default();
            let codes = [details.decline_code, details.code];
            let code = codes.into_iter().flatten().find(|code| is_plain(code));
            let code = code.map_or_else(String::new, |code| format!(" ({code})"));
            ChargeOutcome::Declined { reason: format!("the payment was declined{code}") }
        }
        401 | 403 => ChargeOutcome::Refused {
            reason: "the payment provider refuses this service's key; its operator has to look"
                .to_owned(),
        },
        // Rejected by the rate limit before it was processed.
        429 => unknown(false),
        // A request with the same key is in progress, or processing failed half-way.
        408 | 409 | 500..=599 => unknown(true),
        status => ChargeOutcome::Refused {
            reason: format!("the payment provider refuses the payment with status {status}"),
        },
    }
}

fn outcome_of_intent(intent: PaymentIntent) -> ChargeOutcome {
    let PaymentIntent { id, status } = intent;
    match status.as_str() {
        // The name goes into addresses: one that is not plain is none.
        _ if !is_plain(&id) => ChargeOutcome::Unknown {
            reason: "the payment provider answered in an unknown way".to_owned(),
            may_have_arrived: true,
        },
        "succeeded" => ChargeOutcome::Paid { reference: id },
        "processing" => ChargeOutcome::Pending { reference: id },
        "requires_action" | "requires_confirmation" => ChargeOutcome::Declined {
            reason: "the payment needs its owner's own confirmation, which cannot be given here"
                .to_owned(),
        },
        status => {
            let status = if is_plain(status) { format!(" ({status})") } else { String::new() };
            ChargeOutcome::Declined { reason: format!("the payment was not made{status}") }
        }
    }
}

/// Whether an error code is safe to show: short, and only letters, digits and underscores.
fn is_plain(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !code.is_empty() && code.len() <= MAX_CODE_LENGTH && code.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> ChargeOutcome {
        outcome_of(&PostResponse { status, body: Bytes::from(body.to_owned()) })
    }

    #[test]
    fn every_response_has_a_defined_outcome() {
        let paid = reply(200, r#"{"id": "pi_1", "status": "succeeded", "amount": 5}"#);
        assert_eq!(paid, ChargeOutcome::Paid { reference: "pi_1".to_owned() });
        let pending = reply(200, r#"{"id": "pi_1", "status": "processing"}"#);
        assert_eq!(pending, ChargeOutcome::Pending { reference: "pi_1".to_owned() });
        let body = r#"{"error": {"code": "card_declined", "decline_code": "lost_card"}}"#;
        let declined =
            ChargeOutcome::Declined { reason: "the payment was declined (lost_card)".to_owned() };
        assert_eq!(reply(402, body), declined);
        for status in ["requires_action", "requires_payment_method", "canceled", "new <thing>"] {
            let body = serde_json::json!({"id": "pi_1", "status": status}).to_string();
            assert!(matches!(reply(200, &body), ChargeOutcome::Declined { .. }), "{status}");
        }
        for status in [301, 400, 401, 403, 404] {
            assert!(matches!(reply(status, "{}"), ChargeOutcome::Refused { .. }), "{status}");
        }
        for (status, arrived) in [(429, false), (409, true), (500, true), (503, true)] {
            let outcome = reply(status, "{}");
            assert!(
                matches!(outcome, ChargeOutcome::Unknown { may_have_arrived, .. } if may_have_arrived == arrived)
            );
        }
    }

    #[test]
    fn texts_of_the_provider_are_never_passed_on() {
        for body in ["", "null", "[]", "{}", "<html>", r#"{"id": "pi_1"}"#] {
            assert!(matches!(reply(200, body), ChargeOutcome::Unknown { .. }), "{body}");
        }
        let hostile = r#"{"id": "../../v1/refunds?x=", "status": "processing"}"#;
        assert!(matches!(reply(200, hostile), ChargeOutcome::Unknown { .. }));
        let body = r#"{"error": {"code": "<script>", "message": "card 4242 of Ada"}}"#;
        let bare = ChargeOutcome::Declined { reason: "the payment was declined".to_owned() };
        assert_eq!(reply(402, body), bare);
        assert_eq!(reply(402, "nonsense"), bare);
    }

    #[test]
    fn debug_output_hides_the_api_key() {
        let key = StripeKey::new("sk_test_hush").expect("a key");
        assert!(!format!("{key:?} {:?}", key.0).contains("hush"));
        for wrong in ["", "sk live", "sk_test_hush\r\nX: y"] {
            assert!(StripeKey::new(wrong).is_none(), "{wrong:?}");
        }
    }
}
