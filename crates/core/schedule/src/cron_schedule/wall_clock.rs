//! Converts a local time to an instant.

use chrono::{DateTime, Duration, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;

/// Seconds; larger than the offset of any time zone.
const MAX_OFFSET: i64 = 26 * 60 * 60;

/// The first instant at which the zone has this local time; the end of the gap, if it never has.
pub(super) fn instant_of(zone: &Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match zone.offset_from_local_datetime(&local) {
        chrono::MappedLocalTime::Single(offset) | chrono::MappedLocalTime::Ambiguous(offset, _) => {
            let shift = Duration::seconds(i64::from(offset.fix().local_minus_utc()));
            Some(local.checked_sub_signed(shift)?.and_utc())
        }
        chrono::MappedLocalTime::None => end_of_gap(zone, local),
    }
}

/// The first instant whose local time is later than `local`, found by binary search.
fn end_of_gap(zone: &Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    let read_as_utc = local.and_utc().timestamp();
    let (mut before, mut after) =
        (read_as_utc.checked_sub(MAX_OFFSET)?, read_as_utc.checked_add(MAX_OFFSET)?);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        let instant = DateTime::from_timestamp(middle, 0)?;
        let shown = zone.from_utc_datetime(&instant.naive_utc()).naive_local();
        if shown > local {
            after = middle;
        } else {
            before = middle;
        }
    }
    DateTime::from_timestamp(after, 0)
}
