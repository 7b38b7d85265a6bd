//! Stripe: a `PaymentIntent` off session for each purchase, under the purchase's id as the
//! idempotency key.
//!
//! Nothing that Stripe says is passed on as it is: outcomes have words of our own, and of its
//! codes only plain ones are quoted. Neither the key nor a card ever reaches a log.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use net::{HttpPost, Post, PostResponse};
use serde::Deserialize;
use store::Recharge;
use url::form_urlencoded;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A code that is longer says nothing.
const LONGEST_CODE: usize = 64;

/// The operator's secret key.
#[derive(Clone)]
pub struct StripeKey(HeaderValue);

impl StripeKey {
    /// The key, if it can be one.
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

/// What the provider told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// It has the money.
    Paid { reference: String },
    /// It does not get the money, and will not by this purchase.
    Declined { reason: String },
    /// It did not look at the purchase at all: what came of an earlier attempt it did not say.
    Refused { reason: String },
    /// It will know later.
    Pending { reference: String },
    /// It did not tell.
    Unknown { why: String, may_have_arrived: bool },
}

/// Speaks to Stripe.
#[derive(Debug, Clone)]
pub struct Stripe {
    http: HttpPost,
    key: StripeKey,
    url: String,
}

/// What is read of a `PaymentIntent`.
#[derive(Debug, Deserialize)]
struct PaymentIntent {
    id: String,
    status: String,
}

#[derive(Debug, Deserialize)]
struct Failure {
    error: FailureDetails,
}

#[derive(Debug, Default, Deserialize)]
struct FailureDetails {
    code: Option<String>,
    decline_code: Option<String>,
}

impl Stripe {
    /// Speaks to the API at `url`, which begins with `https:` and has no slash at its end.
    #[must_use]
    pub fn new(http: HttpPost, key: StripeKey, url: impl Into<String>) -> Self {
        Self { http, key, url: url.into() }
    }

    /// Asks for the money, or what became of it. The same purchase is asked for in the same
    /// words, whenever and by whomever.
    pub(crate) async fn charge(&self, recharge: &Recharge) -> Told {
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
            Ok(reply) => told(&reply),
            Err(error) => Told::Unknown {
                why: format!("the payment provider gave no answer ({error})"),
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

fn told(reply: &PostResponse) -> Told {
    let unknown = |may_have_arrived| Told::Unknown {
        why: format!("the payment provider answered {}", reply.status),
        may_have_arrived,
    };
    match reply.status {
        200..=299 => match serde_json::from_slice(&reply.body) {
            Ok(intent) => outcome(intent),
            Err(_) => unknown(true),
        },
        402 => {
            let failure = serde_json::from_slice::<Failure>(&reply.body);
            let details = failure.map(|failure| failure.error).unwrap_or_default();
            let codes = [details.decline_code, details.code];
            let code = codes.into_iter().flatten().find(|code| is_plain(code));
            let code = code.map_or_else(String::new, |code| format!(" ({code})"));
            Told::Declined { reason: format!("the payment was declined{code}") }
        }
        401 | 403 => Told::Refused {
            reason: "the payment provider refuses this service's key; its operator has to look"
                .to_owned(),
        },
        // Turned away before it was looked at.
        429 => unknown(false),
        // The same key is being worked at, or it went wrong in the middle.
        408 | 409 | 500..=599 => unknown(true),
        status => Told::Refused {
            reason: format!("the payment provider refuses the payment with status {status}"),
        },
    }
}

fn outcome(intent: PaymentIntent) -> Told {
    let PaymentIntent { id, status } = intent;
    match status.as_str() {
        // The name goes into addresses: one that is not plain is none.
        _ if !is_plain(&id) => Told::Unknown {
            why: "the payment provider answered in an unknown way".to_owned(),
            may_have_arrived: true,
        },
        "succeeded" => Told::Paid { reference: id },
        "processing" => Told::Pending { reference: id },
        "requires_action" | "requires_confirmation" => Told::Declined {
            reason: "the payment needs its owner's own confirmation, which cannot be given here"
                .to_owned(),
        },
        status => {
            let status = if is_plain(status) { format!(" ({status})") } else { String::new() };
            Told::Declined { reason: format!("the payment was not made{status}") }
        }
    }
}

/// A word that can do no harm wherever it is shown.
fn is_plain(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !code.is_empty() && code.len() <= LONGEST_CODE && code.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Told {
        told(&PostResponse { status, body: Bytes::from(body.to_owned()) })
    }

    #[test]
    fn every_answer_has_one_meaning() {
        let paid = reply(200, r#"{"id": "pi_1", "status": "succeeded", "amount": 5}"#);
        assert_eq!(paid, Told::Paid { reference: "pi_1".to_owned() });
        let pending = reply(200, r#"{"id": "pi_1", "status": "processing"}"#);
        assert_eq!(pending, Told::Pending { reference: "pi_1".to_owned() });
        let body = r#"{"error": {"code": "card_declined", "decline_code": "lost_card"}}"#;
        let declined = Told::Declined { reason: "the payment was declined (lost_card)".to_owned() };
        assert_eq!(reply(402, body), declined);
        for status in ["requires_action", "requires_payment_method", "canceled", "new <thing>"] {
            let body = serde_json::json!({"id": "pi_1", "status": status}).to_string();
            assert!(matches!(reply(200, &body), Told::Declined { .. }), "{status}");
        }
        for status in [301, 400, 401, 403, 404] {
            assert!(matches!(reply(status, "{}"), Told::Refused { .. }), "{status}");
        }
        for (status, arrived) in [(429, false), (409, true), (500, true), (503, true)] {
            let told = reply(status, "{}");
            assert!(
                matches!(told, Told::Unknown { may_have_arrived, .. } if may_have_arrived == arrived)
            );
        }
    }

    #[test]
    fn what_is_told_is_never_passed_on_as_it_is() {
        for body in ["", "null", "[]", "{}", "<html>", r#"{"id": "pi_1"}"#] {
            assert!(matches!(reply(200, body), Told::Unknown { .. }), "{body}");
        }
        let sly = r#"{"id": "../../v1/refunds?x=", "status": "processing"}"#;
        assert!(matches!(reply(200, sly), Told::Unknown { .. }));
        let body = r#"{"error": {"code": "<script>", "message": "card 4242 of Ada"}}"#;
        let bare = Told::Declined { reason: "the payment was declined".to_owned() };
        assert_eq!(reply(402, body), bare);
        assert_eq!(reply(402, "nonsense"), bare);
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = StripeKey::new("sk_test_hush").expect("a key");
        assert!(!format!("{key:?} {:?}", key.0).contains("hush"));
        for wrong in ["", "sk live", "sk_test_hush\r\nX: y"] {
            assert!(StripeKey::new(wrong).is_none(), "{wrong:?}");
        }
    }
}
