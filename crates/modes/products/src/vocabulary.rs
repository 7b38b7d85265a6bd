//! Reads the vocabulary files of `data/`, which are embedded at compile time.
//!
//! A file has one entry per line and tabs between columns; lines that begin with `#` are comments.
//! Each file is parsed once, when the table or matcher that uses it is built.

pub(crate) use text::vocabulary::{entries, group, keyed, rows};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_a_vocabulary_file_is_known() {
        let files = [
            (
                term_file!("availability.tsv"),
                "discontinued backorder preorder out_of_stock in_stock",
            ),
            (term_file!("button_phrases.tsv"), "other buy"),
            (
                term_file!("field_labels.tsv"),
                "gtin mpn sku brand availability condition seller category price",
            ),
            (term_file!("conditions.tsv"), "refurbished used new"),
            (term_file!("section_headings.tsv"), "other description features specification"),
            (term_file!("price_on_request.tsv"), "phrase price request whole"),
            (
                term_file!("tax_words.tsv"),
                "tax included_before excluded_before included_after excluded_after \
                 included_alone excluded_alone included_unspaced excluded_unspaced",
            ),
            (term_file!("price_marks.tsv"), "sign word"),
            (term_file!("choice_words.tsv"), "other prompt prompt_ending name other_name delivery"),
            (term_file!("brand_phrases.tsv"), "before after"),
            (
                term_file!("number_labels.tsv"),
                "phone call code code_prefix number phone_unspaced code_unspaced lead",
            ),
            (term_file!("email_words.tsv"), "mailbox provider"),
            (term_file!("messengers.tsv"), "link messenger ambiguous"),
            (term_file!("address_words.tsv"), "ending street unit"),
            (term_file!("option_members.tsv"), "list name value"),
            (
                term_file!("schema_terms.tsv"),
                "in_stock out_of_stock preorder backorder discontinued new used refurbished",
            ),
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
