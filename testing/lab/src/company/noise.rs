//! What stands on a company's pages and is not about the company. Every value in it is noted
//! as foreign.

use std::fmt::Write as _;

use super::firm::{Firm, ascii};
use super::ids::{self, Entry};
use super::markup;
use super::outsider::{Outsider, Sort, stranger};
use super::plan::{Make, Twist};
use super::scribe::{Scribe, escape};

/// Who made the site, as the footer tells.
pub(super) fn credit(scribe: &mut Scribe<'_>) -> String {
    let agency = Outsider::of(scribe.firm, Sort::Agency);
    let label = scribe.firm.plan.words.labels.made_by;
    let (name, site) = (scribe.foreign(&agency.name), escape(&agency.site));
    let mut html = format!("{label} <a href=\"{site}\" rel=\"nofollow\">{name}</a>");
    // Writing to a String cannot fail.
    match scribe.firm.plan.seed % 3 {
        0 => {
            scribe.foreign(&agency.email);
            let _ = write!(html, " · <a href=\"mailto:{0}\">{0}</a>", agency.email);
        }
        1 => {
            let number = scribe.foreign_number(&agency.number);
            scribe.foreign(&agency.email);
            let _ = write!(html, ", Tel. {number}, {}", agency.email);
        }
        _ => {}
    }
    if scribe.firm.plan.make == Make::Theme {
        let maker = "https://www.facebook.com/themeforge-studio-lab";
        scribe.foreign(maker);
        let _ = write!(
            html,
            " | Theme: <a href=\"https://themeforge.test/\">Lumenpress</a> \
             <a href=\"{maker}\" aria-label=\"Facebook\"></a>"
        );
    }
    html
}

pub(super) fn cookies(scribe: &Scribe<'_>) -> String {
    let talk = &scribe.firm.plan.words.talk;
    match scribe.firm.plan.seed % 3 {
        0 => format!(
            "<div id=\"cookie-notice\" role=\"dialog\"><span>{}</span><button>{}</button><button>{}</button></div>\n",
            talk.cookies, talk.accept, talk.decline
        ),
        1 => format!(
            "<div class=\"cmplz-cookiebanner\" style=\"display:none\"><p>{}</p><a href=\"#\">{}</a></div>\n",
            talk.cookies, talk.accept
        ),
        _ => format!(
            "<aside class=\"cc-window\">{} <a class=\"cc-btn\" href=\"#\">{}</a></aside>\n",
            talk.cookies, talk.accept
        ),
    }
}

/// Addresses that nobody sees, for harvesters.
pub(super) fn honeypot(scribe: &mut Scribe<'_>) -> String {
    let trap = format!("zx{}@{}", scribe.firm.plan.seed * 7, scribe.firm.domain());
    let trap = scribe.foreign(&trap);
    match scribe.firm.plan.seed % 4 {
        0 => format!(
            "<div style=\"display:none\"><a href=\"/trap/0\">members</a> <a href=\"mailto:{trap}\">{trap}</a></div>\n"
        ),
        1 => format!(
            "<p class=\"hp\" aria-hidden=\"true\">{trap} <a href=\"/trap/0\" rel=\"nofollow\">.</a></p>\n"
        ),
        2 => format!(
            "<span style=\"position:absolute;left:-9999px\"><a href=\"mailto:{trap}\">{trap}</a></span>\n"
        ),
        _ => format!("<!-- {trap} -->\n<div hidden>{trap}</div>\n"),
    }
}

/// Buttons that share the page.
pub(super) fn share(scribe: &Scribe<'_>) -> String {
    let page = format!("https%3A%2F%2F{}%2F", scribe.firm.host);
    format!(
        "<div class=\"share\">{}: <a href=\"https://www.facebook.com/sharer/sharer.php?u={page}\">Facebook</a> \
         <a href=\"https://twitter.com/intent/tweet?url={page}\">X</a> \
         <a href=\"https://www.linkedin.com/shareArticle?mini=true&amp;url={page}\">LinkedIn</a> \
         <a href=\"https://api.whatsapp.com/send?text={page}\">WhatsApp</a> \
         <a href=\"mailto:?subject=&amp;body={page}\">E-Mail</a></div>\n",
        scribe.firm.plan.words.labels.share
    )
}

