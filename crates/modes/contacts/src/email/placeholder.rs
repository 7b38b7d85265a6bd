//! What looks like a mailbox and is nobody's: examples, traps, addresses of machines.

use crate::vocabulary::{TermList, TermSet};

/// Domains that stand for any domain.
static PLACEHOLDER_DOMAINS: TermSet = word_set!("email/placeholder_domains.txt");
/// Names that stand for any name.
static PLACEHOLDER_NAMES: TermSet = word_set!("email/placeholder_names.txt");
/// Domains of services that pages name in their code.
static MACHINE_DOMAINS: TermSet = word_set!("email/machine_domains.txt");
/// Endings that the standards keep for examples.
static RESERVED_ENDINGS: TermSet = word_set!("email/reserved_endings.txt");

/// Whether a domain is the site's, or one below or above it.
pub(crate) fn is_own_domain(domain: &str, host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let below = |inner: &str, outer: &str| {
        inner.strip_suffix(outer).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !host.is_empty() && (below(domain, host) || (domain.contains('.') && below(host, domain)))
}

/// Whether nobody reads what is sent there.
pub(crate) fn is_placeholder(value: &str, host: &str) -> bool {
    let Some((name, domain)) = value.split_once('@') else { return true };
    if is_own_domain(domain, host) {
        return is_trap_name(name) || matches!(name, "your" | "yourname" | "vorname.nachname");
    }
    let (before, ending) = domain.rsplit_once('.').unwrap_or(("", domain));
    let last = before.rsplit('.').next().unwrap_or_default();
    RESERVED_ENDINGS.contains(ending)
        || matches!(last, "example" | "test" | "sample" | "placeholder")
        || PLACEHOLDER_DOMAINS.contains(last)
        || PLACEHOLDER_NAMES.contains(name)
        || MACHINE_DOMAINS.contains(domain)
        || (name.len() >= 24 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_trap_name(name)
}

static TRAP_NAMES: TermList = phrase_list!("email/trap_names.txt");

fn is_trap_name(name: &str) -> bool {
    TRAP_NAMES.iter().any(|word| name.contains(word))
        || matches!(name, "trap" | "spam.trap" | "nobody" | "devnull")
}

/// Words that warn of an address in the eight languages.
static WARNINGS: TermList = phrase_list!("email/trap_warnings.txt");

/// Whether a line warns of the address in it.
pub(crate) fn is_trap_line(text: &str) -> bool {
    if !text.contains('@') && text.len() > 300 {
        return false;
    }
    let small = text.to_lowercase();
    WARNINGS.iter().any(|warning| small.contains(warning))
}
