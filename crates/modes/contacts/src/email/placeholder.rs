//! Recognises addresses without a reader: examples, spam traps, addresses of machines.

use text::vocabulary::{TermList, TermSet};

static PLACEHOLDER_DOMAINS: TermSet = word_set!("email/placeholder_domains.txt");
static PLACEHOLDER_NAMES: TermSet = word_set!("email/placeholder_names.txt");
static MACHINE_DOMAINS: TermSet = word_set!("email/machine_domains.txt");
static RESERVED_ENDINGS: TermSet = word_set!("email/reserved_endings.txt");

/// Whether a domain is that of the site, a subdomain of it or a parent of it.
pub(crate) fn is_own_domain(domain: &str, host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let below = |inner: &str, outer: &str| {
        inner.strip_suffix(outer).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !host.is_empty() && (below(domain, host) || (domain.contains('.') && below(host, domain)))
}

/// Whether an address is an example, a spam trap or that of a machine.
pub(crate) fn is_placeholder(value: &str, host: &str) -> bool {
    let Some((name, domain)) = value.split_once('@') else { return true };
    if is_own_domain(domain, host) {
        return is_trap_name(name) || OWN_PLACEHOLDER_NAMES.contains(name);
    }
    let (before, ending) = domain.rsplit_once('.').unwrap_or(("", domain));
    let last = before.rsplit('.').next().unwrap_or_default();
    RESERVED_ENDINGS.contains(ending)
        || EXAMPLE_LABELS.contains(last)
        || PLACEHOLDER_DOMAINS.contains(last)
        || PLACEHOLDER_NAMES.contains(name)
        || MACHINE_DOMAINS.contains(domain)
        || (name.len() >= 24 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_trap_name(name)
}

static OWN_PLACEHOLDER_NAMES: TermSet = word_set!("email/own_placeholder_names.txt");
static EXAMPLE_LABELS: TermSet = word_set!("email/example_labels.txt");
static WHOLE_TRAP_NAMES: TermSet = word_set!("email/whole_trap_names.txt");
static TRAP_NAMES: TermList = phrase_list!("email/trap_names.txt");

fn is_trap_name(name: &str) -> bool {
    TRAP_NAMES.iter().any(|word| name.contains(word)) || WHOLE_TRAP_NAMES.contains(name)
}

static WARNINGS: TermList = phrase_list!("email/trap_warnings.txt");

/// Whether a line warns not to use the address in it.
pub(crate) fn is_trap_line(text: &str) -> bool {
    if !text.contains('@') && text.len() > 300 {
        return false;
    }
    let lower = text.to_lowercase();
    WARNINGS.iter().any(|warning| lower.contains(warning))
}
