//! Finds links to pages with contact data, by link text and URL.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use hashbrown::HashSet;
use urls::CanonicalUrl;

use super::visible_text::{VisibleText, Zone};
use super::{ContactLead, LeadTopic};
use text::vocabulary::{self, TermSet};

/// Maximum leads per page.
const MAX_LEADS: usize = 60;

const TOPIC_WORDS: &[(LeadTopic, &str)] = &[
    (LeadTopic::Imprint, term_file!("topics/imprint.txt")),
    (LeadTopic::Contact, term_file!("topics/contact.txt")),
    (LeadTopic::Management, term_file!("topics/management.txt")),
    (LeadTopic::Team, term_file!("topics/team.txt")),
    (LeadTopic::About, term_file!("topics/about.txt")),
    (LeadTopic::Locations, term_file!("topics/locations.txt")),
    (LeadTopic::Press, term_file!("topics/press.txt")),
    (LeadTopic::Privacy, term_file!("topics/privacy.txt")),
];

struct TopicMatcher {
    words: Vec<(LeadTopic, &'static str)>,
    finder: Option<AhoCorasick>,
}

static FINDER: LazyLock<TopicMatcher> = LazyLock::new(|| {
    let words: Vec<(LeadTopic, &str)> = TOPIC_WORDS
        .iter()
        .flat_map(|(topic, text)| vocabulary::entries(text).map(|word| (*topic, word)))
        .collect();
    let finder = vocabulary::longest_matcher(words.iter().map(|(_, word)| *word));
    TopicMatcher { words, finder }
});

/// The topic that a short text indicates, and the length of the matched word.
fn topic_of(text: &str) -> Option<(LeadTopic, usize)> {
    let lower = text.to_lowercase();
    let finder = FINDER.finder.as_ref()?;
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let mut best: Option<(LeadTopic, usize)> = None;
    for hit in finder.find_iter(&lower).take(20) {
        let before = lower.get(..hit.start()).and_then(|head| head.chars().next_back());
        let after = lower.get(hit.end()..).and_then(|rest| rest.chars().next());
        // German and Dutch compounds continue after a word ("Kontaktformular"); a match must
        // start at a word.
        let goes_on = is_letter(after) && hit.len() < 7;
        if is_letter(before) || goes_on {
            continue;
        }
        let Some((topic, word)) = FINDER.words.get(hit.pattern().as_usize()) else { continue };
        let is_better = best
            .is_none_or(|(known, length)| (*topic, length) < (known, word.len()) && *topic < known);
        if is_better {
            best = Some((*topic, word.len()));
        }
    }
    best
}

/// The topic that the path of a URL indicates.
pub(crate) fn topic_of_path(url: &CanonicalUrl) -> Option<LeadTopic> {
    let path = super::decoded(url.path());
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    topic_of(&last.replace(['_', '.'], "-"))
        .or_else(|| topic_of(&last.replace(['-', '_'], " ")))
        .map(|(topic, _)| topic)
}

/// The topic that a heading or a title indicates.
pub(crate) fn topic_of_heading(text: &str) -> Option<LeadTopic> {
    (text.len() < 60).then(|| topic_of(text)).flatten().map(|(topic, _)| topic)
}

/// Whether a URL is on the host of the page or on a subdomain of it.
fn is_same_site(url: &CanonicalUrl, page_url: &CanonicalUrl) -> bool {
    let rest = url.bare_host().strip_suffix(page_url.bare_host());
    rest.is_some_and(|below| below.is_empty() || below.ends_with('.'))
}

/// Links worth fetching, the best first.
pub(crate) fn find_leads(
    page: &VisibleText<'_, '_>,
    page_url: &CanonicalUrl,
    base: &CanonicalUrl,
) -> Vec<ContactLead> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut ranked: Vec<(LeadTopic, usize, usize, ContactLead)> = Vec::new();
    for (place, link) in page.links.iter().enumerate() {
        if link.href.starts_with('#') || link.href.len() > 2_000 {
            continue;
        }
        let lower = link.href.to_ascii_lowercase();
        let has_scheme = lower.split(['/', '?']).next().is_some_and(|head| head.contains(':'));
        if has_scheme && !lower.starts_with("http") {
            continue;
        }
        let Ok(url) = base.join(&link.href) else { continue };
        if !is_same_site(&url, page_url) || url.page_key() == page_url.page_key() {
            continue;
        }
        let path = url.path().to_ascii_lowercase();
        let is_card = path.ends_with(".vcf") || path.ends_with(".vcard");
        if !is_card && is_file(&path) {
            continue;
        }
        let by_text = (link.text.chars().count() <= 48).then(|| topic_of(&link.text)).flatten();
        let by_path = topic_of_path(&url);
        let topic = match (by_text, by_path) {
            _ if is_card => LeadTopic::Card,
            (Some((topic, _)), _) => topic,
            (None, Some(topic)) => topic,
            (None, None) => continue,
        };
        // Deep pages of a section are more likely articles.
        let depth = url.path().matches('/').count();
        let agrees = usize::from(by_text.map(|(topic, _)| topic) != by_path);
        let has_query = usize::from(url.query().is_some());
        let line = page.lines.get(link.line.min(page.lines.len().saturating_sub(1)));
        let is_aside = usize::from(
            !line.is_some_and(|line| matches!(line.zone, Zone::Footer | Zone::Nav | Zone::Header)),
        );
        if seen.insert(url.page_key().to_owned()) {
            let rank = agrees * 4 + has_query * 3 + depth + is_aside;
            ranked.push((topic, rank, place, ContactLead { url, topic }));
        }
    }
    ranked.sort_by_key(|(topic, rank, place, _)| (*topic, *rank, *place));
    ranked.truncate(MAX_LEADS);
    ranked.into_iter().map(|(_, _, _, lead)| lead).collect()
}

static FILE_ENDINGS: TermSet = word_set!("topics/file_endings.txt");

fn is_file(path: &str) -> bool {
    let ending =
        path.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_some_and(|ending| FILE_ENDINGS.contains(ending))
}
