//! Profiles on social networks. Links that share, search or lead to the network itself are
//! excluded.

use text::vocabulary::{TermSet, TermTable};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SocialProfile {
    pub network: &'static str,
    pub url: String,
    /// The URL shows that it belongs to a person.
    pub is_personal: bool,
}

static HOSTS: TermTable<2> = term_table!("social/hosts.tsv");

static NO_PROFILE: TermSet = word_set!("social/not_profiles.txt");

static SERVICE_HOSTS: TermSet = word_set!("social/service_hosts.txt");

/// The profile that a link leads to.
pub(crate) fn profile(href: &str) -> Option<SocialProfile> {
    let target = redirect_target(href.trim());
    let rest = target.as_deref().unwrap_or(href).trim();
    let rest = rest.strip_prefix("https:").or_else(|| rest.strip_prefix("http:")).unwrap_or(rest);
    let rest = rest.strip_prefix("//")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    let host = host.split(':').next().unwrap_or_default();
    let known = HOSTS.iter().find(|[known, _]| {
        host.strip_suffix(known).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    });
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let Some([base, network]) = known else {
        return fediverse(host, &parts);
    };
    if SERVICE_HOSTS.contains(host) {
        return None;
    }
    let first = parts.first()?.to_ascii_lowercase();
    if NO_PROFILE.contains(first.as_str()) {
        return None;
    }
    let takes = |count: usize| parts.get(..count).map(|parts| parts.join("/"));
    let (path, is_personal) = match *network {
        "linkedin" => match first.as_str() {
            "company" | "school" | "showcase" | "organization" => (takes(2)?, false),
            "in" | "pub" => (takes(2)?, true),
            _ => return None,
        },
        "xing" => match first.as_str() {
            "profile" => (takes(2)?, true),
            "companies" | "company" | "pages" => (takes(2)?, false),
            _ => return None,
        },
        "youtube" => match first.as_str() {
            "channel" | "c" | "user" => (takes(2)?, false),
            _ if first.starts_with('@') || parts.len() == 1 => (takes(1)?, false),
            _ => return None,
        },
        "facebook" => match first.as_str() {
            "pages" | "pg" | "people" => (takes(parts.len().min(3))?, false),
            _ if parts.len() > 2 => return None,
            _ => (takes(1)?, false),
        },
        "x" | "instagram" | "threads"
            if parts.len() > 1 && parts.get(1).is_some_and(|second| *second != "with_replies") =>
        {
            return None;
        }
        "github" | "gitlab" if parts.len() > 1 => return None,
        "bluesky" => (if first == "profile" { takes(2)? } else { return None }, false),
        "tiktok" | "medium" if !first.starts_with('@') => return None,
        "vimeo" if first.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        "telegram" if parts.len() > 1 => return None,
        "tripadvisor" => return None,
        // "/_created" and "/_saved" are tabs of a profile.
        "pinterest" if parts.get(1).is_some_and(|second| !second.starts_with('_')) => return None,
        "flickr" | "kununu" | "goldenline" | "behance" | "dribbble" => {
            (takes(parts.len().min(2))?, false)
        }
        _ => (takes(1)?, false),
    };
    let host = if host == "wa.me" || host == "t.me" || host.starts_with("www.") {
        host.to_owned()
    } else {
        shown_host(host, base)
    };
    let slash = if rest.split(['?', '#']).next().is_some_and(|plain| plain.ends_with('/')) {
        "/"
    } else {
        ""
    };
    Some(SocialProfile { network, url: format!("https://{host}/{path}{slash}"), is_personal })
}

/// The target of a link through the redirect of a site builder: `google.com/url?q=…`.
fn redirect_target(href: &str) -> Option<String> {
    let query = href.split_once("://www.google.com/url?")?.1;
    let target = query.split('&').find_map(|pair| pair.strip_prefix("q="))?;
    Some(crate::decoded(target).into_owned())
}

/// The host without a language or mobile subdomain.
fn shown_host(host: &str, base: &str) -> String {
    let sub = host.strip_suffix(base).unwrap_or_default().trim_end_matches('.');
    if sub.len() == 2 || matches!(sub, "m" | "mobile") {
        format!("www.{base}")
    } else {
        host.to_owned()
    }
}

/// A profile on a Mastodon server: `/@name`.
fn fediverse(host: &str, parts: &[&str]) -> Option<SocialProfile> {
    let [only] = parts else { return None };
    let is_name = only.strip_prefix('@').is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let is_known = ["mastodon", "social", "mstdn", "troet"].iter().any(|part| host.contains(part));
    (is_name && is_known).then(|| SocialProfile {
        network: "mastodon",
        url: format!("https://{host}/{only}"),
        is_personal: false,
    })
}

/// Comparison key of a profile: without scheme, `www.` and trailing slash.
pub(crate) fn key(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.trim_end_matches('/').to_lowercase().replace("twitter.com/", "x.com/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_recognised_and_share_links_rejected() {
        let cases = [
            (
                "https://www.linkedin.com/company/acme/",
                "linkedin",
                "https://www.linkedin.com/company/acme/",
                false,
            ),
            (
                "https://de.linkedin.com/in/jane-doe?trk=x",
                "linkedin",
                "https://www.linkedin.com/in/jane-doe",
                true,
            ),
            ("//twitter.com/acme", "x", "https://twitter.com/acme", false),
            (
                "https://www.youtube.com/channel/UC123",
                "youtube",
                "https://www.youtube.com/channel/UC123",
                false,
            ),
            ("http://facebook.com/acme?ref=hl", "facebook", "https://facebook.com/acme", false),
            (
                "https://www.xing.com/profile/Jane_Doe",
                "xing",
                "https://www.xing.com/profile/Jane_Doe",
                true,
            ),
            (
                "https://www.google.com/url?q=https%3A%2F%2Fwww.facebook.com%2Facme&sa=D",
                "facebook",
                "https://www.facebook.com/acme",
                false,
            ),
            (
                "https://www.pinterest.com/acme/_created/",
                "pinterest",
                "https://www.pinterest.com/acme/",
                false,
            ),
            ("https://mastodon.social/@acme", "mastodon", "https://mastodon.social/@acme", false),
        ];
        for (href, network, url, is_personal) in cases {
            let expected = SocialProfile { network, url: url.to_owned(), is_personal };
            assert_eq!(profile(href), Some(expected), "{href}");
        }
        for href in [
            "https://www.facebook.com/sharer/sharer.php?u=x",
            "https://twitter.com/intent/tweet?url=x",
            "https://www.linkedin.com/shareArticle?mini=true",
            "https://www.instagram.com/p/abc/",
            "https://www.facebook.com/",
            "https://www.youtube.com/watch?v=1",
            "https://x.com/acme/status/1",
            "https://api.whatsapp.com/send?text=x",
            "https://github.com/acme/theme",
            "https://example.com/acme",
            "/facebook.com/acme",
        ] {
            assert_eq!(profile(href), None, "{href}");
        }
    }
}
