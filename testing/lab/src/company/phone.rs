//! Numbers of telephones and how people spell them.

use super::land::{Land, Town};
use crate::draw::Draw;

/// A number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    dial: &'static str,
    trunk: &'static str,
    /// The dialling code, the mobile prefix, or nothing.
    area: String,
    subscriber: String,
    /// The direct line behind the switchboard: part of the number.
    direct: Option<String>,
    /// What the operator is asked for: no part of the number.
    pub(super) extension: Option<String>,
    /// Letters for digits.
    vanity: Option<String>,
    /// Reached only within the country.
    short: bool,
}

/// The ways to spell one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Spelling {
    /// 0221 4710 123
    #[default]
    National,
    /// (0221) 4710 123
    Parentheses,
    /// 0221/4710123
    Slash,
    /// 503-555-0123
    Dashed,
    /// 503.555.0123
    Dotted,
    /// 976221122
    Joined,
    /// Groups of three, whatever the area.
    Bare,
    /// +49 221 4710 123
    International,
    /// +49 (0)221 4710 123
    ZeroInside,
    /// 0049 221 4710 123
    DoubleZero,
}

impl Number {
    /// A line in a town; direct lines go behind the switchboard of the firm.
    pub(super) fn fixed(land: &Land, town: &Town, draw: &mut Draw) -> Self {
        let (exchange, digits) = town.exchange;
        let tail = draw.line_digits(digits);
        Self::new(land, town.area, format!("{exchange}{tail}"))
    }

    /// A mobile line; a fixed one where the country has no prefixes for them.
    pub(super) fn mobile(land: &Land, town: &Town, draw: &mut Draw) -> Self {
        let (prefix, digits) = draw.pick(land.mobiles);
        if prefix.is_empty() {
            return Self::fixed(land, town, draw);
        }
        // British fiction has 07700 900xxx alone.
        let tail = if land.code == "GB" {
            format!("900{}", draw.line_digits(3))
        } else {
            draw.line_digits(digits)
        };
        let (area, rest) = match land.code {
            "DE" => prefix.split_at(3),
            "FR" | "NL" => prefix.split_at(1),
            "BR" => prefix.split_at(2),
            "PL" | "ES" | "PT" => ("", prefix),
            _ => (prefix, ""),
        };
        Self::new(land, area, format!("{rest}{tail}"))
    }

    fn new(land: &Land, area: &str, subscriber: String) -> Self {
        Self {
            dial: land.dial,
            trunk: land.trunk,
            area: area.to_owned(),
            subscriber,
            direct: None,
            extension: None,
            vanity: None,
            short: false,
        }
    }

    /// The switchboard of a house with direct lines, as German and Austrian ones are.
    pub(super) fn switchboard(&self, town: &Town) -> Self {
        // A short beginning is no whole number yet.
        let whole = town.exchange.0.len() >= 4;
        let subscriber = if whole { town.exchange.0 } else { &self.subscriber };
        let (subscriber, direct) = (subscriber.to_owned(), Some("0".to_owned()));
        Self { subscriber, direct, ..self.clone() }
    }

    /// A direct line behind the same switchboard.
    pub(super) fn direct(&self, line: usize) -> Self {
        Self { direct: Some(line.to_string()), ..self.clone() }
    }

    /// The same number with somebody to ask for.
    pub(super) fn asking_for(&self, extension: usize) -> Self {
        Self { extension: Some(extension.to_string()), ..self.clone() }
    }

    /// An American number that spells a word.
    pub(super) fn vanity(land: &Land, area: &str, word: &str) -> Self {
        let keys = |letter: char| match letter {
            'A'..='C' => '2',
            'D'..='F' => '3',
            'G'..='I' => '4',
            'J'..='L' => '5',
            'M'..='O' => '6',
            'P'..='S' => '7',
            'T'..='V' => '8',
            'W'..='Z' => '9',
            other => other,
        };
        let digits: String = word.chars().map(keys).collect();
        let vanity = Some(word.to_owned());
        Self { vanity, ..Self::new(land, area, format!("555{digits}")) }
    }

