//! What the law makes a company show: VAT id, register, number, and other ids of the country.

pub(super) mod check;

use super::land::{Land, Town};
use crate::draw::Draw;

/// The ids of a company.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    pub(super) vat: Option<Id>,
    pub(super) register: Option<Register>,
    /// Label and value of what no record asks for.
    pub(super) others: Vec<(&'static str, String)>,
}

/// An id as it is shown, and without its punctuation.
#[derive(Debug, Clone)]
pub(super) struct Id {
    pub(super) label: &'static str,
    pub(super) shown: String,
}

impl Id {
    fn new(label: &'static str, shown: String) -> Self {
        Self { label, shown }
    }

    pub(super) fn compact(&self) -> String {
        compact(&self.shown)
    }
}

/// Letters and digits alone.
pub(super) fn compact(shown: &str) -> String {
    shown.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// An entry in a register.
#[derive(Debug, Clone)]
pub(super) struct Register {
    pub(super) label: &'static str,
    pub(super) office: Option<String>,
    pub(super) number: String,
    /// How both are put: `{office}` and `{number}` are filled in.
    pub(super) phrase: &'static str,
}

/// What kind of entry a legal form has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Company,
    Partnership,
    Association,
    Nothing,
}

/// The ids that a company of this country has.
pub(super) fn of(land: &Land, town: &Town, entry: Entry, draw: &mut Draw) -> Ids {
    let office = (!town.court.is_empty()).then(|| town.court.to_owned());
    let entered = |label, number: String, phrase| {
        (entry != Entry::Nothing).then_some(Register { label, office, number, phrase })
    };
    let five = draw.line_digits(5);
    match land.code {
        "DE" => {
            let kind = match entry {
                Entry::Partnership => "HRA",
                Entry::Association => "VR",
                Entry::Company | Entry::Nothing => "HRB",
            };
            Ids {
                vat: Some(Id::new(
                    "USt-IdNr.:",
                    format!("DE{}", check::german(&draw.line_digits(8))),
                )),
                register: entered(
                    "Registereintrag:",
                    format!("{kind} {five}"),
                    "{office}, {number}",
                ),
                others: vec![(
                    "Steuernummer:",
                    format!("217/{}/{}", draw.line_digits(4), draw.line_digits(4)),
                )],
            }
        }
        "AT" => Ids {
            vat: Some(Id::new("UID-Nr.:", format!("ATU{}", check::austrian(&draw.line_digits(7))))),
            register: entered(
                "Firmenbuch:",
                format!("FN {}{}a", five, draw.below(10)),
                "{number}, {office}",
            ),
            others: vec![("GLN:", format!("91{}", draw.line_digits(11)))],
        },
        "CH" => {
            let uid = check::dotted(&check::swiss(draw), &[3, 3, 3], ".");
            Ids {
                vat: Some(Id::new("MwSt-Nr.:", format!("CHE-{uid} MWST"))),
                register: entered("Eintrag:", format!("CHE-{uid}"), "{office}, UID {number}"),
                others: Vec::new(),
            }
        }
        "FR" => {
            let siren = check::luhn(&draw.line_digits(8));
            let spaced = check::dotted(&siren, &[3, 3, 3], " ");
            let vat = format!("FR {} {spaced}", check::french_key(&siren));
            let siret = check::luhn(&format!("{siren}0001"));
            Ids {
                vat: Some(Id::new("N° TVA intracommunautaire :", vat)),
                register: entered("Immatriculation :", spaced, "{office} {number}"),
                others: vec![
                    ("SIRET :", check::dotted(&siret, &[3, 3, 3, 5], " ")),
                    ("Code APE :", "4391B".to_owned()),
                ],
            }
        }
        "BE" => {
            let number = check::dotted(
                &check::belgian(&format!("04{}", draw.line_digits(6))),
                &[4, 3, 3],
                ".",
            );
            let (label, kind) = if town.court.starts_with("RPR") {
                ("Btw:", "Ondernemingsnummer:")
            } else {
                ("TVA :", "BCE :")
            };
            Ids {
                vat: Some(Id::new(label, format!("BE {number}"))),
                register: entered(kind, number, "{number}, {office}"),
                others: Vec::new(),
            }
        }
        "ES" => {
            let letter = if entry == Entry::Association { "G" } else { "B" };
            let phrase = "{office}, tomo 12.345, folio 67, hoja {number}";
            Ids {
                vat: Some(Id::new(
                    "NIF:",
                    format!("{letter}{}", check::spanish(&draw.line_digits(7))),
                )),
                register: entered("Inscrita en el", format!("M-{five}{}", draw.below(10)), phrase),
                others: Vec::new(),
            }
        }
        "MX" => Ids {
            vat: Some(Id::new(
                "RFC:",
                check::mexican("TJA", &format!("0903{}", draw.between(10, 28))),
            )),
            ..Ids::default()
        },
        "IT" => {
            let region = town.region.unwrap_or_default();
            // The three digits before the check are the office of the province.
            let office = match region {
                "BG" => "016",
                "MI" => "015",
                _ => "001",
            };
            let vat = check::luhn(&format!("0{}{office}", draw.line_digits(6)));
            Ids {
                vat: Some(Id::new("P. IVA", vat.clone())),
                register: entered(
                    "REA",
                    format!("{region}-{five}{}", draw.below(10)),
                    "{number} – {office}",
                ),
                others: vec![
                    ("Cod. Fisc.", vat),
                    ("Capitale sociale", "€ 50.000,00 i.v.".to_owned()),
                ],
            }
        }
        "NL" => Ids {
            vat: Some(Id::new("Btw-id:", format!("NL{}B01", check::dutch(draw)))),
            register: entered(
                "Inschrijving:",
                format!("{five}{}", draw.line_digits(3)),
                "{office} {number}",
            ),
            others: Vec::new(),
        },
        "PT" => {
            let number = check::portuguese(&format!("50{}", draw.line_digits(6)));
            Ids {
                vat: Some(Id::new("NIPC:", number.clone())),
                register: entered("Matrícula:", number, "{office}, sob o n.º {number}"),
                others: vec![("Capital social:", "50.000,00 €".to_owned())],
            }
        }
        "BR" => {
            let cnpj = check::brazilian(&format!("{}0001", draw.line_digits(8)));
            let (head, tail) = cnpj.split_at(8);
            let shown = format!(
                "{}/{}",
                check::dotted(head, &[2, 3, 3], "."),
                check::dotted(tail, &[4, 2], "-")
            );
            Ids {
                vat: None,
                register: entered("CNPJ:", shown, "{number}"),
                others: vec![(
                    "Inscrição Estadual:",
                    format!("{}-{}", draw.line_digits(8), draw.line_digits(2)),
                )],
            }
        }
        "PL" => {
            let nip = check::dotted(&check::polish(draw), &[3, 3, 2, 2], "-");
            Ids {
                vat: Some(Id::new("NIP:", nip)),
                register: entered(
                    "KRS:",
                    format!("0000{five}{}", draw.below(10)),
                    "{number}, {office}",
                ),
                others: vec![("REGON:", check::regon(&draw.line_digits(8)))],
            }
        }
        "GB" => {
            let vat = check::dotted(&check::british(&draw.line_digits(7)), &[3, 4, 2], " ");
            Ids {
                vat: Some(Id::new("VAT Reg. No.", format!("GB {vat}"))),
                register: entered(
                    "Registered in",
                    format!("0{five}{}", draw.line_digits(2)),
                    "{office}, company number {number}",
                ),
                others: Vec::new(),
            }
        }
        "IE" => Ids {
            vat: Some(Id::new("VAT No:", format!("IE{}", check::irish(&draw.line_digits(7))))),
            register: entered(
                "Registration:",
                format!("{five}{}", draw.below(10)),
                "{office} No. {number}",
            ),
            others: Vec::new(),
        },
        _ => {
            Ids { others: vec![("EIN:", format!("93-{}", draw.line_digits(7)))], ..Ids::default() }
        }
    }
}
