//! Addresses of mail, plain and in the spellings that hide them.

use std::ops::Range;
use std::sync::LazyLock;

use super::line::Line;
use super::phrases::{Finder, finder, finds};

/// Words for the sign between name and domain, in brackets or between spaces.
const AT: &[&str] = &[
    "at",
    "ät",
    "aet",
    "a",
    "@",
    "arroba",
    "arobase",
    "arobas",
    "chiocciola",
    "małpa",
    "malpa",
    "apenstaartje",
    "apestaart",
    "snabel",
    "snabela",
    "kukac",
    "zavináč",
    "zavinac",
    "собака",
    "klammeraffe",
    "affe",
    "et",
];
/// Those that are no words of everyday: they need no bracket and no other sign.
const LOUD_AT: &[&str] = &[
    "ät",
    "aet",
    "arroba",
    "arobase",
    "chiocciola",
    "małpa",
    "malpa",
    "apenstaartje",
    "snabel",
    "snabela",
    "kukac",
    "zavináč",
    "собака",
    "klammeraffe",
];
/// Words for the dot.
const DOT: &[&str] = &[
    "dot",
    "d0t",
    "punkt",
    "point",
    "punto",
    "ponto",
    "kropka",
    "punt",
    "tečka",
    "piste",
    "точка",
    ".",
    "pkt",
    "prick",
    "bod",
    "pont",
];
/// Names of mailboxes that are nobody's.
const BOXES: &[&str] = &[
    "info",
    "sales",
    "contact",
    "hello",
    "hallo",
    "support",
    "order",
    "orders",
    "shop",
    "kontakt",
    "mail",
    "email",
    "office",
    "service",
    "verkauf",
    "bestellung",
    "vente",
    "ventes",
    "ventas",
    "vendas",
    "contato",
    "contacto",
    "commande",
    "pedidos",
    "ordini",
    "vendite",
    "biuro",
    "sklep",
    "post",
    "enquiries",
    "inquiries",
    "help",
    "team",
    "store",
    "webshop",
    "kundenservice",
    "anfrage",
    "buchung",
    "hola",
    "bonjour",
    "ciao",
];
/// Endings of domains that are looked for where the dot is hidden or stands alone.
const ENDINGS: &[&str] = &[
    "com", "net", "org", "info", "biz", "shop", "store", "online", "eu", "de", "at", "ch", "fr",
    "be", "nl", "lu", "es", "pt", "it", "pl", "cz", "sk", "hu", "ro", "bg", "hr", "si", "rs", "gr",
    "se", "no", "dk", "fi", "is", "ee", "lv", "lt", "uk", "ie", "us", "ca", "mx", "br", "ar", "cl",
    "co", "in", "jp", "cn", "kr", "tw", "hk", "sg", "au", "nz", "za", "ru", "ua", "tr", "il", "ae",
    "io", "me", "tv", "cc", "test", "example", "dev", "app",
];
/// Free mail: whoever names one of them gives an address.
const PROVIDERS: &[&str] = &[
    "gmail",
    "googlemail",
    "gmx",
    "outlook",
    "hotmail",
    "yahoo",
    "icloud",
    "proton",
    "protonmail",
    "web",
    "mail",
    "aol",
    "live",
    "orange",
    "laposte",
    "libero",
    "wp",
    "onet",
    "o2",
    "freenet",
    "posteo",
    "uol",
    "bol",
    "seznam",
    "yandex",
    "qq",
    "163",
];

const MAX_NAME: usize = 64;

static FINDER: Finder = LazyLock::new(|| {
    let plain = ["@", "＠", " at ", "\u{a0}at\u{a0}", "_at_", "-at-", "*at*"].map(str::to_owned);
    let bracketed = AT
        .iter()
        .flat_map(|word| ["[", "(", "{", "<", "[ ", "( "].map(|open| format!("{open}{word}")));
    let loud = LOUD_AT.iter().map(|word| (*word).to_owned());
    let all: Vec<String> = plain.into_iter().chain(bracketed).chain(loud).collect();
    finder(&all)
});

