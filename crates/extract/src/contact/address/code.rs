//! Postal codes and the towns beside them, by the shapes of the countries.

use crate::contact::country;

/// A town with its code.
#[derive(Debug, Clone, Default)]
pub(super) struct Town {
    pub postal: String,
    /// Empty when it stands before the code.
    pub city: String,
    pub region: Option<String>,
    pub country: Option<&'static str>,
    pub shape: &'static [&'static str],
    /// A region may follow.
    pub takes_region: bool,
}

const FIVE: &[&str] = &["DE", "FR", "ES", "IT", "MX"];
const FOUR: &[&str] = &["AT", "CH", "BE", "LU", "LI"];

/// States of the United States and provinces of Canada.
const STATES: &str = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT \
    NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR";
const PROVINCES: &str = "AB BC MB NB NL NS NT NU ON PE QC SK YT";
const BRAZIL: &str =
    "AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO";

fn listed(list: &str, word: &str) -> bool {
    word.len() == 2 && list.split_ascii_whitespace().any(|known| known == word)
}

/// Words with their places.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            if let Some(from) = from.take() {
                words.push((from, &text[from..at]));
            }
        } else {
            from.get_or_insert(at);
        }
    }
    if let Some(from) = from {
        words.push((from, &text[from..]));
    }
    words
}

fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn dashed(text: &str, left: usize, right: usize) -> bool {
    text.split_once(['-', '–'])
        .is_some_and(|(one, other)| is_digits(one, left) && is_digits(other, right))
}

/// A code at a word: how many words it takes, its spelling, the countries, a prefix's country.
fn code_at(
    words: &[(usize, &str)],
    at: usize,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let word =
        words.get(at)?.1.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';' | '[' | ']'));
    let (word, prefix) = match word.split_once(['-', '–']) {
        Some((letters, rest))
            if letters.len() <= 2
                && !letters.is_empty()
                && letters.bytes().all(|byte| byte.is_ascii_uppercase()) =>
        {
            (rest, Some(country::of_postal_prefix(letters)?))
        }
        _ => (word, None),
    };
    let next = words
        .get(at + 1)
        .map(|(_, next)| next.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';')));
    if dashed(word, 5, 3) {
        return Some((1, word.replace('–', "-"), &["BR"], prefix));
    }
    if dashed(word, 4, 3) {
        return Some((1, word.replace('–', "-"), &["PT"], prefix));
    }
    if dashed(word, 2, 3) {
        return Some((1, word.replace('–', "-"), &["PL"], prefix));
    }
    let is_pair =
        |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_digits(word, 4) && next.is_some_and(is_pair) && words.len() > at + 2 {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["NL"], prefix));
    }
    if word.len() == 6
        && word.get(..4).is_some_and(|head| is_digits(head, 4))
        && word.get(4..).is_some_and(is_pair)
    {
        return Some((1, word.to_owned(), &["NL"], prefix));
    }
    if is_digits(word, 5) {
        return Some((1, word.to_owned(), FIVE, prefix));
    }
    if is_digits(word, 4) {
        let year = word.parse::<u32>().is_ok_and(|year| (1900..=2035).contains(&year));
        // Where it can be a year, the next words decide.
        if year && prefix.is_none() && next.is_none() {
            return None;
        }
        return Some((1, word.to_owned(), FOUR, prefix));
    }
    british(word, next).or_else(|| irish(word, next)).or_else(|| canadian(word, next))
}

