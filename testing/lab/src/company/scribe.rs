//! Writes values into pages and notes where each of them stands: the truth about a site is
//! what its scribe has written, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::firm::{Firm, Line};
use super::ids;
use super::phone::{Number, Spelling};
use super::plan::{Make, Twist};
use super::truth::{Method, PhoneKind, Standing, Veil};
use super::veil::veiled;
use crate::draw::Draw;

/// What a value is. Numbers are places in the lists of the firm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Name,
    LegalName,
    Description,
    Register,
    RegistrationNumber,
    Vat,
    Founded,
    Logo,
    Mailbox(usize),
    Line(usize),
    Place(usize),
    Country(usize),
    Social(usize),
    Person(usize),
    Honorific(usize),
    Title(usize),
    /// The title that stands before the names in an imprint.
    Organ(usize),
    Department(usize),
    /// The page ties it to the person.
    PersonMailbox(usize),
    PersonLine(usize, usize),
    Profile(usize, usize),
    /// What a mailbox is for.
    Purpose(usize),
}

/// All that was written on a site.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) standings: BTreeMap<Key, Vec<Standing>>,
    pub(super) foreign: BTreeSet<String>,
    /// The files that pages link to, by path.
    pub(super) files: BTreeMap<String, String>,
}

/// Writes one page.
#[derive(Debug)]
pub(super) struct Scribe<'a> {
    pub(super) firm: &'a Firm,
    pub(super) path: String,
    pub(super) ledger: &'a mut Ledger,
    pub(super) draw: Draw,
}

impl<'a> Scribe<'a> {
    pub(super) fn new(firm: &'a Firm, path: &str, ledger: &'a mut Ledger) -> Self {
        let draw = Draw::named(firm.plan.seed, path);
        Self { firm, path: path.to_owned(), ledger, draw }
    }

    /// Notes that a value stands here.
    pub(super) fn note(&mut self, key: Key, method: Method, spelling: &str, veil: Option<Veil>) {
        let standing =
            Standing { path: self.path.clone(), method, spelling: spelling.to_owned(), veil };
        let standings = self.ledger.standings.entry(key).or_default();
        if !standings.contains(&standing) {
            standings.push(standing);
        }
    }

    /// The text of a value, noted.
    pub(super) fn say(&mut self, key: Key, text: &str) -> String {
        let written = escape(text);
        self.note(key, Method::Text, &written, None);
        written
    }

    pub(super) fn name(&mut self) -> String {
        let name = self.firm.name.clone();
        self.say(Key::Name, &name)
    }

    pub(super) fn legal_name(&mut self) -> String {
        let legal = self.firm.legal.clone();
        self.say(Key::LegalName, &legal)
    }

    /// A value of somebody else, or of nobody.
    pub(super) fn foreign(&mut self, value: &str) -> String {
        self.ledger.foreign.insert(value.to_owned());
        escape(value)
    }

    /// Somebody else's number, in the spelling of the site.
    pub(super) fn foreign_number(&mut self, number: &Number) -> String {
        let raw = number.spelled(self.spelling(0), "");
        self.ledger.foreign.extend(number.e164());
        self.foreign(&raw)
    }

    /// How this site spells its numbers; a site is not always of one mind.
    pub(super) fn spelling(&self, shift: usize) -> Spelling {
        let spellings = self.firm.plan.land.spellings;
        let at = (self.firm.plan.habit + shift) % spellings.len().max(1);
        spellings.get(at).copied().unwrap_or_default()
    }

