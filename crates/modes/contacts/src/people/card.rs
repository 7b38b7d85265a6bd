//! People in frames: cards, rows, list items, headings with what stands below them.
//!
//! Every name that may be a person's gets the part of the page that is its own: the largest
//! element that holds no other name, or the run of siblings up to the next one. What stands
//! in it belongs to the person, and never to two. How much speaks for a person is summed up.

use contract::ContactMethod;

use super::found::{FoundPerson, FoundPhone, TitleRank};
use super::mailbox::{self, LocalPart, NameIndex, Spellings};
use super::name::{Acquaintance, PersonName, fold};
use super::segment::{Kind, Segment, segments};
use super::territory::{self, Territory};
use super::{context::Context, name, profile, role};
use crate::address;
use crate::sheet::{Sheet, Zone};
use crate::vocabulary::TermSet;
use contract::PhoneType;
use html::dom::{Element, NodeId};

/// How much must speak for a person.
const ENOUGH: f64 = 0.74;

/// How many cards side by side are a row of them.
const A_ROW: usize = 3;

/// How many names of a page are looked at.
const MAX_NAMES: usize = 1_500;

/// A name that may be a person's, in its place.
#[derive(Debug)]
pub(super) struct Candidate {
    pub line: usize,
    pub from: usize,
    pub node: NodeId,
    pub name: PersonName,
    /// Another name than that of its neighbours.
    pub key: String,
}

/// A line with its parts.
pub(super) type Cut = Vec<Segment>;

/// The names of a page with the parts of all lines.
pub(super) fn candidates(sheet: &Sheet<'_, '_>) -> (Vec<Cut>, Vec<Candidate>) {
    let mut cuts = Vec::with_capacity(sheet.lines.len());
    let mut found = Vec::new();
    for (number, line) in sheet.lines.iter().enumerate() {
        let read =
            !matches!(line.zone, Zone::Form | Zone::Notice | Zone::Nav) && found.len() < MAX_NAMES;
        let cut = if read { segments(line) } else { Vec::new() };
        for segment in &cut {
            if let Kind::Name(name) = &segment.kind
                && !is_in_address(&line.text, segment.from, &name.name)
            {
                let key = fold(&name.name);
                found.push(Candidate {
                    line: number,
                    from: segment.from,
                    node: line.node_at(segment.from),
                    name: name.clone(),
                    key,
                });
            }
        }
        cuts.push(cut);
    }
    (cuts, found)
}

/// Whether what looks like a name is a quarter or a town: "…, 124 - Bela Vista, São Paulo".
fn is_in_address(text: &str, from: usize, name: &str) -> bool {
    from > 0
        && text.bytes().filter(u8::is_ascii_digit).count() >= 4
        && address::of_text(text)
            .iter()
            .any(|address| address.raw.split(", ").skip(1).any(|part| part == name))
}

/// The people of a page that stand in frames.
pub(super) fn read(sheet: &Sheet<'_, '_>, context: &Context<'_>) -> Vec<FoundPerson> {
    let (cuts, candidates) = candidates(sheet);
    let territories = territory::of(sheet, &cuts, &candidates);
    let index = NameIndex::new(candidates.iter().map(|one| (one.key.as_str(), &one.name)));
    let mut people = Vec::new();
    for (at, (candidate, territory)) in candidates.iter().zip(&territories).enumerate() {
        // A row of facts is no card: what stands below it is the company's.
        let is_fact = context.is_fact(candidate.line) && candidate.from > 0;
        if is_fact || context.is_foreign(sheet, candidate.line, candidate.from, candidate.node) {
            continue;
        }
        let card = Card { sheet, cuts: &cuts, candidate, territory };
        if card.is_quoted() {
            continue;
        }
        if let Some(person) = card.judged(context, &index, &territories) {
            people.push((at, person));
        }
    }
    give_titles_by_place(sheet, &cuts, &candidates, &territories, &mut people);
    trust_cards_of_a_row(&candidates, &territories, &mut people);
    people.retain(|(_, person)| person.strength >= ENOUGH);
    people
        .into_iter()
        .map(|(_, person)| FoundPerson { strength: person.strength.min(0.97), ..person })
        .collect()
}

