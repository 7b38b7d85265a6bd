//! TeX commands of symbols and function names.

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

/// The command of a character that TeX does not accept or that is better known by its name.
fn command(sign: char) -> Option<&'static str> {
    Some(match sign {
        // Invisible operators: function application, times, separator, plus.
        '\u{2061}'..='\u{2064}' | '\u{200b}' => "",
        '\u{a0}' => "\\ ",
        '{' => "\\{",
        '}' => "\\}",
        '#' => "\\#",
        '$' => "\\$",
        '%' => "\\%",
        '&' => "\\&",
        '_' => "\\_",
        '^' => "\\hat{}",
        '~' => "\\sim",
        '\\' => "\\backslash",
        '−' => "-",
        '∗' => "*",
        '′' | '’' => "'",
        '″' => "''",
        '°' => "^{\\circ}",
        '×' => "\\times",
        '÷' => "\\div",
        '⋅' | '·' => "\\cdot",
        '±' => "\\pm",
        '∓' => "\\mp",
        '∘' => "\\circ",
        '⊕' => "\\oplus",
        '⊗' => "\\otimes",
        '≤' => "\\le",
        '≥' => "\\ge",
        '≠' => "\\ne",
        '≪' => "\\ll",
        '≫' => "\\gg",
        '≈' => "\\approx",
        '≡' => "\\equiv",
        '∼' => "\\sim",
        '≃' => "\\simeq",
        '≅' => "\\cong",
        '∝' => "\\propto",
        '∈' => "\\in",
        '∉' => "\\notin",
        '∋' => "\\ni",
        '⊂' => "\\subset",
        '⊆' => "\\subseteq",
        '⊃' => "\\supset",
        '⊇' => "\\supseteq",
        '∪' => "\\cup",
        '∩' => "\\cap",
        '∖' => "\\setminus",
        '∅' => "\\emptyset",
        '∞' => "\\infty",
        '∂' => "\\partial",
        '∇' => "\\nabla",
        '∑' => "\\sum",
        '∏' => "\\prod",
        '∫' => "\\int",
        '∮' => "\\oint",
        '⋃' => "\\bigcup",
        '⋂' => "\\bigcap",
        '√' => "\\surd",
        '→' => "\\to",
        '←' => "\\leftarrow",
        '↔' => "\\leftrightarrow",
        '⇒' => "\\Rightarrow",
        '⇐' => "\\Leftarrow",
        '⇔' => "\\Leftrightarrow",
        '↦' => "\\mapsto",
        '∀' => "\\forall",
        '∃' => "\\exists",
        '¬' => "\\neg",
        '∧' => "\\wedge",
        '∨' => "\\vee",
        '…' => "\\dots",
        '⋯' => "\\cdots",
        '⋮' => "\\vdots",
        '⋱' => "\\ddots",
        '⟨' | '〈' => "\\langle",
        '⟩' | '〉' => "\\rangle",
        '⌊' => "\\lfloor",
        '⌋' => "\\rfloor",
        '⌈' => "\\lceil",
        '⌉' => "\\rceil",
        '‖' | '∥' => "\\|",
        '∣' => "\\mid",
        '⊥' => "\\perp",
        'ℓ' => "\\ell",
        'ℏ' => "\\hbar",
        'ℂ' => "\\mathbb{C}",
        'ℕ' => "\\mathbb{N}",
        'ℚ' => "\\mathbb{Q}",
        'ℝ' => "\\mathbb{R}",
        'ℤ' => "\\mathbb{Z}",
        'Γ' => "\\Gamma",
        'Δ' | '∆' => "\\Delta",
        'Θ' => "\\Theta",
        'Λ' => "\\Lambda",
        'Ξ' => "\\Xi",
        'Π' => "\\Pi",
        'Σ' => "\\Sigma",
        'Φ' => "\\Phi",
        'Ψ' => "\\Psi",
        'Ω' => "\\Omega",
        'α' => "\\alpha",
        'β' => "\\beta",
        'γ' => "\\gamma",
        'δ' => "\\delta",
        'ε' | 'ϵ' => "\\epsilon",
        'ζ' => "\\zeta",
        'η' => "\\eta",
        'θ' => "\\theta",
        'ι' => "\\iota",
        'κ' => "\\kappa",
        'λ' => "\\lambda",
        'μ' | 'µ' => "\\mu",
        'ν' => "\\nu",
        'ξ' => "\\xi",
        'π' => "\\pi",
        'ρ' => "\\rho",
        'σ' => "\\sigma",
        'ς' => "\\varsigma",
        'τ' => "\\tau",
        'υ' => "\\upsilon",
        'φ' => "\\varphi",
        'ϕ' => "\\phi",
        'χ' => "\\chi",
        'ψ' => "\\psi",
        'ω' => "\\omega",
        _ => return None,
    })
}
