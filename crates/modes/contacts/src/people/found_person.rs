//! A person as one page shows them.

use contract::{ContactMethod, PersonProfile};

use super::name::PersonName;

/// How surely a title is this person's: the best one stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleRank {
    /// What the person answers for.
    Duty,
    /// The name of the organ before several names.
    Organ,
    /// The person's own.
    Own,
}

/// A number of a person, as it is spelled and as its link dials it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPhone {
    pub raw: String,
    pub dialled: Option<String>,
}

/// A person as one page shows them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundPerson {
    pub name: PersonName,
    pub title: Option<(TitleRank, String)>,
    pub department: Option<String>,
    /// The page says that they represent the company by law.
    pub represents: bool,
    pub emails: Vec<String>,
    pub phones: Vec<FoundPhone>,
    pub profiles: Vec<PersonProfile>,
    /// How surely this is a person of the company, from 0 to 1.
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

    /// Gives a title, unless a better one is known.
    pub fn set_title(&mut self, rank: TitleRank, title: &str) {
        let title = title.trim().trim_matches([',', ';', '-', '–', '|', ' ']);
        if title.is_empty() || self.title.as_ref().is_some_and(|(known, _)| *known >= rank) {
            return;
        }
        self.title = Some((rank, title.to_owned()));
    }
}
