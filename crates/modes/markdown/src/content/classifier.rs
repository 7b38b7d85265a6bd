//! The block classifier: the probability that each block is content.

use std::sync::LazyLock;

use text::vocabulary;

use super::features::FeatureContext;
use super::hashed_features::{
    around_sums, close_slots, heading_slots, main_heading_slots, text_slots,
};
use super::head_features::HeadFeatures;
use super::model::{FeatureRows, LANES, Model, SpecializedNetwork, WeightSum};
use super::model_inputs::{INPUTS, OWN_INPUTS, PAGE_INPUTS, TABLE_INPUTS, TABLES, TYPE_INPUTS};
use super::page_features::{TYPES, head_slots, page_row};
use super::word_hash::WordHash;

/// The probabilities of all blocks in their order.
pub(crate) fn block_probabilities(
    context: &FeatureContext<'_, '_>,
    head: &HeadFeatures<'_>,
    model: &Model,
) -> Vec<f32> {
    let mut page = Vec::with_capacity(64);
    let mut page_values = [0.0; PAGE_INPUTS.len()];
    let mut next = 0;
    page_row(context, head, &mut |name, value| {
        page.push(value);
        // The page emits them in the order of `PAGE_INPUTS`.
        if PAGE_INPUTS.get(next) == Some(&name) {
            page_values[next] = value;
            next += 1;
        }
    });
    debug_assert_eq!(next, PAGE_INPUTS.len(), "an input of the page that it does not have");
    let types = type_probabilities(model, &page, head);
    let tables = TableScores::of(context, model);
    let mut probabilities = Vec::with_capacity(context.segmentation.blocks.len());
    BlockClassifier { context, model, tables, page_values, types }.all(&mut probabilities);
    probabilities
}

/// If at least this many rows are uncertain, evaluate the network on the whole batch instead of
/// compacting it first.
const DENSE_ROWS: usize = 12;

/// The inputs of the classifier that all blocks of a page share.
struct BlockClassifier<'t, 'o, 'a> {
    context: &'t FeatureContext<'o, 'a>,
    model: &'t Model,
    tables: TableScores<'t, 'o, 'a>,
    page_values: [f32; PAGE_INPUTS.len()],
    types: [f32; TYPES],
}

