//! Company facts from metadata and title, and the logo.

use contract::ContactMethod;
use urls::CanonicalUrl;

use super::PageFacts;
use crate::words::placed_words;
use html::dom::{Dom, Element, NodeId};
use html::text::Collapsed;
use text::vocabulary::TermSet;

/// Reads language, brands, description and logo from metadata and title.
pub(super) fn head(dom: &Dom<'_>, base: &CanonicalUrl, facts: &mut PageFacts) {
    let mut title = String::new();
    let mut logo = None;
    for id in dom.descendants(NodeId::ROOT) {
        match dom.element(id) {
            Some(Element::Html) => {
                facts.language = dom
                    .attribute(id, "lang")
                    .map(|lang| lang.trim().to_owned())
                    .filter(|lang| lang.len() >= 2);
            }
            Some(Element::Title) if title.is_empty() => {
                title = Collapsed::of(&dom.inner_text(id), 300)
            }
            Some(Element::Meta) => {
                let name = dom.attribute(id, "name").or_else(|| dom.attribute(id, "property"));
                let content = dom
                    .attribute(id, "content")
                    .map(|text| Collapsed::of(&text, 1_000))
                    .filter(|text| !text.is_empty());
                match (name.as_deref().map(str::to_ascii_lowercase).as_deref(), content) {
                    (
                        Some("og:site_name" | "application-name" | "apple-mobile-web-app-title"),
                        Some(text),
                    ) if text.len() <= 100 => {
                        facts.brands.push((text, 1, ContactMethod::Text));
                    }
                    (Some("description" | "og:description"), Some(text))
                        if facts.description.is_none() =>
                    {
                        facts.description = Some((text, ContactMethod::Text));
                    }
                    _ => {}
                }
            }
            Some(Element::Image) if logo.is_none() => logo = logo_at(dom, id, facts),
            _ => {}
        }
    }
    if facts.logo.is_none()
        && let Some(url) = logo.and_then(|src| base.join(&src).ok())
    {
        facts.logo = Some((url.as_str().to_owned(), ContactMethod::Text));
    }
    for part in title
        .split(['|', '·', '»', '—', '•'])
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(" – "))
        .flat_map(|part| part.split(" / "))
    {
        let part = part.trim();
        if (2..=60).contains(&part.len()) {
            facts.brands.push((part.to_owned(), 3, ContactMethod::Text));
        }
    }
}

/// The image that markup calls the logo.
fn logo_at(dom: &Dom<'_>, id: NodeId, facts: &mut PageFacts) -> Option<String> {
    let says = |id: NodeId| {
        ["class", "id", "alt", "src"].iter().any(|name| {
            dom.raw_attribute(id, name)
                .is_some_and(|value| value.to_ascii_lowercase().contains("logo"))
        })
    };
    let is_logo = dom.self_and_ancestors(id).take(4).any(says);
    let is_foreign = dom.ancestors(id).take(12).any(|above| {
        let class = dom.raw_attribute(above, "class").unwrap_or_default().to_ascii_lowercase();
        ["partner", "client", "sponsor", "customer", "referen", "logos", "footer"]
            .iter()
            .any(|word| class.contains(word))
            || dom.is(above, Element::Footer)
    });
    if !is_logo || is_foreign {
        return None;
    }
    if let Some(alt) = dom.attribute(id, "alt") {
        let name = without_logo_words(alt.trim());
        if (2..=60).contains(&name.len()) && !name.eq_ignore_ascii_case("logo") {
            facts.brands.push((name.trim().to_owned(), 2, ContactMethod::Text));
        }
    }
    dom.attribute(id, "src")
        .or_else(|| dom.attribute(id, "data-src"))
        .map(|src| src.trim().to_owned())
        .filter(|src| !src.is_empty() && !src.starts_with("data:"))
}

/// Removes the words around a name in the text of a logo: "Logo of Muster", "Muster logo".
fn without_logo_words(alt: &str) -> &str {
    static LOGO_WORDS: TermSet = word_set!("company/logo_words.txt");
    let is_filler = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        LOGO_WORDS.contains(word.to_lowercase().as_str())
    };
    let has_logo = alt.to_lowercase().contains("logo") || alt.to_lowercase().contains("home");
    let words: Vec<(usize, &str)> = placed_words(alt).collect();
    let first = words.iter().position(|(_, word)| !is_filler(word));
    let last = words.iter().rposition(|(_, word)| !is_filler(word));
    match first.zip(last).filter(|_| has_logo) {
        Some((first, last)) => {
            let (from, to) = (words[first].0, words[last].0 + words[last].1.len());
            alt.get(from..to).unwrap_or(alt).trim_matches([' ', '-', '–', '|', ':'])
        }
        None => alt,
    }
}