/// Whether a text in small letters is worth a closer look.
pub(super) fn may_hold(text: &str) -> bool {
    finds(&FINDER, text)
}

/// The addresses of a line.
pub(super) fn mails(line: &Line) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < line.small.len() {
        let mail = sign(line, at).and_then(|sign| mail(line, &sign));
        match mail {
            Some(part) => {
                at = part.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
    found
}

/// What stands for the sign between name and domain.
#[derive(Debug, Clone)]
struct Sign {
    part: Range<usize>,
    sure: Sureness,
}

/// How much the sign says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sureness {
    /// It is the sign, or a word for it in brackets.
    Sure,
    /// A word that is used for nothing else, or "AT" in capitals.
    Loud,
    /// A word of everyday.
    Quiet,
}

/// The sign at a place.
fn sign(line: &Line, at: usize) -> Option<Sign> {
    let c = *line.small.get(at)?;
    match c {
        '@' | '＠' => Some(Sign { part: at..at + 1, sure: Sureness::Sure }),
        '[' | '(' | '{' | '<' | '_' | '-' | '*' => {
            let (word, end) = bracketed(&line.small, at)?;
            AT.contains(&word.as_str()).then_some(Sign { part: at..end, sure: Sureness::Sure })
        }
        _ if c.is_whitespace() => {
            let begin = at + spaces(&line.small, at);
            let length = letters(&line.small, begin).min(13);
            let end = begin + length;
            let word: String = line.small.get(begin..end)?.iter().collect();
            let is_parted = line.small.get(end).is_some_and(|c| c.is_whitespace());
            let is_loud = LOUD_AT.contains(&word.as_str())
                || (word == "at" && line.chars.get(begin) == Some(&'A'));
            let sure = if is_loud { Sureness::Loud } else { Sureness::Quiet };
            (is_parted && (is_loud || word == "at")).then_some(Sign { part: at..end, sure })
        }
        _ => None,
    }
}

/// The address around a sign.
fn mail(line: &Line, sign: &Sign) -> Option<Range<usize>> {
    let start = name(&line.small, sign.part.start)?;
    let Domain { end, is_hidden, ending, first } = domain(&line.small, sign.part.end)?;
    let name: String =
        line.small.get(start..sign.part.start)?.iter().filter(|c| !c.is_whitespace()).collect();
    let known = ENDINGS.contains(&ending.as_str());
    let is_mail = match sign.sure {
        Sureness::Sure => known || !is_hidden,
        Sureness::Loud => known,
        // "Look at example.com" is no address.
        Sureness::Quiet => {
            known
                && (is_hidden
                    || BOXES.contains(&name.as_str())
                    || PROVIDERS.contains(&first.as_str()))
        }
    };
    is_mail.then_some(start..end)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '_' | '%' | '+' | '-')
        || (c.is_alphabetic() && c < '\u{250}')
}

/// Where the name before a place begins. Its letters may be spaced out.
fn name(small: &[char], end: usize) -> Option<usize> {
    let mut at = end;
    while at > 0 && end - at < 3 && small.get(at - 1).is_some_and(|c| c.is_whitespace()) {
        at -= 1;
    }
    let length = |end: usize| {
        small
            .get(..end)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(MAX_NAME)
            .take_while(|c| is_name(**c))
            .count()
    };
    let first = length(at);
    (first > 0).then_some(())?;
    let mut start = at - first;
    // i n f o @ …, and parts around a hidden dot.
    while let Some(before) = start.checked_sub(2).filter(|_| end - start < MAX_NAME && first == 1) {
        let is_letter = small.get(before).is_some_and(|c| is_name(*c));
        let is_alone = before == 0 || small.get(before - 1).is_some_and(|c| c.is_whitespace());
        if !(is_letter && is_alone && small.get(before + 1).is_some_and(|c| c.is_whitespace())) {
            break;
        }
        start = before;
    }
    small.get(start..at)?.iter().any(|c| c.is_alphanumeric()).then_some(start)
}

