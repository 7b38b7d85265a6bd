//! What standard output is: a terminal with colours and a width, or a file or pipe.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

use rustix::termios::tcgetwinsize;

/// A meaning that a terminal shows as a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The names of the columns of a table.
    Heading,
    /// A state that is as wanted.
    Good,
    /// A state that changes without the user.
    Active,
    /// A state in which the user has to do something.
    Waiting,
    /// A failure, or something that was stopped.
    Bad,
}

impl Tone {
    /// The tone of a status in a table.
    fn of(word: &str) -> Option<Self> {
        match word {
            "completed" | "delivered" | "passes" => Some(Self::Good),
            "queued" | "running" => Some(Self::Active),
            "awaiting_confirmation" | "paused" => Some(Self::Waiting),
            "failed" | "aborted" | "fails" | "suspended" | "revoked" => Some(Self::Bad),
            _ => None,
        }
    }

    /// The parameters of the escape sequence (ECMA-48, SGR).
    fn parameters(self) -> &'static str {
        match self {
            Self::Heading => "1",
            Self::Good => "32",
            Self::Active => "36",
            Self::Waiting => "33",
            Self::Bad => "31",
        }
    }
}

/// The text in a tone, if standard output shows colours.
pub fn painted(tone: Tone, text: &str) -> Cow<'_, str> {
    if has_colours() { Cow::Owned(in_colour(tone, text)) } else { Cow::Borrowed(text) }
}

/// A padded cell of a table; a status is painted.
pub fn painted_cell(cell: &str) -> Cow<'_, str> {
    match Tone::of(cell.trim()) {
        Some(tone) => painted(tone, cell),
        None => Cow::Borrowed(cell),
    }
}

fn in_colour(tone: Tone, text: &str) -> String {
    format!("\x1b[{}m{text}\x1b[0m", tone.parameters())
}

/// Whether standard output shows colours: on a terminal, unless `NO_COLOR` is set. `CLICOLOR_FORCE`
/// shows them also in a pipe.
pub fn has_colours() -> bool {
    static COLOURS: OnceLock<bool> = OnceLock::new();
    *COLOURS.get_or_init(|| {
        let variable =
            |name: &'static str| std::env::var(name).ok().filter(|value| !value.is_empty());
        decide(variable, std::io::stdout().is_terminal())
    })
}

fn decide(variable: impl Fn(&'static str) -> Option<String>, is_terminal: bool) -> bool {
    if variable("NO_COLOR").is_some() {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    is_terminal && variable("TERM").is_none_or(|term| term != "dumb")
}

/// The columns of the terminal on standard output; `None` for files and pipes.
pub fn width() -> Option<usize> {
    let size = tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// The text cut to a number of characters, with an ellipsis.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(most.saturating_sub(1)).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_terminal_and_environment() {
        let with = |set: &'static [(&'static str, &'static str)], is_terminal| {
            let value = |name: &str| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            decide(value, is_terminal)
        };
        assert!(with(&[], true) && !with(&[], false));
        assert!(!with(&[("NO_COLOR", "1")], true) && !with(&[("TERM", "dumb")], true));
        assert!(with(&[("CLICOLOR_FORCE", "1")], false));
        assert!(!with(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
    }

    #[test]
    fn every_status_has_a_tone() {
        for status in contract::Status::NAMES {
            assert!(Tone::of(status).is_some(), "{status}");
        }
        assert_eq!(in_colour(Tone::Bad, "failed "), "\x1b[31mfailed \x1b[0m");
    }

    #[test]
    fn long_text_is_cut_at_characters() {
        assert_eq!(cut("größer", 6), "größer");
        assert_eq!(cut("größer", 4), "grö…");
        assert_eq!(cut("größer", 0), "…");
    }
}
