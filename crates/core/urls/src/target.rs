//! Validates the start URL of a run without network access: syntax, ports, IP addresses and names for
//! local use. The address guard checks the resolved addresses later.

use std::net::SocketAddr;

use thiserror::Error;

use crate::{AddressRefusal, AllowedNetworks, CanonicalUrl, UrlError, is_permitted_port};

/// Maximum length of a start URL in bytes.
const MAX_BYTES: usize = 2_048;

/// Special-use domains (RFC 6761), which have no public websites.
const SPECIAL_USE: &[&str] = &["localhost", "local", "internal", "home.arpa", "onion", "invalid"];

/// Why a start URL is rejected. The message says what to give instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TargetRefusal {
    /// Longer than 2,048 bytes.
    #[error("the URL is longer than 2,048 bytes; give a shorter one")]
    TooLong,
    /// Not an absolute http(s) URL.
    #[error("the URL must be absolute and begin with http:// or https://")]
    NotAbsolute,
    /// A control character, or a space or backslash around the host.
    #[error("the URL contains a control character, or a space or backslash in its host; remove it")]
    Characters,
    /// A user name or a password.
    #[error(
        "the URL must not contain a user name or a password; remove everything before the @, and send \
         them as basic_auth (--basic-auth)"
    )]
    Credentials,
    /// The host is no valid name.
    #[error("the host of the URL is not a valid domain name or IP address; check its spelling")]
    Host,
    /// A port that is not crawled.
    #[error("port {0} is not crawled; use 80, 443 or a web port from 1024 up")]
    Port(u16),
    #[error("the port of the URL is not a number from 1 to 65535")]
    NoPort,
    /// An IPv4 address in an unusual spelling.
    #[error(
        "the host is the IPv4 address {0} in another spelling; write it in plain dotted decimal"
    )]
    DisguisedAddress(String),
    /// An address that is not public.
    #[error("the address {0} is not public; give the address of a public website")]
    PrivateAddress(String),
    /// A public address in a network that the operator denies.
    #[error(
        "this service does not connect to the address {0}: its operator denies this network; give \
         the address of another website"
    )]
    DeniedAddress(String),
    /// A name that can only be local.
    #[error("`{0}` is a name for local use; give the name of a public website")]
    SpecialUseName(String),
    #[error("`{0}` is not a full domain name; give one with its ending, such as {0}.com")]
    SingleLabel(String),
}

#[derive(Debug, Clone, Copy)]
pub struct Target;

impl Target {
    /// Parses a start URL. `known_name` accepts the names of the operator's name table, which may be
    /// local.
    ///
    /// # Errors
    ///
    /// If the text is no URL, or its host cannot be public.
    pub fn parse(
        text: &str,
        allowed: &AllowedNetworks,
        known_name: impl Fn(&str) -> bool,
    ) -> Result<CanonicalUrl, TargetRefusal> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if text.len() > MAX_BYTES {
            return Err(TargetRefusal::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(TargetRefusal::Characters);
        }
        let authority = authority(text)?;
        if authority.contains(|c: char| c.is_whitespace() || c == '\\') {
            return Err(TargetRefusal::Characters);
        }
        if authority.contains('@') {
            return Err(TargetRefusal::Credentials);
        }
        let url = CanonicalUrl::parse(text).map_err(|error| refusal(error, authority))?;
        check_host(&url, authority, allowed, known_name)?;
        Ok(url)
    }
}

/// The text between `//` and the path, as written.
fn authority(text: &str) -> Result<&str, TargetRefusal> {
    let (scheme, rest) = text.split_once("://").ok_or(TargetRefusal::NotAbsolute)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(TargetRefusal::NotAbsolute);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest.get(..end).filter(|authority| !authority.is_empty()).ok_or(TargetRefusal::Host)
}

fn refusal(error: UrlError, authority: &str) -> TargetRefusal {
    match error {
        UrlError::TooLong => TargetRefusal::TooLong,
        UrlError::Credentials => TargetRefusal::Credentials,
        UrlError::Host => TargetRefusal::Host,
        UrlError::Port => TargetRefusal::NoPort,
        UrlError::Scheme => TargetRefusal::NotAbsolute,
        // The scheme is valid, so the port is not.
        UrlError::Syntax if authority.contains(':') => TargetRefusal::NoPort,
        UrlError::Syntax => TargetRefusal::Host,
    }
}

