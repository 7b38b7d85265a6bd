//! Providers that give mailboxes to anyone.

use text::vocabulary::TermSet;

static FREE_PROVIDERS: TermSet = word_set!("email/free_providers.txt");

/// Whether anyone can get a mailbox at this domain. Certified mail of Italy (PEC) counts too.
pub(crate) fn is_free_provider(domain: &str) -> bool {
    FREE_PROVIDERS.contains(domain)
        || domain.ends_with(".pec.it")
        || domain.starts_with("pec.")
        || domain.contains("legalmail")
}
