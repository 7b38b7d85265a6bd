//! Directories: lists whose entries show the contact data of other companies.
//!
//! The entry of a phone number is the largest element without another number. If several
//! entries link to different other sites, the page lists other companies, and the values of
//! these entries and of those beside them belong to the listed companies.

use std::ops::Range;

use hashbrown::HashSet;

use crate::host_label::main_label;
use crate::page_view::PageView;
use crate::{email, social};
use html::dom::{Element, NodeId};
use text::vocabulary::TermSet;

/// Minimum entries of a directory that link to other sites.
const MIN_ENTRIES: usize = 3;

/// Maximum ancestors of a number that are searched for its entry.
const MAX_HEIGHT: usize = 12;

/// Maximum links of an entry that are read.
const MAX_LINKS: usize = 40;

/// An element with one phone number.
struct DirectoryEntry {
    node: NodeId,
    parent: NodeId,
    /// The other site that it links to: host, or the whole URL of a sponsored link.
    target: Option<String>,
}

pub(super) fn lines(page: &PageView<'_, '_>, host: &str) -> Vec<Range<usize>> {
    let entries = entries(page, host);
    let targets: HashSet<&str> =
        entries.iter().filter_map(|entry| entry.target.as_deref()).collect();
    if targets.len() < MIN_ENTRIES {
        return Vec::new();
    }
    let listed: HashSet<NodeId> =
        entries.iter().filter(|entry| entry.target.is_some()).map(|entry| entry.parent).collect();
    let foreign =
        entries.iter().filter(|entry| entry.target.is_some() || listed.contains(&entry.parent));
    foreign.map(|entry| page.lines_in(entry.node)).collect()
}

fn entries(page: &PageView<'_, '_>, host: &str) -> Vec<DirectoryEntry> {
    let dom = page.dom;
    let is_main = |line: usize| page.lines.get(line).is_some_and(|line| !line.zone.is_frame());
    let key = |raw: &str| -> String {
        let digits: Vec<char> = raw.chars().filter(char::is_ascii_digit).collect();
        digits[digits.len().saturating_sub(7)..].iter().collect()
    };
    let mut phones: Vec<(NodeId, String)> = page
        .phones
        .iter()
        .filter(|phone| is_main(phone.line))
        .map(|phone| (phone.node, key(phone.dialled.as_deref().unwrap_or(&phone.raw))))
        .collect();
    phones.sort_by_key(|(node, _)| *node);
    let mut found = Vec::new();
    for (at, (node, number)) in phones.iter().enumerate() {
        let differs = |other: &&(NodeId, String)| other.1 != *number;
        let before = phones[..at].iter().rev().take(20).find(differs);
        let after = phones[at + 1..].iter().take(20).find(differs);
        let is_own = |id: &NodeId| {
            let end = dom.end(*id);
            before.is_none_or(|(other, _)| other < id)
                && after.is_none_or(|(other, _)| *other >= end)
                && !matches!(dom.element(*id), Some(Element::Body | Element::Html | Element::Main))
        };
        let above = dom.self_and_ancestors(*node).take(MAX_HEIGHT);
        let Some(entry) = above.take_while(is_own).last() else { continue };
        let Some(parent) = dom.parent(entry) else { continue };
        found.push(DirectoryEntry { node: entry, parent, target: target(page, entry, host) });
    }
    found
}

/// The other site that an entry links to.
fn target(page: &PageView<'_, '_>, entry: NodeId, host: &str) -> Option<String> {
    let dom = page.dom;
    let (start, end) = (entry, dom.end(entry));
    let from = page.links.partition_point(|link| link.node < start);
    let inside = page.links.iter().skip(from).take_while(|link| link.node < end).take(MAX_LINKS);
    inside.into_iter().find_map(|link| {
        let site = other_site(&link.href, host)?;
        let rel = dom.raw_attribute(link.node, "rel").unwrap_or_default();
        let is_sponsored = rel.contains("sponsored") || rel.contains("nofollow");
        Some(if is_sponsored { link.href.clone() } else { site })
    })
}

/// The host of a link, if it is another site and no common service or social network.
fn other_site(href: &str, host: &str) -> Option<String> {
    static SERVICES: TermSet = word_set!("third_party/linked_services.txt");
    let rest = href.split_once("://")?.1;
    let site = rest.split(['/', '?', '#', ':']).next()?.to_ascii_lowercase();
    let site = site.strip_prefix("www.").unwrap_or(&site).to_owned();
    let is_ours = email::is_own_domain(&site, host)
        || main_label(&site) == main_label(host)
        || social::profile(href).is_some()
        || SERVICES.iter().any(|known| site.contains(known));
    (!is_ours).then_some(site)
}

/// Whether a link leads to another site that is no common service or social network.
pub(crate) fn is_other_site(href: &str, host: &str) -> bool {
    other_site(href, host).is_some()
}
