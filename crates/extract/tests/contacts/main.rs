//! Contacts: what the pages of a company give.

mod company;
mod fresh_people;
mod measure;
mod people;
