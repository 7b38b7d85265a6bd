//! The query of a URL: removes tracking and session parameters, and sorts the others by name.
//!
//! Parameters of one name keep their order, since a server may read a list from them; the order of
//! different names has no meaning.

use text::vocabulary::TermList;
use text::word_list;

use crate::percent::{QUERY, push_normalised};
use crate::session;

/// Tracking parameters, which never change the content.
static TRACKING: TermList = word_list!("tracking_parameters.txt");

const TRACKING_PREFIXES: &[&str] = &["utm_", "mtm_"];

fn is_session(member: &str) -> bool {
    member.split_once('=').is_some_and(|(name, value)| session::is_session(name, value))
}

fn name(member: &str) -> &str {
    member.split_once('=').map_or(member, |(name, _)| name)
}

fn is_tracking(name: &str) -> bool {
    TRACKING.iter().any(|known| known.eq_ignore_ascii_case(name))
        || TRACKING_PREFIXES.iter().any(|prefix| {
            name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        })
}

/// Appends `?` and the canonical query, or nothing if no parameter is left.
pub(super) fn push(text: &mut String, query: &str) {
    let spelled = spelled(query);
    let mut members: Vec<&str> = members(&spelled).collect();
    members.sort_by_key(|member| name(member));
    push_members(text, members);
}

/// Appends the same parameters in the order in which they are written.
pub(super) fn push_in_order(text: &mut String, query: &str) {
    push_members(text, members(&spelled(query)));
}

fn spelled(query: &str) -> String {
    let mut spelled = String::with_capacity(query.len());
    push_normalised(&mut spelled, query.as_bytes(), QUERY);
    spelled
}

/// The parameters without those for tracking and sessions.
fn members(spelled: &str) -> impl Iterator<Item = &str> {
    let kept =
        |member: &&str| !member.is_empty() && !is_tracking(name(member)) && !is_session(member);
    spelled.split('&').filter(kept)
}

fn push_members<'m>(text: &mut String, members: impl IntoIterator<Item = &'m str>) {
    let mut separator = '?';
    for member in members {
        text.push(separator);
        text.push_str(member);
        separator = '&';
    }
}
