//! A cron expression in a time zone.
//!
//! Slots are local times, and each fires once. A slot in the gap at the begin of daylight saving
//! time fires right after the gap; a slot that occurs twice at its end fires the first time.

mod wall_clock;

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Datelike, Days, NaiveDateTime, TimeZone, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use contract::Millis;
use croner::parser::{CronParser, Seconds, Year};
use croner::{Cron, Weekday};
use thiserror::Error;

/// Maximum characters of an expression.
const MAX_EXPRESSION: usize = 200;

/// Minimum Jaro-Winkler similarity of a time zone that is suggested.
const MIN_SIMILARITY: f64 = 0.8;

/// Slots that are checked for the minimum interval: two days of the most frequent valid expression,
/// two years of a daily one.
const CHECKED_SLOTS: usize = 730;

/// How far ahead slots are checked: the pattern of a year repeats.
const CHECKED_SPAN: Days = Days::new(2 * 366);

/// The rarest day, 29 February on a given weekday, occurs within this many days.
const RAREST_DAY: u64 = 41 * 366;

/// Maximum slots in the hours that occur twice.
const MAX_SLOTS_IN_OVERLAP: usize = 24 * 60;

/// The fields of an expression with their values.
const FIELDS: [(&str, &str); 5] = [
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day", "1 to 31"),
    ("month", "1 to 12, or JAN to DEC"),
    ("weekday", "0 to 7, or SUN to SAT"),
];

/// The first invalid field, with the values that it takes.
fn wrong_field(parser: &CronParser, cron: &str) -> String {
    for (place, (text, (name, values))) in cron.split_ascii_whitespace().zip(FIELDS).enumerate() {
        let mut alone = ["*"; 5];
        alone[place] = text;
        if parser.parse(&alone.join(" ")).is_err() {
            return format!("has the {name} {text:?}, which must be {values}, * or a list of them");
        }
    }
    "is no cron expression".to_owned()
}

/// Why an expression or a time zone is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CronError {
    /// The text is not a cron expression.
    #[error("{0}; write minute, hour, day, month and weekday, as 0 6 * * MON-FRI, or @daily")]
    Unreadable(String),
    /// The expression names a day that no month has.
    #[error("never fires: there is no such day in these months")]
    Never,
    /// The interval between two slots is too short.
    #[error("fires every {} minutes at times; leave at least {} minutes between two runs",
        .every.as_secs() / 60, .least.as_secs() / 60)]
    TooOften {
        /// The shortest interval between two slots.
        every: Duration,
        /// The minimum allowed interval.
        least: Duration,
    },
    /// Not in the IANA database; with a suggestion if a name is similar.
    #[error("is not a time zone of the IANA database, as Europe/Berlin{0}")]
    UnknownZone(String),
}

impl CronError {
    /// Whether the time zone is invalid rather than the expression.
    #[must_use]
    pub fn is_about_zone(&self) -> bool {
        match self {
            Self::UnknownZone(_) => true,
            Self::Unreadable(_) | Self::Never | Self::TooOften { .. } => false,
        }
    }
}

/// A cron expression in a time zone.
#[derive(Debug, Clone)]
pub struct CronSchedule {
    cron: Cron,
    zone: Tz,
}

