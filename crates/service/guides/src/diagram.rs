//! Mermaid diagrams of the documentation as tables and lists, which need no script and which screen
//! readers can read. GitHub draws the same text.

use std::fmt::Write as _;

/// The language of a code block with a diagram.
pub(crate) const LANGUAGE: &str = "mermaid";

/// The diagram as HTML; `None` for a kind that this file does not know.
pub(crate) fn html(diagram: &str) -> Option<String> {
    let mut lines = diagram.lines().map(str::trim).filter(|line| !line.is_empty());
    let kind = lines.next()?;
    if kind.starts_with("stateDiagram") {
        return Some(transitions(lines));
    }
    kind.starts_with("flowchart").then(|| groups(lines))
}

/// A table with one row per transition: `from --> to: reason`.
fn transitions<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut table = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Transitions\"><table>\
         <caption class=\"hidden-label\">Transitions</caption>\
         <thead><tr><th scope=\"col\">From</th><th scope=\"col\">To</th>\
         <th scope=\"col\">By</th></tr></thead><tbody>",
    );
    for (from, rest) in lines.filter_map(|line| line.split_once("-->")) {
        let (to, reason) = rest.split_once(": ").unwrap_or((rest, ""));
        let (from, to) = (state(from, "start"), state(to, "end"));
        let _ = write!(table, "<tr><td>{from}</td><td>{to}</td><td>{}</td></tr>", escaped(reason));
    }
    table.push_str("</tbody></table></div>\n");
    table
}

/// The name of a state; `[*]` is the start or the end of the diagram.
fn state(name: &str, outside: &str) -> String {
    match name.trim() {
        "[*]" => format!("({outside})"),
        name => format!("<code>{}</code>", escaped(name)),
    }
}

/// A list of the groups with their members, and a list of the arrows between groups.
fn groups<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let (mut items, mut arrows) = (String::new(), Vec::new());
    let mut open = false;
    for line in lines {
        if let Some(group) = line.strip_prefix("subgraph ") {
            let _ = write!(items, "<li><b>{}</b>: ", escaped(label(group)));
            open = true;
        } else if line == "end" {
            items.push_str("</li>\n");
            open = false;
        } else if let Some((from, to)) = line.split_once("-->") {
            arrows.push(format!(
                "<code>{}</code> → <code>{}</code>",
                escaped(from.trim()),
                escaped(to.trim())
            ));
        } else if open {
            let members = line.split(" & ").map(|name| format!("<code>{}</code>", escaped(name)));
            if items.ends_with("</code>") {
                items.push_str(", ");
            }
            items.push_str(&members.collect::<Vec<_>>().join(", "));
        } else {
            let _ = writeln!(items, "<li><b>{}</b></li>", escaped(label(line)));
        }
    }
    let arrows = match arrows.is_empty() {
        true => String::new(),
        false => format!("<p>Dependencies: {}.</p>\n", arrows.join(", ")),
    };
    format!("<ul>\n{items}</ul>\n{arrows}")
}

/// The label of `name["label"]`, or the name.
fn label(node: &str) -> &str {
    match node.split_once("[\"") {
        Some((_, rest)) => rest.trim_end_matches("\"]"),
        None => node,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_diagram_is_a_table_of_its_transitions() {
        let table = html("stateDiagram-v2\n    [*] --> a: Make<T>\n    a --> b\n").expect("known");
        let rows = [
            "<td>(start)</td><td><code>a</code></td><td>Make&lt;T&gt;</td>",
            "<td><code>a</code></td><td><code>b</code></td><td></td>",
        ];
        assert!(rows.iter().all(|row| table.contains(row)), "{table}");
        assert!(!table.contains("style="), "{table}");
    }

    #[test]
    fn flowchart_is_a_list_of_its_groups() {
        let chart = "flowchart TB\n    t[\"t: all\"]\n    subgraph s[\"s: I/O\"]\n        a & b\n        \
                     c\n    end\n    t --> s\n";
        let list = html(chart).expect("known");
        assert!(list.contains("<li><b>t: all</b></li>"), "{list}");
        let group = "<li><b>s: I/O</b>: <code>a</code>, <code>b</code>, <code>c</code></li>";
        assert!(list.contains(group), "{list}");
        assert!(list.contains("<code>t</code> → <code>s</code>"), "{list}");
    }

    #[test]
    fn every_diagram_of_the_documentation_is_known() {
        let blocks = crate::sources::SOURCES.iter().flat_map(|(path, text)| {
            text.split("```mermaid\n").skip(1).map(move |rest| (path, rest))
        });
        let mut count = 0;
        for (path, rest) in blocks {
            let diagram = rest.split("```").next().unwrap_or_default();
            assert!(html(diagram).is_some(), "{path} has a diagram of another kind");
            count += 1;
        }
        assert!(count >= 3, "the documentation has diagrams");
    }
}
