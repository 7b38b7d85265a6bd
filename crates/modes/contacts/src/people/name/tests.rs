//! Names of people and lists of names.

use proptest::prelude::*;

use super::*;

/// Text, honorific, first name, surname.
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("Anna Berg", "", "Anna", "Berg"),
    ("Dr. Anna Berg", "Dr.", "Anna", "Berg"),
    ("Prof. Dr. med. Karl-Heinz Otto", "Prof. Dr. med.", "Karl-Heinz", "Otto"),
    ("Dipl.-Ing. (FH) Jürgen Groß", "Dipl.-Ing. (FH)", "Jürgen", "Groß"),
    ("Mag. Ursula Feichtinger, MBA", "Mag., MBA", "Ursula", "Feichtinger"),
    ("Hans Peter Müller", "", "Hans Peter", "Müller"),
    ("Otto von und zu Hohenlinde", "", "Otto", "von und zu Hohenlinde"),
    ("Frau Sabine Köllner", "Frau", "Sabine", "Köllner"),
    ("Herr Dr. Götz Kaiser", "Herr Dr.", "Götz", "Kaiser"),
    ("Müller-Orlamünd, Viola", "", "Viola", "Müller-Orlamünd"),
    ("Groß, Jürgen, Dr.", "Dr.", "Jürgen", "Groß"),
    ("Jean DUPONT", "", "Jean", "Dupont"),
    ("DUPONT Jean", "", "Jean", "Dupont"),
    ("Marie-Claude DE LA TOURAILLE", "", "Marie-Claude", "de la Touraille"),
    ("M. Jean-Baptiste Lebrunet", "M.", "Jean-Baptiste", "Lebrunet"),
    ("Mme Solène d’Aubressac", "Mme", "Solène", "d’Aubressac"),
    ("Me Étienne Quévillon", "Me", "Étienne", "Quévillon"),
    ("José Luis García Martín", "", "José Luis", "García Martín"),
    ("María del Carmen Ruiz Olmo", "", "María del Carmen", "Ruiz Olmo"),
    ("D. Íñigo Ortega y Gasset", "D.", "Íñigo", "Ortega y Gasset"),
    ("Dña. Pilar Sánchez", "Dña.", "Pilar", "Sánchez"),
    ("Dott.ssa Chiara Fabbri Montalto", "Dott.ssa", "Chiara", "Fabbri Montalto"),
    ("Avv. Matteo Della Rocchetta", "Avv.", "Matteo", "Della Rocchetta"),
    ("dhr. Jan van der Berg", "dhr.", "Jan", "van der Berg"),
    ("drs. Marieke de Vries", "drs.", "Marieke", "de Vries"),
    ("Maria da Luz Braga", "", "Maria da Luz", "Braga"),
    ("Vasco dos Santos Moreirinha", "", "Vasco", "dos Santos Moreirinha"),
    ("Inês e Silva Ramalhão", "", "Inês", "e Silva Ramalhão"),
    ("Eng.º Luís Filipe Guimarães Teles", "Eng.º", "Luís Filipe", "Guimarães Teles"),
    ("mgr inż. Grzegorz Żurawik", "mgr inż.", "Grzegorz", "Żurawik"),
    ("prof. dr hab. Małgorzata Łęczycka", "prof. dr hab.", "Małgorzata", "Łęczycka"),
    ("Anna Maria Kowal", "", "Anna Maria", "Kowal"),
    ("Siobhan O'Dunphy", "", "Siobhan", "O'Dunphy"),
    ("Rory MacOrrin", "", "Rory", "MacOrrin"),
    ("John F. Kennedy Jr.", "", "John F.", "Kennedy"),
    ("J. R. Pellgrove", "", "J. R.", "Pellgrove"),
    ("Sir Winston Fairlight-Moss", "Sir", "Winston", "Fairlight-Moss"),
    ("Robert “Bob” Tarnwick", "", "Robert", "Tarnwick"),
    ("Ayşe Yıldız", "", "Ayşe", "Yıldız"),
    ("Mohammed Ben Salah", "", "Mohammed", "Ben Salah"),
    ("Nguyen Thi Lan", "", "Nguyen Thi", "Lan"),
    ("Vladimír Dvořák", "", "Vladimír", "Dvořák"),
    ("Erin O’Malley, Ph.D.", "Ph.D.", "Erin", "O’Malley"),
    ("Sarah Jane Smith, CPA, MBA", "CPA, MBA", "Sarah Jane", "Smith"),
    ("MARIO ROSSI", "", "Mario", "Rossi"),
    ("Tamsin Okonjo-Reyes", "", "Tamsin", "Okonjo-Reyes"),
];

