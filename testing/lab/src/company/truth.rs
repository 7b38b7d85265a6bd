//! The truth of a company: its complete contacts record, the pages of every value, and values of
//! third parties. The recordings contain more than tests read.

use contract::{ContactStatus, Seniority};
use serde::Deserialize;

/// The record of one domain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CompanyTruth {
    /// The domain that a run requests.
    pub host: String,
    pub status: ContactStatus,
    /// The domain to which it redirects.
    pub redirected_to: Option<String>,
    /// Language of the pages, without a region.
    pub language: Option<String>,
    /// Path of the contact page.
    pub contact_page: Option<String>,
    pub company: FirmTruth,
    /// All e-mail addresses of the company, including those of its people.
    pub emails: Vec<EmailTruth>,
    /// All phone numbers of the company, including those of its people.
    pub phones: Vec<PhoneTruth>,
    pub addresses: Vec<AddressTruth>,
    pub socials: Vec<ProfileTruth>,
    pub people: Vec<PersonTruth>,
    /// Values on the site that belong to third parties: addresses, numbers as spelled and as E.164,
    /// names, ids, profiles. None may be in a record.
    pub foreign: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TruthValue {
    pub value: String,
}

impl CompanyTruth {
    /// The truth of a domain without data of a company.
    pub(super) fn without_data(host: &str, status: ContactStatus) -> Self {
        Self {
            host: host.to_owned(),
            status,
            redirected_to: None,
            language: None,
            contact_page: None,
            company: FirmTruth::default(),
            emails: Vec::new(),
            phones: Vec::new(),
            addresses: Vec::new(),
            socials: Vec::new(),
            people: Vec::new(),
            foreign: Vec::new(),
        }
    }
}

/// A place where a page shows a value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ValuePlace {
    /// Path and query of the page.
    pub path: String,
    /// The source text of the page that contains the value.
    pub spelling: String,
}

/// The data of the company itself. Ids are compact: without spaces, dots and dashes, and with country
/// letters only if the page shows them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct FirmTruth {
    /// The name that the company trades under.
    pub name: Option<TruthValue>,
    pub legal_name: Option<TruthValue>,
    pub legal_form: Option<TruthValue>,
    pub description: Option<TruthValue>,
    pub registration_number: Option<TruthValue>,
    /// The court or office, as the page names it.
    pub register: Option<TruthValue>,
    /// Only with a valid check digit. In Mexico the RFC; a CNPJ is a registration number.
    pub vat_id: Option<TruthValue>,
    pub founded: Option<TruthValue>,
    pub logo: Option<TruthValue>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EmailTruth {
    pub value: String,
    pub personal: bool,
    pub sources: Vec<ValuePlace>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PhoneTruth {
    /// `None` for a short number, which cannot be dialled from abroad.
    pub e164: Option<String>,
    /// As the first page spells it.
    pub raw: String,
    pub kind: PhoneKind,
    pub sources: Vec<ValuePlace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhoneKind {
    Voice,
    Fax,
    Mobile,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AddressTruth {
    pub street: String,
    pub city: String,
    /// As the page spells it.
    pub region: Option<String>,
    pub postal_code: String,
    /// ISO code, if the page names the country.
    pub country: Option<String>,
}

/// A profile on a network.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProfileTruth {
    pub network: String,
    pub url: String,
}

/// A person of the company.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PersonTruth {
    /// Without the honorific.
    pub name: String,
    pub last_name: String,
    pub honorific: Option<TruthValue>,
    pub title: Option<TruthValue>,
    pub department: Option<TruthValue>,
    /// Derived from the shown title.
    pub seniority: Option<Seniority>,
    /// The site says that this person represents the company by law.
    pub legal_representative: bool,
    pub emails: Vec<String>,
    pub phones: Vec<String>,
    pub profiles: Vec<ProfileTruth>,
}
