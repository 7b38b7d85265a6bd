//! The usual timetables: fields of a form, a cron expression, and a sentence.

use contract::Millis;
use schedule::{CronError, CronSchedule};

use crate::FormFields;

/// Weekdays by their number in cron, 0 to 6.
const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Abbreviations of the weekdays in cron.
const SHORT_WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// A usual timetable of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CronPreset {
    Hourly { minute: u8 },
    Daily { hour: u8, minute: u8 },
    Workdays { hour: u8, minute: u8 },
    Weekly { weekday: u8, hour: u8, minute: u8 },
    Monthly { day: u8, hour: u8, minute: u8 },
}

/// The names of the presets in a form, and their labels.
pub(crate) const PRESETS: [(&str, &str); 6] = [
    ("hour", "Hour"),
    ("day", "Day"),
    ("workday", "Workday, Monday to Friday"),
    ("week", "Week"),
    ("month", "Month"),
    ("custom", "Cron expression"),
];

/// The weekdays for a form, Monday first: numbers and names.
pub(crate) fn weekdays() -> impl Iterator<Item = (usize, &'static str)> {
    (1..7).chain([0]).map(|number| (number, WEEKDAYS[number]))
}

impl CronPreset {
    /// The preset of an expression; `None` if it is another one.
    pub fn of(cron: &str) -> Option<Self> {
        let daily = Self::Daily { hour: 0, minute: 0 };
        match cron.trim().to_ascii_lowercase().as_str() {
            "@hourly" => return Some(Self::Hourly { minute: 0 }),
            "@daily" | "@midnight" => return Some(daily),
            "@weekly" => return Some(Self::Weekly { weekday: 0, hour: 0, minute: 0 }),
            "@monthly" => return Some(Self::Monthly { day: 1, hour: 0, minute: 0 }),
            _ => {}
        }
        let fields: Vec<&str> = cron.split_ascii_whitespace().collect();
        let [minute, hour, day, "*", weekday] = fields[..] else { return None };
        let minute = up_to(minute, 59)?;
        if (hour, day, weekday) == ("*", "*", "*") {
            return Some(Self::Hourly { minute });
        }
        let hour = up_to(hour, 23)?;
        match (day, weekday.to_ascii_uppercase().as_str()) {
            ("*", "*") => Some(Self::Daily { hour, minute }),
            ("*", "MON-FRI" | "1-5") => Some(Self::Workdays { hour, minute }),
            ("*", weekday) => {
                let named = SHORT_WEEKDAYS.iter().position(|known| *known == weekday);
                let weekday = match named {
                    Some(number) => u8::try_from(number).ok()?,
                    None => up_to(weekday, 7)? % 7,
                };
                Some(Self::Weekly { weekday, hour, minute })
            }
            (day, "*") => {
                let day = up_to(day, 31).filter(|day| *day > 0)?;
                Some(Self::Monthly { day, hour, minute })
            }
            _ => None,
        }
    }

    fn cron(self) -> String {
        match self {
            Self::Hourly { minute } => format!("{minute} * * * *"),
            Self::Daily { hour, minute } => format!("{minute} {hour} * * *"),
            Self::Workdays { hour, minute } => format!("{minute} {hour} * * MON-FRI"),
            Self::Weekly { weekday, hour, minute } => {
                let weekday = SHORT_WEEKDAYS.get(usize::from(weekday)).unwrap_or(&"SUN");
                format!("{minute} {hour} * * {weekday}")
            }
            Self::Monthly { day, hour, minute } => format!("{minute} {hour} {day} * *"),
        }
    }

    fn sentence(self) -> String {
        match self {
            Self::Hourly { minute } => format!("Every hour at minute {minute}"),
            Self::Daily { hour, minute } => format!("Every day at {hour:02}:{minute:02}"),
            Self::Workdays { hour, minute } => {
                format!("Monday to Friday at {hour:02}:{minute:02}")
            }
            Self::Weekly { weekday, hour, minute } => {
                let weekday = WEEKDAYS.get(usize::from(weekday)).unwrap_or(&"week");
                format!("Every {weekday} at {hour:02}:{minute:02}")
            }
            Self::Monthly { day, hour, minute } => {
                format!("Day {day} of every month at {hour:02}:{minute:02}")
            }
        }
    }

    /// Fills the fields of the form.
    fn fill(self, fields: &mut FormFields) {
        let name = match self {
            Self::Hourly { .. } => "hour",
            Self::Daily { .. } => "day",
            Self::Workdays { .. } => "workday",
            Self::Weekly { .. } => "week",
            Self::Monthly { .. } => "month",
        };
        let (hour, minute) = match self {
            Self::Hourly { minute } => (0, minute),
            Self::Daily { hour, minute }
            | Self::Workdays { hour, minute }
            | Self::Weekly { hour, minute, .. }
            | Self::Monthly { hour, minute, .. } => (hour, minute),
        };
        fields.set("every", name);
        fields.set("at", format!("{hour:02}:{minute:02}"));
        if let Self::Weekly { weekday, .. } = self {
            fields.set("weekday", weekday.to_string());
        }
        if let Self::Monthly { day, .. } = self {
            fields.set("monthday", day.to_string());
        }
    }
}

