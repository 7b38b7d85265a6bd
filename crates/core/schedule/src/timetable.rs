//! A cron expression in a time zone, as the instants at which it fires.
//!
//! Slots are places on the clock on the wall, and each of them fires once. One that the clock
//! leaps over, because summer time begins, fires in the instant after the leap; one that the
//! clock shows twice fires the first time.

mod wall_clock;

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Datelike, Days, NaiveDateTime, TimeZone, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use contract::Millis;
use croner::parser::{CronParser, Seconds, Year};
use croner::{Cron, Weekday};
use thiserror::Error;

/// No expression that anybody means is longer.
const LONGEST: usize = 200;

/// How alike two names must be for the one to be suggested for the other.
const ALIKE: f64 = 0.8;

/// Slots that are looked at to find the two that are nearest to each other: two days of the
/// busiest expression that may pass, and two years of a daily one.
const LOOKED_AT: usize = 730;

/// How far ahead: whatever falls together does so in the course of a year.
const LOOKED_AHEAD: Days = Days::new(2 * 366);

/// The rarest day that there is, the 29th of February on a certain weekday, comes within these.
const RAREST: u64 = 41 * 366;

/// Slots that may lie in the hours that a clock shows twice.
const MOST_IN_A_FOLD: usize = 24 * 60;

/// What is wrong with an expression or a zone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TimetableError {
    /// Not a cron expression.
    #[error("{0}; write minute, hour, day, month and weekday, as 0 6 * * MON-FRI, or @daily")]
    Unreadable(String),
    /// A day that no month has.
    #[error("never fires: there is no such day in these months")]
    Never,
    /// More often than the service wants to be asked.
    #[error("fires every {} minutes at times; leave at least {} minutes between two runs",
        .every.as_secs() / 60, .least.as_secs() / 60)]
    TooOften {
        /// The shortest pause between two of its slots.
        every: Duration,
        /// The shortest that is allowed.
        least: Duration,
    },
    /// No such time zone.
    #[error("is not a time zone of the IANA database, as Europe/Berlin{0}")]
    UnknownZone(String),
}

impl TimetableError {
    /// Whether the zone is what is wrong, and not the expression.
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
pub struct Timetable {
    cron: Cron,
    zone: Tz,
}

impl Timetable {
    /// Reads an expression of five fields, or a nickname as `@daily`, and the name of a zone.
    ///
    /// # Errors
    /// [`TimetableError`] when one of them cannot be read.
    pub fn parse(cron: &str, zone: &str) -> Result<Self, TimetableError> {
        let zone = parse_zone(zone)?;
        let cron = cron.trim();
        let unreadable = |why: &str| TimetableError::Unreadable(why.to_owned());
        if cron.len() > LONGEST {
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
        let cron = parser
            .parse(nickname)
            .map_err(|error| TimetableError::Unreadable(format!("cannot be read ({error})")))?;
        Ok(Self { cron, zone })
    }

    /// Whether it ever fires after `now`, and never more often than every `least`.
    ///
    /// # Errors
    /// [`TimetableError::Never`] or [`TimetableError::TooOften`].
    pub fn check(&self, least: Duration, now: Millis) -> Result<(), TimetableError> {
        let now = self.wall(now).filter(|now| self.has_day(*now)).ok_or(TimetableError::Never)?;
        let horizon = now.checked_add_days(LOOKED_AHEAD).ok_or(TimetableError::Never)?;
        let mut slot = self.slot_after(now).ok_or(TimetableError::Never)?;
        for _ in 0..LOOKED_AT {
            let Some(next) = self.slot_after(slot).filter(|next| *next <= horizon) else { break };
            let every = (next - slot).to_std().unwrap_or_default();
            if every < least {
                return Err(TimetableError::TooOften { every, least });
            }
            slot = next;
        }
        Ok(())
    }

    /// Whether any day to come is one of its days. Looked up day by day, which is cheap: the
    /// search for a slot would go on for three thousand years.
    fn has_day(&self, from: NaiveDateTime) -> bool {
        (0..RAREST).filter_map(|days| from.date().checked_add_days(Days::new(days))).any(|date| {
            let weekday = Weekday::from_days_from_sunday(date.weekday().num_days_from_sunday());
            let pattern = &self.cron.pattern;
            matches!(pattern.month_match(date.month()), Ok(true))
                && matches!(
                    pattern.day_match(date.year(), date.month(), date.day(), weekday),
                    Ok(true)
                )
        })
    }

    /// The first instant after this one at which it fires.
    #[must_use]
    pub fn next_after(&self, after: Millis) -> Option<Millis> {
        // No slot before this place can fire later than `after`: the clock on the wall went
        // through it already. Those behind it may have fired when it showed them first.
        let mut slot = self.slot_after(self.wall(after)?)?;
        for _ in 0..=MOST_IN_A_FOLD {
            let fires = Millis(wall_clock::instant_of(&self.zone, slot)?.timestamp_millis());
            if fires > after {
                return Some(fires);
            }
            slot = self.slot_after(slot)?;
        }
        None
    }

    /// The next instants after this one.
    #[must_use]
    pub fn upcoming(&self, after: Millis, count: usize) -> Vec<Millis> {
        std::iter::successors(self.next_after(after), |last| self.next_after(*last))
            .take(count)
            .collect()
    }

    /// What the clock on the wall shows.
    fn wall(&self, instant: Millis) -> Option<NaiveDateTime> {
        let instant = DateTime::from_timestamp_millis(instant.0)?;
        // The ends of time have no place in every zone.
        (1..croner::YEAR_UPPER_LIMIT)
            .contains(&instant.year())
            .then(|| self.zone.from_utc_datetime(&instant.naive_utc()).naive_local())
    }

    /// The first place on the wall's clock behind this one that the expression names. The
    /// clock has no leaps here: that is what reading it as UTC is for.
    fn slot_after(&self, wall: NaiveDateTime) -> Option<NaiveDateTime> {
        let wall: DateTime<Utc> = wall.and_utc();
        self.cron.find_next_occurrence(&wall, false).ok().map(|slot| slot.naive_utc())
    }
}

fn parse_zone(name: &str) -> Result<Tz, TimetableError> {
    Tz::from_str(name).map_err(|_| {
        let name: String = name.chars().take(LONGEST).collect();
        let nearest = TZ_VARIANTS
            .iter()
            .map(|zone| (strsim::jaro_winkler(zone.name(), &name), zone.name()))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = nearest.map_or_else(String::new, |(_, zone)| format!("; did you mean {zone}?"));
        TimetableError::UnknownZone(hint)
    })
}
