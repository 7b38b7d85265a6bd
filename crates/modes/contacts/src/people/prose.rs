//! People in sentences: "Anna Berg is the head of sales at Muster", "contact our registrar Anna
//! Berg", "Anna Berg – a.berg@muster.test".
//!
//! A sentence counts if it names the company beside the title, if it asks to contact the person,
//! or if it continues a box that is headed by the name.

use contract::ContactMethod;

use super::context::PeopleContext;
use super::evidence::PersonFeature;
use super::found_person::{FoundPerson, TitleRank};
use super::job_title;
use super::mailbox::{LocalPart, MailboxMatch, Spellings};
use super::name::{GivenNameMatch, PersonName, fold, given_name_match, parse};
use crate::email;
use crate::page_emails::EmailOccurrence;
use crate::page_view::PageView;
use crate::visible_text::{TextLine, Zone};
use crate::words::placed_words;
use text::vocabulary::{TermList, TermSet};

/// Length of a line with sentences, in bytes.
const LINE_BYTES: std::ops::RangeInclusive<usize> = 20..=3_000;

/// Maximum names of a line that are examined.
const MAX_NAMES: usize = 24;

/// Maximum people of a page in sentences.
const MAX_PEOPLE: usize = 40;

/// Maximum length of the text between a name and the end of its title.
const MAX_TITLE: usize = 120;

static ARTICLES: TermSet = word_set!("people/articles_before_titles.txt");
static CONTACT_PHRASES: TermList = phrase_list!("people/contact_phrases.txt");
static OWN_WORDS: TermSet = word_set!("people/own_words.txt");
static TITLE_ENDS: TermList = phrase_list!("people/words_after_titles.txt");

/// The people in the sentences of a page. `host` is that of the site.
pub(super) fn read(
    page: &PageView<'_, '_>,
    context: &PeopleContext<'_>,
    host: &str,
) -> Vec<FoundPerson> {
    let mut people = Vec::new();
    let mut before: Option<(usize, PersonName)> = None;
    for (number, line) in page.lines.iter().enumerate() {
        if people.len() >= MAX_PEOPLE {
            break;
        }
        let is_read = !matches!(line.zone, Zone::Quote | Zone::Form | Zone::Nav | Zone::Notice);
        if !is_read || !LINE_BYTES.contains(&line.text.len()) {
            before = heading_name(number, line, before);
            continue;
        }
        let heading = before.as_ref().filter(|(at, _)| number - at <= 3).map(|(_, name)| name);
        let sentence = SentenceReader { text: &line.text, context, heading };
        let mut found = sentence.people();
        let first = page.mails.partition_point(|mail| mail.line < number);
        let mails = page.mails.iter().skip(first).take_while(|mail| mail.line == number);
        found.extend(mails.take(8).filter_map(|mail| beside_mailbox(line, mail, host)));
        for person in &mut found {
            context.describe(page, number, 0, &mut person.evidence);
        }
        if !context.is_labelled_third_party(number) {
            people.append(&mut found);
        }
        before = heading_name(number, line, before);
    }
    people
}

/// The name that a short line consists of or begins with, else the last one.
fn heading_name(
    number: usize,
    line: &TextLine,
    before: Option<(usize, PersonName)>,
) -> Option<(usize, PersonName)> {
    let found = (line.text.len() < 80).then(|| leading_name(&line.text)).flatten();
    found.map(|(name, _)| (number, name)).or(before)
}

/// The longest name at the beginning of a text, and the rest.
fn leading_name(text: &str) -> Option<(PersonName, &str)> {
    let ends = placed_words(text).map(|(at, word)| at + word.len()).skip(1).take(3);
    let ends: Vec<usize> = ends.collect();
    ends.into_iter().rev().find_map(|end| {
        let part = text.get(..end)?;
        let bare = part.trim_end_matches([',', '.', ':']);
        Some((parse(bare)?, text.get(bare.len()..)?))
    })
}

