//! `https://docs.lab.test/`: a documentation. Ten topics in three languages, a sitemap with
//! `hreflang` translations, one broken link, and one orphan: a page that only the sitemap lists.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::page::{SamplePage, document, robots, sitemap};

const HOST: &str = "https://docs.lab.test";

/// A topic: its path, and in each language its title and its text.
#[derive(Debug)]
struct DocsTopic {
    name: &'static str,
    texts: [(&'static str, &'static str); LANGUAGES.len()],
}

static TOPICS: LazyLock<Vec<DocsTopic>> = LazyLock::new(|| {
    let lines = include_str!("../data/topics.tsv").lines().filter(|line| !line.starts_with('#'));
    let topic = |line: &'static str| {
        let mut cells = line.split('\t');
        let mut next = || cells.next().unwrap_or_default();
        DocsTopic { name: next(), texts: std::array::from_fn(|_| (next(), next())) }
    };
    lines.map(topic).collect()
});

/// The languages, the default one first: English pages have no folder.
const LANGUAGES: [(&str, &str); 3] = [("en", ""), ("de", "/de"), ("fr", "/fr")];

pub(crate) fn page(path: &str) -> SamplePage {
    match path {
        "/robots.txt" => robots(HOST, ""),
        "/sitemap.xml" => listed(),
        "/changes" => changes(),
        _ => in_languages(path).unwrap_or_else(SamplePage::not_found),
    }
}

/// The path of a topic in a language; of the home page without a topic.
fn path_of(language: usize, topic: Option<&DocsTopic>) -> String {
    let folder = LANGUAGES[language].1;
    match topic {
        Some(topic) => format!("{folder}/{}", topic.name),
        None => format!("{folder}/"),
    }
}

/// The sitemap: each page with its translations.
fn listed() -> SamplePage {
    let mut entries = vec![(format!("{HOST}/changes"), String::new())];
    for topic in std::iter::once(None).chain(TOPICS.iter().map(Some)) {
        let more = alternates(topic, "xhtml:link", "/>");
        let of = |language| (format!("{HOST}{}", path_of(language, topic)), more.clone());
        entries.extend((0..LANGUAGES.len()).map(of));
    }
    sitemap(entries.iter().map(|(url, more)| (url.clone(), more.as_str())))
}

/// The translations of a page as link elements.
fn alternates(topic: Option<&DocsTopic>, element: &str, end: &str) -> String {
    let mut links = String::new();
    for (language, (code, _)) in LANGUAGES.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(
            links,
            "<{element} rel=\"alternate\" hreflang=\"{code}\" href=\"{HOST}{}\"{end}",
            path_of(language, topic)
        );
    }
    links
}

fn in_languages(path: &str) -> Option<SamplePage> {
    // The longest folder first: that of the default language is empty.
    let (language, rest) = (0..LANGUAGES.len()).rev().find_map(|language| {
        let rest = path.strip_prefix(LANGUAGES[language].1)?;
        rest.starts_with('/').then_some((language, rest))
    })?;
    if rest == "/" {
        return Some(home(language));
    }
    let topic = TOPICS.iter().find(|topic| rest.strip_prefix('/') == Some(topic.name))?;
    let (title, text) = topic.texts[language];
    let mut body = format!("<h1>{title}</h1>\n<p>{text}</p>\n");
    if (language, topic.name) == (0, "errors") {
        body.push_str(
            "<p>See also the <a href=\"/troubleshooting\">guide to troubleshooting</a>, \
            which does not exist: it is the one broken link of this site.</p>\n",
        );
    }
    Some(framed(language, Some(topic), title, &body))
}

fn home(language: usize) -> SamplePage {
    let (title, text) = [
        ("Documentation", "Everything about a tool that exists only to be crawled."),
        ("Dokumentation", "Alles über ein Werkzeug, das nur zum Crawlen da ist."),
        ("Documentation", "Tout sur un outil qui n'existe que pour être exploré."),
    ][language];
    framed(language, None, title, &format!("<h1>{title}</h1>\n<p>{text}</p>"))
}

fn framed(language: usize, topic: Option<&DocsTopic>, title: &str, body: &str) -> SamplePage {
    let own = path_of(language, topic);
    let head = format!(
        "<link rel=\"canonical\" href=\"{HOST}{own}\">\n{}\n",
        alternates(topic, "link", ">")
    );
    let mut links = String::new();
    for topic in TOPICS.iter() {
        let title = topic.texts[language].0;
        let _ = write!(links, "<a href=\"{}\">{title}</a> ", path_of(language, Some(topic)));
    }
    for (other, (code, _)) in LANGUAGES.iter().enumerate() {
        let _ = write!(links, "<a href=\"{}\" lang=\"{code}\">{code}</a> ", path_of(other, topic));
    }
    let body = format!("<nav>{links}</nav>\n<main>\n<article>\n{body}\n</article>\n</main>");
    SamplePage::html(document(LANGUAGES[language].0, title, &body, &head))
}

/// The page that only the sitemap lists.
fn changes() -> SamplePage {
    let body = "<main>\n<h1>Changes</h1><p>No page links here: only the sitemap knows this page, so \
        that you can try the detection of orphans.</p>\n</main>";
    let head = format!("<link rel=\"canonical\" href=\"{HOST}/changes\">\n");
    SamplePage::html(document("en", "Changes", body, &head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_exists_in_every_language_and_one_link_is_broken() {
        assert_eq!(TOPICS.len(), 10);
        for (title, text) in TOPICS.iter().flat_map(|topic| topic.texts) {
            assert!(!title.is_empty() && text.ends_with('.'), "{title}: {text}");
        }
        for language in 0..LANGUAGES.len() {
            for topic in std::iter::once(None).chain(TOPICS.iter().map(Some)) {
                let path = path_of(language, topic);
                assert_eq!(page(&path).status, 200, "{path}");
            }
        }
        let listed = page("/sitemap.xml").body.matches("<loc>").count();
        assert_eq!(listed, 34, "33 translated pages and the orphan");
        assert_eq!(page("/troubleshooting").status, 404);
        assert!(page("/errors").body.contains("/troubleshooting"));
    }
}
