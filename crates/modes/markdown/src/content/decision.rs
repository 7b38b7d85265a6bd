//! Selects blocks by their probability.

/// Selects the blocks with the highest probability so that the expected word F1 is maximal. `words`
/// are the lengths of the blocks.
pub(crate) fn cut(likely: &[f32], words: &[f32]) -> Vec<bool> {
    let mut order: Vec<u32> = (0..).take(likely.len()).collect();
    order.sort_by(|a, b| likely[*b as usize].total_cmp(&likely[*a as usize]));
    let expected = expected_words(likely, words);
    let (mut kept, mut right, mut best) = (0.0_f64, 0.0_f64, (0.0_f64, 0));
    for (at, block) in order.iter().map(|block| *block as usize).enumerate() {
        kept += f64::from(words[block]);
        right += f64::from(likely[block] * words[block]);
        let score = 2.0 * right / (kept + expected);
        if score > best.0 {
            best = (score, at + 1);
        }
    }
    let mut keep = vec![false; likely.len()];
    for block in order.into_iter().take(best.1) {
        keep[block as usize] = true;
    }
    keep
}

/// Expected number of words of content.
pub(crate) fn expected_words(likely: &[f32], words: &[f32]) -> f64 {
    likely.iter().zip(words).map(|(likely, words)| f64::from(likely * words)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_is_kept_and_what_is_not_goes() {
        let keep = cut(&[0.05, 0.9, 0.8, 0.1], &[40.0, 100.0, 50.0, 60.0]);
        assert_eq!(keep, [false, true, true, false]);
    }

    #[test]
    fn a_page_of_doubtful_blocks_keeps_the_best_of_them() {
        let keep = cut(&[0.2, 0.1, 0.15], &[10.0, 10.0, 10.0]);
        assert!(keep[0]);
        assert!(cut(&[], &[]).is_empty());
    }
}
