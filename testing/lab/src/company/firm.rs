//! A company as it is drawn from its plan: people, mailboxes, lines, places, ids. What of it
//! is shown, and where, is up to the pages.

use std::collections::BTreeSet;

use super::ids::{self, Ids};
use super::land::{Place, Town};
use super::phone::Number;
use super::plan::{Plan, Twist};
use super::trades;
use super::truth::{PhoneKind, Seniority};
use crate::draw::Draw;

/// The company.
#[derive(Debug, Clone)]
pub(super) struct Firm {
    pub(super) plan: Plan,
    pub(super) host: String,
    pub(super) name: String,
    pub(super) legal: String,
    pub(super) mailboxes: Vec<Mailbox>,
    pub(super) lines: Vec<Line>,
    /// The seat first.
    pub(super) places: Vec<Place>,
    /// Line of each place but the seat.
    pub(super) branch_lines: Vec<usize>,
    /// Label, mailbox and line of each department.
    pub(super) departments: Vec<(&'static str, usize, usize)>,
    /// Network and address.
    pub(super) socials: Vec<(&'static str, String)>,
    pub(super) people: Vec<Person>,
    pub(super) ids: Ids,
    pub(super) founded: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Mailbox {
    pub(super) value: String,
    pub(super) label: Option<&'static str>,
    pub(super) of: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) number: Number,
    pub(super) kind: PhoneKind,
    pub(super) of: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    pub(super) honorific: Option<&'static str>,
    pub(super) title: &'static str,
    pub(super) department: Option<&'static str>,
    pub(super) seniority: Seniority,
    /// Speaks for the company.
    pub(super) leads: bool,
    pub(super) mailbox: Option<usize>,
    pub(super) lines: Vec<usize>,
    pub(super) profiles: Vec<(&'static str, String)>,
}

impl Person {
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.first, self.last)
    }
}

/// The general mailbox and the one for privacy come first.
pub(super) const GENERAL: usize = 0;
pub(super) const PRIVACY: usize = 1;
/// The line of the house comes first.
pub(super) const MAIN: usize = 0;

impl Firm {
    /// The company of a plan, under a host name and a name of its own.
    pub(super) fn draw(plan: &Plan, host: &str, name: &str, legal: &str) -> Self {
        let town = plan.land.towns.get(plan.town).copied().unwrap_or_default();
        let mut draw = Draw::named(plan.seed, "ids");
        let mut firm = Self {
            plan: *plan,
            host: host.to_owned(),
            name: name.to_owned(),
            legal: legal.to_owned(),
            mailboxes: Vec::new(),
            lines: Vec::new(),
            places: Vec::new(),
            branch_lines: Vec::new(),
            departments: Vec::new(),
            socials: Vec::new(),
            people: Vec::new(),
            ids: ids::of(plan.land, &town, plan.entry, &mut draw),
            founded: 1921 + draw.below(95),
        };
        if plan.is(Twist::WrongVat)
            && let Some(vat) = &mut firm.ids.vat
        {
            vat.shown = spoilt(&vat.shown);
        }
        firm.settle(&town);
        firm.hire();
        firm.join_networks();
        firm
    }

    /// The domain of its mailboxes.
    pub(super) fn domain(&self) -> String {
        if self.plan.is(Twist::MailElsewhere) {
            let initials: String =
                self.legal.split([' ', '-']).filter_map(|word| word.chars().next()).collect();
            return format!("{}-mail.test", ascii(&initials));
        }
        self.host.clone()
    }

