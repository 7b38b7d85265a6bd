//! Embedded static files. Their URLs contain a hash of the content, so that browsers cache them
//! forever and never use a stale version.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tower_http::compression::CompressionLayer;

use crate::{ConsoleState, PageError, PageResult};

/// Index of a file in `assets/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AssetName(usize);

macro_rules! assets {
    ($($name:ident = $file:literal,)+) => {
        assets!(@number 0; $($name)+);
        const FILES: &[(&str, &[u8])] =
            &[$(($file, include_bytes!(concat!("../assets/", $file)))),+];
    };
    (@number $number:expr; $name:ident $($rest:ident)*) => {
        pub(crate) const $name: AssetName = AssetName($number);
        assets!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
}

assets! {
    CONSOLE_CSS = "console.css",
    MARK_SVG = "mark.svg",
    COPY_JS = "copy.js",
    DOCS_CSS = "docs.css",
    LOCAL_TIME_JS = "local-time.js",
    NEW_RUN_JS = "new-run.js",
    RUN_JS = "run.js",
    RUNS_JS = "runs.js",
    SCHEDULE_JS = "schedule.js",
    SHORTCUTS_JS = "shortcuts.js",
    THEME_JS = "theme.js",
    WELCOME_JS = "welcome.js",
}

struct EmbeddedAsset {
    path: String,
    kind: HeaderValue,
    content: Bytes,
}

static ASSETS: LazyLock<Vec<EmbeddedAsset>> = LazyLock::new(|| {
    FILES.iter().map(|(name, content)| EmbeddedAsset::new(name, content)).collect()
});

impl EmbeddedAsset {
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
            content: Bytes::from_static(content),
        }
    }
}

/// The URL path of a file.
pub(crate) fn path(name: AssetName) -> &'static str {
    &ASSETS[name.0].path
}

/// Files are compressed; pages are not, because the length of a compressed page could leak its
/// token (BREACH).
pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/assets/{file}", get(asset)).layer(CompressionLayer::new())
}

async fn asset(Path(file): Path<String>) -> PageResult {
    let is_requested =
        |asset: &&EmbeddedAsset| asset.path.strip_prefix("/assets/") == Some(file.as_str());
    let asset = ASSETS.iter().find(is_requested).ok_or(PageError::NotFound)?;
    let mut response = asset.content.clone().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, asset.kind.clone());
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, forever);
    Ok(response)
}
