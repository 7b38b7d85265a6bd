//! The console: what the service can do, for a person with a browser.