    /// Places, mailboxes and lines of the house.
    fn settle(&mut self, town: &Town) {
        let plan = self.plan;
        let (land, words) = (plan.land, plan.words);
        let mut draw = Draw::named(plan.seed, "house");
        let domain = self.domain();
        for local in [words.boxes[0].0, words.boxes[4].0] {
            let value = if plan.is(Twist::FreeMail) {
                format!("{}-lab-{local}@gmx.net", ascii(&self.name))
            } else {
                format!("{local}@{domain}")
            };
            self.mailboxes.push(Mailbox { value, label: None, of: None });
        }
        let number = Number::fixed(land, town, &mut draw);
        let main = if plan.is(Twist::Switchboard) { number.switchboard(town) } else { number };
        self.line(main.clone(), PhoneKind::Voice, None);
        if plan.is(Twist::Fax) {
            let fax = if main.has_switchboard() {
                main.direct(99)
            } else {
                Number::fixed(land, town, &mut draw)
            };
            self.line(fax, PhoneKind::Fax, None);
        }
        if plan.is(Twist::Mobile) {
            self.line(Number::mobile(land, town, &mut draw), PhoneKind::Mobile, None);
        }
        if plan.is(Twist::Vanity) {
            self.line(Number::vanity(land, "888", "DUSK"), PhoneKind::Voice, None);
        }
        if plan.is(Twist::ShortNumber) {
            self.line(Number::short(land, "3679"), PhoneKind::Voice, None);
        }
        for (number, (local, label)) in words.boxes[1..4].iter().take(plan.departments).enumerate()
        {
            let value = format!("{local}@{domain}");
            self.mailboxes.push(Mailbox { value, label: Some(label), of: None });
            let line = if main.has_switchboard() {
                main.direct(20 + number * 10)
            } else {
                Number::fixed(land, town, &mut draw)
            };
            let line = self.line(line, PhoneKind::Voice, None);
            self.departments.push((label, self.mailboxes.len() - 1, line));
        }
        let seat = self.place(town, 0);
        self.places.push(seat);
        for branch in 0..plan.branches {
            let at = (plan.town + branch + 1) % land.towns.len().max(1);
            let Some(other) = land.towns.get(at) else { continue };
            let place = self.place(other, branch + 1);
            self.places.push(place);
            let number = Number::fixed(land, other, &mut draw);
            let line = self.line(number, PhoneKind::Voice, None);
            self.branch_lines.push(line);
        }
    }

    fn place(&self, town: &Town, number: usize) -> Place {
        let streets = self.plan.land.streets;
        let at = (self.plan.seed as usize + number) % streets.len().max(1);
        let quarter = match self.plan.land.code {
            "MX" => Some("Col. Los Telares"),
            "BR" => Some("Vila das Palmeiras"),
            _ => None,
        };
        Place {
            land: self.plan.land.code,
            street: streets.get(at).copied().unwrap_or_default().to_owned(),
            postal: town.postal.to_owned(),
            city: town.city.to_owned(),
            region: town.region.map(str::to_owned),
            quarter: quarter.map(str::to_owned),
        }
    }

    fn line(&mut self, number: Number, kind: PhoneKind, of: Option<usize>) -> usize {
        self.lines.push(Line { number, kind, of });
        self.lines.len() - 1
    }

    /// Its people, the leaders first.
    fn hire(&mut self) {
        let plan = self.plan;
        let words = plan.words;
        let mut draw = Draw::named(plan.seed, "people");
        let mut names = BTreeSet::new();
        for number in 0..plan.team.leaders + plan.team.staff {
            let leads = number < plan.team.leaders;
            let (first, last, woman) = self.name_for(number, &mut names, &mut draw);
            let learned = plan.is(Twist::Learned) || draw.below(4) == 0;
            let (his, hers) = draw.pick(words.honorifics);
            let at = number + plan.seed as usize;
            // Every third has a title that all trades know.
            let own = trades::roles(words.tag, plan.trade);
            let role = if own.is_empty() || at.is_multiple_of(3) {
                &words.roles[at % words.roles.len()]
            } else {
                &own[at % own.len()]
            };
            let (man, woman_title) =
                if leads { (plan.organ.man, plan.organ.woman) } else { (role.man, role.woman) };
            let person = Person {
                first,
                last,
                honorific: learned.then_some(if woman { hers } else { his }),
                title: if woman { woman_title } else { man },
                department: role.department.filter(|_| !leads).map(|at| words.departments[at]),
                seniority: if leads { Seniority::Executive } else { role.seniority },
                leads,
                mailbox: None,
                lines: Vec::new(),
                profiles: Vec::new(),
            };
            self.people.push(person);
            self.equip(number, &mut draw);
        }
    }

    fn name_for(
        &self,
        number: usize,
        names: &mut BTreeSet<String>,
        draw: &mut Draw,
    ) -> (&'static str, &'static str, bool) {
        let plan = self.plan;
        if plan.is(Twist::Namesakes)
            && number == plan.team.leaders + plan.team.staff - 1
            && let Some(other) = self.people.get(plan.team.leaders)
        {
            return (other.first, other.last, plan.words.women.contains(&other.first));
        }
        loop {
            let woman = draw.below(2) == 0;
            let first = draw.pick(if woman { plan.words.women } else { plan.words.men });
            let last = draw.pick(plan.words.surnames);
            // Polish adjectives as surnames have another form for women.
            if woman && plan.words.tag == "pl" && last.ends_with("ki") {
                continue;
            }
            // One surname a house, so that namesakes are only where they are meant.
            if names.insert(last.to_owned()) || names.len() >= plan.words.surnames.len() {
                return (first, last, woman);
            }
        }
    }

