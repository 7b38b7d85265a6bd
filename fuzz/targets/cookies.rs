//! `Set-Cookie` headers of a site, one per line, as a run with a login keeps them.

#![no_main]
#![allow(dead_code, reason = "the file belongs to `net`, which uses the rest of it")]

use contract::Millis;
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use urls::CanonicalUrl;

#[path = "../../crates/service/net/src/cookie_jar.rs"]
mod cookie_jar;

mod site_headers {
    use http::HeaderValue;
    use http::header::InvalidHeaderValue;

    pub fn secret_value(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
        HeaderValue::from_str(text)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let url = CanonicalUrl::parse("https://site.test/members/page?x=1").expect("a URL");
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n').take(200) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(SET_COOKIE, value);
        }
    }
    let mut jar = cookie_jar::CookieJar::default();
    jar.receive(&url, &headers, Millis(1_700_000_000_000));
    assert!(jar.cookies().len() <= 50);
    // A header of many cookies is sent with the rest of the request.
    let header = jar.header(url.path());
    assert!(header.is_none_or(|header| header.len() <= 16 * 1024));
    for cookie in jar.cookies() {
        assert!(cookie.path.starts_with('/') && !cookie.name.is_empty());
        assert!(cookie.name.len() + cookie.value.reveal().len() <= 4 * 1024);
    }
});
