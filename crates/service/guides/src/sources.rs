//! The files of the repository that are pages of the documentation.

/// A page of the repository: its path from the root, and its text.
pub(crate) type SourceFile = (&'static str, &'static str);

macro_rules! sources {
    ($($path:literal,)+) => {
        /// All pages, by their path in the repository.
        pub(crate) const SOURCES: &[SourceFile] =
            &[$(($path, include_str!(concat!("../../../../", $path)))),+];
    };
}

sources! {
    "docs/ARCHITECTURE.md",
    "docs/BENCHMARKS.md",
    "docs/CRAWLING.md",
    "docs/DEPENDENCIES.md",
    "docs/GLOSSARY.md",
    "docs/README.md",
    "docs/STATES.md",
    "docs/accounts.md",
    "docs/cli.md",
    "docs/console.md",
    "docs/contacts.md",
    "docs/deployment.md",
    "docs/egress.md",
    "docs/exports.md",
    "docs/filters-and-limits.md",
    "docs/firecrawl.md",
    "docs/getting-started.md",
    "docs/keys.md",
    "docs/limits.md",
    "docs/lists-and-maps.md",
    "docs/markdown.md",
    "docs/mcp.md",
    "docs/oauth.md",
    "docs/operations.md",
    "docs/products.md",
    "docs/progress.md",
    "docs/quickstart/contacts.md",
    "docs/quickstart/filters.md",
    "docs/quickstart/links.md",
    "docs/quickstart/lists.md",
    "docs/quickstart/logins.md",
    "docs/quickstart/markdown.md",
    "docs/quickstart/pages.md",
    "docs/quickstart/products.md",
    "docs/quickstart/sitemap.md",
    "docs/read-a-page.md",
    "docs/results.md",
    "docs/sample-sites.md",
    "docs/schedules.md",
    "docs/sdk-python.md",
    "docs/sdk-typescript.md",
    "docs/sites-behind-a-login.md",
    "docs/spec/README.md",
    "docs/spec/account.md",
    "docs/spec/errors.md",
    "docs/spec/estimates.md",
    "docs/spec/jobs.md",
    "docs/spec/pages.md",
    "docs/spec/results.md",
    "docs/spec/webhooks.md",
    "docs/top-up.md",
    "docs/webhooks.md",
    "integrations/README.md",
    "integrations/github-action/README.md",
    "integrations/langchain/README.md",
    "integrations/llama-index/README.md",
    "integrations/mcp/README.md",
    "integrations/n8n/README.md",
    "CHANGELOG.md",
    "SECURITY.md",
}

/// The page that lists all pages with their groups; it is the source of the navigation.
pub(crate) const LIST: &str = "docs/README.md";

/// The address of the page of a file: without `docs/` and `.md`, in lower case. A `README.md` is
/// the page of its folder.
pub(crate) fn address(path: &str) -> String {
    let path = path.strip_prefix("docs/").unwrap_or(path);
    let path = path.strip_suffix(".md").unwrap_or(path).to_lowercase();
    let path = path.strip_suffix("readme").unwrap_or(&path).trim_end_matches('/');
    if path.is_empty() {
        crate::DOCS_HOME.to_owned()
    } else {
        format!("{}/{path}", crate::DOCS_HOME)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn addresses_are_lower_case_and_have_no_extension() {
        for (path, expected) in [
            ("docs/README.md", "/docs"),
            ("docs/CRAWLING.md", "/docs/crawling"),
            ("docs/quickstart/links.md", "/docs/quickstart/links"),
            ("docs/spec/README.md", "/docs/spec"),
            ("SECURITY.md", "/docs/security"),
            ("integrations/mcp/README.md", "/docs/integrations/mcp"),
        ] {
            assert_eq!(address(path), expected, "{path}");
        }
    }

    #[test]
    fn every_guide_of_the_repository_is_a_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for folder in ["docs", "docs/quickstart", "docs/spec"] {
            for entry in fs::read_dir(root.join(folder)).expect("a folder") {
                let name = entry.expect("an entry").file_name().into_string().expect("a name");
                let path = format!("{folder}/{name}");
                let known = SOURCES.iter().any(|(known, _)| *known == path);
                assert!(!name.ends_with(".md") || known, "sources.rs does not have {path}");
            }
        }
    }
}
