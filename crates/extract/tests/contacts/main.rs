//! Contacts: what the pages of a company give.

mod company;
mod fresh;
mod hostile;
mod measure;
