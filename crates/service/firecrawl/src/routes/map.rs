//! `map`: URLs of a site.

use std::collections::HashSet;

use axum::Json;
use contract::{BodyFields, CreateMap, MapSource, MappedUrl, UrlMap};
use serde_json::{Map, Value, json};

use crate::FirecrawlVersion;
use crate::crawl_request::reject_if;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::request_body::{FirecrawlBody, mapped_members};
use crate::request_field::MAP;

/// The URLs that an answer contains.
#[derive(Debug)]
struct MapChoice {
    sitemap: SitemapUse,
    is_without_query: bool,
    limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SitemapUse {
    Include,
    Only,
    Skip,
}

pub(crate) async fn map(
    session: FirecrawlSession,
    FirecrawlBody(body): FirecrawlBody,
) -> FirecrawlResult<Json<Value>> {
    let mut errors = Vec::new();
    let members = Value::Object(mapped_members(body, &[&MAP], "", &mut errors));
    let mut fields =
        BodyFields::of(&members).map_err(|error| FirecrawlError::fields(vec![error]))?;
    let url = fields.text("url").map(str::trim);
    fields.require("url");
    let search = fields.text("search").map(str::trim);
    let limit = fields.count("limit", None).unwrap_or(CreateMap::MAX_URLS);
    let is_skipped = fields.flag("ignoreSitemap").unwrap_or_default();
    let is_alone = fields.flag("sitemapOnly").unwrap_or_default();
    let sitemap = match fields.one_of("sitemap", &["include", "only", "skip"]) {
        Some("only") => SitemapUse::Only,
        Some("skip") => SitemapUse::Skip,
        Some(_) => SitemapUse::Include,
        None if is_alone => SitemapUse::Only,
        None if is_skipped => SitemapUse::Skip,
        None => SitemapUse::Include,
    };
    let subdomains = fields.flag("includeSubdomains").unwrap_or(true);
    let is_without_query = fields.flag("ignoreQueryParameters").unwrap_or(true);
    errors.extend(fields.finish());
    reject_if(errors)?;
    let mut call = Map::new();
    call.insert("url".to_owned(), url.into());
    call.insert("include_subdomains".to_owned(), subdomains.into());
    if let Some(words) = search {
        call.insert("search".to_owned(), words.into());
    }
    let answer = session.post("/v1/map", &call.into()).await?;
    let found: UrlMap =
        answer.json().map_err(|error| FirecrawlError::from(error).with_headers(&answer.headers))?;
    // The start page may be unreadable although the sitemap has URLs.
    if let Some(unreachable) = found.unreachable.filter(|_| found.urls.is_empty()) {
        let message = format!("the site could not be read: {unreachable}");
        let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        return Err(FirecrawlError::new(status, "SCRAPE_ALL_ENGINES_FAILED", message));
    }
    let choice = MapChoice { sitemap, is_without_query, limit };
    let links = choice.links(found.urls);
    let links: Vec<Value> = match session.state.version {
        FirecrawlVersion::V1 => links.into_iter().map(|link| link.url.into()).collect(),
        FirecrawlVersion::V2 => links.into_iter().map(to_link).collect(),
    };
    let mut body = json!({"success": true, "links": links});
    if limit > CreateMap::MAX_URLS {
        body["warning"] = format!("limit was reduced to {}", CreateMap::MAX_URLS).into();
    }
    Ok(Json(body))
}

fn to_link(found: MappedUrl) -> Value {
    let mut link = json!({"url": found.url});
    if let Some(title) = found.title {
        link["title"] = title.into();
    }
    link
}

impl MapChoice {
    fn links(&self, found: Vec<MappedUrl>) -> Vec<MappedUrl> {
        let mut seen = HashSet::new();
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let chosen = found.into_iter().filter(|url| match self.sitemap {
            SitemapUse::Include => true,
            SitemapUse::Only => url.source == MapSource::Sitemap,
            SitemapUse::Skip => url.source != MapSource::Sitemap,
        });
        let spelled = chosen.map(|mut found| {
            if self.is_without_query
                && let Some(at) = found.url.find('?')
            {
                found.url.truncate(at);
            }
            found
        });
        spelled.filter(|found| seen.insert(found.url.clone())).take(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(sitemap: SitemapUse, is_without_query: bool, limit: u64) -> Vec<String> {
        let found = [
            ("https://a.example/", MapSource::Start),
            ("https://a.example/list?page=1", MapSource::Link),
            ("https://a.example/list?page=2", MapSource::Link),
            ("https://a.example/old", MapSource::Sitemap),
        ];
        let found =
            found.map(|(url, source)| MappedUrl { url: url.to_owned(), title: None, source });
        let choice = MapChoice { sitemap, is_without_query, limit };
        let path = |link: MappedUrl| link.url.replace("https://a.example", "");
        choice.links(found.into()).into_iter().map(path).collect()
    }

    #[test]
    fn sitemap_queries_and_limit_choose_the_links() {
        assert_eq!(links(SitemapUse::Include, true, 9), ["/", "/list", "/old"]);
        assert_eq!(links(SitemapUse::Include, false, 9).len(), 4);
        assert_eq!(links(SitemapUse::Only, true, 9), ["/old"]);
        assert_eq!(links(SitemapUse::Skip, true, 9), ["/", "/list"]);
        assert_eq!(links(SitemapUse::Include, true, 2), ["/", "/list"]);
    }
}
