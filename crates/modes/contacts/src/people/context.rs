//! What the page says about whose names it shows.

use hashbrown::HashSet;

use super::job_title::folded_words;
use super::job_title::label::{self, LabelMeaning};
use super::labelled::Labelled;
use super::name::{fold, is_legal_form};
use crate::aggregator::main_label;
use crate::visible_text::{TextLine, VisibleText};
use html::dom::NodeId;
use text::vocabulary::{TermList, TermSet};

static TEAM_HEADINGS: TermList = phrase_list!("people/team_headings.txt");

static THIRD_PARTY_HEADINGS: TermList = phrase_list!("people/third_party_headings.txt");

static THIRD_PARTY_CLASSES: TermSet = word_set!("people/third_party_classes.txt");

static BYLINE_WORDS: TermSet = word_set!("people/byline_words.txt");
static BYLINE_PHRASES: TermSet = phrase_set!("people/byline_phrases.txt");

/// Maximum words of a heading over the team.
const MAX_TEAM_WORDS: usize = 6;

/// Page properties that decide whose names are shown.
#[derive(Debug)]
pub(super) struct PeopleContext<'p> {
    /// Main label of the host: letters and digits only.
    host: String,
    is_team: bool,
    is_privacy: bool,
    third_party_lines: &'p HashSet<usize>,
    fact_lines: &'p HashSet<usize>,
}

impl<'p> PeopleContext<'p> {
    /// `path` is that of the page.
    pub fn new(host: &str, path: &str, labelled: &'p Labelled) -> Self {
        let words = fold(path).replace(|c: char| !c.is_alphanumeric(), " ");
        let says = |list: &TermList| list.iter().any(|part| has_words(&words, part));
        let label = main_label(host);
        static PRIVACY_PATHS: TermList = phrase_list!("people/privacy_paths.txt");
        Self {
            host: label.chars().filter(char::is_ascii_alphanumeric).collect(),
            is_team: says(&TEAM_HEADINGS),
            is_privacy: says(&PRIVACY_PATHS),
            third_party_lines: &labelled.third_party_lines,
            fact_lines: &labelled.fact_lines,
        }
    }

    /// Whether the page is a privacy policy: most of its names are third parties.
    pub fn is_privacy(&self) -> bool {
        self.is_privacy
    }

    /// Whether a line states a fact about the company, as a row of a legal notice does.
    pub fn is_fact(&self, line: usize) -> bool {
        self.fact_lines.contains(&line)
    }

    /// Whether the URL or the headings above a line announce people.
    pub fn is_team(&self, page: &VisibleText<'_, '_>, line: usize) -> bool {
        self.is_team
            || page.headings(line).take(3).any(|heading| {
                let words = folded_words(heading).join(" ");
                // A longer heading is the title of a text: "Leadership for quiet people".
                let is_short = words.split(' ').count() <= MAX_TEAM_WORDS;
                is_short && TEAM_HEADINGS.iter().any(|part| has_words(&words, part))
            })
    }

    /// Whether the headings or words around a name make it that of a third party.
    pub fn is_third_party(&self, page: &VisibleText<'_, '_>, line: usize, from: usize) -> bool {
        if self.is_privacy || self.third_party_lines.contains(&line) {
            return true;
        }
        let over = page.headings(line).take(2).filter(|heading| heading.len() < 120);
        for heading in over {
            let words = folded_words(heading).join(" ");
            let others = THIRD_PARTY_HEADINGS.iter().any(|part| has_start(&words, part));
            if others || label::meaning(heading) == Some(LabelMeaning::ThirdParty) {
                return true;
            }
        }
        from > 0 && self.is_byline(page.lines.get(line))
    }

    /// Whether the classes around a name are those of testimonials, comments or products.
    pub fn has_third_party_class(page: &VisibleText<'_, '_>, node: NodeId) -> bool {
        page.dom.ancestors(node).take(9).any(|above| {
            let value = page.dom.raw_attribute(above, "class").unwrap_or_default();
            value
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| THIRD_PARTY_CLASSES.contains(word.to_ascii_lowercase().as_str()))
        })
    }

    /// "By Anna Berg": an author is not shown as staff by a byline.
    fn is_byline(&self, line: Option<&TextLine>) -> bool {
        let Some(line) = line else { return false };
        let words = folded_words(&line.text);
        let opens = |count: usize, known: &TermSet| {
            words.get(..count).is_some_and(|first| known.contains(first.join(" ").as_str()))
        };
        opens(1, &BYLINE_WORDS) || opens(2, &BYLINE_PHRASES)
    }

    /// Whether a text names the company of the site, by the label of its host.
    pub fn names_company(&self, text: &str) -> bool {
        let folded = fold(text);
        let compact: String = folded.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut words = folded.split(|c: char| !c.is_alphanumeric());
        self.host.len() >= 5 && compact.contains(&self.host)
            || compact.len() >= 5 && self.host.starts_with(&compact)
            || self.host.len() >= 2 && words.any(|word| word == self.host)
    }

    /// Whether a title belongs to a person outside of the company.
    pub fn is_outsider(&self, title: &str) -> bool {
        static OUTSIDERS: TermSet = word_set!("people/outsider_words.txt");
        folded_words(title).iter().any(|word| OUTSIDERS.contains(word.as_str()))
    }

    /// Whether a title says that its holder works for another company: "founder of Muster",
    /// "editor at Muster", "buyer, Muster GmbH".
    pub fn is_at_other_company(&self, title: &str) -> bool {
        if self.names_company(title) {
            return false;
        }
        let form = title.split_whitespace().position(is_legal_form);
        let folded = fold(title);
        let own = folded
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.len() > 3 && self.host.contains(word));
        if form.is_some_and(|at| at > 0) && !own {
            return true;
        }
        static OWNERS: TermSet = word_set!("people/owner_titles.txt");
        let is_name = |rest: &str| {
            let rest = rest.strip_prefix("the ").unwrap_or(rest);
            rest.starts_with(char::is_uppercase)
        };
        let at_company = [" at ", " @ ", " bei ", " chez "]
            .iter()
            .filter_map(|word| title.split_once(word))
            .any(|(_, rest)| is_name(rest));
        let owns = [" of ", " von ", " de "].iter().filter_map(|word| title.split_once(word)).any(
            |(office, rest)| {
                let last = folded_words(office).pop().unwrap_or_default();
                OWNERS.contains(last.as_str()) && is_name(rest)
            },
        );
        (at_company || owns) && !own
    }
}

/// Whether a text contains a phrase as whole words.
fn has_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + phrase.len()..).unwrap_or_default();
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

/// Whether a text contains a phrase that starts at a word.
fn has_start(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '))
    })
}
