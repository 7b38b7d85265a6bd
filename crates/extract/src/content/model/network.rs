//! A small network that judges beside the trees: one hidden layer over the same inputs.
//!
//! Trees answer in steps and a network does not, so that their mistakes differ and the two
//! together are right more often than either. It is asked only where the trees leave a doubt.

use super::Bytes;
use super::forest::{INPUTS, LANES, Rows};

/// How many hidden units are worked on at a time: as many as have their sums in registers.
const UNITS: usize = 2;

/// Some units of the hidden layer.
#[derive(Debug)]
struct Units {
    /// What each input means to them.
    weights: Vec<[f32; UNITS]>,
    biases: [f32; UNITS],
    /// What they add to the answer.
    outputs: [f32; UNITS],
}

/// A hidden layer and what comes before and behind it.
#[derive(Debug)]
pub(crate) struct Network {
    /// One by the size that each input commonly has.
    scales: Vec<f32>,
    hidden: Vec<Units>,
    bias: f32,
}

impl Network {
    pub(super) fn decode(bytes: &mut Bytes) -> Option<Self> {
        let inputs = usize::from(bytes.short()?);
        let units = usize::from(bytes.short()?);
        if inputs > INPUTS || !units.is_multiple_of(UNITS) {
            return None;
        }
        let scales = (0..inputs).map(|_| bytes.float()).collect::<Option<_>>()?;
        let hidden = (0..units / UNITS).map(|_| Units::decode(bytes, inputs));
        let hidden = hidden.collect::<Option<_>>()?;
        Some(Self { scales, hidden, bias: bytes.float()? })
    }

    /// What the network says of each row.
    pub fn answers(&self, rows: &Rows) -> [f32; LANES] {
        let mut small: Rows = [[0.0; LANES]; INPUTS];
        for ((small, row), scale) in small.iter_mut().zip(rows).zip(&self.scales) {
            for (small, value) in small.iter_mut().zip(row) {
                *small = squashed(*value * scale);
            }
        }
        let mut answers = [self.bias; LANES];
        for units in &self.hidden {
            units.add(&small, &mut answers);
        }
        answers
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

    #[inline]
    fn add(&self, rows: &Rows, answers: &mut [f32; LANES]) {
        let mut sums = self.biases.map(|bias| [bias; LANES]);
        for (weights, row) in self.weights.iter().zip(rows) {
            for unit in 0..UNITS {
                for lane in 0..LANES {
                    sums[unit][lane] += weights[unit] * row[lane];
                }
            }
        }
        for (sums, output) in sums.iter().zip(self.outputs) {
            for (answer, sum) in answers.iter_mut().zip(sums) {
                *answer += sum.max(0.0) * output;
            }
        }
    }
}

/// Between minus one and one, so that no input outweighs all others by its size.
#[inline]
fn squashed(value: f32) -> f32 {
    value / (1.0 + value.abs())
}
