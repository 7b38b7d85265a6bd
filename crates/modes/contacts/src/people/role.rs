//! Whether a text is somebody's title, how high in the house it stands, and whether it is
//! the name of an office that represents the company by law.

use std::sync::LazyLock;

use contract::Seniority;
use hashbrown::HashSet;

use super::name::{fold, words};

pub(super) mod department;
mod labels;
pub(super) mod organ;
mod titles;

/// The longest title, in bytes and in words.
const MAX_BYTES: usize = 110;
const MAX_WORDS: usize = 13;

/// What a title says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub seniority: Seniority,
    /// Who has this office represents the company by law.
    pub represents: bool,
}

static EXECUTIVE: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::EXECUTIVE));
static HEAD: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::HEAD));
static STAFF: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::STAFF));
static HELPERS: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::HELPERS));
static TASKS: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::TASKS));
static PARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| words(titles::PARTS));

/// Words of sentences: who talks is not titled.
static TALK: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "we wir nous our unser unsere unseren unserem your ihr ihre euer notre nos votre vos nuestro nuestra nuestros \
         is are was were ist sind war hat haben has have est sont es-un son sono sind this that these dies diese \
         meet lernen learn more mehr read here hier if wenn si se you sie vous gesucht wanted hiring \
         bewerben apply onze ons nosso nossa nasz nasza nasi i'm who wer qui which die-wir becoming werden looking \
         suchen sucht recherche buscamos cerchiamo zoeken szukamy procuramos m/w/d w/m/d",
    )
});

/// The words of a text, folded, cut at everything that is no letter.
pub(super) fn folded_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(40)
        .map(str::to_owned)
        .collect()
}

/// What the text says as a title, if it is one.
pub(crate) fn read(text: &str) -> Option<Role> {
    let text = text.trim();
    if text.len() > MAX_BYTES
        || text.len() < 2
        || text.contains(['@', '?', '!', '“', '"', '„', '»', ';'])
    {
        return None;
    }
    if text.bytes().filter(u8::is_ascii_digit).count() > 2
        || !text.starts_with(|c: char| c.is_alphanumeric() || c == '(')
    {
        return None;
    }
    let small = text.to_lowercase();
    if ["(m/w", "(w/m", "m/w/d", "w/m/d", "(h/f)", "(f/m", "(m/f", "(k/m)", "(m/k)", "(v/m)"]
        .iter()
        .any(|ad| small.contains(ad))
    {
        return None;
    }
    let words = folded_words(text);
    if words.is_empty()
        || words.len() > MAX_WORDS
        || words.iter().any(|word| TALK.contains(word.as_str()))
    {
        return None;
    }
    // A full stop inside ends a sentence, unless it shortens a word.
    if text.contains(". ") && words.len() > 7 {
        return None;
    }
    let seniority = seniority(&words)?;
    Some(Role { seniority, represents: represents(text, &words) })
}

fn has(set: &HashSet<&str>, words: &[String]) -> bool {
    words.iter().any(|word| set.contains(word.as_str()))
}

fn ends_as_title(word: &str) -> bool {
    word.len() > 6
        && titles::ENDINGS.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end))
}

