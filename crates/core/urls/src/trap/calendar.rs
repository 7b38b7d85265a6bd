//! Calendars: pages that are a date, with a link to the next and no end.
//!
//! Only pages that are nothing but a date count. An article whose address
//! begins with its day is an article, however many of them there are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{SkipReason, TrapRule};
use crate::CanonicalUrl;

/// Words that tell a calendar from an archive.
const WORDS: &[&str] =
    &["calendar", "kalender", "calendrier", "calendario", "event", "agenda", "booking", "termine"];

/// Words that may follow a date without making it an article.
const VIEWS: &[&str] = &["day", "list", "month", "week", "year", "index.html", "index.php"];

/// Numbers that are taken for a year: `/topic/4021/3` is the third page of a topic.
/// A calendar cannot be left past these, since it is walked one link at a time.
const YEARS: std::ops::RangeInclusive<u16> = 1700..=2199;

/// How many pages each calendar has, by what its addresses have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Calendars(BTreeMap<u64, u32>);

/// An address that is a date.
struct Sheet {
    year: u16,
    calendar: u64,
    /// It says that it is a calendar.
    named: bool,
}

impl Calendars {
    pub(super) fn judge(&self, url: &CanonicalUrl, rule: &TrapRule) -> Result<(), SkipReason> {
        let Some(sheet) = sheet(url) else { return Ok(()) };
        let (first, last) = rule.years;
        let limit = if sheet.named { rule.calendar_pages } else { rule.archive_pages };
        let pages = self.0.get(&sheet.calendar).copied().unwrap_or_default();
        if (first..=last).contains(&sheet.year) && pages < limit {
            Ok(())
        } else {
            Err(SkipReason::Calendar)
        }
    }

    pub(super) fn admit(&mut self, url: &CanonicalUrl, rule: &TrapRule) {
        let Some(sheet) = sheet(url) else { return };
        if self.0.len() < rule.patterns || self.0.contains_key(&sheet.calendar) {
            let pages = self.0.entry(sheet.calendar).or_default();
            *pages = pages.saturating_add(1);
        }
    }
}

fn sheet(url: &CanonicalUrl) -> Option<Sheet> {
    let (year, shape) = of_query(url).or_else(|| of_path(url))?;
    let lower = url.path_and_query().to_ascii_lowercase();
    let named = WORDS.iter().any(|word| lower.contains(word));
    Some(Sheet { year, calendar: xxh3_64(shape.as_bytes()), named })
}

/// A path that ends in a date, and what stands before it.
fn of_path(url: &CanonicalUrl) -> Option<(u16, String)> {
    let path = url.path().strip_suffix('/').unwrap_or(url.path());
    // The query of a sheet would make it another page.
    if url.query().is_some() {
        return None;
    }
    let mut rest = path;
    if let Some((before, last)) = rest.rsplit_once('/')
        && VIEWS.contains(&last)
    {
        rest = before;
    }
    let (before, last) = rest.rsplit_once('/')?;
    if let Some(year) = dashed(last) {
        return Some((year, format!("{}{before}/#", url.host())));
    }
    // Year, month and perhaps day as segments of their own, from the end.
    let mut numbers = 0;
    let mut cut = rest;
    while let Some((before, last)) = cut.rsplit_once('/') {
        if year(last).is_some() && (1..=2).contains(&numbers) {
            return year(last).map(|year| (year, format!("{}{before}/{numbers}", url.host())));
        }
        if !small(last) || numbers == 2 {
            return None;
        }
        numbers += 1;
        cut = before;
    }
    None
}

/// A query with a date, or with year and month.
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
        (Some(found), Some(month)) if small(month) => found,
        _ => members().find_map(|(_, value)| dashed(value))?,
    };
    let mut shape = format!("{}{}", url.host(), url.path());
    for (name, _) in members() {
        shape.push('&');
        shape.push_str(name);
    }
    Some((found, shape))
}

/// The year of `2024-05` or `2024-05-01`.
fn dashed(text: &str) -> Option<u16> {
    let mut parts = text.split('-');
    let found = year(parts.next()?)?;
    let two = |part: &str| part.len() == 2 && small(part);
    let sound = two(parts.next()?) && parts.next().is_none_or(two) && parts.next().is_none();
    sound.then_some(found)
}

fn year(text: &str) -> Option<u16> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok().filter(|year| YEARS.contains(year)) } else { None }
}

/// A month or a day.
fn small(text: &str) -> bool {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits && text.parse::<u8>().is_ok_and(|number| (1..=31).contains(&number))
}
