//! A small network that judges beside the trees: one hidden layer over the same inputs.
//!
//! Trees answer in steps and a network does not, so that their mistakes differ and the two
//! together are right more often than either. It is asked only where the trees leave a doubt,
//! and of as many rows at a time as the machine has lanes. Whatever their number, each row's
//! sums are added up in the same order: a text does not depend on the machine that read it.

use pulp::{Arch, Simd, WithSimd};

use super::Bytes;
use super::forest::{INPUTS, LANES, Rows};

/// How many hidden units are worked on at a time: as many as have their sums in registers.
const UNITS: usize = 8;

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

    /// How many inputs it looks at.
    pub fn inputs(&self) -> usize {
        self.scales.len()
    }

    /// What the network says of each row.
    pub fn answers(&self, rows: &Rows) -> [f32; LANES] {
        Arch::new().dispatch(Asked { network: self, rows })
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

/// The question to a network: what of these rows?
struct Asked<'a> {
    network: &'a Network,
    rows: &'a Rows,
}

impl WithSimd for Asked<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; LANES] {
        let mut answers = [0.0; LANES];
        let (places, _) = S::as_mut_simd_f32s(&mut answers);
        // No lanes are left over: every machine has one, two, four, eight or sixteen.
        let mut small = [simd.splat_f32s(0.0); INPUTS];
        for (at, place) in places.iter_mut().enumerate() {
            for ((small, row), scale) in small.iter_mut().zip(self.rows).zip(&self.network.scales) {
                let (lanes, _) = S::as_simd_f32s(row);
                *small = squashed(simd, simd.mul_f32s(lanes[at], simd.splat_f32s(*scale)));
            }
            let mut answer = simd.splat_f32s(self.network.bias);
            for units in &self.network.hidden {
                answer = units.add(simd, &small, answer);
            }
            *place = answer;
        }
        answers
    }
}

impl Units {
    /// Adds to the answers what these units say of the rows.
    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, rows: &[S::f32s; INPUTS], answer: S::f32s) -> S::f32s {
        let mut sums = self.biases.map(|bias| simd.splat_f32s(bias));
        for (weights, row) in self.weights.iter().zip(rows) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = simd.add_f32s(*sum, simd.mul_f32s(simd.splat_f32s(*weight), *row));
            }
        }
        let none = simd.splat_f32s(0.0);
        let outputs = sums.into_iter().zip(self.outputs);
        outputs.fold(answer, |answer, (sum, output)| {
            let said = simd.mul_f32s(simd.max_f32s(sum, none), simd.splat_f32s(output));
            simd.add_f32s(answer, said)
        })
    }
}

/// Between minus one and one, so that no input outweighs all others by its size.
#[inline(always)]
fn squashed<S: Simd>(simd: S, value: S::f32s) -> S::f32s {
    let size = simd.add_f32s(simd.splat_f32s(1.0), simd.abs_f32s(value));
    simd.div_f32s(value, size)
}
