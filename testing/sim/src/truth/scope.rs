//! The rules of scope and language, as the specification states them.

use contract::{Scope, SkipReason};
use urls::CanonicalUrl;

use crate::requested_run::RequestedRun;

/// The kind of content that a path suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentKind {
    Page,
    Image,
    File,
    Sitemap,
    Feed,
}

impl ContentKind {
    pub fn by_name(path: &str) -> Self {
        let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
        if ends(&["-sitemap.xml"]) {
            Self::Sitemap
        } else if ends(&[".png", ".jpg"]) {
            Self::Image
        } else if ends(&[".pdf", ".zip"]) {
            Self::File
        } else {
            Self::Page
        }
    }

    pub fn by_type(content_type: &str) -> Self {
        if content_type.starts_with("image/") { Self::Image } else { Self::File }
    }

    /// Why the run does not deliver this kind of content.
    pub fn unwanted(self, requested: &RequestedRun) -> Option<SkipReason> {
        let scope = &requested.scope;
        match self {
            Self::Page => None,
            Self::Image => (!scope.include_images).then_some(SkipReason::Image),
            Self::File | Self::Sitemap | Self::Feed => {
                (!scope.include_files).then_some(SkipReason::File)
            }
        }
    }
}

/// Why a URL is outside the scope; `None` if it is inside.
pub(super) fn outside(
    site: &CanonicalUrl,
    scope: &Scope,
    url: &CanonicalUrl,
) -> Option<SkipReason> {
    let below = format!(".{}", site.bare_host());
    let is_below = url.host().ends_with(&below);
    let is_own = url.bare_host() == site.bare_host();
    let belongs = is_own || (is_below && scope.include_subdomains);
    if !belongs {
        return Some(if is_below { SkipReason::Subdomain } else { SkipReason::External });
    }
    let path = site.path();
    let is_of_route = match path.strip_suffix('/') {
        Some(route) => url.path() == route || url.path().starts_with(path),
        None => url.path() == path || url.path().starts_with(&format!("{path}/")),
    };
    (scope.specific_route && !is_of_route).then_some(SkipReason::OutsideRoute)
}

/// Whether the filter by path leaves out a URL of the site.
pub(crate) fn is_filtered_out(scope: &Scope, url: &CanonicalUrl) -> bool {
    let path = url.path();
    let in_folder = path == "/dir" || path.starts_with("/dir/");
    let is_listed = in_folder
        || path.starts_with("/files/")
        || path.strip_prefix("/find-").is_some_and(|rest| rest.starts_with(char::is_numeric));
    match (scope.include_paths.len(), scope.exclude_paths.as_slice()) {
        (0, []) => false,
        // The run without the regular expression.
        (0, [_, last]) if last == "/nowhere" => in_folder,
        (0, _) => is_listed,
        _ => !is_listed,
    }
}

/// Whether the language `own` matches `wanted`.
pub(super) fn suits(own: &str, wanted: &str, regions: bool) -> bool {
    let parts = |tag: &str| {
        let (language, region) = tag.split_once('-').unwrap_or((tag, ""));
        (language.to_owned(), region.to_owned())
    };
    let ((language, region), (wanted, wanted_region)) = (parts(own), parts(wanted));
    language == wanted && (!regions || wanted_region.is_empty() || wanted_region == region)
}

/// Whether a path repeats a segment too often.
pub(super) fn repeats(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let count = |of: &&str| segments.iter().filter(|segment| *segment == of).count();
    segments.iter().any(|segment| count(segment) > 3)
}
