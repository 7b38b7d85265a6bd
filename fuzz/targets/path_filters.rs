//! Which URLs a run fetches: rules of robots.txt, scope, path patterns, traps and denied domains,
//! applied to the URLs of the input. A line is a URL; a line that starts with `:` is a rule.

#![no_main]

use contract::Scope;
use libfuzzer_sys::fuzz_target;
use privacy::{BlockedDomains, OptOut};
use urls::{CanonicalUrl, Robots, ScopeRule, TrapRule, TrapWatch};

fuzz_target!(|input: &[u8]| {
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
