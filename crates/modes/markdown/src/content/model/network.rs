//! A small neural network next to the forest: one hidden layer over the same inputs.
//!
//! Forest and network make different mistakes, so that both together are more accurate. The network
//! is evaluated only for rows for which the forest is uncertain, in batches of the vector width;
//! the page inputs are added once per page. For every vector width, the sums of a row are computed
//! in the same order with the same rounding, so that results do not depend on the machine.

use pulp::{Arch, Simd, WithSimd};

use super::Bytes;
use super::forest::{INPUTS, LANES, Rows};

/// Number of hidden units that are computed at a time: their sums for two vectors of rows fit the
/// registers.
const UNITS: usize = 6;

/// A group of hidden units.
#[derive(Debug)]
struct Units {
    /// Weights of each input.
    weights: Vec<[f32; UNITS]>,
    biases: [f32; UNITS],
    /// Weights of the output.
    outputs: [f32; UNITS],
}

/// A network with one hidden layer.
#[derive(Debug)]
pub(crate) struct Network {
    /// Inverse of the typical magnitude of each input.
    scales: Vec<f32>,
    hidden: Vec<Units>,
    bias: f32,
    /// Inputs that differ between the rows of a page.
    of_rows: Vec<u8>,
    /// Inputs that are equal for all rows of a page.
    of_page: Vec<u8>,
}

impl Network {
    /// Decodes a network; `is_of_page` tells the inputs that are equal for all rows of a page.
    pub(super) fn decode(bytes: &mut Bytes, is_of_page: fn(usize) -> bool) -> Option<Self> {
        let inputs = usize::from(bytes.short()?);
        let units = usize::from(bytes.short()?);
        if inputs > INPUTS || !units.is_multiple_of(UNITS) {
            return None;
        }
        let scales = (0..inputs).map(|_| bytes.float()).collect::<Option<_>>()?;
        let hidden = (0..units / UNITS).map(|_| Units::decode(bytes, inputs));
        let hidden = hidden.collect::<Option<_>>()?;
        let all = (0..=u8::MAX).take(inputs);
        let (of_page, of_rows) = all.partition(|input| is_of_page(usize::from(*input)));
        Some(Self { scales, hidden, bias: bytes.float()?, of_rows, of_page })
    }

    /// The inputs that differ between the rows of a page.
    pub fn of_rows(&self) -> &[u8] {
        &self.of_rows
    }

    /// Specializes the network for the page of `row`: adds the page inputs to the biases.
    pub fn narrowed(&self, row: &[f32; INPUTS]) -> Narrowed<'_> {
        let biases = self.hidden.iter().map(|units| {
            self.of_page.iter().fold(units.biases, |mut sums, input| {
                let input = usize::from(*input);
                let value = row[input] * self.scales[input];
                let small = value / (1.0 + value.abs());
                for (sum, weight) in sums.iter_mut().zip(units.weights[input]) {
                    *sum += weight * small;
                }
                sums
            })
        });
        Narrowed { network: self, biases: biases.collect() }
    }
}

impl Units {
    fn decode(bytes: &mut Bytes, inputs: usize) -> Option<Self> {
        let mut weights = vec![[0.0; UNITS]; inputs];
        let (mut biases, mut outputs) = ([0.0; UNITS], [0.0; UNITS]);
        for unit in 0..UNITS {
            for weights in &mut weights {
                weights[unit] = bytes.float()?;
            }
            biases[unit] = bytes.float()?;
            outputs[unit] = bytes.float()?;
        }
        Some(Self { weights, biases, outputs })
    }
}

/// A network with the page inputs already added.
#[derive(Debug)]
pub(crate) struct Narrowed<'n> {
    network: &'n Network,
    /// Biases of each group of hidden units.
    biases: Vec<[f32; UNITS]>,
}

impl Narrowed<'_> {
    /// The output of the network for each row.
    pub fn answers(&self, rows: &Rows) -> [f32; LANES] {
        Arch::new().dispatch(Asked { asked: self, rows })
    }
}

/// Evaluation of the network on a batch of rows with vector instructions.
struct Asked<'a> {
    asked: &'a Narrowed<'a>,
    rows: &'a Rows,
}

impl WithSimd for Asked<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; LANES] {
        if S::F32_LANES < LANES { self.answers::<S, 2>(simd) } else { self.answers::<S, 1>(simd) }
    }
}

