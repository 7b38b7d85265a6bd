//! The block classifier: the probability that each block is content.

use std::sync::LazyLock;

use super::about::About;
use super::features::Landscape;
use super::model::{INPUTS, LANES, Model, NarrowedNetwork, Rows, Tally};
use super::page_shape::{TYPES, head_slots, page_row};
use super::tables::{around_sums, close_slots, heading_slots, main_heading_slots, text_slots};
use super::tokens::WordHash;

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
const OWN_INPUTS: usize = 79;

/// Tables of structure, text and headings.
const TABLES: usize = 3;

/// Index of the first table score, and of the first page type probability.
const TABLE_INPUTS: usize = OWN_INPUTS + PAGE_INPUTS.len();
const TYPE_INPUTS: usize = TABLE_INPUTS + TABLES;

/// Whether an input is equal for all blocks of a page.
pub(crate) fn is_of_page(input: usize) -> bool {
    (OWN_INPUTS..TABLE_INPUTS).contains(&input) || input >= TYPE_INPUTS
}

/// The probabilities of all blocks in their order.
pub(crate) fn judge(landscape: &Landscape<'_, '_>, about: &About<'_>, model: &Model) -> Vec<f32> {
    let mut page = Vec::with_capacity(64);
    let mut told = [0.0; PAGE_INPUTS.len()];
    let mut next = 0;
    page_row(landscape, about, &mut |name, value| {
        page.push(value);
        // The page emits them in the order of `PAGE_INPUTS`.
        if PAGE_INPUTS.get(next) == Some(&name) {
            told[next] = value;
            next += 1;
        }
    });
    debug_assert_eq!(next, PAGE_INPUTS.len(), "an input of the page that it does not have");
    let types = type_likely(model, &page, about);
    let tables = TableScores::of(landscape, model);
    let mut likely = Vec::with_capacity(landscape.outline.blocks.len());
    Judge { landscape, model, tables, told, types }.all(&mut likely);
    likely
}

/// If at least this many rows are uncertain, evaluate the network on the whole batch instead of
/// compacting it first.
const MOST_LANES: usize = 12;

/// The inputs of the classifier that all blocks of a page share.
struct Judge<'t, 'o, 'a> {
    landscape: &'t Landscape<'o, 'a>,
    model: &'t Model,
    tables: TableScores<'t, 'o, 'a>,
    told: [f32; PAGE_INPUTS.len()],
    types: [f32; TYPES],
}

impl Judge<'_, '_, '_> {
    fn all(&self, sums: &mut Vec<f32>) {
        let count = self.landscape.outline.blocks.len();
        let mut inputs: Rows = [[0.0; LANES]; INPUTS];
        // The page inputs of one row serve for all rows.
        self.page_inputs(|input, value| inputs[input][0] = value);
        let mut doubts = Doubts { rows: [[0.0; LANES]; INPUTS], blocks: Vec::with_capacity(LANES) };
        let mut knowing = None;
        while sums.len() < count {
            let first = sums.len();
            let rows = LANES.min(count - first);
            for (lane, block) in (first..first + rows).enumerate() {
                self.row(block, |input, value| inputs[input][lane % LANES] = value);
            }
            let (trees, network) = knowing.get_or_insert_with(|| {
                let row = inputs.map(|lanes| lanes[0]);
                (self.model.trees.narrowed(&row), self.model.network.narrowed(&row))
            });
            sums.extend(trees.sums(&inputs).into_iter().take(rows));
            let doubtful = sums[first..].iter().filter(|sum| self.model.is_in_doubt(**sum)).count();
            if doubtful >= MOST_LANES {
                for (sum, answer) in sums[first..].iter_mut().zip(network.answers(&inputs)) {
                    if self.model.is_in_doubt(*sum) {
                        *sum = self.model.settled(*sum, answer);
                    }
                }
                continue;
            }
            for lane in 0..rows {
                if self.model.is_in_doubt(sums[first + lane]) {
                    doubts.add(first + lane, &inputs, lane, self.model.network.of_rows());
                    if doubts.blocks.len() == LANES {
                        doubts.settle(self.model, network, sums);
                    }
                }
            }
        }
        if let Some((_, network)) = &knowing {
            doubts.settle(self.model, network, sums);
        }
        sums.iter_mut().for_each(|sum| *sum = 1.0 / (1.0 + (-*sum).exp()));
    }

    /// Emits the inputs that differ between blocks, by index.
    #[inline]
    fn row(&self, block: usize, mut put: impl FnMut(usize, f32)) {
        let mut at = 0;
        self.landscape.row(block, &mut |_, value| {
            if at < OWN_INPUTS {
                put(at, value);
            }
            at += 1;
        });
        let scores = self.tables.of_block(block);
        (TABLE_INPUTS..).zip(scores).for_each(|(input, score)| put(input, score));
    }

    /// Emits the inputs that all blocks of a page share, by index.
    fn page_inputs(&self, mut put: impl FnMut(usize, f32)) {
        (OWN_INPUTS..).zip(self.told).for_each(|(input, value)| put(input, value));
        (TYPE_INPUTS..).zip(self.types).for_each(|(input, value)| put(input, value));
    }
}

/// Rows for which the forest is uncertain, batched for the network.
struct Doubts {
    rows: Rows,
    blocks: Vec<usize>,
}

