//! A response of the service under test.

use http::HeaderMap;
use serde_json::Value;

#[derive(Debug)]
pub struct ApiReply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub bytes: Vec<u8>,
    /// The body as JSON; null if it is not JSON.
    pub body: Value,
}

impl ApiReply {
    pub fn new(status: u16, headers: HeaderMap, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body).into_owned();
        let bytes = body.to_vec();
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        Self { status, headers, text, bytes, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        super::header(&self.headers, name)
    }

    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }

    /// Status and code of an error.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status, self.code())
    }

    /// The fields of the reported errors.
    pub fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().filter_map(|error| error["field"].as_str()).collect()
    }

    pub fn job_id(&self) -> String {
        self.body["job_id"].as_str().expect("a job").to_owned()
    }

    /// The body with identifiers and secrets replaced.
    pub fn stable(&self) -> Value {
        stable(&self.body)
    }
}

/// Replaces identifiers and secrets by their kind.
fn stable(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(stable_text(text)),
        Value::Array(items) => Value::Array(items.iter().map(stable).collect()),
        Value::Object(members) => {
            let member = |(name, member): (&String, &Value)| match name.as_str() {
                "last4" => (name.clone(), Value::from("[last4]")),
                "next_cursor" if member.is_string() => (name.clone(), Value::from("[cursor]")),
                _ => (name.clone(), stable(member)),
            };
            Value::Object(members.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

fn stable_text(text: &str) -> String {
    for secret in
        ["key_live_", "key_test_", "sess_", "whsec_", "aps_", "oac_", "oat_", "ort_", "dev_"]
    {
        if text.starts_with(secret) {
            return format!("{secret}[secret]");
        }
    }
    match text.split_once('_') {
        Some((
            kind @ ("job" | "acc" | "key" | "req" | "whk" | "evt" | "dlv" | "app" | "led" | "sch"
            | "aud" | "ses"),
            rest,
        )) if rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!("{kind}_[id]")
        }
        _ => text.to_owned(),
    }
}
