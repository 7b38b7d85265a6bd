//! Reads the body of a response that is not rendered.

use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout_at;

use super::super::document::DocumentBody;
use super::super::pipe::CallError;
use super::PageLoad;
use net::{FetchError, FetchResult, Phase};

const CHUNK: usize = 256 * 1024;

impl PageLoad<'_> {
    pub(super) async fn read(&self, request: &str) -> FetchResult<DocumentBody> {
        let deadline = self.tracker.deadline();
        let reading = self.read_stream(request);
        timeout_at(deadline, reading).await.map_err(|_| FetchError::TimedOut(Phase::Whole))?
    }

    async fn read_stream(&self, request: &str) -> FetchResult<DocumentBody> {
        let params = json!({"requestId": request});
        let handle: StreamHandle = self.call("Fetch.takeResponseBodyAsStream", params).await?;
        let mut bytes = Vec::new();
        loop {
            let params = json!({"handle": handle.stream, "size": CHUNK});
            let chunk: StreamChunk = self.call("IO.read", params).await?;
            if chunk.base64_encoded {
                let data =
                    BASE64.decode(chunk.data.as_bytes()).map_err(|_| FetchError::Protocol)?;
                bytes.extend_from_slice(&data);
            } else {
                bytes.extend_from_slice(chunk.data.as_bytes());
            }
            let excess = bytes.len() > self.limit.bytes;
            if excess && !self.limit.truncate {
                return Err(FetchError::TooLarge(self.limit.bytes));
            }
            if excess || chunk.eof {
                bytes.truncate(self.limit.bytes);
                let body = DocumentBody {
                    bytes: bytes.into(),
                    truncated: excess,
                    ..DocumentBody::default()
                };
                return Ok(body);
            }
        }
    }

    async fn call<R: DeserializeOwned>(&self, method: &str, params: Value) -> FetchResult<R> {
        let reply = self.tab.begin(method, params).await;
        let reply = reply.map_err(|error| match error {
            CallError::Refused(why) => self.load_failure(&why),
            CallError::Closed | CallError::TimedOut => self.tab_failure(),
        })?;
        serde_json::from_str(reply.get()).map_err(|_| FetchError::Protocol)
    }
}

#[derive(Deserialize)]
struct StreamHandle {
    stream: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamChunk {
    #[serde(default)]
    base64_encoded: bool,
    data: String,
    eof: bool,
}
