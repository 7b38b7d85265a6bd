//! TeX commands of symbols and function names.

use std::sync::LazyLock;

use hashbrown::HashMap;
use text::vocabulary;

/// Function names with a TeX command.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// An identifier: a symbol, a function name or a word.
pub(super) fn identifier(text: &str) -> String {
    let name = text.trim();
    let written = operator(name);
    let is_word = name.chars().count() > 1 && !FUNCTIONS.contains(&name);
    if is_word { format!("\\mathrm{{{written}}}") } else { written }
}

/// Numbers and operators, character by character.
pub(super) fn operator(text: &str) -> String {
    let name = text.trim();
    if FUNCTIONS.contains(&name) {
        return format!("\\{name}");
    }
    let mut written = String::new();
    let mut after_command = false;
    for sign in name.chars() {
        let command = command(sign);
        if after_command && sign.is_ascii_alphabetic() {
            written.push(' ');
        }
        match command {
            Some(command) => written.push_str(command),
            None => written.push(sign),
        }
        after_command = command.is_some_and(|it| it.ends_with(|c: char| c.is_ascii_alphabetic()));
    }
    written
}

/// Text within a formula.
pub(super) fn text(text: &str) -> String {
    let mut written = String::new();
    for sign in text.chars() {
        if matches!(sign, '{' | '}' | '#' | '$' | '%' | '&' | '_') {
            written.push('\\');
        }
        match sign {
            '\\' => written.push_str("\\textbackslash "),
            '^' => written.push_str("\\textasciicircum "),
            _ if sign.is_whitespace() => written.push(' '),
            _ => written.push(sign),
        }
    }
    if written.trim().is_empty() { "\\ ".to_owned() } else { format!("\\text{{{written}}}") }
}

/// The accent command of a character above a base.
pub(super) fn accent(above: &str) -> Option<&'static str> {
    Some(match above {
        "¯" | "‾" | "―" | "̅" => "\\overline",
        "^" | "ˆ" | "̂" | "\\hat{}" => "\\hat",
        "~" | "˜" | "̃" | "\\sim" => "\\tilde",
        "\\to" | "⃗" | "⇀" => "\\vec",
        "." | "˙" | "̇" => "\\dot",
        "¨" | "̈" => "\\ddot",
        "ˇ" => "\\check",
        "˘" => "\\breve",
        "⏞" => "\\overbrace",
        _ => return None,
    })
}

static COMMANDS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let rows = vocabulary::keyed(term_file!("math_symbols.tsv"));
    rows.flat_map(|(signs, command)| signs.chars().map(move |sign| (sign, command))).collect()
});

/// The command of a character that TeX does not accept or that is better known by its name.
fn command(sign: char) -> Option<&'static str> {
    match sign {
        // Invisible operators: function application, times, separator, plus.
        '\u{2061}'..='\u{2064}' | '\u{200b}' => Some(""),
        '\u{a0}' => Some("\\ "),
        '#' => Some("\\#"),
        _ => COMMANDS.get(&sign).copied(),
    }
}
