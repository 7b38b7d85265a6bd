//! The URLs of a site, found within seconds and without a job: `POST /v1/map`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::string_enum::string_enum;
use crate::{BodyFields, FieldError, RequestPolicy, Unreachable};

string_enum! {
    /// How a URL of a map was found.
    pub enum MapSource {
        /// It is the requested URL.
        Start = "start",
        /// A sitemap of the site lists it.
        Sitemap = "sitemap",
        /// A feed of the site lists it.
        Feed = "feed",
        /// The start page or a page that it links to has a link to it.
        Link = "link",
    }
}

string_enum! {
    /// Why a map may lack URLs of the site.
    pub enum MapGap {
        /// The start page could not be read; `unreachable` says why.
        Unreachable = "unreachable",
        /// The time was over before everything was read.
        Time = "time",
        /// More URLs match than `limit` allows, or more were found than the service keeps.
        Limit = "limit",
        /// Pages that no sitemap lists were not read: their links are unknown.
        UnreadPages = "unread_pages",
    }
}

/// The body of a map request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateMap {
    /// A page of the site, usually its home page.
    #[schema(
        max_length = 2048,
        format = "uri",
        example = "https://example.com/",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: String,
    /// Only URLs that contain all of these words in the URL or in the title, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, example = "pricing")]
    pub search: Option<String>,
    /// Maximum number of URLs of the answer; 5,000 when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 5000)]
    pub limit: Option<u64>,
    /// Whether pages of subdomains belong to the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_subdomains: Option<bool>,
}

impl CreateMap {
    /// Maximum number of URLs of an answer.
    pub const MAX_URLS: u64 = 5_000;
    /// Maximum characters of `search`.
    pub const MAX_SEARCH_CHARS: usize = 200;

    /// Reads and validates a body; returns the request with its parsed URL.
    ///
    /// # Errors
    /// The errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, P::Url), Vec<FieldError>> {
        let mut fields = BodyFields::of(body).map_err(|error| vec![error])?;
        let url = read_url(&mut fields, policy);
        fields.require("url");
        let search = fields.text("search").map(str::to_owned);
        if search.as_ref().is_some_and(|text| text.chars().count() > Self::MAX_SEARCH_CHARS) {
            let most = Self::MAX_SEARCH_CHARS;
            fields.wrong("search", format!("must have at most {most} characters"));
        }
        let limit = fields.count("limit", Some(Self::MAX_URLS));
        let include_subdomains = fields.flag("include_subdomains");
        let errors = fields.finish();
        match url {
            Some((url, parsed)) if errors.is_empty() => {
                Ok((Self { url, search, limit, include_subdomains }, parsed))
            }
            Some(_) | None => Err(errors),
        }
    }
}

/// A URL of a site with its title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MappedUrl {
    pub url: String,
    /// The title of the page if it was read, otherwise the text of a link to it.
    #[schema(required = true)]
    pub title: Option<String>,
    pub source: MapSource,
}

/// The URLs of a site that could be found in a few seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UrlMap {
    /// The requested URL in its normalised form.
    pub url: String,
    /// The URLs in the order in which they were found.
    pub urls: Vec<MappedUrl>,
    /// Whether these are all URLs that sitemaps, feeds and links of read pages show. A job with
    /// mode `links` finds the others.
    pub complete: bool,
    /// Why the map is not complete; empty if it is.
    pub gaps: Vec<MapGap>,
    /// Why the start page could not be read.
    #[schema(required = true)]
    pub unreachable: Option<Unreachable>,
}
