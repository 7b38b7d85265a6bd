//! How the tests read a page and a hidden address, independently of how the lab writes them.

use std::sync::LazyLock;

use lab::{Company, CompanyTruth, ContactStatus, Veil};

pub(crate) static COMPANIES: LazyLock<Vec<(Company, CompanyTruth)>> = LazyLock::new(|| {
    Company::all().into_iter().map(|company| (company.clone(), company.company_truth())).collect()
});

pub(crate) fn companies() -> impl Iterator<Item = (&'static Company, &'static CompanyTruth)> {
    COMPANIES.iter().map(|(company, truth)| (company, truth))
}

/// Those with a site of their own.
pub(crate) fn firms() -> impl Iterator<Item = (&'static Company, &'static CompanyTruth)> {
    let read = [ContactStatus::Found, ContactStatus::Partial];
    companies()
        .filter(move |(_, truth)| read.contains(&truth.status) && truth.redirected_to.is_none())
}

pub(crate) fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&")
}

/// What lies between `open` and `close`, each time.
pub(crate) fn between<'a>(
    text: &'a str,
    open: &'a str,
    close: &'a str,
) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

pub(crate) fn without(text: &str, open: &str, close: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

pub(crate) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The address that a hidden spelling gives away.
pub(crate) fn unveiled(veil: Veil, spelling: &str, tag: &str) -> String {
    let tagless = |text: &str| without(&without(text, "<!--", "-->"), "<", ">");
    match veil {
        Veil::Words => worded(spelling, tag),
        Veil::Entities => referenced(&tagless(spelling)),
        Veil::Hex | Veil::MixedEntities => referenced(&tagless(spelling)),
        Veil::Reversed => tagless(spelling).chars().rev().collect(),
        Veil::Cloudflare => {
            let coded = between(spelling, "data-cfemail=\"", "\"").next().expect("a code");
            assert!(spelling.contains(&format!("/cdn-cgi/l/email-protection#{coded}")));
            let bytes: Vec<u8> = (0..coded.len() / 2)
                .map(|at| u8::from_str_radix(&coded[2 * at..2 * at + 2], 16).expect("hex"))
                .collect();
            bytes[1..].iter().map(|byte| char::from(byte ^ bytes[0])).collect()
        }
        Veil::Spans | Veil::Comments => tagless(spelling),
        Veil::Filler => {
            let seen = without(spelling, "<span class=\"rq7\">", "</span>");
            without(&seen, "<span style=\"display:none\">", "</span>")
        }
        Veil::ScriptConcat => {
            let strings: Vec<&str> = between(spelling, "mailto:' + ", " + '\">'")
                .flat_map(|part| part.split('\'').skip(1).step_by(2))
                .collect();
            strings.concat()
        }
        Veil::ScriptJoin => {
            let user = between(spelling, "var u = \"", "\"").next().expect("a user");
            let parts = between(spelling, "var d = [", "]").next().expect("a domain");
            let domain: Vec<&str> = parts.split('"').skip(1).step_by(2).collect();
            format!("{user}@{}", domain.join("."))
        }
        Veil::CharCodes => between(spelling, "fromCharCode(", ")")
            .flat_map(|codes| codes.split(','))
            .map(|code| char::from(code.parse::<u8>().expect("a code")))
            .collect(),
        Veil::DataAttributes => format!(
            "{}@{}",
            between(spelling, "data-user=\"", "\"").next().expect("a user"),
            between(spelling, "data-domain=\"", "\"").next().expect("a domain")
        ),
        Veil::Rot13 => {
            let coded = between(spelling, "znvygb:", "'").next().expect("a link");
            let alphabet: Vec<char> = ('a'..='z').collect();
            let turn = |letter: char| match alphabet.iter().position(|known| *known == letter) {
                Some(at) => alphabet[(at + 13) % 26],
                None => letter,
            };
            coded.chars().map(turn).collect()
        }
        Veil::Image => panic!("a picture gives nothing away"),
    }
}

fn worded(spelling: &str, tag: &str) -> String {
    let signs: (&[&str], &[&str]) = match tag {
        "de" => (&["[ät]", "(at)", "(ät)"], &["[punkt]", "(punkt)"]),
        "fr" => (&["[arobase]", " chez ", "(a)"], &["[point]", "(point)", " point "]),
        "es" => (&["(arroba)", "[arroba]", " arroba "], &["(punto)", "[punto]", " punto "]),
        "it" => (&["[chiocciola]", "(at)", " chiocciola "], &["[punto]", "(punto)"]),
        "nl" => (&["[apenstaartje]", "(at)", " apenstaart "], &["[punt]", "(punt)", " punt "]),
        "pt" => (&["(arroba)", "[arroba]", " arroba "], &["(ponto)", "[ponto]", " ponto "]),
        "pl" => (&["[małpa]", "(at)", " małpa "], &["[kropka]", "(kropka)", " kropka "]),
        _ => (&["[at]", "(at)", " AT "], &["[dot]", "(dot)", " DOT "]),
    };
    let mut text = spelling.to_owned();
    for (words, sign) in [(signs.0, "@"), (signs.1, ".")] {
        for word in words {
            text = text.replace(word, sign);
        }
    }
    text.replace(' ', "")
}

/// Resolves character references, decimal and hexadecimal.
fn referenced(text: &str) -> String {
    let mut parts = text.split("&#");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once(';').expect("a reference ends");
        let number = match code.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => code.parse(),
        };
        plain.push(number.ok().and_then(char::from_u32).expect("a character"));
        plain.push_str(rest);
    }
    plain
}
