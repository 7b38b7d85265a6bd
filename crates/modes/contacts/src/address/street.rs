//! What looks like a street, a box, a floor.

use std::sync::LazyLock;

use crate::wordlist::{Wordlist, words};

/// Words that begin streets or stand alone in them.
static WORDS: Wordlist = LazyLock::new(|| {
    words(
        "street st st. road rd rd. avenue ave ave. lane ln ln. drive dr dr. boulevard blvd blvd. way court
         ct place pl square sq terrace close crescent row yard park parkway pkwy highway hwy hill mews gardens
         quay wharf walk grove alley circle plaza gate green rue route chemin allée allee impasse quai cours
         bd bd. boul av av. voie sente passage hameau faubourg calle c/ c. avda avda. av/ plaza pza pza. paseo pº
         ctra ctra. carretera camino ronda travesía polígono poligono pol. urbanización urb. rambla carrer plaça
         via viale piazza corso largo vicolo strada str. piazzale contrada località loc. loc fraz. frazione lungomare
         straat weg laan plein kade gracht singel dijk rua avenida travessa praça largo alameda estrada rodovia
         rod. r. tv. ul. ul ulica al. aleja aleje pl. plac os. osiedle rynek platz allee gasse ring ufer damm chaussee
         markt hof steig pfad winkel zeile graben bahnhofstrasse strasse straße postfach industriestrasse am an im zum zur
         auf unter unterm alte alter neue neuer chaussée place esplanade square résidence za zi zac parc pasaje
         blvd. calzada privada prolongación circuito andador callejón mc square villa cours rond-point lieu-dit
         zona quinta rampe esch hafen kai stieg twiete brink kamp campus",
    )
});
/// Endings of streets written as one word.
const ENDINGS: &[&str] = &[
    "straße",
    "strasse",
    "str.",
    "str",
    "weg",
    "gasse",
    "platz",
    "allee",
    "ring",
    "ufer",
    "damm",
    "hof",
    "markt",
    "steig",
    "pfad",
    "graben",
    "berg",
    "feld",
    "wiese",
    "tor",
    "wall",
    "straat",
    "laan",
    "plein",
    "kade",
    "gracht",
    "singel",
    "dijk",
    "steeg",
    "chaussee",
    "promenade",
    "stieg",
    "twiete",
    "park",
    "zeile",
    "winkel",
    "brücke",
    "bruecke",
    "weg.",
    "gässchen",
    "rain",
    "matte",
    "halde",
    "sprung",
    "werf",
    "poort",
    "baan",
    "lei",
    "vest",
    "dreef",
    "hofstede",
];
/// Words of floors, doors, units.
static DETAILS: Wordlist = LazyLock::new(|| {
    words(
        "floor fl suite ste ste. unit apt apt. room level building bldg block office bâtiment bat bât bat. étage
         esc escalier bp cs piso planta puerta bajo local nave oficina edificio edif. izq izq. dcha dcha. dcha esq
         esq. dto dto. interno int int. scala piano palazzina sala conj conj. conjunto loja andar bloco andar fracção
         lok lok. lokal m. piętro og eg stock stiege top tür haus gebäude etage bus verdieping toren torre km km.
         lote interior depto depto. despacho r/c c/v hinterhaus aufgang eingang halle s/n sn snc apartado apdo. caixa",
    )
});
/// Words of boxes.
const BOXES: &[&str] = &[
    "postfach",
    "po box",
    "p.o. box",
    "p. o. box",
    "boîte postale",
    "b.p.",
    "bp ",
    "casella postale",
    "apartado",
    "postbus",
    "skrytka pocztowa",
    "caixa postal",
    "apdo",
    "case postale",
];
/// Words that are on no street.
static NEVER: Wordlist = LazyLock::new(|| {
    words(
        "tel tel. tel: telefon phone fon fax mobil mail e-mail email www http gmbh ag kg ltd limited sarl sas srl s.r.l. s.l. bv b.v.
         lda ltda inc llc uhr hrb hra vat ust iban bic copyright © nip krs regon siret siren rcs kvk nif cif p.iva cnpj
         datum date seit since bis montag lundi mon monday lunes prezzo preis price eur euro
         sp.z sp. s.a. öffnungszeiten capital wir we our unsere unser nous notre",
    )
});

/// A text without a label before it: "Address: 5 Main Road".
pub(super) fn without_label(text: &str) -> &str {
    let text = match text.rsplit_once(": ") {
        Some((_, rest)) => rest.trim(),
        _ => text.strip_suffix(':').map_or(text, |_| ""),
    }
    .trim();
    // The end of the company's name: "Lumen Optics, Inc. 9800 Metric Blvd".
    let forms = ["Inc. ", "Ltd. ", "LLC ", "Corp. ", "Co. ", "Lda. ", "Ltda. "];
    let rest = forms.iter().find_map(|form| text.strip_prefix(form));
    rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(text)
}

