//! Known top-level domains.

use crate::vocabulary::TermSet;

static TOP_LEVEL_DOMAINS: TermSet = word_set!("email/top_level_domains.txt");

/// Whether a lower-case label is a top-level domain.
pub(super) fn is_known(label: &str) -> bool {
    TOP_LEVEL_DOMAINS.contains(label) || label.starts_with("xn--")
}

static FILE_ENDINGS: TermSet = word_set!("email/file_endings.txt");

/// Whether a label is a file extension that looks like a domain after "@": `logo@2x.png`.
pub(super) fn is_file(label: &str) -> bool {
    FILE_ENDINGS.contains(label)
}
