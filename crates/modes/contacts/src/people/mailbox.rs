//! Compares mailboxes with names. A mailbox is always one that the page shows; the comparison
//! only decides whose it is.

use hashbrown::{HashMap, HashSet};

use super::name::{PersonName, fold};
use crate::email;
use html::budget;

/// How much of a name a mailbox contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MailboxMatch {
    None,
    /// The mailbox contains only a given name.
    First,
    /// A surname, alone or with an initial.
    Last,
    Both,
}

/// Whether a mailbox belongs to a function: info, sales.
pub(super) fn is_function(mailbox: &str) -> bool {
    let local = mailbox.split('@').next().unwrap_or_default();
    email::role::is_role(local)
}

/// Maximum length of a local part that is compared with names.
const MAX_LOCAL: usize = 64;

/// The local part of a mailbox: folded letters and digits, without digits at its end.
#[derive(Debug)]
pub(super) struct LocalPart(String);

impl LocalPart {
    pub fn of(mailbox: &str) -> Self {
        let local = letters_only(mailbox.split('@').next().unwrap_or_default());
        let letters = local.trim_end_matches(|c: char| c.is_ascii_digit());
        let fits = (2..=MAX_LOCAL).contains(&local.len());
        Self(if fits { letters.to_owned() } else { String::new() })
    }
}

/// The spellings of a name in mailboxes, computed once per name because folding costs more than
/// comparing.
#[derive(Debug)]
pub(super) struct Spellings {
    firsts: Vec<String>,
    lasts: Vec<String>,
    initial: Option<char>,
}

impl Spellings {
    pub fn of(name: &PersonName) -> Self {
        let spellings = |part: &Option<String>| -> Vec<String> {
            let Some(part) = part else { return Vec::new() };
            let mut all = vec![letters_only(part), letters_only(&spelled_out(part))];
            for word in part.split([' ', '-']).filter(|word| word.chars().count() > 2) {
                all.push(letters_only(word));
                all.push(letters_only(&spelled_out(word)));
            }
            all.retain(|one| one.len() > 1);
            all.sort();
            all.dedup();
            all
        };
        Self {
            firsts: spellings(&name.first),
            lasts: spellings(&name.last),
            initial: name.first.as_deref().map(fold).and_then(|first| first.chars().next()),
        }
    }

    /// How much of the name a mailbox contains.
    pub fn mailbox_match(&self, LocalPart(local): &LocalPart) -> MailboxMatch {
        if local.is_empty() || !budget::steps(8) {
            return MailboxMatch::None;
        }
        let mut best = MailboxMatch::None;
        for last in &self.lasts {
            let before = local.strip_suffix(last.as_str());
            let after = local.strip_prefix(last.as_str());
            if before.is_none() && after.is_none() {
                continue;
            }
            let is_first =
                |text: Option<&str>| self.firsts.iter().any(|one| text == Some(one.as_str()));
            if is_first(before) || is_first(after) {
                return MailboxMatch::Both;
            }
            let short = last.len() < 3;
            let is_initial = |text: Option<&str>| {
                let initial = self.initial.filter(char::is_ascii);
                text.zip(initial).is_some_and(|(text, initial)| {
                    text.strip_prefix(initial).is_some_and(str::is_empty)
                })
            };
            if is_initial(before) || is_initial(after) || before == Some("") && !short {
                best = best.max(MailboxMatch::Last);
            }
            // "j-p.dupont", "ma.garcia": a few letters before the surname.
            if !short
                && let Some(start) = before
                && start.len() <= 3
                && self.initial.is_some_and(|initial| start.starts_with(initial))
            {
                best = best.max(MailboxMatch::Last);
            }
        }
        if best == MailboxMatch::None
            && self.firsts.iter().any(|first| local == first && first.len() > 2)
        {
            best = MailboxMatch::First;
        }
        best
    }
}

/// The names of a page, indexed by the spellings of their parts.
#[derive(Debug)]
pub(super) struct NameIndex<'n> {
    /// Each name once, with its key.
    names: Vec<(&'n str, Spellings)>,
    /// Indexes of the names with this spelling of a first or last name.
    by_spelling: HashMap<String, Vec<usize>>,
}

impl<'n> NameIndex<'n> {
    pub fn new(all: impl Iterator<Item = (&'n str, &'n PersonName)>) -> Self {
        let mut known = HashSet::new();
        let mut index = Self { names: Vec::new(), by_spelling: HashMap::new() };
        for (key, name) in all {
            // Names with one key and different parts are separate entries.
            if !known.insert((key, &name.first, &name.last)) {
                continue;
            }
            let spellings = Spellings::of(name);
            for part in spellings.firsts.iter().chain(&spellings.lasts) {
                index.by_spelling.entry_ref(part.as_str()).or_default().push(index.names.len());
            }
            index.names.push((key, spellings));
        }
        index
    }

    /// Whether a mailbox contains more of another name than of this one.
    pub fn has_better(&self, local: &LocalPart, own: &str, mailbox_match: MailboxMatch) -> bool {
        // A mailbox that contains a name begins or ends with a part of it.
        let text = local.0.as_str();
        let parts = (1..=text.len()).map(|to| &text[..to]);
        let parts = parts.chain((1..text.len()).map(|from| &text[from..]));
        parts.filter_map(|part| self.by_spelling.get(part)).flatten().any(|at| {
            let (key, spellings) = &self.names[*at];
            *key != own && spellings.mailbox_match(local) > mailbox_match
        })
    }
}

/// Folded letters and digits.
fn letters_only(text: &str) -> String {
    fold(text).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Writes umlauts as two letters, as mailboxes do.
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
    fn mailbox_is_matched_with_the_name_it_contains() {
        let name = |text: &str| parse(text).expect("a name");
        for (mailbox, text, expected) in [
            ("anna.berg@x.test", "Anna Berg", MailboxMatch::Both),
            ("berg.anna@x.test", "Anna Berg", MailboxMatch::Both),
            ("a.berg@x.test", "Anna Berg", MailboxMatch::Last),
            ("aberg2@x.test", "Anna Berg", MailboxMatch::Last),
            ("berg@x.test", "Anna Berg", MailboxMatch::Last),
            ("anna@x.test", "Anna Berg", MailboxMatch::First),
            ("juergen.gross@x.test", "Jürgen Groß", MailboxMatch::Both),
            ("mueller-orlamuend@x.test", "Viola Müller-Orlamünd", MailboxMatch::Last),
            ("jp.dupont@x.test", "Jean-Pierre Dupont", MailboxMatch::Last),
            ("jan.vanderberg@x.test", "Jan van der Berg", MailboxMatch::Both),
            ("info@x.test", "Anna Berg", MailboxMatch::None),
            ("karl.otto@x.test", "Anna Berg", MailboxMatch::None),
        ] {
            let mailbox_match = Spellings::of(&name(text)).mailbox_match(&LocalPart::of(mailbox));
            assert_eq!(mailbox_match, expected, "{mailbox} {text}");
        }
    }
}
