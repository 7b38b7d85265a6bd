//! The `webhooks` section of the OpenAPI document.

use serde_json::{Value, json};

use super::examples;

/// The description of deliveries to webhook endpoints.
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
        "description": "Sent to every active endpoint that is subscribed to its type, at least once \
            and in no particular order. Respond with 2xx within the timeout; anything else is retried.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [signature],
        "requestBody": {
            "required": true,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Event"},
                "example": examples::of_schema("Event"),
            }},
        },
        "responses": {
            "2XX": {"description": "Delivered."},
            "410": {"description": "The endpoint is disabled."},
            "default": {"description": "The delivery is retried."},
        },
    });
    json!({"event": {"post": delivery}})
}
