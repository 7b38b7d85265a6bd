//! The content of each page.

use super::firm::{GENERAL, PRIVACY};
use super::linked_data;
use super::markup::{block, links, paragraph, rows, section};
use super::noise;
use super::outsider::stranger;
use super::paths::{Page, pages};
use super::plan::{Data, Imprint, Make, TeamAt, Twist};
use super::scribe::{Key, Scribe};
use super::shell::wrapped;
use super::team;
use super::truth::{Method, PhoneKind};
use super::vcard;

/// A page of the site.
pub(super) fn write(scribe: &mut Scribe<'_>, page: Page) -> String {
    let body = match page {
        Page::Home => home(scribe),
        Page::Contact => contact(scribe),
        Page::Imprint => imprint(scribe),
        Page::About => about(scribe),
        Page::Team => people(scribe),
        Page::Press => press(scribe),
        Page::Locations => locations(scribe),
        Page::Privacy => privacy(scribe),
        Page::Services => services(scribe),
        Page::News => index(scribe, |page| matches!(page, Page::Story(_))),
        Page::Service(number) => service(scribe, number),
        Page::Story(number) => story(scribe, number),
        Page::Jobs => jobs(scribe),
    };
    wrapped(scribe, page, &body)
}

/// Some sentences, not always the same.
fn prose(scribe: &mut Scribe<'_>, count: usize) -> String {
    let plan = scribe.firm.plan;
    let first = scribe.draw.below(plan.words.prose.len());
    (0..count)
        .map(|at| paragraph(plan.make, plan.words.prose[(first + at) % plan.words.prose.len()]))
        .collect()
}

fn home(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let name = scribe.name();
    let mut html = section(plan.make, &name, "", plan.words.talk.tagline);
    html.push_str(&prose(scribe, 2));
    if plan.one_page() {
        let anchor = |page: Page| page.names(&plan);
        for page in [Page::About, Page::Team, Page::Services, Page::Contact] {
            let body = match page {
                Page::About => about(scribe),
                Page::Team if plan.team.at == TeamAt::Own => people(scribe),
                Page::Team => continue,
                Page::Services => services(scribe),
                _ => contact(scribe),
            };
            let (title, slug) = anchor(page);
            html.push_str(&section(plan.make, title, &slug, &body));
        }
    }
    if plan.is(Twist::Signature) {
        html.push_str(&team::signature(scribe));
    }
    html + &noise::testimonials(scribe)
}

fn contact(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let labels = &plan.words.labels;
    let mut html = String::new();
    if plan.is(Twist::FormOnly) {
        let phone = scribe.phone(0);
        html.push_str(&rows(plan.make, &[(labels.phone[0].to_owned(), phone)]));
        return html + &noise::form(scribe);
    }
    if plan.has(Data::Microdata) {
        html.push_str(&linked_data::microdata(scribe));
    } else if plan.has(Data::HCard) {
        html.push_str(&vcard::seat(scribe));
    } else {
        let mut lines = vec![scribe.legal_name()];
        lines.extend(scribe.address(0));
        html.push_str(&section(plan.make, labels.address, "", &block(plan.make, &lines)));
    }
    html.push_str(&reach(scribe));
    if !scribe.firm.departments.is_empty() {
        let mut list = Vec::new();
        for (label, mailbox, line) in scribe.firm.departments.clone() {
            let (mail, phone) = (scribe.mail(mailbox), scribe.phone(line));
            scribe.note(Key::Purpose(mailbox), Method::Text, label, None);
            list.push((format!("{label}:"), format!("{phone}, {mail}")));
        }
        html.push_str(&section(plan.make, labels.department, "", &rows(plan.make, &list)));
    }
    html.push_str(&rows(plan.make, &[(labels.hours.to_owned(), plan.words.talk.hours.to_owned())]));
    html.push_str(&noise::map(scribe.firm));
    html.push_str(&noise::form(scribe));
    if plan.team.at == TeamAt::Contact {
        html.push_str(&people(scribe));
    }
    if plan.imprint == Imprint::Contact {
        let (title, _) = Page::Imprint.names(&plan);
        let body = imprint(scribe);
        html.push_str(&section(plan.make, title, "legal-part", &body));
    }
    if plan.branches > 0 {
        let page = Page::Locations;
        html.push_str(&links(plan.make, &[(page.path(&plan), page.names(&plan).0.to_owned())]));
    }
    html
}