fn small_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().map(|word| word.trim_matches([',', '(', ')']).to_lowercase())
}

/// Whether a text has the shape of a street with or without its number.
pub(super) fn is_street(text: &str) -> bool {
    let text = text.trim();
    let count = text.split_whitespace().count();
    if !(3..=80).contains(&text.len())
        || count > 10
        || text.contains(['@', '?', '!', '"', '€', '%', '='])
    {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 || digits > 6 {
        return false;
    }
    if small_words(text).any(|word| NEVER.contains(word.as_str()) && !WORDS.contains(word.as_str()))
        && !starts_as_street(text)
    {
        return false;
    }
    let has_word = has_street_word(text);
    let has_number = text.split_whitespace().any(is_number);
    let begins = text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
        || starts_as_street(text);
    // A name and a number alone: "Molenwerf 31", "Rynek 3".
    let is_plain = has_number && count <= 6 && {
        let first = text.split_whitespace().next().is_some_and(is_number);
        let last =
            text.split_whitespace().last().is_some_and(|word| is_number(word) || word.len() <= 2);
        (first != last || last)
            && text.split_whitespace().filter(|word| !is_number(word)).all(|word| {
                word.chars().next().is_some_and(char::is_uppercase)
                    || word.len() <= 4
                    || DETAILS.contains(word)
            })
    };
    begins
        && ((has_word && (has_number || starts_as_street(text) || ends_as_street(text)))
            || is_plain)
}

fn starts_as_street(text: &str) -> bool {
    let Some(first) = small_words(text).next() else { return false };
    let prefixes = [
        "rue",
        "avenue",
        "av.",
        "av",
        "boulevard",
        "bd",
        "bd.",
        "place",
        "allée",
        "chemin",
        "quai",
        "route",
        "impasse",
        "cours",
        "calle",
        "c/",
        "c.",
        "avda.",
        "avda",
        "plaza",
        "paseo",
        "carretera",
        "ctra.",
        "camino",
        "ronda",
        "via",
        "viale",
        "piazza",
        "corso",
        "largo",
        "strada",
        "vicolo",
        "rua",
        "avenida",
        "travessa",
        "praça",
        "alameda",
        "estrada",
        "rodovia",
        "r.",
        "ul.",
        "ul",
        "al.",
        "aleja",
        "aleje",
        "pl.",
        "plac",
        "os.",
        "za",
        "zi",
        "zac",
        "carrer",
        "polígono",
        "pol.",
        "rambla",
        "ulica",
        "straße",
        "strasse",
        "za.",
        "lieu-dit",
        "zona",
        "quinta",
        "parque",
        "lugar",
        "résidence",
        "località",
        "loc.",
        "fraz.",
        "contrada",
        "calzada",
        "blvd.",
        "chaussée",
        "pza.",
    ];
    prefixes.contains(&first.as_str()) || first.starts_with("c/")
}

fn ends_as_street(text: &str) -> bool {
    let Some(last) = small_words(text).last() else { return false };
    let words = [
        "street",
        "st",
        "st.",
        "road",
        "rd",
        "rd.",
        "avenue",
        "ave",
        "ave.",
        "lane",
        "drive",
        "boulevard",
        "blvd",
        "way",
        "court",
        "square",
        "terrace",
        "close",
        "crescent",
        "row",
        "yard",
        "parkway",
        "highway",
        "mews",
        "gardens",
        "quay",
        "wharf",
        "walk",
        "grove",
        "hill",
        "place",
        "park",
    ];
    words.contains(&last.as_str())
        || ENDINGS.iter().take(6).any(|end| last.ends_with(end) && last.len() > end.len() + 2)
}

fn has_street_word(text: &str) -> bool {
    small_words(text).any(|word| {
        WORDS.contains(word.as_str())
            || word.starts_with("c/")
            || ENDINGS
                .iter()
                .any(|end| word.ends_with(end) && word.chars().count() > end.chars().count() + 1)
            || word.split('-').next_back().is_some_and(|last| {
                ENDINGS.iter().any(|end| last == end.trim_end_matches('.') || last == *end)
            })
    })
}

/// A house number: "12", "7-9", "3a", "12/14", "104b", "5bis".
fn is_number(word: &str) -> bool {
    let word = word.trim_matches([',', '.', '(', ')']);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let starts = word.starts_with(|c: char| c.is_ascii_digit());
    let rest = word.chars().filter(|c| !c.is_ascii_digit()).count();
    starts
        && (1..=6).contains(&digits)
        && rest <= 4
        && !word.contains([':', '€', '%', '='])
        && word.matches('.').count() == 0
}

pub(super) fn is_box(text: &str) -> bool {
    let small = text.to_lowercase();
    text.len() < 60
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && BOXES.iter().any(|known| small.starts_with(known))
}

/// A floor, a door, a unit, a number alone, "s/n".
pub(super) fn is_detail(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 40 || text.is_empty() {
        return false;
    }
    let count = text.split_whitespace().count();
    if count == 1 && (is_number(text) || is_ordinal(text)) {
        return text.len() <= 7;
    }
    let first = small_words(text).next().unwrap_or_default();
    // "14 bis, rue des Tanneurs"
    if let [number, word] = text.split_whitespace().collect::<Vec<_>>()[..]
        && is_number(number)
        && matches!(word, "bis" | "ter" | "quater")
    {
        return true;
    }
    let is_ordinal_first = text.split_whitespace().next().is_some_and(is_ordinal) && count <= 3;
    let is_known = DETAILS.contains(first.as_str())
        || small_words(text)
            .nth(1)
            .is_some_and(|word| DETAILS.contains(word.as_str()) && is_number(&first))
        || matches!(first.as_str(), "nº" | "n°" | "nr" | "nr." | "n." | "n.º");
    let is_named_block = matches!(
        first.as_str(),
        "za" | "zi" | "zac" | "unit" | "suite" | "building" | "edificio" | "bâtiment" | "haus"
    );
    (is_known || is_ordinal_first || is_named_block) && count <= 5
}

fn is_ordinal(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = word.get(digits..).unwrap_or_default();
    (1..=2).contains(&digits)
        && matches!(
            rest,
            "º" | ".º"
                | "ª"
                | ".ª"
                | "°"
                | "o"
                | "a"
                | "st"
                | "nd"
                | "rd"
                | "th"
                | "er"
                | "e"
                | "ème"
        )
}

/// Whether a second street-like part stands before the first: a building, a zone, a unit.
pub(super) fn goes_before(text: &str, behind: &str) -> bool {
    let last = small_words(text).last().unwrap_or_default();
    let is_site = matches!(
        last.as_str(),
        "park"
            | "house"
            | "centre"
            | "center"
            | "estate"
            | "court"
            | "building"
            | "mill"
            | "works"
            | "yard"
            | "industriel"
    );
    let has_number = text.split_whitespace().any(is_number);
    is_detail(text)
        || is_detail(behind)
        || (is_site && !has_number)
        || starts_as_street(text) && !has_number
        || {
            let first = small_words(text).next().unwrap_or_default();
            matches!(
                first.as_str(),
                "za" | "zi"
                    | "zac"
                    | "unit"
                    | "suite"
                    | "building"
                    | "edificio"
                    | "bâtiment"
                    | "haus"
                    | "gebäude"
                    | "parc"
                    | "polígono"
                    | "pol."
            )
        }
}

/// The quarter of a town between street and town: "Col. Centro", "Bela Vista".
pub(super) fn is_district(text: &str, begins_line: bool) -> bool {
    let small = text.to_lowercase();
    let prefixes =
        ["col.", "colonia", "bairro", "barrio", "jardim", "vila", "jd.", "distrito", "fracc."];
    let is_named = prefixes.iter().any(|prefix| small.starts_with(prefix));
    is_named
        || (!begins_line
            && text.split_whitespace().count() <= 4
            && text.len() < 40
            && !text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.contains([':', '@'])
            && text.chars().next().is_some_and(char::is_uppercase))
}

/// "95 Old Mill Rd Portland": the street and the town without a sign between them.
pub(super) fn split_town(text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_numbered = words.first().is_some_and(|word| is_number(word));
    if words.len() < 3 {
        return None;
    }
    let ends = [
        "st", "st.", "street", "rd", "rd.", "road", "ave", "ave.", "avenue", "blvd", "blvd.",
        "lane", "ln", "drive", "dr", "dr.", "way", "court", "ct", "square", "parkway", "pkwy",
    ];
    let at =
        words.iter().rposition(|word| ends.contains(&word.to_lowercase().trim_end_matches(',')))?;
    let town = words.get(at + 1..)?.join(" ");
    (at > usize::from(is_numbered) && super::town::is_town(&town))
        .then(|| (words[..=at].join(" "), town))
}

/// The street that ends a sentence: "whose office is at 14 Mill Lane".
pub(super) fn tail(text: &str) -> Option<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut is_gap = true;
    for (at, c) in text.char_indices() {
        if is_gap && !c.is_whitespace() {
            starts.push(at);
        }
        is_gap = c.is_whitespace();
    }
    let first = starts.len().saturating_sub(8);
    starts.get(first..)?.iter().skip(1).find_map(|at| {
        let rest = text.get(*at..)?;
        let word = rest.split_whitespace().next()?;
        ((is_number(word) || starts_as_street(rest)) && is_street(rest)).then_some(rest)
    })
}
