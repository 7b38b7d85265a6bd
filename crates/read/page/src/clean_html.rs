//! The HTML of a page for other programs: without what runs or hides, with absolute URLs.

use html::budget;
use html::entity::{EntityContext, resolve};
use html::srcset;
use html::tokenizer::{Element, HtmlToken, Tokenizer};
use url::Url;
use urls::CanonicalUrl;

/// Attributes whose value is a URL.
const URL_ATTRIBUTES: &[&str] = &[
    "href",
    "src",
    "action",
    "formaction",
    "poster",
    "cite",
    "data",
    "background",
    "longdesc",
    "xlink:href",
];

/// Attributes whose value is a list of images.
const SRCSET_ATTRIBUTES: &[&str] = &["srcset", "imagesrcset"];

/// Rewrites a decoded page: scripts, styles, comments, event handlers, `<base>` and refreshes are
/// removed, URLs are absolute, and attributes are quoted. The other markup stays as it is written.
#[must_use]
pub fn clean_html(text: &str, url: &CanonicalUrl) -> String {
    budget::ensure(text.len(), || CleanHtml::new(text, url).write(text))
}

struct CleanHtml {
    base: Option<Url>,
    html: String,
}

impl CleanHtml {
    fn new(text: &str, url: &CanonicalUrl) -> Self {
        let base = Url::parse(url.as_str()).ok();
        let mut html = String::with_capacity(text.len());
        html.push_str("<!DOCTYPE html>\n");
        Self { base, html }
    }

    fn write(mut self, text: &str) -> String {
        let mut tokenizer = Tokenizer::new(text);
        let mut has_base = false;
        while let Some(token) = tokenizer.next_token() {
            match token {
                HtmlToken::Text(text) => self.push(text),
                HtmlToken::Start(Element::Script | Element::Style)
                | HtmlToken::End(Element::Script | Element::Style | Element::Base)
                | HtmlToken::Raw(Element::Script | Element::Style, _) => {}
                HtmlToken::Start(Element::Base) => {
                    // The first one counts.
                    if let Some(href) = tokenizer.attribute("href").filter(|_| !has_base) {
                        has_base = true;
                        self.base = self.resolved(href).or(self.base);
                    }
                }
                HtmlToken::Start(Element::Meta) if is_refresh(&tokenizer) => {}
                HtmlToken::Start(_) => self.start_tag(&tokenizer),
                HtmlToken::End(_) => {
                    self.push("</");
                    self.push(tokenizer.name());
                    self.push(">");
                }
                HtmlToken::Raw(_, text) => self.push(text),
            }
        }
        self.html
    }

    fn push(&mut self, text: &str) {
        if budget::bytes(text.len()) {
            self.html.push_str(text);
        }
    }

    fn start_tag(&mut self, tag: &Tokenizer<'_>) {
        self.push("<");
        self.push(tag.name());
        for attribute in tag.attributes() {
            let name = attribute.name.to_ascii_lowercase();
            if name.starts_with("on") || name == "srcdoc" {
                continue;
            }
            if URL_ATTRIBUTES.contains(&name.as_str()) {
                if let Some(url) = self.resolved(attribute.value) {
                    self.attribute(attribute.name, &escaped(url.as_str()));
                }
            } else if SRCSET_ATTRIBUTES.contains(&name.as_str()) {
                let images = self.images(attribute.value);
                self.attribute(attribute.name, &escaped(&images));
            } else {
                self.attribute(attribute.name, &attribute.value.replace('"', "&quot;"));
            }
        }
        self.push(if tag.is_closed() { "/>" } else { ">" });
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.push(" ");
        self.push(name);
        self.push("=\"");
        self.push(value);
        self.push("\"");
    }

