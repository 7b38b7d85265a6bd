//! Answers in the content encoding that a client asks for: gzip, br or zstd.

use axum::Router;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, NotForContentType, Predicate, SizeAbove};

/// A smaller answer gains nothing.
const LEAST_BYTES: u16 = 860;

/// Streams of events have to arrive at once; archives are compressed already.
type CompressionRule = And<
    And<And<And<SizeAbove, NotForContentType>, NotForContentType>, NotForContentType>,
    NotForContentType,
>;

/// The routes of `router` with compressed answers, by the same rules as the API. Not for pages that
/// hold a token of the person beside what others wrote: the length of a compressed page would give
/// the token away (BREACH).
pub fn compressed(router: Router) -> Router {
    router.layer(layer())
}

/// Compresses answers of the API.
pub(crate) fn layer() -> CompressionLayer<CompressionRule> {
    let rule = SizeAbove::new(LEAST_BYTES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/zip"))
        .and(NotForContentType::const_new("application/vnd.openxmlformats"));
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(rule)
}