pub(super) fn testimonials(scribe: &mut Scribe<'_>) -> String {
    let talk = &scribe.firm.plan.words.talk;
    let mut html = String::from("<div class=\"testimonials\">\n");
    for (at, praise) in talk.praise.iter().enumerate() {
        let name = stranger(scribe.firm, 10 + at);
        let name = scribe.foreign(&name);
        let role = talk.customer_roles[at];
        let _ = if scribe.firm.plan.seed.is_multiple_of(2) {
            writeln!(
                html,
                "<blockquote><p>“{praise}”</p><h4>{name}</h4><cite>{role}</cite></blockquote>"
            )
        } else {
            // The same card as for the people of the house.
            writeln!(
                html,
                "<div class=\"team-member review\"><p>{praise}</p><img src=\"/img/review-{at}.jpg\" \
                 alt=\"{name}\"><h4>{name}</h4><div class=\"role\">{role}</div></div>"
            )
        };
    }
    html.push_str("</div>\n<div class=\"partners\">");
    for partner in ["Grauwerk", "Solvanta", "Kestrel & Finch"] {
        let _ = write!(html, "<img src=\"/img/partner.png\" alt=\"{}\">", escape(partner));
    }
    html + "</div>\n"
}

/// A form with examples in its fields.
pub(super) fn form(scribe: &mut Scribe<'_>) -> String {
    let form = scribe.firm.plan.words.talk.form;
    let mail = scribe.foreign("name@example.com");
    format!(
        "<form action=\"/send\" method=\"post\"><input name=\"n\" placeholder=\"{}\"><input type=\"email\" \
         placeholder=\"{mail}\" aria-label=\"{}\"><input type=\"tel\" placeholder=\"+00 000 0000000\" \
         aria-label=\"{}\"><textarea></textarea><button>{}</button></form>\n",
        form[0], form[1], form[2], form[3]
    )
}

/// Those who watch over the company, with their own addresses and numbers.
pub(super) fn watchers(scribe: &mut Scribe<'_>) -> String {
    let (make, labels) = (scribe.firm.plan.make, &scribe.firm.plan.words.labels);
    let mut html = String::new();
    for (sort, label) in [(Sort::Chamber, labels.chamber), (Sort::Authority, labels.authority)] {
        let other = Outsider::of(scribe.firm, sort);
        let mut lines = vec![scribe.foreign(&other.name)];
        scribe.foreign(&other.place.street);
        lines.extend(other.place.lines().iter().map(|line| escape(line)));
        let number = scribe.foreign_number(&other.number);
        let mail = scribe.foreign(&other.email);
        lines.push(format!("{} {number}", labels.phone[0]));
        lines.push(format!("<a href=\"mailto:{mail}\">{mail}</a>"));
        html.push_str(&markup::section(make, label, "", &markup::block(make, &lines)));
    }
    html
}

/// Bank details and the link that the law wants.
pub(super) fn bank(scribe: &mut Scribe<'_>) -> String {
    let labels = &scribe.firm.plan.words.labels;
    let number = scribe.draw.line_digits(10);
    let iban = format!(
        "{}44 3705 0198 {} {} {}",
        scribe.firm.plan.land.code,
        &number[..4],
        &number[4..8],
        &number[8..]
    );
    let iban = scribe.foreign(&iban);
    format!(
        "<p>{}: IBAN {iban}, BIC COKSXX33XXX</p>\n<p>{}: <a href=\"https://ec.europa.eu/consumers/odr\" \
         rel=\"noopener\">https://ec.europa.eu/consumers/odr</a></p>\n",
        labels.bank, labels.disputes
    )
}

/// Host and officer, each another firm.
pub(super) fn processors(scribe: &mut Scribe<'_>) -> String {
    let (make, labels) = (scribe.firm.plan.make, &scribe.firm.plan.words.labels);
    let host = Outsider::of(scribe.firm, Sort::Host);
    let mut lines = vec![scribe.foreign(&host.name)];
    scribe.foreign(&host.place.street);
    lines.extend(host.place.lines().iter().map(|line| escape(line)));
    let mut html = markup::section(make, labels.host, "", &markup::block(make, &lines));
    let officer = Outsider::of(scribe.firm, Sort::Officer);
    let mut lines = vec![scribe.foreign(&officer.person), scribe.foreign(&officer.name)];
    scribe.foreign(&officer.place.street);
    lines.extend(officer.place.lines().iter().map(|line| escape(line)));
    let number = scribe.foreign_number(&officer.number);
    let mail = scribe.foreign(&officer.email);
    lines.push(format!("{} {number}", labels.phone[1]));
    lines.push(format!("{} <a href=\"mailto:{mail}\">{mail}</a>", labels.email[0]));
    html.push_str(&markup::section(make, labels.officer, "", &markup::block(make, &lines)));
    let tracker = scribe.foreign("Metrica Analytics Inc.");
    html.push_str(&markup::paragraph(
        make,
        &format!("{tracker}, 500 Tracker Way, Wilmington, DE 19801, USA"),
    ));
    html
}

