//! Which URLs a run fetches: rules of robots.txt, scope, path patterns, traps and denied domains,
//! applied to the URLs of the input. A line is a URL; a line that starts with `:` is a rule.
//!
//! Path patterns are also compared with a reference matcher, for patterns and paths that are made of
//! the bytes of the input.

#![no_main]

#[path = "../../crates/core/urls/tests/path_filter/reference.rs"]
mod reference;

use contract::{Scope, path_patterns};
use libfuzzer_sys::fuzz_target;
use privacy::{BlockedDomains, OptOut};
use urls::{CanonicalUrl, PathFilter, Robots, ScopeRule, TrapRule, TrapWatch};

/// A character for each byte: the reference takes exponential time, so texts are short.
fn text(bytes: &[u8], alphabet: &[u8], most: usize) -> String {
    let one = |byte: &u8| char::from(alphabet[usize::from(*byte) % alphabet.len()]);
    bytes.iter().take(most).map(one).collect()
}

/// A regular expression of the kind that the reference knows.
fn regex(bytes: &[u8]) -> String {
    let atoms = bytes.iter().skip(1).take(6).map(|byte| {
        let atom = text(&[byte & 15], b"ab/.", 1);
        if byte & 16 == 0 { atom } else { atom + "*" }
    });
    let flags = bytes.first().copied().unwrap_or_default();
    let (start, end) =
        (["", "^"][usize::from(flags & 2 != 0)], ["", "$"][usize::from(flags & 4 != 0)]);
    format!("re:{start}{}{end}", atoms.collect::<String>())
}

/// Compares the filter of the first three lines, by the paths of the others, with the reference.
fn compare_with_reference(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n').filter(|line| line.len() > 1);
    let patterns: Vec<String> = lines
        .by_ref()
        .take(3)
        .map(|line| if line[0] & 1 == 0 { text(line, b"ab/*?\\/*", 10) } else { regex(line) })
        // A glob may end in a backslash, which is invalid.
        .filter(|pattern| path_patterns(std::slice::from_ref(pattern)).len() == 1)
        .collect();
    for exclude in 0..=patterns.len() {
        let (excluded, included) = patterns.split_at(exclude);
        let filter = PathFilter::new(&Scope {
            include_paths: included.to_vec(),
            exclude_paths: excluded.to_vec(),
            ..Scope::default()
        });
        for line in lines.clone().take(8) {
            let path = format!("/{}", text(line, b"ab/*?=/", 16));
            let expected = reference::passes(included, excluded, &path);
            assert_eq!(filter.check(&path).is_ok(), expected, "{path} {included:?} {excluded:?}");
        }
    }
}

fuzz_target!(|input: &[u8]| {
    compare_with_reference(input);
    let text = String::from_utf8_lossy(input);
    let (rules, addresses): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with(':'));
    let rules: Vec<&str> = rules.iter().map(|rule| &rule[1..]).collect();
    let start = CanonicalUrl::parse("https://example.com/docs/page").expect("a page");
    let robots = rules.iter().map(|rule| format!("Disallow: {rule}\n"));
    let robots = format!("User-agent: *\n{}", robots.collect::<String>());
    let robots = Robots::parse(robots.as_bytes(), Robots::AGENT);
    let blocked = BlockedDomains::new(&rules);
    for rule in &rules {
        std::hint::black_box(OptOut::domain(rule).is_ok());
    }
    let scopes = [
        Scope::default(),
        Scope { specific_route: true, include_query_strings: true, ..Scope::default() },
        Scope { include_subdomains: true, include_external: true, ..Scope::default() },
    ];
    let patterns = |from: usize| {
        rules.iter().skip(from).take(2).map(|rule| (*rule).to_owned()).collect::<Vec<_>>()
    };
    let filtered =
        Scope { include_paths: patterns(0), exclude_paths: patterns(2), ..Scope::default() };
    let filtered = ScopeRule::new(start.clone(), filtered);
    let [all, route, wide] = scopes.map(|scope| ScopeRule::new(start.clone(), scope));
    let scopes = [all.clone().for_products(), all, route, wide, filtered];
    let mut traps = TrapWatch::new(TrapRule::in_year(2026));
    for address in addresses.iter().take(1_000) {
        let Ok(url) = start.join(address) else { continue };
        std::hint::black_box(robots.allows(&url));
        std::hint::black_box(blocked.entry_for(url.host()));
        std::hint::black_box(traps.offer(&url).is_ok());
        traps.learn(&url, true);
        for scope in &scopes {
            let url = scope.normalise(url.clone());
            std::hint::black_box(scope.admits(&url));
            std::hint::black_box(scope.passes_filter(&url));
            // A canonical URL does not change when it is normalised or parsed again.
            assert_eq!(scope.normalise(url.clone()), url);
            assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Ok(&url));
        }
    }
});
