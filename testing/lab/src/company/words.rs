//! What a company's pages say, in each of the eight languages. All names are invented.

mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod polish;
mod portuguese;
mod spanish;

pub(super) use dutch::DUTCH;
pub(super) use english::ENGLISH;
pub(super) use french::FRENCH;
pub(super) use german::GERMAN;
pub(super) use italian::ITALIAN;
pub(super) use polish::POLISH;
pub(super) use portuguese::{BRAZILIAN, PORTUGUESE};
pub(super) use spanish::SPANISH;

use super::truth::Seniority;

/// One language.
#[derive(Debug)]
pub(super) struct Words {
    /// As `lang` says it, without a region.
    pub(super) tag: &'static str,
    pub(super) pages: PageNames,
    pub(super) labels: Labels,
    /// What is written for "@" and ".".
    pub(super) signs: &'static [(&'static str, &'static str)],
    pub(super) women: &'static [&'static str],
    pub(super) men: &'static [&'static str],
    pub(super) surnames: &'static [&'static str],
    /// For men and for women.
    pub(super) honorifics: &'static [(&'static str, &'static str)],
    pub(super) roles: &'static [Role],
    /// Mailboxes of the house: the general one first.
    pub(super) boxes: &'static [(&'static str, &'static str)],
    /// Where the mailboxes and the lines of departments are listed.
    pub(super) departments: &'static [&'static str],
    pub(super) services: &'static [&'static str],
    pub(super) prose: &'static [&'static str],
    pub(super) talk: Talk,
}

/// Link text and slug of each page; some have two of each, as sites differ.
#[derive(Debug)]
pub(super) struct PageNames {
    pub(super) home: &'static str,
    pub(super) contact: [(&'static str, &'static str); 2],
    pub(super) imprint: [(&'static str, &'static str); 2],
    pub(super) about: [(&'static str, &'static str); 2],
    pub(super) team: [(&'static str, &'static str); 2],
    pub(super) press: (&'static str, &'static str),
    pub(super) locations: (&'static str, &'static str),
    pub(super) privacy: (&'static str, &'static str),
    pub(super) services: (&'static str, &'static str),
    pub(super) news: (&'static str, &'static str),
    pub(super) jobs: (&'static str, &'static str),
}

/// What stands before a value; several where sites differ.
#[derive(Debug)]
pub(super) struct Labels {
    /// Over the names and over the titles of a table.
    pub(super) columns: (&'static str, &'static str),
    pub(super) phone: [&'static str; 3],
    pub(super) fax: &'static str,
    pub(super) mobile: &'static str,
    pub(super) email: [&'static str; 2],
    pub(super) address: &'static str,
    pub(super) hours: &'static str,
    pub(super) extension: &'static str,
    pub(super) bank: &'static str,
    pub(super) represented: &'static str,
    pub(super) authority: &'static str,
    pub(super) chamber: &'static str,
    pub(super) host: &'static str,
    pub(super) officer: &'static str,
    pub(super) made_by: &'static str,
    pub(super) follow: &'static str,
    pub(super) share: &'static str,
    pub(super) department: &'static str,
    pub(super) founded: &'static str,
    pub(super) disputes: &'static str,
    pub(super) order: &'static str,
    pub(super) article: &'static str,
    pub(super) author: &'static str,
}

/// Whole sentences.
#[derive(Debug)]
pub(super) struct Talk {
    /// Whose site it is: `{legal}` and `{address}` are filled in.
    pub(super) owner: &'static str,
    pub(super) cookies: &'static str,
    pub(super) accept: &'static str,
    pub(super) decline: &'static str,
    pub(super) praise: [&'static str; 2],
    pub(super) customer_roles: [&'static str; 2],
    pub(super) quote: &'static str,
    pub(super) regards: &'static str,
    pub(super) form: [&'static str; 4],
    pub(super) privacy: &'static str,
    pub(super) job: &'static str,
    pub(super) liability: &'static str,
    pub(super) hours: &'static str,
    pub(super) tagline: &'static str,
}

/// What somebody does.
#[derive(Debug)]
pub(super) struct Role {
    pub(super) man: &'static str,
    pub(super) woman: &'static str,
    /// Index into the departments.
    pub(super) department: Option<usize>,
    pub(super) seniority: Seniority,
}

pub(super) const fn role(
    man: &'static str,
    woman: &'static str,
    department: Option<usize>,
    seniority: Seniority,
) -> Role {
    Role { man, woman, department, seniority }
}
