//! When cron expressions fire: tables of days with daylight saving changes, a comparison with a
//! search minute by minute, and arbitrary input.

use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use contract::Millis;
use proptest::prelude::*;
use schedule::{CronError, CronSchedule, DueSlots, SlotAction};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

fn at(text: &str) -> Millis {
    Millis::parse_iso(text).expect("an instant")
}

fn parse(cron: &str, zone: &str) -> CronSchedule {
    CronSchedule::parse(cron, zone).expect("a valid expression")
}

fn upcoming(cron: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let slots = parse(cron, zone).upcoming(at(after), count);
    slots.iter().map(|slot| slot.to_string().replace(":00.000Z", "Z")).collect()
}

#[test]
fn fields_names_ranges_steps_and_nicknames_are_parsed() {
    let after = "2026-11-15T09:30:00Z"; // A Sunday.
    for (cron, first, second) in [
        ("0 6 * * *", "2026-11-16T06:00Z", "2026-11-17T06:00Z"),
        ("0 6 * * MON-FRI", "2026-11-16T06:00Z", "2026-11-17T06:00Z"),
        ("0 6 * * mon", "2026-11-16T06:00Z", "2026-11-23T06:00Z"),
        ("0 6 * * 7", "2026-11-22T06:00Z", "2026-11-29T06:00Z"),
        ("0 6 * * 0", "2026-11-22T06:00Z", "2026-11-29T06:00Z"),
        ("*/20 * * * *", "2026-11-15T09:40Z", "2026-11-15T10:00Z"),
        ("5,35 8-10 * * *", "2026-11-15T09:35Z", "2026-11-15T10:05Z"),
        ("0 0 1 JAN,jul *", "2027-01-01T00:00Z", "2027-07-01T00:00Z"),
        // With a day and a weekday, either one matches, as in cron.
        ("0 0 20 * FRI", "2026-11-20T00:00Z", "2026-11-27T00:00Z"),
        ("0 0 L * *", "2026-11-30T00:00Z", "2026-12-31T00:00Z"),
        ("0 0 29 2 *", "2028-02-29T00:00Z", "2032-02-29T00:00Z"),
        ("@hourly", "2026-11-15T10:00Z", "2026-11-15T11:00Z"),
        ("@daily", "2026-11-16T00:00Z", "2026-11-17T00:00Z"),
        ("@midnight", "2026-11-16T00:00Z", "2026-11-17T00:00Z"),
        ("@weekly", "2026-11-22T00:00Z", "2026-11-29T00:00Z"),
        ("@monthly", "2026-12-01T00:00Z", "2027-01-01T00:00Z"),
        ("@yearly", "2027-01-01T00:00Z", "2028-01-01T00:00Z"),
    ] {
        assert_eq!(upcoming(cron, "UTC", after, 2), [first, second], "{cron}");
    }
}

#[test]
fn next_after_a_slot_is_the_following_slot() {
    let daily = parse("0 6 * * *", "UTC");
    let slot = at("2026-11-16T06:00:00Z");
    assert_eq!(daily.next_after(Millis(slot.0 - 1)), Some(slot));
    assert_eq!(daily.next_after(slot), Some(at("2026-11-17T06:00:00Z")));
    assert_eq!(daily.next_after(Millis(slot.0 + 1)), Some(at("2026-11-17T06:00:00Z")));
}

