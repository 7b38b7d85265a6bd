//! Formatting of numbers and times for people.

use contract::Millis;
use maud::{Markup, html};

/// A whole number with thousands separators: `12,345`.
pub(crate) fn number(value: impl Into<i128>) -> String {
    let value: i128 = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    if value < 0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: `1 page`, `2 pages`.
pub(crate) fn count(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// A time to the minute: in UTC, and by script in the zone of the reader.
pub(crate) fn time(instant: Millis) -> Markup {
    shortened(instant, "2026-11-15T09:30".len())
}

/// A time to the second, as [`time`].
pub(crate) fn exact_time(instant: Millis) -> Markup {
    shortened(instant, "2026-11-15T09:30:00".len())
}

fn shortened(instant: Millis, length: usize) -> Markup {
    let exact = instant.to_string();
    let shown = exact.get(..length).map(|shown| shown.replace('T', " "));
    html! {
        time datetime=(exact) title=(exact) { (shown.as_deref().unwrap_or(&exact)) }
    }
}

/// A duration: `42 s`, `3 min 5 s`, `15 min`, `2 h 10 min`.
pub(crate) fn span(seconds: u64) -> String {
    let (whole, rest, names) = match seconds {
        0..60 => return format!("{seconds} s"),
        60..3_600 => (seconds / 60, seconds % 60, ("min", "s")),
        _ => (seconds / 3_600, seconds % 3_600 / 60, ("h", "min")),
    };
    if rest == 0 {
        return format!("{whole} {}", names.0);
    }
    format!("{whole} {} {rest} {}", names.0, names.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (value, shown) in [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")]
        {
            assert_eq!(number(value), shown);
        }
        assert_eq!(count(1, "page", "pages"), "1 page");
        for (seconds, shown) in
            [(59, "59 s"), (61, "1 min 1 s"), (900, "15 min"), (3_725, "1 h 2 min")]
        {
            assert_eq!(span(seconds), shown);
        }
    }
}