impl CronSchedule {
    /// Parses an expression of five fields, or a nickname such as `@daily`, and the name of a time
    /// zone.
    ///
    /// # Errors
    /// [`CronError`] when one of them is invalid.
    pub fn parse(cron: &str, zone: &str) -> Result<Self, CronError> {
        let zone = parse_zone(zone)?;
        let cron = cron.trim();
        let unreadable = |why: &str| CronError::Unreadable(why.to_owned());
        if cron.len() > MAX_EXPRESSION {
            return Err(unreadable("is too long for a cron expression"));
        }
        if !cron.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(unreadable("has characters that no cron expression has"));
        }
        let fields = cron.split_ascii_whitespace().count();
        match cron.starts_with('@') {
            true if cron.eq_ignore_ascii_case("@reboot") => {
                return Err(unreadable("there is no start to wait for"));
            }
            false if fields != 5 => {
                return Err(unreadable(&format!("must have five fields, not {fields}")));
            }
            true | false => {}
        }
        let nickname = if cron.eq_ignore_ascii_case("@midnight") { "@daily" } else { cron };
        let parser =
            CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron =
            parser.parse(nickname).map_err(|_| unreadable(&wrong_field(&parser, nickname)))?;
        Ok(Self { cron, zone })
    }

    /// Checks that the schedule fires after `now`, and not more often than every `least`.
    ///
    /// # Errors
    /// [`CronError::Never`] or [`CronError::TooOften`].
    pub fn check(&self, least: Duration, now: Millis) -> Result<(), CronError> {
        let now = self.local_time(now).filter(|now| self.has_day(*now)).ok_or(CronError::Never)?;
        let horizon = now.checked_add_days(CHECKED_SPAN).ok_or(CronError::Never)?;
        let mut slot = self.slot_after(now).ok_or(CronError::Never)?;
        for _ in 0..CHECKED_SLOTS {
            let Some(next) = self.slot_after(slot).filter(|next| *next <= horizon) else { break };
            let every = (next - slot).to_std().unwrap_or_default();
            if every < least {
                return Err(CronError::TooOften { every, least });
            }
            slot = next;
        }
        Ok(())
    }

    /// Whether any future day matches. Checked day by day, because the search for a slot of an
    /// expression that never fires would run through three thousand years.
    fn has_day(&self, from: NaiveDateTime) -> bool {
        (0..RAREST_DAY).filter_map(|days| from.date().checked_add_days(Days::new(days))).any(
            |date| {
                let weekday = Weekday::from_days_from_sunday(date.weekday().num_days_from_sunday());
                let pattern = &self.cron.pattern;
                matches!(pattern.month_match(date.month()), Ok(true))
                    && matches!(
                        pattern.day_match(date.year(), date.month(), date.day(), weekday),
                        Ok(true)
                    )
            },
        )
    }

    /// The first instant after `after` at which the schedule fires.
    #[must_use]
    pub fn next_after(&self, after: Millis) -> Option<Millis> {
        // Slots before this local time have fired. In an overlap, slots after it may have fired too,
        // when the local time occurred first.
        let mut slot = self.slot_after(self.local_time(after)?)?;
        for _ in 0..=MAX_SLOTS_IN_OVERLAP {
            let fires = Millis(wall_clock::instant_of(&self.zone, slot)?.timestamp_millis());
            if fires > after {
                return Some(fires);
            }
            slot = self.slot_after(slot)?;
        }
        None
    }

    /// The next `count` instants after `after`.
    #[must_use]
    pub fn upcoming(&self, after: Millis, count: usize) -> Vec<Millis> {
        std::iter::successors(self.next_after(after), |last| self.next_after(*last))
            .take(count)
            .collect()
    }

    fn local_time(&self, instant: Millis) -> Option<NaiveDateTime> {
        let instant = DateTime::from_timestamp_millis(instant.0)?;
        // Instants at the limits of the calendar have no local time in some zones.
        (1..croner::YEAR_UPPER_LIMIT)
            .contains(&instant.year())
            .then(|| self.zone.from_utc_datetime(&instant.naive_utc()).naive_local())
    }

    /// The first local time after `local` that matches the expression. Computed as if it were UTC,
    /// which has no gaps and overlaps.
    fn slot_after(&self, local: NaiveDateTime) -> Option<NaiveDateTime> {
        let local: DateTime<Utc> = local.and_utc();
        self.cron.find_next_occurrence(&local, false).ok().map(|slot| slot.naive_utc())
    }
}

fn parse_zone(name: &str) -> Result<Tz, CronError> {
    Tz::from_str(name).map_err(|_| {
        let name: String = name.chars().take(MAX_EXPRESSION).collect();
        let nearest = TZ_VARIANTS
            .iter()
            .map(|zone| (strsim::jaro_winkler(zone.name(), &name), zone.name()))
            .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = nearest.map_or_else(String::new, |(_, zone)| format!("; did you mean {zone}?"));
        CronError::UnknownZone(hint)
    })
}
