//! Plain text, for every reader of texts: e-mail addresses and phone numbers in it, spellings of its
//! words, and vocabularies.
//!
//! - [`mailbox`] finds e-mail addresses, also with words for "@" and dot, and says how they are
//!   written. The caller decides which candidates count: contacts need certainty, redaction must
//!   miss none.
//! - [`phone`] finds runs of digits that are phone numbers and not dates or amounts, for contacts.
//! - [`fold`] removes case and accents, so that spellings of a name can be compared.
//! - [`logistic`] evaluates a small learned model over named features.
//! - [`vocabulary`] parses word lists and tables that a crate keeps under its `data/` folder;
//!   [`named_enum!`] declares enums whose names such a table or a stored value spells.
//!
//! To teach the scanner another spelling of "@", add the word to `data/at_words.txt`, and to the
//! other `at_words_*.txt` whose head describes it.
//!
//! ```
//! use text::mailbox::MailboxScanner;
//!
//! let scanner = MailboxScanner::new("Fragen an info [at] example [dot] com.");
//! let found = scanner.mailboxes(|mailbox| mailbox.has_known_ending());
//! assert_eq!(found[0].value, "info@example.com");
//! ```

pub mod fold;
pub mod logistic;
pub mod mailbox;
mod named_enum;
pub mod phone;
pub mod vocabulary;
