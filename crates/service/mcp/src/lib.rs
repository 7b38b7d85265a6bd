//! MCP server: the tools, resources and prompts by which an assistant uses the service.
//!
//! Each tool is one operation of the API, called through [`client::Client`] with the credential of
//! the caller, so that permissions, limits and charges are those of the API. This crate adds what a
//! model needs: descriptions, results in chunks that fit a context (`result_chunk`), and a `next`
//! text with the next step. [`router`] serves `/mcp` over HTTP without sessions: every request
//! carries its credential, and any node can handle it. [`serve_stdio`] serves standard input and
//! output.
//!
//! To add a tool: a file in `tools/` with `NAME`, `tool()` and `call()`, its lines in `tools.rs`,
//! and a row in `docs/mcp.md`.

mod api_session;
mod auth_layer;
mod next_steps;
mod progress_reporter;
mod prompts;
mod resources;
mod result_chunk;
mod server;
mod stdio;
mod tool_error;
mod tools;
mod visible;

pub use auth_layer::{McpSettings, router};
pub use stdio::{StdioError, serve_stdio};
