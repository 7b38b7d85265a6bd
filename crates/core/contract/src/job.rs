//! A job as the client sees it, and what creates and answers it. Specification:
//! `docs/spec/jobs.md`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{Credits, ErrorCode, JobId, Millis, Mode, Status};

/// A closed list of words: an enum whose variants have one spelling, used alike
/// in JSON, in the database and on the command line.
macro_rules! words {
    ($(#[doc = $about:literal])+ pub enum $name:ident { $($(#[doc = $said:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $said])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every word of the list, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling of this word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The variant with this spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        // Written out: a derive does not see a `rename` that a macro put there, and
        // would show the names of the variants instead of the words.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!(
                        $($about),+, "\n",
                        $("\n- `", $word, "`:", $($said),*),+
                    ).trim()))
                    .enum_values(Some(Self::ALL.iter().map(|word| word.as_str())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}
pub(crate) use words;

words! {
    /// What to do when the site turns out to be bot-protected.
    pub enum OnProtected {
        /// Go on while the rate stays at or under the ceiling.
        Auto = "auto",
        /// Stop and ask.
        Pause = "pause",
        /// End the run rather than pay more.
        Fail = "fail",
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublicJob {
    pub job_id: JobId,
    pub mode: Mode,
    pub status: Status,
    /// Start URL; null for a `contacts` job over `domains`.
    #[schema(required = true)]
    pub url: Option<String>,
    pub counts: Counts,
    /// Credits consumed so far.
    pub credits_used: Credits,
    /// Rate in force, 0 on a sample site; null until the run knows whether the site is protected.
    #[schema(required = true)]
    pub credit_per_unit: Option<Credits>,
    /// Whether the run is charged at the protected tier.
    pub protected: bool,
    /// What flagged the protection.
    #[schema(required = true)]
    pub protected_marker: Option<String>,
    /// Batch currently being crawled; 1 for a single-batch run.
    pub batch: u32,
    /// True when the run stopped on a batch boundary with more of the site left.
    pub batch_ready: bool,
    /// Batch a confirm would start; null when not waiting on a boundary.
    #[schema(required = true)]
    pub next_batch: Option<u32>,
    /// Echoed from the creation of the job.
    #[schema(required = true)]
    pub external: Option<External>,
    /// Channel of the key that created the job.
    pub source: String,
    pub created_at: Millis,
    #[schema(required = true)]
    pub finished_at: Option<Millis>,
    #[schema(required = true)]
    pub error: Option<JobError>,
}

/// What a run has found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Distinct in-scope URLs discovered so far, fetched or not.
    pub pages: u64,
    /// Pages classified as products (`products` mode).
    pub products: u64,
    /// Items that the results endpoint can return now.
    pub results: u64,
}

/// Why a run failed or stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobError {
    pub code: ErrorCode,
    pub message: String,
}

/// The body that creates a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateJob {
    pub mode: Mode,
    /// Start URL: absolute http or https. Required in every mode but `contacts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048, example = "https://example.com/")]
    pub url: Option<String>,
    /// `contacts` only: the domains to process, instead of `url`. Each of at most 2,048 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 10000)]
    pub domains: Option<Vec<String>>,
    #[serde(default)]
    #[schema(required = false)]
    pub scope: Scope,
    #[serde(default)]
    #[schema(required = false)]
    pub options: Options,
    /// Omitted: `auto` when `max_credit_per_unit` is given, otherwise `pause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_protected: Option<OnProtected>,
    /// Ceiling per unit that `auto` may accept without asking; required with `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_credit_per_unit: Option<Credits>,
    /// `contacts` only, and mandatory there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_basis_accepted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<External>,
}

/// What belongs to the run. Every switch is off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Only the given URL, nothing linked from it; redirects are followed.
    pub one_page: bool,
    /// Stay under the path of the start URL.
    pub specific_route: bool,
    /// Also the hosts below the start host.
    pub include_subdomains: bool,
    /// Record links that leave the site, with their status.
    pub include_external: bool,
    /// Also deliver what answered 400 or more, or could not be fetched.
    pub include_broken: bool,
    /// Also deliver pages that no page links to.
    pub include_orphan: bool,
    /// Record images.
    pub include_images: bool,
    /// Record files.
    pub include_files: bool,
    /// The sitemap's URLs join the crawl.
    pub include_sitemap: bool,
    /// `?a=1` variants are distinct URLs.
    pub include_query_strings: bool,
}

/// How the run works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Keep only pages in this language (BCP 47); auto-detected when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 35, example = "en")]
    pub preferred_language: Option<String>,
    /// `products`, `markdown`: keep every language variant instead of collapsing to one.
    pub all_languages: bool,
    /// Compare region tags too.
    pub region_aware: bool,
    /// Treat URLs with no language marker as default-language leaks.
    pub strict_default_language: bool,
    /// Seed from the sitemap instead of following links.
    pub sitemap_first: bool,
    /// Follow the links that are found.
    #[schema(default = true)]
    pub discovery: bool,
    /// `products`: reuse a learned per-site template.
    #[schema(default = true)]
    pub use_template_extraction: bool,
    /// `products`: strip the seller's contact details from the description.
    #[schema(default = true)]
    pub suppress_contact: bool,
    /// `products`: keep prices hidden behind a price-on-request flow.
    pub collect_hidden_prices: bool,
    /// Stop after that many results, for trying a site before paying for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub sample_size: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            preferred_language: None,
            all_languages: false,
            region_aware: false,
            strict_default_language: false,
            sitemap_first: false,
            discovery: true,
            use_template_extraction: true,
            suppress_contact: true,
            collect_hidden_prices: false,
            sample_size: None,
        }
    }
}

/// The calling channel's own words about a run: free-form, up to 4 KiB.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct External {
    /// The channel's own user identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The channel's own run identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whatever else it sent.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The answer to a creation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobAccepted {
    pub job_id: JobId,
    pub status: Status,
    pub mode: Mode,
    #[schema(required = true)]
    pub url: Option<String>,
    pub created_at: Millis,
}

/// A page of jobs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobList {
    pub items: Vec<PublicJob>,
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
}

/// The answer to a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Continue past a batch boundary instead of confirming an escalation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continue_batch: Option<bool>,
    /// Raise the ceiling while confirming.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_credit_per_unit: Option<Credits>,
}
