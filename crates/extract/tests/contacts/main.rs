//! Contacts: what the pages of a company give.

mod company;
mod measure;
mod people;