#[test]
fn names_are_split_into_their_parts() {
    let mut wrong = Vec::new();
    for (text, honorific, first, last) in NAMES {
        let Some(name) = parse(text) else {
            wrong.push(format!("{text}: no name"));
            continue;
        };
        let found = (
            name.honorific.as_deref().unwrap_or(""),
            name.first.as_deref().unwrap_or(""),
            name.last.as_deref().unwrap_or(""),
        );
        if found != (*honorific, *first, *last) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn other_texts_are_not_names() {
    for text in [
        "",
        "Anna",
        "Unser Team",
        "Kontakt & Anfahrt",
        "Geschäftsführung",
        "Über uns",
        "Mehr erfahren",
        "Read more",
        "Our Team",
        "Telefon 0221 123",
        "info@example.org",
        "Köln, Deutschland",
        "Musterstraße 12",
        "Alle Rechte vorbehalten",
        "Victoria Classic",
        "Otto Komfort",
        "Clara Plus",
        "New York",
        "Amtsgericht Köln",
        "Muster GmbH",
        "Berg & Otto",
        "Vertrieb Innendienst",
        "Anna Berg und Karl Otto sind da",
        "Head of Sales",
        "wir sind für Sie da",
        "Rue Victor Hugo",
        "Calle Santa Ana",
        "Plaza Mayor",
        "Ulica Jana Pawła",
        "Consulting Services",
        "Montag bis Freitag",
        "Anna B",
        "TeamViewer Pro",
        "Hotel Anna Maria",
        "Sankt Martin Straße",
        "Datenschutz Impressum",
        "Foto Müller Studio",
        "Política de privacidade",
        "Mentions légales",
        "Aviso legal",
        "Mr. and Mrs. Smith of London",
        "A B",
        "Via Giuseppe Garibaldi",
    ] {
        assert_eq!(
            parse(text).filter(|name| name.given_name_match == GivenNameMatch::Known),
            None,
            "{text}"
        );
    }
}

#[test]
fn lists_of_names_are_split() {
    type Named = (&'static str, Option<&'static str>);
    let rows: &[(&str, &[Named])] = &[
        ("Dr. Anna Berg und Karl Otto", &[("Anna Berg", None), ("Karl Otto", None)]),
        (
            "Anna Berg, Dr. Karl Otto; Registergericht Köln",
            &[("Anna Berg", None), ("Karl Otto", None)],
        ),
        (
            "Anna Berg (Vorsitzende), Karl Otto (stellv. Vorsitzender)",
            &[("Anna Berg", Some("Vorsitzende")), ("Karl Otto", Some("stellv. Vorsitzender"))],
        ),
        ("Berg, Anna; Otto, Karl", &[("Anna Berg", None), ("Karl Otto", None)]),
        (
            "Anna Berg, Geschäftsführerin, Karl Otto, Prokurist",
            &[("Anna Berg", Some("Geschäftsführerin")), ("Karl Otto", Some("Prokurist"))],
        ),
        (
            "María Ortega y Gasset y Juan Pérez López",
            &[("María Ortega y Gasset", None), ("Juan Pérez López", None)],
        ),
        (
            "Inês e Silva Ramalhão e Vasco Braga",
            &[("Inês e Silva Ramalhão", None), ("Vasco Braga", None)],
        ),
        (
            "Otto von und zu Hohenlinde und Eva Berg.",
            &[("Otto von und zu Hohenlinde", None), ("Eva Berg", None)],
        ),
        ("Jan Kowalski oraz Anna Wilk. NIP: 123", &[("Jan Kowalski", None), ("Anna Wilk", None)]),
        ("Anna Berg Registergericht: Köln", &[("Anna Berg", None)]),
        ("Anna Berg Telefon 0221", &[("Anna Berg", None)]),
        ("Anna Berg, 50667 Köln", &[("Anna Berg", None)]),
        ("die Gesellschafter", &[]),
        ("Muster Verwaltungs GmbH", &[]),
    ];
    for (text, expected) in rows {
        let found = names_in_row(text);
        let found: Vec<(&str, Option<&str>)> =
            found.iter().map(|one| (one.name.name.as_str(), one.title.as_deref())).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

proptest! {
    #[test]
    fn arbitrary_text_yields_valid_name_ranges(text in "(\\PC|[A-Z][a-z]{0,8}[ ,.;:()-]|Dr\\. |von |und |[\"'’(]){0,60}") {
        let _ = parse(&text);
        for one in names_in_row(&text) {
            prop_assert!(one.from < one.to && one.to <= text.len());
            prop_assert!(text.get(one.from..one.to).is_some());
        }
    }
}
