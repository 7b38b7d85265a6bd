//! The items of a `contacts` run: one record a domain.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::job::words;

words! {
    /// What became of a domain.
    pub enum ContactStatus {
        /// Its company can be written to or called, and visited.
        Found = "found",
        /// Something of it is known, and not all of that.
        Partial = "partial",
        /// It answers and says nothing of a company.
        None = "none",
        /// Bot protection or robots.txt stands before it.
        Blocked = "blocked",
        /// It does not answer.
        Unreachable = "unreachable",
        /// Nobody lives there: it is for sale, or the host's empty page.
        Parked = "parked",
    }
}

/// What is known of a company, as far as its record's status goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactsKnown {
    /// A mailbox or a number.
    pub can_reach: bool,
    pub has_address: bool,
    /// Profiles or people.
    pub has_more: bool,
}

impl ContactsKnown {
    /// The status of a record of a domain that answers and is lived at.
    #[must_use]
    pub fn status(self) -> ContactStatus {
        match self {
            Self { can_reach: true, has_address: true, .. } => ContactStatus::Found,
            Self { can_reach: false, has_address: false, has_more: false } => ContactStatus::None,
            Self { .. } => ContactStatus::Partial,
        }
    }
}

words! {
    /// What kind of mark-up gave a value.
    pub enum ContactMethod {
        /// A link to write a mail.
        Mailto = "mailto",
        /// A link to call.
        Tel = "tel",
        /// JSON-LD.
        Jsonld = "jsonld",
        /// Microdata or RDFa.
        Microdata = "microdata",
        /// A vCard file, or hCard.
        Vcard = "vcard",
        /// The visible text.
        Text = "text",
        /// An address that was hidden from harvesters.
        Deobfuscated = "deobfuscated",
    }
}

words! {
    /// Whose mailbox it is.
    pub enum MailboxType {
        /// A function's: info, sales, press.
        Role = "role",
        /// A person's.
        Personal = "personal",
    }
}

words! {
    /// What a number is for.
    pub enum PhoneType {
        /// Speaking.
        Voice = "voice",
        /// Faxes.
        Fax = "fax",
        /// A mobile telephone.
        Mobile = "mobile",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

words! {
    /// How high in the house, by the title.
    pub enum Seniority {
        /// Runs the company.
        Executive = "executive",
        /// Leads a part of it.
        Head = "head",
        /// Works there.
        Staff = "staff",
    }
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactSource {
    pub url: String,
    pub method: ContactMethod,
}

/// What is known of the company itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ContactCompany {
    /// The name over the door.
    #[schema(required = true)]
    pub name: Option<String>,
    #[schema(required = true)]
    pub legal_name: Option<String>,
    /// As `GmbH` or `S.r.l.`.
    #[schema(required = true)]
    pub legal_form: Option<String>,
    #[schema(required = true)]
    pub description: Option<String>,
    #[schema(required = true)]
    pub registration_number: Option<String>,
    /// The court or the office that keeps the register, as the site names it.
    #[schema(required = true)]
    pub register: Option<String>,
    /// With a right check digit.
    #[schema(required = true)]
    pub vat_id: Option<String>,
    /// A year, or a date where the site gives one.
    #[schema(required = true)]
    pub founded: Option<String>,
    #[schema(required = true)]
    pub logo_url: Option<String>,
    pub sources: Vec<ContactSource>,
}

/// A mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactEmail {
    pub value: String,
    #[serde(rename = "type")]
    pub kind: MailboxType,
    /// What it is for, where the site says so.
    #[schema(required = true)]
    pub label: Option<String>,
    pub sources: Vec<ContactSource>,
}

/// A telephone number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactPhone {
    /// As it is dialled from anywhere; null when its country is not known.
    #[schema(required = true)]
    pub e164: Option<String>,
    /// As the site spells it.
    pub raw: String,
    #[serde(rename = "type")]
    pub kind: PhoneType,
    pub sources: Vec<ContactSource>,
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactAddress {
    /// Its lines, joined by commas.
    pub raw: String,
    #[schema(required = true)]
    pub street: Option<String>,
    #[schema(required = true)]
    pub city: Option<String>,
    #[schema(required = true)]
    pub region: Option<String>,
    #[schema(required = true)]
    pub postal_code: Option<String>,
    /// ISO 3166-1, two letters, where the site names the country.
    #[schema(required = true)]
    pub country: Option<String>,
    pub sources: Vec<ContactSource>,
}

/// A profile of the company on a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactSocial {
    /// As `linkedin`.
    pub network: String,
    pub url: String,
    pub sources: Vec<ContactSource>,
}

/// A profile of a person on a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PersonProfile {
    /// As `linkedin`.
    pub network: String,
    pub url: String,
}

/// Somebody who works there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContactPerson {
    /// Without the honorific.
    pub name: String,
    #[schema(required = true)]
    pub first_name: Option<String>,
    #[schema(required = true)]
    pub last_name: Option<String>,
    #[schema(required = true)]
    pub honorific: Option<String>,
    /// The role, as the site words it.
    #[schema(required = true)]
    pub title: Option<String>,
    #[schema(required = true)]
    pub department: Option<String>,
    #[schema(required = true)]
    pub seniority: Option<Seniority>,
    /// The site says that this person represents the company by law.
    pub legal_representative: bool,
    pub emails: Vec<String>,
    /// As E.164 where the country is known, else as the site spells them.
    pub phones: Vec<String>,
    pub profiles: Vec<PersonProfile>,
    /// From 0 to 1.
    pub confidence: f64,
    pub sources: Vec<ContactSource>,
}

/// The record of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContactItem {
    /// The domain that was asked for.
    pub domain: String,
    pub status: ContactStatus,
    /// The domain that answered instead.
    #[schema(required = true)]
    pub redirected_to: Option<String>,
    pub company: ContactCompany,
    /// Every mailbox of the company, those of its people among them.
    pub emails: Vec<ContactEmail>,
    /// Every number of the company, those of its people among them.
    pub phones: Vec<ContactPhone>,
    pub addresses: Vec<ContactAddress>,
    pub socials: Vec<ContactSocial>,
    #[schema(required = true)]
    pub contact_page_url: Option<String>,
    pub people: Vec<ContactPerson>,
    /// How many pages were read.
    pub pages_checked: u32,
    #[schema(required = true)]
    pub language: Option<String>,
    pub fetched_at: Millis,
    /// The entry of `domains`, or the `url`, as the client wrote it; null in records of earlier
    /// releases.
    #[serde(default)]
    #[schema(required = true)]
    pub input: Option<String>,
}

impl ContactItem {
    /// The record of a domain of which nothing is known.
    #[must_use]
    pub fn empty(domain: String, status: ContactStatus, fetched_at: Millis) -> Self {
        Self {
            domain,
            status,
            redirected_to: None,
            company: ContactCompany::default(),
            emails: Vec::new(),
            phones: Vec::new(),
            addresses: Vec::new(),
            socials: Vec::new(),
            contact_page_url: None,
            people: Vec::new(),
            pages_checked: 0,
            language: None,
            fetched_at,
            input: None,
        }
    }
}
