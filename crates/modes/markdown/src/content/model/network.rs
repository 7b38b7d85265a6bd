//! A small neural network next to the forest: one hidden layer over the same inputs.
//!
//! Forest and network make different mistakes, so that both together are more accurate. The network
//! is evaluated only for rows for which the forest is uncertain, in batches of the vector width;
//! the page inputs are added once per page. For every vector width, the sums of a row are computed
//! in the same order with the same rounding, so that results do not depend on the machine.

use pulp::{Arch, Simd, WithSimd};

use super::ModelBytes;
use super::forest::{FeatureRows, LANES};
use crate::content::model_inputs::INPUTS;

/// Number of hidden units that are computed at a time: their sums for two vectors of rows fit the
/// registers.
const UNITS: usize = 6;

/// A group of hidden units.
#[derive(Debug)]
struct HiddenUnits {
    /// Weights of each input.
    weights: Vec<[f32; UNITS]>,
    biases: [f32; UNITS],
    output_weights: [f32; UNITS],
}

/// A network with one hidden layer.
#[derive(Debug)]
pub(crate) struct Network {
    /// Inverse of the typical magnitude of each input.
    scales: Vec<f32>,
    hidden: Vec<HiddenUnits>,
    bias: f32,
    /// Inputs that differ between the rows of a page.
    row_inputs: Vec<u8>,
    /// Inputs that are equal for all rows of a page.
    page_inputs: Vec<u8>,
}

impl Network {
    /// Decodes a network; `is_page_input` returns true for inputs that are equal for all rows of a page.
    pub(super) fn decode(bytes: &mut ModelBytes, is_page_input: fn(usize) -> bool) -> Option<Self> {
        let inputs = usize::from(bytes.short()?);
        let units = usize::from(bytes.short()?);
        if inputs > INPUTS || !units.is_multiple_of(UNITS) {
            return None;
        }
        let scales = (0..inputs).map(|_| bytes.float()).collect::<Option<_>>()?;
        let hidden = (0..units / UNITS).map(|_| HiddenUnits::decode(bytes, inputs));
        let hidden = hidden.collect::<Option<_>>()?;
        let all = (0..=u8::MAX).take(inputs);
        let (page_inputs, row_inputs) = all.partition(|input| is_page_input(usize::from(*input)));
        Some(Self { scales, hidden, bias: bytes.float()?, row_inputs, page_inputs })
    }

    /// The inputs that differ between the rows of a page.
    pub fn row_inputs(&self) -> &[u8] {
        &self.row_inputs
    }

    /// Specializes the network for the page of `row`: adds the page inputs to the biases.
    pub fn specialize(&self, row: &[f32; INPUTS]) -> SpecializedNetwork<'_> {
        let biases = self.hidden.iter().map(|units| {
            self.page_inputs.iter().fold(units.biases, |mut sums, input| {
                let input = usize::from(*input);
                let value = row[input] * self.scales[input];
                let small = value / (1.0 + value.abs());
                for (sum, weight) in sums.iter_mut().zip(units.weights[input]) {
                    *sum += weight * small;
                }
                sums
            })
        });
        SpecializedNetwork { network: self, biases: biases.collect() }
    }
}

impl HiddenUnits {
    fn decode(bytes: &mut ModelBytes, inputs: usize) -> Option<Self> {
        let mut weights = vec![[0.0; UNITS]; inputs];
        let (mut biases, mut output_weights) = ([0.0; UNITS], [0.0; UNITS]);
        for unit in 0..UNITS {
            for weights in &mut weights {
                weights[unit] = bytes.float()?;
            }
            biases[unit] = bytes.float()?;
            output_weights[unit] = bytes.float()?;
        }
        Some(Self { weights, biases, output_weights })
    }
}

/// A network with the page inputs already added.
#[derive(Debug)]
pub(crate) struct SpecializedNetwork<'n> {
    network: &'n Network,
    /// Biases of each group of hidden units.
    biases: Vec<[f32; UNITS]>,
}

impl SpecializedNetwork<'_> {
    pub fn outputs(&self, rows: &FeatureRows) -> [f32; LANES] {
        Arch::new().dispatch(EvaluateNetwork { specialized: self, rows })
    }
}

/// Evaluation of the network on a batch of rows with vector instructions.
struct EvaluateNetwork<'a> {
    specialized: &'a SpecializedNetwork<'a>,
    rows: &'a FeatureRows,
}

impl WithSimd for EvaluateNetwork<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; LANES] {
        if S::F32_LANES < LANES { self.outputs::<S, 2>(simd) } else { self.outputs::<S, 1>(simd) }
    }
}

