//! People as pages show them: grids, tables, lists, cards, paragraphs, signatures, and the
//! line of an imprint that says who represents the company.

use std::fmt::Write as _;

use super::firm::Person;
use super::plan::{Data, TeamForm};
use super::scribe::{Key, Scribe, escape};
use super::truth::{Method, Seniority};
use super::vcard;

/// What is shown of a person.
struct Parts {
    name: String,
    title: String,
    department: Option<String>,
    mail: Option<String>,
    phones: Vec<(&'static str, String)>,
    profiles: Vec<(&'static str, String)>,
    card: Option<String>,
}

/// Everybody, in the form of the site.
pub(super) fn everybody(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let count = scribe.firm.people.len();
    let mut html = String::new();
    let mut group = None;
    for number in 0..count {
        let parts = parts(scribe, number);
        let rank = scribe.firm.people[number].seniority;
        // A grid has headings between its people, which are not people.
        if plan.team.form == TeamForm::Grid && group != Some(rank) {
            let heading = match rank {
                Seniority::Executive => plan.organ.label.trim_end_matches([':', ' ']),
                Seniority::Head | Seniority::Staff => plan.words.pages.team[0].0,
            };
            let _ = writeln!(html, "<h3 class=\"group\">{heading}</h3>");
            group = Some(rank);
        }
        html.push_str(&one(plan.team.form, number, &parts));
    }
    match plan.team.form {
        TeamForm::Grid => format!("<div class=\"team-grid\">{html}</div>\n"),
        TeamForm::Cards => format!("<div class=\"row g-4 cards\">{html}</div>\n"),
        TeamForm::Table | TeamForm::Register => format!(
            "<table class=\"staff\"><thead><tr><th>{}</th><th>{}</th><th>{}</th><th>{}</th></tr></thead>\
             <tbody>\n{html}</tbody></table>\n",
            plan.words.talk.form[0],
            plan.words.labels.department,
            plan.words.labels.phone[0].trim_end_matches([':', ' ']),
            plan.words.labels.email[0].trim_end_matches([':', ' ']),
        ),
        TeamForm::Definitions => format!("<dl class=\"people\">\n{html}</dl>\n"),
        TeamForm::List => format!("<ul class=\"people\">\n{html}</ul>\n"),
        TeamForm::Paragraphs => html,
    }
}

fn parts(scribe: &mut Scribe<'_>, number: usize) -> Parts {
    let plan = scribe.firm.plan;
    let person: &Person = &scribe.firm.people[number];
    let name = if plan.team.form == TeamForm::Register {
        scribe.person_by_surname(number)
    } else {
        scribe.person(number)
    };
    // A plain list has no room for more.
    let reachable = plan.team.form != TeamForm::List;
    let with_department = !matches!(plan.team.form, TeamForm::List | TeamForm::Paragraphs);
    let department = person.department.filter(|_| with_department);
    let department = department.map(|department| scribe.say(Key::Department(number), department));
    let profiles = person.profiles.clone();
    for (at, (_, url)) in profiles.iter().enumerate().filter(|_| reachable) {
        scribe.note(Key::Profile(number, at), Method::Text, &escape(url), None);
    }
    let card = plan.has(Data::Vcf).then(|| vcard::file(scribe, number));
    Parts {
        name,
        title: scribe.say(Key::Title(number), person.title),
        department,
        mail: if reachable { scribe.person_mail(number) } else { None },
        phones: if reachable { scribe.person_phones(number) } else { Vec::new() },
        profiles: if reachable { profiles } else { Vec::new() },
        card,
    }
}

fn one(form: TeamForm, number: usize, parts: &Parts) -> String {
    let Parts { name, title, .. } = parts;
    let mail = parts.mail.clone().unwrap_or_default();
    let department = parts.department.clone().unwrap_or_default();
    let lines = |mark: &str| {
        let spelled = |(label, phone): &(&str, String)| format!("{label} {phone}");
        parts.phones.iter().map(spelled).collect::<Vec<_>>().join(mark)
    };
    let profiles: String = parts
        .profiles
        .iter()
        .map(|(network, url)| {
            format!(
                "<a class=\"icon-{network}\" href=\"{}\" rel=\"me noopener\" aria-label=\"{network}\"></a>",
                escape(url)
            )
        })
        .collect();
    let card = parts
        .card
        .as_ref()
        .map(|path| format!("<a href=\"{path}\" class=\"vcf\">vCard</a>"))
        .unwrap_or_default();
    match form {
        TeamForm::Grid => format!(
            "<div class=\"team-member\"><img src=\"/img/people/{number}.jpg\" alt=\"\" loading=\"lazy\">\
             <h4>{name}</h4><div class=\"role\">{title}</div><div class=\"dept\">{department}</div>\
             <div class=\"contact\">{mail}<br>{}</div>{profiles}{card}</div>\n",
            lines("<br>")
        ),
        TeamForm::Cards => {
            let icons: String = parts
                .phones
                .iter()
                .map(|(label, phone)| {
                    format!("<p class=\"card-text\" title=\"{label}\"><i class=\"bi bi-telephone\"></i> {phone}</p>")
                })
                .collect();
            format!(
                "<article class=\"card h-100\"><figure><img src=\"/img/people/{number}.webp\" alt=\"{name}\">\
                 <figcaption>{name}</figcaption></figure><p class=\"card-subtitle\">{title}</p>\
                 <p class=\"small text-muted\">{department}</p>{icons}<p class=\"card-text\">{mail}</p>\
                 {profiles}{card}</article>\n"
            )
        }
        TeamForm::Table | TeamForm::Register => {
            let between = if department.is_empty() { "" } else { "<br>" };
            format!(
                "<tr><td>{name}</td><td>{title}{between}{department}</td><td>{}</td><td>{mail} {profiles}{card}</td></tr>\n",
                lines("<br>")
            )
        }
        TeamForm::Definitions => {
            let mut html = format!("<dt>{name}</dt><dd>{title}</dd>");
            if !department.is_empty() {
                let _ = write!(html, "<dd>{department}</dd>");
            }
            for (label, phone) in &parts.phones {
                let _ = write!(html, "<dd>{label} {phone}</dd>");
            }
            format!("{html}<dd>{mail} {profiles}{card}</dd>\n")
        }
        TeamForm::Paragraphs => {
            let reach: Vec<String> =
                [lines(", "), mail].into_iter().filter(|part| !part.is_empty()).collect();
            format!("<p><b>{name}</b>, {title}<br>{} {profiles}{card}</p>\n", reach.join("<br>"))
        }
        TeamForm::List => format!("<li>{name} – {title}</li>\n"),
    }
}

/// Who represents the company: the label of the organ and the names.
pub(super) fn representatives(scribe: &mut Scribe<'_>) -> Option<(String, String)> {
    let organ = scribe.firm.plan.organ;
    let leaders: Vec<usize> =
        (0..scribe.firm.people.len()).filter(|at| scribe.firm.people[*at].leads).collect();
    if leaders.is_empty() {
        return None;
    }
    let mut names = Vec::new();
    for number in leaders {
        names.push(scribe.person(number));
        let label = escape(organ.label);
        scribe.note(Key::Organ(number), Method::Text, &label, None);
    }
    Some((escape(organ.label), names.join(", ")))
}

/// A letter that the first of the house has signed.
pub(super) fn signature(scribe: &mut Scribe<'_>) -> String {
    if scribe.firm.people.is_empty() {
        return String::new();
    }
    let regards = scribe.firm.plan.words.talk.regards;
    let name = scribe.person(0);
    let title = scribe.say(Key::Title(0), scribe.firm.people[0].title);
    format!("<p class=\"signature\">{regards}<br>\n<em>{name}</em><br>\n{title}</p>\n")
}
