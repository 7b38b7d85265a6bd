//! People in cards, rows, list items and below headings.
//!
//! Each name candidate gets a region of the page: the largest element without another name, or
//! the run of siblings up to the next name. Values in a region belong to one person only. The
//! model decides whether the candidate is a person of the company.

use std::ops::Range;

use contract::{ContactMethod, PhoneType};
use hashbrown::HashMap;

use super::candidate::{LineSegments, NameCandidate, candidates};
use super::evidence::PersonFeature as F;
use super::found_person::{FoundPerson, FoundPhone, TitleRank, add_new};
use super::mailbox::{self, LocalPart, NameIndex, Spellings};
use super::name::GivenNameMatch;
use super::region::{self, PersonRegion};
use super::segment::{LineSegment, SegmentKind};
use super::{context::PeopleContext, job_title, name, profile};
use crate::page_emails::EmailOccurrence;
use crate::page_view::PageView;
use crate::third_party;
use crate::visible_text::Zone;
use html::dom::{Element, NodeId};
use text::vocabulary::TermSet;

/// Maximum phone numbers of a person.
const MAX_PHONES: usize = 6;

/// Maximum names with the same parent that are counted.
const MAX_SIBLINGS: usize = 20;

/// Minimum number of cards in a row.
const MIN_ROW: usize = 3;

/// The people of a page that have a region.
/// `host` is that of the site.
pub(super) fn read(
    page: &PageView<'_, '_>,
    context: &PeopleContext<'_>,
    host: &str,
) -> Vec<FoundPerson> {
    let (segments_by_line, candidates) = candidates(page);
    let regions = region::of(page, &segments_by_line, &candidates);
    let index = NameIndex::new(candidates.iter().map(|one| (one.key.as_str(), &one.name)));
    let mut regions_by_parent: HashMap<NodeId, usize> = HashMap::new();
    for region in &regions {
        *regions_by_parent.entry(region.parent).or_default() += 1;
    }
    let mut people = Vec::new();
    for (at, (candidate, region)) in candidates.iter().zip(&regions).enumerate() {
        // A line of company facts is no card: the lines below belong to the company.
        let is_fact = context.is_fact(candidate.line) && candidate.from > 0;
        if is_fact || context.is_privacy() || context.is_labelled_third_party(candidate.line) {
            continue;
        }
        let card = PersonCard { page, segments_by_line: &segments_by_line, candidate, region };
        if card.is_quoted() && !card.names_company(context) {
            continue;
        }
        let mut person = card.read(context, &index, host);
        let count = regions_by_parent.get(&region.parent).copied().unwrap_or_default();
        person.evidence.set_number(F::Siblings, (count.clamp(1, MAX_SIBLINGS) as f32).ln());
        people.push((at, person));
    }
    assign_titles_by_position(page, &segments_by_line, &candidates, &regions, &mut people);
    compare_rows(page, &candidates, &mut people);
    people.retain(|(_, person)| {
        // A name without a title or a way to reach its bearer is no contact, unless the page
        // presents its team.
        person.title.is_some()
            || !person.emails.is_empty()
            || !person.phones.is_empty()
            || person.represents
            || person.evidence.has(F::TeamHeading)
            || person.evidence.has(F::TeamPath)
    });
    people.into_iter().map(|(_, person)| person).collect()
}

struct PersonCard<'s, 'd, 'a> {
    page: &'s PageView<'d, 'a>,
    segments_by_line: &'s [LineSegments],
    candidate: &'s NameCandidate,
    region: &'s PersonRegion,
}

