//! The cookies of a session on one origin: those of a login, and those that the site sets later
//! (RFC 6265). They are sent to that origin only, so that `Domain` has no effect.

use std::time::{Duration, SystemTime};

use contract::{Millis, SecretText};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use urls::CanonicalUrl;

use crate::site_headers::secret_value;

/// Maximum cookies of a session; the oldest is dropped.
const MAX_COOKIES: usize = 50;

/// Maximum bytes of one cookie, name and value together.
const COOKIE_BYTES: usize = 4 * 1024;

/// Maximum bytes of the `Cookie` header; the oldest cookies are left out.
const HEADER_BYTES: usize = 16 * 1024;

/// A cookie that a site or a client has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteCookie {
    pub name: String,
    pub value: SecretText,
    /// The cookie is sent to this path and to those below it.
    pub path: String,
}

/// The cookies of one origin, each name and path once, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CookieJar {
    cookies: Vec<SiteCookie>,
}

impl CookieJar {
    #[must_use]
    pub fn cookies(&self) -> &[SiteCookie] {
        &self.cookies
    }

    /// Adds a cookie in the place of the one with its name and path. Cookies that cannot be sent are
    /// ignored.
    pub fn set(&mut self, cookie: SiteCookie) {
        self.remove(&cookie.name, &cookie.path);
        let is_octet = |byte: u8| matches!(byte, b' '..=b':' | b'<'..=b'~');
        let SiteCookie { name, value, .. } = &cookie;
        let is_sendable = !name.is_empty()
            && !name.contains('=')
            && name.bytes().chain(value.reveal().bytes()).all(is_octet);
        if !is_sendable || name.len() + value.reveal().len() > COOKIE_BYTES {
            return;
        }
        if self.cookies.len() >= MAX_COOKIES {
            self.cookies.remove(0);
        }
        self.cookies.push(cookie);
    }

    fn remove(&mut self, name: &str, path: &str) {
        self.cookies.retain(|known| known.name != name || known.path != path);
    }

    /// Applies the `Set-Cookie` headers of a response to a request for `url`. Returns whether the jar
    /// has changed.
    pub fn receive(&mut self, url: &CanonicalUrl, headers: &HeaderMap, now: Millis) -> bool {
        let before = self.cookies.clone();
        for header in headers.get_all(SET_COOKIE) {
            let Ok(text) = header.to_str() else { continue };
            let mut parts = text.split(';');
            let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else {
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            let mut path = default_path(url.path());
            let (mut expires, mut max_age) = (None, None);
            for part in parts {
                let (attribute, value) = part.split_once('=').unwrap_or((part, ""));
                let value = value.trim();
                match attribute.trim().to_ascii_lowercase().as_str() {
                    "path" if value.starts_with('/') => path = value.to_owned(),
                    "max-age" => max_age = value.parse::<i64>().ok(),
                    "expires" => expires = httpdate::parse_http_date(value).ok(),
                    _ => {}
                }
            }
            let now = u64::try_from(now.0).unwrap_or(0);
            let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
            // Max-Age has precedence (RFC 6265 §5.3).
            let is_expired = match max_age {
                Some(seconds) => seconds <= 0,
                None => expires.is_some_and(|expires| expires <= now),
            };
            if is_expired {
                self.remove(name, &path);
            } else {
                self.set(SiteCookie { name: name.to_owned(), value: SecretText::new(value), path });
            }
        }
        self.cookies != before
    }

    /// The value of the `Cookie` header for a path: cookies of longer paths first.
    #[must_use]
    pub fn header(&self, path: &str) -> Option<HeaderValue> {
        let mut sent: Vec<_> =
            self.cookies.iter().filter(|cookie| is_below(path, &cookie.path)).collect();
        // Stable: older cookies stay before newer ones.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let mut text = String::new();
        for SiteCookie { name, value, .. } in sent {
            if text.len() + name.len() + value.reveal().len() + 3 > HEADER_BYTES {
                continue;
            }
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(name);
            text.push('=');
            text.push_str(value.reveal());
        }
        if text.is_empty() { None } else { secret_value(&text).ok() }
    }
}

/// The path of a cookie without the attribute: the folder of the request.
fn default_path(path: &str) -> String {
    match path.rfind('/') {
        Some(0) | None => "/".to_owned(),
        Some(end) => path.get(..end).unwrap_or("/").to_owned(),
    }
}

/// Whether a path is `parent` or below it.
fn is_below(path: &str, parent: &str) -> bool {
    let Some(rest) = path.strip_prefix(parent) else { return false };
    rest.is_empty() || parent.ends_with('/') || rest.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(jar: &mut CookieJar, url: &str, cookies: &[&str]) -> bool {
        let url = CanonicalUrl::parse(url).expect("a URL");
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(SET_COOKIE, HeaderValue::from_str(cookie).expect("a header"));
        }
        jar.receive(&url, &headers, Millis(1_794_735_000_000))
    }

    fn sent(jar: &CookieJar, path: &str) -> String {
        let header = jar.header(path);
        header.map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default()
    }

    #[test]
    fn cookies_are_replaced_removed_and_sent_below_their_path() {
        let mut jar = CookieJar::default();
        let site = "https://a.test/shop/cart";
        assert!(receive(&mut jar, site, &["id=1; Path=/; HttpOnly", "cart=x", "flag=; Path=/"]));
        assert_eq!(sent(&jar, "/shop/cart"), "cart=x; id=1; flag=");
        assert_eq!(sent(&jar, "/shopping"), "id=1; flag=");
        assert!(receive(&mut jar, site, &["id=2; path=/; Domain=.a.test; Secure"]));
        assert!(!receive(&mut jar, site, &["id=2; path=/"]), "nothing is new");
        assert_eq!(sent(&jar, "/"), "flag=; id=2");
        let ended =
            ["id=; Path=/; Max-Age=0", "flag=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"];
        assert!(receive(&mut jar, site, &ended));
        assert_eq!(sent(&jar, "/shop"), "cart=x");
        let kept = "id=3; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
        assert!(receive(&mut jar, site, &[kept]));
        assert_eq!(sent(&jar, "/"), "id=3");
        assert!(!format!("{jar:?}{:?}", jar.header("/shop")).contains("cart=x"));
    }

    #[test]
    fn number_and_size_of_cookies_are_limited() {
        let mut jar = CookieJar::default();
        let long = format!("long={}", "a".repeat(COOKIE_BYTES));
        assert!(!receive(&mut jar, "http://a.test/", &[&long, "no cookie", "=x"]));
        for n in 0..60 {
            receive(&mut jar, "http://a.test/", &[&format!("c{n}={}", "a".repeat(1_000))]);
        }
        assert_eq!(jar.cookies().len(), MAX_COOKIES);
        assert!(sent(&jar, "/").len() <= HEADER_BYTES);
    }
}
