//! The trained model: three weight tables, two forests and a small network in one file.
//!
//! `training/content/run` writes the file. It is decoded once; a file with other inputs than this
//! program is rejected, and a test checks the stored one.

use std::sync::LazyLock;

use super::model_inputs::is_page_input;
use super::page_features::{TYPE_SLOTS, TYPES};
use super::word_hash::{SLOTS, SlotSink};

mod forest;
mod network;

pub(crate) use forest::{FeatureRows, Forest, LANES};
pub(crate) use network::{Network, SpecializedNetwork};

/// The first bytes of a model file.
const MAGIC: &[u8] = b"content model 2\n";

static STORED: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Option<Model>> = LazyLock::new(|| Model::decode(STORED));

/// A table of weights, one per slot.
#[derive(Debug)]
pub(crate) struct WeightTable {
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
}

/// All trained parameters.
#[derive(Debug)]
pub(crate) struct Model {
    /// Hash of the names of the inputs in their order.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test compares it"))]
    pub inputs: u64,
    pub structure: WeightTable,
    pub text: WeightTable,
    pub heading: WeightTable,
    type_words: Vec<i8>,
    type_scale: f32,
    type_bias: [f32; TYPES],
    pub type_trees: Forest,
    pub trees: Forest,
    pub network: Network,
    /// If the absolute sum of the forest is larger, the network is not evaluated.
    uncertainty: f32,
    /// Weight of the network relative to the forest.
    network_share: f32,
}

impl Model {
    /// The model that is built into the program.
    pub fn stored() -> Option<&'static Self> {
        MODEL.as_ref()
    }

    fn decode(bytes: &'static [u8]) -> Option<Self> {
        let mut bytes = ModelBytes(bytes.strip_prefix(MAGIC)?);
        let inputs = u64::from_le_bytes(bytes.array()?);
        let [structure, text, heading] = [
            WeightTable::decode(&mut bytes)?,
            WeightTable::decode(&mut bytes)?,
            WeightTable::decode(&mut bytes)?,
        ];
        let type_scale = bytes.float()?;
        let mut type_bias = [0.0; TYPES];
        for bias in &mut type_bias {
            *bias = bytes.float()?;
        }
        let type_words = bytes.signed(TYPE_SLOTS * TYPES)?;
        let type_trees = Forest::decode(&mut bytes, |_| false)?;
        let trees = Forest::decode(&mut bytes, is_page_input)?;
        let (uncertainty, network_share) = (bytes.float()?, bytes.float()?);
        let network = Network::decode(&mut bytes, is_page_input)?;
        Some(Self {
            inputs,
            structure,
            text,
            heading,
            type_words,
            type_scale,
            type_bias,
            type_trees,
            trees,
            network,
            uncertainty,
            network_share,
        })
    }

    /// Whether the network has to be evaluated for this sum of the forest.
    pub fn is_uncertain(&self, sum: f32) -> bool {
        sum.abs() <= self.uncertainty
    }

    /// Combines the sum of the forest with the output of the network.
    pub fn combined(&self, sum: f32, output: f32) -> f32 {
        sum + (output - sum) * self.network_share
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

impl WeightTable {
    fn decode(bytes: &mut ModelBytes) -> Option<Self> {
        let (scale, bias) = (bytes.float()?, bytes.float()?);
        Some(Self { weights: bytes.signed(SLOTS)?, scale, bias })
    }

    pub fn weights(&self) -> &[i8] {
        &self.weights
    }

    /// Starts a sum over this table.
    pub fn weight_sum(&self) -> WeightSum<'_> {
        WeightSum { weights: &self.weights, sum: 0, count: 0 }
    }

    /// The score of a sum of `count` weights.
    pub fn score(&self, sum: i32, count: u32) -> f32 {
        sum as f32 * self.scale / (count.max(1) as f32).sqrt() + self.bias
    }
}

/// A running sum over the weights of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightSum<'a> {
    weights: &'a [i8],
    pub sum: i32,
    pub count: u32,
}

impl SlotSink for WeightSum<'_> {
    #[inline]
    fn put(&mut self, slot: u16) {
        self.sum += self.weights.get(usize::from(slot)).map_or(0, |weight| i32::from(*weight));
        self.count += 1;
    }
}

/// The unread rest of a model file.
#[derive(Debug)]
struct ModelBytes(&'static [u8]);

impl ModelBytes {
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
    fn stored_model_matches_the_inputs_of_this_program() {
        let model = Model::stored().expect("a model");
        assert_eq!(
            model.inputs,
            super::super::model_inputs::inputs_hash(),
            "run training/content/run"
        );
    }

    #[test]
    fn truncated_model_file_is_rejected() {
        for length in [0, 10, MAGIC.len(), 1_000, STORED.len() / 2, STORED.len() - 1] {
            assert!(Model::decode(&STORED[..length]).is_none());
        }
    }
}
