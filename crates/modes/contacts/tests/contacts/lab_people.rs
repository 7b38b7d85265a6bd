//! Precision and recall of people on the generated companies.

use std::collections::BTreeMap;

use contacts::{ContactAggregator, ContactPage};
use contract::{ContactPerson, ContactStatus};
use lab::{Company, CompanyTruth, PersonTruth};
use page::{PageHead, PageLimits};
use urls::CanonicalUrl;

/// Expected, found and correct values.
#[derive(Debug, Clone, Copy, Default)]
struct FieldTally {
    expected: usize,
    found: usize,
    right: usize,
}

impl FieldTally {
    fn least(self) -> f64 {
        let share = |of: usize| if of == 0 { 1.0 } else { self.right as f64 / of as f64 };
        share(self.expected).min(share(self.found))
    }
}

fn readable_companies() -> impl Iterator<Item = (Company, CompanyTruth)> {
    let read = [ContactStatus::Found, ContactStatus::Partial];
    Company::all()
        .into_iter()
        .map(|company| (company.clone(), company.company_truth()))
        .filter(move |(_, truth)| read.contains(&truth.status) && truth.redirected_to.is_none())
}

/// The people of a company, from all its pages and linked vCards.
fn people_of(company: &Company) -> Vec<ContactPerson> {
    let mut aggregator = ContactAggregator::new(company.host());
    let address = |path: &str| {
        CanonicalUrl::parse(&format!("http://{}{path}", company.host())).expect("an address")
    };
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    let mut cards = Vec::new();
    for (path, html) in company.pages() {
        let url = address(&path);
        let (_, page) = ContactPage::read(html.as_bytes(), &head, &url, &PageLimits::default());
        aggregator.add(url, page);
        cards.extend(
            html.split("href=\"/vcard/")
                .skip(1)
                .filter_map(|rest| rest.split('"').next().map(str::to_owned)),
        );
    }
    cards.sort();
    cards.dedup();
    for card in cards {
        let path = format!("/vcard/{card}");
        let Some(text) = company.text_at(&path) else { continue };
        let url = address(&path);
        aggregator.add(
            url.clone(),
            ContactPage::read_card(text.as_bytes(), Some("text/vcard; charset=utf-8"), &url),
        );
    }
    aggregator.finish().people
}

fn letters_only(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The last seven digits of a number, equal in all spellings.
fn last_digits(number: &str) -> String {
    let digits: Vec<char> = number.chars().filter(char::is_ascii_digit).collect();
    digits[digits.len().saturating_sub(7)..].iter().collect()
}

/// Pairs expected and found people; people of one name by their title.
fn pair_people<'a>(
    truth: &'a CompanyTruth,
    found: &'a [ContactPerson],
) -> Vec<(Option<&'a PersonTruth>, Option<&'a ContactPerson>)> {
    let mut left: Vec<&ContactPerson> = found.iter().collect();
    let mut pairs = Vec::new();
    let mut waiting: Vec<&PersonTruth> = truth.people.iter().collect();
    for exact in [true, false] {
        waiting.retain(|person| {
            let fits = |one: &&ContactPerson| {
                letters_only(&one.name) == letters_only(&person.name)
                    && (!exact
                        || one.title.as_deref().map(letters_only)
                            == person.title.as_ref().map(|title| letters_only(&title.value)))
            };
            match left.iter().position(fits) {
                Some(at) => {
                    pairs.push((Some(*person), Some(left.remove(at))));
                    false
                }
                None => true,
            }
        });
    }
    pairs.extend(waiting.into_iter().map(|person| (Some(person), None)));
    pairs.extend(left.into_iter().map(|one| (None, Some(one))));
    pairs
}

type Values = Vec<String>;

