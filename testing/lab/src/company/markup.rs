//! The same content as different makers write it.

use std::fmt::Write as _;

use super::plan::Make;

/// A heading with what belongs under it. `anchor` is its id, where it has one.
pub(super) fn section(make: Make, title: &str, anchor: &str, body: &str) -> String {
    let id = if anchor.is_empty() { String::new() } else { format!(" id=\"{anchor}\"") };
    match make {
        Make::Theme => format!(
            "<div class=\"wp-block-group\"{id}><div class=\"wp-block-group__inner-container\">\n\
             <h2 class=\"wp-block-heading\">{title}</h2>\n{body}</div></div>\n"
        ),
        Make::Soup => format!(
            "<div{id} class=\"comp-{0} _1KV2M\"><div class=\"_3wnIc\"><div data-testid=\"inline-content\">\
             <div class=\"txtNew\"><p class=\"font_2\"><span style=\"font-weight:bold\">{title}</span>\
             </p></div>\n{body}</div></div></div>\n",
            title.len()
        ),
        Make::Tables => format!(
            "<TABLE WIDTH=760 BORDER=0 CELLPADDING=4{id}><TR><TD BGCOLOR=#DDDDCC><FONT FACE=\"Arial\" \
             SIZE=3><B>{title}</B></FONT></TD></TR>\n<TR><TD VALIGN=top>{body}</TD></TR></TABLE>\n"
        ),
        Make::Component => format!(
            "<section class=\"Section_root__a1B2c\"{id}><h2 class=\"Section_title__x9\">{title}</h2>\
             <div class=\"Section_body__k3\">{body}</div></section>\n"
        ),
        Make::Hand => format!("<h2{id}>{title}</h2>\n{body}\n"),
        Make::OnePage => format!(
            "<section{id} class=\"page-section bg-light\"><div class=\"container\"><h2 class=\"text-center \
             mt-0\">{title}</h2><hr class=\"divider\">{body}</div></section>\n"
        ),
    }
}

pub(super) fn paragraph(make: Make, text: &str) -> String {
    match make {
        Make::Soup => format!(
            "<div class=\"txtNew\"><p class=\"font_8\"><span style=\"font-size:16px\"><span \
             class=\"wixGuard\">\u{200b}</span>{text}</span></p></div>\n"
        ),
        Make::Tables => format!("<FONT FACE=\"Arial\" SIZE=2>{text}</FONT><BR><BR>\n"),
        _ => format!("<p>{text}</p>\n"),
    }
}

/// Labels and values. A label may be empty.
pub(super) fn rows(make: Make, rows: &[(String, String)]) -> String {
    let mut html = String::new();
    // Writing to a String cannot fail.
    let _ = match make {
        Make::Theme => write!(html, "<p>"),
        Make::Tables => writeln!(html, "<TABLE BORDER=0 CELLSPACING=2>"),
        Make::Component => write!(html, "<dl class=\"Facts_list__q8\">"),
        Make::OnePage => write!(html, "<ul class=\"list-unstyled\">"),
        Make::Soup | Make::Hand => Ok(()),
    };
    for (at, (label, value)) in rows.iter().enumerate() {
        let space = if label.is_empty() { "" } else { " " };
        let _ = match make {
            Make::Theme => {
                let end = if at + 1 < rows.len() { "<br />\n" } else { "" };
                write!(html, "<strong>{label}</strong>{space}{value}{end}")
            }
            Make::Soup => writeln!(
                html,
                "<div class=\"txtNew comp-r{at}\"><p class=\"font_8\"><span>{label}&nbsp;{value}</span></p>\
                 <p class=\"font_8\"><span class=\"wixGuard\">\u{200b}</span></p></div>"
            ),
            // Nobody closed a cell in those days.
            Make::Tables => writeln!(
                html,
                "<TR><TD VALIGN=top NOWRAP><FONT SIZE=2><B>{label}</B></FONT>\
                 <TD><FONT SIZE=2>{value}</FONT>"
            ),
            Make::Component => write!(html, "<div><dt>{label}</dt><dd>{value}</dd></div>"),
            Make::Hand => writeln!(html, "<div>{label}{space}{value}</div>"),
            Make::OnePage => {
                write!(html, "<li><i class=\"bi bi-dot\"></i> {label}{space}{value}</li>")
            }
        };
    }
    html.push_str(match make {
        Make::Theme => "</p>\n",
        Make::Tables => "</TABLE>\n",
        Make::Component => "</dl>\n",
        Make::OnePage => "</ul>\n",
        Make::Soup | Make::Hand => "",
    });
    html
}

/// The lines of an address.
pub(super) fn block(make: Make, lines: &[String]) -> String {
    match make {
        Make::Theme => format!("<p>{}</p>\n", lines.join("<br />\n")),
        Make::Soup => lines
            .iter()
            .map(|line| format!("<p class=\"font_8\"><span>{line}</span></p>"))
            .collect(),
        Make::Tables => format!("<FONT SIZE=2>{}</FONT><BR>\n", lines.join("<BR>")),
        Make::Component => {
            let spans: String = lines.iter().map(|line| format!("<span>{line}</span>\n")).collect();
            format!("<address class=\"Address_root__z7\">{spans}</address>\n")
        }
        Make::Hand => format!("<address>{}</address>\n", lines.join(", ")),
        Make::OnePage => format!("<p class=\"lead\">{}</p>\n", lines.join(" · ")),
    }
}

/// A list of links.
pub(super) fn links(make: Make, links: &[(String, String)]) -> String {
    let items: String = links
        .iter()
        .map(|(href, text)| match make {
            Make::Tables => format!("&raquo; <A HREF=\"{href}\">{text}</A><BR>\n"),
            _ => format!("<li><a href=\"{href}\">{text}</a></li>\n"),
        })
        .collect();
    if make == Make::Tables { items } else { format!("<ul>{items}</ul>\n") }
}
