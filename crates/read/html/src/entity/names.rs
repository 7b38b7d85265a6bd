//! The named references of the HTML standard.

use std::sync::LazyLock;

/// A line each, in the order of their bytes: the name without `&` and `;`, behind it a `*` where the
/// semicolon may be missing, and the characters that it stands for, in hexadecimal.
static LIST: &str = include_str!("names.txt");

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    pub first: char,
    /// A few names stand for two characters.
    pub second: Option<char>,
    /// One of the oldest names, which are known without a semicolon.
    pub is_old: bool,
}

struct Names {
    /// In the order of their bytes.
    all: Vec<(&'static [u8], Named)>,
    /// Where the names that begin with each letter begin: a page of nothing but `&` looks up
    /// many, and most by their first letter alone.
    starts: [usize; 129],
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let all: Vec<_> = LIST.lines().filter_map(read).collect();
    let mut starts = [all.len(); 129];
    for (letter, start) in starts.iter_mut().enumerate() {
        *start = all
            .partition_point(|(name, _)| name.first().is_some_and(|it| usize::from(*it) < letter));
    }
    Names { all, starts }
});

fn read(line: &'static str) -> Option<(&'static [u8], Named)> {
    let (name, characters) = line.split_once(' ')?;
    let character = |digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    let mut characters = characters.split(' ').filter_map(character);
    let (first, second) = (characters.next()?, characters.next());
    let bare = name.strip_suffix('*');
    Some((bare.unwrap_or(name).as_bytes(), Named { first, second, is_old: bare.is_some() }))
}

/// What a name stands for, if it is one.
pub(super) fn lookup(name: &[u8]) -> Option<Named> {
    let Names { all, starts } = &*NAMES;
    let letter = usize::from(*name.first()?);
    let names = all.get(*starts.get(letter)?..*starts.get(letter + 1)?)?;
    let at = names.binary_search_by(|(known, _)| known.cmp(&name)).ok()?;
    names.get(at).map(|(_, named)| *named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_name_and_they_are_in_order() {
        assert_eq!(NAMES.all.len(), LIST.lines().count());
        assert_eq!(NAMES.all.len(), 2_125, "as many as the standard has");
        assert!(NAMES.all.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!(NAMES.all.iter().filter(|(_, named)| named.is_old).count(), 106);
        assert!(NAMES.all.iter().all(|(name, _)| lookup(name).is_some()));
    }
}
