//! Others whose names, addresses and numbers stand on a company's pages: the web agency, the
//! chamber, the authority, the host, the officer of another firm, customers, authors.

use super::firm::{Firm, ascii};
use super::land::Place;
use super::phone::Number;
use crate::draw::Draw;

/// Somebody else.
#[derive(Debug, Clone)]
pub(super) struct Outsider {
    pub(super) name: String,
    /// Somebody who works there.
    pub(super) person: String,
    pub(super) email: String,
    pub(super) number: Number,
    pub(super) place: Place,
    pub(super) site: String,
}

/// What the others are called, by what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Agency,
    Chamber,
    Authority,
    Host,
    Officer,
}

const AGENCIES: &[&str] =
    &["Pixelkutter", "Blaurand Digital", "Studio Kolibri", "Nordlicht Media", "Webgarage Lumen"];
const HOSTS: &[&str] = &["Serverhafen SE", "Cloudwerft Ltd", "Hostaria Rete", "Datenspeicher Nord"];
const OFFICERS: &[&str] = &["Privatum Advisory", "Datenwacht", "Securis Conseil", "Custodia Data"];

impl Outsider {
    /// The one that a company has to do with: always the same.
    pub(super) fn of(firm: &Firm, sort: Sort) -> Self {
        let plan = &firm.plan;
        let mut draw = Draw::named(
            plan.seed,
            match sort {
                Sort::Agency => "agency",
                Sort::Chamber => "chamber",
                Sort::Authority => "authority",
                Sort::Host => "host",
                Sort::Officer => "officer",
            },
        );
        let name = match sort {
            Sort::Agency => draw.pick(AGENCIES),
            Sort::Host => draw.pick(HOSTS),
            Sort::Officer => draw.pick(OFFICERS),
            Sort::Chamber => chamber(plan.words.tag),
            Sort::Authority => authority(plan.words.tag),
        };
        // Never a town of the company: its numbers are another's.
        let towns = plan.land.towns;
        let away = towns.len() - 1;
        let (town, street, local) = match sort {
            Sort::Agency => (towns[away], "77", "hello"),
            Sort::Chamber => (towns[away - 1], "16", "info"),
            Sort::Authority => (towns[away], "2-8", "office"),
            Sort::Host => (towns[away - 1], "1001", "support"),
            Sort::Officer => (towns[away], "55", "privacy"),
        };
        let others = plan.land.streets.len() - 1;
        let base = plan.land.streets[(plan.seed as usize + others) % plan.land.streets.len()];
        let words: String = base.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let words = words.split(',').next().unwrap_or_default().trim().to_owned();
        let place = Place {
            land: plan.land.code,
            street: if matches!(plan.land.code, "GB" | "US" | "IE" | "FR") {
                format!("{street} {words}")
            } else {
                format!("{words} {street}")
            },
            postal: town.postal.to_owned(),
            city: town.city.to_owned(),
            region: town.region.map(str::to_owned),
            quarter: None,
        };
        let domain = format!("{}.test", ascii(name));
        Self {
            name: name.to_owned(),
            person: stranger(firm, sort as usize),
            email: format!("{local}@{domain}"),
            number: Number::fixed(plan.land, &town, &mut draw),
            place,
            site: format!("https://www.{domain}/"),
        }
    }
}

/// A name of nobody in the house.
pub(super) fn stranger(firm: &Firm, number: usize) -> String {
    let words = firm.plan.words;
    let firsts = [words.men, words.women][number % 2];
    let mut draw = Draw::named(firm.plan.seed, "strangers");
    let shift = draw.below(7) + number * 3;
    let first = firsts[shift % firsts.len()];
    // Surnames that no list of the houses has.
    let last =
        ["Tamboriv", "Quellmeyr", "Ostrander", "Vexholm", "Dragomiri", "Pallasch", "Yverdal"]
            [shift % 7];
    format!("{first} {last}")
}

fn chamber(tag: &str) -> &'static str {
    match tag {
        "de" => "Kammer der Gewerke Rhein-Elbe",
        "fr" => "Conseil régional de l’Ordre des Métiers",
        "es" => "Ilustre Colegio de Oficios",
        "it" => "Ordine Provinciale dei Mestieri",
        "nl" => "Orde van Ambachten",
        "pt" => "Ordem dos Ofícios",
        "pl" => "Okręgowa Izba Rzemiosł",
        _ => "Guild of Certified Trades",
    }
}

fn authority(tag: &str) -> &'static str {
    match tag {
        "de" => "Bezirksamt für Aufsicht und Ordnung",
        "fr" => "Direction départementale du Contrôle",
        "es" => "Agencia Autonómica de Control",
        "it" => "Agenzia di Vigilanza Locale",
        "nl" => "Inspectiedienst Ambacht en Zorg",
        "pt" => "Autoridade Regional de Fiscalização",
        "pl" => "Wojewódzki Urząd Nadzoru",
        _ => "Standards and Licensing Office",
    }
}
