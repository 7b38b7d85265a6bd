//! Converts presentation MathML without a TeX annotation to TeX.
//!
//! One pass over the markup with a stack of open elements. Unknown elements are replaced by their
//! content, and so are elements with missing children.

use super::symbols::{accent, identifier, operator, text};
use html::entity::{EntityContext, resolve};
use html::tokenizer::{HtmlToken, Tokenizer};

/// Maximum bytes and nesting of a formula.
const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 128;

/// Operators whose scripts are limits.
const WITH_LIMITS: &[&str] = &[
    "\\sum", "\\prod", "\\int", "\\oint", "\\bigcup", "\\bigcap", "\\lim", "\\max", "\\min",
    "\\sup", "\\inf", "\\limsup", "\\liminf", "\\det", "\\gcd",
];

/// Separates postscripts from prescripts.
const BEFORE: &str = "\\mprescripts";

/// The TeX of the formula at the beginning of a text; `None` if it does not end.
pub(super) fn tex(markup: &str) -> Option<String> {
    let markup = &markup[..markup.floor_char_boundary(MAX_BYTES)];
    let mut tokenizer = Tokenizer::new(markup);
    let mut open: Vec<MathElement<'_>> = Vec::new();
    while let Some(token) = tokenizer.next_token() {
        match token {
            HtmlToken::Start(_) => {
                open.push(MathElement::begin(&tokenizer));
                if open.len() > MAX_DEPTH {
                    return None;
                }
                if tokenizer.is_closed() {
                    end(&mut open);
                }
            }
            HtmlToken::End(_) => {
                let name = tokenizer.name();
                let Some(at) = open.iter().rposition(|part| part.name.eq_ignore_ascii_case(name))
                else {
                    continue;
                };
                while open.len() > at {
                    if let Some(whole) = end(&mut open) {
                        return Some(whole);
                    }
                }
            }
            HtmlToken::Text(text) => {
                open.last_mut()?.text.push_str(&resolve(text, EntityContext::Text))
            }
            HtmlToken::Raw(..) => {}
        }
    }
    None
}

/// Ends the innermost element and adds it to its parent; returns the formula at the end.
fn end(open: &mut Vec<MathElement<'_>>) -> Option<String> {
    let into_tex = open.pop()?.into_tex();
    match open.last_mut() {
        Some(around) => {
            around.parts.push(into_tex);
            None
        }
        None => Some(into_tex),
    }
}

/// An open MathML element.
struct MathElement<'a> {
    name: &'a str,
    /// Opening and closing fence and separators of `mfenced`.
    fences: [&'a str; 3],
    has_bar: bool,
    text: String,
    parts: Vec<String>,
}

impl<'a> MathElement<'a> {
    fn begin(tokenizer: &Tokenizer<'a>) -> Self {
        let or = |name, usual| tokenizer.attribute(name).unwrap_or(usual);
        let thickness = or("linethickness", "1");
        Self {
            name: tokenizer.name(),
            fences: [or("open", "("), or("close", ")"), or("separators", ",")],
            has_bar: !thickness.starts_with('0') || thickness.starts_with("0."),
            text: String::new(),
            parts: Vec::new(),
        }
    }

    fn into_tex(self) -> String {
        let all = || joined(&self.parts);
        match (self.name.to_ascii_lowercase().as_str(), self.parts.as_slice()) {
            ("mi", []) => identifier(&self.text),
            ("mn" | "mo" | "ms", []) => operator(&self.text),
            ("mtext", []) => text(&self.text),
            ("mspace", _) => "\\ ".to_owned(),
            ("annotation" | "annotation-xml" | "none" | "mphantom", _) => String::new(),
            ("mprescripts", _) => BEFORE.to_owned(),
            ("msup", [base, above]) => format!("{}{}", grouped(base), raised(above)),
            ("msub", [base, below]) => format!("{}_{{{below}}}", grouped(base)),
            ("msubsup", [base, below, above]) => {
                format!("{}_{{{below}}}{}", grouped(base), raised(above))
            }
            ("mfrac", [above, below]) if self.has_bar => format!("\\frac{{{above}}}{{{below}}}"),
            ("mfrac", [above, below]) => format!("{{{above} \\atop {below}}}"),
            ("msqrt", _) => format!("\\sqrt{{{}}}", all()),
            ("mroot", [base, degree]) => format!("\\sqrt[{degree}]{{{base}}}"),
            ("munder", [base, below]) => under(base, below),
            ("mover", [base, above]) => over(base, above),
            ("munderover", [base, below, above]) if takes_limits(base) => {
                format!("{base}_{{{below}}}^{{{above}}}")
            }
            ("munderover", [base, below, above]) => over(&under(base, below), above),
            ("mmultiscripts", [base, scripts @ ..]) => scripted(base, scripts),
            ("mfenced", parts) => self.fenced(parts),
            ("mtr", cells) => cells.join(" & "),
            // The first cell is the equation number.
            ("mlabeledtr", [_, cells @ ..]) => cells.join(" & "),
            ("mtable", rows) => {
                format!("\\begin{{matrix}} {} \\end{{matrix}}", rows.join(" \\\\ "))
            }
            _ => all(),
        }
    }