    /// A mailbox, hidden as the site hides such.
    pub(super) fn mail(&mut self, number: usize) -> String {
        let Some(mailbox) = self.firm.mailboxes.get(number) else { return String::new() };
        let plan = &self.firm.plan;
        let veil = if mailbox.of.is_some() { plan.veils.1 } else { plan.veils.0 };
        let label = plan.words.labels.email[0].trim_end_matches([':', ' ']);
        let Some(veil) = veil else {
            if plan.is(Twist::PlainText) {
                let value = mailbox.value.clone();
                return self.say(Key::Mailbox(number), &value);
            }
            let written = format!("mailto:{}", mailbox.value);
            self.note(Key::Mailbox(number), Method::Mailto, &written, None);
            let shown = match plan.make {
                Make::Component => label,
                _ => &mailbox.value,
            };
            let subject = if plan.seed % 4 == 3 { "?subject=Web" } else { "" };
            return format!("<a href=\"{written}{subject}\">{shown}</a>");
        };
        let signs = plan.words.signs[(plan.seed as usize) % plan.words.signs.len()];
        let written = veiled(veil, &mailbox.value, signs, label);
        if veil != Veil::Image {
            self.note(Key::Mailbox(number), Method::Deobfuscated, &written, Some(veil));
        }
        written
    }

    /// A line, with a link where the site has such.
    pub(super) fn phone(&mut self, number: usize) -> String {
        let Some(line) = self.firm.lines.get(number) else { return String::new() };
        let plan = &self.firm.plan;
        // Off the pages for contact, and in the lists of people, the spelling is another.
        let shift = usize::from(line.of.is_some() || self.path == "/");
        let raw = escape(&line.number.spelled(self.spelling(shift), plan.words.labels.extension));
        // Editors keep a number from breaking at the end of a line.
        let raw = if plan.seed % 3 == 1 { raw.replace(' ', "&nbsp;") } else { raw };
        let linked = !matches!(plan.make, Make::Tables | Make::Hand) && line.kind != PhoneKind::Fax;
        match line.number.e164().filter(|_| linked) {
            Some(e164) => {
                self.note(Key::Line(number), Method::Tel, &raw, None);
                format!("<a href=\"tel:{e164}\">{raw}</a>")
            }
            None => {
                self.note(Key::Line(number), Method::Text, &raw, None);
                raw
            }
        }
    }

