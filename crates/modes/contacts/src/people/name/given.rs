//! Given names of the eight languages and of those who live among them. Known names make a
//! text a person's name; they are folded, so that marks and capitals do not matter.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::{fold, words};

/// Every list.
const LISTS: [&str; 9] = [
    include_str!("given/dutch.txt"),
    include_str!("given/english.txt"),
    include_str!("given/french.txt"),
    include_str!("given/german.txt"),
    include_str!("given/italian.txt"),
    include_str!("given/neighbours.txt"),
    include_str!("given/polish.txt"),
    include_str!("given/portuguese.txt"),
    include_str!("given/spanish.txt"),
];

/// Given names that are as often a word, a place or a brand.
const AMBIGUOUS: &str = "april may june august mark grant rose grace hope faith joy will art rich \
    frank max mercedes florence victoria clara otto paris london chelsea georgia virginia dallas \
    austin jordan madison savannah sydney florida asia italia france diamond crystal amber ruby \
    jade pearl opal holly ivy olive rosemary violet iris lily daisy summer autumn dawn eve carol \
    christian chance chase hunter mason carter cooper parker taylor bishop dean earl duke prince \
    sol mar luz paz cruz angel angeles jesus mai flor linda bella stella nova sierra rocky \
    miles bill mercy amen bay art guy drew sue pat gene jack penny ginger charity prudence \
    constance clay glen heath ford lane miles reed brook cliff dale gore rex roman romana german \
    germana israel islam china india africa america victor major royal regal mina vera alma nova \
    mia lago lima sofia lorena valencia catalina carolina florida concordia aurora alba diana \
    ernst gut gross neu alt wolf stern ernesto perla esmeralda coral gala vita viva terra \
    mercedes lexus dacia santiago trinidad salvador domingo sabado jaime royal imperial rio \
    marina casa villa don dona frau herr sir dame min long sun kim lee young song art gene \
    conceicao socorro dores neves graca esperanca vitoria felicidad consolacion natividad \
    asuncion presentacion remedios milagros soledad pura primitivo modesto justo fortunato \
    benigno candido probo real sancho severo silvestre tranquillo placido vita palma fiora \
    primo lena lea";

static KNOWN: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| LISTS.iter().flat_map(|list| list.split_ascii_whitespace()).collect());

static UNSURE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(AMBIGUOUS));

/// How well a word is known as a given name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Acquaintance {
    Unknown,
    /// It is one, and a word besides.
    Unsure,
    Known,
}

/// How well a word is known. Of a double name, its best known part.
pub(in crate::people) fn acquaintance(word: &str) -> Acquaintance {
    let folded = fold(word);
    let one = |part: &str| match part {
        part if !KNOWN.contains(part) => Acquaintance::Unknown,
        part if UNSURE.contains(part) => Acquaintance::Unsure,
        _ => Acquaintance::Known,
    };
    match one(&folded) {
        Acquaintance::Unknown => folded.split('-').map(one).max().unwrap_or(Acquaintance::Unknown),
        found => found,
    }
}

/// Whether a word is a given name.
pub(super) fn is_given(word: &str) -> bool {
    acquaintance(word) > Acquaintance::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_folded_and_of_bounded_size() {
        assert!((5_000..12_000).contains(&KNOWN.len()), "{}", KNOWN.len());
        for name in KNOWN.iter() {
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
            assert!((2..=18).contains(&name.len()), "{name}");
        }
    }

    #[test]
    fn marks_and_capitals_do_not_matter() {
        for name in ["Jürgen", "JÜRGEN", "Łukasz", "Conceição", "Hans-Peter", "Ayşe", "Søren"]
        {
            assert!(is_given(name), "{name}");
        }
        for word in ["Telefon", "Kontakt", "Strasse", "Mehr", "Unser", "Komfort"] {
            assert!(!is_given(word), "{word}");
        }
        assert_eq!(acquaintance("April"), Acquaintance::Unsure);
    }
}
