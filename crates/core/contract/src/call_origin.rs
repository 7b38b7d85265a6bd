//! The doors inside the process.

/// Where a call comes from that did not come over the wire.
///
/// It is laid beside a request by whoever asks from inside the process, as an extension of it:
/// nothing that a client can send makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOrigin {
    /// The console, for a person: their session opens every operation.
    Console,
    /// The tools of an assistant: what an application starts by them counts for the channel `mcp`.
    Mcp,
}
