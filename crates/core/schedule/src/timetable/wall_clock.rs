//! From a place on the clock on the wall to an instant.

use chrono::{DateTime, Duration, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;

/// Farther from UTC than any clock.
const FARTHEST: i64 = 26 * 60 * 60;

/// When the clock shows this for the first time; the instant after it leapt over it, where it
/// never does.
pub(super) fn instant_of(zone: &Tz, wall: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.offset_from_local_datetime(&wall) {
        chrono::MappedLocalTime::Single(offset) | chrono::MappedLocalTime::Ambiguous(offset, _) => {
            let shift = Duration::seconds(i64::from(offset.fix().local_minus_utc()));
            Some(wall.checked_sub_signed(shift)?.and_utc())
        }
        chrono::MappedLocalTime::None => end_of_leap(zone, wall),
    }
}

/// The instant at which the clock leaps over this place: the first at which it shows a later
/// one, found by halving.
fn end_of_leap(zone: &Tz, wall: NaiveDateTime) -> Option<DateTime<Utc>> {
    let read_as_utc = wall.and_utc().timestamp();
    let (mut before, mut after) =
        (read_as_utc.checked_sub(FARTHEST)?, read_as_utc.checked_add(FARTHEST)?);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        let instant = DateTime::from_timestamp(middle, 0)?;
        let shown = zone.from_utc_datetime(&instant.naive_utc()).naive_local();
        if shown > wall {
            after = middle;
        } else {
            before = middle;
        }
    }
    DateTime::from_timestamp(after, 0)
}
