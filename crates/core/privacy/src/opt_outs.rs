//! The opt-outs in force.

use std::collections::{BTreeSet, HashSet};

use super::mailbox::{self, Mailbox, mailboxes};
use super::name::{self, NormalizedName};
use super::{OptOut, OptOutKind};
use urls::CanonicalUrl;

/// All opt-outs. A lookup takes constant time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptOuts {
    mailboxes: HashSet<String>,
    domains: HashSet<String>,
    names: HashSet<String>,
    /// The numbers of words of the names.
    name_lengths: BTreeSet<usize>,
}

impl OptOuts {
    /// Creates the list from stored marks.
    pub fn new(marks: impl IntoIterator<Item = (OptOutKind, String)>) -> Self {
        let mut list = Self::default();
        for (kind, mark) in marks {
            match kind {
                OptOutKind::Email => list.mailboxes.insert(mark),
                OptOutKind::Domain => list.domains.insert(mark),
                OptOutKind::Name => {
                    list.name_lengths.extend(name::length_of(&mark));
                    list.names.insert(mark)
                }
            };
        }
        list
    }

    /// A list with one opt-out.
    #[must_use]
    pub fn of(opt_out: &OptOut) -> Self {
        Self::new([(opt_out.kind(), opt_out.mark().to_owned())])
    }

    /// Whether there is no opt-out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mailboxes.is_empty() && self.domains.is_empty() && self.names.is_empty()
    }

    /// Whether `host` is an opted-out domain or a subdomain of one. Such hosts are not
    /// requested.
    #[must_use]
    pub fn cover_host(&self, host: &str) -> bool {
        if self.domains.is_empty() {
            return false;
        }
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let mut rest = host.as_str();
        loop {
            if self.domains.contains(rest) {
                return true;
            }
            match rest.split_once('.') {
                Some((_, above)) => rest = above,
                None => return false,
            }
        }
    }

    /// Whether the host of a URL is covered.
    #[must_use]
    pub fn cover_url(&self, url: &str) -> bool {
        !self.domains.is_empty()
            && CanonicalUrl::parse(url).is_ok_and(|url| self.cover_host(url.host()))
    }

    /// Whether a mailbox is covered, in any spelling.
    #[must_use]
    pub fn cover_mailbox(&self, text: &str) -> bool {
        Mailbox::of(text).is_some_and(|mailbox| self.cover(&mailbox))
    }

    /// Whether a person's name is covered.
    #[must_use]
    pub fn cover_name(&self, name: &str) -> bool {
        !self.names.is_empty()
            && NormalizedName::of(name)
                .is_some_and(|name| name.marks().iter().any(|mark| self.names.contains(mark)))
    }

    /// The text without covered mailboxes; `None` if it contains none.
    #[must_use]
    pub fn redact(&self, text: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut kept = String::new();
        let mut from = 0;
        for (place, mailbox) in mailboxes(text) {
            if place.start >= from && self.cover(&mailbox) {
                kept.push_str(text.get(from..place.start).unwrap_or_default());
                kept.push_str(mailbox::REMOVED);
                from = place.end;
            }
        }
        (from > 0).then(|| kept + text.get(from..).unwrap_or_default())
    }

    /// Whether a short text (a name, a label or an address) contains a covered name.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        self.name_lengths.iter().any(|length| {
            name::marks_within(text, *length).iter().any(|mark| self.names.contains(mark))
        })
    }

    fn cover(&self, mailbox: &Mailbox) -> bool {
        self.cover_host(&mailbox.host)
            || (!self.mailboxes.is_empty() && self.mailboxes.contains(&mailbox.mark()))
            || (!self.names.is_empty() && self.is_named_in(mailbox.local()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(opt_outs: &[OptOut]) -> OptOuts {
        let marks = opt_outs.iter().map(|one| (one.kind(), one.mark().to_owned()));
        OptOuts::new(marks)
    }

    #[test]
    fn domain_covers_its_subdomains() {
        let list = list(&[OptOut::domain("firm.example").expect("a domain")]);
        for host in ["firm.example", "www.Firm.example", "a.b.firm.example."] {
            assert!(list.cover_host(host), "{host}");
        }
        for host in ["example", "afirm.example", "firm.example.com", ""] {
            assert!(!list.cover_host(host), "{host}");
        }
        assert!(list.cover_mailbox("info@mail.firm.example"));
    }

    #[test]
    fn mailbox_is_covered_in_every_spelling() {
        let list = list(&[OptOut::email("Ada@Bücher.example").expect("a mailbox")]);
        for spelling in
            ["ada@xn--bcher-kva.example", "ADA+shop@bücher.example", "ada@bücher.example."]
        {
            assert!(list.cover_mailbox(spelling), "{spelling}");
        }
        for other in ["nada@bücher.example", "ada@bucher.example", "ada", "@", ""] {
            assert!(!list.cover_mailbox(other), "{other}");
        }
    }

    #[test]
    fn covered_mailboxes_are_redacted_in_texts() {
        let list = list(&[
            OptOut::email("ada@x.org").expect("a mailbox"),
            OptOut::domain("firm.example").expect("a domain"),
        ]);
        let text = "Ask ada@x.org or Ada+2@X.org, not bob@x.org, nor info@firm.example.";
        let kept = "Ask (removed) or (removed), not bob@x.org, nor (removed).";
        assert_eq!(list.redact(text).as_deref(), Some(kept));
        assert_eq!(list.redact(kept), None);
        assert_eq!(OptOuts::default().redact(text), None);
    }
}
