//! A gradient boosted forest, evaluated with bit sets (QuickScorer).
//!
//! Trees are not traversed. The leaves of a tree are bits of a word from left to right; each split
//! whose input is above its threshold clears the leaves on its other side, and the lowest remaining
//! bit is the leaf that a traversal would reach. Splits can be evaluated in any order and for
//! sixteen rows at once without branches; those on page inputs are evaluated once per page.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::ModelBytes;
use crate::content::model_inputs::INPUTS;

/// Number of rows in a batch.
pub(crate) const LANES: usize = 16;

/// Maximum number of leaves of a tree.
const LEAVES: usize = 32;

/// A batch of rows, stored by input.
pub(crate) type FeatureRows = [[f32; LANES]; INPUTS];

/// A comparison of an input with a threshold.
#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    /// The leaves that remain reachable if the input is above the threshold.
    above: u32,
    input: u8,
}

#[derive(Debug)]
struct Tree {
    /// Splits on page inputs come first.
    splits: Vec<Split>,
    /// Number of splits on page inputs.
    page_splits: usize,
    /// The value of each leaf.
    values: [f32; LEAVES],
}

/// A set of trees whose values are added.
#[derive(Debug)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
}

impl Forest {
    /// Decodes trees; `is_page_input` returns true for inputs that are equal for all rows of a page.
    pub(super) fn decode(bytes: &mut ModelBytes, is_page_input: fn(usize) -> bool) -> Option<Self> {
        let count = bytes.short()?;
        let scale = bytes.float()?;
        let tree = |_| Tree::decode(bytes, scale, is_page_input);
        Some(Self { trees: (0..count).map(tree).collect::<Option<_>>()? })
    }

    /// Adds the values for one row. Trees alternate between the entries of `sums`, one per class.
    pub fn add(&self, row: &[f32; INPUTS], sums: &mut [f32]) {
        let classes = sums.len();
        for (tree, class) in self.trees.iter().zip((0..classes).cycle()) {
            let left = tree.splits.iter().fold(u32::MAX, |left, split| {
                left & split.reachable_leaves(row[usize::from(split.input)])
            });
            sums[class] += tree.values[left.trailing_zeros() as usize % LEAVES];
        }
    }

    /// Specializes the trees for the page of `row`: evaluates the splits on page inputs and removes
    /// those that cannot change the result.
    pub fn specialize(&self, row: &[f32; INPUTS]) -> SpecializedForest<'_> {
        let all = self.trees.iter().map(|tree| tree.splits.len() - tree.page_splits).sum();
        let mut splits = vec![Split { threshold: 0.0, above: 0, input: 0 }; all];
        let mut trees = Vec::with_capacity(self.trees.len());
        let mut to = 0;
        for Tree { splits: own, page_splits, values } in &self.trees {
            let (page_splits, own) = own.split_at(*page_splits);
            let left = page_splits.iter().fold(u32::MAX, |left, split| {
                left & split.reachable_leaves(row[usize::from(split.input)])
            });
            let from = to;
            for split in own {
                // Branch-free: always written, and kept by advancing only if it clears a leaf.
                splits[to] = *split;
                to += usize::from(!split.above & left != 0);
            }
            trees.push((from..to, left, values));
        }
        SpecializedForest { splits, trees }
    }
}

/// Trees with the splits on page inputs already evaluated.
#[derive(Debug)]
pub(crate) struct SpecializedForest<'f> {
    splits: Vec<Split>,
    /// For each tree: its remaining splits, reachable leaves and leaf values.
    trees: Vec<(Range<usize>, u32, &'f [f32; LEAVES])>,
}

impl SpecializedForest<'_> {
    /// The sums of the trees for a batch of rows.
    pub fn sums(&self, rows: &FeatureRows) -> [f32; LANES] {
        Arch::new().dispatch(EvaluateForest { trees: self, rows })
    }
}

/// Evaluation of the trees on a batch of rows with vector instructions.
struct EvaluateForest<'a> {
    trees: &'a SpecializedForest<'a>,
    rows: &'a FeatureRows,
}

impl WithSimd for EvaluateForest<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; LANES] {
        if S::F32_LANES < LANES { self.sums::<S, 2>(simd) } else { self.sums::<S, 1>(simd) }
    }
}

