//! The body of a request to the API: its nesting, its canonical form, and the requests that are read
//! from it: jobs, pages, maps, estimates, filters of results, and actions in the form of Firecrawl.

#![no_main]
#![allow(dead_code, reason = "the files belong to other crates, which use the rest of them")]

use contacts::CONTACTS_SCHEMA;
use contract::{
    BodyFields, CreateEstimate, CreateMap, ItemFilter, JobRequest, Mode, ReadPage, RequestPolicy,
};
use libfuzzer_sys::fuzz_target;
use markdown::MARKDOWN_SCHEMA;
use products::PRODUCTS_SCHEMA;
use serde::Serialize;
use serde_json::Value;
use urls::{AllowedNetworks, CanonicalUrl, Domain, Target};

#[path = "../../crates/service/api/src/body"]
mod body {
    pub mod canonical;
    mod nesting;

    pub fn is_too_deep(bytes: &[u8]) -> bool {
        nesting::exceeds(bytes)
    }
}

#[path = "../../crates/service/firecrawl/src/page_actions.rs"]
mod page_actions;

/// The policy of a service with default settings.
struct DefaultPolicy;

impl RequestPolicy for DefaultPolicy {
    type Url = CanonicalUrl;
    type Domain = Domain;

    fn max_domains(&self) -> usize {
        10_000
    }

    fn check_mode(&self, _: Mode) -> Result<(), String> {
        Ok(())
    }

    fn parse_url(&self, text: &str) -> Result<CanonicalUrl, String> {
        let parsed = Target::parse(text, &AllowedNetworks::default(), |_| false);
        parsed.map_err(|refusal| refusal.to_string())
    }

    fn parse_domain(&self, text: &str) -> Result<Domain, String> {
        Domain::parse_knowing(text, |_| false).map_err(|refusal| refusal.to_string())
    }

    fn check_domains(&self, _: &[Domain]) -> Result<(), String> {
        Ok(())
    }
}

/// Reads a request and reads it again as it is stored: both are equal.
fn read_twice<T: Serialize + PartialEq + std::fmt::Debug>(
    body: &Value,
    read: impl Fn(&Value) -> Option<T>,
) {
    let Some(request) = read(body) else { return };
    let stored = serde_json::to_value(&request).expect("a request serialises");
    assert_eq!(read(&stored), Some(request));
}

/// Reads `q` and `filter` for the items of every mode that filters by its own columns.
fn read_filters(body: &Value) {
    let conditions = body["filter"].as_object().into_iter().flatten();
    let conditions: Vec<_> =
        conditions.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
    for schema in [&MARKDOWN_SCHEMA, &PRODUCTS_SCHEMA, &CONTACTS_SCHEMA] {
        let Ok(filter) = ItemFilter::parse(schema, conditions.iter().copied()) else { continue };
        let _ = filter.matches(body);
        if let Some(text) = body["q"].as_str() {
            let _ = filter.containing(schema, text);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    if body::is_too_deep(bytes) {
        return;
    }
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return };
    assert_eq!(body::canonical::canonical_hash(&body), body::canonical::canonical_hash(&body));
    let policy = &DefaultPolicy;
    read_twice(&body, |body| Some(JobRequest::from_json(body, policy).ok()?.0));
    read_twice(&body, |body| Some(ReadPage::from_json(body, policy).ok()?.0));
    read_twice(&body, |body| Some(CreateMap::from_json(body, policy).ok()?.0));
    read_twice(&body, |body| Some(CreateEstimate::from_json(body, policy).ok()?.0));
    read_filters(&body);
    if let Ok(mut fields) = BodyFields::of(&body) {
        let _ = page_actions::read_actions(&mut fields);
    }
});
