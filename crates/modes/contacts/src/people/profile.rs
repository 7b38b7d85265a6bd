//! Profiles of people on social networks, in one canonical URL each.

use contract::PersonProfile;
use text::vocabulary::{TermSet, TermTable};

static NETWORKS: TermTable<4> = term_table!("social/person_profiles.tsv");
static SERVICE_PATHS: TermSet = word_set!("social/service_paths.txt");

/// The profile that a link leads to, if it belongs to a person and is no share button.
pub(super) fn of(href: &str) -> Option<PersonProfile> {
    let href = href.trim();
    let rest = ["https://", "http://", "//"].iter().find_map(|scheme| href.strip_prefix(scheme))?;
    let rest = rest.split(['?', '#']).next()?.trim_end_matches('/');
    let (host, path) = rest.split_once('/')?;
    let host = host.to_ascii_lowercase();
    let bare = host.strip_prefix("www.").or_else(|| host.strip_prefix("m.")).unwrap_or(&host);
    // `de.linkedin.com` is the German site of the network.
    let is_host = |known: &str| {
        bare.strip_suffix(known)
            .is_some_and(|sub| sub.is_empty() || (sub.len() == 3 && sub.ends_with('.')))
    };
    let [_, network, folders, base] = NETWORKS.iter().find(|[known, ..]| is_host(known))?;
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let first = parts.first()?.to_ascii_lowercase();
    let has_folders = *folders != "-";
    let is_folder = || has_folders && folders.split(' ').any(|known| known == first);
    let (folder, name) = match parts[..] {
        [name] if !has_folders && !SERVICE_PATHS.contains(first.as_str()) => ("", name),
        [_, name, ..] if is_folder() => (first.as_str(), name),
        _ => return None,
    };
    let slash = if folder.is_empty() { "" } else { "/" };
    let url = format!("{base}{folder}{slash}{name}");
    let is_name = (2..120).contains(&name.len());
    is_name.then(|| PersonProfile { network: (*network).to_owned(), url })
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
            ("https://gitlab.com/-/profile", None),
            ("/team", None),
        ] {
            assert_eq!(of(href).map(|found| found.url).as_deref(), expected, "{href}");
        }
    }
}
