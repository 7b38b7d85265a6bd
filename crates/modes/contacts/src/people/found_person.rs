//! A person as one page shows them.

use contract::{ContactMethod, PersonProfile};

use super::name::PersonName;
use super::{job_title, profile};
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

/// Adds the values that a list does not have.
pub(super) fn add_new<T: PartialEq>(list: &mut Vec<T>, values: impl IntoIterator<Item = T>) {
    for value in values {
        if !list.contains(&value) {
            list.push(value);
        }
    }
}
