//! The challenge pages of the lab are detected with their markers.

use std::collections::BTreeSet;

use lab::{ProtectedSite, ProtectionPage, Reply, Site};
use page::{ProtectionMarker, Vendor};

use super::Answer;

fn answer(challenge: &'static ProtectionPage) -> Answer<'static> {
    Answer { status: challenge.status, headers: challenge.headers, body: challenge.body }
}

#[test]
fn every_lab_challenge_is_detected() {
    for challenge in ProtectionPage::all() {
        assert_eq!(
            answer(challenge).marker().as_deref(),
            Some(challenge.marker),
            "{}",
            challenge.name
        );
    }
}

#[test]
fn challenge_read_as_a_page_is_detected() {
    let json = |challenge: &&ProtectionPage| challenge.body.starts_with('{');
    for challenge in ProtectionPage::all().iter().filter(|challenge| !json(challenge)) {
        assert_eq!(
            answer(challenge).marker_of_page().as_deref(),
            Some(challenge.marker),
            "{}",
            challenge.name
        );
    }
}

#[test]
fn every_vendor_has_a_lab_challenge() {
    let marker = |challenge: &ProtectionPage| {
        challenge.marker.parse::<ProtectionMarker>().expect("a marker")
    };
    let vendors: BTreeSet<Vendor> =
        ProtectionPage::all().iter().map(|challenge| marker(challenge).vendor).collect();
    assert_eq!(vendors, Vendor::ALL.into_iter().collect());
}

#[test]
fn only_waiting_rooms_are_no_protection() {
    for challenge in ProtectionPage::all() {
        let marker: ProtectionMarker = challenge.marker.parse().expect("a marker");
        assert_eq!(
            marker.kind.is_protection(),
            !challenge.name.starts_with("queue_it"),
            "{marker}"
        );
    }
}

/// A page of the site with the same status, headers and cookies as the challenge.
#[test]
fn site_page_with_challenge_headers_is_not_protected() {
    let page = super::article("Our shop", "", "Lamps and kettles.");
    let markers = ["cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated", "x-dd-b", "location"];
    for challenge in ProtectionPage::all() {
        let headers: Vec<_> = challenge
            .headers
            .iter()
            .copied()
            .filter(|(name, _)| !markers.contains(name) && !name.starts_with("x-kpsdk"))
            .collect();
        let answer = Answer { status: challenge.status, headers: &headers, body: &page };
        assert_eq!(answer.marker(), None, "{}", challenge.name);
        assert_eq!(answer.marker_of_page(), None, "{}", challenge.name);
    }
}

/// The script by which a challenge of the lab can be passed changes nothing.
#[test]
fn solvable_challenge_is_detected() {
    for challenge in ProtectionPage::all() {
        let Reply::Full(whole) = ProtectedSite::new(challenge).passing_tier().answer("/") else {
            panic!("the lab sends challenges as whole responses")
        };
        let body = String::from_utf8_lossy(&whole.body).into_owned();
        let answer = Answer { body: &body, ..answer(challenge) };
        assert_eq!(answer.marker().as_deref(), Some(challenge.marker), "{}", challenge.name);
    }
}