fn british(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_inward = |text: &str| {
        text.len() == 3
            && text.as_bytes()[0].is_ascii_digit()
            && text.bytes().skip(1).all(|byte| byte.is_ascii_uppercase())
    };
    let is_outward = |text: &str| {
        let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
        let rest = text.get(letters..).unwrap_or_default();
        (1..=2).contains(&letters)
            && (1..=2).contains(&rest.len())
            && rest.as_bytes()[0].is_ascii_digit()
            && rest.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    if is_outward(word) && next.is_some_and(is_inward) {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["GB"], None));
    }
    let cut = word.len().checked_sub(3)?;
    let (out, inward) = (word.get(..cut)?, word.get(cut..)?);
    (is_outward(out) && is_inward(inward))
        .then(|| (1, word.to_owned(), &["GB"] as &'static [_], None))
}

fn irish(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_routing = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 3
            && bytes[0].is_ascii_uppercase()
            && bytes[1].is_ascii_digit()
            && (bytes[2].is_ascii_digit() || bytes[2] == b'W')
    };
    let is_unique = |text: &str| {
        text.len() == 4
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if is_routing(word) && next.is_some_and(is_unique) {
        return Some((2, format!("{word} {}", next.unwrap_or_default()), &["IE"], None));
    }
    let (head, tail) = (word.get(..3)?, word.get(3..)?);
    (word.len() == 7 && is_routing(head) && is_unique(tail))
        .then(|| (1, word.to_owned(), &["IE"] as &'static [_], None))
}

fn canadian(
    word: &str,
    next: Option<&str>,
) -> Option<(usize, String, &'static [&'static str], Option<&'static str>)> {
    let is_shape = |text: &str, letters: [bool; 3]| {
        text.len() == 3
            && text.bytes().zip(letters).all(|(byte, letter)| {
                if letter { byte.is_ascii_uppercase() } else { byte.is_ascii_digit() }
            })
    };
    (is_shape(word, [true, false, true])
        && next.is_some_and(|next| is_shape(next, [false, true, false])))
    .then(|| (2, format!("{word} {}", next.unwrap_or_default()), &["CA"] as &'static [_], None))
}

/// The town in a part of a line, and what stands before it there.
pub(super) fn town(text: &str) -> Option<(Town, String)> {
    if text.len() > 160 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let words = words(text);
    // The last code counts: a house number of five digits may stand before it.
    for at in (0..words.len()).rev() {
        let Some((count, postal, shape, prefixed)) = code_at(&words, at) else { continue };
        let rest: Vec<&str> = words.iter().skip(at + count).map(|(_, word)| *word).collect();
        let head = text.get(..words[at].0).unwrap_or_default().trim();
        let mut town = Town { postal, shape, country: prefixed, ..Town::default() };
        let mut head = without_code_label(head);
        match shape {
            ["GB" | "IE" | "CA"] => {
                if !rest.is_empty() {
                    let tail = rest.join(" ");
                    let (left, code) = country::ending(&tail).unzip();
                    if left.is_some_and(str::is_empty) {
                        town.country = code;
                    } else {
                        continue;
                    }
                }
                if let ["CA"] = shape {
                    let state = head.rsplit(' ').next().unwrap_or_default();
                    if listed(PROVINCES, state) {
                        town.region = Some(state.to_owned());
                        head = head[..head.len() - state.len()].trim_end();
                    }
                }
                return Some((town, head.trim_end_matches(',').to_owned()));
            }
            ["BR"] => {
                town.takes_region = true;
                if rest.is_empty() {
                    return Some((town, head.to_owned()));
                }
            }
            _ => {}
        }
        // "OR 97209": the state tells.
        let state = head.rsplit([' ', ',']).next().unwrap_or_default();
        if town.postal.len() == 5 && listed(STATES, state) {
            let tail_is_fit = rest.is_empty() || country::named(&rest.join(" ")) == Some("US");
            if tail_is_fit {
                town.region = Some(state.to_owned());
                town.shape = &["US"];
                town.country = country::named(&rest.join(" "));
                let head = head[..head.len() - state.len()].trim_end().trim_end_matches(',');
                return Some((town, head.to_owned()));
            }
        }
        let Some((city, region, named)) = city(&rest.join(" ")) else { continue };
        if head_is_other(head) {
            continue;
        }
        town.city = city;
        town.region = region;
        town.country = town.country.or(named);
        town.takes_region = matches!(town.shape, ["BR"] | ["DE", "FR", "ES", "IT", "MX"]);
        return Some((town, head.to_owned()));
    }
    // "OR 97209-1234"
    let (at, word) = words.iter().enumerate().find(|(_, (_, word))| dashed(word, 5, 4))?;
    let head = text.get(..word.0)?.trim();
    let state = head.rsplit([' ', ',']).next().unwrap_or_default();
    let fits = listed(STATES, state) && words.len() <= at + 4;
    let town = Town {
        postal: word.1.to_owned(),
        region: Some(state.to_owned()),
        shape: &["US"],
        ..Town::default()
    };
    fits.then(|| {
        (town, head[..head.len() - state.len()].trim_end().trim_end_matches(',').to_owned())
    })
}

/// Labels before a code.
fn without_code_label(head: &str) -> &str {
    let labels = [
        "C.P.",
        "CP",
        "CEP",
        "CEP:",
        "C.P",
        "PLZ",
        "CAP",
        "cod. postal",
        "Código Postal",
        "código postal",
        "kod pocztowy",
        "CP:",
        "C.P.:",
        "c.p.",
        "c.a.p.",
    ];
    for label in labels {
        if let Some(rest) = head.strip_suffix(label) {
            return rest.trim_end();
        }
    }
    head
}

/// Words before a number that make it something else than a code.
fn head_is_other(head: &str) -> bool {
    let last = head.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(
        last,
        "hrb"
            | "hra"
            | "vr"
            | "fn"
            | "gnr"
            | "nr"
            | "no"
            | "n"
            | "num"
            | "ag"
            | "über"
            | "over"
            | "rund"
            | "more"
            | "más"
            | "rcs"
            | "rea"
            | "krs"
            | "kvk"
            | "tel"
            | "fax"
            | "siret"
            | "siren"
            | "iban"
            | "seit"
            | "since"
            | "desde"
            | "depuis"
            | "dal"
            | "od"
            | "sinds"
            | "ca"
            | "circa"
            | "etwa"
            | "plus"
            | "than"
            | "de"
            | "of"
            | "in"
    )
}

/// Small words within the names of towns.
const PARTICLES: &[&str] = &[
    "am", "an", "der", "den", "dem", "im", "in", "bei", "ob", "zu", "zum", "zur", "vor", "a",
    "auf", "unter", "von", "und", "sur", "sous", "en", "de", "du", "des", "la", "le", "les", "lès",
    "aux", "et", "d", "l", "da", "do", "dos", "das", "del", "della", "dei", "di", "e", "y", "el",
    "los", "las", "upon", "on", "by", "the", "of", "aan", "het", "op", "bij", "nad", "pod", "ad",
    "i.", "a.", "b.", "d.", "v.", "o.", "n.", "u.", "ü.", "d'", "i", "sull'", "sulla", "al", "nel",
    "ter", "s/",
];
/// Words that cannot begin or follow a town.
const STOPS: &[&str] = &[
    "tel",
    "telefon",
    "phone",
    "fon",
    "fax",
    "mail",
    "email",
    "e-mail",
    "www",
    "http",
    "https",
    "web",
    "mobil",
    "t",
    "f",
    "m",
    "tél",
    "téléphone",
    "uhr",
    "euro",
    "eur",
    "kunden",
    "mitarbeiter",
    "customers",
    "clients",
    "clientes",
    "clienti",
    "klanten",
    "klientów",
    "users",
    "products",
    "produkte",
    "artikel",
    "jahre",
    "years",
    "km",
    "m²",
    "stück",
    "teile",
    "followers",
    "copyright",
    "alle",
    "all",
    "gmbh",
    "ust",
    "usa",
    "vat",
    "p.iva",
    "nif",
    "kvk",
    "handelsregister",
    "kontakt",
    "contact",
    "january",
    "januar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
    "february",
    "march",
    "may",
    "june",
    "july",
    "october",
    "december",
    "projekte",
    "projects",
    "projets",
    "proyectos",
    "stellen",
    "nip",
    "regon",
    "krs",
    "registergericht",
    "amtsgericht",
    "rcs",
    "siret",
    "capital",
    "öffnungszeiten",
    "telefone",
    "teléfono",
    "telefono",
    "telefoon",
    "iva",
    "rea",
    "cif",
    "nipc",
    "btw",
    "p",
];

/// The town that a text begins with; its region in brackets or behind it; a country.
fn city(text: &str) -> Option<(String, Option<String>, Option<&'static str>)> {
    let (text, named) = match country::ending(text) {
        Some((rest, code)) if !rest.is_empty() => {
            (rest.trim_end_matches([',', '(', ' ', '-', '–']), Some(code))
        }
        _ => (text, None),
    };
    let mut region = None;
    let mut names: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(inside) = word.strip_prefix('(') {
            let inside = inside.trim_end_matches([')', '.', ',']);
            if (2..=3).contains(&inside.len())
                && inside.bytes().all(|byte| byte.is_ascii_uppercase())
            {
                region = Some(inside.to_owned());
            }
            break;
        }
        let bare = word.trim_end_matches([',', '.', ';', ')', ':']);
        let small = bare.to_lowercase();
        let is_stop =
            STOPS.contains(&small.as_str()) || small.contains('@') || small.starts_with("www.");
        if is_stop && !names.is_empty()
            || word.bytes().any(|byte| byte.is_ascii_digit()) && !names.is_empty()
        {
            break;
        }
        if is_stop {
            return None;
        }
        if small == "cedex" {
            break;
        }
        let first = bare.chars().next()?;
        let is_name = first.is_uppercase() || matches!(first, '\'' | '’');
        let is_particle = PARTICLES.contains(&small.as_str())
            || small.starts_with("d'")
            || small.starts_with("l'")
            || small.starts_with("s/")
            || small.starts_with("d’")
            || small.starts_with("l’")
            || small.starts_with("'s-")
            || small.starts_with("’s-");
        if !(is_name
            || (is_particle && !names.is_empty())
            || small.starts_with("'s")
            || small.starts_with("’s"))
        {
            break;
        }
        if names.len() >= 6 {
            return None;
        }
        names.push(word);
        let is_short_end = word.ends_with('.') && bare.chars().count() <= 3;
        if word.ends_with([',', ';', ')', ':']) || (word.ends_with('.') && !is_short_end) {
            break;
        }
    }
    while names.last().is_some_and(|last| PARTICLES.contains(&last.to_lowercase().as_str())) {
        names.pop();
    }
    // "24122 Bergamo BG"
    if region.is_none()
        && names.len() > 1
        && let Some(last) = names
            .last()
            .filter(|last| last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_uppercase()))
    {
        region = Some((*last).to_owned());
        names.pop();
    }
    let city = names.join(" ").trim_end_matches([',', ';', ':', ')']).to_owned();
    let city = if city.ends_with('.')
        && !city.rsplit(' ').next().is_some_and(|last| last.chars().count() <= 3)
    {
        city.trim_end_matches('.').to_owned()
    } else {
        city
    };
    let letters = city.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 2 && city.len() <= 60).then_some((city, region, named))
}

/// Whether a text can be the name of a town by itself.
pub(super) fn is_town(text: &str) -> bool {
    let bare = text.trim();
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let is_dublin = bare.strip_prefix("Dublin ").is_some_and(|rest| rest.len() <= 3);
    (digits == 0 || is_dublin)
        && bare.chars().count() >= 2
        && bare.split_whitespace().count() <= 4
        && !bare.contains([':', '@', '(', ')', '"', '?', '!'])
        && city(bare).is_some_and(|(city, _, _)| {
            city.len() >= bare.trim_end_matches(['.', ',']).len().min(city.len() + 3)
        })
}

/// A region that stands before a code: a county, a state of Brazil or of America.
pub(super) fn region(text: &str) -> Option<String> {
    let text = text.trim();
    let small = text.to_lowercase();
    let is_state = listed(BRAZIL, text) || listed(STATES, text) || listed(PROVINCES, text);
    let counties = [
        "surrey",
        "kent",
        "essex",
        "east sussex",
        "west sussex",
        "sussex",
        "devon",
        "cornwall",
        "dorset",
        "norfolk",
        "suffolk",
        "cumbria",
        "middlesex",
        "merseyside",
        "tyne and wear",
        "tyne & wear",
        "west midlands",
        "greater manchester",
        "somerset",
        "rutland",
        "northumberland",
        "durham",
        "county durham",
        "greater london",
        "fife",
        "gwynedd",
        "powys",
        "dyfed",
        "gwent",
    ];
    let is_county = small.ends_with("shire")
        || counties.contains(&small.as_str())
        || small.starts_with("co. ")
        || small.starts_with("county ");
    (is_state || is_county).then(|| text.to_owned())
}

/// A region that follows the town.
pub(super) fn region_behind(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let is_letters =
        (2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let mexican = [
        "jalisco",
        "cdmx",
        "nuevo león",
        "puebla",
        "querétaro",
        "guanajuato",
        "estado de méxico",
        "veracruz",
        "yucatán",
        "oaxaca",
        "chihuahua",
        "sonora",
        "sinaloa",
        "michoacán",
        "coahuila",
        "durango",
        "tamaulipas",
        "quintana roo",
        "baja california",
        "hidalgo",
        "morelos",
        "tabasco",
        "chiapas",
        "guerrero",
        "colima",
        "nayarit",
        "zacatecas",
        "aguascalientes",
        "tlaxcala",
        "campeche",
        "san luis potosí",
        "edo. de méx",
        "edomex",
    ];
    (is_letters || mexican.contains(&text.to_lowercase().as_str())).then(|| text.to_owned())
}
