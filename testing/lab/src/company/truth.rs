//! The truth about a company: its contacts record as a careful person would fill it, with
//! every page that a value is on, and values on it that belong to others.

use contract::{ContactStatus, Seniority};
use serde::{Deserialize, Serialize};

/// The record of one domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompanyTruth {
    /// The domain that is asked for.
    pub host: String,
    pub status: ContactStatus,
    /// The domain that answers instead.
    pub redirected_to: Option<String>,
    /// Language of the pages, without a region.
    pub language: Option<String>,
    /// ISO code of the country that the company is at home in: what its national numbers
    /// are read by.
    pub home: Option<String>,
    /// Path of the page that is for making contact.
    pub contact_page: Option<String>,
    pub company: FirmTruth,
    /// Every address of the company, those of its people among them.
    pub emails: Vec<EmailTruth>,
    /// Every number of the company, those of its people among them.
    pub phones: Vec<PhoneTruth>,
    pub addresses: Vec<AddressTruth>,
    pub socials: Vec<ProfileTruth>,
    pub people: Vec<PersonTruth>,
    /// What stands on the site and belongs to others, or to nobody: addresses, numbers in
    /// their spelling and as E.164, names, ids, profiles. None may stand in a record.
    pub foreign: Vec<String>,
}

/// One value with all places it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthValue {
    pub value: String,
    pub sources: Vec<ValuePlace>,
}

/// One place that a value stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuePlace {
    /// Path and query of the page.
    pub path: String,
    pub method: Method,
    /// The characters of the page's source that give the value.
    pub spelling: String,
    /// How an address is hidden in them.
    pub obfuscation: Option<Obfuscation>,
}

/// What kind of mark-up gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Mailto,
    Tel,
    JsonLd,
    Microdata,
    Vcard,
    Text,
    Deobfuscated,
}

/// How an e-mail address is kept from harvesters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obfuscation {
    /// "[at]" and "(dot)" in the language of the page.
    Words,
    Entities,
    /// Hexadecimal references.
    Hex,
    /// Both kinds, with plain letters between.
    MixedEntities,
    /// Written backwards, turned round by a style.
    Reversed,
    /// Cloudflare's `data-cfemail`.
    Cloudflare,
    Spans,
    Comments,
    /// With letters in between that a style hides.
    Filler,
    /// A script adds strings.
    ScriptConcat,
    /// A script joins a list.
    ScriptJoin,
    /// A script spells it by codes.
    CharCodes,
    /// In two attributes that a script puts together.
    DataAttributes,
    /// Each letter 13 further, in a script that turns it back.
    Rot13,
    /// Only in a picture: not given.
    Image,
}

/// What is known of the company itself. Ids are compact: without spaces, dots and dashes,
/// a country's letters only where the page shows them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FirmTruth {
    /// The name over the door.
    pub name: Option<TruthValue>,
    pub legal_name: Option<TruthValue>,
    pub legal_form: Option<TruthValue>,
    pub description: Option<TruthValue>,
    pub registration_number: Option<TruthValue>,
    /// The court or office, as the page names it.
    pub register: Option<TruthValue>,
    /// Only with a right check digit. In Mexico the RFC; a CNPJ is a registration number.
    pub vat_id: Option<TruthValue>,
    pub founded: Option<TruthValue>,
    pub logo: Option<TruthValue>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailTruth {
    pub value: String,
    pub personal: bool,
    /// What it is for, where the page says so.
    pub label: Option<String>,
    /// Name of the person it belongs to.
    pub of: Option<String>,
    pub sources: Vec<ValuePlace>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneTruth {
    /// Nothing for a short number, which nobody can dial from abroad.
    pub e164: Option<String>,
    /// As the first page spells it.
    pub raw: String,
    pub kind: PhoneKind,
    pub of: Option<String>,
    pub sources: Vec<ValuePlace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhoneKind {
    Voice,
    Fax,
    Mobile,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressTruth {
    /// Its lines, joined by commas.
    pub raw: String,
    pub street: String,
    pub city: String,
    /// As the page spells it, where it does.
    pub region: Option<String>,
    pub postal_code: String,
    /// ISO code, where the page names the country.
    pub country: Option<String>,
    pub sources: Vec<ValuePlace>,
}

/// A profile on a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileTruth {
    pub network: String,
    pub url: String,
    pub sources: Vec<ValuePlace>,
}

/// Somebody who works there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonTruth {
    /// Without the honorific.
    pub name: String,
    pub first_name: String,
    pub last_name: String,
    pub honorific: Option<TruthValue>,
    pub title: Option<TruthValue>,
    pub department: Option<TruthValue>,
    /// By the title that is shown.
    pub seniority: Option<Seniority>,
    /// The site says that this person represents the company by law.
    pub legal_representative: bool,
    pub emails: Vec<String>,
    pub phones: Vec<String>,
    pub profiles: Vec<ProfileTruth>,
    pub sources: Vec<ValuePlace>,
}
