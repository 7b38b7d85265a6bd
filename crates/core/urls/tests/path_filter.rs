//! The filter by path agrees with a reference implementation: a recursive matcher, written from the
//! documentation of the patterns (`docs/filters-and-limits.md`).

#[path = "path_filter/reference.rs"]
mod reference;

use contract::Scope;
use proptest::prelude::*;
use reference::passes;
use urls::{CanonicalUrl, PathFilter, ScopeRule};

fn globs() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ab]",
        3 => Just("/".to_owned()),
        2 => Just("*".to_owned()),
        2 => Just("**".to_owned()),
        2 => Just("/**/".to_owned()),
        1 => Just("/**".to_owned()),
        1 => Just("?".to_owned()),
        1 => Just("\\*".to_owned()),
        1 => Just("\\?".to_owned()),
    ];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

fn regexes() -> impl Strategy<Value = String> {
    let atom = prop_oneof![3 => "[ab/]", 1 => Just(".".to_owned())];
    let atom = (atom, prop::bool::weighted(0.3))
        .prop_map(|(atom, star)| if star { atom + "*" } else { atom });
    let atoms = prop::collection::vec(atom, 1..5);
    (any::<bool>(), atoms, any::<bool>()).prop_map(|(start, atoms, end)| {
        let (start, end) = (if start { "^" } else { "" }, if end { "$" } else { "" });
        format!("re:{start}{}{end}", atoms.concat())
    })
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof![2 => globs(), 1 => regexes()], 0..4)
}

fn paths() -> impl Strategy<Value = String> {
    (r"(/[ab*]{0,2}){1,4}", prop::option::of(r"[ab=/?]{1,4}"))
        .prop_map(|(path, query)| query.map_or(path.clone(), |query| format!("{path}?{query}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn filter_agrees_with_the_reference(
        include in patterns(),
        exclude in patterns(),
        paths in prop::collection::vec(paths(), 1..20),
    ) {
        let scope = Scope {
            include_paths: include.clone(),
            exclude_paths: exclude.clone(),
            ..Scope::default()
        };
        let filter = PathFilter::new(&scope);
        for path in &paths {
            prop_assert_eq!(
                filter.check(path).is_ok(),
                passes(&include, &exclude, path),
                "{} with {:?} and {:?}", path, include, exclude
            );
        }
    }

    /// A URL is matched as the run identifies it, in whatever spelling a page links to it.
    #[test]
    fn spelling_of_a_url_does_not_change_the_decision(
        include in patterns(),
        path in r"(/[ab]{1,2}){1,3}",
        keeps_queries in any::<bool>(),
    ) {
        let scope = Scope {
            include_paths: include.clone(),
            include_query_strings: keeps_queries,
            ..Scope::default()
        };
        let url = |text: &str| CanonicalUrl::parse(text).expect("a URL");
        let rule = ScopeRule::new(url("https://example.com/"), scope);
        let expected = passes(&include, &[], &path);
        for spelling in [
            format!("https://example.com{path}"),
            format!("http://WWW.Example.com{}#top", path.replace('a', "%61")),
            format!("https://example.com/x/..{path}?utm_source=a"),
        ] {
            prop_assert_eq!(rule.passes_filter(&url(&spelling)), expected, "{}", spelling);
        }
        if !keeps_queries {
            let with_query = url(&format!("https://example.com{path}?a=b"));
            prop_assert_eq!(rule.passes_filter(&with_query), expected);
        }
    }
}
