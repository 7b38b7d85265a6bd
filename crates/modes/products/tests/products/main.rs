//! Product pages: how well the lab's shops are read, and what no page may do to the reader.

mod bad_input;
mod goals;
mod scoring;
mod sources;
