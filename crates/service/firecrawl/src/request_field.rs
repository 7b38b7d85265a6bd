//! What each field of each request does. `docs/firecrawl.md` has the same tables; a test compares
//! them. A field that is in no table is an error.

use serde_json::Value;

/// How a field of a request is treated. Null and an empty text, list or object count as omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldTreatment {
    /// It has the effect that the table describes.
    Mapped,
    /// It is accepted with this value only, as JSON: the service works this way.
    Only(&'static str),
    /// It is accepted with any value and changes nothing.
    NoEffect,
    /// A request that has it is rejected.
    Refused,
}

/// A field of a request and what it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestField {
    pub name: &'static str,
    pub treatment: FieldTreatment,
    /// The effect, or the reason why the field has no effect.
    pub meaning: &'static str,
}

/// The fields of one request, with the heading of their table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldTable {
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is compared in a test"))]
    pub title: &'static str,
    pub fields: &'static [RequestField],
}

impl FieldTreatment {
    /// Whether a field with this value is accepted.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Mapped | Self::NoEffect => true,
            Self::Only(json) => serde_json::to_string(value).is_ok_and(|value| value == json),
            Self::Refused => false,
        }
    }
}

const fn mapped(name: &'static str, meaning: &'static str) -> RequestField {
    RequestField { name, treatment: FieldTreatment::Mapped, meaning }
}

const fn only(name: &'static str, value: &'static str, meaning: &'static str) -> RequestField {
    RequestField { name, treatment: FieldTreatment::Only(value), meaning }
}

const fn no_effect(name: &'static str, meaning: &'static str) -> RequestField {
    RequestField { name, treatment: FieldTreatment::NoEffect, meaning }
}

const fn refused(name: &'static str, meaning: &'static str) -> RequestField {
    RequestField { name, treatment: FieldTreatment::Refused, meaning }
}

const ORIGIN: RequestField = no_effect("origin", "names the client");
const INTEGRATION: RequestField = no_effect("integration", "names the client");
const WEBHOOK: RequestField = mapped("webhook", "see [webhooks](#webhooks)");
const AUDIT: RequestField = refused("auditMetadata", "the audit log has no data of clients");
const LOCATION: RequestField = refused("location", "the service has no choice of countries");
const RETENTION: RequestField =
    only("zeroDataRetention", "false", "results are kept for 30 days, or until they are deleted");
const THREATS: RequestField = refused("threatProtection", "there is no such check");

/// Of all requests that scrape, with the same treatment everywhere.
pub(crate) const COMMON: FieldTable = FieldTable {
    title: "Every scrape: `scrape`, `batch/scrape` and `scrapeOptions` of `crawl`",
    fields: &[
        mapped("formats", "see [formats](#formats)"),
        mapped(
            "proxy",
            "`basic`: a page behind bot protection fails; `auto`, `stealth`, `enhanced`: it is read \
             through the protected tier if it needs that, at its rate. Omitted: `basic`",
        ),
        mapped("waitFor", "milliseconds in a browser after the page is loaded, at most 60,000"),
        mapped(
            "headers",
            "sent to the origin of the URL only; all `urls` of a batch need one origin. `User-Agent` is not \
             sent, with a `warning`: the service has its own",
        ),
        mapped("actions", "see [actions](#actions)"),
        mapped(
            "maxAge",
            "milliseconds: a cached page of at most this age may be used, at most 7 days; 0 when omitted",
        ),
        mapped("onlyMainContent", "`false`: the whole page without navigation and footer"),
        mapped(
            "includeTags",
            "[selectors](markdown.md#parts-of-pages) of the elements that are delivered, instead of the \
             main content; of `markdown`, `links` and `images`, while `html` is the whole page",
        ),
        mapped(
            "excludeTags",
            "[selectors](markdown.md#parts-of-pages) of elements that are left out, before the main \
             content is chosen; of `markdown`, `links` and `images`, while `html` is the whole page",
        ),
        mapped(
            "mobile",
            "`true`: a browser renders pages on the screen of a phone with touch, 390 × 844; the \
             `User-Agent` stays that of the service",
        ),
        LOCATION,
        only("removeBase64Images", "true", "the text never contains Base64 images"),
        no_effect("skipTlsVerification", "certificates are always verified"),
        no_effect("blockAds", "advertisements are never part of the main content"),
        no_effect("fastMode", "a browser is used only if a page is empty without one"),
        no_effect("parsers", "other documents than HTML, such as PDF, are an error"),
        no_effect("parsePDF", "other documents than HTML, such as PDF, are an error"),
        refused("minAge", "pages are not read from an index"),
        only("lockdown", "false", "pages are not read from an index"),
        refused("useMock", "there are no recorded answers"),
        only("redactPII", "false", "personal data is removed by opt-outs only"),
        only("checkPromptInjection", "false", "there is no such check"),
        THREATS,
        AUDIT,
        refused("profile", "the browser keeps no state between pages"),
        only("domainTools", "false", "there are no tools of domains"),
        refused("toolDetail", "there are no tools of domains"),
        refused("agent", "nothing is extracted by a language model"),
        refused("extract", "nothing is extracted by a language model"),
        refused("jsonOptions", "nothing is extracted by a language model"),
        refused("changeTrackingOptions", "`GET /v1/jobs/{id}/changes` compares two runs"),
        INTEGRATION,
        ORIGIN,
    ],
};