impl PersonCard<'_, '_, '_> {
    /// The segments of the card: those after the name first, then those before it.
    fn parts(&self) -> impl Iterator<Item = (usize, &LineSegment)> + '_ {
        let own = (self.candidate.line, self.candidate.from);
        let Range { start, end } = self.region.lines;
        let after = self.parts_in(own.0..end).filter(move |(line, part)| (*line, part.from) > own);
        let before = self.parts_in(start..own.0 + 1).rev();
        after.chain(before.filter(move |(line, part)| (*line, part.from) <= own))
    }

    /// The segments of the card in these lines.
    fn parts_in(
        &self,
        lines: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (usize, &LineSegment)> + '_ {
        let all = lines.flat_map(|line| {
            self.segments_by_line.get(line).into_iter().flatten().map(move |part| (line, part))
        });
        all.filter(|(line, part)| {
            self.region.contains(self.page.lines[*line].node_at(part.from), *line, part.from)
        })
    }

    fn text(&self, line: usize, part: &LineSegment) -> &str {
        self.page.lines[line].text.get(part.from..part.to).unwrap_or_default()
    }

    /// Whether the caption of a quotation says that the quoted person works for the company:
    /// "Anna Berg, Head of Sales, Muster".
    fn names_company(&self, context: &PeopleContext<'_>) -> bool {
        let own = &self.page.lines[self.candidate.line];
        let caption = own.text.get(self.candidate.from..).unwrap_or_default();
        caption.len() < 160 && caption.contains(',') && context.names_company(caption)
    }

    /// Whether the card contains a quotation, usually of a customer.
    fn is_quoted(&self) -> bool {
        self.region.lines.clone().any(|line| {
            let line = &self.page.lines[line];
            let inside = self.region.contains(line.first_node(), 0, 0);
            inside && line.zone == Zone::Quote
                || inside
                    && line.text.len() > 30
                    && line.text.starts_with(['"', '“', '„', '«', '»', '‟', '❝'])
        }) || self.page.lines[self.candidate.line].zone == Zone::Quote
    }

    fn read(&self, context: &PeopleContext<'_>, index: &NameIndex<'_>, host: &str) -> FoundPerson {
        let mut person = FoundPerson::new(self.candidate.name.clone(), ContactMethod::Text);
        let mut distance = 0;
        for (line, part) in self.parts().take(60) {
            let text = self.text(line, part);
            distance += 1;
            match &part.kind {
                SegmentKind::Title(role) if person.title.is_none() && distance <= 8 => {
                    person.set_title(TitleRank::Own, text);
                    person.represents |= role.represents;
                    let own = (self.candidate.line, self.candidate.from);
                    person.evidence.set_if(F::TitleNear, distance <= 2);
                    person.evidence.set_if(F::TitleInLine, line == own.0);
                    person.evidence.set_if(F::TitleBefore, (line, part.from) < own);
                }
                SegmentKind::Department
                    if person.department.is_none()
                        && distance <= 10
                        && !job_title::department::is_management(text) =>
                {
                    person.department = job_title::department::named(text).map(str::to_owned);
                }
                _ => {}
            }
        }
        self.apply_markup(&mut person);
        self.collect_channels(&mut person, index);
        self.apply_heading(&mut person);
        let evidence = &mut person.evidence;
        context.describe(self.page, self.candidate.line, self.candidate.from, evidence);
        evidence.set_if(F::Picture, self.region.has_picture);
        evidence.set_if(F::IsRun, self.region.is_run);
        evidence.set_if(F::Quoted, self.is_quoted());
        evidence.set_if(F::CaptionNamesCompany, self.names_company(context));
        // A row of a table is one line with a cell per value.
        let is_row = self.page.dom.is(self.region.from, Element::Tr);
        let lines = if is_row { 1 } else { self.region.lines.len().max(1) };
        evidence.set_number(F::CardLines, (lines as f32).ln());
        self.describe_links(host, &mut person);
        person
    }

    /// Sets what the links of the card say: other sites, and pages about the person.
    fn describe_links(&self, host: &str, person: &mut FoundPerson) {
        static AUTHOR_PATHS: TermSet = word_set!("people/author_paths.txt");
        static MEMBER_PATHS: TermSet = word_set!("people/member_paths.txt");
        // The link may be around the card.
        let dom = self.page.dom;
        let above = dom.ancestors(self.region.from).take(4).find(|node| dom.is(*node, Element::A));
        let from = above.unwrap_or(self.region.from);
        let first = self.page.links.partition_point(|link| link.node < from);
        let inside =
            self.page.links.iter().skip(first).take_while(|link| link.node < self.region.to);
        for link in inside.take(20) {
            if third_party::is_other_site(&link.href, host) {
                person.evidence.set(F::LinksElsewhere);
                continue;
            }
            if profile::of(&link.href).is_some() || link.href.starts_with("mailto:") {
                continue;
            }
            let path = link.href.split_once("://").map_or(link.href.as_str(), |(_, rest)| rest);
            let path = path.get(path.find('/').unwrap_or(path.len())..).unwrap_or_default();
            let path = name::fold(path.get(..path.floor_char_boundary(200)).unwrap_or_default());
            for part in path.split(|c: char| !c.is_alphanumeric()).take(12) {
                person.evidence.set_if(F::AuthorPage, AUTHOR_PATHS.contains(part));
                person.evidence.set_if(F::MemberPage, MEMBER_PATHS.contains(part));
            }
        }
    }

    /// Applies the heading above a card: it names a department or a board.
    fn apply_heading(&self, person: &mut FoundPerson) {
        // A heading that is itself a name does not describe the card.
        let over = self.term_before().into_iter();
        let over = over.chain(self.page.headings(self.candidate.line).take(3));
        let over = over.chain(self.heading_before());
        let mut over = over.filter(|over| name::parse(over).is_none() && over.len() < 60);
        let Some(over) = over.next() else { return };
        let is_board =
            job_title::label::meaning(over) == Some(job_title::label::LabelMeaning::Represents);
        if !job_title::department::is_management(over)
            && !is_board
            && person.department.is_none()
            && let Some(name) = job_title::department::named(over)
        {
            person.department = Some(name.to_owned());
        }
        static AMBIGUOUS_BOARDS: TermSet = phrase_set!("people/ambiguous_boards.txt");
        if is_board && !AMBIGUOUS_BOARDS.contains(job_title::folded_words(over).join(" ").as_str())
        {
            let title = person.title.as_ref().and_then(|(_, title)| job_title::parse(title));
            person.represents |= title.is_none_or(|title| {
                title.represents || title.seniority == contract::Seniority::Executive
            });
            if person.title.is_none()
                && let Some(title) = job_title::label::title(over)
            {
                person.set_title(TitleRank::Board, &title);
            }
        }
    }

    /// The term of a definition list beside the name: "Vente" before "Olivier Delacroix".
    fn term_before(&self) -> Option<&str> {
        let lines = &self.page.lines;
        let before = lines.get(self.candidate.line.checked_sub(1)?)?;
        let is_term = self.page.dom.is(before.node, Element::Dt)
            && self.page.are_beside(before, &lines[self.candidate.line]);
        is_term.then_some(before.text.as_str())
    }

    /// The nearest heading before the name within a common parent.
    fn heading_before(&self) -> Option<&str> {
        use Element::{H1, H2, H3, H4, H5, H6};
        let dom = self.page.dom;
        let before = (0..self.candidate.line).rev().take(40);
        let heading = before.map(|at| &self.page.lines[at]).find(|line| {
            dom.element(line.node).is_some_and(|is| [H1, H2, H3, H4, H5, H6].contains(&is))
                && name::parse(&line.text).is_none()
        })?;
        let above = dom.parent(heading.node)?;
        (self.candidate.node < dom.end(above)).then_some(heading.text.as_str())
    }

    /// Applies column headings and classes that mark titles and departments.
    fn apply_markup(&self, person: &mut FoundPerson) {
        for (line, part) in self.parts().take(40) {
            if !matches!(part.kind, SegmentKind::Plain | SegmentKind::Department) {
                continue;
            }
            let text = self.text(line, part);
            if text.len() > 80
                || text.contains('@')
                || text.bytes().filter(u8::is_ascii_digit).count() > 3
            {
                continue;
            }
            let node = self.page.lines[line].node_at(part.from);
            match region::column_or_class(self.page, node, self.region.from) {
                Some((region::ColumnHint::Title, sure))
                    if person.title.is_none() && part.kind == SegmentKind::Plain =>
                {
                    person.set_title(TitleRank::Own, text);
                    person.evidence.set_if(F::TitleByColumn, sure);
                    person.evidence.set_if(F::TitleNear, sure);
                }
                Some((region::ColumnHint::Department, _)) if person.department.is_none() => {
                    person.department = Some(text.trim_matches([',', ' ']).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Adds the mailboxes, phone numbers and profiles of the card.
    fn collect_channels(&self, person: &mut FoundPerson, index: &NameIndex<'_>) {
        let is_inside =
            |mail: &&EmailOccurrence| self.region.contains(mail.node, mail.line, mail.at);
        let mails: Vec<_> = self.page.mails.iter().filter(is_inside).collect();
        let spellings = Spellings::of(&person.name);
        for mail in &mails {
            let local = LocalPart::of(&mail.value);
            let mailbox_match = spellings.mailbox_match(&local);
            let others = index.has_better(&local, &self.candidate.key, mailbox_match);
            let is_role = mailbox::is_function(&mail.value);
            let mut same = self.page.mails.iter().filter(|other| other.value == mail.value);
            let once = same.all(|other| is_inside(&other));
            // A mailbox of a function belongs to a person only if it is the only mailbox of that
            // person's card.
            let tied = mailbox_match > mailbox::MailboxMatch::None
                || (!others && !is_role)
                || (is_role
                    && mails.len() == 1
                    && once
                    && !self.region.is_run
                    && self.region.has_siblings);
            if !tied || others || person.emails.contains(&mail.value) {
                continue;
            }
            person.emails.push(mail.value.clone());
        }
        let phones = self.page.phones.iter().filter(|phone| {
            phone.kind != PhoneType::Fax && self.region.contains(phone.node, phone.line, phone.at)
        });
        // A page may list thousands of phone numbers in one region.
        for phone in phones.map(FoundPhone::of) {
            if person.phones.len() == MAX_PHONES {
                break;
            }
            add_new(&mut person.phones, [phone]);
        }
        for link in self.page.links.iter().filter(|link| self.region.contains_node(link.node)) {
            if let Some(profile) = profile::of(&link.href)
                && !person.profiles.contains(&profile)
                && person.profiles.len() < 8
            {
                person.profiles.push(profile);
            }
        }
    }
}

/// Sets the features of cards that have the same markup as others.
fn compare_rows(
    page: &PageView<'_, '_>,
    candidates: &[NameCandidate],
    people: &mut [(usize, FoundPerson)],
) {
    #[derive(Default)]
    struct Row {
        cards: usize,
        known: usize,
    }
    let mut rows: HashMap<String, Row> = HashMap::new();
    let keys: Vec<String> =
        people.iter().map(|(at, _)| markup_key(page, candidates[*at].node)).collect();
    for ((_, person), key) in people.iter().zip(&keys) {
        let row = rows.entry_ref(key.as_str()).or_default();
        row.cards += 1;
        let is_known = person.name.given_name_match > GivenNameMatch::Unknown;
        row.known += usize::from(is_known && person.title.is_some());
    }
    for ((_, person), key) in people.iter_mut().zip(&keys) {
        let Some(row) = rows.get(key.as_str()).filter(|row| row.cards >= MIN_ROW) else { continue };
        let is_unknown = person.name.given_name_match != GivenNameMatch::Known;
        let is_like_others = is_unknown && person.title.is_some() && 3 * row.known > row.cards;
        person.evidence.set_if(F::GivenNameByRow, is_like_others);
    }
}

/// Names and classes of the elements around a name.
fn markup_key(page: &PageView<'_, '_>, node: NodeId) -> String {
    let mut key = String::new();
    for above in page.dom.ancestors(node).take(4) {
        let class = page.dom.raw_attribute(above, "class").unwrap_or_default();
        let class = class.split_ascii_whitespace().next().unwrap_or_default();
        let class = class.get(..class.floor_char_boundary(40)).unwrap_or_default();
        if let Some(element) = page.dom.element(above) {
            key.push_str(&format!("{element:?}.{class} "));
        }
    }
    key
}

/// Cards in a row have the same structure: if many have a title right after the name, the text
/// at this position is the title in the others too.
fn assign_titles_by_position(
    page: &PageView<'_, '_>,
    segments_by_line: &[LineSegments],
    candidates: &[NameCandidate],
    regions: &[PersonRegion],
    people: &mut [(usize, FoundPerson)],
) {
    let next_part = |at: usize| -> Option<(usize, &LineSegment)> {
        let (candidate, region) = (&candidates[at], &regions[at]);
        let lines = candidate.line..region.lines.end.min(candidate.line + 3);
        lines
            .flat_map(|line| {
                segments_by_line.get(line).into_iter().flatten().map(move |part| (line, part))
            })
            .find(|(line, part)| (*line, part.from) > (candidate.line, candidate.from))
            .filter(|(line, part)| {
                region.contains(page.lines[*line].node_at(part.from), *line, part.from)
            })
    };
    let titled_next: Vec<bool> = people
        .iter()
        .map(|(at, _)| {
            next_part(*at).is_some_and(|(_, part)| matches!(part.kind, SegmentKind::Title(_)))
        })
        .collect();
    for number in 0..people.len() {
        let at = people[number].0;
        if people[number].1.title.is_some() || regions[at].is_run && !regions[at].has_siblings {
            continue;
        }
        let siblings = people
            .iter()
            .zip(&titled_next)
            .filter(|((other, _), _)| regions[*other].parent == regions[at].parent && *other != at);
        let (mut with, mut all) = (0, 0);
        for (_, titled) in siblings {
            all += 1;
            with += usize::from(*titled);
        }
        if with == 0 || with * 3 < all {
            continue;
        }
        let Some((line, part)) = next_part(at) else { continue };
        let text = page.lines[line].text.get(part.from..part.to).unwrap_or_default();
        let fits = text.len() < 70
            && !text.contains('@')
            && text.split_whitespace().count() <= 8
            && text.bytes().filter(u8::is_ascii_digit).count() < 3
            && !text.ends_with(['.', '!', '?', ':'])
            && matches!(part.kind, SegmentKind::Plain)
            && !job_title::is_sentence(text)
            && !text.split_whitespace().next().is_some_and(name::never_in_names)
            && !page
                .dom
                .ancestors(page.lines[line].node_at(part.from))
                .take(3)
                .any(|node| page.dom.is(node, Element::A));
        if fits {
            let person = &mut people[number].1;
            person.set_title(TitleRank::Own, text);
            person.evidence.set(F::TitleByPosition);
        }
    }
}
