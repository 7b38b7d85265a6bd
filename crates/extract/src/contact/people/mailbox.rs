//! Whether a mailbox has somebody's name. The mailbox itself stands on the page; its name
//! only tells whose it is.

use super::name::{PersonName, fold};
use crate::contact::email;

/// How much of a name a mailbox has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    None,
    /// A given name alone.
    First,
    /// A surname, alone or with an initial.
    Last,
    /// Both.
    Both,
}

/// Whether it is a function's: info, sales.
pub(super) fn is_function(mailbox: &str) -> bool {
    let local = mailbox.split('@').next().unwrap_or_default();
    email::role::is_role(local)
}

/// How much of the name a mailbox has.
pub(super) fn likeness(mailbox: &str, name: &PersonName) -> Likeness {
    let local = mailbox.split('@').next().unwrap_or_default();
    let local = squeezed(local);
    if local.len() < 2 {
        return Likeness::None;
    }
    let spellings = |part: &Option<String>| -> Vec<String> {
        let Some(part) = part else { return Vec::new() };
        let mut all = vec![squeezed(part), squeezed(&spelled_out(part))];
        for word in part.split([' ', '-']).filter(|word| word.chars().count() > 2) {
            all.push(squeezed(word));
            all.push(squeezed(&spelled_out(word)));
        }
        all.retain(|one| one.len() > 1);
        all.sort();
        all.dedup();
        all
    };
    let (firsts, lasts) = (spellings(&name.first), spellings(&name.last));
    let initial = name.first.as_deref().map(fold).and_then(|first| first.chars().next());
    let digits = local.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut best = Likeness::None;
    for last in &lasts {
        for first in &firsts {
            if *digits == format!("{first}{last}") || *digits == format!("{last}{first}") {
                return Likeness::Both;
            }
        }
        let short = last.len() < 3;
        if let Some(initial) = initial
            && (*digits == format!("{initial}{last}") || *digits == format!("{last}{initial}"))
        {
            best = best.max(Likeness::Last);
        }
        if digits == last && !short {
            best = best.max(Likeness::Last);
        }
        // "j-p.dupont", "ma.garcia": a few letters before the surname.
        if !short
            && let Some(start) = digits.strip_suffix(last.as_str())
            && start.len() <= 3
            && initial.is_some_and(|initial| start.starts_with(initial))
        {
            best = best.max(Likeness::Last);
        }
    }
    if best == Likeness::None && firsts.iter().any(|first| digits == first && first.len() > 2) {
        best = Likeness::First;
    }
    best
}

/// Letters and digits only, folded.
fn squeezed(text: &str) -> String {
    fold(text).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// A name with its marks spelled out, as mailboxes have them.
fn spelled_out(text: &str) -> String {
    text.to_lowercase()
        .replace('ä', "ae")
        .replace('ö', "oe")
        .replace('ü', "ue")
        .replace('ø', "oe")
        .replace('å', "aa")
}

#[cfg(test)]
mod tests {
    use super::super::name::parse;
    use super::*;

    #[test]
    fn mailboxes_tell_whose_they_are() {
        let name = |text: &str| parse(text).expect("a name");
        for (mailbox, text, expected) in [
            ("anna.berg@x.test", "Anna Berg", Likeness::Both),
            ("berg.anna@x.test", "Anna Berg", Likeness::Both),
            ("a.berg@x.test", "Anna Berg", Likeness::Last),
            ("aberg2@x.test", "Anna Berg", Likeness::Last),
            ("berg@x.test", "Anna Berg", Likeness::Last),
            ("anna@x.test", "Anna Berg", Likeness::First),
            ("juergen.gross@x.test", "Jürgen Groß", Likeness::Both),
            ("mueller-orlamuend@x.test", "Viola Müller-Orlamünd", Likeness::Last),
            ("jp.dupont@x.test", "Jean-Pierre Dupont", Likeness::Last),
            ("jan.vanderberg@x.test", "Jan van der Berg", Likeness::Both),
            ("info@x.test", "Anna Berg", Likeness::None),
            ("karl.otto@x.test", "Anna Berg", Likeness::None),
        ] {
            assert_eq!(likeness(mailbox, &name(text)), expected, "{mailbox} {text}");
        }
    }
}
