//! The named character references of the HTML standard.

use std::sync::LazyLock;

/// One line per name, sorted by bytes: the name without `&` and `;`, a `*` if the semicolon is
/// optional, and its characters in hexadecimal.
static LIST: &str = include_str!("names.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedReference {
    pub first: char,
    /// Second character; most names have only one.
    pub second: Option<char>,
    /// Whether the reference is valid without a semicolon.
    pub semicolon_optional: bool,
}

struct ReferenceTable {
    /// Sorted by the bytes of the name.
    all: Vec<(&'static [u8], NamedReference)>,
    /// Index of the first name for each initial byte: a page of nothing but `&` does many lookups,
    /// and most fail by the first letter.
    starts: [usize; 129],
}

static TABLE: LazyLock<ReferenceTable> = LazyLock::new(|| {
    let all: Vec<_> = LIST.lines().filter_map(read).collect();
    let mut starts = [all.len(); 129];
    for (letter, start) in starts.iter_mut().enumerate() {
        *start = all
            .partition_point(|(name, _)| name.first().is_some_and(|it| usize::from(*it) < letter));
    }
    ReferenceTable { all, starts }
});

fn read(line: &'static str) -> Option<(&'static [u8], NamedReference)> {
    let (name, characters) = line.split_once(' ')?;
    let character = |digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    let mut characters = characters.split(' ').filter_map(character);
    let (first, second) = (characters.next()?, characters.next());
    let bare = name.strip_suffix('*');
    Some((
        bare.unwrap_or(name).as_bytes(),
        NamedReference { first, second, semicolon_optional: bare.is_some() },
    ))
}

/// The characters of a name; `None` for an unknown one.
pub(super) fn lookup(name: &[u8]) -> Option<NamedReference> {
    let ReferenceTable { all, starts } = &*TABLE;
    let letter = usize::from(*name.first()?);
    let names = all.get(*starts.get(letter)?..*starts.get(letter + 1)?)?;
    let at = names.binary_search_by(|(known, _)| known.cmp(&name)).ok()?;
    names.get(at).map(|(_, named)| *named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_table_is_complete_and_sorted() {
        assert_eq!(TABLE.all.len(), LIST.lines().count());
        assert_eq!(TABLE.all.len(), 2_125, "as many as the standard has");
        assert!(TABLE.all.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!(TABLE.all.iter().filter(|(_, named)| named.semicolon_optional).count(), 106);
        assert!(TABLE.all.iter().all(|(name, _)| lookup(name).is_some()));
    }
}