fn seniority(words: &[String]) -> Option<Seniority> {
    let joined = words.join(" ");
    let compound = words.iter().find(|word| ends_as_title(word)).map(String::as_str);
    let known =
        has(&EXECUTIVE, words) || has(&HEAD, words) || has(&STAFF, words) || compound.is_some();
    if !known {
        return None;
    }
    // "Member of the team" is no office; "member of the board" is.
    if words.iter().any(|word| matches!(word.as_str(), "czlonek" | "czlonkini"))
        && !joined.contains("zarzad")
        && !joined.contains("rady")
    {
        return Some(Seniority::Staff);
    }
    let helper = words.iter().take(2).any(|word| HELPERS.contains(word.as_str()))
        || words.iter().any(|word| {
            ["sekretar", "sekretarin", "secretaris", "secretaresse", "assistenz"]
                .iter()
                .any(|end| word.ends_with(end))
        });
    if helper && !joined.contains("secretary general") && !joined.contains("secretaire general") {
        return Some(Seniority::Staff);
    }
    for supervising in [
        "aufsichtsrat",
        "beirat",
        "supervisory",
        "surveillance",
        "commissaris",
        "nadzorcz",
        "betriebsrat",
    ] {
        if joined.contains(supervising) {
            return Some(Seniority::Staff);
        }
    }
    if [
        "general manager",
        "managing partner",
        "direccion general",
        "direction generale",
        "board member",
        "member of the board",
        "algemeen directeur",
        "country manager",
    ]
    .iter()
    .any(|phrase| joined.contains(phrase))
    {
        return Some(Seniority::Executive);
    }
    // Partners own the firm that they work in.
    if matches!(
        joined.as_str(),
        "partner"
            | "partnerin"
            | "equity partner"
            | "senior partner"
            | "founding partner"
            | "partner founder"
            | "socio"
            | "socia"
            | "associe"
            | "associee"
            | "avocat associe"
            | "avocate associee"
    ) {
        return Some(Seniority::Executive);
    }
    let leads_part = has(&PARTS, words);
    let task = has(&TASKS, words)
        || words.iter().any(|word| {
            word.starts_with("projekt")
                || word.starts_with("project")
                || word.starts_with("kuchen")
                || word.starts_with("empfangs")
                || word.starts_with("bau")
        });
    let runs = words.iter().find(|word| EXECUTIVE.contains(word.as_str()));
    if let Some(word) = runs {
        let directs = ["direct", "direk", "diret", "dyrek", "gerente", "encargado"]
            .iter()
            .any(|start| word.starts_with(start))
            || matches!(word.as_str(), "president" | "vp");
        // A title of two offices is as high as the higher.
        let other = words.iter().any(|other| {
            other != word && EXECUTIVE.contains(other.as_str()) && !other.starts_with("dire")
        });
        if directs && leads_part && !other && !matches!(word.as_str(), "vp" | "president") {
            return Some(Seniority::Head);
        }
        if directs && task && !other {
            return Some(Seniority::Staff);
        }
        return Some(Seniority::Executive);
    }
    if let Some(word) = compound {
        if [
            "vorstand",
            "inhaber",
            "inhaberin",
            "grunder",
            "grunderin",
            "direktor",
            "direktorin",
            "directeur",
        ]
        .iter()
        .any(|end| word.ends_with(end))
            || word.starts_with("geschaftsfuhr")
        {
            return Some(Seniority::Executive);
        }
        if ["leiter", "leiterin", "leitung", "leider", "leidster", "chef", "chefin"]
            .iter()
            .any(|end| word.ends_with(end))
        {
            return Some(if task { Seniority::Staff } else { Seniority::Head });
        }
    }
    if has(&HEAD, words) {
        let craft = words.iter().any(|word| {
            matches!(
                word.as_str(),
                "chef"
                    | "cheffe"
                    | "chefe"
                    | "manager"
                    | "lead"
                    | "leader"
                    | "kierownik"
                    | "kierowniczka"
                    | "jefe"
                    | "jefa"
                    | "capo"
                    | "head"
                    | "szef"
                    | "szefowa"
                    | "leiter"
                    | "leiterin"
                    | "responsable"
                    | "responsabile"
                    | "responsavel"
                    | "oberarzt"
                    | "meister"
                    | "meisterin"
                    | "polier"
            )
        });
        let alone = words.len() == 1
            && craft
            && matches!(
                words[0].as_str(),
                "chef" | "cheffe" | "meister" | "meisterin" | "oberarzt" | "polier"
            );
        let cook = words
            .iter()
            .any(|word| matches!(word.as_str(), "chef" | "oberarzt" | "meister" | "meisterin"))
            && !words.iter().any(|word| matches!(word.as_str(), "de" | "service"));
        let head_of = joined.contains("head of") || joined.contains("leiter");
        return Some(
            if (task && !head_of && craft)
                || alone
                || cook
                || joined.contains("chef de cuisine")
                || joined.contains("chef kok")
            {
                Seniority::Staff
            } else {
                Seniority::Head
            },
        );
    }
    Some(Seniority::Staff)
}