/// The lines and the mailbox of the house.
fn reach(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let of_departments: Vec<usize> = scribe.firm.departments.iter().map(|one| one.2).collect();
    let mut list = Vec::new();
    for (at, line) in scribe.firm.lines.clone().iter().enumerate() {
        let elsewhere = of_departments.contains(&at) || scribe.firm.branch_lines.contains(&at);
        if line.of.is_none() && !elsewhere {
            list.push((scribe.phone_label(line).to_owned(), scribe.phone(at)));
        }
    }
    if plan.seed % 4 == 2 {
        // All numbers on one line.
        let all: Vec<String> =
            list.iter().map(|(label, phone)| format!("{label} {phone}")).collect();
        list = vec![(String::new(), all.join(" | "))];
    }
    list.push((plan.words.labels.email[plan.habit % 2].to_owned(), scribe.mail(GENERAL)));
    let mobile =
        scribe.firm.lines.iter().find(|line| line.kind == PhoneKind::Mobile && line.of.is_none());
    if let Some(e164) = mobile.and_then(|line| line.number.e164()) {
        let digits = e164.trim_start_matches('+');
        list.push((String::new(), format!("<a href=\"https://wa.me/{digits}\">WhatsApp</a>")));
    }
    rows(plan.make, &list)
}

fn imprint(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let (legal, address) = (scribe.legal_name(), scribe.address(0));
    let mut list = Vec::new();
    list.extend(team::representatives(scribe));
    list.extend(scribe.ids());
    let mut html = if plan.seed.is_multiple_of(2) {
        let owner = plan.words.talk.owner.replace("{legal}", &legal);
        let owner = owner.replace("{address}", &address.join(", "));
        let facts: Vec<String> =
            list.iter().map(|(label, value)| format!("{label} {value}")).collect();
        // The law in one paragraph, as solicitors write it.
        paragraph(plan.make, &format!("{owner} {}.", facts.join("; ")))
    } else {
        let lines: Vec<String> = [legal].into_iter().chain(address).collect();
        block(plan.make, &lines) + &rows(plan.make, &list)
    };
    html.push_str(&reach(scribe));
    html.push_str(&noise::subsidiaries(scribe));
    if plan.trade.is_watched() {
        html.push_str(&noise::watchers(scribe));
    }
    html.push_str(&noise::bank(scribe));
    // In some countries the law wants somebody who answers for the words.
    let answers = match plan.words.tag {
        "de" => Some("Verantwortlich i. S. d. § 18 Abs. 2 MStV:"),
        "fr" => Some("Directeur de la publication :"),
        "it" => Some("Responsabile dei contenuti:"),
        _ => None,
    };
    if let Some(label) = answers.filter(|_| plan.team.leaders > 0) {
        let name = scribe.person(0);
        html.push_str(&rows(plan.make, &[(label.to_owned(), name)]));
    }
    let photographer = stranger(scribe.firm, 5);
    let photographer = scribe.foreign(&photographer);
    html.push_str(&paragraph(plan.make, &format!("Foto: {photographer}")));
    html + &paragraph(plan.make, plan.words.talk.liability)
}

fn about(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let year = scribe.firm.founded.to_string();
    let year = scribe.say(Key::Founded, &year);
    let founded = format!("{} {year}.", plan.words.labels.founded);
    let mut html = paragraph(plan.make, &founded) + &prose(scribe, 3);
    match plan.team.at {
        TeamAt::About => html.push_str(&people(scribe)),
        TeamAt::Behind => {
            let page = Page::Team;
            html.push_str(&links(plan.make, &[(page.path(&plan), page.names(&plan).0.to_owned())]));
        }
        TeamAt::Own | TeamAt::Contact | TeamAt::Nowhere => {}
    }
    html
}