/// Expression, zone and start; then the instants of the next slots in UTC.
const DST_CHANGES: &[(&str, &str, &str, &[&str])] = &[
    // Berlin, 28 March 2027: 02:00 becomes 03:00, which is 01:00 in UTC.
    (
        "30 2 * * *",
        "Europe/Berlin",
        "2027-03-26T12:00:00Z",
        &["2027-03-27T01:30Z", "2027-03-28T01:00Z", "2027-03-29T00:30Z"],
    ),
    // Two slots at the same instant fire once.
    (
        "0,30 2,3 * * *",
        "Europe/Berlin",
        "2027-03-27T12:00:00Z",
        &["2027-03-28T01:00Z", "2027-03-28T01:30Z", "2027-03-29T00:00Z"],
    ),
    (
        "0 * * * *",
        "Europe/Berlin",
        "2027-03-27T23:30:00Z",
        &["2027-03-28T00:00Z", "2027-03-28T01:00Z", "2027-03-28T02:00Z"],
    ),
    // Berlin, 25 October 2026: 03:00 becomes 02:00. Its first 02:30 is at 00:30 in UTC.
    (
        "30 2 * * *",
        "Europe/Berlin",
        "2026-10-23T12:00:00Z",
        &["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ),
    (
        "*/30 * * * *",
        "Europe/Berlin",
        "2026-10-24T23:59:00Z",
        &["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-25T02:00Z"],
    ),
    // New York, 14 March 2027: 02:00 becomes 03:00, which is 07:00 in UTC.
    (
        "15 2 * * *",
        "America/New_York",
        "2027-03-12T12:00:00Z",
        &["2027-03-13T07:15Z", "2027-03-14T07:00Z", "2027-03-15T06:15Z"],
    ),
    // New York, 1 November 2026: 02:00 becomes 01:00.
    (
        "15 1 * * *",
        "America/New_York",
        "2026-10-31T00:00:00Z",
        &["2026-10-31T05:15Z", "2026-11-01T05:15Z", "2026-11-02T06:15Z"],
    ),
    // Lord Howe, 4 October 2026: 02:00 becomes 02:30, which is 15:30 of the day before in UTC.
    (
        "15 2 * * *",
        "Australia/Lord_Howe",
        "2026-10-02T00:00:00Z",
        &["2026-10-02T15:45Z", "2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ),
    // Lord Howe, 4 April 2027: 02:00 becomes 01:30.
    (
        "45 1 * * *",
        "Australia/Lord_Howe",
        "2027-04-02T00:00:00Z",
        &["2027-04-02T14:45Z", "2027-04-03T14:45Z", "2027-04-04T15:15Z"],
    ),
    // Apia skipped 30 December 2011: the 31st began at 10:00 in UTC.
    (
        "0 9 * * *",
        "Pacific/Apia",
        "2011-12-29T12:00:00Z",
        &["2011-12-29T19:00Z", "2011-12-30T10:00Z", "2011-12-30T19:00Z", "2011-12-31T19:00Z"],
    ),
    (
        "0 0 30 12 *",
        "Pacific/Apia",
        "2011-12-01T00:00:00Z",
        &["2011-12-30T10:00Z", "2012-12-29T10:00Z"],
    ),
];

#[test]
fn slot_in_a_dst_gap_fires_after_it_and_repeated_slot_fires_once() {
    for (cron, zone, after, slots) in DST_CHANGES {
        assert_eq!(upcoming(cron, zone, after, slots.len()), *slots, "{cron} in {zone}");
    }
}

#[test]
fn invalid_expression_or_zone_is_rejected_with_a_hint() {
    for cron in [
        "",
        "   ",
        "daily",
        "@",
        "@never",
        "@reboot",
        "0 6 * *",
        "0 6 * * * *",
        "0 0 6 * * * *",
        "60 * * * *",
        "* 24 * * *",
        "0 0 0 * *",
        "0 0 32 * *",
        "0 0 * 13 *",
        "0 0 * * 8",
        "0 0 * * FUNDAY",
        "0 0 * SMARCH *",
        "5-1 * * * *",
        "*/0 * * * *",
        "a b c d e",
        "0 6 * * é",
        "0 6 * * \u{0}",
        "-1 * * * *",
        "99999999999999999999 * * * *",
    ] {
        let refused = CronSchedule::parse(cron, "UTC").expect_err(cron);
        assert!(matches!(refused, CronError::Unreadable(_)), "{cron}: {refused}");
        assert!(refused.to_string().contains("0 6 * * MON-FRI"), "{cron}: {refused}");
    }
    let long = format!("{} * * * *", "1,".repeat(1_000));
    assert!(CronSchedule::parse(&long, "UTC").is_err());
    let refused = CronSchedule::parse("@daily", "Europe/Berln").expect_err("no such zone");
    assert!(refused.is_about_zone());
    assert!(refused.to_string().ends_with("did you mean Europe/Berlin?"), "{refused}");
    for zone in ["", "Mars/Olympus", "+02:00", "europe berlin", &"x".repeat(100_000)] {
        assert!(CronSchedule::parse("@daily", zone).is_err(), "{zone}");
    }
}

#[test]
fn schedule_that_never_fires_or_fires_too_often_is_rejected() {
    let now = at("2026-11-15T09:30:00Z");
    let check = |cron: &str| parse(cron, "Europe/Berlin").check(5 * MINUTE, now);
    for cron in ["0 0 30 2 *", "0 0 30,31 2 *", "0 0 31 4,6,9,11 *"] {
        assert_eq!(check(cron), Err(CronError::Never), "{cron}");
    }
    for (cron, minutes) in [
        ("* * * * *", 1),
        ("*/4 * * * *", 4),
        ("0,3 * * * *", 3),
        ("59 * * * *", 60),
        ("0,59 * * * *", 1),
        ("*/7 * * * *", 4),
        // Across midnight.
        ("0,58 0,23 * * *", 2),
    ] {
        let every = Duration::from_secs(60 * minutes);
        let expected = if minutes < 5 {
            Err(CronError::TooOften { every, least: 5 * MINUTE })
        } else {
            Ok(())
        };
        assert_eq!(check(cron), expected, "{cron}");
    }
    // The short interval occurs on New Year's Eve only.
    let every = 2 * MINUTE;
    let together = Err(CronError::TooOften { every, least: 5 * MINUTE });
    assert_eq!(check("0,58 0,23 1,31 1,12 *"), together);
    for cron in ["*/5 * * * *", "@hourly", "0 0 29 2 *", "0 0 29 2 +MON", "0,55 0,23 * * *"] {
        assert_eq!(check(cron), Ok(()), "{cron}");
    }
}

#[test]
fn slots_within_the_tolerance_start_once_and_older_ones_are_missed() {
    let hourly = parse("0 * * * *", "UTC");
    let slot = at("2026-11-15T10:00:00Z");
    let due = |now: &str| hourly.due(slot, at(now), 2 * HOUR);
    let start = |slot: &str, next: &str| {
        Some(DueSlots { action: SlotAction::Start { slot: at(slot) }, next: Some(at(next)) })
    };
    assert_eq!(due("2026-11-15T09:59:59Z"), None);
    assert_eq!(due("2026-11-15T10:00:00Z"), start("2026-11-15T10:00:00Z", "2026-11-15T11:00:00Z"));
    assert_eq!(due("2026-11-15T11:30:00Z"), start("2026-11-15T11:00:00Z", "2026-11-15T12:00:00Z"));
    assert_eq!(due("2026-11-15T12:00:00Z"), start("2026-11-15T12:00:00Z", "2026-11-15T13:00:00Z"));
    // The first two are an hour too old; the third and the fourth are within the tolerance.
    let missed = DueSlots {
        action: SlotAction::Missed { first: slot, slots: 2 },
        next: Some(at("2026-11-15T12:00:00Z")),
    };
    assert_eq!(due("2026-11-15T13:30:00Z"), Some(missed));
    let daily = parse("0 10 * * *", "UTC").due(slot, at("2026-11-15T13:00:00Z"), 2 * HOUR);
    let missed = DueSlots {
        action: SlotAction::Missed { first: slot, slots: 1 },
        next: Some(at("2026-11-16T10:00:00Z")),
    };
    assert_eq!(daily, Some(missed));
    // After ten years of downtime the count ends at 1,000.
    let Some(DueSlots { action: SlotAction::Missed { slots, .. }, .. }) =
        due("2036-11-15T00:00:00Z")
    else {
        panic!("not missed")
    };
    assert_eq!(slots, 1_000);
}

/// Zones with every kind of change of their offset, and a day of a change.
const CHANGING_ZONES: &[(&str, &str)] = &[
    ("Europe/Berlin", "2027-03-28T00:00:00Z"),
    ("Europe/Berlin", "2026-10-25T00:00:00Z"),
    ("America/New_York", "2027-03-14T06:00:00Z"),
    ("America/New_York", "2026-11-01T06:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:00:00Z"),
    ("Australia/Lord_Howe", "2027-04-03T15:00:00Z"),
    ("Pacific/Apia", "2011-12-30T10:00:00Z"),
    ("America/Sao_Paulo", "2018-11-04T03:00:00Z"),
    ("Africa/Casablanca", "2027-02-07T02:00:00Z"),
    ("Asia/Kathmandu", "2026-01-01T00:00:00Z"),
];

/// Searches every minute of three days.
fn slots_by_minute(zone: Tz, from: Millis, fires: impl Fn(NaiveDateTime) -> bool) -> Vec<Millis> {
    let minute = TimeDelta::minutes(1);
    let wall = |instant: DateTime<Utc>| zone.from_utc_datetime(&instant.naive_utc()).naive_local();
    let mut instant = DateTime::from_timestamp_millis(from.0).expect("an instant");
    // Local times that occurred before these days do not occur for the first time in them.
    let mut shown_up_to = wall(instant) - minute;
    for back in 0..(26 * 60) {
        shown_up_to = shown_up_to.max(wall(instant - minute * (back + 1)));
    }
    let mut slots = Vec::new();
    for _ in 0..3 * 24 * 60 {
        // Includes local times in a gap between the last minute and this one.
        let mut place = shown_up_to + minute;
        let mut has_slot = false;
        while place <= wall(instant) {
            has_slot |= fires(place);
            place += minute;
        }
        if has_slot {
            slots.push(Millis(instant.timestamp_millis()));
        }
        shown_up_to = shown_up_to.max(wall(instant));
        instant += minute;
    }
    slots
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The schedule agrees with the search of every minute, on days with a change of the offset.
    #[test]
    fn slots_equal_those_of_a_search_by_minute(
        which in 0..CHANGING_ZONES.len(),
        minutes in prop::collection::btree_set(0_u32..60, 1..4),
        hours in prop::collection::btree_set(0_u32..24, 1..6),
    ) {
        let (zone, day) = CHANGING_ZONES[which];
        let join = |set: &std::collections::BTreeSet<u32>| {
            set.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
        };
        let cron = format!("{} {} * * *", join(&minutes), join(&hours));
        let from = Millis(at(day).0 - 24 * 60 * 60 * 1_000);
        let expected = slots_by_minute(zone.parse().expect("a zone"), from, |wall| {
            minutes.contains(&wall.minute()) && hours.contains(&wall.hour())
        });
        let schedule = parse(&cron, zone);
        let mut slots = schedule.upcoming(Millis(from.0 - 1), expected.len() + 1);
        let end = from.0 + 3 * 24 * 60 * 60 * 1_000;
        slots.retain(|slot| slot.0 < end);
        prop_assert_eq!(slots, expected, "{} in {}", cron, zone);
    }

    /// Arbitrary input is rejected, or its slots are in order.
    #[test]
    fn arbitrary_input_never_panics_or_fires_out_of_order(
        cron in prop_oneof![
            any::<String>(),
            "[-0-9*,/LW#?+A-Z@ ]{0,30}",
            "([0-9*]{1,2}[-,/#LW]?[0-9A-Z]{0,3} ){4}[0-7*A-Z]{1,3}[#L]?[0-9]?",
            "@[a-z]{0,10}",
        ],
        zone in prop_oneof![
            Just("Europe/Berlin".to_owned()), Just("Pacific/Apia".to_owned()), any::<String>(),
        ],
        after in prop_oneof![any::<i64>(), 0_i64..4_102_444_800_000],
    ) {
        let Ok(schedule) = CronSchedule::parse(&cron, &zone) else { return Ok(()) };
        if schedule.check(5 * MINUTE, Millis(after)).is_err() {
            return Ok(());
        }
        let slots = schedule.upcoming(Millis(after), 20);
        prop_assert!(slots.first().is_none_or(|slot| slot.0 > after));
        prop_assert!(slots.is_sorted_by(|a, b| a < b), "{:?}", slots);
        for slot in slots {
            prop_assert!(schedule.due(slot, slot, HOUR).is_some());
        }
    }
}

#[test]
fn invalid_field_is_named_with_its_values() {
    for (cron, words) in [
        ("61 6 * * *", "has the minute \"61\", which must be 0 to 59"),
        ("0 6 * * FUNDAY", "has the weekday \"FUNDAY\""),
        ("0 25 32 * *", "has the hour \"25\""),
    ] {
        let refused = CronSchedule::parse(cron, "UTC").expect_err("an invalid field").to_string();
        assert!(refused.starts_with(words), "{refused}");
    }
}
