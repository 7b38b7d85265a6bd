//! The countries that companies are at home in: towns, streets, numbers and how they are
//! spelled there. Numbers come from the ranges that a country keeps for fiction, where it does.

mod table;

pub(super) use table::{AT, BE, BR, CH, DE, ES, FR, GB, IE, IT, MX, NL, PL, PT, US};

use super::phone::Spelling;

/// One country.
#[derive(Debug)]
pub(super) struct Land {
    /// ISO code.
    pub(super) code: &'static str,
    /// As its people write it under an address.
    pub(super) name: &'static str,
    /// Calling code.
    pub(super) dial: &'static str,
    /// What is dialled before the area at home.
    pub(super) trunk: &'static str,
    pub(super) towns: &'static [Town],
    pub(super) streets: &'static [&'static str],
    /// Prefix and how many digits follow.
    pub(super) mobiles: &'static [(&'static str, usize)],
    pub(super) spellings: &'static [Spelling],
}

/// A town.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Town {
    pub(super) city: &'static str,
    pub(super) postal: &'static str,
    pub(super) region: Option<&'static str>,
    pub(super) area: &'static str,
    /// First digits of its numbers, and how many follow.
    pub(super) exchange: (&'static str, usize),
    /// The court or office that keeps its register.
    pub(super) court: &'static str,
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) land: &'static str,
    pub(super) street: String,
    pub(super) postal: String,
    pub(super) city: String,
    pub(super) region: Option<String>,
    /// What stands between street and town: a quarter.
    pub(super) quarter: Option<String>,
}

impl Land {
    /// What people write before a postal code for the country.
    pub(super) fn postal_prefix(&self) -> Option<&'static str> {
        match self.code {
            "DE" => Some("D"),
            "AT" => Some("A"),
            "CH" => Some("CH"),
            "FR" => Some("F"),
            "BE" => Some("B"),
            _ => None,
        }
    }
}

impl Place {
    /// The address as it is written on an envelope there.
    pub(super) fn lines(&self) -> Vec<String> {
        let Self { street, postal, city, .. } = self;
        let region = self.region.as_deref().unwrap_or_default();
        let mut lines = vec![street.clone()];
        lines.extend(self.quarter.clone());
        match self.land {
            "GB" | "IE" => lines.extend([city.clone(), postal.clone()]),
            "US" => lines.push(format!("{city}, {region} {postal}")),
            "IT" => lines.push(format!("{postal} {city} ({region})")),
            "MX" => lines.push(format!("C.P. {postal} {city}, {region}")),
            "BR" => lines.extend([format!("{city} – {region}"), format!("CEP {postal}")]),
            _ => lines.push(format!("{postal} {city}")),
        }
        lines
    }
}