/// Other companies of the group, with their own ids and lines.
pub(super) fn subsidiaries(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    if !plan.is(Twist::Subsidiaries) {
        return String::new();
    }
    let mut html = String::new();
    for (at, kind) in ["Logistik", "Service", "Immobilien"].iter().enumerate() {
        let town = plan.land.towns[(plan.town + at + 1) % plan.land.towns.len()];
        let ids = ids::of(plan.land, &town, Entry::Company, &mut scribe.draw);
        let name = format!("{} {kind} {}", scribe.firm.name, plan.form);
        let mut lines = vec![scribe.foreign(&name)];
        if let Some(vat) = &ids.vat {
            scribe.foreign(&vat.compact());
            lines.push(format!("{} {}", vat.label, scribe.foreign(&vat.shown)));
        }
        if let Some(register) = &ids.register {
            lines.push(scribe.foreign(&register.number));
        }
        let mail = format!("info@{}-{}.test", ascii(&scribe.firm.name), kind.to_lowercase());
        lines.push(scribe.foreign(&mail));
        html.push_str(&markup::block(plan.make, &lines));
    }
    html
}

/// Codes that look like numbers of telephones, and are none.
pub(super) fn codes(scribe: &mut Scribe<'_>) -> String {
    let labels = &scribe.firm.plan.words.labels;
    let first = format!(
        "0{}-{}-{}",
        scribe.draw.line_digits(3),
        scribe.draw.line_digits(3),
        scribe.draw.line_digits(4)
    );
    let second = format!(
        "{} {} {}",
        scribe.draw.line_digits(4),
        scribe.draw.line_digits(3),
        scribe.draw.line_digits(3)
    );
    let (first, second) = (scribe.foreign(&first), scribe.foreign(&second));
    format!("<p>{} {first}<br>{} {second} (12.11.2023)</p>\n", labels.article, labels.order)
}

/// The map, with coordinates.
pub(super) fn map(firm: &Firm) -> String {
    format!(
        "<iframe title=\"map\" src=\"https://maps.test/embed?ll=50.9{0}413,6.95{0}282&amp;z=16\"></iframe>\
         <p class=\"geo\">50.9{0}413, 6.95{0}282</p>\n",
        firm.plan.seed % 10
    )
}

/// What a story quotes, and who wrote it.
pub(super) fn byline(scribe: &mut Scribe<'_>, number: usize) -> String {
    let words = scribe.firm.plan.words;
    let author = stranger(scribe.firm, 20 + number);
    let source = stranger(scribe.firm, 31 + number);
    let (author, source) = (scribe.foreign(&author), scribe.foreign(&source));
    format!(
        "<p class=\"meta\">{} <span class=\"author vcard\"><a class=\"url fn n\" href=\"/#\">{author}</a></span>, \
         <time datetime=\"2023-0{1}-12\">12.0{1}.2023</time></p>\n<p>{source} {2}.</p>\n",
        words.labels.author,
        number % 9 + 1,
        words.talk.quote
    )
}

/// Things to buy or to book, in cards like those of people and with names like theirs.
pub(super) fn products(scribe: &mut Scribe<'_>) -> String {
    let services = scribe.firm.plan.words.services;
    let mut html = String::from("<div class=\"team-grid cards\">\n");
    for (at, name) in
        ["Victoria Classic", "Otto Komfort", "Clara Plus", "Florence Antica"].iter().enumerate()
    {
        let name = scribe.foreign(name);
        let _ = writeln!(
            html,
            "<div class=\"team-member card\"><img src=\"/img/product-{at}.jpg\" alt=\"{name}\"><h4>{name}</h4>\
             <div class=\"role\">{}</div></div>",
            services[at % services.len()]
        );
    }
    html + "</div>\n"
}
