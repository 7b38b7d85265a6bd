//! What people and companies have objected to: a mailbox, a domain or a name that no record
//! may hold.
//!
//! A list of people who do not want to be listed would be just that, so mailboxes and names
//! are kept as hashes of their one spelling, with a hint for the operator's eyes. Domains
//! are no secret.

mod blocked;
mod denylist;
mod list;
mod live;
mod mailbox;
mod name;
mod record;
mod redaction;

use std::fmt;

use sha2::{Digest, Sha256};
use thiserror::Error;

pub use blocked::BlockedDomains;
pub use denylist::Denylist;
pub use list::OptOuts;
pub use live::LiveOptOuts;
use mailbox::Mailbox;
use name::PersonName;
pub use redaction::{redact_item, redact_json, redact_line};

use urls::{Domain, DomainError};

/// What is objected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptOutKind {
    /// A mailbox, with its sub-addresses.
    Email,
    /// A domain, with everything below it.
    Domain,
    /// A person's name, however it is written.
    Name,
}

impl OptOutKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Email, Self::Domain, Self::Name];

    /// Its one spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Domain => "domain",
            Self::Name => "name",
        }
    }

    /// The kind with this spelling.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for OptOutKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text cannot be objected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OptOutError {
    /// No mailbox.
    #[error("this is not an e-mail address; give one such as ada@example.com")]
    NotAMailbox,
    /// No domain.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// No name, or one that hits too many.
    #[error("this is not a full name; give first and last name, as Ada Lovelace")]
    NotAName,
}

/// One objection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOut {
    kind: OptOutKind,
    mark: String,
    hint: String,
    mailbox: Option<Mailbox>,
}

impl OptOut {
    /// To a mailbox. `ada+news@…` means the same mailbox as `ada@…`.
    ///
    /// # Errors
    /// [`OptOutError`] when the text is no mailbox.
    pub fn email(text: &str) -> Result<Self, OptOutError> {
        let mailbox = Mailbox::parse(text).ok_or(OptOutError::NotAMailbox)?;
        Ok(Self {
            kind: OptOutKind::Email,
            mark: mailbox.mark(),
            hint: mailbox.hint(),
            mailbox: Some(mailbox),
        })
    }

    /// To a domain and everything below it.
    ///
    /// # Errors
    /// [`OptOutError`] when the text is no domain.
    pub fn domain(text: &str) -> Result<Self, OptOutError> {
        let domain = String::from(Domain::parse(text)?);
        Ok(Self { kind: OptOutKind::Domain, mark: domain.clone(), hint: domain, mailbox: None })
    }

    /// To a person's name, with or without honorifics, family name first or last.
    ///
    /// # Errors
    /// [`OptOutError`] when the text is no full name.
    pub fn name(text: &str) -> Result<Self, OptOutError> {
        let name = PersonName::parse(text).ok_or(OptOutError::NotAName)?;
        Ok(Self {
            kind: OptOutKind::Name,
            mark: name.mark(),
            hint: name::hint(text),
            mailbox: None,
        })
    }

    /// Those of a list with commas between them, each told by its look.
    ///
    /// # Errors
    /// [`OptOutError`] of the first that cannot be objected to.
    pub fn list(text: &str) -> Result<Vec<Self>, OptOutError> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries
            .map(|entry| match entry {
                mailbox if mailbox.contains('@') => Self::email(mailbox),
                name if name.contains(char::is_whitespace) => Self::name(name),
                domain => Self::domain(domain),
            })
            .collect()
    }

    /// What is objected to.
    #[must_use]
    pub fn kind(&self) -> OptOutKind {
        self.kind
    }

    /// What it is kept and found by.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// What the operator is shown of it: enough to know it again, too little to write to.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Overwrites the mailbox in bytes whose lengths must stay as they are, whatever case it
    /// is written in. False when it does not stand there.
    pub fn blot_out(&self, bytes: &mut [u8]) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| mailbox.blot_out(bytes))
    }
}

/// The hash of a spelling, as it is kept.
fn digest(kind: OptOutKind, spelling: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(kind.as_str());
    hash.update(":");
    hash.update(spelling);
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        for half in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_people_does_not_tell_who_they_are() {
        let email = OptOut::email("mailto:Ada.Lovelace+news@Example.COM").expect("a mailbox");
        assert_eq!(email.hint(), "a…@example.com");
        assert_eq!(email.mark().len(), 64);
        let same = OptOut::email(" <ada.lovelace@example.com> ").expect("a mailbox");
        assert_eq!(same.mark(), email.mark());
        let name = OptOut::name("Dr. Ada Lovelace").expect("a name");
        assert_eq!(name.hint(), "A… L…");
        assert!(name.mark().starts_with("2:"));
        let domain = OptOut::domain("https://www.Example.com/about").expect("a domain");
        assert_eq!((domain.mark(), domain.hint()), ("example.com", "example.com"));
    }

    #[test]
    fn nonsense_is_refused() {
        let long = format!("{}@example.com", "a".repeat(300));
        for text in ["", "ada", "@example.com", "ada@", "a b@example.com", "a@b@c.de", "a@b", &long]
        {
            assert_eq!(OptOut::email(text), Err(OptOutError::NotAMailbox), "{text}");
        }
        for text in ["", "com", "127.0.0.1", "ada@example.com", "exa mple.com"] {
            assert!(matches!(OptOut::domain(text), Err(OptOutError::Domain(_))), "{text}");
        }
        for text in ["", "Ada", "Dr. Ada", "12 34", "…", &"Ada ".repeat(40)] {
            assert_eq!(OptOut::name(text), Err(OptOutError::NotAName), "{text}");
        }
        assert!(OptOut::name("山田太郎").is_ok(), "not every script has spaces");
    }

    #[test]
    fn a_list_tells_kinds_by_their_look() {
        let list = OptOut::list("ada@x.org, Ada Lovelace,,example.com ").expect("objections");
        let kinds: Vec<_> = list.iter().map(OptOut::kind).collect();
        assert_eq!(kinds, [OptOutKind::Email, OptOutKind::Name, OptOutKind::Domain]);
        assert_eq!(OptOut::list(""), Ok(Vec::new()));
        assert_eq!(OptOut::list("x@"), Err(OptOutError::NotAMailbox));
    }
}