/// A number of digits only, at most `most`.
fn up_to(text: &str, most: u8) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<u8>().ok().filter(|number| digits && *number <= most)
}

/// Fills the fields of the form from an expression.
pub(crate) fn fill(fields: &mut FormFields, cron: &str, timezone: &str) {
    fields.set("cron", cron);
    fields.set("timezone", timezone);
    match CronPreset::of(cron) {
        Some(preset) => preset.fill(fields),
        None => fields.set("every", "custom"),
    }
}

/// The expression of a form: of the preset, or the typed one. A preset with an invalid time is sent as
/// typed, so that the API reports it.
pub(crate) fn cron_of(fields: &FormFields) -> String {
    let (hour, minute) = fields.raw("at").split_once(':').unwrap_or(("", ""));
    let time = up_to(hour, 23).zip(up_to(minute.get(..2).unwrap_or(minute), 59));
    let preset = match (fields.raw("every"), time) {
        ("hour", Some((_, minute))) => Some(CronPreset::Hourly { minute }),
        ("day", Some((hour, minute))) => Some(CronPreset::Daily { hour, minute }),
        ("workday", Some((hour, minute))) => Some(CronPreset::Workdays { hour, minute }),
        ("week", Some((hour, minute))) => {
            let weekday = up_to(fields.raw("weekday"), 6).unwrap_or(1);
            Some(CronPreset::Weekly { weekday, hour, minute })
        }
        ("month", Some((hour, minute))) => {
            let day = up_to(fields.raw("monthday"), 31).filter(|day| *day > 0).unwrap_or(1);
            Some(CronPreset::Monthly { day, hour, minute })
        }
        _ => None,
    };
    preset.map_or_else(|| fields.raw("cron").to_owned(), CronPreset::cron)
}

/// When a schedule starts its runs: `Every day at 06:00, Europe/Berlin`.
pub(crate) fn sentence(cron: &str, timezone: &str) -> String {
    match CronPreset::of(cron) {
        Some(preset) => format!("{}, {timezone}", preset.sentence()),
        None => format!("{cron}, {timezone}"),
    }
}

/// The next starts of an expression.
pub(crate) fn next_starts(
    cron: &str,
    timezone: &str,
    now: Millis,
) -> Result<Vec<Millis>, CronError> {
    let timetable = CronSchedule::parse(cron, timezone)?;
    // Without this check, the search for a start that never comes takes long.
    timetable.check(std::time::Duration::ZERO, now)?;
    Ok(timetable.upcoming(now, 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_become_expressions_and_sentences() {
        for (cron, normal, expected) in [
            ("5 * * * *", "5 * * * *", "Every hour at minute 5, UTC"),
            ("0 6 * * *", "0 6 * * *", "Every day at 06:00, UTC"),
            ("@daily", "0 0 * * *", "Every day at 00:00, UTC"),
            ("30 8 * * 1-5", "30 8 * * MON-FRI", "Monday to Friday at 08:30, UTC"),
            ("0 12 * * 7", "0 12 * * SUN", "Every Sunday at 12:00, UTC"),
            ("0 12 * * wed", "0 12 * * WED", "Every Wednesday at 12:00, UTC"),
            ("15 23 31 * *", "15 23 31 * *", "Day 31 of every month at 23:15, UTC"),
        ] {
            assert_eq!(sentence(cron, "UTC"), expected);
            let mut fields = FormFields::default();
            fill(&mut fields, cron, "UTC");
            assert_eq!(cron_of(&fields), normal, "{cron}");
        }
    }

    #[test]
    fn other_expressions_stay_as_they_are() {
        for cron in ["*/10 * * * *", "0 6 1 1 *", "0 6 1 * MON", "0 24 * * *", "+5 * * * *", ""] {
            assert_eq!(CronPreset::of(cron), None, "{cron}");
            assert_eq!(sentence(cron, "UTC"), format!("{cron}, UTC"));
            let mut fields = FormFields::default();
            fill(&mut fields, cron, "UTC");
            assert_eq!((fields.raw("every"), cron_of(&fields).as_str()), ("custom", cron));
        }
        let typed = FormFields::parse(b"every=day&at=nonsense&cron=1+2+*+*+*");
        assert_eq!(cron_of(&typed), "1 2 * * *");
        let seconds = FormFields::parse(b"every=week&weekday=5&at=07%3A45%3A00");
        assert_eq!(cron_of(&seconds), "45 7 * * FRI");
    }

    #[test]
    fn next_starts_are_in_the_time_zone() {
        let now = Millis::parse_iso("2026-11-15T00:00:00Z").expect("a time");
        let starts = next_starts("0 6 * * *", "Europe/Berlin", now).expect("a timetable");
        assert_eq!(starts.len(), 5);
        assert_eq!(starts[0].to_string(), "2026-11-15T05:00:00.000Z");
        assert!(next_starts("0 0 30 2 *", "UTC", now).is_err(), "never");
        assert!(next_starts("0 6 * * *", "Mars/Olympus", now).is_err());
    }
}