impl Asked<'_> {
    /// Evaluates `AT_ONCE` vectors of rows at a time.
    #[inline(always)]
    fn answers<S: Simd, const AT_ONCE: usize>(self, simd: S) -> [f32; LANES] {
        let Narrowed { network, biases } = self.asked;
        let mut answers = [0.0; LANES];
        // No remainder: vector widths are 1, 2, 4, 8 or 16.
        let (lanes, _) = S::as_mut_simd_f32s(&mut answers);
        let mut small = [[simd.splat_f32s(0.0); AT_ONCE]; INPUTS];
        for (at, lanes) in lanes.chunks_exact_mut(AT_ONCE).enumerate() {
            for (small, input) in small.iter_mut().zip(&network.of_rows) {
                let input = usize::from(*input);
                let (row, _) = S::as_simd_f32s(&self.rows[input]);
                let scale = simd.splat_f32s(network.scales[input]);
                for (small, value) in small.iter_mut().zip(&row[at * AT_ONCE..]) {
                    *small = squashed(simd, simd.mul_f32s(*value, scale));
                }
            }
            let mut said = [simd.splat_f32s(network.bias); AT_ONCE];
            for (units, biases) in network.hidden.iter().zip(biases) {
                said = units.add(simd, *biases, (&network.of_rows, &small), said);
            }
            lanes.copy_from_slice(&said);
        }
        answers
    }
}

impl Units {
    /// Adds the contribution of these units to the outputs of the rows.
    #[inline(always)]
    fn add<S: Simd, const AT_ONCE: usize>(
        &self,
        simd: S,
        biases: [f32; UNITS],
        (inputs, rows): (&[u8], &[[S::f32s; AT_ONCE]; INPUTS]),
        mut answers: [S::f32s; AT_ONCE],
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
        for (sums, output) in sums.into_iter().zip(self.outputs) {
            let output = simd.splat_f32s(output);
            for (answer, sum) in answers.iter_mut().zip(sums) {
                *answer = simd.mul_add_f32s(simd.max_f32s(sum, none), output, *answer);
            }
        }
        answers
    }
}

/// Limits a value to -1..1, so that no input dominates by its magnitude.
#[inline(always)]
fn squashed<S: Simd>(simd: S, value: S::f32s) -> S::f32s {
    let size = simd.add_f32s(simd.splat_f32s(1.0), simd.abs_f32s(value));
    simd.div_f32s(value, size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::judgement::is_of_page;
    use super::super::Model;
    use super::*;

    /// Reference implementation for one row.
    fn plainly(network: &Network, row: &[f32; INPUTS]) -> f64 {
        let small = |input: usize| {
            let value = f64::from(row[input]) * f64::from(network.scales[input]);
            value / (1.0 + value.abs())
        };
        let mut answer = f64::from(network.bias);
        for units in &network.hidden {
            for unit in 0..UNITS {
                let weighed = |(input, weights): (usize, &[f32; UNITS])| {
                    f64::from(weights[unit]) * small(input)
                };
                let sum: f64 = units.weights.iter().enumerate().map(weighed).sum();
                let sum = sum + f64::from(units.biases[unit]);
                answer += sum.max(0.0) * f64::from(units.outputs[unit]);
            }
        }
        answer
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn rows_side_by_side_are_judged_as_each_alone(
            sizes in prop::collection::vec(-4.0_f32..4.0, INPUTS * LANES),
        ) {
            let network = &Model::stored().expect("a model").network;
            let mut rows: Rows = [[0.0; LANES]; INPUTS];
            for (input, scale) in network.scales.iter().enumerate() {
                let lanes = &sizes[input * LANES..(input + 1) * LANES];
                for (value, size) in rows[input].iter_mut().zip(lanes) {
                    // Page inputs are equal in all rows.
                    let size = if is_of_page(input) { lanes[0] } else { *size };
                    *value = size / scale.max(1e-6);
                }
            }
            let answers = network.narrowed(&rows.map(|lanes| lanes[0])).answers(&rows);
            for (lane, answer) in answers.into_iter().enumerate() {
                let expected = plainly(network, &rows.map(|lanes| lanes[lane]));
                prop_assert!((f64::from(answer) - expected).abs() < 1e-3, "{answer} {expected}");
            }
        }
    }
}
