//! Pieces of HTML that many templates share, each in several manners.

use std::fmt::Write as _;

use super::good::{Block, Form};

/// Text for an element or an attribute in double quotes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{a0}' => escaped.push_str("&nbsp;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A description, in one of three manners.
pub(super) fn description(blocks: &[Block], manner: usize) -> String {
    let mut html = String::new();
    for (at, block) in blocks.iter().enumerate() {
        let lines: Vec<String> = block.lines.iter().map(|line| dressed(&line.text)).collect();
        // Writing to a String cannot fail.
        let _ = match (block.form, manner % 3) {
            (Form::List, _) => {
                let items: String = lines.iter().map(|line| format!("<li>{line}</li>")).collect();
                writeln!(html, "<ul>{items}</ul>")
            }
            (Form::Address, _) => writeln!(html, "<p>{}</p>", lines.join("<br>\n")),
            (Form::Prose, 0) => writeln!(html, "<p>{}</p>", lines.join(" ")),
            (Form::Prose, 1) => match lines.split_first() {
                Some((first, rest)) => {
                    let rest = if rest.is_empty() {
                        String::new()
                    } else {
                        format!(" {}", rest.join(" "))
                    };
                    writeln!(html, "<p><strong>{first}</strong>{rest}</p>")
                }
                None => Ok(()),
            },
            (Form::Prose, _) => {
                let gap = if at == 0 { "" } else { "<br><br>\n" };
                writeln!(html, "{gap}{}", lines.join(" "))
            }
        };
    }
    html
}

/// A line as an editor leaves it: an address of mail is a link.
fn dressed(line: &str) -> String {
    let is_mail = |word: &&str| {
        let inner = word.trim_end_matches('.');
        inner.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
    };
    let text = escape(line);
    match line.split(' ').find(is_mail).map(|word| word.trim_end_matches('.')) {
        // Some editors hide it behind an entity.
        Some(mail) if mail.len() % 3 == 0 => text.replacen(mail, &mail.replace('@', "&#64;"), 1),
        Some(mail) => text.replacen(mail, &format!("<a href=\"mailto:{mail}\">{mail}</a>"), 1),
        None => text,
    }
}

/// A table of properties, in one of four manners.
pub(super) fn rows(rows: &[(String, String)], manner: usize, class: &str) -> String {
    let mut html = String::new();
    for (label, value) in rows {
        let (label, value) = (escape(label), escape(value));
        let _ = match manner % 4 {
            0 => writeln!(html, "<tr><th scope=\"row\">{label}</th><td>{value}</td></tr>"),
            1 => writeln!(html, "<dt>{label}</dt><dd>{value}</dd>"),
            2 => writeln!(html, "<li><strong>{label}:</strong> {value}</li>"),
            _ => writeln!(
                html,
                "<div class=\"{class}-row\"><span class=\"{class}-label\">{label}</span>\
                 <span class=\"{class}-value\">{value}</span></div>"
            ),
        };
    }
    if html.is_empty() {
        return html;
    }
    match manner % 4 {
        0 => format!("<table class=\"{class}\"><tbody>\n{html}</tbody></table>\n"),
        1 => format!("<dl class=\"{class}\">\n{html}</dl>\n"),
        2 => format!("<ul class=\"{class}\">\n{html}</ul>\n"),
        _ => format!("<div class=\"{class}\">\n{html}</div>\n"),
    }
}

/// A list of points, or nothing.
pub(super) fn points(points: &[&str], class: &str) -> String {
    if points.is_empty() {
        return String::new();
    }
    let items: String = points.iter().map(|point| format!("<li>{}</li>", escape(point))).collect();
    format!("<ul class=\"{class}\">{items}</ul>\n")
}

/// A trail, in one of three manners. A step without a path is where one stands.
pub(super) fn trail(steps: &[(String, Option<String>)], manner: usize, class: &str) -> String {
    let mut html = String::new();
    for (at, (name, path)) in steps.iter().enumerate() {
        let name = escape(name);
        let step = match path {
            Some(path) => format!("<a href=\"{path}\">{name}</a>"),
            None => format!("<span aria-current=\"page\">{name}</span>"),
        };
        let _ = match manner % 3 {
            0 => writeln!(html, "<li class=\"{class}-item\">{step}</li>"),
            1 if at > 0 => write!(html, " / {step}"),
            2 if at > 0 => write!(html, "<span class=\"sep\"> » </span>{step}"),
            _ => write!(html, "{step}"),
        };
    }
    match manner % 3 {
        0 => format!("<nav aria-label=\"breadcrumb\"><ol class=\"{class}\">\n{html}</ol></nav>\n"),
        1 => format!("<nav class=\"{class}\">{html}</nav>\n"),
        _ => format!("<div class=\"{class}\" id=\"trail\">{html}</div>\n"),
    }
}
