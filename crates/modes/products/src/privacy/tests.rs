//! What goes and what stays.

mod gone;
mod lab;
mod staying;
