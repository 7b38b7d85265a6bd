//! What people are called in trades that have their own words for it.

use super::plan::Trade;
use super::truth::Seniority::{Executive, Head, Staff};
use super::words::{Role, role};

/// The titles of a trade in a language; none where the general ones do.
pub(super) fn roles(tag: &str, trade: Trade) -> &'static [Role] {
    match trade {
        Trade::Law => law(tag),
        Trade::Clinic => clinic(tag),
        Trade::Hotel | Trade::Restaurant => hospitality(tag),
        Trade::Software => SOFTWARE,
        Trade::Craft
        | Trade::Maker
        | Trade::Association
        | Trade::Public
        | Trade::Shop
        | Trade::Agency
        | Trade::Group => &[],
    }
}

/// The same in every country.
static SOFTWARE: &[Role] = &[
    role("Head of Engineering", "Head of Engineering", None, Head),
    role("DevOps Engineer", "DevOps Engineer", None, Staff),
    role("Product Designer", "Product Designer", None, Staff),
    role("VP Customer Success", "VP Customer Success", Some(1), Executive),
];

/// Titles for a man and a woman, of people without rank.
macro_rules! staff {
    ($($man:literal / $woman:literal),* $(,)?) => {
        const { &[$(role($man, $woman, None, Staff)),*] }
    };
}

fn law(tag: &str) -> &'static [Role] {
    match tag {
        "de" => staff![
            "Rechtsanwalt" / "Rechtsanwältin",
            "Fachanwalt für Arbeitsrecht" / "Fachanwältin für Arbeitsrecht",
            "Notar" / "Notarin"
        ],
        "fr" => staff![
            "Avocat à la Cour" / "Avocate à la Cour",
            "Juriste" / "Juriste",
            "Notaire associé" / "Notaire associée"
        ],
        "es" => staff![
            "Abogado" / "Abogada",
            "Socio fundador" / "Socia fundadora",
            "Procurador" / "Procuradora"
        ],
        "it" => staff![
            "Avvocato" / "Avvocata",
            "Praticante" / "Praticante",
            "Socio fondatore" / "Socia fondatrice"
        ],
        "nl" => staff![
            "Advocaat" / "Advocaat",
            "Juridisch medewerker" / "Juridisch medewerkster",
            "Notaris" / "Notaris"
        ],
        "pt" => staff![
            "Advogado" / "Advogada",
            "Solicitador" / "Solicitadora",
            "Sócio fundador" / "Sócia fundadora"
        ],
        "pl" => staff![
            "Adwokat" / "Adwokatka",
            "Radca prawny" / "Radczyni prawna",
            "Aplikant" / "Aplikantka"
        ],
        _ => staff![
            "Senior Associate" / "Senior Associate",
            "Solicitor" / "Solicitor",
            "Barrister" / "Barrister",
            "Paralegal" / "Paralegal"
        ],
    }
}

fn clinic(tag: &str) -> &'static [Role] {
    match tag {
        "de" => staff![
            "Zahnarzt" / "Zahnärztin",
            "Oberarzt" / "Oberärztin",
            "Zahnmedizinischer Fachangestellter" / "Zahnmedizinische Fachangestellte"
        ],
        "fr" => staff![
            "Chirurgien" / "Chirurgienne",
            "Cardiologue" / "Cardiologue",
            "Infirmier" / "Infirmière",
            "Sage-femme" / "Sage-femme"
        ],
        "es" => staff!["Médico" / "Médica", "Enfermero" / "Enfermera", "Pediatra" / "Pediatra"],
        "it" => staff![
            "Cardiologo" / "Cardiologa",
            "Fisioterapista" / "Fisioterapista",
            "Infermiere" / "Infermiera",
            "Direttore sanitario" / "Direttrice sanitaria"
        ],
        "nl" => staff![
            "Huisarts" / "Huisarts",
            "Verpleegkundige" / "Verpleegkundige",
            "Tandarts" / "Tandarts"
        ],
        "pt" => staff![
            "Médico" / "Médica",
            "Enfermeiro" / "Enfermeira",
            "Fisioterapeuta" / "Fisioterapeuta"
        ],
        "pl" => staff![
            "Lekarz" / "Lekarka",
            "Pielęgniarz" / "Pielęgniarka",
            "Stomatolog" / "Stomatolog"
        ],
        _ => staff![
            "Consultant" / "Consultant",
            "Practice Nurse" / "Practice Nurse",
            "Dental Hygienist" / "Dental Hygienist"
        ],
    }
}

fn hospitality(tag: &str) -> &'static [Role] {
    match tag {
        "de" => staff![
            "Küchenchef" / "Küchenchefin",
            "Empfangschef" / "Empfangschefin",
            "Hausdame" / "Hausdame"
        ],
        "fr" => staff![
            "Chef de cuisine" / "Cheffe de cuisine",
            "Réceptionniste" / "Réceptionniste",
            "Sommelier" / "Sommelière"
        ],
        "es" => staff![
            "Jefe de cocina" / "Jefa de cocina",
            "Jefe de sala" / "Jefa de sala",
            "Recepcionista" / "Recepcionista"
        ],
        "it" => staff![
            "Capocuoco" / "Capocuoca",
            "Direttore di sala" / "Direttrice di sala",
            "Portiere" / "Portiera"
        ],
        "nl" => staff![
            "Chef-kok" / "Chef-kok",
            "Gastheer" / "Gastvrouw",
            "Receptionist" / "Receptioniste"
        ],
        "pt" => staff![
            "Chefe de cozinha" / "Chefe de cozinha",
            "Rececionista" / "Rececionista",
            "Governante" / "Governanta"
        ],
        "pl" => staff![
            "Szef kuchni" / "Szefowa kuchni",
            "Recepcjonista" / "Recepcjonistka",
            "Kelner" / "Kelnerka"
        ],
        _ => staff![
            "Head Chef" / "Head Chef",
            "Front of House Manager" / "Front of House Manager",
            "Concierge" / "Concierge"
        ],
    }
}