    fn fenced(&self, parts: &[String]) -> String {
        let [open, close, separators] =
            self.fences.map(|value| resolve(value, EntityContext::Attribute));
        let mut separators: Vec<char> = separators.chars().filter(|c| !c.is_whitespace()).collect();
        // The last separator is repeated.
        let last = separators.pop();
        let mut separators = separators.into_iter().chain(last.into_iter().cycle());
        let mut within = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                within.extend(
                    separators.next().map(|separator| operator(separator.encode_utf8(&mut [0; 4]))),
                );
            }
            within.push(part.clone());
        }
        joined(&[vec![operator(&open)], within, vec![operator(&close)]].concat())
    }
}

/// Joins parts with a space where a command would merge with the next letter.
fn joined(parts: &[String]) -> String {
    let mut all = String::new();
    // Tracks only the last part: a formula may be one long row of letters.
    let mut after_command = false;
    for part in parts.iter().filter(|part| !part.is_empty() && *part != BEFORE) {
        if after_command && part.starts_with(|next: char| next.is_ascii_alphabetic()) {
            all.push(' ');
        }
        all.push_str(part);
        after_command = ends_in_command(part);
    }
    all
}

fn ends_in_command(tex: &str) -> bool {
    let before = tex.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    before.len() < tex.len() && before.ends_with('\\')
}

/// The base of a script: one character or command unchanged, anything else in braces.
fn grouped(base: &str) -> String {
    let name = base.strip_prefix('\\').unwrap_or_default();
    let is_command = !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphabetic());
    if is_command || base.chars().count() == 1 { base.to_owned() } else { format!("{{{base}}}") }
}

/// A superscript; primes need no `^`.
fn raised(above: &str) -> String {
    let is_prime = !above.is_empty() && above.bytes().all(|sign| sign == b'\'');
    if is_prime { above.to_owned() } else { format!("^{{{above}}}") }
}

fn takes_limits(base: &str) -> bool {
    WITH_LIMITS.contains(&base)
}

fn under(base: &str, below: &str) -> String {
    match below {
        _ if takes_limits(base) => format!("{base}_{{{below}}}"),
        "\\_" | "¯" | "‾" | "̲" => format!("\\underline{{{base}}}"),
        "⏟" => format!("\\underbrace{{{base}}}"),
        _ if base.starts_with("\\underbrace") => format!("{base}_{{{below}}}"),
        _ => format!("\\underset{{{below}}}{{{base}}}"),
    }
}

fn over(base: &str, above: &str) -> String {
    match accent(above) {
        _ if takes_limits(base) => format!("{base}^{{{above}}}"),
        Some(accent) => format!("{accent}{{{base}}}"),
        None if base.starts_with("\\overbrace") => format!("{base}^{{{above}}}"),
        None => format!("\\overset{{{above}}}{{{base}}}"),
    }
}

/// A base with pairs of postscripts and prescripts.
fn scripted(base: &str, scripts: &[String]) -> String {
    let (behind, before) = match scripts.iter().position(|script| script == BEFORE) {
        Some(at) => (&scripts[..at], &scripts[at + 1..]),
        None => (scripts, &[][..]),
    };
    let pairs = |scripts: &[String]| {
        let pair = |pair: &[String]| {
            let places = ["_", "^"].into_iter().zip(pair).filter(|(_, script)| !script.is_empty());
            places.map(|(place, script)| format!("{place}{{{script}}}")).collect::<String>()
        };
        scripts.chunks(2).map(pair).collect::<Vec<_>>().join("{}")
    };
    let before = pairs(before);
    let start = if before.is_empty() { "" } else { "{}" };
    format!("{start}{before}{}{}", grouped(base), pairs(behind))
}
