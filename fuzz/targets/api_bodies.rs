//! The body of a request to the API: its nesting, its canonical form, and the job request that is
//! read from it.

#![no_main]
#![allow(dead_code, reason = "the files belong to `api`, which uses the rest of them")]

use contract::{JobRequest, Mode, RequestPolicy};
use libfuzzer_sys::fuzz_target;
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

fuzz_target!(|bytes: &[u8]| {
    if body::is_too_deep(bytes) {
        return;
    }
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return };
    assert_eq!(body::canonical::canonical_hash(&body), body::canonical::canonical_hash(&body));
    if let Ok((request, _)) = JobRequest::from_json(&body, &DefaultPolicy) {
        let stored = serde_json::to_value(&request).expect("a request serialises");
        let (again, _) = JobRequest::from_json(&stored, &DefaultPolicy).expect("a valid request");
        assert_eq!(again, request);
    }
});
