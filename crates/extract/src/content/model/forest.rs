//! Many small trees whose answers are added up.
//!
//! Sixteen rows go down a tree side by side without a branch: a leaf leads to itself, so
//! that all of them may take as many steps as the tree is deep. Every tree has room for as
//! many nodes as the largest may have, and every row for as many inputs as a byte can name,
//! so that no step needs a check.

use super::Bytes;

/// How many rows are judged at a time.
pub(crate) const LANES: usize = 16;

/// How many inputs a row has room for.
pub(crate) const INPUTS: usize = 256;

/// How many nodes a tree has room for: 32 leaves and the questions that lead to them.
const NODES: usize = 64;

/// Rows that stand beside each other: input after input, each for all rows.
pub(crate) type Rows = [[f32; LANES]; INPUTS];

/// One question: at most the threshold, or above?
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f32,
    input: u8,
    /// The next node for an answer of yes and of no.
    next: [u8; 2],
}

#[derive(Debug, Clone)]
struct Tree {
    nodes: [Node; NODES],
    /// What each node is worth; 0 for questions.
    values: [f32; NODES],
    depth: u8,
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
        let questions = usize::from(bytes.byte()?);
        let count = 2 * questions + 1;
        let leaf = |at: u8| Node { threshold: f32::INFINITY, input: 0, next: [at, at] };
        let mut nodes = [leaf(0); NODES];
        let mut depths = [0_u8; NODES];
        for at in 0..questions {
            let input = bytes.byte()?;
            let next: [u8; 2] = bytes.array()?;
            let threshold = bytes.float()?;
            for next in next.map(usize::from) {
                // Every node stands behind the one that leads to it: no way leads in a circle.
                if next <= at || next >= count {
                    return None;
                }
                *depths.get_mut(next)? = depths[at] + 1;
            }
            *nodes.get_mut(at)? = Node { threshold, input, next };
        }
        let mut values = [0.0; NODES];
        for at in questions..count {
            let value = i16::from_le_bytes(bytes.array()?);
            *nodes.get_mut(at)? = leaf(u8::try_from(at).ok()?);
            *values.get_mut(at)? = f32::from(value) * scale;
        }
        let depth = depths.into_iter().max().unwrap_or(0);
        Some(Self { nodes, values, depth })
    }

    fn add(&self, rows: &Rows, sums: &mut [f32; LANES]) {
        let mut at = [0_u8; LANES];
        for _ in 0..self.depth {
            for (lane, at) in at.iter_mut().enumerate() {
                let node = &self.nodes[usize::from(*at) % NODES];
                let is_above = rows[usize::from(node.input)][lane] > node.threshold;
                *at = node.next[usize::from(is_above)];
            }
        }
        for (sum, at) in sums.iter_mut().zip(at) {
            *sum += self.values[usize::from(at) % NODES];
        }
    }
}
