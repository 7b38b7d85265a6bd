//! Classifies local parts: functions in eight languages, and names of people.

use text::vocabulary::TermSet;

static ROLE_NAMES: TermSet = word_set!("email/role_names.txt");

/// Whether a local part names a function.
pub(crate) fn is_role(name: &str) -> bool {
    let name = name.to_lowercase();
    let whole: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    if ROLE_NAMES.contains(name.as_str()) || ROLE_NAMES.contains(whole.as_str()) {
        return true;
    }
    name.split(['.', '-', '_', '+']).any(|part| {
        let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() > 1 && ROLE_NAMES.contains(part)
    })
}

/// Whether a local part may be a person's name: first and last name, or an initial and a last
/// name, and no word of a function.
pub(crate) fn is_personal(name: &str) -> bool {
    if is_role(name) {
        return false;
    }
    // Numbers distinguish people of the same name.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = name.split(['.', '_']).collect();
    let is_word = |part: &&str| {
        part.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'') && !part.is_empty()
    };
    match parts.as_slice() {
        [first, last] => is_word(first) && is_word(last) && last.len() > 1,
        [first, middle, last] => [first, middle, last].into_iter().all(is_word) && last.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_and_personal_mailboxes_are_distinguished() {
        for name in ["info", "vertrieb", "presse-team", "info.berlin", "biuro2", "rh", "no-reply"] {
            assert!(is_role(name) && !is_personal(name), "{name}");
        }
        for name in ["anna.berg", "a.berg", "jean-luc.martin", "m_rossi", "j.m.costa"] {
            assert!(is_personal(name), "{name}");
        }
        for name in ["zx77", "berg", "team.berg", "a.1"] {
            assert!(!is_personal(name), "{name}");
        }
    }
}
