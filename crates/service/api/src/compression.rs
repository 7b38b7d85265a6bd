//! Compression of responses with gzip, br or zstd.

use axum::Router;
use axum::http::Response;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, NotForContentType, Predicate, SizeAbove};

use crate::guarded_body::is_live;

/// Smaller responses are not compressed.
const MIN_BYTES: u16 = 860;

/// Excludes live streams, which must not be buffered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotLive;

impl Predicate for NotLive {
    fn should_compress<B: hyper::body::Body>(&self, response: &Response<B>) -> bool {
        !is_live(response.headers())
    }
}

/// Excludes streams and formats that are compressed already.
type CompressionRule =
    And<And<And<And<And<And<SizeAbove, NotLive>, Kind>, Kind>, Kind>, Kind>, Kind>;
type Kind = NotForContentType;

/// Compresses the responses of `router` like those of the API. Not for pages that contain a secret
/// token beside content of others: the compressed length would reveal the token (BREACH).
pub fn compressed(router: Router) -> Router {
    router.layer(layer())
}

/// The compression layer of the API.
pub(crate) fn layer() -> CompressionLayer<CompressionRule> {
    let rule = SizeAbove::new(MIN_BYTES)
        .and(NotLive)
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/zip"))
        // WARC and WACZ files.
        .and(NotForContentType::const_new("application/wa"))
        .and(NotForContentType::const_new("application/vnd.openxmlformats"));
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(rule)
}
