//! Opt-outs: mailboxes, domains and names that no record may contain, and the redaction of
//! stored items.
//!
//! Mailboxes and names are stored only as hashes of their normalised spelling, with a hint for
//! the operator, because a readable list would itself disclose who opted out. Domains are
//! stored in plain text.
//!
//! Main types: [`OptOut`] is one entry, [`OptOuts`] the list that answers whether a host,
//! mailbox or name is covered, [`LiveOptOuts`] a list that can be replaced while runs use it,
//! and [`Denylist`] adds the domains blocked by the operator. [`redact_item`], [`redact_line`]
//! and [`redact_json`] remove covered data. To redact a new field of an item, add it in
//! `redaction.rs`, or in `record.rs` for contact records.

mod blocked;
mod denylist;
mod live;
mod mailbox;
mod name;
mod opt_outs;
mod record;
mod redaction;

use contract::plain_string_enum;
use sha2::{Digest, Sha256};
use thiserror::Error;

pub use blocked::BlockedDomains;
pub use denylist::Denylist;
pub use live::LiveOptOuts;
use mailbox::Mailbox;
use name::NormalizedName;
pub use opt_outs::OptOuts;
pub use redaction::{redact_item, redact_json, redact_line};

use urls::{Domain, DomainError};

plain_string_enum! {
    /// What an opt-out covers.
    pub enum OptOutKind {
        /// A mailbox with its sub-addresses.
        Email = "email",
        /// A domain and its subdomains.
        Domain = "domain",
        /// A person's name in any spelling.
        Name = "name",
    }
}

/// Why a text cannot be used as an opt-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OptOutError {
    /// The text is not an e-mail address.
    #[error("this is not an e-mail address; give one such as ada@example.com")]
    NotAMailbox,
    /// The text is not a domain.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The text is not a full name.
    #[error("this is not a full name; give first and last name, as Ada Lovelace")]
    NotAName,
}

/// One entry of the list of opt-outs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOut {
    kind: OptOutKind,
    mark: String,
    hint: String,
    mailbox: Option<Mailbox>,
}

impl OptOut {
    /// Creates an opt-out of a mailbox. `ada+news@…` is the same mailbox as `ada@…`.
    ///
    /// # Errors
    /// [`OptOutError`] if the text is no mailbox.
    pub fn email(text: &str) -> Result<Self, OptOutError> {
        let mailbox = Mailbox::parse(text).ok_or(OptOutError::NotAMailbox)?;
        Ok(Self {
            kind: OptOutKind::Email,
            mark: mailbox.mark(),
            hint: mailbox.hint(),
            mailbox: Some(mailbox),
        })
    }

    /// Creates an opt-out of a domain and its subdomains.
    ///
    /// # Errors
    /// [`OptOutError`] if the text is no domain.
    pub fn domain(text: &str) -> Result<Self, OptOutError> {
        let domain = String::from(Domain::parse(text)?);
        Ok(Self { kind: OptOutKind::Domain, mark: domain.clone(), hint: domain, mailbox: None })
    }

    /// Creates an opt-out of a person's name, with or without honorifics, family name first or
    /// last.
    ///
    /// # Errors
    /// [`OptOutError`] if the text is no full name.
    pub fn name(text: &str) -> Result<Self, OptOutError> {
        let name = NormalizedName::parse(text).ok_or(OptOutError::NotAName)?;
        Ok(Self {
            kind: OptOutKind::Name,
            mark: name.mark(),
            hint: name::hint(text),
            mailbox: None,
        })
    }

    /// Parses a comma-separated list of opt-outs. The form of an entry gives its kind.
    ///
    /// # Errors
    /// [`OptOutError`] of the first invalid entry.
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

    #[must_use]
    pub fn kind(&self) -> OptOutKind {
        self.kind
    }

    /// The key under which the opt-out is stored and looked up.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// A shortened form for the operator that does not disclose the address or name.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Overwrites the mailbox in `bytes` in place, ignoring case, so that all lengths stay the
    /// same. Returns whether it was found.
    pub fn redact_bytes(&self, bytes: &mut [u8]) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| mailbox.redact_bytes(bytes))
    }
}

/// The stored hash of a spelling.
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
    fn stored_opt_out_does_not_disclose_the_person() {
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
    fn invalid_opt_outs_are_rejected() {
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
    fn kinds_of_a_list_are_recognised_by_their_form() {
        let list = OptOut::list("ada@x.org, Ada Lovelace,,example.com ").expect("opt-outs");
        let kinds: Vec<_> = list.iter().map(OptOut::kind).collect();
        assert_eq!(kinds, [OptOutKind::Email, OptOutKind::Name, OptOutKind::Domain]);
        assert_eq!(OptOut::list(""), Ok(Vec::new()));
        assert_eq!(OptOut::list("x@"), Err(OptOutError::NotAMailbox));
    }
}
