//! Many small trees whose answers are added up.
//!
//! Eight blocks go down a tree side by side without a branch: a leaf leads to itself, so
//! that all of them may take as many steps as the tree is deep.

use super::Bytes;

/// How many rows are judged at a time.
pub(crate) const LANES: usize = 8;

/// One question: at most the threshold, or above?
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f32,
    input: u16,
    /// The next node for an answer of yes and of no, counted from the root of the tree.
    next: [u8; 2],
}

#[derive(Debug, Clone, Copy)]
struct Tree {
    root: u32,
    /// Where its leaves begin, counted from the root.
    leaves: u8,
    depth: u8,
    /// The first of its values.
    values: u32,
}

/// A set of trees.
#[derive(Debug)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    trees: Vec<Tree>,
    values: Vec<f32>,
    /// One more than the highest input that is asked for.
    inputs: usize,
}

impl Forest {
    pub(super) fn decode(bytes: &mut Bytes) -> Option<Self> {
        let count = bytes.short()?;
        let scale = bytes.float()?;
        let mut forest =
            Self { nodes: Vec::new(), trees: Vec::new(), values: Vec::new(), inputs: 0 };
        for _ in 0..count {
            forest.decode_tree(bytes, scale)?;
        }
        Some(forest)
    }

    fn decode_tree(&mut self, bytes: &mut Bytes, scale: f32) -> Option<()> {
        let questions = bytes.byte()?;
        let leaves = questions.checked_add(1).filter(|leaves| *leaves <= 128)?;
        let root = self.nodes.len();
        let mut depths = vec![0_u8; usize::from(questions) + usize::from(leaves)];
        for at in 0..questions {
            let input = u16::from(bytes.byte()?);
            let next: [u8; 2] = bytes.array()?;
            let threshold = bytes.float()?;
            for next in next {
                // Every node stands behind the one that leads to it: no way leads in a circle.
                let depth = depths.get(usize::from(at)).copied()?.checked_add(1)?;
                let reached = depths.get_mut(usize::from(next)).filter(|_| next > at)?;
                *reached = depth;
            }
            self.inputs = self.inputs.max(usize::from(input) + 1);
            self.nodes.push(Node { threshold, input, next });
        }
        for leaf in questions..questions + leaves {
            self.nodes.push(Node { threshold: f32::INFINITY, input: 0, next: [leaf, leaf] });
        }
        let values = u32::try_from(self.values.len()).ok()?;
        for _ in 0..leaves {
            let value = i16::from_le_bytes(bytes.array()?);
            self.values.push(f32::from(value) * scale);
        }
        self.trees.push(Tree {
            root: u32::try_from(root).ok()?,
            leaves: questions,
            depth: depths.into_iter().max().unwrap_or(0),
            values,
        });
        Some(())
    }

    /// The sums of rows that stand beside each other: input after input, each for all rows.
    /// Trees take turns at the places of `sums`, which is one but for several classes.
    pub fn add(&self, inputs: &[[f32; LANES]], sums: &mut [[f32; LANES]]) {
        let classes = sums.len();
        if inputs.len() < self.inputs || classes == 0 {
            return;
        }
        for (tree, class) in self.trees.iter().zip((0..classes).cycle()) {
            let root = tree.root as usize;
            let nodes = &self.nodes[root..=root + 2 * usize::from(tree.leaves)];
            let mut at = [0_u8; LANES];
            for _ in 0..tree.depth {
                for (lane, at) in at.iter_mut().enumerate() {
                    let node = &nodes[usize::from(*at)];
                    let above = inputs[usize::from(node.input)][lane] > node.threshold;
                    *at = node.next[usize::from(above)];
                }
            }
            for (lane, at) in at.into_iter().enumerate() {
                let leaf = usize::from(at.saturating_sub(tree.leaves));
                sums[class][lane] += self.values[tree.values as usize + leaf];
            }
        }
    }
}
