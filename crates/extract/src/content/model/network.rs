//! A small network that judges beside the trees: one hidden layer over the same inputs.
//!
//! Trees answer in steps and a network does not, so that their mistakes differ and the two
//! together are right more often than either. It is asked only where the trees leave a doubt.

use super::Bytes;
use super::forest::{INPUTS, LANES, Rows};

/// How many hidden units are worked on at a time: as many sums as stay in registers.
const UNITS: usize = 2;

/// One of the inputs and what it means to all hidden units.
#[derive(Debug)]
struct Input {
    /// One by the size that the input commonly has.
    scale: f32,
    weights: Vec<f32>,
}

/// A hidden layer and what each of its units adds to the answer.
#[derive(Debug)]
pub(crate) struct Network {
    inputs: Vec<Input>,
    biases: Vec<f32>,
    outputs: Vec<f32>,
    bias: f32,
}

impl Network {
    pub(super) fn decode(bytes: &mut Bytes) -> Option<Self> {
        let inputs = usize::from(bytes.short()?);
        let units = usize::from(bytes.short()?);
        if inputs > INPUTS || !units.is_multiple_of(UNITS) {
            return None;
        }
        let inputs = (0..inputs)
            .map(|_| Some(Input { scale: bytes.float()?, weights: bytes.floats(units)? }))
            .collect::<Option<_>>()?;
        let (biases, outputs) = (bytes.floats(units)?, bytes.floats(units)?);
        Some(Self { inputs, biases, outputs, bias: bytes.float()? })
    }

    /// What the network says of each row.
    pub fn answers(&self, rows: &Rows) -> [f32; LANES] {
        let mut small: Rows = [[0.0; LANES]; INPUTS];
        for ((small, row), input) in small.iter_mut().zip(rows).zip(&self.inputs) {
            for (small, value) in small.iter_mut().zip(row) {
                *small = squashed(*value * input.scale);
            }
        }
        let mut answers = [self.bias; LANES];
        for at in (0..self.biases.len()).step_by(UNITS) {
            let mut sums = [[0.0; LANES]; UNITS];
            for (input, row) in self.inputs.iter().zip(&small) {
                let weights = input.weights.get(at..at + UNITS).unwrap_or_default();
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    for (sum, value) in sum.iter_mut().zip(row) {
                        *sum += weight * value;
                    }
                }
            }
            let units = self.biases.iter().zip(&self.outputs).skip(at);
            for (sum, (bias, output)) in sums.iter().zip(units) {
                for (answer, sum) in answers.iter_mut().zip(sum) {
                    *answer += (sum + bias).max(0.0) * output;
                }
            }
        }
        answers
    }
}

/// Between minus one and one, so that no input outweighs all others by its size.
#[inline]
fn squashed(value: f32) -> f32 {
    value / (1.0 + value.abs())
}
