//! Checks of the network: DNS, and the settings for a reverse proxy.

use std::time::Instant;

use net::{FetchError, HttpFetch};

use super::Finding;
use crate::settings::Settings;

/// Resolves a host name as runs do: with the configured name server and the address guard.
pub async fn dns(settings: &Settings, host: &str) -> Finding {
    let http = match HttpFetch::new(settings.http()) {
        Ok(http) => http,
        Err(error) => {
            let remedy =
                "correct the settings of outbound connections (dns, extra_ca, egress_proxy)";
            return Finding::failed("dns", error, remedy);
        }
    };
    let started = Instant::now();
    let found = http.resolver().resolve(host, 443).await;
    let took = started.elapsed().as_millis();
    match found {
        Ok(addresses) => Finding::ok(
            "dns",
            format_args!("{host} was found in {took} ms, addresses: {}", addresses.len()),
        ),
        Err(error) => failed_lookup(host, &error),
    }
}

fn failed_lookup(host: &str, error: &FetchError) -> Finding {
    let detail = format!("{host}: {error}");
    match error {
        FetchError::NameNotFound => Finding::warning(
            "dns",
            detail,
            "check another name with --host; if public names are missing as well, correct the name \
             server of the machine (/etc/resolv.conf) or set TRAWL_DNS",
        ),
        FetchError::AddressRefused(_) | FetchError::PortRefused(_) => Finding::warning(
            "dns",
            detail,
            "runs connect to public addresses only; allow a private network with \
             TRAWL_ALLOW_NETWORKS",
        ),
        _ => Finding::failed(
            "dns",
            detail,
            "correct the name server of the machine (/etc/resolv.conf), or set TRAWL_DNS to a name \
             server that this machine can reach, as 9.9.9.9:53",
        ),
    }
}

/// Whether address, public URL and `behind_proxy` fit together.
pub fn proxy_headers(settings: &Settings) -> Vec<Finding> {
    let check = "reverse proxy";
    let is_https = settings.public_url.starts_with("https://");
    let is_local = settings.listening.is_local();
    let has_tls = settings.listening.tls.is_some();
    let mut findings = Vec::new();
    if is_https && !settings.behind_proxy && !has_tls {
        findings.push(Finding::warning(
            check,
            "public_url is https, so that a proxy is in front, and behind_proxy is off: all clients \
             share the limits of the proxy's address",
            "set TRAWL_BEHIND_PROXY=true if the proxy sets X-Forwarded-For",
        ));
    }
    if settings.behind_proxy && !is_local {
        findings.push(Finding::warning(
            check,
            format_args!(
                "behind_proxy is on and the server listens on {}: a client that reaches it without \
                 the proxy can choose its address in X-Forwarded-For",
                settings.listening
            ),
            "listen on 127.0.0.1, or let only the proxy reach this port",
        ));
    }
    if !is_https && !is_local && !has_tls {
        findings.push(Finding::warning(
            check,
            "clients send passwords and keys without TLS",
            "set tls_certificate and tls_key, or put a proxy with TLS in front and set \
             TRAWL_PUBLIC_URL to its https address",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(check, format_args!("clients use {}", settings.public_url)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use crate::settings::Layers;

    fn warnings(environment: &[(&str, &str)]) -> Vec<String> {
        let pairs = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let layers = Layers::gather(None, pairs, &[]).expect("settings");
        let settings = Settings::of(&layers).expect("valid");
        let findings = proxy_headers(&settings).into_iter();
        findings
            .filter(|finding| finding.verdict == Verdict::Warning)
            .map(|finding| finding.detail + " " + &finding.remedy.unwrap_or_default())
            .collect()
    }

    #[test]
    fn proxy_settings_that_do_not_fit_are_warned_about() {
        let https = ("TRAWL_PUBLIC_URL", "https://crawl.example.com");
        let open = ("TRAWL_LISTEN", "0.0.0.0:8080");
        let proxy = ("TRAWL_BEHIND_PROXY", "true");
        assert!(warnings(&[]).is_empty());
        assert!(warnings(&[https, proxy]).is_empty());
        assert!(warnings(&[https])[0].contains("TRAWL_BEHIND_PROXY=true"));
        assert!(warnings(&[https, proxy, open])[0].contains("X-Forwarded-For"));
        assert!(warnings(&[open])[0].contains("without TLS"));
    }

    #[test]
    fn dead_name_server_fails_and_an_unknown_name_warns() {
        let verdict = |error| failed_lookup("example.com", &error).verdict;
        assert_eq!(verdict(FetchError::NameServer), Verdict::Failed);
        assert_eq!(verdict(FetchError::NameNotFound), Verdict::Warning);
    }
}