/// The compared fields: name, expected values, found values.
fn fields(
    truth: Option<&PersonTruth>,
    found: Option<&ContactPerson>,
) -> Vec<(&'static str, Values, Values)> {
    let one = |value: Option<String>| value.into_iter().collect::<Values>();
    let fact = |value: Option<&lab::TruthValue>| one(value.map(|fact| letters_only(&fact.value)));
    vec![
        (
            "name",
            one(truth.map(|it| letters_only(&it.name))),
            one(found.map(|it| letters_only(&it.name))),
        ),
        (
            "last name",
            one(truth.map(|it| letters_only(&it.last_name))),
            one(found.and_then(|it| it.last_name.as_deref().map(letters_only))),
        ),
        (
            "honorific",
            fact(truth.and_then(|it| it.honorific.as_ref())),
            one(found.and_then(|it| it.honorific.as_deref().map(letters_only))),
        ),
        (
            "title",
            fact(truth.and_then(|it| it.title.as_ref())),
            one(found.and_then(|it| it.title.as_deref().map(letters_only))),
        ),
        (
            "department",
            fact(truth.and_then(|it| it.department.as_ref())),
            one(found.and_then(|it| it.department.as_deref().map(letters_only))),
        ),
        (
            "seniority",
            one(truth.and_then(|it| it.seniority).map(|it| format!("{it:?}"))),
            one(found.and_then(|it| it.seniority).map(|it| format!("{it:?}"))),
        ),
        (
            "represents",
            one(truth.filter(|it| it.legal_representative).map(|it| it.name.clone())),
            one(found.filter(|it| it.legal_representative).map(|it| it.name.clone())),
        ),
        (
            "e-mails",
            truth.map(|it| it.emails.clone()).unwrap_or_default(),
            found.map(|it| it.emails.clone()).unwrap_or_default(),
        ),
        (
            "phones",
            truth
                .map(|it| it.phones.iter().map(|it| last_digits(it)).collect())
                .unwrap_or_default(),
            found
                .map(|it| it.phones.iter().map(|it| last_digits(it)).collect())
                .unwrap_or_default(),
        ),
        (
            "profiles",
            truth
                .map(|it| it.profiles.iter().map(|it| it.url.to_lowercase()).collect())
                .unwrap_or_default(),
            found
                .map(|it| it.profiles.iter().map(|it| it.url.to_lowercase()).collect())
                .unwrap_or_default(),
        ),
    ]
}

#[test]
fn people_of_lab_companies_reach_the_accuracy_goal() {
    let mut tallies: BTreeMap<&str, FieldTally> = BTreeMap::new();
    let mut mistakes = Vec::new();
    let mut third_parties = Vec::new();
    for (company, truth) in readable_companies() {
        let found = people_of(&company);
        third_parties.extend(
            found
                .iter()
                .filter(|one| truth.foreign.contains(&one.name))
                .map(|one| (company.host().to_owned(), one.name.clone())),
        );
        for (person, one) in pair_people(&truth, &found) {
            for (field, expected, values) in fields(person, one) {
                let right = expected
                    .iter()
                    .filter(|value| {
                        // Capitalisation does not matter.
                        values.iter().any(|other| other.eq_ignore_ascii_case(value))
                    })
                    .count();
                let tally = tallies.entry(field).or_default();
                tally.expected += expected.len();
                tally.found += values.len();
                tally.right += right;
                if right < expected.len() || right < values.len() {
                    let who = person
                        .map(|it| it.name.clone())
                        .or(one.map(|it| it.name.clone()))
                        .unwrap_or_default();
                    mistakes.push(format!(
                        "{} {who}: {field}: {expected:?} but {values:?}",
                        company.host()
                    ));
                }
            }
        }
    }
    let shown = std::env::var_os("SHOW_MISTAKES").is_some();
    if shown {
        eprintln!("{}", mistakes.join("\n"));
        eprintln!("{tallies:#?}\n{third_parties:?}");
    }
    assert!(third_parties.is_empty(), "{third_parties:?}");
    for (field, tally) in &tallies {
        assert!(tally.least() >= 0.90, "{field}: {tally:?}");
    }
}
