//! Dates of sitemaps and feeds, normalised to W3C datetimes.
//!
//! An invalid date gives `None`. A time without a zone is reduced to its date, because the instant
//! is unknown.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A W3C datetime: a year, a month, a date or an instant.
pub fn w3c(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 40 || !text.is_ascii() {
        return None;
    }
    let (day, time) = match text.split_once(['T', 't', ' ']) {
        Some((day, time)) => (day, Some(time.trim())),
        None => (text, None),
    };
    let mut parts = day.split('-');
    let year = number(parts.next()?, 4)?;
    let month = parts.next().map(|part| number(part, 2).ok_or(())).transpose().ok()?;
    let date = parts.next().map(|part| number(part, 2).ok_or(())).transpose().ok()?;
    let sound = parts.next().is_none()
        && month.is_none_or(|month| (1..=12).contains(&month))
        && date.is_none_or(|date| date >= 1 && date <= days(year, month.unwrap_or(1)));
    if !sound {
        return None;
    }
    let Some(time) = time.filter(|_| date.is_some()) else {
        return time.is_none().then(|| day.to_owned());
    };
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let clock = clock_time(clock.trim())?;
    Some(match offset(zone)? {
        Some(zone) => format!("{day}T{clock}{zone}"),
        None => day.to_owned(),
    })
}

/// A date of RSS (RFC 822): `Tue, 10 Jun 2003 04:00:00 GMT`.
pub fn rfc822(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_ascii_whitespace();
    let date: u32 = words.next()?.parse().ok()?;
    let name = words.next()?.get(..3)?.to_ascii_lowercase();
    let month = (1..).zip(MONTHS).find_map(|(number, known)| (known == name).then_some(number))?;
    let year = words.next()?;
    let year = match year.len() {
        2 => number(year, 2).map(|year| if year < 70 { 2000 + year } else { 1900 + year })?,
        _ => number(year, 4)?,
    };
    if date < 1 || date > days(year, month) {
        return None;
    }
    let day = format!("{year:04}-{month:02}-{date:02}");
    let Some(clock) = words.next() else { return Some(day) };
    let clock = clock_time(clock)?;
    Some(match words.next().and_then(rfc822_zone) {
        Some(zone) => format!("{day}T{clock}{zone}"),
        None => day,
    })
}

fn rfc822_zone(zone: &str) -> Option<String> {
    let hours = match zone.to_ascii_uppercase().as_str() {
        "GMT" | "UT" | "UTC" | "Z" => return Some("Z".to_owned()),
        "EDT" => "-04:00",
        "EST" | "CDT" => "-05:00",
        "CST" | "MDT" => "-06:00",
        "MST" | "PDT" => "-07:00",
        "PST" => "-08:00",
        _ => return offset(zone).flatten(),
    };
    Some(hours.to_owned())
}

/// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.s`, unchanged.
fn clock_time(text: &str) -> Option<&str> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(a, b)| (a, Some(b)));
    let mut parts = whole.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = parts.next().map(|part| number(part, 2).ok_or(())).transpose().ok()?;
    let fraction_sound = fraction.is_none_or(|digits| {
        second.is_some()
            && (1..=9).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_digit())
    });
    let sound = hour < 24
        && minute < 60
        && second.is_none_or(|second| second <= 60)
        && parts.next().is_none()
        && fraction_sound;
    sound.then_some(text)
}

/// A normalised zone; `Some(None)` if there is none.
fn offset(text: &str) -> Option<Option<String>> {
    if text.is_empty() {
        return Some(None);
    }
    if text.eq_ignore_ascii_case("z") {
        return Some(Some("Z".to_owned()));
    }
    let sign = text.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?;
    let digits = text.get(1..)?;
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 2 => (digits, "00"),
        None => (digits.get(..2)?, digits.get(2..)?),
    };
    let sound = number(hours, 2)? <= 14 && number(minutes, 2)? < 60;
    sound.then(|| Some(format!("{sign}{hours}:{minutes}")))
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let sound = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if sound { text.parse().ok() } else { None }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w3c_datetimes_are_normalised() {
        for (text, kept) in [
            ("2024", Some("2024")),
            ("2024-05", Some("2024-05")),
            (" 2024-05-01\n", Some("2024-05-01")),
            ("2024-02-29", Some("2024-02-29")),
            ("2024-05-01T10:20Z", Some("2024-05-01T10:20Z")),
            ("2024-05-01T10:20:30+02:00", Some("2024-05-01T10:20:30+02:00")),
            ("2024-05-01T10:20:30.123456-05:30", Some("2024-05-01T10:20:30.123456-05:30")),
            ("2024-05-01 10:20:30 +0000", Some("2024-05-01T10:20:30+00:00")),
            ("2024-05-01t10:20:30z", Some("2024-05-01T10:20:30Z")),
            ("2024-05-01T10:20:30", Some("2024-05-01")),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("2024-00-01", None),
            ("2024-05-01T25:00Z", None),
            ("2024-05-01T10:20:30+99:00", None),
            ("2024-05T10:20Z", None),
            ("24-05-01", None),
            ("2024-05-01-02", None),
            ("yesterday", None),
            ("２０２４", None),
            ("", None),
        ] {
            assert_eq!(w3c(text).as_deref(), kept, "{text}");
        }
    }

    #[test]
    fn rfc822_dates_are_converted() {
        for (text, kept) in [
            ("Tue, 10 Jun 2003 04:00:00 GMT", Some("2003-06-10T04:00:00Z")),
            ("1 June 03 04:00 +0200", Some("2003-06-01T04:00+02:00")),
            ("Sat, 07 Sep 2002 00:00:01 EST", Some("2002-09-07T00:00:01-05:00")),
            ("Sat, 07 Sep 2002 00:00:01 Nowhere", Some("2002-09-07")),
            ("Sat, 31 Sep 2002 00:00:01 GMT", None),
            ("ä, ö ü", None),
            ("", None),
        ] {
            assert_eq!(rfc822(text).as_deref(), kept, "{text}");
        }
    }
}