impl EvaluateForest<'_> {
    /// Evaluates `AT_ONCE` vectors of rows at a time.
    #[inline(always)]
    fn sums<S: Simd, const AT_ONCE: usize>(self, simd: S) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        for from in (0..LANES).step_by(AT_ONCE * S::F32_LANES) {
            let first = from / S::F32_LANES;
            for (splits, reachable, values) in &self.trees.trees {
                let open = self.trees.splits.get(splits.clone()).unwrap_or_default();
                let mut left = [simd.splat_u32s(*reachable); AT_ONCE];
                for split in open {
                    let (inputs, _) = S::as_simd_f32s(&self.rows[usize::from(split.input)]);
                    let threshold = simd.splat_f32s(split.threshold);
                    let above = simd.splat_u32s(split.above);
                    for (left, input) in left.iter_mut().zip(&inputs[first..]) {
                        let is_below = simd.less_than_or_equal_f32s(*input, threshold);
                        let all = simd.splat_u32s(u32::MAX);
                        *left = simd.and_u32s(*left, simd.select_u32s(is_below, all, above));
                    }
                }
                let mut leaves = [0_u32; LANES];
                let (lanes, _) = S::as_mut_simd_u32s(&mut leaves);
                lanes[first..first + AT_ONCE].copy_from_slice(&left);
                let rows = from..from + AT_ONCE * S::F32_LANES;
                for (sum, left) in sums[rows.clone()].iter_mut().zip(&leaves[rows]) {
                    *sum += values[left.trailing_zeros() as usize % LEAVES];
                }
            }
        }
        sums
    }
}

impl Split {
    /// The leaves that remain reachable for this input.
    #[inline(always)]
    fn reachable_leaves(&self, input: f32) -> u32 {
        self.above | u32::from(input <= self.threshold).wrapping_neg()
    }
}

impl Tree {
    fn decode(
        bytes: &mut ModelBytes,
        scale: f32,
        is_page_input: fn(usize) -> bool,
    ) -> Option<Self> {
        let count = usize::from(bytes.byte()?);
        if count >= LEAVES {
            return None;
        }
        let mut read = Vec::with_capacity(count);
        for _ in 0..count {
            let input = bytes.byte()?;
            let next: [u8; 2] = bytes.array()?;
            read.push((input, next.map(usize::from), bytes.float()?));
        }
        // The leaves below each node. Nodes follow their parents, leaves come last.
        let mut below = [0_u32; 2 * LEAVES];
        for leaf in 0..=count {
            below[count + leaf] = 1 << leaf;
        }
        let mut splits = Vec::with_capacity(count);
        for (at, (input, [yes, no], threshold)) in read.into_iter().enumerate().rev() {
            if yes <= at || no <= at {
                return None;
            }
            let (yes, no) = (*below.get(yes)?, *below.get(no)?);
            *below.get_mut(at)? = yes | no;
            splits.push(Split { threshold, above: !yes, input });
        }
        let mut values = [0.0; LEAVES];
        for value in values.iter_mut().take(count + 1) {
            *value = f32::from(i16::from_le_bytes(bytes.array()?)) * scale;
        }
        let asks_of_page = |split: &Split| is_page_input(split.input.into());
        splits.sort_by_key(|split| !asks_of_page(split));
        let page_splits = splits.iter().filter(|split| asks_of_page(split)).count();
        Some(Self { splits, page_splits, values })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::model_inputs::is_page_input;
    use super::super::Model;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn batched_rows_equal_single_rows(
            picks in prop::collection::vec((any::<prop::sample::Index>(), -1_i8..=1), INPUTS * LANES),
        ) {
            let forest = &Model::stored().expect("a model").trees;
            let mut thresholds = vec![vec![0.0]; INPUTS];
            for split in forest.trees.iter().flat_map(|tree| &tree.splits) {
                thresholds[usize::from(split.input)].push(split.threshold);
            }
            let mut rows: FeatureRows = [[0.0; LANES]; INPUTS];
            for (input, thresholds) in thresholds.iter().enumerate() {
                for (lane, value) in rows[input].iter_mut().enumerate() {
                    // Page inputs are equal in all rows.
                    let from = if is_page_input(input) { 0 } else { lane };
                    let (which, aside) = &picks[input * LANES + from];
                    *value = which.get(thresholds) + f32::from(*aside) * 1e-3;
                }
            }
            let sums = forest.specialize(&rows.map(|lanes| lanes[0])).sums(&rows);
            for (lane, sum) in sums.into_iter().enumerate() {
                let mut alone = [0.0];
                forest.add(&rows.map(|lanes| lanes[lane]), &mut alone);
                prop_assert_eq!(sum, alone[0]);
            }
        }
    }
}
