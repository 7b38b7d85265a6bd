//! The inputs of the model: their order, names and hash. All of it is part of the model format.

#[cfg(any(test, feature = "training"))]
use super::features::FeatureContext;
#[cfg(any(test, feature = "training"))]
use super::head_features::HeadFeatures;
#[cfg(any(test, feature = "training"))]
use super::page_features::TYPES;
#[cfg(any(test, feature = "training"))]
use super::segmentation::Segmentation;

/// Maximum number of inputs: as many as a byte can index.
pub(crate) const INPUTS: usize = 256;

/// Page features that are repeated in the row of each block.
pub(crate) const PAGE_INPUTS: [&str; 10] = [
    "page_words",
    "page_link_density",
    "page_blocks",
    "page_block_length",
    "page_articles",
    "page_paragraphs",
    "page_long",
    "page_group_members",
    "page_group_share",
    "page_group_links",
];

/// Number of features of the block itself. The page features follow, then the table scores, then
/// the page type probabilities.
pub(crate) const OWN_INPUTS: usize = 79;

/// Tables of structure, text and headings.
pub(crate) const TABLES: usize = 3;

/// Index of the first table score, and of the first page type probability.
pub(crate) const TABLE_INPUTS: usize = OWN_INPUTS + PAGE_INPUTS.len();
pub(crate) const TYPE_INPUTS: usize = TABLE_INPUTS + TABLES;

/// Whether an input is equal for all blocks of a page.
pub(crate) fn is_page_input(input: usize) -> bool {
    (OWN_INPUTS..TABLE_INPUTS).contains(&input) || input >= TYPE_INPUTS
}

/// The names of the features of a block in their order.
#[cfg(any(test, feature = "training"))]
pub(crate) fn row_names() -> Vec<&'static str> {
    let dom = html::dom::Dom::parse("<p>word");
    let head = HeadFeatures::read(&dom, "");
    let segmentation = Segmentation::of(&dom);
    let context = FeatureContext::of(&segmentation, &head);
    let mut names = Vec::new();
    context.row(0, &mut |name, _| names.push(name));
    names
}

/// The names of all inputs in their order.
#[cfg(any(test, feature = "training"))]
fn input_names() -> Vec<&'static str> {
    let mut names = row_names();
    names.extend(PAGE_INPUTS);
    names.extend(["table_structure", "table_wording", "table_heading"]);
    names.extend(TYPE_NAMES);
    assert!(names.len() <= INPUTS, "more inputs than a row has");
    names
}

#[cfg(any(test, feature = "training"))]
const TYPE_NAMES: [&str; TYPES] = [
    "type_article",
    "type_service",
    "type_product",
    "type_collection",
    "type_forum",
    "type_listing",
    "type_documentation",
];

/// Hash of the names of all inputs, stored in the model file.
#[cfg(any(test, feature = "training"))]
pub(crate) fn inputs_hash() -> u64 {
    xxhash_rust::xxh3::xxh3_64(input_names().join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_inputs_are_distinguished_from_block_inputs() {
        assert_eq!(row_names().len(), OWN_INPUTS);
        let page_inputs: Vec<_> = input_names()
            .into_iter()
            .enumerate()
            .filter(|(at, _)| is_page_input(*at))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(page_inputs, [&PAGE_INPUTS[..], &TYPE_NAMES[..]].concat());
    }
}
