//! People as pages show them: grids, tables, lists, cards, paragraphs, signatures, and the
//! line of an imprint that says who represents the company.

use std::fmt::Write as _;

use super::firm::Person;
use super::plan::{Data, TeamForm};
use super::scribe::{Key, Scribe, escape};
use super::truth::Method;
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
        let leads = scribe.firm.people[number].leads;
        // A grid has headings between its people, which are not people.
        if plan.team.form == TeamForm::Grid && group != Some(leads) {
            let heading = if leads {
                plan.organ.label.trim_end_matches([':', ' '])
            } else {
                plan.words.pages.team[0].0
            };
            let _ = writeln!(html, "<h3 class=\"group\">{heading}</h3>");
            group = Some(leads);
        }
        html.push_str(&one(plan.team.form, number, &parts));
        if plan.team.form == TeamForm::Portraits {
            let bio = plan.words.prose[number % plan.words.prose.len()];
            let _ = writeln!(html, "<p class=\"bio\">{bio}</p>");
        }
    }
    match plan.team.form {
        TeamForm::Grid => format!("<div class=\"team-grid\">{html}</div>\n"),
        TeamForm::Cards => format!("<div class=\"row g-4 cards\">{html}</div>\n"),
        TeamForm::Table | TeamForm::Register => format!(
            "<table class=\"staff\"><thead><tr><th>{}</th><th>{}</th><th>{}</th><th>{}</th></tr></thead>\
             <tbody>\n{html}</tbody></table>\n",
            plan.words.labels.columns.0,
            plan.words.labels.columns.1,
            plan.words.labels.phone[0].trim_end_matches([':', ' ']),
            plan.words.labels.email[0].trim_end_matches([':', ' ']),
        ),
        TeamForm::Definitions => format!("<dl class=\"people\">\n{html}</dl>\n"),
        TeamForm::List => format!("<ul class=\"people\">\n{html}</ul>\n"),
        TeamForm::Split => format!("<ul class=\"faces\">\n{html}</ul>\n"),
        TeamForm::Paragraphs
        | TeamForm::OneLine
        | TeamForm::Portraits
        | TeamForm::HCards
        | TeamForm::Microdata => html,
    }
}

fn parts(scribe: &mut Scribe<'_>, number: usize) -> Parts {
    let plan = scribe.firm.plan;
    let person: &Person = &scribe.firm.people[number];
    let name = match plan.team.form {
        TeamForm::Register => scribe.person_by_surname(number),
        TeamForm::Split => scribe.person_in_parts(number),
        _ => scribe.person(number),
    };
    // A plain list has no room for more.
    let reachable = plan.team.form != TeamForm::List;
    let with_department =
        !matches!(plan.team.form, TeamForm::List | TeamForm::Paragraphs | TeamForm::Portraits);
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
        TeamForm::Split => format!(
            "<li><em>{title}</em><em>{department}</em>\n{name}<div>{}</div><div>{mail}</div>{profiles}{card}</li>\n",
            lines(" / ")
        ),
        TeamForm::OneLine => {
            let all = [name.clone(), title.clone(), department, lines(", "), mail];
            let shown: Vec<String> = all.into_iter().filter(|part| !part.is_empty()).collect();
            format!("<p>{} {profiles}{card}</p>\n", shown.join(" | "))
        }
        TeamForm::Portraits => {
            format!(
                "<h3>{name} <small>{title}</small></h3>\n<p>{}<br>{mail} {profiles}{card}</p>\n",
                lines("<br>")
            )
        }
        TeamForm::HCards => format!(
            "<div class=\"vcard h-card\"><span class=\"fn p-name\">{name}</span> <span class=\"title \
             p-job-title\">{title}</span> <span class=\"organization-unit\">{department}</span> <span \
             class=\"tel p-tel\">{}</span> <span class=\"email\">{mail}</span>{profiles}{card}</div>\n",
            lines("</span> <span class=\"tel p-tel\">")
        ),
        TeamForm::Microdata => format!(
            "<div itemscope itemtype=\"https://schema.org/Person\"><strong itemprop=\"name\">{name}</strong><br>\
             <span itemprop=\"jobTitle\">{title}</span> {department}<br>{}<br>{mail}{profiles}{card}</div>\n",
            lines("<br>")
        ),
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
    // Some sites name the organ before the names, others the office of each behind them.
    let office_behind = scribe.firm.plan.seed.is_multiple_of(3) && organ.legal;
    if let [alone] = leaders[..]
        && !office_behind
        && scribe.firm.plan.seed % 2 == 1
    {
        // One person has the office: the label is the title.
        let title = scribe.say(Key::Title(alone), scribe.firm.people[alone].title);
        return Some((format!("{title}:"), scribe.person(alone)));
    }
    let mut names = Vec::new();
    for number in leaders {
        let mut name = scribe.person(number);
        if office_behind {
            let title = scribe.say(Key::Title(number), scribe.firm.people[number].title);
            let _ = write!(name, " ({title})");
        } else {
            let label = escape(organ.label);
            scribe.note(Key::Organ(number), Method::Text, &label, None);
        }
        names.push(name);
    }
    let represented = format!("{}:", scribe.firm.plan.words.labels.represented);
    let label = if office_behind { represented } else { escape(organ.label) };
    Some((label, names.join(", ")))
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

/// One person with all that is known, in running text.
pub(super) fn spokesperson(scribe: &mut Scribe<'_>, number: usize) -> String {
    let name = scribe.person(number);
    let title = scribe.say(Key::Title(number), scribe.firm.people[number].title);
    let mut lines = vec![format!("<strong>{name}</strong>"), title];
    for (label, phone) in scribe.person_phones(number) {
        lines.push(format!("{label} {phone}"));
    }
    lines.extend(scribe.person_mail(number));
    format!("<div class=\"press-contact\">{}</div>\n", lines.join("<br>\n"))
}
