//! Many small trees whose answers are added up.
//!
//! No tree is climbed. Its leaves stand from left to right as bits of a word, and every
//! question that is answered with "above" strikes those leaves that lie on its other side:
//! the leftmost that is left is the leaf that a climb would end at. The questions can be
//! asked in any order and of sixteen rows at once, without a branch.

use super::Bytes;

/// How many rows are judged at a time.
pub(crate) const LANES: usize = 16;

/// How many inputs a row has room for: as many as a byte can name.
pub(crate) const INPUTS: usize = 256;

/// How many leaves a tree may have.
const LEAVES: usize = 32;

/// Rows that stand beside each other: input after input, each for all rows.
pub(crate) type Rows = [[f32; LANES]; INPUTS];

/// At most the threshold, or above?
#[derive(Debug, Clone, Copy)]
struct Question {
    threshold: f32,
    /// The leaves that may still be reached when the input is above.
    above: u32,
    input: u8,
}

#[derive(Debug)]
struct Tree {
    questions: Vec<Question>,
    /// What each leaf is worth.
    values: [f32; LEAVES],
}

/// A set of trees.
#[derive(Debug)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
}

impl Forest {
    pub(super) fn decode(bytes: &mut Bytes) -> Option<Self> {
        let count = bytes.short()?;
        let scale = bytes.float()?;
        let trees = (0..count).map(|_| Tree::decode(bytes, scale)).collect::<Option<_>>()?;
        Some(Self { trees })
    }

    /// Adds the answers for all rows. Trees take turns at the places of `sums`: there is one
    /// for each class.
    pub fn add(&self, rows: &Rows, sums: &mut [[f32; LANES]]) {
        let classes = sums.len();
        for (tree, class) in self.trees.iter().zip((0..classes).cycle()) {
            tree.add(rows, &mut sums[class]);
        }
    }
}

impl Tree {
    fn decode(bytes: &mut Bytes, scale: f32) -> Option<Self> {
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
        // The leaves below each node. Nodes stand behind those that lead to them, leaves last.
        let mut below = [0_u32; 2 * LEAVES];
        for leaf in 0..=count {
            below[count + leaf] = 1 << leaf;
        }
        let mut questions = Vec::with_capacity(count);
        for (at, (input, [yes, no], threshold)) in read.into_iter().enumerate().rev() {
            if yes <= at || no <= at {
                return None;
            }
            let (yes, no) = (*below.get(yes)?, *below.get(no)?);
            *below.get_mut(at)? = yes | no;
            questions.push(Question { threshold, above: !yes, input });
        }
        let mut values = [0.0; LEAVES];
        for value in values.iter_mut().take(count + 1) {
            *value = f32::from(i16::from_le_bytes(bytes.array()?)) * scale;
        }
        Some(Self { questions, values })
    }

    #[inline]
    fn add(&self, rows: &Rows, sums: &mut [f32; LANES]) {
        let mut left = [u32::MAX; LANES];
        for question in &self.questions {
            let inputs = &rows[usize::from(question.input)];
            for (left, input) in left.iter_mut().zip(inputs) {
                let all_or_none = u32::from(*input <= question.threshold).wrapping_neg();
                *left &= question.above | all_or_none;
            }
        }
        for (sum, left) in sums.iter_mut().zip(left) {
            *sum += self.values[left.trailing_zeros() as usize % LEAVES];
        }
    }
}