struct Domain {
    end: usize,
    /// A dot of it is written as something else.
    is_hidden: bool,
    ending: String,
    first: String,
}

/// The domain behind a place: labels with dots between them, written or hidden.
fn domain(small: &[char], from: usize) -> Option<Domain> {
    let mut at = from + spaces(small, from).min(3);
    let (first, mut end) = label(small, at)?;
    let (mut ending, mut is_hidden, mut count) = (first.clone(), false, 1);
    while count < 8 {
        let Some((behind, hidden)) = dot(small, end) else { break };
        let Some((next, next_end)) = label(small, behind) else { break };
        // A sentence may end behind the domain, and another begin.
        let is_loose = hidden || behind != end + 1;
        if is_loose && !ENDINGS.contains(&next.as_str()) && dot(small, next_end).is_none() {
            break;
        }
        is_hidden |= is_loose;
        (at, ending, end, count) = (behind, next, next_end, count + 1);
    }
    let is_ending = ending.chars().count() >= 2 && ending.chars().all(|c| c.is_alphabetic());
    (count > 1 && is_ending && at > from).then_some(Domain { end, is_hidden, ending, first })
}

/// A part of a domain and where it ends. Its letters may be spaced out.
fn label(small: &[char], from: usize) -> Option<(String, usize)> {
    let is_label = |c: &char| c.is_alphanumeric() || *c == '-';
    let length = small.get(from..)?.iter().take(MAX_NAME).take_while(|c| is_label(c)).count();
    let mut text: String = small.get(from..from + length)?.iter().collect();
    let mut end = from + length;
    if length == 1 {
        // s h o p . d e
        while let [gap, letter, rest @ ..] = small.get(end..).unwrap_or_default() {
            let is_alone = rest.first().is_none_or(|c| !is_label(c));
            if !(gap.is_whitespace() && is_label(letter) && is_alone) || text.len() > MAX_NAME {
                break;
            }
            text.push(*letter);
            end += 2;
        }
    }
    (length > 0).then_some((text, end))
}

/// A dot at a place, written or hidden: where it ends, and whether it is hidden.
fn dot(small: &[char], at: usize) -> Option<(usize, bool)> {
    if small.get(at) == Some(&'.') {
        return Some((at + 1, false));
    }
    if let Some((word, end)) = bracketed(small, at + spaces(small, at).min(2)) {
        return DOT.contains(&word.as_str()).then(|| (end + spaces(small, end).min(2), true));
    }
    let gap = spaces(small, at);
    if !(1..=2).contains(&gap) {
        return None;
    }
    if small.get(at + gap) == Some(&'.') {
        let behind = at + gap + 1;
        return Some((behind + spaces(small, behind).min(2), true));
    }
    let length = letters(small, at + gap).min(8);
    let word: String = small.get(at + gap..at + gap + length)?.iter().collect();
    let end = at + gap + length;
    let behind = spaces(small, end);
    (DOT.contains(&word.as_str()) && behind > 0).then_some((end + behind.min(2), true))
}

/// The word in a pair of brackets or between marks, and where the pair ends.
fn bracketed(small: &[char], at: usize) -> Option<(String, usize)> {
    let close = match small.get(at)? {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        '<' => '>',
        mark @ ('_' | '-' | '*') => *mark,
        _ => return None,
    };
    let inside = small.get(at + 1..)?.iter().take(16).position(|c| *c == close)?;
    let word: String = small.get(at + 1..at + 1 + inside)?.iter().collect();
    Some((word.trim().to_owned(), at + inside + 2))
}

fn spaces(small: &[char], at: usize) -> usize {
    small.get(at..).unwrap_or_default().iter().take(4).take_while(|c| c.is_whitespace()).count()
}

fn letters(small: &[char], at: usize) -> usize {
    small.get(at..).unwrap_or_default().iter().take(20).take_while(|c| c.is_alphabetic()).count()
}
