//! Reads the generated companies and compares the records with the truth.

use std::collections::{BTreeMap, VecDeque};

use contacts::{ContactAggregator, ContactLead, ContactPage, Contacts, LeadTopic};
use contract::ContactStatus;
use lab::{Company, CompanyTruth};
use page::{PageHead, PageLimits};
use urls::CanonicalUrl;

/// Maximum pages per domain.
const MAX_PAGES: usize = 25;

/// Reads a company as a visit does: the home page, then the leads.
pub(crate) fn visit(company: &Company) -> (Contacts, usize) {
    let home = CanonicalUrl::parse(&format!("http://{}/", company.host())).expect("a host");
    let mut aggregator = ContactAggregator::new(company.host());
    let mut waiting: VecDeque<ContactLead> = VecDeque::new();
    let mut seen = vec![home.page_key().to_owned()];
    let mut next = Some(ContactLead { url: home, topic: LeadTopic::About });
    let mut count = 0;
    while let Some(lead) = next.take() {
        let path = lead.url.path_and_query();
        let text = company.text_at(path).or_else(|| company.text_at(&format!("{path}/")));
        if let Some(text) = text {
            count += 1;
            let page = read(&text, &lead.url);
            for found in &page.leads {
                let key = found.url.page_key().to_owned();
                if !seen.contains(&key) {
                    seen.push(key);
                    waiting.push_back(found.clone());
                }
            }
            aggregator.add(lead.url, page);
        }
        waiting.make_contiguous().sort_by_key(|lead| lead.topic);
        while count < MAX_PAGES
            && let Some(lead) = waiting.pop_front()
        {
            if aggregator.needs(lead.topic) {
                next = Some(lead);
                break;
            }
        }
    }
    (aggregator.finish(), count)
}

pub(crate) fn read(text: &str, url: &CanonicalUrl) -> ContactPage {
    if text.starts_with("BEGIN:VCARD") {
        return ContactPage::read_card(text.as_bytes(), Some("text/vcard; charset=utf-8"), url);
    }
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    ContactPage::read(text.as_bytes(), &head, url, &PageLimits::default()).1
}

/// Correct, found and expected values.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct FieldScore {
    pub right: usize,
    pub given: usize,
    pub wanted: usize,
}

impl FieldScore {
    pub(crate) fn precision(self) -> f64 {
        if self.given == 0 { 1.0 } else { self.right as f64 / self.given as f64 }
    }

    pub(crate) fn recall(self) -> f64 {
        if self.wanted == 0 { 1.0 } else { self.right as f64 / self.wanted as f64 }
    }

    pub(crate) fn f1(self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }
}

/// The scores over all companies.
#[derive(Debug, Default)]
pub(crate) struct AccuracyReport {
    pub fields: BTreeMap<&'static str, FieldScore>,
    /// Values of third parties in the records.
    pub foreign: Vec<String>,
    /// Wrong and missing values, for people to read.
    pub differences: Vec<String>,
    pub pages: usize,
}

