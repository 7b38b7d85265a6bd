//! The body of a request to the API: its nesting, its canonical form, and its members, read by
//! the reader that every route uses.

#![no_main]
#![allow(dead_code, reason = "the files belong to `api`, which uses the rest of them")]

use contract::{Mode, OnProtected};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use urls::{AllowedNetworks, Domain, LanguageTag, Target};

#[path = "../../crates/service/api/src/body"]
mod body {
    pub mod canonical;
    pub mod fields;
    mod nesting;

    pub fn is_too_deep(bytes: &[u8]) -> bool {
        nesting::exceeds(bytes)
    }
}

/// In place of the API's own, which is an HTTP response.
mod fault {
    use contract::FieldError;

    #[derive(Debug)]
    pub struct Fault(Vec<FieldError>);

    impl Fault {
        pub fn invalid(errors: Vec<FieldError>) -> Self {
            Self(errors)
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    if body::is_too_deep(bytes) {
        return;
    }
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return };
    assert_eq!(body::canonical::canonical_hash(&body), body::canonical::canonical_hash(&body));
    let Ok(mut fields) = body::fields::Fields::of(&body) else { return };
    fields.word("mode", Mode::ALL);
    fields.word("on_protected", OnProtected::ALL);
    fields.integer("max_credit_per_unit", 1);
    fields.flag("legal_basis_accepted");
    fields.missing("url");
    if let Some(url) = fields.text("url") {
        std::hint::black_box(Target::parse(url, &AllowedNetworks::default(), |_| false).is_ok());
    }
    for (_, domain) in fields.texts("domains", 10_000).unwrap_or_default() {
        std::hint::black_box(Domain::parse_knowing(domain, |_| false).is_ok());
    }
    fields.object("scope", |scope| scope.flag("one_page"));
    fields.object("options", |options| {
        options.integer("sample_size", 1);
        if let Some(language) = options.text("preferred_language") {
            std::hint::black_box(LanguageTag::parse(language).is_ok());
        }
    });
    std::hint::black_box(fields.finish());
});
