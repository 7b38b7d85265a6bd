//! Every value of a truth stands where the truth says.

use std::collections::BTreeSet;

use lab::{Company, Fact, Method, PhoneKind, Standing, Veil};

use crate::reading::{between, companies, digits, firms, unescaped, unveiled, without};

/// The source of the page that a value stands on, which has the spelling in it.
fn source<'a>(company: &Company, standing: &'a Standing, value: &str) -> &'a str {
    let page = company.text_at(&standing.path);
    let page = page.unwrap_or_else(|| panic!("{}{} is not served", company.host(), standing.path));
    for line in standing.spelling.split('\n') {
        let there = page.contains(line)
            || page.contains(&unescaped(line))
            || page.contains(&standing.spelling);
        assert!(there, "{}{}: {value}: {line}", company.host(), standing.path);
    }
    &standing.spelling
}

fn letters(text: &str) -> String {
    unescaped(text).to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[track_caller]
fn stands(company: &Company, fact: &Fact) {
    assert!(!fact.sources.is_empty());
    for standing in &fact.sources {
        let spelling = letters(source(company, standing, &fact.value));
        assert!(
            spelling.contains(&letters(&fact.value)),
            "{}: {}: {spelling}",
            company.host(),
            fact.value
        );
    }
}

#[test]
fn what_is_said_of_a_company_stands_on_its_pages() {
    for (company, truth) in firms() {
        let firm = &truth.company;
        let facts = [
            &firm.name,
            &firm.legal_name,
            &firm.legal_form,
            &firm.description,
            &firm.registration_number,
            &firm.register,
            &firm.vat_id,
            &firm.founded,
            &firm.logo,
        ];
        for fact in facts.into_iter().flatten() {
            stands(company, fact);
        }
        assert!(firm.name.is_some(), "{}", company.host());
        let contact = truth.contact_page.as_deref().expect("a contact page");
        assert!(company.text_at(contact).is_some(), "{}{contact}", company.host());
    }
}

#[test]
fn addresses_for_mail_stand_there_plainly_or_behind_the_veil_that_is_noted() {
    let mut veils = BTreeSet::new();
    for (company, truth) in firms() {
        let tag = truth.language.as_deref().expect("a language");
        for email in &truth.emails {
            assert!(!email.sources.is_empty());
            for standing in &email.sources {
                let spelling = source(company, standing, &email.value);
                let read = match standing.veil {
                    Some(veil) => {
                        veils.insert(veil);
                        assert_eq!(standing.method, Method::Deobfuscated);
                        let plain = company.text_at(&standing.path).expect("a page");
                        let bare = without_veil(&plain, spelling);
                        if !matches!(veil, Veil::Rot13 | Veil::ScriptConcat) {
                            assert!(!bare.contains(&format!("mailto:{}", email.value)));
                        }
                        unveiled(veil, spelling, tag)
                    }
                    None => spelling.trim_start_matches("mailto:").to_owned(),
                };
                assert_eq!(read, email.value, "{}{}", company.host(), standing.path);
            }
        }
    }
    assert_eq!(veils.len(), 14, "every veil but the picture: {veils:?}");
    let pictures = firms().filter(|(company, truth)| {
        let shown = company.pages().any(|(_, html)| html.contains("/img/mail.gif"));
        shown && truth.people.iter().all(|person| person.emails.is_empty())
    });
    assert!(pictures.count() > 0, "a picture gives nothing away");
}

fn without_veil(page: &str, spelling: &str) -> String {
    page.replace(spelling, "")
}

#[test]
fn numbers_are_spelled_as_their_country_reads_them() {
    let (mut kinds, mut short) = (BTreeSet::new(), 0);
    for (company, truth) in firms() {
        for phone in &truth.phones {
            kinds.insert(phone.kind);
            for standing in &phone.sources {
                let spelling = source(company, standing, &phone.raw);
                let Some(e164) = &phone.e164 else {
                    assert!(digits(spelling).len() <= 5);
                    short += 1;
                    continue;
                };
                assert_eq!(
                    read_number(spelling, truth.home.as_deref().expect("a home")),
                    *e164,
                    "{}: {spelling}",
                    company.host()
                );
            }
            if let Some(e164) = &phone.e164 {
                assert!((9..=16).contains(&e164.len()), "{e164}");
            }
        }
    }
    assert_eq!(kinds, BTreeSet::from([PhoneKind::Voice, PhoneKind::Fax, PhoneKind::Mobile]));
    assert!(short > 0);
}

/// A number by the rules of a country.
fn read_number(spelling: &str, country: &str) -> String {
    let (dial, trunk) = match country {
        "GB" => ("44", true),
        "US" => ("1", false),
        "IE" => ("353", true),
        "DE" => ("49", true),
        "AT" => ("43", true),
        "CH" => ("41", true),
        "FR" => ("33", true),
        "BE" => ("32", true),
        "ES" => ("34", false),
        "MX" => ("52", false),
        "IT" => ("39", false),
        "NL" => ("31", true),
        "PT" => ("351", false),
        "BR" => ("55", false),
        "PL" => ("48", false),
        other => panic!("no plan for {other}"),
    };
    let main = ["ext.", "DW", "poste", "int.", "tst.", "ramal", "wew."]
        .iter()
        .fold(spelling, |text, mark| text.split(mark).next().unwrap_or(text));
    // Letters on the keys of a telephone.
    let keys = |letter: char| match letter {
        'A'..='Z' => char::from(b"22233344455566677778889999"[letter as usize - 'A' as usize]),
        other => other,
    };
    let text: String = main.replace("(0)", "").chars().map(keys).collect();
    let all = digits(&text);
    if text.starts_with('+') {
        return format!("+{all}");
    }
    if let Some(rest) = all.strip_prefix("00") {
        return format!("+{rest}");
    }
    if country == "US" && all.len() == 11 {
        return format!("+{all}");
    }
    let bare = if trunk { all.strip_prefix('0').expect("a trunk prefix") } else { &all };
    format!("+{dial}{bare}")
}

#[test]
fn postal_addresses_stand_there_line_by_line() {
    for (company, truth) in firms() {
        for address in &truth.addresses {
            assert!(!address.sources.is_empty());
            for standing in &address.sources {
                let text = letters(source(company, standing, &address.raw));
                for part in [&address.street, &address.city, &address.postal_code] {
                    assert!(text.contains(&letters(part)), "{}: {part}: {text}", company.host());
                }
            }
        }
    }
}

#[test]
fn people_stand_there_with_all_that_is_tied_to_them() {
    for (company, truth) in firms() {
        for person in &truth.people {
            assert_eq!(person.name, format!("{} {}", person.first_name, person.last_name));
            for standing in &person.sources {
                let spelling = letters(source(company, standing, &person.name));
                for part in [&person.first_name, &person.last_name] {
                    assert!(spelling.contains(&letters(part)), "{spelling}");
                }
            }
            for fact in [&person.honorific, &person.title, &person.department].into_iter().flatten()
            {
                stands(company, fact);
            }
            for value in &person.emails {
                let email = truth.emails.iter().find(|email| email.value == *value);
                assert!(email.is_some_and(|email| email.personal), "{value}");
            }
            for value in &person.phones {
                assert!(
                    truth.phones.iter().any(|phone| phone.e164.as_ref() == Some(value)),
                    "{value}"
                );
            }
            for profile in &person.profiles {
                profile.sources.iter().for_each(|standing| {
                    source(company, standing, &profile.url);
                });
            }
        }
        for profile in &truth.socials {
            profile.sources.iter().for_each(|standing| {
                source(company, standing, &profile.url);
            });
        }
    }
}

#[test]
fn nothing_foreign_is_in_a_truth_and_all_of_it_stands_on_the_site() {
    for (company, truth) in companies().filter(|(_, truth)| truth.redirected_to.is_none()) {
        let mut own: BTreeSet<String> = BTreeSet::new();
        let firm = &truth.company;
        let facts = [&firm.name, &firm.legal_name, &firm.registration_number, &firm.vat_id];
        own.extend(facts.into_iter().flatten().map(|fact| fact.value.clone()));
        own.extend(truth.emails.iter().map(|email| email.value.clone()));
        own.extend(truth.phones.iter().flat_map(|phone| phone.e164.clone()));
        own.extend(
            truth
                .phones
                .iter()
                .flat_map(|phone| phone.sources.iter().map(|one| one.spelling.clone())),
        );
        own.extend(truth.addresses.iter().map(|address| address.street.clone()));
        own.extend(truth.socials.iter().map(|profile| profile.url.clone()));
        own.extend(truth.people.iter().map(|person| person.name.clone()));
        let both: Vec<&String> =
            truth.foreign.iter().filter(|value| own.contains(*value)).collect();
        assert!(both.is_empty(), "{}: {both:?}", company.host());
        let pages: Vec<String> = company.pages().map(|page| unescaped(&page.1)).collect();
        for value in &truth.foreign {
            let compact =
                value.starts_with('+') || value.chars().all(|one| one.is_ascii_alphanumeric());
            // A number also stands in the list as E.164, an id without its marks.
            let there = pages.iter().any(|page| page.contains(value));
            assert!(there || compact, "{}: {value}", company.host());
        }
    }
}

#[test]
fn every_link_to_a_mailbox_or_a_line_is_accounted_for() {
    for (company, truth) in firms() {
        for (path, html) in company.pages() {
            let html = without(&html, "<script", "</script>");
            for link in between(&html, "href=\"mailto:", "\"") {
                // A button that shares the page names no mailbox.
                let mailbox = link.split('?').next().unwrap_or_default();
                let own = truth.emails.iter().any(|email| email.value == mailbox);
                let known = own || truth.foreign.iter().any(|value| value == mailbox);
                let hidden = mailbox.contains("&#") || mailbox.is_empty();
                assert!(known || hidden, "{}{path}: {mailbox}", company.host());
            }
            for line in between(&html, "href=\"tel:", "\"") {
                let own = truth.phones.iter().any(|phone| phone.e164.as_deref() == Some(line));
                assert!(own, "{}{path}: {line}", company.host());
            }
        }
    }
}
