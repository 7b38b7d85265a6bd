//! Time: instants and the clock.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};

/// Milliseconds since the Unix epoch. An ISO 8601 string wherever people read it,
/// a plain integer in the journal and in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

impl Millis {
    /// This instant plus `span`, saturating.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// This instant minus `span`, saturating.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// The time from `earlier` to this instant; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The calendar day in UTC, as `2026-11-15`.
    #[must_use]
    pub fn day(self) -> String {
        self.as_date_time().format("%Y-%m-%d").to_string()
    }

    /// The first instant of its calendar month in UTC.
    #[must_use]
    pub fn month_start(self) -> Self {
        let date = self.as_date_time().date_naive();
        let first = chrono::Datelike::with_day(&date, 1).unwrap_or(date);
        Self(first.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis())
    }

    /// The first instant of the next calendar month in UTC.
    #[must_use]
    pub fn next_month_start(self) -> Self {
        // 32 days after the start of any month lie in the next month.
        Self(self.month_start().0 + 32 * 24 * 60 * 60 * 1_000).month_start()
    }

    /// Reads an ISO 8601 date-time, or a bare date as its first instant in UTC.
    #[must_use]
    pub fn parse_iso(text: &str) -> Option<Self> {
        if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
            return Some(Self(instant.timestamp_millis()));
        }
        let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(Self(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis()))
    }

    /// Reads a date or date-time of a page: as [`Millis::parse_iso`], and also a year, a month and a
    /// date-time without a time zone (as UTC). The first instant of what the text names.
    #[must_use]
    pub fn parse_w3c(text: &str) -> Option<Self> {
        let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
        let longer = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            16 => format!("{text}:00Z"),
            _ => format!("{text}Z"),
        };
        let is_short = text.len() > 10 || text.as_bytes().iter().all(is_digit);
        Self::parse_iso(text).or_else(|| Self::parse_iso(&longer).filter(|_| is_short))
    }

    /// The calendar year in UTC.
    #[must_use]
    pub fn year(self) -> u16 {
        u16::try_from(chrono::Datelike::year(&self.as_date_time())).unwrap_or(u16::MAX)
    }

    fn as_date_time(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_date_time().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = Cow::<'de, str>::deserialize(deserializer)?;
            Self::parse_iso(&text)
                .ok_or_else(|| serde::de::Error::custom("not an ISO 8601 date-time"))
        } else {
            i64::deserialize(deserializer).map(Self)
        }
    }
}

impl utoipa::PartialSchema for Millis {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .examples(["2026-11-15T09:30:00.000Z"])
            .into()
    }
}

impl utoipa::ToSchema for Millis {}

/// A source of the current time. Pure code takes `now: Millis`; services get a `Clock`, so that tests
/// can control time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The current time of this clock.
    fn now(&self) -> Millis;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_iso_8601_and_round_trips() {
        let instant = Millis(1_794_735_000_123);
        let text = serde_json::to_string(&instant).expect("an instant serialises");
        assert_eq!(text, "\"2026-11-15T09:30:00.123Z\"");
        assert_eq!(serde_json::from_str::<Millis>(&text).expect("it reads back"), instant);
        assert_eq!((instant.day().as_str(), instant.year()), ("2026-11-15", 2026));
    }

    #[test]
    fn partial_dates_are_their_first_instant() {
        for (text, expected) in [
            ("2026", Some("2026-01-01T00:00:00.000Z")),
            ("2026-11", Some("2026-11-01T00:00:00.000Z")),
            ("2026-11-15", Some("2026-11-15T00:00:00.000Z")),
            ("2026-11-15T10:30", Some("2026-11-15T10:30:00.000Z")),
            ("2026-11-15T10:30:15", Some("2026-11-15T10:30:15.000Z")),
            ("2026-11-15T10:30:15+02:00", Some("2026-11-15T08:30:15.000Z")),
            ("20261", None),
            ("next", None),
            ("", None),
        ] {
            let instant = Millis::parse_w3c(text).map(|instant| instant.to_string());
            assert_eq!(instant.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn date_without_time_is_midnight_utc() {
        assert_eq!(Millis::parse_iso("1970-01-02"), Some(Millis(86_400_000)));
        assert_eq!(Millis::parse_iso("yesterday"), None);
    }

    #[test]
    fn months_begin_on_their_first_day_in_utc() {
        let of = |text| Millis::parse_iso(text).expect("an instant");
        assert_eq!(of("2026-12-31T23:59:59Z").month_start(), of("2026-12-01"));
        assert_eq!(of("2026-12-31T23:59:59Z").next_month_start(), of("2027-01-01"));
        assert_eq!(of("2027-02-01").month_start(), of("2027-02-01"));
        assert_eq!(of("2027-01-31").next_month_start(), of("2027-02-01"));
    }

    #[test]
    fn addition_and_difference_saturate() {
        assert_eq!(Millis(i64::MAX).plus(Duration::from_secs(1)), Millis(i64::MAX));
        assert_eq!(Millis(5).since(Millis(9)), Duration::ZERO);
    }
}
