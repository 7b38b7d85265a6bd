//! The bytes of an answer that is not shown.

use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout_at;

use super::super::document::Body;
use super::super::pipe::CallError;
use super::Visit;
use net::{FetchError, Phase};

/// How much of a body is read at a time.
const CHUNK: usize = 256 * 1024;

impl Visit<'_> {
    /// The bytes of an answer that is not shown.
    pub(super) async fn read(&self, request: &str) -> Result<Body, FetchError> {
        let end = self.life.end();
        let reading = self.read_stream(request);
        timeout_at(end, reading).await.map_err(|_| FetchError::TimedOut(Phase::Whole))?
    }

    async fn read_stream(&self, request: &str) -> Result<Body, FetchError> {
        let params = json!({"requestId": request});
        let opened: Opened = self.ask("Fetch.takeResponseBodyAsStream", params).await?;
        let mut bytes = Vec::new();
        loop {
            let params = json!({"handle": opened.stream, "size": CHUNK});
            let part: Part = self.ask("IO.read", params).await?;
            if part.base64_encoded {
                let data = BASE64.decode(part.data.as_bytes()).map_err(|_| FetchError::Protocol)?;
                bytes.extend_from_slice(&data);
            } else {
                bytes.extend_from_slice(part.data.as_bytes());
            }
            let excess = bytes.len() > self.wanted.bytes;
            if excess && !self.wanted.cut {
                return Err(FetchError::TooLarge(self.wanted.bytes));
            }
            if excess || part.eof {
                bytes.truncate(self.wanted.bytes);
                let body = Body { bytes: bytes.into(), truncated: excess, ..Body::default() };
                return Ok(body);
            }
        }
    }

    async fn ask<R: DeserializeOwned>(&self, method: &str, params: Value) -> Result<R, FetchError> {
        let reply = self.tab.begin(method, params).await;
        let reply = reply.map_err(|error| match error {
            CallError::Refused(why) => self.failure(&why),
            CallError::Gone | CallError::Late => self.lost(),
        })?;
        serde_json::from_str(reply.get()).map_err(|_| FetchError::Protocol)
    }
}

#[derive(Deserialize)]
struct Opened {
    stream: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    base64_encoded: bool,
    data: String,
    eof: bool,
}
