//! The whole way of a run, over real sockets, through sites that mean no good:
//! every misdeed is an outcome for its URL, never for the run, and a run beside it
//! does not notice.

mod addresses;
mod bench;
mod misdeeds;
mod robots;
mod told;
