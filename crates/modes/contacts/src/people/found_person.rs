//! A person as one page shows them.

use contract::{ContactMethod, PersonProfile, PersonSource, Seniority};

use super::evidence::{PersonEvidence, PersonFeature as F};
use super::mailbox::{LocalPart, MailboxMatch, Spellings};
use super::name::{GivenNameMatch, PersonName};
use super::{job_title, model, profile};
use crate::email;
use crate::phone::PhoneOccurrence;

/// Reliability of a title; the best title is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleRank {
    /// What the person is responsible for.
    Duty,
    /// The board that a label names before several people.
    Board,
    /// The title of this person.
    Own,
}

/// A phone number as the page writes it and as its link dials it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPhone {
    pub raw: String,
    pub dialled: Option<String>,
}

impl FoundPhone {
    pub fn of(phone: &PhoneOccurrence) -> Self {
        Self { raw: phone.raw.clone(), dialled: phone.dialled.clone() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundPerson {
    pub name: PersonName,
    pub title: Option<(TitleRank, String)>,
    pub department: Option<String>,
    /// The page says that this person represents the company by law.
    pub represents: bool,
    pub emails: Vec<String>,
    pub phones: Vec<FoundPhone>,
    pub profiles: Vec<PersonProfile>,
    /// Probability that this is a person of the company.
    pub confidence: f64,
    pub evidence: PersonEvidence,
    pub method: ContactMethod,
}

impl FoundPerson {
    pub fn new(name: PersonName, method: ContactMethod) -> Self {
        Self {
            name,
            title: None,
            department: None,
            represents: false,
            emails: Vec::new(),
            phones: Vec::new(),
            profiles: Vec::new(),
            confidence: 0.0,
            evidence: PersonEvidence::default(),
            method,
        }
    }

    /// Sets the features of the name, the title and the channels, and the confidence. `host` is
    /// that of the site.
    pub fn assess(&mut self, host: &str) {
        let evidence = &mut self.evidence;
        let given = self.name.given_name_match;
        evidence.set_if(F::GivenNameKnown, given == GivenNameMatch::Known);
        evidence.set_if(F::GivenNameAmbiguous, given == GivenNameMatch::Ambiguous);
        evidence.set_if(F::Honorific, self.name.honorific.is_some());
        evidence.set_if(F::NameUnusual, is_unusual(&self.name.name));
        let title = self.title.as_ref().and_then(|(_, title)| job_title::parse(title));
        evidence.set_if(F::Title, self.title.is_some());
        let seniority = title.map(|title| title.seniority);
        evidence.set_if(F::TitleExecutive, seniority == Some(Seniority::Executive));
        evidence.set_if(F::TitleUnknown, self.title.is_some() && seniority.is_none());
        evidence.set_if(F::Phone, !self.phones.is_empty());
        let spellings = Spellings::of(&self.name);
        for mail in &self.emails {
            let is_named = spellings.mailbox_match(&LocalPart::of(mail)) > MailboxMatch::None;
            evidence.set_if(F::MailboxNamed, is_named);
            let domain = mail.split_once('@').map_or("", |(_, domain)| domain);
            evidence.set_if(F::MailboxOwnDomain, email::is_own_domain(domain, host));
        }
        for one in &self.profiles {
            let is_personal = profile::is_surely_personal(one);
            evidence.set(if is_personal { F::ProfilePersonal } else { F::ProfileOther });
        }
        self.confidence = model::probability(evidence);
    }

    /// The page, method and context, for the record.
    pub fn source(&self, url: String) -> PersonSource {
        let context = self.evidence.context_kind(self.method);
        PersonSource { url, method: self.method, context: Some(context) }
    }

    /// Sets the title that structured data or a vCard states.
    pub fn set_stated_title(&mut self, title: &str) {
        self.represents = job_title::parse(title).is_some_and(|role| role.represents);
        self.set_title(TitleRank::Own, title);
    }

    /// Adds the profile that a link leads to.
    pub fn add_profile(&mut self, href: &str) {
        add_new(&mut self.profiles, profile::of(href));
    }

    /// Sets the title unless a better one is known.
    pub fn set_title(&mut self, rank: TitleRank, title: &str) {
        let title = title.trim().trim_matches([',', ';', '-', '–', '|', ' ']);
        if title.is_empty() || self.title.as_ref().is_some_and(|(known, _)| *known >= rank) {
            return;
        }
        self.title = Some((rank, title.to_owned()));
    }
}

/// Whether a name has more than three words, a possessive or a word in capitals.
fn is_unusual(name: &str) -> bool {
    let mut words = name.split_whitespace();
    let is_capital =
        |word: &str| word.len() > 1 && word.chars().all(|c| c.is_uppercase() || !c.is_alphabetic());
    words.clone().count() > 3
        || words.any(|word| {
            word.ends_with("'s") || word.ends_with("’s") || word == "-" || is_capital(word)
        }) && name.chars().any(char::is_lowercase)
}

/// Adds the values that a list does not have.
pub(super) fn add_new<T: PartialEq>(list: &mut Vec<T>, values: impl IntoIterator<Item = T>) {
    for value in values {
        if !list.contains(&value) {
            list.push(value);
        }
    }
}
