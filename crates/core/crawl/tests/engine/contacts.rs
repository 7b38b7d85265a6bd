//! Visits to domains: which door, which pages, which record.

mod crowd;
mod doors;
mod outcomes;
mod pages;
mod tour;