    /// A number of a few digits.
    pub(super) fn short(land: &Land, digits: &str) -> Self {
        Self { short: true, ..Self::new(land, "", digits.to_owned()) }
    }

    pub(super) fn has_switchboard(&self) -> bool {
        self.direct.is_some()
    }

    /// As E.164; nothing for a short number.
    pub(super) fn e164(&self) -> Option<String> {
        let direct = self.direct.as_deref().unwrap_or_default();
        (!self.short).then(|| format!("+{}{}{}{direct}", self.dial, self.area, self.subscriber))
    }

    /// As it is spelled.
    pub(super) fn spelled(&self, spelling: Spelling, extension: &str) -> String {
        let Self { dial, trunk, area, .. } = self;
        if self.short {
            let (first, rest) = self.subscriber.split_at(self.subscriber.len() / 2);
            return format!("{first} {rest}");
        }
        if let Some(word) = &self.vanity {
            return format!("1-{area}-555-{word}");
        }
        let space = |mark: &str| self.grouped(mark);
        let inside = match (area.is_empty(), trunk.is_empty()) {
            (true, _) => format!("+{dial} {}", space(" ")),
            (false, true) => format!("+{dial} {area} {}", space(" ")),
            (false, false) => format!("+{dial} ({trunk}){area} {}", space(" ")),
        };
        let text = match spelling {
            _ if area.is_empty() => match spelling {
                Spelling::International | Spelling::ZeroInside => inside,
                Spelling::DoubleZero => format!("00{dial} {}", space(" ")),
                Spelling::Dotted => space("."),
                Spelling::Joined => self.subscriber.clone(),
                _ => space(" "),
            },
            Spelling::National => format!("{trunk}{area} {}", space(" ")),
            Spelling::Parentheses if matches!(*dial, "1" | "55") => {
                format!("({area}) {}", space("-"))
            }
            Spelling::Parentheses => format!("({trunk}{area}) {}", space(" ")),
            Spelling::Slash => format!("{trunk}{area}/{}", space("")),
            Spelling::Dashed if *dial == "1" => format!("{area}-{}", space("-")),
            Spelling::Dashed => format!("{trunk}{area} - {}", space(" ")),
            Spelling::Dotted => format!("{trunk}{area}.{}", space(".")),
            Spelling::Joined => format!("{trunk}{area}{}", self.subscriber),
            Spelling::Bare => threes(&format!("{trunk}{area}{}", self.subscriber)),
            Spelling::International => format!("+{dial} {area} {}", space(" ")),
            Spelling::ZeroInside => inside,
            Spelling::DoubleZero => format!("00{dial} {area} {}", space(" ")),
        };
        match &self.extension {
            Some(number) => format!("{text} {extension} {number}"),
            None => text,
        }
    }

    /// The subscriber's digits in the groups of the country.
    fn grouped(&self, mark: &str) -> String {
        if let Some(direct) = &self.direct {
            return format!("{}-{direct}", self.subscriber);
        }
        let digits = &self.subscriber;
        let sizes: &[usize] = match (self.dial, digits.len()) {
            ("33" | "31", 8) => &[2, 2, 2, 2],
            ("1" | "44" | "353", 7) => &[3, 4],
            ("44", 6) => &[3, 3],
            ("55", 9) => &[5, 4],
            ("49", _) | (_, 1..=4) => return digits.clone(),
            (_, 9) => &[3, 3, 3],
            (_, 8) => &[4, 4],
            (_, 7) => &[3, 2, 2],
            (_, 5) => &[3, 2],
            _ => &[2, 2, 2],
        };
        let mut parts = Vec::with_capacity(sizes.len());
        let mut rest = digits.as_str();
        for size in sizes {
            let (part, after) = rest.split_at((*size).min(rest.len()));
            parts.push(part);
            rest = after;
        }
        parts.join(mark)
    }
}

fn threes(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
