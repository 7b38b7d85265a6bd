//! What the service sends by itself: the document's word on webhooks.

use serde_json::{Value, json};

use super::example;

/// The deliveries to webhook endpoints, as the document's `webhooks`.
pub(super) fn webhooks() -> Value {
    let signature = json!({
        "name": "X-Service-Signature",
        "in": "header",
        "required": true,
        "description": "`t=<unix>,v1=<hmac>`: the HMAC-SHA256, in lower-case hex, of the timestamp, \
            a dot and the raw body, with the endpoint's secret as its key.",
        "schema": {"type": "string", "pattern": "^t=[0-9]+,v1=[0-9a-f]{64}$"},
    });
    let delivery = json!({
        "operationId": "event",
        "summary": "An event",
        "description": "Sent to every active endpoint that asked for its type, at least once and in \
            no particular order. Answer 2xx within the time-out; anything else is tried again.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [signature],
        "requestBody": {
            "required": true,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Event"},
                "example": example::event(),
            }},
        },
        "responses": {
            "2XX": {"description": "It has arrived."},
            "410": {"description": "The endpoint wants no more and is switched off."},
            "default": {"description": "It is tried again."},
        },
    });
    json!({"event": {"post": delivery}})
}
