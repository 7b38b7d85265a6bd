//! A response of a sample site, before its conversion to [`net::FetchResponse`].

use std::fmt::Write as _;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SamplePage {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// Time until the response.
    pub delay: Duration,
    /// The request times out without a response.
    pub hangs: bool,
}

impl SamplePage {
    fn of(status: u16, content_type: &'static str, body: String) -> Self {
        let (headers, delay) = (Vec::new(), Duration::ZERO);
        Self { status, content_type, headers, body, delay, hangs: false }
    }

    pub fn html(body: String) -> Self {
        Self::of(200, "text/html; charset=utf-8", body)
    }

    pub fn xml(body: String) -> Self {
        Self::of(200, "application/xml", body)
    }

    pub fn text(body: impl Into<String>) -> Self {
        Self::of(200, "text/plain; charset=utf-8", body.into())
    }

    pub fn not_found() -> Self {
        let body = document("en", "Page not found", "<h1>Page not found</h1>", "");
        Self::of(404, "text/html; charset=utf-8", body)
    }

    pub fn redirect(to: impl Into<String>) -> Self {
        Self::of(301, "text/html; charset=utf-8", String::new()).header("location", to)
    }

    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    pub fn hanging(self) -> Self {
        Self { hangs: true, ..self }
    }
}

/// An HTML document. `head` is inserted into its head unchanged.
pub(crate) fn document(language: &str, title: &str, body: &str, head: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         {head}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
}

/// The robots.txt of a site with a sitemap; `rules` are inserted unchanged.
pub(crate) fn robots(host: &str, rules: &str) -> SamplePage {
    SamplePage::text(format!("User-agent: *\nAllow: /\n{rules}Sitemap: {host}/sitemap.xml\n"))
}

/// A sitemap of these URLs, each with the elements that follow its `<loc>`.
pub(crate) fn sitemap<'t>(entries: impl Iterator<Item = (String, &'t str)>) -> SamplePage {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
        xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
        .to_owned();
    for (url, more) in entries {
        // Writing to a string cannot fail.
        let _ = writeln!(xml, "<url><loc>{url}</loc>{more}</url>");
    }
    xml.push_str("</urlset>\n");
    SamplePage::xml(xml)
}
