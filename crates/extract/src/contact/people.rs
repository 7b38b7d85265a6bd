//! The people of a page: names, titles, departments and what ties mailboxes, numbers and
//! profiles to them; and the people of a domain, folded from its pages.

mod name;
mod role;
