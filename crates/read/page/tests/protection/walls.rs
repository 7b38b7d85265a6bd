//! The walls of the lab are recognised, each by its name.

use std::collections::BTreeSet;

use lab::{Reply, Site, Wall, Walled};
use page::{ProtectionMarker, Vendor};

use super::Answer;

fn answer(wall: &'static Wall) -> Answer<'static> {
    Answer { status: wall.status, headers: wall.headers, body: wall.body }
}

#[test]
fn every_wall_is_known() {
    for wall in Wall::ALL {
        assert_eq!(answer(wall).marker().as_deref(), Some(wall.marker), "{}", wall.name);
    }
}

#[test]
fn a_wall_that_was_read_as_a_page_is_known_as_well() {
    let json = |wall: &&Wall| wall.body.starts_with('{');
    for wall in Wall::ALL.iter().filter(|wall| !json(wall)) {
        assert_eq!(answer(wall).marker_of_page().as_deref(), Some(wall.marker), "{}", wall.name);
    }
}

#[test]
fn every_vendor_has_a_wall() {
    let marker = |wall: &Wall| wall.marker.parse::<ProtectionMarker>().expect("a marker");
    let vendors: BTreeSet<Vendor> = Wall::ALL.iter().map(|wall| marker(wall).vendor).collect();
    assert_eq!(vendors, Vendor::ALL.into_iter().collect());
}

#[test]
fn only_a_waiting_room_is_no_protection() {
    for wall in Wall::ALL {
        let marker: ProtectionMarker = wall.marker.parse().expect("a marker");
        assert_eq!(marker.kind.is_protection(), !wall.name.starts_with("queue_it"), "{marker}");
    }
}

/// The headers of a wall, its cookies and the site's own words under the same status.
#[test]
fn the_same_answer_with_a_page_of_the_site_is_none() {
    let page = super::article("Our shop", "", "Lamps and kettles.");
    let tells = ["cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated", "x-dd-b", "location"];
    for wall in Wall::ALL {
        let headers: Vec<_> = wall
            .headers
            .iter()
            .copied()
            .filter(|(name, _)| !tells.contains(name) && !name.starts_with("x-kpsdk"))
            .collect();
        let answer = Answer { status: wall.status, headers: &headers, body: &page };
        assert_eq!(answer.marker(), None, "{}", wall.name);
        assert_eq!(answer.marker_of_page(), None, "{}", wall.name);
    }
}

/// The script by which a wall of the lab opens changes nothing about it.
#[test]
fn a_wall_that_would_open_is_a_wall() {
    for wall in Wall::ALL {
        let Reply::Whole(whole) = Walled::new(wall).opening_to_tier().answer("/") else {
            panic!("walls answer whole")
        };
        let body = String::from_utf8_lossy(&whole.body).into_owned();
        let answer = Answer { body: &body, ..answer(wall) };
        assert_eq!(answer.marker().as_deref(), Some(wall.marker), "{}", wall.name);
    }
}