    /// The URL of an attribute. `None` if it is not a URL, or one that runs a script.
    fn resolved(&self, value: &str) -> Option<Url> {
        let value = resolve(value, EntityContext::Attribute);
        budget::steps(value.len());
        let base = Url::options().base_url(self.base.as_ref());
        let url = base.parse(value.trim_ascii()).ok()?;
        let is_script = matches!(url.scheme(), "javascript" | "vbscript");
        let is_page = url.scheme() == "data" && !url.path().starts_with("image/");
        (!is_script && !is_page).then_some(url)
    }

    fn images(&self, value: &str) -> String {
        let value = resolve(value, EntityContext::Attribute);
        let mut images = String::new();
        for image in srcset::candidates(&value) {
            let Some(url) = self.resolved(image.url) else { continue };
            let text = image.descriptors.trim_ascii();
            if !budget::bytes(url.as_str().len() + text.len()) {
                break;
            }
            if !images.is_empty() {
                images.push_str(", ");
            }
            images.push_str(url.as_str());
            if !text.is_empty() {
                images.push(' ');
                images.push_str(text);
            }
        }
        images
    }
}

/// Whether a `<meta>` navigates or sets a policy.
fn is_refresh(tag: &Tokenizer<'_>) -> bool {
    tag.attribute("http-equiv").is_some_and(|header| {
        let header = resolve(header, EntityContext::Attribute);
        ["refresh", "content-security-policy", "set-cookie"]
            .iter()
            .any(|name| header.trim().eq_ignore_ascii_case(name))
    })
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(html: &str) -> String {
        let url = CanonicalUrl::parse("https://shop.test/a/page").expect("a URL");
        let text = clean_html(html, &url);
        text.strip_prefix("<!DOCTYPE html>\n").expect("a doctype").to_owned()
    }

    #[test]
    fn urls_are_absolute_and_the_rest_stays() {
        assert_eq!(
            clean(
                "<!doctype html><p class='a \"b\"'>A &amp; B <a HREF=../x?a=1&amp;b=2#c>x</a><br><svg><path d=M0 /></svg>"
            ),
            "<p class=\"a &quot;b&quot;\">A &amp; B <a HREF=\"https://shop.test/x?a=1&amp;b=2#c\">x</a>\
             <br><svg><path d=\"M0\"/></svg>"
        );
        assert_eq!(
            clean(
                "<base href=/b/><base href=/c/><img src=i.png srcset='i.png 1x, //cdn.test/j.png 2x'>"
            ),
            "<img src=\"https://shop.test/b/i.png\" \
             srcset=\"https://shop.test/b/i.png 1x, https://cdn.test/j.png 2x\">"
        );
        assert_eq!(clean("<textarea><b>&lt;</textarea>"), "<textarea><b>&lt;</textarea>");
    }

    #[test]
    fn what_runs_is_removed() {
        for page in [
            "<script>alert(1)</script>",
            "<script src=x></script><style>a{}</style><!-- <b> -->",
            "<meta http-equiv=Refresh content='0;url=/x'>",
            "<meta http-equiv='&#82;efresh' content='0;url=/x'>",
        ] {
            assert_eq!(clean(page), "", "{page}");
        }
        for (page, kept) in [
            ("<p onclick=alert(1) ONload='x'>", "<p>"),
            ("<a href=javascript:alert(1)>", "<a>"),
            ("<a href=' JaVa&#115;cript:alert(1)'>", "<a>"),
            ("<a href='java\nscript:alert(1)'>", "<a>"),
            ("<iframe srcdoc='<script>x</script>' src='data:text/html,x'>", "<iframe>"),
            ("<img src=data:image/png;base64,AA>", "<img src=\"data:image/png;base64,AA\">"),
        ] {
            assert_eq!(clean(page), kept, "{page}");
        }
    }

    #[test]
    fn expansion_is_bounded_by_the_budget_of_the_page() {
        let base = format!("<base href=/{}/>", "b".repeat(60_000));
        let page = base + &"<a href=x>".repeat(50_000);
        let read = budget::with(budget::PageBudget::for_page(page.len()), || clean(&page).len());
        assert_eq!(read, Err(budget::Exhausted::Bytes));
    }
}
