//! The files that pages ask for: embedded, named by what is in them, so that a browser asks
//! once and never for a stale one.

use std::io::Write;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::{ConsoleState, Failure};

/// The name of a file in `assets/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name(usize);

macro_rules! assets {
    ($($name:ident = $file:literal,)+) => {
        assets!(@number 0; $($name)+);
        const FILES: &[(&str, &[u8])] =
            &[$(($file, include_bytes!(concat!("../assets/", $file)))),+];
    };
    (@number $number:expr; $name:ident $($rest:ident)*) => {
        pub(crate) const $name: Name = Name($number);
        assets!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
}

assets! {
    CONSOLE_CSS = "console.css",
    MARK_SVG = "mark.svg",
    COPY_JS = "copy.js",
    NEW_RUN_JS = "new-run.js",
    RUN_JS = "run.js",
    RUNS_JS = "runs.js",
}

struct Asset {
    path: String,
    kind: HeaderValue,
    plain: Bytes,
    packed: Bytes,
}

static ASSETS: LazyLock<Vec<Asset>> =
    LazyLock::new(|| FILES.iter().map(|(name, content)| Asset::new(name, content)).collect());

impl Asset {
    fn new(name: &str, content: &'static [u8]) -> Self {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let hash = HEXLOWER.encode(&Sha256::digest(content)[..8]);
        let kind = match extension {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "application/octet-stream",
        };
        Self {
            path: format!("/assets/{stem}-{hash}.{extension}"),
            kind: HeaderValue::from_static(kind),
            plain: Bytes::from_static(content),
            packed: Bytes::from(packed(content)),
        }
    }
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let written = packer.write_all(content).and_then(|()| packer.finish());
    written.unwrap_or_default()
}

/// Where a file is.
pub(crate) fn path(name: Name) -> &'static str {
    &ASSETS[name.0].path
}

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/assets/{file}", get(asset))
}

async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let asked = |asset: &&Asset| asset.path.strip_prefix("/assets/") == Some(file.as_str());
    let asset = ASSETS.iter().find(asked).ok_or(Failure::NotFound)?;
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let takes_gzip = accepted.is_some_and(|accepted| accepted.contains("gzip"));
    let body = if takes_gzip { &asset.packed } else { &asset.plain };
    let mut response = body.clone().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, asset.kind.clone());
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, forever);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if takes_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