    /// Mailbox, lines and profiles of a person.
    fn equip(&mut self, number: usize, draw: &mut Draw) {
        let plan = self.plan;
        let Some(person) = self.people.get(number) else { return };
        let (first, last) = (ascii(person.first), ascii(person.last));
        let initial: String = first.chars().take(1).collect();
        let domain = self.domain();
        // Not everybody has one.
        if draw.below(5) < 4 && !plan.is(Twist::FreeMail) {
            let local = match plan.habit % 3 {
                0 => format!("{first}.{last}"),
                1 => format!("{initial}.{last}"),
                _ => last.clone(),
            };
            let taken = |local: &str| {
                let value = format!("{local}@{domain}");
                self.mailboxes.iter().any(|mailbox| mailbox.value == value)
            };
            let local = if taken(&local) { format!("{local}2") } else { local };
            let value = format!("{local}@{domain}");
            self.mailboxes.push(Mailbox { value, label: None, of: Some(number) });
            self.people[number].mailbox = Some(self.mailboxes.len() - 1);
        }
        let town = plan.land.towns.get(plan.town).copied().unwrap_or_default();
        let main = self.lines[MAIN].number.clone();
        if draw.below(3) < 2 {
            let own = if plan.is(Twist::Switchboard) {
                main.direct(31 + number)
            } else if plan.is(Twist::Extensions) {
                main.asking_for(201 + number)
            } else {
                Number::fixed(plan.land, &town, draw)
            };
            let line = self.line(own, PhoneKind::Voice, Some(number));
            self.people[number].lines.push(line);
        }
        if draw.below(4) == 0 && !plan.land.mobiles.is_empty() {
            let line =
                self.line(Number::mobile(plan.land, &town, draw), PhoneKind::Mobile, Some(number));
            self.people[number].lines.push(line);
        }
        if !plan.networks.is_empty() && draw.below(2) == 0 {
            let (network, base) = draw.pick(&[
                ("linkedin", "https://www.linkedin.com/in/"),
                ("xing", "https://www.xing.com/profile/"),
                ("github", "https://github.com/"),
                ("x", "https://x.com/"),
            ]);
            let mark = if network == "xing" { "_" } else { "-" };
            let url = format!("{base}{}{mark}{}{mark}lab{number}", first.replace('.', ""), last);
            self.people[number].profiles.push((network, url));
        }
    }

    fn join_networks(&mut self) {
        let name = format!("{}-lab", ascii(&self.name));
        for network in self.plan.networks {
            let joined = name.replace('-', "");
            let url = match *network {
                "linkedin" => format!("https://www.linkedin.com/company/{name}"),
                "facebook" => format!("https://www.facebook.com/{joined}"),
                "instagram" => format!("https://www.instagram.com/{joined}/"),
                "youtube" => format!("https://www.youtube.com/@{joined}"),
                "xing" => format!("https://www.xing.com/pages/{name}"),
                "github" => format!("https://github.com/{name}"),
                "x" => format!("https://x.com/{joined}"),
                "tiktok" => format!("https://www.tiktok.com/@{joined}"),
                other => format!("https://{other}.example/{name}"),
            };
            self.socials.push((network, url));
        }
    }
}

/// One digit of an id is another: the check fails.
fn spoilt(shown: &str) -> String {
    let mut spoilt = false;
    let turn = |letter: char| match letter.to_digit(10) {
        Some(digit) if !spoilt => {
            spoilt = true;
            char::from_digit((digit + 1) % 10, 10).unwrap_or(letter)
        }
        _ => letter,
    };
    let turned: Vec<char> = shown.chars().rev().map(turn).collect();
    turned.into_iter().rev().collect()
}

/// A name as it stands before an "@": small letters without marks, parts joined.
pub(super) fn ascii(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for letter in name.to_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' => plain.push(letter),
            'ä' | 'æ' => plain.push_str("ae"),
            'ö' | 'ø' => plain.push_str("oe"),
            'ü' => plain.push_str("ue"),
            'ß' => plain.push_str("ss"),
            'à' | 'á' | 'â' | 'ã' | 'å' | 'ą' => plain.push('a'),
            'è' | 'é' | 'ê' | 'ë' | 'ę' => plain.push('e'),
            'ì' | 'í' | 'î' | 'ï' => plain.push('i'),
            'ò' | 'ó' | 'ô' | 'õ' => plain.push('o'),
            'ù' | 'ú' | 'û' => plain.push('u'),
            'ç' | 'ć' => plain.push('c'),
            'ñ' | 'ń' => plain.push('n'),
            'ł' => plain.push('l'),
            'ś' => plain.push('s'),
            'ź' | 'ż' => plain.push('z'),
            ' ' | '-' | '&' | '+' | '.' if !plain.ends_with('-') && !plain.is_empty() => {
                plain.push('-')
            }
            _ => {}
        }
    }
    plain.trim_end_matches('-').to_owned()
}
