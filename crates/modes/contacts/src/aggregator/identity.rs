//! Resolves which company the pages belong to and its home country.

use hashbrown::HashMap;

use super::AggregatedPage;
use crate::facts::{Extracted, NamePosition};
use crate::host_label::main_label;
use crate::{LeadTopic, country, email, legal, phone};

/// Maximum countries in which national phone numbers are tried.
const MAX_COUNTRIES: usize = 6;

/// The company behind a domain, resolved before values are selected.
#[derive(Debug, Default)]
pub(crate) struct CompanyIdentity {
    /// The domain, without `www.`.
    pub host: String,
    /// Legal name with its legal form, as the site writes it.
    pub legal_name: Option<String>,
    pub legal_form: Option<String>,
    /// The name has a legal form, or a label calls it the legal name.
    pub is_legal_name_stated: bool,
    /// ISO 3166-1 code of the country.
    pub home_country: Option<String>,
    /// Countries that the pages give evidence for, best first: those of national phone numbers.
    pub countries: Vec<String>,
    /// Comparison keys of the names of the company.
    keys: Vec<String>,
    /// Other domains at which the company has mailboxes.
    mail_domains: Vec<String>,
    has_own_mail: bool,
}

impl CompanyIdentity {
    pub fn resolve(domain: &str, pages: &[AggregatedPage<'_>]) -> Self {
        let host = domain.strip_prefix("www.").unwrap_or(domain).to_ascii_lowercase();
        let mut identity = Self { host, ..Self::default() };
        identity.learn_legal_name(pages);
        identity.learn_mail_domains(pages);
        identity.countries = identity.rank_countries(pages);
        identity.home_country = identity.countries.first().cloned();
        identity
    }

    /// The values that belong to the company.
    pub fn own_values<'f, T>(
        &self,
        values: &'f [Extracted<T>],
    ) -> impl Iterator<Item = &'f Extracted<T>> {
        values.iter().filter(|found| found.context.is_own_value(self))
    }

    /// Whether a name denotes the company: the same name, or one with more or fewer words.
    pub fn is_company(&self, name: &str) -> bool {
        if self.keys.is_empty() {
            return true;
        }
        let key = legal::comparison_key(legal::without_form(name));
        key.len() < 3
            || self.keys.iter().any(|known| {
                *known == key
                    || (key.len() >= 6 && known.starts_with(&key))
                    || (known.len() >= 6
                        && key.starts_with(known.as_str())
                        && key.len() <= known.len() + 12
                        && same_form(name, self.legal_form.as_deref()))
            })
    }

    /// Whether the main label of a domain resembles the company name.
    pub fn is_related(&self, domain: &str) -> bool {
        let label = legal::comparison_key(main_label(domain));
        let own = legal::comparison_key(main_label(&self.host));
        label.len() >= 4
            && (own.contains(&label)
                || label.contains(&own) && own.len() >= 4
                || self.keys.iter().any(|key| key.contains(&label)))
    }

    /// Whether the company has mailboxes at a domain.
    pub fn is_mail_domain(&self, domain: &str) -> bool {
        email::is_own_domain(domain, &self.host)
            || self.is_related(domain)
            || self.mail_domains.iter().any(|known| known == domain)
    }

    /// Whether the local part of a mailbox contains the company name.
    pub fn is_named_in(&self, mailbox: &str) -> bool {
        let name = legal::comparison_key(mailbox.split('@').next().unwrap_or_default());
        let own = legal::comparison_key(main_label(&self.host));
        let holds = |key: &str| key.len() >= 5 && name.contains(key);
        holds(&own) || self.keys.iter().any(|key| holds(key))
    }

    /// If no mailbox is at the site's own domain, learns the mail domains from the pages about
    /// the company.
    fn learn_mail_domains(&mut self, pages: &[AggregatedPage<'_>]) {
        let domains = |page: &AggregatedPage<'_>| -> Vec<String> {
            let ours = page.facts.mails.iter().filter(|found| !found.context.is_third_party);
            ours.filter_map(|found| {
                found.value.value.split_once('@').map(|(_, domain)| domain.to_owned())
            })
            .collect()
        };
        self.has_own_mail =
            pages.iter().flat_map(domains).any(|domain| email::is_own_domain(&domain, &self.host));
        if self.has_own_mail {
            return;
        }
        let mut counts: Vec<(String, usize)> = Vec::new();
        for page in pages.iter().filter(|page| page.is_trusted()) {
            let mut on_page = domains(page);
            on_page.sort_unstable();
            on_page.dedup();
            for domain in on_page.into_iter().filter(|domain| !email::is_free_provider(domain)) {
                match counts.iter_mut().find(|(known, _)| *known == domain) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((domain, 1)),
                }
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let usual = counts.into_iter().filter(|(_, count)| *count == most);
        self.mail_domains = usual.map(|(domain, _)| domain).take(3).collect();
    }

    fn learn_legal_name(&mut self, pages: &[AggregatedPage<'_>]) {
        let own = legal::comparison_key(main_label(&self.host));
        let mut brands: Vec<String> = Vec::new();
        for page in pages {
            for (brand, weight, _) in &page.facts.brands {
                let key = legal::comparison_key(legal::without_form(brand));
                if *weight < 3 && key.len() >= 3 && !brands.contains(&key) {
                    brands.push(key);
                }
            }
        }
        let mut scores: HashMap<String, (i32, usize, String, Option<String>)> = HashMap::new();
        let mut order = 0;
        for page in pages {
            let mut seen: Vec<String> = Vec::new();
            for found in page.facts.names.iter().take(200) {
                let key = legal::comparison_key(&found.value.name);
                if found.context.is_third_party || key.len() < 3 || seen.contains(&key) {
                    continue;
                }
                let bare = legal::comparison_key(legal::without_form(&found.value.name));
                let alike =
                    likeness(&bare, &own, &brands).max(word_likeness(&found.value.name, &own));
                let position = match found.value.position {
                    NamePosition::Stated => 5,
                    NamePosition::Copyright => 4,
                    NamePosition::AboveAddress => 2,
                    NamePosition::Elsewhere => 0,
                };
                let page = match page.facts.topic {
                    Some(LeadTopic::Imprint) => 4,
                    Some(LeadTopic::Contact) => 2,
                    Some(LeadTopic::Privacy) => 0,
                    _ => i32::from(page.facts.is_home),
                };
                // Without a legal form only a name that resembles the site's name is accepted.
                if found.value.form.is_none()
                    && found.value.position != NamePosition::Stated
                    && alike < 4
                {
                    continue;
                }
                // A brand name ranks below a name with a legal form.
                let form = match &found.value.form {
                    Some(_) if alike >= 4 => 10,
                    Some(_) => 6,
                    None => 0,
                };
                let early = i32::from(found.context.line < 40);
                seen.push(key.clone());
                order += 1;
                let score = position + page + alike + form + early;
                let known = scores.entry(key).or_insert((
                    0,
                    order,
                    found.value.name.clone(),
                    found.value.form.clone(),
                ));
                // The best position counts; each further page adds one.
                known.0 = (known.0 + 1).max(score);
            }
        }
        let best =
            scores.into_iter().max_by_key(|(_, (score, order, _, _))| (*score, usize::MAX - order));
        if let Some((_, (score, _, name, form))) = best
            && score >= 10
        {
            self.keys.push(legal::comparison_key(legal::without_form(&name)));
            self.is_legal_name_stated = form.is_some()
                || pages.iter().flat_map(|page| &page.facts.names).any(|found| {
                    found.value.name == name
                        && matches!(
                            found.value.position,
                            NamePosition::Stated | NamePosition::Copyright
                        )
                });
            self.legal_name = Some(name);
            self.legal_form = form;
        }
        if !self.keys.is_empty() {
            // Brands that the legal name begins with, or that equal the domain, are names of
            // the company.
            for brand in brands.into_iter().take(12) {
                let known = self.keys.first().cloned().unwrap_or_default();
                if !self.keys.contains(&brand)
                    && (likeness(&brand, &own, &[]) >= 4 || known.starts_with(&brand))
                {
                    self.keys.push(brand);
                }
            }
        }
    }

    /// The countries of the company by votes: of its domain, of the locale of its pages, of its
    /// ids, addresses and international phone numbers.
    fn rank_countries(&self, pages: &[AggregatedPage<'_>]) -> Vec<String> {
        let mut votes: Vec<(String, i32)> = Vec::new();
        let mut vote =
            |code: &str, weight: i32| match votes.iter_mut().find(|(known, _)| known == code) {
                Some((_, sum)) => *sum += weight,
                None => votes.push((code.to_owned(), weight)),
            };
        if let Some(code) = country::of_domain(&self.host) {
            vote(code, 9);
        }
        for page in pages {
            let facts = page.facts;
            let weight = if page.is_trusted() { 3 } else { 1 };
            if let Some(code) = facts.language.as_deref().and_then(country::of_language) {
                vote(code, 1);
            }
            for found in self.own_values(&facts.vats).take(4) {
                vote(&found.value.1, weight);
            }
            for found in self.own_values(&facts.entries).take(4) {
                if let (Some(code), Some(_)) = (found.value.country, &found.value.number) {
                    vote(code, weight);
                }
            }
            for found in self.own_values(&facts.addresses).take(6) {
                if let Some(code) = &found.value.country {
                    vote(code, weight);
                }
                if let [only] = found.value.shape {
                    vote(only, weight);
                }
            }
            for found in self.own_values(&facts.phones).take(12) {
                let spelled = found.value.dialled.as_deref().unwrap_or(&found.value.raw);
                let is_stated = spelled.trim_start().starts_with(['+', '0', '(']);
                if let Some(code) = Some(spelled).filter(|_| is_stated).and_then(phone::country_of)
                {
                    vote(&code, 1);
                }
            }
        }
        // The sort is stable: of equal votes the first one counts.
        votes.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
        votes.truncate(MAX_COUNTRIES);
        votes.into_iter().map(|(code, _)| code).collect()
    }
}

/// Whether two names can denote one company: their legal forms do not differ.
fn same_form(name: &str, form: Option<&str>) -> bool {
    let compact = |form: &str| legal::comparison_key(form);
    match (legal::form_of(name), form) {
        (Some(one), Some(other)) => compact(&one) == compact(other),
        _ => true,
    }
}

/// Score of the likeness between a name and the host or the brands.
fn likeness(bare: &str, own: &str, brands: &[String]) -> i32 {
    let holds = |one: &str, other: &str| one.len() >= 4 && other.contains(one);
    let by_brand =
        brands.iter().any(|brand| brand == bare || holds(brand, bare) || holds(bare, brand));
    let by_host =
        own == bare || holds(own, bare) || holds(bare, own) || common_prefix(own, bare) >= 6;
    match (by_brand, by_host) {
        (true, true) => 8,
        (true, false) | (false, true) => 5,
        (false, false) => 0,
    }
}

/// Score for a distinctive word that name and host share: "Azienda Agricola Belvedere" and
/// `cantinabelvedere`.
fn word_likeness(name: &str, own: &str) -> i32 {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).map(legal::comparison_key);
    let is_telling = |word: &String| word.len() >= 6 && word.len() * 3 >= own.len();
    if words.any(|word| is_telling(&word) && own.contains(&word)) { 4 } else { 0 }
}

/// Length of the common prefix in bytes.
fn common_prefix(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}