fn people(scribe: &mut Scribe<'_>) -> String {
    team::everybody(scribe) + &linked_data::people(scribe)
}

fn press(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut html = noise::byline(scribe, 0);
    // The third department is the one for the press.
    let reach = match scribe.firm.departments.get(2).copied() {
        Some((label, mailbox, line)) => {
            scribe.note(Key::Purpose(mailbox), Method::Text, label, None);
            vec![(format!("{label}:"), format!("{}, {}", scribe.phone(line), scribe.mail(mailbox)))]
        }
        None => vec![(plan.words.labels.email[0].to_owned(), scribe.mail(GENERAL))],
    };
    html.push_str(&rows(plan.make, &reach));
    // Whoever speaks to the press is named there.
    let desk = plan.words.departments[2];
    for number in 0..scribe.firm.people.len() {
        if scribe.firm.people[number].department == Some(desk) {
            html.push_str(&team::spokesperson(scribe, number));
        }
    }
    html + &noise::share(scribe)
}

fn locations(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut html = String::new();
    for at in 0..scribe.firm.places.len() {
        let lines = scribe.address(at);
        let line = match at.checked_sub(1) {
            Some(branch) => scribe.firm.branch_lines.get(branch).copied(),
            None => Some(0),
        };
        let mut body = block(plan.make, &lines);
        if let Some(line) = line {
            let phone = scribe.phone(line);
            body.push_str(&rows(plan.make, &[(plan.words.labels.phone[0].to_owned(), phone)]));
        }
        let city = scribe.firm.places[at].city.clone();
        html.push_str(&section(plan.make, &city, "", &body));
    }
    html
}

fn privacy(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut html = paragraph(plan.make, plan.words.talk.privacy);
    if plan.is(Twist::FormOnly) {
        return html + &noise::processors(scribe);
    }
    let mut lines = vec![scribe.legal_name()];
    lines.extend(scribe.address(0));
    lines.push(scribe.mail(PRIVACY));
    html.push_str(&block(plan.make, &lines));
    html + &noise::processors(scribe)
}

fn services(scribe: &mut Scribe<'_>) -> String {
    index(scribe, |page| matches!(page, Page::Service(_))) + &noise::products(scribe)
}

/// A page that links to those of its kind.
fn index(scribe: &mut Scribe<'_>, kind: fn(&Page) -> bool) -> String {
    let plan = scribe.firm.plan;
    let found: Vec<(String, String)> = pages(&plan)
        .into_iter()
        .filter(kind)
        .map(|page| {
            let topic = match page {
                Page::Service(number) | Page::Story(number) => {
                    plan.words.services[number % plan.words.services.len()]
                }
                _ => "",
            };
            (page.path(&plan), format!("{topic} {}", page.names(&plan).1))
        })
        .collect();
    prose(scribe, 1) + &links(plan.make, &found)
}

fn service(scribe: &mut Scribe<'_>, number: usize) -> String {
    let plan = scribe.firm.plan;
    let topic = plan.words.services[number % plan.words.services.len()];
    let body = prose(scribe, 3) + &noise::codes(scribe);
    section(plan.make, topic, "", &body)
}

fn story(scribe: &mut Scribe<'_>, number: usize) -> String {
    let byline = noise::byline(scribe, number);
    let share =
        if scribe.firm.plan.make == Make::Tables { String::new() } else { noise::share(scribe) };
    byline + &prose(scribe, 4) + &share
}

fn jobs(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let code = format!("{}-{}", scribe.draw.line_digits(4), scribe.draw.line_digits(5));
    let code = scribe.foreign(&code);
    let role = plan.words.roles[2].man;
    section(plan.make, role, "", &paragraph(plan.make, &format!("{} {code}.", plan.words.talk.job)))
}
