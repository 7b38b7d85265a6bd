//! The words of a text with their positions.

/// The words of a text with their byte offsets.
pub(crate) fn placed_words(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - base, word))
}