struct Card<'s, 'd, 'a> {
    sheet: &'s Sheet<'d, 'a>,
    cuts: &'s [Cut],
    candidate: &'s Candidate,
    territory: &'s Territory,
}

impl Card<'_, '_, '_> {
    /// The parts of the card, those behind the name first, then those before it.
    fn parts(&self) -> impl Iterator<Item = (usize, &Segment)> + '_ {
        let own = (self.candidate.line, self.candidate.from);
        let lines = self.territory.lines.clone();
        let all = lines.flat_map(|line| {
            self.cuts.get(line).into_iter().flatten().map(move |part| (line, part))
        });
        let inside = all.filter(|(line, part)| {
            self.territory.holds(self.sheet.lines[*line].node_at(part.from), *line, part.from)
        });
        let (behind, before): (Vec<_>, Vec<_>) =
            inside.partition(|(line, part)| (*line, part.from) > own);
        behind.into_iter().chain(before.into_iter().rev())
    }

    fn text(&self, line: usize, part: &Segment) -> &str {
        self.sheet.lines[line].text.get(part.from..part.to).unwrap_or_default()
    }

    /// Somebody is quoted here: a customer, mostly.
    fn is_quoted(&self) -> bool {
        self.territory.lines.clone().any(|line| {
            let line = &self.sheet.lines[line];
            let inside = self.territory.holds(line.first_node(), 0, 0);
            inside && line.zone == Zone::Quote
                || inside
                    && line.text.len() > 30
                    && line.text.starts_with(['"', '“', '„', '«', '»', '‟', '❝'])
        }) || self.sheet.lines[self.candidate.line].zone == Zone::Quote
    }

    fn judged(
        &self,
        context: &Context<'_>,
        index: &NameIndex<'_>,
        territories: &[Territory],
    ) -> Option<FoundPerson> {
        let mut score = match self.candidate.name.acquaintance {
            Acquaintance::Known => 0.5,
            Acquaintance::Unsure => 0.3,
            Acquaintance::Unknown => 0.0,
        };
        let mut person = FoundPerson::new(self.candidate.name.clone(), 0.0, ContactMethod::Text);
        let mut distance = 0;
        for (line, part) in self.parts().take(60) {
            let text = self.text(line, part);
            distance += 1;
            match &part.kind {
                Kind::Role(role) if person.title.is_none() && distance <= 8 => {
                    if context.is_elsewhere(text) {
                        return None;
                    }
                    person.entitle(TitleRank::Own, text);
                    person.represents |= role.represents;
                    score += 0.4;
                }
                Kind::Department
                    if person.department.is_none()
                        && distance <= 10
                        && !role::department::is_top(text) =>
                {
                    person.department = role::department::named(text).map(str::to_owned);
                }
                _ => {}
            }
        }
        self.by_markup(&mut person, &mut score);
        self.reach(&mut person, &mut score, index);
        let line = &self.sheet.lines[self.candidate.line];
        if self.candidate.name.honorific.is_some() {
            score += 0.15;
        }
        if self.territory.has_picture {
            score += 0.1;
        }
        if territories.iter().filter(|other| other.parent == self.territory.parent).count() > 1 {
            score += 0.1;
        }
        if context.is_team(self.sheet, self.candidate.line) {
            score += 0.16;
        }
        self.under_heading(&mut person);
        // A bare name in a page's frame is a link or a slogan.
        if matches!(line.zone, Zone::Footer | Zone::Header | Zone::Nav) {
            score -= 0.3;
        }
        person.strength = score;
        Some(person)
    }

    /// What the heading over a card says: the department, or the organ.
    fn under_heading(&self, person: &mut FoundPerson) {
        // A name that stands over others is no heading of theirs.
        let over = self.term_before().into_iter();
        let over = over.chain(self.sheet.headings(self.candidate.line).take(3));
        let over = over.chain(self.heading_before());
        let mut over = over.filter(|over| name::parse(over).is_none() && over.len() < 60);
        let Some(over) = over.next() else { return };
        let is_organ = role::organ::sense(over) == Some(role::organ::Sense::Represents);
        if !role::department::is_top(over)
            && !is_organ
            && person.department.is_none()
            && let Some(name) = role::department::named(over)
        {
            person.department = Some(name.to_owned());
        }
        static AMBIGUOUS_BOARDS: TermSet = phrase_set!("people/ambiguous_boards.txt");
        if is_organ && !AMBIGUOUS_BOARDS.contains(role::folded_words(over).join(" ").as_str()) {
            let title = person.title.as_ref().and_then(|(_, title)| role::read(title));
            person.represents |= title.is_none_or(|title| {
                title.represents || title.seniority == contract::Seniority::Executive
            });
            if person.title.is_none()
                && let Some(title) = role::organ::title(over)
            {
                person.entitle(TitleRank::Organ, &title);
            }
        }
    }

    /// The term that the name stands beside: "Vente" before "Olivier Delacroix".
    fn term_before(&self) -> Option<&str> {
        let lines = &self.sheet.lines;
        let before = lines.get(self.candidate.line.checked_sub(1)?)?;
        let is_term = self.sheet.dom.is(before.node, Element::Dt)
            && self.sheet.are_beside(before, &lines[self.candidate.line]);
        is_term.then_some(before.text.as_str())
    }

    /// The nearest heading before the name whose parent holds it as well.
    fn heading_before(&self) -> Option<&str> {
        use Element::{H1, H2, H3, H4, H5, H6};
        let dom = self.sheet.dom;
        let before = (0..self.candidate.line).rev().take(40);
        let heading = before.map(|at| &self.sheet.lines[at]).find(|line| {
            dom.element(line.node).is_some_and(|is| [H1, H2, H3, H4, H5, H6].contains(&is))
                && name::parse(&line.text).is_none()
        })?;
        let above = dom.parent(heading.node)?;
        (self.candidate.node < dom.end(above)).then_some(heading.text.as_str())
    }

    /// What columns and classes say that words do not.
    fn by_markup(&self, person: &mut FoundPerson, score: &mut f64) {
        for (line, part) in self.parts().take(40) {
            if !matches!(part.kind, Kind::Plain | Kind::Department) {
                continue;
            }
            let text = self.text(line, part);
            if text.len() > 80
                || text.contains('@')
                || text.bytes().filter(u8::is_ascii_digit).count() > 3
            {
                continue;
            }
            let node = self.sheet.lines[line].node_at(part.from);
            match territory::column_or_class(self.sheet, node, self.territory.from) {
                Some((territory::Hint::Title, sure))
                    if person.title.is_none() && part.kind == Kind::Plain =>
                {
                    person.entitle(TitleRank::Own, text);
                    *score += if sure { 0.35 } else { 0.2 };
                }
                Some((territory::Hint::Department, _)) if person.department.is_none() => {
                    person.department = Some(text.trim_matches([',', ' ']).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Mailboxes, numbers and profiles of the card.
    fn reach(&self, person: &mut FoundPerson, score: &mut f64, index: &NameIndex<'_>) {
        let mails: Vec<_> = self
            .sheet
            .mails
            .iter()
            .filter(|mail| self.territory.holds(mail.node, mail.line, mail.at))
            .collect();
        let spellings = Spellings::of(&person.name);
        for mail in &mails {
            let local = LocalPart::of(&mail.value);
            let likeness = spellings.likeness(&local);
            let others = index.has_better(&local, &self.candidate.key, likeness);
            let is_role = mailbox::is_function(&mail.value);
            let once = self
                .sheet
                .mails
                .iter()
                .filter(|other| other.value == mail.value)
                .all(|other| self.territory.holds(other.node, other.line, other.at));
            // A mailbox of the house is a person's only in a card of its own that it is alone in.
            let tied = likeness > mailbox::Likeness::None
                || (!others && !is_role)
                || (is_role
                    && mails.len() == 1
                    && once
                    && !self.territory.is_run
                    && self.territory.has_siblings);
            if !tied || others || person.emails.contains(&mail.value) {
                continue;
            }
            person.emails.push(mail.value.clone());
            *score += if likeness > mailbox::Likeness::None { 0.4 } else { 0.12 };
        }
        for phone in self
            .sheet
            .phones
            .iter()
            .filter(|phone| self.territory.holds(phone.node, phone.line, phone.at))
        {
            if phone.kind == PhoneType::Fax {
                continue;
            }
            let one = FoundPhone { raw: phone.raw.clone(), dialled: phone.dialled.clone() };
            if !person.phones.contains(&one) && person.phones.len() < 6 {
                person.phones.push(one);
            }
        }
        if !person.phones.is_empty() {
            *score += 0.1;
        }
        for link in self.sheet.links.iter().filter(|link| self.territory.contains_node(link.node)) {
            if let Some(profile) = profile::of(&link.href)
                && !person.profiles.contains(&profile)
                && person.profiles.len() < 8
            {
                if profile::is_surely_personal(&profile) {
                    *score += 0.2;
                }
                person.profiles.push(profile);
            }
        }
    }
}

/// Given names that no list has: among cards with titles, one of which is surely a person's,
/// the others are people's too.
fn trust_cards_of_a_row(
    candidates: &[Candidate],
    territories: &[Territory],
    people: &mut [(usize, FoundPerson)],
) {
    let titled: Vec<(NodeId, bool)> = people
        .iter()
        .filter(|(at, person)| !territories[*at].is_run && person.title.is_some())
        .map(|(at, person)| {
            let is_known = candidates[*at].name.acquaintance == Acquaintance::Known;
            (territories[*at].parent, is_known && person.strength >= ENOUGH)
        })
        .collect();
    for (at, person) in people {
        let is_card = !territories[*at].is_run && person.title.is_some();
        let row = || titled.iter().filter(|(parent, _)| *parent == territories[*at].parent);
        if is_card && row().count() >= A_ROW && row().any(|(_, is_sure)| *is_sure) {
            person.strength += 0.25;
        }
    }
}

/// Cards of one row are made alike: where most have a title right behind the name, the rest
/// have theirs there too, whatever its words.
fn give_titles_by_place(
    sheet: &Sheet<'_, '_>,
    cuts: &[Cut],
    candidates: &[Candidate],
    territories: &[Territory],
    people: &mut [(usize, FoundPerson)],
) {
    let next_part = |at: usize| -> Option<(usize, &Segment)> {
        let (candidate, territory) = (&candidates[at], &territories[at]);
        let lines = candidate.line..territory.lines.end.min(candidate.line + 3);
        lines
            .flat_map(|line| cuts.get(line).into_iter().flatten().map(move |part| (line, part)))
            .find(|(line, part)| (*line, part.from) > (candidate.line, candidate.from))
            .filter(|(line, part)| {
                territory.holds(sheet.lines[*line].node_at(part.from), *line, part.from)
            })
    };
    let titled_next: Vec<bool> = people
        .iter()
        .map(|(at, _)| next_part(*at).is_some_and(|(_, part)| matches!(part.kind, Kind::Role(_))))
        .collect();
    for number in 0..people.len() {
        let at = people[number].0;
        if people[number].1.title.is_some()
            || territories[at].is_run && !territories[at].has_siblings
        {
            continue;
        }
        let siblings = people.iter().zip(&titled_next).filter(|((other, _), _)| {
            territories[*other].parent == territories[at].parent && *other != at
        });
        let (mut with, mut all) = (0, 0);
        for (_, titled) in siblings {
            all += 1;
            with += usize::from(*titled);
        }
        if with == 0 || with * 3 < all {
            continue;
        }
        let Some((line, part)) = next_part(at) else { continue };
        let text = sheet.lines[line].text.get(part.from..part.to).unwrap_or_default();
        let fits = text.len() < 70
            && !text.contains('@')
            && text.split_whitespace().count() <= 8
            && text.bytes().filter(u8::is_ascii_digit).count() < 3
            && !text.ends_with(['.', '!', '?', ':'])
            && matches!(part.kind, Kind::Plain)
            && !text.split_whitespace().next().is_some_and(name::never_in_names)
            && !sheet
                .dom
                .ancestors(sheet.lines[line].node_at(part.from))
                .take(3)
                .any(|node| sheet.dom.is(node, Element::A));
        if fits {
            let person = &mut people[number].1;
            person.entitle(TitleRank::Own, text);
            person.strength += 0.25;
        }
    }
}
