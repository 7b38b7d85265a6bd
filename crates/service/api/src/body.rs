//! Reads request bodies: size and time limits, JSON, then fields.
//!
//! Invalid JSON is `invalid_json`. Invalid fields are reported all at once, not only the first.

mod canonical;
mod nesting;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use bytes::{Bytes, BytesMut};
use contract::{BodyFields, ProblemCode};
use http_body_util::BodyExt;
use serde_json::{Map, Value};
use tokio::time::timeout;

pub(crate) use canonical::canonical_hash;

use crate::api_error::{ApiError, ApiResult};
use crate::{ApiState, Inbound};

/// Up to this multiple of the size limit is read and discarded, so that a client that reads only
/// after sending gets the response instead of a broken connection.
const DRAIN_FACTOR: usize = 8;

/// A JSON body that must not be empty.
#[derive(Debug)]
pub(crate) struct JsonBody(pub Value);

/// An optional JSON body; `{}` if it is empty.
#[derive(Debug)]
pub(crate) struct OptionalJsonBody(pub Value);

impl FromRequest<ApiState> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        match read(request, &state.settings.inbound).await? {
            Some(value) => Ok(Self(value)),
            None => Err(not_json("the body is empty; send a JSON object")),
        }
    }
}

impl FromRequest<ApiState> for OptionalJsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        let value = read(request, &state.settings.inbound).await?;
        Ok(Self(value.unwrap_or_else(|| Value::Object(Map::new()))))
    }
}

/// The whole body of a request, within the limits.
pub(crate) async fn bytes(request: Request, inbound: &Inbound) -> ApiResult<(HeaderMap, Bytes)> {
    let (parts, body) = request.into_parts();
    let bytes = timeout(inbound.body_timeout, collect(body, inbound.body_bytes)).await.map_err(
        |_| {
            ApiError::new(ProblemCode::RequestTimeout, "the body took too long to arrive")
                .header(header::CONNECTION, HeaderValue::from_static("close"))
        },
    )??;
    Ok((parts.headers, bytes))
}

async fn read(request: Request, inbound: &Inbound) -> ApiResult<Option<Value>> {
    let (headers, bytes) = bytes(request, inbound).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !has_content_type(&headers, "application/json") {
        return Err(ApiError::new(
            ProblemCode::UnsupportedMediaType,
            "send the body as application/json and say so in Content-Type",
        ));
    }
    if nesting::exceeds(&bytes) {
        return Err(not_json("the body is nested deeper than 64 levels"));
    }
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| not_json(&format!("the body is not JSON: {error}")))
}

async fn collect(mut body: Body, most: usize) -> ApiResult<Bytes> {
    let mut collected = BytesMut::new();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| not_json("the body was cut off"))?;
        let Ok(data) = frame.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length <= most {
            collected.extend_from_slice(&data);
        } else if length > most.saturating_mul(DRAIN_FACTOR) {
            break;
        }
    }
    if length > most {
        return Err(ApiError::new(
            ProblemCode::PayloadTooLarge,
            format!("the body is larger than {most} bytes"),
        ));
    }
    Ok(collected.freeze())
}

/// Whether the request has exactly one `Content-Type`, of this media type.
pub(crate) fn has_content_type(headers: &HeaderMap, media_type: &str) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let essence = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media_type)
}

/// Ends the reading of a body: its value, or all field errors.
pub(crate) fn finish<T>(fields: BodyFields<'_>, value: Option<T>) -> ApiResult<T> {
    let errors = fields.finish();
    value.filter(|_| errors.is_empty()).ok_or_else(|| ApiError::invalid(errors))
}

fn not_json(message: &str) -> ApiError {
    ApiError::new(ProblemCode::InvalidJson, message)
}