/// Of `scrape`, besides [`COMMON`].
pub(crate) const SCRAPE: FieldTable = FieldTable {
    title: "`scrape`, besides those of every scrape",
    fields: &[
        mapped("url", "the page"),
        mapped(
            "timeout",
            "milliseconds, at least 1,000; a higher value than 60,000 counts as 60,000, with a `warning`",
        ),
        only("storeInCache", "true", "a page is cached if the site permits it"),
        refused("alexandria", "there are no tools of domains"),
        refused("webhook", "the page is in the answer"),
        RETENTION,
    ],
};

/// Of `scrapeOptions` and `batch/scrape`, besides [`COMMON`].
pub(crate) const JOB_SCRAPE: FieldTable = FieldTable {
    title: "`batch/scrape` and `scrapeOptions` of `crawl`, besides those of every scrape",
    fields: &[
        no_effect("timeout", "the service has its own timeouts for each page"),
        only("storeInCache", "true", "with `maxAge`, a page is cached if the site permits it"),
    ],
};

/// The fields of `crawl` itself.
pub(crate) const CRAWL: FieldTable = FieldTable {
    title: "`crawl`",
    fields: &[
        mapped("url", "the start page"),
        mapped("limit", "maximum number of documents; 10,000 when omitted"),
        mapped("maxDiscoveryDepth", "clicks from the start page; pages of the sitemap count as 0"),
        mapped("maxDepth", "maximum number of path segments below those of `url`"),
        mapped("includePaths", "regular expressions of path and query, at most 100"),
        mapped("excludePaths", "regular expressions of path and query, at most 100"),
        mapped("crawlEntireDomain", "`false`, the default: only URLs below the path of `url`"),
        mapped("allowBackwardLinks", "the same as `crawlEntireDomain`"),
        mapped("allowSubdomains", "also subdomains of the host"),
        mapped(
            "sitemap",
            "`include`, the default: its URLs join the crawl; `only`: nothing else is fetched; `skip`: it is not read",
        ),
        mapped("ignoreSitemap", "`true`: as `sitemap: \"skip\"`"),
        mapped("ignoreQueryParameters", "`true`: URLs that differ by their query are one page"),
        mapped("delay", "seconds between two requests, at most 60"),
        mapped(
            "maxConcurrency",
            "requests at a time; a higher value than that of the service has no effect",
        ),
        mapped("scrapeOptions", "see the tables before"),
        mapped("formats", "as `formats` of `scrapeOptions`; the n8n node sends it here"),
        only(
            "allowExternalLinks",
            "false",
            "a crawl stays on its site; `batch/scrape` takes URLs of any sites, as in `links`",
        ),
        only("deduplicateSimilarURLs", "true", "a page is delivered once, whatever its URLs"),
        only("ignoreRobotsTxt", "false", "robots.txt is always obeyed"),
        refused("robotsUserAgent", "robots.txt is read for the name of the service"),
        only("regexOnFullURL", "false", "patterns match path and query"),
        refused("prompt", "options are not derived by a language model"),
        WEBHOOK,
        RETENTION,
        INTEGRATION,
        ORIGIN,
    ],
};