impl EvaluateNetwork<'_> {
    /// Evaluates `AT_ONCE` vectors of rows at a time.
    #[inline(always)]
    fn outputs<S: Simd, const AT_ONCE: usize>(self, simd: S) -> [f32; LANES] {
        let SpecializedNetwork { network, biases } = self.specialized;
        let mut outputs = [0.0; LANES];
        // No remainder: vector widths are 1, 2, 4, 8 or 16.
        let (lanes, _) = S::as_mut_simd_f32s(&mut outputs);
        let mut small = [[simd.splat_f32s(0.0); AT_ONCE]; INPUTS];
        for (at, lanes) in lanes.chunks_exact_mut(AT_ONCE).enumerate() {
            for (small, input) in small.iter_mut().zip(&network.row_inputs) {
                let input = usize::from(*input);
                let (row, _) = S::as_simd_f32s(&self.rows[input]);
                let scale = simd.splat_f32s(network.scales[input]);
                for (small, value) in small.iter_mut().zip(&row[at * AT_ONCE..]) {
                    *small = softsign(simd, simd.mul_f32s(*value, scale));
                }
            }
            let mut results = [simd.splat_f32s(network.bias); AT_ONCE];
            for (units, biases) in network.hidden.iter().zip(biases) {
                results = units.add(simd, *biases, (&network.row_inputs, &small), results);
            }
            lanes.copy_from_slice(&results);
        }
        outputs
    }
}

impl HiddenUnits {
    /// Adds the contribution of these units to the outputs of the rows.
    #[inline(always)]
    fn add<S: Simd, const AT_ONCE: usize>(
        &self,
        simd: S,
        biases: [f32; UNITS],
        (inputs, rows): (&[u8], &[[S::f32s; AT_ONCE]; INPUTS]),
        mut outputs: [S::f32s; AT_ONCE],
    ) -> [S::f32s; AT_ONCE] {
        let mut sums = biases.map(|bias| [simd.splat_f32s(bias); AT_ONCE]);
        for (input, row) in inputs.iter().zip(rows) {
            for (sums, weight) in sums.iter_mut().zip(self.weights[usize::from(*input)]) {
                let weight = simd.splat_f32s(weight);
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum = simd.mul_add_f32s(weight, *value, *sum);
                }
            }
        }
        let none = simd.splat_f32s(0.0);
        for (sums, output) in sums.into_iter().zip(self.output_weights) {
            let output = simd.splat_f32s(output);
            for (result, sum) in outputs.iter_mut().zip(sums) {
                *result = simd.mul_add_f32s(simd.max_f32s(sum, none), output, *result);
            }
        }
        outputs
    }
}

/// Softsign: limits a value to -1..1, so that no input dominates by its magnitude.
#[inline(always)]
fn softsign<S: Simd>(simd: S, value: S::f32s) -> S::f32s {
    let size = simd.add_f32s(simd.splat_f32s(1.0), simd.abs_f32s(value));
    simd.div_f32s(value, size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::model_inputs::is_page_input;
    use super::super::Model;
    use super::*;

    /// Reference implementation for one row.
    fn reference(network: &Network, row: &[f32; INPUTS]) -> f64 {
        let small = |input: usize| {
            let value = f64::from(row[input]) * f64::from(network.scales[input]);
            value / (1.0 + value.abs())
        };
        let mut result = f64::from(network.bias);
        for units in &network.hidden {
            for unit in 0..UNITS {
                let weighed = |(input, weights): (usize, &[f32; UNITS])| {
                    f64::from(weights[unit]) * small(input)
                };
                let sum: f64 = units.weights.iter().enumerate().map(weighed).sum();
                let sum = sum + f64::from(units.biases[unit]);
                result += sum.max(0.0) * f64::from(units.output_weights[unit]);
            }
        }
        result
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn batched_rows_equal_single_rows(
            sizes in prop::collection::vec(-4.0_f32..4.0, INPUTS * LANES),
        ) {
            let network = &Model::stored().expect("a model").network;
            let mut rows: FeatureRows = [[0.0; LANES]; INPUTS];
            for (input, scale) in network.scales.iter().enumerate() {
                let lanes = &sizes[input * LANES..(input + 1) * LANES];
                for (value, size) in rows[input].iter_mut().zip(lanes) {
                    // Page inputs are equal in all rows.
                    let size = if is_page_input(input) { lanes[0] } else { *size };
                    *value = size / scale.max(1e-6);
                }
            }
            let outputs = network.specialize(&rows.map(|lanes| lanes[0])).outputs(&rows);
            for (lane, result) in outputs.into_iter().enumerate() {
                let expected = reference(network, &rows.map(|lanes| lanes[lane]));
                prop_assert!((f64::from(result) - expected).abs() < 1e-3, "{result} {expected}");
            }
        }
    }
}
