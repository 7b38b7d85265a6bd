//! Caches whether a class may belong to an author or date: a page has thousands of
//! classes, most of them repeated.

/// Number of cached classes.
const CACHE_SIZE: usize = 64;

/// What an element with this class may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ClassHints {
    pub of_authors: bool,
    pub of_dates: bool,
}

/// Direct-mapped cache of classes.
#[derive(Debug)]
pub(super) struct ClassCache<'a> {
    known: [(&'a str, ClassHints); CACHE_SIZE],
}

impl Default for ClassCache<'_> {
    fn default() -> Self {
        Self { known: [("", ClassHints::default()); CACHE_SIZE] }
    }
}

impl<'a> ClassCache<'a> {
    pub fn read(&mut self, class: &'a str) -> ClassHints {
        let bytes = class.as_bytes();
        let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
            return ClassHints::default();
        };
        let mixed = u32::from_le_bytes(*first) ^ u32::from_le_bytes(*last).rotate_left(11);
        let mixed = (mixed ^ bytes.len() as u32).wrapping_mul(0x9e37_79b1);
        let entry = &mut self.known[(mixed >> 26) as usize % CACHE_SIZE];
        if entry.0 != class {
            *entry = (class, hints(bytes));
        }
        entry.1
    }
}

/// Searches for the middles of `author`, `byline` and `username`, of `date`, `publish`, `posted`,
/// `timestamp` and `modified`, because their first letters may be capitals.
fn hints(class: &[u8]) -> ClassHints {
    let mut hints = ClassHints::default();
    for window in class.windows(4) {
        match window {
            b"utho" | b"ylin" | b"erna" => hints.of_authors = true,
            b"date" | b"Date" | b"ubli" | b"oste" | b"imes" | b"odif" => hints.of_dates = true,
            _ => {}
        }
    }
    hints
}
