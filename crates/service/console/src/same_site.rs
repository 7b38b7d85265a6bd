//! Cross-site check of posted forms by browser headers.

use axum::http::{HeaderMap, header};

/// Whether the browser reports that another site sends this request. Browsers always send one of
/// these headers with a POST; other clients have no cookies.
pub(crate) fn is_cross_site(headers: &HeaderMap, public_url: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    // Also the public URL: a proxy may have changed `Host`.
    origin != public_url && (authority.is_none() || authority != host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_same_origin_forms_are_accepted() {
        let cases: &[(&[(&'static str, &'static str)], bool)] = &[
            (&[("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
            (&[("origin", "http://127.0.0.1:80"), ("host", "127.0.0.1:80")], false),
            (&[("origin", "https://trawl.example"), ("host", "inside:80")], false),
            (&[("origin", "https://evil.example"), ("host", "127.0.0.1:80")], true),
            (&[("origin", "https://trawl.example.evil"), ("host", "trawl.example")], true),
            (&[("origin", "null"), ("host", "trawl.example")], true),
            (&[("origin", "null")], true),
            (&[], false),
        ];
        for (headers, foreign) in cases {
            let map = headers
                .iter()
                .map(|(name, value)| {
                    (header::HeaderName::from_static(name), value.parse().expect("a value"))
                })
                .collect();
            assert_eq!(is_cross_site(&map, "https://trawl.example"), *foreign, "{headers:?}");
        }
    }
}
