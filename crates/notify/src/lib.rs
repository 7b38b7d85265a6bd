//! Sign, send, back off.
