//! Compression of responses with gzip, br or zstd.

use axum::Router;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, NotForContentType, Predicate, SizeAbove};

/// Smaller responses are not compressed.
const MIN_BYTES: u16 = 860;

/// Excludes event streams, which must not be buffered, and formats that are compressed already.
type CompressionRule = And<
    And<And<And<SizeAbove, NotForContentType>, NotForContentType>, NotForContentType>,
    NotForContentType,
>;

/// Compresses the responses of `router` like those of the API. Not for pages that contain a secret
/// token beside content of others: the compressed length would reveal the token (BREACH).
pub fn compressed(router: Router) -> Router {
    router.layer(layer())
}

/// The compression layer of the API.
pub(crate) fn layer() -> CompressionLayer<CompressionRule> {
    let rule = SizeAbove::new(MIN_BYTES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/zip"))
        .and(NotForContentType::const_new("application/vnd.openxmlformats"));
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(rule)
}
