//! The trained model: three weight tables, two forests and a small network in one file.
//!
//! `training/content/run` writes the file. It is decoded once; a file with other inputs than this
//! program is rejected, and a test checks the stored one.

use std::sync::LazyLock;

use super::judgement::is_of_page;
use super::page_shape::{TYPE_SLOTS, TYPES};
use super::tokens::{SLOTS, Slots};

mod forest;
mod network;

pub(crate) use forest::{Forest, INPUTS, LANES, Rows};
pub(crate) use network::{Narrowed as NarrowedNetwork, Network};

/// The first bytes of a model file.
const MAGIC: &[u8] = b"content model 2\n";

static STORED: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Option<Model>> = LazyLock::new(|| Model::decode(STORED));

/// A table of weights, one per slot.
#[derive(Debug)]
pub(crate) struct Table {
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
}

/// All trained parameters.
#[derive(Debug)]
pub(crate) struct Model {
    /// Hash of the names of the inputs in their order.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against this program"))]
    pub inputs: u64,
    pub structure: Table,
    pub wording: Table,
    pub heading: Table,
    type_words: Vec<i8>,
    type_scale: f32,
    type_bias: [f32; TYPES],
    pub type_trees: Forest,
    pub trees: Forest,
    pub network: Network,
    /// If the absolute sum of the forest is larger, the network is not evaluated.
    doubt: f32,
    /// Weight of the network relative to the forest.
    network_share: f32,
}

impl Model {
    /// The model that is built into the program.
    pub fn stored() -> Option<&'static Self> {
        MODEL.as_ref()
    }

    fn decode(bytes: &'static [u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes.strip_prefix(MAGIC)?);
        let inputs = u64::from_le_bytes(bytes.array()?);
        let [structure, wording, heading] =
            [Table::decode(&mut bytes)?, Table::decode(&mut bytes)?, Table::decode(&mut bytes)?];
        let type_scale = bytes.float()?;
        let mut type_bias = [0.0; TYPES];
        for bias in &mut type_bias {
            *bias = bytes.float()?;
        }
        let type_words = bytes.signed(TYPE_SLOTS * TYPES)?;
        let type_trees = Forest::decode(&mut bytes, |_| false)?;
        let trees = Forest::decode(&mut bytes, is_of_page)?;
        let (doubt, network_share) = (bytes.float()?, bytes.float()?);
        let network = Network::decode(&mut bytes, is_of_page)?;
        Some(Self {
            inputs,
            structure,
            wording,
            heading,
            type_words,
            type_scale,
            type_bias,
            type_trees,
            trees,
            network,
            doubt,
            network_share,
        })
    }

    /// Whether the network has to be evaluated for this sum of the forest.
    pub fn is_in_doubt(&self, sum: f32) -> bool {
        sum.abs() <= self.doubt
    }

    /// Combines the sum of the forest with the output of the network.
    pub fn settled(&self, sum: f32, answer: f32) -> f32 {
        sum + (answer - sum) * self.network_share
    }

    /// Scores of the page types by the words of title, URL and description.
    pub fn type_scores(&self, slots: &[u16]) -> [f32; TYPES] {
        let mut sums = [0_i32; TYPES];
        for slot in slots {
            let from = usize::from(*slot) * TYPES;
            let weights = self.type_words.get(from..from + TYPES).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += i32::from(*weight);
            }
        }
        let root = (slots.len().max(1) as f32).sqrt();
        let mut scores = self.type_bias;
        for (score, sum) in scores.iter_mut().zip(sums) {
            *score += sum as f32 * self.type_scale / root;
        }
        scores
    }
}

impl Table {
    fn decode(bytes: &mut Bytes) -> Option<Self> {
        let (scale, bias) = (bytes.float()?, bytes.float()?);
        Some(Self { weights: bytes.signed(SLOTS)?, scale, bias })
    }

    pub fn weights(&self) -> &[i8] {
        &self.weights
    }

    /// Starts a sum over this table.
    pub fn tally(&self) -> Tally<'_> {
        Tally { weights: &self.weights, sum: 0, count: 0 }
    }

    /// The score of a sum of `count` weights.
    pub fn score(&self, sum: i32, count: u32) -> f32 {
        sum as f32 * self.scale / (count.max(1) as f32).sqrt() + self.bias
    }
}

/// A running sum over the weights of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tally<'a> {
    weights: &'a [i8],
    pub sum: i32,
    pub count: u32,
}

impl Slots for Tally<'_> {
    #[inline]
    fn put(&mut self, slot: u16) {
        self.sum += self.weights.get(usize::from(slot)).map_or(0, |weight| i32::from(*weight));
        self.count += 1;
    }
}

/// The unread rest of a model file.
#[derive(Debug)]
struct Bytes(&'static [u8]);

impl Bytes {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn short(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn float(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes).filter(|value| value.is_finite())
    }

    fn signed(&mut self, count: usize) -> Option<Vec<i8>> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes.iter().map(|byte| i8::from_le_bytes([*byte])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_model_is_whole_and_made_for_these_inputs() {
        let model = Model::stored().expect("a model");
        assert_eq!(
            model.inputs,
            super::super::judgement::inputs_hash(),
            "run training/content/run"
        );
    }

    #[test]
    fn a_file_that_was_cut_is_no_model() {
        for length in [0, 10, MAGIC.len(), 1_000, STORED.len() / 2, STORED.len() - 1] {
            assert!(Model::decode(&STORED[..length]).is_none());
        }
    }
}