fn lower(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

impl AccuracyReport {
    pub(crate) fn of(companies: &[Company]) -> Self {
        let mut report = Self::default();
        for company in companies {
            let truth = company.company_truth();
            let is_read = truth.redirected_to.is_none() && company.pages().next().is_some();
            let readable = [
                ContactStatus::Found,
                ContactStatus::Partial,
                ContactStatus::None,
                ContactStatus::Parked,
            ];
            if !is_read || !readable.contains(&truth.status) {
                continue;
            }
            let (record, pages) = visit(company);
            report.pages += pages;
            report.compare(&truth, &record);
        }
        report
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers have just made them")]
    fn list(&mut self, field: &'static str, host: &str, given: Vec<String>, wanted: Vec<String>) {
        let score = self.fields.entry(field).or_default();
        score.given += given.len();
        score.wanted += wanted.len();
        score.right += given.iter().filter(|value| wanted.contains(value)).count();
        for value in given.iter().filter(|value| !wanted.contains(value)) {
            self.differences.push(format!("{host} {field}: + {value}"));
        }
        for value in wanted.iter().filter(|value| !given.contains(value)) {
            self.differences.push(format!("{host} {field}: - {value}"));
        }
    }

    fn compare(&mut self, truth: &CompanyTruth, record: &Contacts) {
        let host = truth.host.as_str();
        let one = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
        let fact = |fact: &Option<lab::TruthValue>| {
            fact.as_ref().map(|fact| fact.value.clone()).into_iter().collect::<Vec<_>>()
        };
        let status = match truth.status {
            ContactStatus::Found => "found",
            ContactStatus::Partial => "partial",
            ContactStatus::None => "none",
            ContactStatus::Parked => "parked",
            ContactStatus::Blocked => "blocked",
            ContactStatus::Unreachable => "unreachable",
        };
        self.list("status", host, vec![record.status.as_str().to_owned()], vec![status.to_owned()]);
        self.list(
            "email",
            host,
            record.emails.iter().map(|email| email.value.clone()).collect(),
            truth.emails.iter().map(|email| email.value.clone()).collect(),
        );
        self.list(
            "email type",
            host,
            record
                .emails
                .iter()
                .map(|email| format!("{} {}", email.value, email.kind.as_str()))
                .collect(),
            truth
                .emails
                .iter()
                .map(|email| {
                    format!("{} {}", email.value, if email.personal { "personal" } else { "role" })
                })
                .collect(),
        );
        let digits = |raw: &str| raw.chars().filter(char::is_ascii_digit).collect::<String>();
        let phone = |e164: &Option<String>, raw: &str| e164.clone().unwrap_or_else(|| digits(raw));
        self.list(
            "phone",
            host,
            record.phones.iter().map(|one| phone(&one.e164, &one.raw)).collect(),
            truth.phones.iter().map(|one| phone(&one.e164, &one.raw)).collect(),
        );
        self.list(
            "phone type",
            host,
            record
                .phones
                .iter()
                .map(|one| format!("{} {}", phone(&one.e164, &one.raw), one.kind.as_str()))
                .collect(),
            truth
                .phones
                .iter()
                .map(|one| {
                    format!(
                        "{} {}",
                        phone(&one.e164, &one.raw),
                        format!("{:?}", one.kind).to_lowercase()
                    )
                })
                .collect(),
        );
        self.list(
            "address",
            host,
            record
                .addresses
                .iter()
                .map(|one| {
                    let part = |part: &Option<String>| lower(part.as_deref().unwrap_or_default());
                    format!("{} {} {}", part(&one.street), part(&one.postal_code), part(&one.city))
                })
                .collect(),
            truth
                .addresses
                .iter()
                .map(|one| {
                    format!(
                        "{} {} {}",
                        lower(&one.street),
                        lower(&one.postal_code),
                        lower(&one.city)
                    )
                })
                .collect(),
        );
        self.list(
            "region, country",
            host,
            record
                .addresses
                .iter()
                .map(|one| format!("{:?} {:?}", one.region, one.country))
                .collect(),
            truth
                .addresses
                .iter()
                .map(|one| format!("{:?} {:?}", one.region, one.country))
                .collect(),
        );
        let social = |network: &str, url: &str| format!("{network} {}", url.trim_end_matches('/'));
        self.list(
            "social",
            host,
            record.socials.iter().map(|one| social(&one.network, &one.url)).collect(),
            truth.socials.iter().map(|one| social(&one.network, &one.url)).collect(),
        );
        let (company, firm) = (&record.company, &truth.company);
        self.list("name", host, one(company.name.clone()), fact(&firm.name));
        self.list("legal name", host, one(company.legal_name.clone()), fact(&firm.legal_name));
        self.list("legal form", host, one(company.legal_form.clone()), fact(&firm.legal_form));
        self.list(
            "registration",
            host,
            one(company.registration_number.clone()),
            fact(&firm.registration_number),
        );
        self.list("register", host, one(company.register.clone()), fact(&firm.register));
        self.list("vat", host, one(company.vat_id.clone()), fact(&firm.vat_id));
        self.list("founded", host, one(company.founded.clone()), fact(&firm.founded));
        self.list("description", host, one(company.description.clone()), fact(&firm.description));
        let path =
            |url: &String| url.split_once(host).map_or(url.clone(), |(_, path)| path.to_owned());
        self.list("logo", host, one(company.logo_url.as_ref().map(path)), fact(&firm.logo));
        self.list(
            "contact page",
            host,
            one(record.contact_page_url.as_ref().map(path)),
            one(truth.contact_page.clone()),
        );
        self.list("language", host, one(record.language.clone()), one(truth.language.clone()));
        let text = format!("{record:?}");
        for foreign in truth.foreign.iter().filter(|value| contains_value(&text, value)) {
            self.foreign.push(format!("{host}: {foreign}"));
        }
    }
}

/// Whether a record contains a value as a whole.
fn contains_value(text: &str, value: &str) -> bool {
    text.match_indices(value).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + value.len()..).and_then(|rest| rest.chars().next());
        let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
        !is_inside(before) && !is_inside(after)
    })
}
