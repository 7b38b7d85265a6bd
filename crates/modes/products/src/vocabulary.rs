//! Reads the vocabulary files of `data/`, which are embedded at compile time.
//!
//! A file has one entry per line and tabs between columns; lines that begin with `#` are comments.
//! Each file is parsed once, when the table or matcher that uses it is built.

use hashbrown::HashSet;
pub(crate) use text::vocabulary::{entries, group, keyed};

pub(crate) fn group_list(file: &'static str, name: &str) -> Vec<&'static str> {
    group(file, name).collect()
}

pub(crate) fn group_set(file: &'static str, name: &str) -> HashSet<&'static str> {
    group(file, name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_a_vocabulary_file_is_known() {
        let files = [
            (
                include_str!("../data/availability.tsv"),
                "discontinued backorder preorder out_of_stock in_stock",
            ),
            (include_str!("../data/button_phrases.tsv"), "other buy inquiry"),
            (
                include_str!("../data/field_labels.tsv"),
                "gtin mpn sku brand availability condition seller category price",
            ),
            (include_str!("../data/conditions.tsv"), "refurbished used new"),
            (
                include_str!("../data/section_headings.tsv"),
                "other description features specification",
            ),
            (include_str!("../data/price_on_request.tsv"), "phrase price request whole"),
            (
                include_str!("../data/tax_words.tsv"),
                "tax included_before excluded_before included_after excluded_after \
                 included_alone excluded_alone included_unspaced excluded_unspaced",
            ),
            (include_str!("../data/price_marks.tsv"), "sign word"),
            (include_str!("../data/choice_words.tsv"), "other prompt"),
            (
                include_str!("../data/number_labels.tsv"),
                "phone call code code_prefix number phone_unspaced code_unspaced lead",
            ),
            (include_str!("../data/email_words.tsv"), "mailbox provider"),
            (include_str!("../data/messengers.tsv"), "link messenger ambiguous"),
            (include_str!("../data/address_words.tsv"), "ending street unit"),
        ];
        for (file, groups) in files {
            for line in entries(file) {
                let (group, entry) = line.split_once('\t').expect(line);
                assert!(groups.split_whitespace().any(|known| known == group), "{line}");
                assert!(!entry.is_empty() && entry.trim() == entry, "{line}");
            }
        }
    }
}