    /// What stands before a line: a word, a letter or a picture, as the site has it.
    pub(super) fn phone_label(&self, line: &Line) -> &'static str {
        let plan = &self.firm.plan;
        let [voice, fax, mobile] = match plan.seed % 5 {
            3 => ["T", "F", "M"],
            4 if plan.make != Make::Component => [
                "<i class='fa fa-phone'></i>",
                "<i class='fa fa-fax'></i>",
                "<i class='fa fa-mobile-alt'></i>",
            ],
            _ => {
                let labels = &plan.words.labels;
                [labels.phone[plan.habit % 3], labels.fax, labels.mobile]
            }
        };
        match line.kind {
            PhoneKind::Voice => voice,
            PhoneKind::Fax => fax,
            PhoneKind::Mobile => mobile,
        }
    }

    /// The lines of an address.
    pub(super) fn address(&mut self, number: usize) -> Vec<String> {
        let Some(place) = self.firm.places.get(number) else { return Vec::new() };
        let plan = &self.firm.plan;
        let mut lines: Vec<String> = place.lines().iter().map(|line| escape(line)).collect();
        if let Some(prefix) = plan.land.postal_prefix().filter(|_| plan.is(Twist::PostalPrefix)) {
            let prefixed = format!("{prefix}-{}", place.postal);
            lines.iter_mut().for_each(|line| *line = line.replace(&place.postal, &prefixed));
            self.note(Key::Country(number), Method::Text, &prefixed, None);
        }
        self.note(Key::Place(number), Method::Text, &lines.join("\n"), None);
        if plan.is(Twist::Country) {
            let country = self.country();
            lines.push(self.say(Key::Country(number), country));
        }
        lines
    }

    /// The country's name as the site's language has it.
    pub(super) fn country(&self) -> &'static str {
        let plan = &self.firm.plan;
        match (plan.land.code, plan.words.tag) {
            ("BE", "fr") => "Belgique",
            _ => plan.land.name,
        }
    }

    /// Label and value of the VAT id and of the register.
    pub(super) fn ids(&mut self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        if let Some(register) = self.firm.ids.register.clone() {
            let number = self.say(Key::RegistrationNumber, &register.number);
            let office = match &register.office {
                Some(office) => self.say(Key::Register, office),
                None => String::new(),
            };
            let text = register.phrase.replace("{number}", &number).replace("{office}", &office);
            rows.push((register.label.to_owned(), text));
        }
        if let Some(vat) = self.firm.ids.vat.clone() {
            let shown = if self.firm.plan.is(Twist::WrongVat) {
                self.foreign(&ids::compact(&vat.shown));
                self.foreign(&vat.shown)
            } else {
                self.say(Key::Vat, &vat.shown)
            };
            rows.push((vat.label.to_owned(), shown));
        }
        for (label, value) in self.firm.ids.others.clone() {
            rows.push((label.to_owned(), escape(&value)));
        }
        rows
    }

    /// A person's name with the honorific.
    pub(super) fn person(&mut self, number: usize) -> String {
        let Some(person) = self.firm.people.get(number) else { return String::new() };
        let plan = &self.firm.plan;
        let name = if plan.is(Twist::Capitals) {
            format!("{} {}", person.first, person.last.to_uppercase())
        } else {
            person.name()
        };
        self.named(number, &name)
    }

    /// The surname first, as in a list.
    pub(super) fn person_by_surname(&mut self, number: usize) -> String {
        let Some(person) = self.firm.people.get(number) else { return String::new() };
        let name = format!("{}, {}", person.last, person.first);
        let written = self.say(Key::Person(number), &name);
        match person.honorific {
            Some(honorific) => {
                format!("{written}, {}", self.say(Key::Honorific(number), honorific))
            }
            None => written,
        }
    }

    /// First name and surname in elements of their own.
    pub(super) fn person_in_parts(&mut self, number: usize) -> String {
        let Some(person) = self.firm.people.get(number) else { return String::new() };
        let (first, last) = (escape(person.first), escape(person.last));
        self.note(Key::Person(number), Method::Text, &format!("{first}\n{last}"), None);
        let honorific = match person.honorific {
            Some(honorific) => {
                let written = self.say(Key::Honorific(number), honorific);
                format!("<span class=\"prefix\">{written}</span> ")
            }
            None => String::new(),
        };
        format!(
            "{honorific}<span class=\"given\">{first}</span>\n<span class=\"family\">{last}</span>"
        )
    }

    fn named(&mut self, number: usize, name: &str) -> String {
        let honorific = self.firm.people.get(number).and_then(|person| person.honorific);
        let written = self.say(Key::Person(number), name);
        match honorific {
            Some(honorific) => format!("{} {written}", self.say(Key::Honorific(number), honorific)),
            None => written,
        }
    }

    /// A person's mailbox, tied to the person.
    pub(super) fn person_mail(&mut self, number: usize) -> Option<String> {
        let mailbox = self.firm.people.get(number)?.mailbox?;
        let written = self.mail(mailbox);
        if self.firm.plan.veils.1 != Some(Veil::Image) {
            self.note(Key::PersonMailbox(number), Method::Text, &written, None);
        }
        Some(written)
    }

    /// A person's lines with their labels, tied to the person.
    pub(super) fn person_phones(&mut self, number: usize) -> Vec<(&'static str, String)> {
        let Some(person) = self.firm.people.get(number) else { return Vec::new() };
        let mut phones = Vec::new();
        for at in person.lines.clone() {
            let Some(line) = self.firm.lines.get(at) else { continue };
            let label = self.phone_label(line);
            let written = self.phone(at);
            self.note(Key::PersonLine(number, at), Method::Text, &written, None);
            phones.push((label, written));
        }
        phones
    }
}

/// Text as HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