/// A name right before a mailbox at the domain of the site that contains it.
fn beside_mailbox(line: &TextLine, mail: &EmailOccurrence, host: &str) -> Option<FoundPerson> {
    let domain = mail.value.split_once('@')?.1;
    if !email::is_own_domain(domain, host) {
        return None;
    }
    let head = line.text.get(..mail.at)?;
    let head = head.trim_end_matches(|c: char| c.is_whitespace() || "–-—(:,|".contains(c));
    let starts: Vec<usize> = placed_words(head).rev().take(4).map(|(at, _)| at).collect();
    let local = LocalPart::of(&mail.value);
    let name = starts.iter().skip(1).find_map(|at| {
        let name = parse(head.get(*at..)?)?;
        (Spellings::of(&name).mailbox_match(&local) >= MailboxMatch::Last).then_some(name)
    })?;
    let mut person = FoundPerson::new(name, ContactMethod::Text);
    person.evidence.set(PersonFeature::FromMailbox);
    person.emails.push(mail.value.clone());
    Some(person)
}

struct SentenceReader<'t, 'c> {
    text: &'t str,
    context: &'c PeopleContext<'c>,
    /// The name above the sentence.
    heading: Option<&'t PersonName>,
}

impl<'t> SentenceReader<'t, '_> {
    fn people(&self) -> Vec<FoundPerson> {
        let mut found: Vec<FoundPerson> = Vec::new();
        found.extend(self.biography());
        let words: Vec<(usize, &str)> = placed_words(self.text).take(600).collect();
        let mut at = 0;
        let mut examined = 0;
        while at < words.len() && examined < MAX_NAMES {
            let Some((name, count)) = self.name_at(&words, at) else {
                at += 1;
                continue;
            };
            examined += 1;
            let (start, last) = (words[at].0, words[at + count - 1]);
            let end = last.0 + last.1.trim_end_matches([',', '.', ';', ')']).len();
            let found_here = self.title_after(&name, start, end).or_else(|| {
                let before: Vec<&str> =
                    words[at.saturating_sub(9)..at].iter().map(|w| w.1).collect();
                self.title_before(&name, &before)
            });
            found.extend(found_here);
            at += count;
        }
        found
    }

    /// The name that begins at a word, and its number of words.
    fn name_at(&self, words: &[(usize, &'t str)], at: usize) -> Option<(PersonName, usize)> {
        let word = words.get(at)?.1;
        let is_given = word.starts_with(char::is_uppercase)
            && given_name_match(word) > GivenNameMatch::Unknown;
        is_given.then_some(())?;
        [3, 2].into_iter().find_map(|count| {
            let (first, last) = (words.get(at)?, words.get(at + count - 1)?);
            let text = self.text.get(first.0..last.0 + last.1.len())?;
            let bare = text.trim_end_matches([',', '.', ';', ')', ':']);
            // A mark within the text separates.
            let is_one = !bare.contains([',', ';', ':', '(', '|', '/']);
            let name = parse(bare).filter(|_| is_one)?;
            Some((name, count))
        })
    }

    /// "Anna Berg is the head of sales at Muster", at the beginning of the line.
    fn biography(&self) -> Option<FoundPerson> {
        let (name, rest) = match leading_name(self.text) {
            Some((name, rest)) => (name, rest),
            None => {
                // "Anna is the head of sales", below her full name.
                let heading = self.heading?;
                let first = heading.first.as_deref()?;
                (heading.clone(), self.text.strip_prefix(first)?)
            }
        };
        let rest = rest.trim_start_matches(',').trim_start().strip_prefix("is ")?;
        let is_headed = self.heading.is_some_and(|heading| fold(&heading.name) == fold(&name.name));
        self.own_title(rest, is_headed).map(|title| titled(name, &title))
    }

    /// "Anna Berg, founder of Muster", "please contact Anna Berg, head of sales".
    fn title_after(&self, name: &PersonName, start: usize, end: usize) -> Option<FoundPerson> {
        let rest = self.text.get(end..)?.strip_prefix(',')?.trim_start();
        let before = self.text.get(..start)?;
        let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(40))..)?;
        let before = before.to_lowercase();
        let is_asked = CONTACT_PHRASES.iter().any(|phrase| before.trim_end().ends_with(phrase));
        self.own_title(rest, is_asked).map(|title| titled(name.clone(), &title))
    }

    /// "our registrar Anna Berg", "Muster CEO Anna Berg".
    fn title_before(&self, name: &PersonName, before: &[&str]) -> Option<FoundPerson> {
        // Words before the end of a sentence do not belong to the title.
        let from = before.iter().rposition(|word| word.ends_with(['.', ';', ':', '”', '"']));
        let before = from.map_or(before, |at| &before[at + 1..]);
        let marker = (0..before.len()).rev().find(|at| {
            let word = before[*at].trim_end_matches(['’', '\'']);
            let two = before[at.saturating_sub(1)..=*at].join(" ");
            OWN_WORDS.contains(word.to_lowercase().as_str())
                || self.context.names_company(word)
                || self.context.names_company(&two)
        })?;
        let mut title = before.get(marker + 1..)?.join(" ");
        // "Muster Associates’ recruiter": the possessive ends the name of the company.
        if let Some(at) = title.rfind(['’', '\'']) {
            title = title.get(at..)?.trim_start_matches(['’', '\'', 's']).trim().to_owned();
        }
        let title = title.trim_end_matches(',');
        let is_title = job_title::parse(title).is_some() && title.split(' ').count() <= 6;
        is_title.then(|| titled(name.clone(), title))
    }

    /// The title at the beginning of a text, if it is one at this company. `is_stated` if the
    /// text need not name the company.
    fn own_title(&self, text: &str, is_stated: bool) -> Option<String> {
        let text = text.get(..text.floor_char_boundary(MAX_TITLE))?;
        let end = text.find([',', ';', '!', '?']).unwrap_or(text.len());
        let end = text.find(". ").map_or(end, |at| at.min(end));
        let sentence = text.get(..end)?.trim_end_matches('.');
        let mut words = sentence.split(' ').peekable();
        let mut is_stated = is_stated;
        let mut from = 0;
        while let Some(word) =
            words.peek().filter(|word| ARTICLES.contains(word.to_lowercase().as_str()))
        {
            is_stated |= OWN_WORDS.contains(word.to_lowercase().as_str());
            from += word.len() + 1;
            words.next();
        }
        let rest = sentence.get(from..)?;
        // The company follows a word such as "at".
        let cut = [" at ", " of ", " for ", " bei ", " chez ", " @ "].iter().find_map(|word| {
            let (title, company) = rest.split_once(word)?;
            self.context.names_company(company).then_some(title)
        });
        let title = match cut {
            Some(title) => title,
            None => {
                let is_elsewhere = rest.split_once(" at ").is_some_and(|(_, company)| {
                    let company = company.strip_prefix("the ").unwrap_or(company);
                    company.starts_with(char::is_uppercase)
                });
                if !is_stated || is_elsewhere || self.context.is_at_other_company(rest) {
                    return None;
                }
                rest
            }
        };
        let end = TITLE_ENDS.iter().filter_map(|word| title.find(&format!(" {word}"))).min();
        let title = title.get(..end.unwrap_or(title.len()))?.trim();
        let is_title = job_title::parse(title).is_some()
            && title.split(' ').count() <= 8
            && !self.context.is_outsider(title);
        is_title.then(|| title.to_owned())
    }
}

fn titled(name: PersonName, title: &str) -> FoundPerson {
    let mut person = FoundPerson::new(name, ContactMethod::Text);
    person.evidence.set(PersonFeature::FromSentence);
    person.set_title(TitleRank::Own, title);
    person.represents = job_title::parse(title).is_some_and(|role| role.represents);
    person
}
