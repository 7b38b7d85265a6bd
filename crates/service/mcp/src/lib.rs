//! The tools by which an assistant uses the service, in the words of the Model Context Protocol.
//!
//! A tool is one operation of the interface, called as its user with the user's own credential:
//! nothing is judged, limited or charged here. What this room adds is what a model needs: words
//! that explain themselves, results in pieces that fit a context, and a hint what comes next.
//!
//! Over HTTP there are no sessions. Every request carries its credential, so that there is
//! nothing to steal, to bound or to end, and any node can answer.

mod advice;
mod assistant;
mod desk;
mod gate;
mod line;
mod piece;
mod prompts;
mod resources;
mod stdio;
mod tools;
mod trouble;
mod visible;

pub use gate::{McpSettings, router};
pub use stdio::{StdioError, serve_stdio};