fn check_host(
    url: &CanonicalUrl,
    authority: &str,
    allowed: &AllowedNetworks,
    known_name: impl Fn(&str) -> bool,
) -> Result<(), TargetRefusal> {
    let host = url.host();
    let Some(ip) = url.ip() else {
        // A percent-encoded name is meant to hide it.
        if authority.contains('%') {
            return Err(TargetRefusal::Host);
        }
        if !known_name(host) {
            check_public_name(host)?;
        }
        let port = url.port();
        return if is_permitted_port(port) { Ok(()) } else { Err(TargetRefusal::Port(port)) };
    };
    let written = authority.split_once(':').map_or(authority, |(host, _)| host);
    if ip.is_ipv4() && written != host {
        return Err(TargetRefusal::DisguisedAddress(host.to_owned()));
    }
    allowed.check(SocketAddr::new(ip, url.port())).map_err(|refusal| match refusal {
        AddressRefusal::Port => TargetRefusal::Port(url.port()),
        AddressRefusal::Address => TargetRefusal::PrivateAddress(host.to_owned()),
        AddressRefusal::Denied => TargetRefusal::DeniedAddress(host.to_owned()),
    })
}

/// Checks that a canonical host name can be public.
pub(crate) fn check_public_name(host: &str) -> Result<(), TargetRefusal> {
    let special = SPECIAL_USE.iter().any(|name| {
        host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    if special {
        Err(TargetRefusal::SpecialUseName(host.to_owned()))
    } else if !host.contains('.') {
        Err(TargetRefusal::SingleLabel(host.to_owned()))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::DeniedNetworks;

    fn parsed(text: &str) -> Result<String, TargetRefusal> {
        Target::parse(text, &AllowedNetworks::none(), |_| false).map(String::from)
    }

    #[test]
    fn public_websites_are_accepted() {
        for (text, url) in [
            (" https://Example.com ", "https://example.com/"),
            ("http://example.com:8080/a b?q=ü#x", "http://example.com:8080/a%20b?q=%C3%BC"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("http://8.8.8.8/", "http://8.8.8.8/"),
            ("http://[2606:4700::1111]:8080/", "http://[2606:4700::1111]:8080/"),
            ("http://shop.test/", "http://shop.test/"),
            ("http://mylocal.example/", "http://mylocal.example/"),
            ("http://notlocalhost.example/x@y", "http://notlocalhost.example/x@y"),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(url));
        }
    }

    #[test]
    fn invalid_start_urls_are_rejected_with_their_reason() {
        use TargetRefusal as R;
        let long = format!("http://example.com/{}", "a".repeat(2_048));
        for (text, refusal) in [
            ("", R::NotAbsolute),
            ("example.com", R::NotAbsolute),
            ("//example.com", R::NotAbsolute),
            ("http:example.com", R::NotAbsolute),
            ("http:/example.com", R::NotAbsolute),
            ("http:\\\\example.com", R::NotAbsolute),
            ("ftp://example.com/", R::NotAbsolute),
            ("javascript://example.com/%0aalert(1)", R::NotAbsolute),
            (&long, R::TooLong),
            ("http://", R::Host),
            ("http:///example.com", R::Host),
            ("http://exa\tmple.com/", R::Characters),
            ("http://example.com/\0", R::Characters),
            ("http://exa mple.com/", R::Characters),
            ("http://example.com\\@127.0.0.1/", R::Characters),
            ("http://a:b@example.com/", R::Credentials),
            ("http://@example.com/", R::Credentials),
            ("http://example.com:99999/", R::NoPort),
            ("http://example.com:0/", R::NoPort),
            ("http://example.com:x/", R::NoPort),
            ("http://example.com:22/", R::Port(22)),
            ("http://example.com:6000/", R::Port(6000)),
            ("http://8.8.8.8:25/", R::Port(25)),
            ("http://xn--a/", R::Host),
            ("http://xn--zz--zz.com/", R::Host),
            ("http://a..b.com/", R::Host),
            ("http://ex%61mple.com/", R::Host),
            ("http://a\u{5d0}b1.com/", R::Host),
            ("http://exa\u{200d}mple.com/", R::Host),
        ] {
            assert_eq!(parsed(text), Err(refusal), "{text:?}");
        }
    }

    #[test]
    fn local_names_are_rejected_in_every_spelling() {
        for text in [
            "http://localhost/",
            "http://LOCALHOST:8080",
            "http://a.localhost",
            "http://localhost./",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://nas.home.arpa/",
            "http://abc.onion/",
            "http://x.invalid/",
            "http://ｌｏｃａｌｈｏｓｔ/",
            "http://local\u{ad}host/",
            "http://a。localhost/",
        ] {
            assert!(matches!(parsed(text), Err(TargetRefusal::SpecialUseName(_))), "{text}");
        }
        assert_eq!(
            parsed("http://intranet/"),
            Err(TargetRefusal::SingleLabel("intranet".to_owned()))
        );
        let known = |name: &str| matches!(name, "intranet" | "shop.local");
        for text in ["http://intranet/", "http://shop.local:9000/"] {
            assert!(Target::parse(text, &AllowedNetworks::none(), known).is_ok());
        }
    }

    #[test]
    fn disguised_ip_addresses_are_rejected() {
        for text in [
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://017700000001/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.1/",
            "http://127.0.0.1./",
            "http://127.0.0.01/",
            "http://１２７.0.0.1/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
            "http://①②⑦.0.0.1/",
            "http://134744072/",
            "http://8.8.8.8./",
            "http://010.8.8.8/",
        ] {
            assert!(
                matches!(parsed(text), Err(TargetRefusal::DisguisedAddress(_))),
                "{text}: {:?}",
                parsed(text)
            );
        }
    }

    #[test]
    fn denied_public_address_is_not_called_private() {
        let denied = DeniedNetworks::parse("93.184.216.0/24,10.0.0.0/8").unwrap();
        let allowed = AllowedNetworks::parse("10.0.0.0/8").unwrap().denying(denied);
        let refused = |text| Target::parse(text, &allowed, |_| false).unwrap_err().to_string();
        let public = refused("http://93.184.216.34/");
        assert!(public.contains("operator denies this network"), "{public}");
        assert!(!public.contains("not public") && !public.contains("deny_networks"), "{public}");
        assert!(refused("http://10.0.0.1/").contains("10.0.0.1 is not public"));
    }

    #[test]
    fn private_addresses_are_rejected_unless_allowed() {
        for text in [
            "http://127.0.0.1/",
            "http://169.254.169.254/latest",
            "http://10.0.0.1:8080/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[fe80::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://0.0.0.0/",
            "http://127.0.0.1:81/",
        ] {
            assert!(matches!(parsed(text), Err(TargetRefusal::PrivateAddress(_))), "{text}");
        }
        let allowed = AllowedNetworks::parse("127.0.0.0/8:8000,10.0.0.0/8,[::1]:81").unwrap();
        let passes = |text| Target::parse(text, &allowed, |_| false).is_ok();
        assert!(
            passes("http://127.0.0.1:8000/")
                && passes("http://10.0.0.1/")
                && passes("http://[::1]:81/")
        );
        assert!(!passes("http://127.0.0.1:8001/") && !passes("http://2130706433:8000/"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text: String) {
            let _ = parsed(&text);
        }

        #[test]
        fn accepted_host_is_public_and_plain_ascii(host in "[a-z0-9.%@\\\\\u{ad}\u{200b}\u{202e}。１x]{1,12}") {
            if let Ok(url) = parsed(&format!("http://{host}/")) {
                let url = CanonicalUrl::parse(&url).unwrap();
                prop_assert!(url.host().bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
                prop_assert!(url.ip().is_none_or(crate::is_public));
                prop_assert!(url.host().contains('.'));
            }
        }
    }
}
