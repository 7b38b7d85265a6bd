//! The contacts of the lab's companies, against the truth about each.

mod people;
