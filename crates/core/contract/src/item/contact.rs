//! The items of a `contacts` run: one record per domain.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::string_enum::string_enum;

string_enum! {
    /// The result of a domain.
    pub enum ContactStatus {
        /// Contact data and a postal address were found.
        Found = "found",
        /// Some contact data was found.
        Partial = "partial",
        /// The site has no contact data.
        None = "none",
        /// Blocked by bot protection or robots.txt.
        Blocked = "blocked",
        /// The site does not respond.
        Unreachable = "unreachable",
        /// The domain is parked: for sale, or a default page of its host.
        Parked = "parked",
    }
}

/// The kinds of contact data that determine the status of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactsKnown {
    /// An e-mail address or a phone number.
    pub can_reach: bool,
    pub has_address: bool,
    /// Social profiles or people.
    pub has_more: bool,
}

impl ContactsKnown {
    /// The status of a domain that responds and is not parked.
    #[must_use]
    pub fn status(self) -> ContactStatus {
        match self {
            Self { can_reach: true, has_address: true, .. } => ContactStatus::Found,
            Self { can_reach: false, has_address: false, has_more: false } => ContactStatus::None,
            Self { .. } => ContactStatus::Partial,
        }
    }
}

string_enum! {
    /// The source of a value on a page.
    pub enum ContactMethod {
        /// A link with the scheme `mailto:`.
        Mailto = "mailto",
        /// A link with the scheme `tel:`.
        Tel = "tel",
        /// Structured data in JSON-LD.
        Jsonld = "jsonld",
        /// Structured data in Microdata or RDFa.
        Microdata = "microdata",
        /// A vCard file or hCard markup.
        Vcard = "vcard",
        /// The visible text of a page.
        Text = "text",
        /// An obfuscated e-mail address.
        Deobfuscated = "deobfuscated",
    }
}

string_enum! {
    /// The kind of a mailbox.
    pub enum MailboxType {
        /// A role mailbox, as info, sales or press.
        Role = "role",
        /// The mailbox of a person.
        Personal = "personal",
    }
}

string_enum! {
    /// The kind of a phone number.
    pub enum PhoneType {
        /// A number for voice calls.
        Voice = "voice",
        /// A number for fax messages.
        Fax = "fax",
        /// The number of a mobile phone.
        Mobile = "mobile",
        /// The page does not show the kind.
        Unknown = "unknown",
    }
}

string_enum! {
    /// The seniority of a person, by the job title.
    pub enum Seniority {
        /// Executives of the company.
        Executive = "executive",
        /// Heads of departments or teams.
        Head = "head",
        /// All other people of the company.
        Staff = "staff",
    }
}

string_enum! {
    /// What presents a person as one of the company.
    pub enum PersonContextKind {
        /// Structured data, a vCard or hCard markup.
        StructuredData = "structured_data",
        /// A label of a legal notice, as "Managing director:".
        LegalNotice = "legal_notice",
        /// Another label before the name, as "Your contact:" or "Editor:".
        Label = "label",
        /// A card or row on a page, under a heading or in an element about the team.
        Team = "team",
        /// A box about an author.
        AuthorBox = "author_box",
        /// A card or row elsewhere.
        Card = "card",
        /// A sentence that states the position of the person.
        Sentence = "sentence",
        /// A mailbox with the name of the person beside it.
        Mailbox = "mailbox",
    }
}

/// The page and method that a value was found by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactSource {
    pub url: String,
    pub method: ContactMethod,
}

/// The page, method and context that a person was found by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PersonSource {
    pub url: String,
    pub method: ContactMethod,
    /// Null in records of earlier releases.
    #[serde(default)]
    #[schema(required = true)]
    pub context: Option<PersonContextKind>,
}

/// The company of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ContactCompany {
    /// The trading name of the company.
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
    /// The register court or authority, as the site names it.
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

/// An e-mail address of the company.
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

/// A phone number of the company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactPhone {
    /// The number in E.164; null if its country is unknown.
    #[schema(required = true)]
    pub e164: Option<String>,
    /// The number as written on the site.
    pub raw: String,
    #[serde(rename = "type")]
    pub kind: PhoneType,
    pub sources: Vec<ContactSource>,
}

/// A postal address of the company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContactAddress {
    /// The lines of the address, joined by commas.
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
    /// Name of the network, as `linkedin`.
    pub network: String,
    pub url: String,
    pub sources: Vec<ContactSource>,
}

/// A profile of a person on a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PersonProfile {
    /// Name of the network, as `linkedin`.
    pub network: String,
    pub url: String,
}

/// A person of the company.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContactPerson {
    /// The name without the honorific.
    pub name: String,
    #[schema(required = true)]
    pub first_name: Option<String>,
    #[schema(required = true)]
    pub last_name: Option<String>,
    #[schema(required = true)]
    pub honorific: Option<String>,
    /// The job title as written on the site.
    #[schema(required = true)]
    pub title: Option<String>,
    #[schema(required = true)]
    pub department: Option<String>,
    #[schema(required = true)]
    pub seniority: Option<Seniority>,
    /// Whether the site names the person as a legal representative of the company.
    pub legal_representative: bool,
    pub emails: Vec<String>,
    /// In E.164 if the country is known, otherwise as written on the site.
    pub phones: Vec<String>,
    pub profiles: Vec<PersonProfile>,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    pub sources: Vec<PersonSource>,
}

/// The record of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContactItem {
    /// The domain of the request, normalised.
    pub domain: String,
    pub status: ContactStatus,
    /// The domain that the requested one redirects to.
    #[schema(required = true)]
    pub redirected_to: Option<String>,
    pub company: ContactCompany,
    /// All e-mail addresses of the company, including those of its people.
    pub emails: Vec<ContactEmail>,
    /// All phone numbers of the company, including those of its people.
    pub phones: Vec<ContactPhone>,
    pub addresses: Vec<ContactAddress>,
    pub socials: Vec<ContactSocial>,
    #[schema(required = true)]
    pub contact_page_url: Option<String>,
    pub people: Vec<ContactPerson>,
    /// Number of pages that were read.
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
    /// A record without contact data.
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
