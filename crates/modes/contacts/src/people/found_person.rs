//! A person as one page shows them.

use contract::{ContactMethod, PersonProfile};

use super::name::PersonName;

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
    /// Confidence from 0 to 1 that this is a person of the company.
    pub strength: f64,
    pub method: ContactMethod,
}

impl FoundPerson {
    pub fn new(name: PersonName, strength: f64, method: ContactMethod) -> Self {
        Self {
            name,
            title: None,
            department: None,
            represents: false,
            emails: Vec::new(),
            phones: Vec::new(),
            profiles: Vec::new(),
            strength,
            method,
        }
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
