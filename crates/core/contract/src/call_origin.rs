//! The origin of a call from inside the process.

/// The component of this process that made a call of the API.
///
/// It is an extension of the request. Requests from the network never have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOrigin {
    /// The web console: the session of its user is accepted by every operation.
    Console,
    /// The MCP tools: jobs of an application count for the channel `mcp`.
    Mcp,
    /// The operations of Firecrawl: credentials have the same rights as at the API itself.
    Firecrawl,
}
