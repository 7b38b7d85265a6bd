//! Features of a page as a whole, which predict its type. Names and order are part of the model
//! format.

use html::dom::Element;
use text::vocabulary::{TermList, TermTable};

use super::features::FeatureContext;
use super::head_features::{HeadFeatures, SCHEMA_TYPES};
use super::text_stats::TextStats;
use super::word_hash::{FeatureNamespace, slot};

/// Number of weights per page type for the words of the head.
pub(crate) const TYPE_SLOTS: usize = 1 << 11;

/// Article, service, product, collection, forum, listing, documentation.
pub(crate) const TYPES: usize = 7;

/// Maximum number of words of the description.
const DESCRIPTION_WORDS: usize = 40;

/// Elements that are counted, with the name of the feature.
const COUNTED: [(&str, Element); 19] = [
    ("page_articles", Element::Article),
    ("page_mains", Element::Main),
    ("page_items", Element::Li),
    ("page_tables", Element::Table),
    ("page_rows", Element::Tr),
    ("page_pres", Element::Pre),
    ("page_codes", Element::Code),
    ("page_times", Element::Time),
    ("page_buttons", Element::Button),
    ("page_forms", Element::Form),
    ("page_h1", Element::H1),
    ("page_h2", Element::H2),
    ("page_h3", Element::H3),
    ("page_images", Element::Image),
    ("page_links", Element::A),
    ("page_details", Element::Details),
    ("page_terms", Element::Dl),
    ("page_quotes", Element::Blockquote),
    ("page_labels", Element::Label),
];

/// Features of the URL, and the substrings that indicate the type of a page.
static ADDRESS_PARTS: TermTable<2> = term_table!("address_parts.tsv");

/// Names of content management systems and shops in `<meta name=generator>`, in groups.
static GENERATORS: TermList = phrase_list!("generators.txt");

/// Emits all features of a page in a fixed order.
pub(crate) fn page_row(
    context: &FeatureContext<'_, '_>,
    head: &HeadFeatures<'_>,
    put: &mut impl FnMut(&'static str, f32),
) {
    let segmentation = context.segmentation;
    let blocks = segmentation.blocks.len().max(1) as f32;
    let words = context.words();
    let body = context.container_stats.first().copied().unwrap_or_default();
    put("page_words", words);
    put("page_link_density", body.link_density());
    put("page_blocks", blocks);
    put("page_block_length", words / blocks);
    put("page_prose", body.prose / words);
    put("page_headings", body.headings / blocks);
    put("page_centre_share", context.densest.share);
    put("page_most_share", context.most.share);
    for (name, element) in COUNTED {
        put(
            name,
            segmentation.element_counts.get(element as usize).map_or(0.0, |count| *count as f32),
        );
    }
    let (mut paragraphs, mut long, mut sentences, mut priced, mut dated) =
        (0.0, 0.0, 0.0, 0.0, 0.0);
    for (block, element) in segmentation.blocks.iter().zip(&context.elements) {
        let stats = &block.stats;
        let length = stats.words as f32;
        paragraphs += f32::from(u8::from(*element == Element::P && stats.words > 15));
        long += if stats.words >= 25 { length } else { 0.0 };
        sentences += stats.sentence_ends as f32;
        priced += f32::from(u8::from(stats.has_price));
        dated += f32::from(u8::from(stats.digits > 0 && stats.words < 12));
    }
    put("page_paragraphs", paragraphs);
    put("page_long", long / words);
    put("page_sentences", sentences / words);
    put("page_prices", priced / blocks);
    put("page_numbers", dated / blocks);
    let (members, share, links) = context.largest_group();
    put("page_group_members", members);
    put("page_group_share", share);
    put("page_group_links", links);
    head_row(head, put);
}

fn head_row(head: &HeadFeatures<'_>, put: &mut impl FnMut(&'static str, f32)) {
    let shared = head.sharing_type.as_str();
    put(
        "sharing_type",
        match shared {
            "" => 0.0,
            _ if shared.contains("article") => 1.0,
            _ if shared.contains("product") => 2.0,
            _ if shared.contains("website") => 3.0,
            _ => 4.0,
        },
    );
    for ([name, _], count) in SCHEMA_TYPES.iter().zip(head.schema) {
        put(name, f32::from(count));
    }
    let has_one_of = |names: &str| names.split(' ').any(|name| head.generator.contains(name));
    let named = GENERATORS.iter().position(|names| has_one_of(names));
    put("generator", named.map_or(0.0, |at| at as f32 + 1.0));
    let address = head.url.to_ascii_lowercase();
    let address = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let path = address.find('/').and_then(|at| address.get(at..)).unwrap_or_default();
    for [name, parts] in ADDRESS_PARTS.iter() {
        let within = if matches!(*name, "address_talk" | "address_docs") { address } else { path };
        put(name, f32::from(u8::from(parts.split(' ').any(|part| within.contains(part)))));
    }
    let steps = path.split('/').filter(|step| !step.is_empty());
    put("address_steps", steps.clone().count() as f32);
    put("address_length", path.len() as f32);
    put("address_query", f32::from(u8::from(!query.is_empty())));
    let hyphens = steps.map(|step| step.bytes().filter(|byte| *byte == b'-').count()).max();
    put("address_hyphens", hyphens.unwrap_or(0) as f32);
}

/// The slots of the words of title, URL and description.
pub(crate) fn head_slots(head: &HeadFeatures<'_>) -> Vec<u16> {
    let mut slots = Vec::new();
    let mut hashes = Vec::new();
    let address = head.url.split(['?', '#']).next().unwrap_or_default();
    let parts = [
        (FeatureNamespace::Title, head.title.as_str(), usize::MAX),
        (FeatureNamespace::Address, address, usize::MAX),
        (FeatureNamespace::Description, head.description.as_str(), DESCRIPTION_WORDS),
    ];
    for (part, text, limit) in parts {
        hashes.clear();
        TextStats::read(text, &[], &mut hashes);
        slots.extend(hashes.iter().take(limit).map(|hash| slot(part, *hash) >> 3));
    }
    slots
}