/// Of `batch/scrape`, besides [`COMMON`] and [`JOB_SCRAPE`].
pub(crate) const BATCH: FieldTable = FieldTable {
    title: "`batch/scrape`, besides those before",
    fields: &[
        mapped("urls", "the pages, at most 10,000"),
        mapped(
            "ignoreInvalidURLs",
            "`true`: invalid URLs are returned as `invalidURLs` instead of an error",
        ),
        mapped(
            "maxConcurrency",
            "requests at a time; a higher value than that of the service has no effect",
        ),
        refused("appendToId", "the pages of a job are known when it starts"),
        WEBHOOK,
        RETENTION,
    ],
};

/// Of `map`, which has no others.
pub(crate) const MAP: FieldTable = FieldTable {
    title: "`map`",
    fields: &[
        mapped("url", "a page of the site"),
        mapped("search", "only URLs that contain all of these words in the URL or the title"),
        mapped(
            "limit",
            "maximum number of URLs; a higher value than 5,000 counts as 5,000, with a `warning`",
        ),
        mapped(
            "sitemap",
            "`include`, the default; `only`: URLs of the sitemap; `skip`: without them",
        ),
        mapped("ignoreSitemap", "`true`: as `sitemap: \"skip\"`"),
        mapped("sitemapOnly", "`true`: as `sitemap: \"only\"`"),
        mapped("includeSubdomains", "`true`, the default: subdomains belong to the site"),
        mapped("ignoreQueryParameters", "`true`, the default: URLs without their query, each once"),
        no_effect("timeout", "a map takes at most ten seconds"),
        no_effect("useIndex", "there is no index; the site is read"),
        refused("useMock", "there are no recorded answers"),
        LOCATION,
        THREATS,
        AUDIT,
        INTEGRATION,
        ORIGIN,
    ],
};

/// All tables, in the order of the documentation.
#[cfg(test)]
pub(crate) const TABLES: &[FieldTable] = &[COMMON, SCRAPE, JOB_SCRAPE, BATCH, CRAWL, MAP];

#[cfg(test)]
mod tests {
    use super::*;

    fn row(field: &RequestField) -> String {
        let RequestField { name, treatment, meaning } = field;
        let treatment = match treatment {
            FieldTreatment::Mapped => "mapped".to_owned(),
            FieldTreatment::Only(value) => format!("only `{value}`"),
            FieldTreatment::NoEffect => "without effect".to_owned(),
            FieldTreatment::Refused => "refused".to_owned(),
        };
        format!("| `{name}` | {treatment} | {meaning} |")
    }

    #[test]
    fn documentation_has_the_table_of_each_request() {
        let documentation = include_str!("../../../../docs/firecrawl.md");
        for table in TABLES {
            let rows: Vec<_> = table.fields.iter().map(row).collect();
            let expected = format!(
                "### {}\n\n| field | | effect |\n|---|---|---|\n{}\n",
                table.title,
                rows.join("\n")
            );
            assert!(documentation.contains(&expected), "docs/firecrawl.md lacks:\n\n{expected}");
        }
        let rows = TABLES.iter().map(|table| table.fields.len()).sum::<usize>();
        let written = documentation.lines().filter(|line| {
            ["| mapped |", "| without effect |", "| refused |", "| only `"]
                .iter()
                .any(|cell| line.contains(cell))
        });
        assert_eq!(written.count(), rows, "docs/firecrawl.md has rows of no field");
    }

    #[test]
    fn value_that_the_service_uses_anyway_is_accepted() {
        assert!(FieldTreatment::Only("false").accepts(&Value::Bool(false)));
        assert!(!FieldTreatment::Only("false").accepts(&Value::Bool(true)));
        assert!(FieldTreatment::Only("0").accepts(&0.into()));
    }
}
