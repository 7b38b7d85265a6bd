//! Generated sites of small companies, for tests of scale.

use std::collections::BTreeMap;

use contract::ContactStatus;

use super::dead_domain::DeadDomain;
use super::truth::CompanyTruth;
use super::{Company, CompanyRecording};

/// Delay of each page of a slow site.
const SLOW_SECONDS: u64 = 5;

/// The domain of this number. One in ten is dead or slow: the hosts that end with 9.
pub(super) fn member(number: usize) -> Company {
    let host = format!("crowd-{number:05}.test");
    if number % 10 != 9 {
        return Company::of_site(site(number, &host, 0));
    }
    let dead = match number / 10 % 5 {
        0 => DeadDomain::Refused,
        1 => DeadDomain::Silent,
        2 => DeadDomain::Failing,
        3 => DeadDomain::Unknown,
        _ => return Company::of_site(site(number, &host, SLOW_SECONDS)),
    };
    Company::of_dead(&host, &dead)
}

/// A German site of three pages. Its truth has only its status.
fn site(number: usize, host: &str, pause_seconds: u64) -> CompanyRecording {
    const SYLLABLES: [&str; 10] =
        ["or", "tal", "vin", "hel", "mar", "kos", "bre", "lun", "dor", "fen"];
    let syllable = |place: u32| SYLLABLES[number / 10_usize.pow(place) % 10];
    let mut name = format!("{}{}{}", syllable(2), syllable(1), syllable(0));
    name[..1].make_ascii_uppercase();
    let legal_name = format!("{name} GmbH");
    let email = format!("info@{host}");
    let street = format!("Lindenweg {}", number % 200 + 1);
    let frame = |title: &str, body: &str| {
        format!(
            "<!doctype html><html lang=\"de\"><head><meta charset=\"utf-8\"><title>{title} | {name}\
             </title></head><body><nav><a href=\"/\">Start</a> <a href=\"/kontakt\">Kontakt</a> \
             <a href=\"/impressum\">Impressum</a></nav><main><h1>{title}</h1>{body}</main>\
             <footer>{legal_name}, {street}, 20095 Hamburg</footer></body></html>\n"
        )
    };
    let home = frame(
        &name,
        &format!(
            "<p>{name} plant und baut Treppen aus Holz und Stahl für Häuser, Läden und Schulen. Wir \
             messen vor Ort, zeichnen jede Stufe und bauen in der eigenen Werkstatt.</p>\
             <p>Schreiben Sie uns: <a href=\"mailto:{email}\">{email}</a></p>"
        ),
    );
    let contact = frame(
        "Kontakt",
        &format!(
            "<p>{legal_name}<br>{street}<br>20095 Hamburg</p><p>Telefon: 040 66969 {:03}<br>\
             E-Mail: <a href=\"mailto:{email}\">{email}</a></p>",
            number % 1_000
        ),
    );
    let imprint = frame(
        "Impressum",
        &format!(
            "<p>{legal_name}<br>{street}<br>20095 Hamburg</p><p>Geschäftsführer: Jonas Lindner</p>\
             <p>E-Mail: {email}</p><p>Registergericht: Amtsgericht Hamburg, HRB {}</p>",
            10_000 + number
        ),
    );
    let pages = [("/", home), ("/kontakt", contact), ("/impressum", imprint)];
    CompanyRecording {
        pages: pages.into_iter().map(|(path, html)| (path.to_owned(), html)).collect(),
        files: BTreeMap::new(),
        truth: CompanyTruth::without_data(host, ContactStatus::Found),
        has_sitemap: false,
        pause_seconds,
        www_only: false,
    }
}
