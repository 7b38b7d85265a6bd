//! Spans in the JSON form of OTLP: ids in hexadecimal digits, 64-bit numbers as text.

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::trace_layer::{EndedSpan, SpanAttributes, SpanValue};

/// `SPAN_KIND_INTERNAL` and `STATUS_CODE_ERROR`.
const INTERNAL: u8 = 1;
const ERROR: u8 = 2;

/// The body of `POST /v1/traces`.
pub(crate) fn export_request(resource: &[(&str, String)], spans: &[EndedSpan]) -> Value {
    let resource: Vec<_> = resource
        .iter()
        .map(|(name, value)| json!({"key": name, "value": {"stringValue": value}}))
        .collect();
    let spans: Vec<_> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{"scope": {"name": "trawl"}, "spans": spans}],
    }]})
}

fn span(span: &EndedSpan) -> Value {
    let events: Vec<_> = span
        .events
        .iter()
        .map(|event| {
            json!({
                "timeUnixNano": event.at.to_string(),
                "name": event.message,
                "attributes": attributes(&event.attributes),
            })
        })
        .collect();
    let mut value = json!({
        "traceId": HEXLOWER.encode(&span.trace),
        "spanId": HEXLOWER.encode(&span.id),
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": attributes(&span.attributes),
        "events": events,
    });
    if let Some(parent) = span.parent {
        value["parentSpanId"] = HEXLOWER.encode(&parent).into();
    }
    if span.has_failed {
        value["status"] = json!({"code": ERROR});
    }
    value
}

fn attributes(attributes: &SpanAttributes) -> Value {
    let shown = attributes.iter().map(|(name, value)| {
        let value = match value {
            SpanValue::Text(text) => json!({"stringValue": text}),
            SpanValue::Integer(number) => json!({"intValue": number.to_string()}),
            SpanValue::Truth(truth) => json!({"boolValue": truth}),
            SpanValue::Number(number) => json!({"doubleValue": number}),
        };
        json!({"key": name, "value": value})
    });
    shown.collect()
}
