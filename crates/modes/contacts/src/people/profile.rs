//! Profiles of people on social networks, in one canonical URL each.

use contract::PersonProfile;

/// The profile that a link leads to, if it belongs to a person and is no share button.
pub(super) fn of(href: &str) -> Option<PersonProfile> {
    let rest = href
        .trim()
        .strip_prefix("https://")
        .or_else(|| href.trim().strip_prefix("http://"))
        .or_else(|| href.trim().strip_prefix("//"))?;
    let rest = rest.split(['?', '#']).next()?.trim_end_matches('/');
    let (host, path) = rest.split_once('/')?;
    let host = host.to_ascii_lowercase();
    let bare = host.strip_prefix("www.").or_else(|| host.strip_prefix("m.")).unwrap_or(&host);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let first = parts.first()?.to_ascii_lowercase();
    let handle = |part: Option<&&str>| {
        part.filter(|name| name.len() > 1 && name.len() < 120).map(|name| (*name).to_owned())
    };
    let one = |network: &str, url: String| Some(PersonProfile { network: network.to_owned(), url });
    match bare {
        _ if bare == "linkedin.com" || bare.ends_with(".linkedin.com") => {
            let name = handle(parts.get(1)).filter(|_| matches!(first.as_str(), "in" | "pub"))?;
            one("linkedin", format!("https://www.linkedin.com/{first}/{name}"))
        }
        "xing.com" => {
            let name = handle(parts.get(1)).filter(|_| first == "profile")?;
            one("xing", format!("https://www.xing.com/profile/{name}"))
        }
        "x.com" | "twitter.com" => {
            let name = handle(parts.first()).filter(|_| {
                parts.len() == 1
                    && !matches!(
                        first.as_str(),
                        "intent" | "share" | "home" | "search" | "hashtag" | "i"
                    )
            })?;
            one("x", format!("https://x.com/{name}"))
        }
        "github.com" | "gitlab.com" => {
            let name = handle(parts.first()).filter(|_| parts.len() == 1)?;
            one(bare.trim_end_matches(".com"), format!("https://{bare}/{name}"))
        }
        "instagram.com" | "threads.net" => {
            let name = handle(parts.first()).filter(|_| {
                parts.len() == 1 && !matches!(first.as_str(), "p" | "explore" | "reel")
            })?;
            one(bare.split('.').next()?, format!("https://www.{bare}/{name}"))
        }
        "facebook.com" => {
            let name = handle(parts.first()).filter(|_| {
                parts.len() == 1
                    && !matches!(
                        first.as_str(),
                        "sharer"
                            | "sharer.php"
                            | "share"
                            | "share.php"
                            | "groups"
                            | "pages"
                            | "events"
                            | "profile.php"
                            | "dialog"
                    )
            })?;
            one("facebook", format!("https://www.facebook.com/{name}"))
        }
        "orcid.org" => one("orcid", format!("https://orcid.org/{}", parts.first()?)),
        "researchgate.net" => {
            let name = handle(parts.get(1)).filter(|_| first == "profile")?;
            one("researchgate", format!("https://www.researchgate.net/profile/{name}"))
        }
        "bsky.app" => {
            let name = handle(parts.get(1)).filter(|_| first == "profile")?;
            one("bluesky", format!("https://bsky.app/profile/{name}"))
        }
        "medium.com" | "dribbble.com" | "behance.net" => {
            let name = handle(parts.first()).filter(|_| parts.len() == 1)?;
            one(bare.split('.').next()?, format!("https://{bare}/{name}"))
        }
        _ => None,
    }
}

/// Whether the URL alone shows that a profile belongs to a person.
pub(super) fn is_surely_personal(profile: &PersonProfile) -> bool {
    profile.url.contains("linkedin.com/in/")
        || profile.url.contains("xing.com/profile/")
        || profile.network == "orcid"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_urls_are_canonicalised() {
        for (href, expected) in [
            (
                "https://de.linkedin.com/in/anna-berg/?trk=x",
                Some("https://www.linkedin.com/in/anna-berg"),
            ),
            (
                "http://www.xing.com/profile/Anna_Berg",
                Some("https://www.xing.com/profile/Anna_Berg"),
            ),
            ("https://twitter.com/annaberg", Some("https://x.com/annaberg")),
            ("https://github.com/annaberg/", Some("https://github.com/annaberg")),
            ("https://www.linkedin.com/company/muster", None),
            ("https://www.linkedin.com/shareArticle?url=x", None),
            ("https://twitter.com/intent/tweet?url=x", None),
            ("https://www.facebook.com/sharer/sharer.php?u=x", None),
            ("https://github.com/muster/repo", None),
            ("/team", None),
        ] {
            assert_eq!(of(href).map(|found| found.url).as_deref(), expected, "{href}");
        }
    }
}
