//! Whether a price includes the taxes of the buyer's country, as far as a text says so.

/// Taxes on what is sold.
const TAXES: &[&str] = &[
    "mwst",
    "ust",
    "mehrwertsteuer",
    "umsatzsteuer",
    "steuer",
    "steuern",
    "vat",
    "gst",
    "hst",
    "tax",
    "taxes",
    "taxe",
    "tva",
    "iva",
    "igic",
    "btw",
    "moms",
    "mva",
    "dph",
    "ddv",
    "pdv",
    "alv",
    "áfa",
    "áfát",
    "kdv",
    "ндс",
    "пдв",
    "ддс",
    "φπα",
    "impostos",
    "imposto",
    "impuestos",
    "impuesto",
    "imposte",
    "podatek",
    "podatku",
    "käibemaks",
    "km",
    "pvn",
    "pvm",
    "ppn",
    "vsk",
    "tvsh",
    "icms",
];

/// Before the tax: it is in the price.
const WITH: &[&str] = &[
    "inkl",
    "incl",
    "inkl",
    "inklusive",
    "inclusive",
    "including",
    "includes",
    "inc",
    "include",
    "einschl",
    "einschließlich",
    "enthält",
    "mit",
    "avec",
    "con",
    "com",
    "c",
    "inclusief",
    "med",
    "z",
    "ze",
    "w",
    "s",
    "vč",
    "včetně",
    "sa",
    "sis",
    "cu",
    "с",
    "з",
    "με",
    "zawiera",
    "comprend",
    "incluye",
    "inclui",
    "included",
    "incluido",
    "incluidos",
    "inclusa",
    "inkluderat",
    "all",
];

/// Before the tax: it is not.
const WITHOUT: &[&str] = &[
    "zzgl",
    "zuzüglich",
    "exkl",
    "excl",
    "exklusive",
    "exclusive",
    "excluding",
    "exclude",
    "excludes",
    "exc",
    "ex",
    "ohne",
    "plus",
    "without",
    "before",
    "hors",
    "sans",
    "sin",
    "más",
    "mas",
    "sem",
    "mais",
    "escl",
    "esclusa",
    "più",
    "exclusief",
    "exkl",
    "ekskl",
    "eks",
    "uten",
    "utan",
    "uden",
    "bez",
    "brez",
    "no",
    "fără",
    "без",
    "χωρίς",
    "+",
    "applicable",
    "veroton",
    "excluido",
    "excluída",
    "excluído",
];

/// Behind the tax: it is in the price.
const BEHIND_WITH: &[&str] = &[
    "included",
    "incl",
    "inkl",
    "inc",
    "inclusive",
    "incluse",
    "incluses",
    "inclus",
    "inclusa",
    "inclusi",
    "incluido",
    "incluidos",
    "incluído",
    "incluídos",
    "inclusos",
    "inclusas",
    "incluida",
    "comprise",
    "comprises",
    "compris",
    "compresa",
    "comprese",
    "enthalten",
    "inbegriffen",
    "inbegrepen",
    "inkluderad",
    "inkluderet",
    "dahil",
    "val",
    "inkl",
    "включён",
    "включен",
    "paid",
];

/// Behind the tax: it is not.
const BEHIND_WITHOUT: &[&str] = &[
    "excluded",
    "excl",
    "exclusive",
    "exkl",
    "extra",
    "exclu",
    "excluido",
    "excluído",
    "excluida",
    "esclusa",
    "escluse",
    "hariç",
    "non",
    "not",
    "no",
    "não",
    "nao",
    "nicht",
    "niet",
    "nie",
    "ej",
];

/// Says it without naming a tax; in East Asia words are not parted.
const ALONE_WITH: &[&str] = &["ttc", "brutto", "bruttó", "ivato", "bruttopreis"];
const ALONE_WITHOUT: &[&str] = &["netto", "nettó", "nettopreis", "veroton", "exvat"];
const GLUED_WITH: &[&str] = &["税込", "含税", "含稅", "부가세포함", "부가세 포함", "税费已含"];
const GLUED_WITHOUT: &[&str] =
    &["税抜", "税别", "税別", "不含税", "未税", "未稅", "부가세별도", "부가세 별도", "外税"];

/// How far before a tax its word may stand: "inkl. 19 % der MwSt".
const REACH: usize = 4;
/// No text about taxes is longer.
const MAX_BYTES: usize = 2_000;

/// Whether the price includes taxes; none when the text does not say, or says both.
pub(crate) fn tax_hint(text: &str) -> Option<bool> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
    // "Not included" holds the word for "included".
    if has(GLUED_WITHOUT) {
        return Some(false);
    }
    if has(GLUED_WITH) {
        return Some(true);
    }
    let words = words(text);
    let (mut with, mut without) = (false, false);
    for (at, word) in words.iter().enumerate() {
        match of_word(&words, at, word) {
            Some(true) => with = true,
            Some(false) => without = true,
            None => {}
        }
    }
    (with != without).then_some(with)
}

/// What one word says, with those around it.
fn of_word(words: &[String], at: usize, word: &str) -> Option<bool> {
    if ALONE_WITH.contains(&word) {
        return Some(true);
    }
    if ALONE_WITHOUT.contains(&word) {
        // The net weight of what is in the box.
        let is_weight = words.get(at + 1).is_some_and(|next| is_number(next));
        return (!is_weight || at > 0 && words.get(at - 1).is_some_and(|last| is_number(last)))
            .then_some(false);
    }
    if word == "HT" || word == "H.T" {
        return Some(false);
    }
    if !TAXES.contains(&word) {
        return None;
    }
    let has = |list: &[&str], at: usize| words.get(at).is_some_and(|w| list.contains(&w.as_str()));
    // "VAT not included", "IVA no incluido".
    let denied = has(BEHIND_WITHOUT, at + 1) || has(BEHIND_WITHOUT, at + 2);
    for near in (at.saturating_sub(REACH)..at).rev() {
        if has(TAXES, near) {
            break;
        }
        if has(WITHOUT, near) {
            return Some(false);
        }
        if has(WITH, near) {
            return Some(!(denied && has(BEHIND_WITH, at + 2)));
        }
    }
    if denied && (has(BEHIND_WITH, at + 2) || has(BEHIND_WITHOUT, at + 1)) {
        return Some(false);
    }
    (has(BEHIND_WITH, at + 1) || has(BEHIND_WITH, at + 2)).then_some(true)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// The words of a text in small letters; a plus is one, and `HT` stays as it is.
fn words(text: &str) -> Vec<String> {
    let spread = text.replace('+', " + ");
    let parts = spread.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '.' | ',')));
    let bare = parts.map(|word| word.trim_matches(['.', ',']));
    let word = |word: &str| match word {
        "HT" | "H.T" => word.to_owned(),
        _ => word.to_lowercase().replace("t.t.c", "ttc"),
    };
    bare.filter(|word| !word.is_empty()).map(word).collect()
}

#[cfg(test)]
mod tests;
