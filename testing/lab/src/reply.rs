//! A reply: a valid response, or raw bytes and pauses.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A valid response; the server adds the framing.
    Full(FullReply),
    /// These steps on the connection, which need not be valid HTTP. The connection ends after them.
    Raw(Vec<RawStep>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullReply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
}

/// One step of a raw reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawStep {
    Bytes(Bytes),
    /// Repeats these bytes with a pause in between until the client closes the connection.
    Forever(Bytes, Duration),
    Pause(Duration),
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
}

/// A pause longer than every test; dropping the lab ends it.
pub(crate) const LONG_PAUSE: Duration = Duration::from_secs(3600);

/// These bytes as a step of a raw reply.
pub(crate) fn raw(text: &'static str) -> RawStep {
    RawStep::Bytes(Bytes::from_static(text.as_bytes()))
}

impl Reply {
    pub fn html(body: impl Into<Bytes>) -> Self {
        Self::typed(200, "text/html; charset=utf-8", body)
    }

    pub fn text(body: impl Into<Bytes>) -> Self {
        Self::typed(200, "text/plain; charset=utf-8", body)
    }

    /// A response with this status, content type and body.
    pub fn typed(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self::Full(FullReply { status, headers, body: body.into() })
    }

    /// A response with this status and its name as text.
    pub fn status(status: u16) -> Self {
        Self::typed(status, "text/plain; charset=utf-8", format!("{status} {}\n", reason(status)))
    }

    pub fn redirect(status: u16, location: impl Into<String>) -> Self {
        Self::status(status).with_header("location", location)
    }

    /// A sitemap of these paths of `host`.
    pub(crate) fn sitemap(host: &str, paths: impl Iterator<Item = String>) -> Self {
        let urls: String =
            paths.map(|path| format!("<url><loc>http://{host}{path}</loc></url>\n")).collect();
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
        );
        Self::typed(200, "application/xml", xml)
    }

    /// Adds a header; a raw reply is returned unchanged.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Full(whole) = &mut self {
            whole.headers.push((name, value.into()));
        }
        self
    }
}

impl FullReply {
    /// The response head as bytes on the wire.
    pub(crate) fn head(&self, keep_alive: bool) -> String {
        let mut head = String::with_capacity(192);
        let connection = if keep_alive { "keep-alive" } else { "close" };
        // Writing to a String cannot fail.
        let _ = write!(head, "HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ =
            write!(head, "content-length: {}\r\nconnection: {connection}\r\n\r\n", self.body.len());
        head
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