/// Whether the law makes this office speak for the company.
///
/// Organs do, and owners and partners of firms without organs. A Prokurist has a power that
/// the organ gave, a supervisory board speaks only against the organ, a CEO is a word without
/// law: they do only where a site says so.
fn represents(text: &str, words: &[String]) -> bool {
    let joined = words.join(" ");
    if words.iter().any(|word| HELPERS.contains(word.as_str())) {
        return false;
    }
    for not in [
        "aufsichtsrat",
        "beirat",
        "betriebsrat",
        "supervisory",
        "surveillance",
        "commissaris",
        "nadzorcz",
        "ehemalig",
        "former",
        "honorary",
        "ehren",
        "stiftungsrat",
        "prokur",
        "ausschuss",
        "elternbeirat",
    ] {
        if joined.contains(not) {
            return false;
        }
    }
    let starts = |start: &str| words.iter().any(|word| word.starts_with(start));
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let bare_director = matches!(
        joined.as_str(),
        "director"
            | "managing director"
            | "company director"
            | "joint managing director"
            | "directeur"
            | "statutair directeur"
            | "algemeen directeur"
            | "directeur eigenaar"
            | "gerente"
            | "president"
            | "presidente"
            | "presidenta"
    ) && (joined != "president" || text.contains('é'));
    bare_director
        || (starts("geschaftsfuhrer") || starts("geschaftsfuhrend"))
        || is(&[
            "vorstand",
            "vorstandin",
            "vorstandsvorsitzender",
            "vorstandsvorsitzende",
            "vorstandsmitglied",
            "vorstandssprecher",
            "vorsitzender",
            "vorsitzende",
            "obmann",
            "obfrau",
        ])
        || joined.contains("mitglied des vorstands")
        || is(&["inhaber", "inhaberin", "firmeninhaber", "trustee"])
        || is(&["verwaltungsrat", "verwaltungsrats", "verwaltungsratsprasident"])
        || is(&["gerant", "gerante", "cogerant", "cogerante", "pdg"])
        || joined.contains("president directeur general")
        || joined.contains("presidente directrice generale")
        || joined.contains("administrateur delegue")
        || joined.contains("administratrice deleguee")
        || joined.contains("representant legal")
        || joined.contains("representante legal")
        || joined.contains("legale rappresentante")
        || (is(&["administrador", "administradora"])
            && is(&[
                "unico",
                "unica",
                "solidario",
                "solidaria",
                "mancomunado",
                "mancomunada",
                "socio",
                "socia",
            ]))
        || joined == "administrador"
        || joined == "administradora"
        || joined.contains("consejero delegado")
        || joined.contains("consejera delegada")
        || (is(&["amministratore", "amministratrice"])
            && is(&["unico", "unica", "delegato", "delegata", "socio", "socia"]))
        || joined == "amministratore"
        || joined == "amministratrice"
        || is(&["bestuurder", "bestuurster", "zaakvoerder", "zaakvoerster", "vennoot"])
        || (is(&["socio", "socia"]) && is(&["gerente", "administrador", "administradora"]))
        || (is(&["prezes", "prezeska", "wiceprezes", "wiceprezeska", "czlonek", "czlonkini"])
            && starts("zarzad"))
        || joined == "prezes"
        || is(&["wspolnik", "wspolniczka", "wojt", "burmistrz"])
}

#[cfg(test)]
mod tests;
