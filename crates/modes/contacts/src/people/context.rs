//! What the page says about whose names it shows.

use super::evidence::{PersonEvidence, PersonFeature as F};
use super::job_title::label::{self, LabelMeaning};
use super::job_title::{self, folded_words};
use super::labelled::Labelled;
use super::name::{fold, is_legal_form};
use crate::host_label::main_label;
use crate::visible_text::{VisibleText, Zone};
use html::dom::NodeId;
use text::vocabulary::{TermList, TermSet};

static TEAM_HEADINGS: TermList = phrase_list!("people/team_headings.txt");

static THIRD_PARTY_HEADINGS: TermList = phrase_list!("people/third_party_headings.txt");

static THIRD_PARTY_CLASSES: TermSet = word_set!("people/third_party_classes.txt");

static ARTICLES: TermSet = word_set!("people/articles_before_titles.txt");

/// Maximum words of a heading over the team.
const MAX_TEAM_WORDS: usize = 6;

/// Page properties that decide whose names are shown.
#[derive(Debug)]
pub(super) struct PeopleContext<'p> {
    /// Main label of the host: letters and digits only.
    host: String,
    is_team: bool,
    is_privacy: bool,
    labelled: &'p Labelled,
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
            labelled,
        }
    }

    /// Whether the page is a privacy policy: most of its names are third parties.
    pub fn is_privacy(&self) -> bool {
        self.is_privacy
    }

    /// Whether a line states a fact about the company, as a row of a legal notice does.
    pub fn is_fact(&self, line: usize) -> bool {
        self.labelled.fact_lines.contains(&line)
    }

    /// Sets the features of a position: what the page, the headings and the elements around say.
    pub fn describe(
        &self,
        page: &VisibleText<'_, '_>,
        line: usize,
        from: usize,
        evidence: &mut PersonEvidence,
    ) {
        let Some(own) = page.lines.get(line) else { return };
        let node = own.node_at(from);
        evidence.set_if(F::TeamPath, self.is_team);
        evidence.set_if(F::TeamHeading, has_team_heading(page, line));
        evidence.set_if(F::InFrame, matches!(own.zone, Zone::Footer | Zone::Header | Zone::Nav));
        evidence.set_if(F::ThirdPartyHeading, Self::is_below_third_party(page, line));
        describe_classes(page, node, evidence);
        evidence.set_if(F::Dated, has_year(&own.text));
    }

    /// Whether a label says that the names of a line are those of third parties.
    pub fn is_labelled_third_party(&self, line: usize) -> bool {
        self.labelled.third_party_lines.contains(&line)
    }

    /// Whether a heading above a line introduces third parties.
    fn is_below_third_party(page: &VisibleText<'_, '_>, line: usize) -> bool {
        let mut over = page.headings(line).take(2).filter(|heading| heading.len() < 120);
        over.any(|heading| {
            let words = folded_words(heading).join(" ");
            THIRD_PARTY_HEADINGS.iter().any(|part| has_start(&words, part))
                || label::meaning(heading) == Some(LabelMeaning::ThirdParty)
        })
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

    /// Sets what the title says about the company. Returns whether it may be a title at another
    /// company.
    pub fn describe_title(&self, title: &str, evidence: &mut PersonEvidence) -> bool {
        if title.is_empty() {
            return false;
        }
        let is_elsewhere = self.is_at_other_company(title);
        evidence.set_if(F::TitleOtherCompany, is_elsewhere);
        evidence.set_if(F::TitleNamesCompany, self.names_company(title));
        evidence.set_if(F::TitleLong, title.split_whitespace().count() > 7);
        let first = title.split_whitespace().next().unwrap_or_default();
        let begins_sentence = first.starts_with(char::is_lowercase)
            || ARTICLES.contains(first.to_lowercase().as_str());
        evidence.set_if(F::TitleInSentence, begins_sentence);
        is_elsewhere || self.may_name_other_company(title)
    }

    /// Whether a part of a title may be the name of another company: "buyer, Muster".
    fn may_name_other_company(&self, title: &str) -> bool {
        let mut parts = title.split([',', '|', '–', '@']).map(str::trim).skip(1);
        parts.any(|part| {
            part.starts_with(char::is_uppercase)
                && job_title::parse(part).is_none()
                && job_title::department::named(part).is_none()
                && !self.names_company(part)
        })
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

/// Whether a heading above a line announces people.
fn has_team_heading(page: &VisibleText<'_, '_>, line: usize) -> bool {
    page.headings(line).take(3).any(|heading| {
        let words = folded_words(heading).join(" ");
        // A longer heading is the title of a text: "Leadership for quiet people".
        let is_short = words.split(' ').count() <= MAX_TEAM_WORDS;
        is_short && TEAM_HEADINGS.iter().any(|part| has_words(&words, part))
    })
}

/// Sets what the classes and ids around a name say: testimonials, comments and products; boxes
/// about authors; staff.
fn describe_classes(page: &VisibleText<'_, '_>, node: NodeId, evidence: &mut PersonEvidence) {
    static AUTHOR_CLASSES: TermSet = word_set!("people/author_classes.txt");
    static TEAM_CLASSES: TermSet = word_set!("people/team_classes.txt");
    for above in page.dom.ancestors(node).take(9) {
        for attribute in ["class", "id"] {
            let value = page.dom.raw_attribute(above, attribute).unwrap_or_default();
            for word in value.split(|c: char| !c.is_ascii_alphanumeric()).take(40) {
                let word = word.to_ascii_lowercase();
                let is_third_party = attribute == "class" && THIRD_PARTY_CLASSES.contains(&*word);
                evidence.set_if(F::ThirdPartyClass, is_third_party);
                evidence.set_if(F::AuthorClass, AUTHOR_CLASSES.contains(&*word));
                evidence.set_if(F::TeamClass, TEAM_CLASSES.contains(&*word));
            }
        }
    }
}

/// Whether a text names a recent year, as teasers and bylines of articles do.
fn has_year(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1990..=2035).contains(&year))
    })
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