impl BlockClassifier<'_, '_, '_> {
    fn all(&self, sums: &mut Vec<f32>) {
        let count = self.context.segmentation.blocks.len();
        let mut inputs: FeatureRows = [[0.0; LANES]; INPUTS];
        // The page inputs of one row serve for all rows.
        self.page_inputs(|input, value| inputs[input][0] = value);
        let mut uncertain =
            UncertainRows { rows: [[0.0; LANES]; INPUTS], blocks: Vec::with_capacity(LANES) };
        let mut specialized = None;
        while sums.len() < count {
            let first = sums.len();
            let rows = LANES.min(count - first);
            for (lane, block) in (first..first + rows).enumerate() {
                self.row(block, |input, value| inputs[input][lane % LANES] = value);
            }
            let (trees, network) = specialized.get_or_insert_with(|| {
                let row = inputs.map(|lanes| lanes[0]);
                (self.model.trees.specialize(&row), self.model.network.specialize(&row))
            });
            sums.extend(trees.sums(&inputs).into_iter().take(rows));
            let uncertain_count =
                sums[first..].iter().filter(|sum| self.model.is_uncertain(**sum)).count();
            if uncertain_count >= DENSE_ROWS {
                for (sum, output) in sums[first..].iter_mut().zip(network.outputs(&inputs)) {
                    if self.model.is_uncertain(*sum) {
                        *sum = self.model.combined(*sum, output);
                    }
                }
                continue;
            }
            for lane in 0..rows {
                if self.model.is_uncertain(sums[first + lane]) {
                    uncertain.add(first + lane, &inputs, lane, self.model.network.row_inputs());
                    if uncertain.blocks.len() == LANES {
                        uncertain.flush(self.model, network, sums);
                    }
                }
            }
        }
        if let Some((_, network)) = &specialized {
            uncertain.flush(self.model, network, sums);
        }
        sums.iter_mut().for_each(|sum| *sum = 1.0 / (1.0 + (-*sum).exp()));
    }

    /// Emits the inputs that differ between blocks, by index.
    #[inline]
    fn row(&self, block: usize, mut put: impl FnMut(usize, f32)) {
        let mut at = 0;
        self.context.row(block, &mut |_, value| {
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
        (OWN_INPUTS..).zip(self.page_values).for_each(|(input, value)| put(input, value));
        (TYPE_INPUTS..).zip(self.types).for_each(|(input, value)| put(input, value));
    }
}

/// Rows for which the forest is uncertain, batched for the network.
struct UncertainRows {
    rows: FeatureRows,
    blocks: Vec<usize>,
}

impl UncertainRows {
    fn add(&mut self, block: usize, rows: &FeatureRows, lane: usize, inputs: &[u8]) {
        let free_lane = self.blocks.len() % LANES;
        for input in inputs.iter().copied().map(usize::from) {
            self.rows[input][free_lane] = rows[input][lane];
        }
        self.blocks.push(block);
    }

    fn flush(&mut self, model: &Model, network: &SpecializedNetwork<'_>, sums: &mut [f32]) {
        if self.blocks.is_empty() {
            return;
        }
        for (block, output) in self.blocks.drain(..).zip(network.outputs(&self.rows)) {
            sums[block] = model.combined(sums[block], output);
        }
    }
}

/// Hashes of the words that only label an advertisement.
static AD_LABELS: LazyLock<Vec<u32>> =
    LazyLock::new(|| vocabulary::words(term_file!("ad_labels.txt")).map(WordHash::of).collect());

/// Sets the probability of ad labels to zero: they are rarer in stored pages than in live ones, so
/// that the model has seen few of them.
pub(crate) fn suppress_ad_labels(context: &FeatureContext<'_, '_>, probabilities: &mut [f32]) {
    for (block, probability) in context.segmentation.blocks.iter().zip(probabilities) {
        if let [word] = context.segmentation.block_hashes(block)
            && AD_LABELS.contains(word)
        {
            *probability = 0.0;
        }
    }
}

fn type_probabilities(model: &Model, page: &[f32], head: &HeadFeatures<'_>) -> [f32; TYPES] {
    let word_scores = model.type_scores(&head_slots(head));
    let mut inputs = [0.0; INPUTS];
    for (input, value) in inputs.iter_mut().zip(page.iter().copied().chain(word_scores)) {
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
    context: &'t FeatureContext<'o, 'a>,
    model: &'t Model,
    around: Vec<(i32, u32)>,
    /// For each block: the score of the headings before it.
    heading: Vec<f32>,
}

impl<'t, 'o, 'a> TableScores<'t, 'o, 'a> {
    fn of(context: &'t FeatureContext<'o, 'a>, model: &'t Model) -> Self {
        let around = around_sums(context.segmentation, model.structure.weights());
        Self { context, model, around, heading: heading_scores(context, model) }
    }

    fn of_block(&self, at: usize) -> [f32; TABLES] {
        let segmentation = self.context.segmentation;
        let block = &segmentation.blocks[at];
        let (sum, count) = self.around[block.container as usize];
        let mut close = self.model.structure.weight_sum();
        close_slots(segmentation, block, &mut close);
        let mut text = self.model.text.weight_sum();
        text_slots(segmentation.block_hashes(block), &mut text);
        [
            self.model.structure.score(sum + close.sum, count + close.count),
            self.model.text.score(text.sum, text.count),
            self.heading[at],
        ]
    }
}

/// Computes the score of each heading once, whatever the number of blocks below it.
fn heading_scores(context: &FeatureContext<'_, '_>, model: &Model) -> Vec<f32> {
    let segmentation = context.segmentation;
    let table = &model.heading;
    let (mut last, mut main) = ((None, table.weight_sum()), (None, table.weight_sum()));
    let weight_sum = |heading: Option<u32>, read: fn(&[u32], &mut WeightSum<'_>)| {
        let mut weight_sum = table.weight_sum();
        if let Some(block) = heading.and_then(|at| segmentation.blocks.get(at as usize)) {
            read(segmentation.block_hashes(block), &mut weight_sum);
        }
        (heading, weight_sum)
    };
    let score = |at: usize| {
        let (last_heading, main_heading) = context.headings_of(at);
        if last.0 != last_heading {
            last = weight_sum(last_heading, |hashes, weight_sum| heading_slots(hashes, weight_sum));
        }
        if main.0 != main_heading {
            main = weight_sum(main_heading, |hashes, weight_sum| {
                main_heading_slots(hashes, weight_sum)
            });
        }
        table.score(last.1.sum + main.1.sum, last.1.count + main.1.count)
    };
    (0..segmentation.blocks.len()).map(score).collect()
}
