//! Calendars: endless pages that are a date with a link to the next one.
//!
//! Only URLs that end in a date count. An article whose URL begins with its date is no calendar page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{SkipReason, TrapRule};
use crate::CanonicalUrl;

/// Words that distinguish a calendar from an archive.
const CALENDAR_WORDS: &[&str] =
    &["calendar", "kalender", "calendrier", "calendario", "event", "agenda", "booking", "termine"];

/// Segments that may follow the date of a calendar page.
const CALENDAR_VIEWS: &[&str] =
    &["day", "list", "month", "week", "year", "index.html", "index.php"];

/// Numbers that count as a year: `/topic/4021/3` is the third page of a topic. A crawl cannot get past
/// these years, since it follows a calendar one link at a time.
const YEARS: std::ops::RangeInclusive<u16> = 1700..=2199;

/// Number of pages by the hash of the common part of a calendar's URLs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Calendars(BTreeMap<u64, u32>);

/// A URL that ends in a date.
struct CalendarPage {
    year: u16,
    calendar: u64,
    /// Whether the URL contains a calendar word.
    named: bool,
}

impl Calendars {
    pub(super) fn judge(&self, url: &CanonicalUrl, rule: &TrapRule) -> Result<(), SkipReason> {
        let Some(calendar_page) = calendar_page(url) else { return Ok(()) };
        let (first, last) = rule.years;
        let limit = if calendar_page.named { rule.calendar_pages } else { rule.archive_pages };
        let pages = self.0.get(&calendar_page.calendar).copied().unwrap_or_default();
        if (first..=last).contains(&calendar_page.year) && pages < limit {
            Ok(())
        } else {
            Err(SkipReason::Calendar)
        }
    }

    pub(super) fn admit(&mut self, url: &CanonicalUrl, rule: &TrapRule) {
        let Some(calendar_page) = calendar_page(url) else { return };
        if self.0.len() < rule.patterns || self.0.contains_key(&calendar_page.calendar) {
            let pages = self.0.entry(calendar_page.calendar).or_default();
            *pages = pages.saturating_add(1);
        }
    }
}

fn calendar_page(url: &CanonicalUrl) -> Option<CalendarPage> {
    let (year, shape) = of_query(url).or_else(|| of_path(url))?;
    let lower = url.path_and_query().to_ascii_lowercase();
    let named = CALENDAR_WORDS.iter().any(|word| lower.contains(word));
    Some(CalendarPage { year, calendar: xxh3_64(shape.as_bytes()), named })
}

/// The year of a path that ends in a date, and the part before the date.
fn of_path(url: &CanonicalUrl) -> Option<(u16, String)> {
    let path = url.path().strip_suffix('/').unwrap_or(url.path());
    // A query makes it another page.
    if url.query().is_some() {
        return None;
    }
    let mut rest = path;
    if let Some((before, last)) = rest.rsplit_once('/')
        && CALENDAR_VIEWS.contains(&last)
    {
        rest = before;
    }
    let (before, last) = rest.rsplit_once('/')?;
    if let Some(year) = year_of_dashed_date(last) {
        return Some((year, format!("{}{before}/#", url.host())));
    }
    // Year, month and perhaps day as separate segments, from the end.
    let mut numbers = 0;
    let mut cut = rest;
    while let Some((before, last)) = cut.rsplit_once('/') {
        if year(last).is_some() && (1..=2).contains(&numbers) {
            return year(last).map(|year| (year, format!("{}{before}/{numbers}", url.host())));
        }
        if !is_day_or_month(last) || numbers == 2 {
            return None;
        }
        numbers += 1;
        cut = before;
    }
    None
}

/// The year of a query with a date or with year and month, and the query without values.
fn of_query(url: &CanonicalUrl) -> Option<(u16, String)> {
    let members = || {
        url.query()
            .unwrap_or_default()
            .split('&')
            .map(|member| member.split_once('=').unwrap_or((member, "")))
    };
    let by_name = |word: &str| {
        members().find(|(name, _)| name.to_ascii_lowercase().contains(word)).map(|(_, value)| value)
    };
    let found = match (by_name("year").and_then(year), by_name("month")) {
        (Some(found), Some(month)) if is_day_or_month(month) => found,
        _ => members().find_map(|(_, value)| year_of_dashed_date(value))?,
    };
    let mut shape = format!("{}{}", url.host(), url.path());
    for (name, _) in members() {
        shape.push('&');
        shape.push_str(name);
    }
    Some((found, shape))
}

/// The year of `2024-05` or `2024-05-01`.
fn year_of_dashed_date(text: &str) -> Option<u16> {
    let mut parts = text.split('-');
    let found = year(parts.next()?)?;
    let two = |part: &str| part.len() == 2 && is_day_or_month(part);
    let sound = two(parts.next()?) && parts.next().is_none_or(two) && parts.next().is_none();
    sound.then_some(found)
}

fn year(text: &str) -> Option<u16> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok().filter(|year| YEARS.contains(year)) } else { None }
}

fn is_day_or_month(text: &str) -> bool {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits && text.parse::<u8>().is_ok_and(|number| (1..=31).contains(&number))
}
