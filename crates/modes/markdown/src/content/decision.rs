//! Selects blocks by their probability.

/// Selects the blocks with the highest probability so that the expected word F1 is maximal. `words`
/// are the lengths of the blocks.
pub(crate) fn select_blocks(probabilities: &[f32], words: &[f32]) -> Vec<bool> {
    let mut order: Vec<u32> = (0..).take(probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*b as usize].total_cmp(&probabilities[*a as usize]));
    let expected = expected_words(probabilities, words);
    let (mut kept, mut correct, mut best) = (0.0_f64, 0.0_f64, (0.0_f64, 0));
    for (at, block) in order.iter().map(|block| *block as usize).enumerate() {
        kept += f64::from(words[block]);
        correct += f64::from(probabilities[block] * words[block]);
        let score = 2.0 * correct / (kept + expected);
        if score > best.0 {
            best = (score, at + 1);
        }
    }
    let mut keep = vec![false; probabilities.len()];
    for block in order.into_iter().take(best.1) {
        keep[block as usize] = true;
    }
    keep
}

/// Expected number of words of content.
pub(crate) fn expected_words(probabilities: &[f32], words: &[f32]) -> f64 {
    probabilities.iter().zip(words).map(|(probability, words)| f64::from(probability * words)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probable_blocks_are_selected_and_others_dropped() {
        let keep = select_blocks(&[0.05, 0.9, 0.8, 0.1], &[40.0, 100.0, 50.0, 60.0]);
        assert_eq!(keep, [false, true, true, false]);
    }

    #[test]
    fn page_of_uncertain_blocks_keeps_the_most_probable() {
        let keep = select_blocks(&[0.2, 0.1, 0.15], &[10.0, 10.0, 10.0]);
        assert!(keep[0]);
        assert!(select_blocks(&[], &[]).is_empty());
    }
}