impl Doubts {
    fn add(&mut self, block: usize, rows: &Rows, lane: usize, inputs: &[u8]) {
        let place = self.blocks.len() % LANES;
        for input in inputs.iter().copied().map(usize::from) {
            self.rows[input][place] = rows[input][lane];
        }
        self.blocks.push(block);
    }

    fn settle(&mut self, model: &Model, network: &NarrowedNetwork<'_>, sums: &mut [f32]) {
        if self.blocks.is_empty() {
            return;
        }
        for (block, answer) in self.blocks.drain(..).zip(network.answers(&self.rows)) {
            sums[block] = model.settled(sums[block], answer);
        }
    }
}

/// Texts of blocks that only label an advertisement.
const AD_LABELS: [&str; 10] = [
    "advertisement",
    "advertisements",
    "advertising",
    "ad",
    "ads",
    "sponsored",
    "anzeige",
    "werbung",
    "publicidad",
    "publicité",
];

static AD_LABEL_HASHES: LazyLock<[u32; AD_LABELS.len()]> =
    LazyLock::new(|| AD_LABELS.map(WordHash::of));

/// Sets the probability of ad labels to zero: they are rarer in stored pages than in live ones, so
/// that the model has seen few of them.
pub(crate) fn strike_ad_labels(landscape: &Landscape<'_, '_>, likely: &mut [f32]) {
    for (block, likely) in landscape.outline.blocks.iter().zip(likely) {
        if let [word] = landscape.outline.block_hashes(block)
            && AD_LABEL_HASHES.contains(word)
        {
            *likely = 0.0;
        }
    }
}

/// The probabilities of the page types.
fn type_likely(model: &Model, page: &[f32], about: &About<'_>) -> [f32; TYPES] {
    let said = model.type_scores(&head_slots(about));
    let mut inputs = [0.0; INPUTS];
    for (input, value) in inputs.iter_mut().zip(page.iter().copied().chain(said)) {
        *input = value;
    }
    let mut sums = [0.0_f32; TYPES];
    model.type_trees.add(&inputs, &mut sums);
    let highest = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers = sums.map(|sum| (sum - highest).exp());
    let total: f32 = powers.iter().sum();
    powers.map(|power| power / total)
}

/// The scores of the three tables for each block.
struct TableScores<'t, 'o, 'a> {
    landscape: &'t Landscape<'o, 'a>,
    model: &'t Model,
    around: Vec<(i32, u32)>,
    /// For each block: the score of the headings before it.
    heading: Vec<f32>,
}

impl<'t, 'o, 'a> TableScores<'t, 'o, 'a> {
    fn of(landscape: &'t Landscape<'o, 'a>, model: &'t Model) -> Self {
        let around = around_sums(landscape.outline, model.structure.weights());
        Self { landscape, model, around, heading: heading_scores(landscape, model) }
    }

    fn of_block(&self, at: usize) -> [f32; TABLES] {
        let outline = self.landscape.outline;
        let block = &outline.blocks[at];
        let (sum, count) = self.around[block.container as usize];
        let mut close = self.model.structure.tally();
        close_slots(outline, block, &mut close);
        let mut text = self.model.wording.tally();
        text_slots(outline.block_hashes(block), &mut text);
        [
            self.model.structure.score(sum + close.sum, count + close.count),
            self.model.wording.score(text.sum, text.count),
            self.heading[at],
        ]
    }
}

/// Computes the score of each heading once, whatever the number of blocks below it.
fn heading_scores(landscape: &Landscape<'_, '_>, model: &Model) -> Vec<f32> {
    let outline = landscape.outline;
    let table = &model.heading;
    let (mut last, mut main) = ((None, table.tally()), (None, table.tally()));
    let tally = |heading: Option<u32>, read: fn(&[u32], &mut Tally<'_>)| {
        let mut tally = table.tally();
        if let Some(block) = heading.and_then(|at| outline.blocks.get(at as usize)) {
            read(outline.block_hashes(block), &mut tally);
        }
        (heading, tally)
    };
    let score = |at: usize| {
        let (last_heading, main_heading) = landscape.headings_of(at);
        if last.0 != last_heading {
            last = tally(last_heading, |hashes, tally| heading_slots(hashes, tally));
        }
        if main.0 != main_heading {
            main = tally(main_heading, |hashes, tally| main_heading_slots(hashes, tally));
        }
        table.score(last.1.sum + main.1.sum, last.1.count + main.1.count)
    };
    (0..outline.blocks.len()).map(score).collect()
}

/// The names of the features of a block in their order.
#[cfg(any(test, feature = "training"))]
pub(crate) fn row_names() -> Vec<&'static str> {
    let dom = html::dom::Dom::parse("<p>word");
    let about = About::read(&dom, "");
    let outline = super::segmentation::Outline::of(&dom);
    let landscape = Landscape::of(&outline, &about);
    let mut names = Vec::new();
    landscape.row(0, &mut |name, _| names.push(name));
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
    fn inputs_of_the_page_are_told_from_those_of_its_blocks() {
        assert_eq!(row_names().len(), OWN_INPUTS);
        let of_page: Vec<_> = input_names()
            .into_iter()
            .enumerate()
            .filter(|(at, _)| is_of_page(*at))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(of_page, [&PAGE_INPUTS[..], &TYPE_NAMES[..]].concat());
    }
}
