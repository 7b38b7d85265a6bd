//! Contacts: what the pages of a company give.

mod company;
mod drawn;
mod fresh;
mod fresh_people;
mod further_people;
mod hostile;
mod measure;
mod people;
