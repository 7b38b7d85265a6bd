//! Endings of domains that are known without asking anybody.

use crate::vocabulary::TermSet;

/// Countries whose letters end domains, and the common endings of other kinds.
static TOP_LEVEL_DOMAINS: TermSet = word_set!("email/top_level_domains.txt");

/// Whether a label in small letters ends domains.
pub(super) fn is_known(label: &str) -> bool {
    TOP_LEVEL_DOMAINS.contains(label) || label.starts_with("xn--")
}

static FILE_ENDINGS: TermSet = word_set!("email/file_endings.txt");

/// Endings of files that look like domains behind an `@`: `logo@2x.png`.
pub(super) fn is_file(label: &str) -> bool {
    FILE_ENDINGS.contains(label)
}
