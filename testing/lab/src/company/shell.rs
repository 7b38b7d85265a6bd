//! What surrounds every page of a site: head, menu, footer, banner, traps.

use std::fmt::Write as _;

use super::firm::{GENERAL, MAIN};
use super::linked_data;
use super::noise;
use super::paths::Page;
use super::plan::{Imprint, Make, TeamAt, Twist};
use super::scribe::{Key, Scribe, escape};
use super::truth::Method;

/// The whole page.
pub(super) fn wrapped(scribe: &mut Scribe<'_>, page: Page, body: &str) -> String {
    let plan = scribe.firm.plan;
    let (title, _) = page.names(&plan);
    let name = scribe.name();
    let description = if page == Page::Home { description(scribe) } else { String::new() };
    let data = if matches!(page, Page::Home | Page::Contact) {
        linked_data::script(scribe)
    } else {
        String::new()
    };
    let state = linked_data::state(scribe);
    let (menu, footer) = (menu(scribe), footer(scribe));
    let (banner, trap) = (noise::cookies(scribe), noise::honeypot(scribe));
    let region = plan.land.code;
    let tag = plan.words.tag;
    let heading = match plan.seed % 3 {
        0 => format!("{name} – {title}"),
        1 => format!("{title} | {name}"),
        _ if page == Page::Home => format!("{} – {name}", plan.words.talk.tagline),
        _ => title.to_owned(),
    };
    let head = format!(
        "<title>{heading}</title>\n{description}<style>.rq7{{display:none}}\
         .hp{{position:absolute;left:-9999px}}</style>\n{data}"
    );
    match plan.make {
        Make::Tables => format!(
            "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML LANG=\"{tag}\">\n<HEAD>\n\
             <META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=utf-8\">\n{head}</HEAD>\n\
             <BODY BGCOLOR=#FFFFFF TEXT=#333333>\n<TABLE WIDTH=780 ALIGN=center BORDER=0><TR>\
             <TD WIDTH=160 VALIGN=top BGCOLOR=#EEEEDD>{menu}</TD>\n<TD VALIGN=top>{body}</TD></TR>\n\
             <TR><TD COLSPAN=2 ALIGN=center><FONT SIZE=1>{footer}</FONT></TD></TR></TABLE>\n{trap}</BODY></HTML>\n"
        ),
        Make::Soup => format!(
            "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"generator\" content=\"Box Builder\">\n{head}</head>\n<body><div id=\"SITE_CONTAINER\">\
             <div id=\"main_MF\"><div id=\"SITE_HEADER\"><div class=\"_2Hij5\">{menu}</div></div>\
             <div id=\"PAGES_CONTAINER\"><div><div>{body}</div></div></div>\
             <div id=\"SITE_FOOTER\"><div><div class=\"_3e5\">{footer}</div></div></div></div></div>\n\
             {trap}{banner}</body></html>\n"
        ),
        Make::Theme | Make::Component | Make::Hand | Make::OnePage => {
            let class = match plan.make {
                Make::Theme => "wp-singular page-template-default wp-theme-lumenpress",
                Make::Component => "antialiased",
                _ => "site",
            };
            format!(
                "<!doctype html>\n<html lang=\"{tag}-{region}\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{head}</head>\n\
                 <body class=\"{class}\">\n{banner}<header class=\"site-header\">{menu}</header>\n\
                 <main id=\"content\"><h1>{title}</h1>\n{body}</main>\n<footer class=\"site-footer\">{footer}\
                 </footer>\n{trap}{state}</body>\n</html>\n"
            )
        }
    }
}

fn description(scribe: &mut Scribe<'_>) -> String {
    let text = description_text(scribe);
    let written = scribe.say(Key::Description, &text);
    format!("<meta name=\"description\" content=\"{written}\">\n")
}

/// What the head of the home page says of the company.
pub(super) fn description_text(scribe: &Scribe<'_>) -> String {
    format!("{} – {}", scribe.firm.name, scribe.firm.plan.words.talk.tagline)
}

fn menu(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut pages = vec![Page::Home, Page::About, Page::Services, Page::News];
    if plan.team.at == TeamAt::Own {
        pages.push(Page::Team);
    }
    pages.push(Page::Contact);
    let logo = "/img/logo.svg";
    scribe.note(Key::Logo, Method::Text, logo, None);
    let name = scribe.name();
    let mut html =
        format!("<a class=\"logo\" href=\"/\"><img src=\"{logo}\" alt=\"{name}\"></a>\n");
    let items: Vec<(String, &str)> =
        pages.into_iter().map(|page| (page.path(&plan), page.names(&plan).0)).collect();
    let item = |(href, text): &(String, &str)| match plan.make {
        Make::Tables => format!("<A HREF=\"{href}\"><FONT SIZE=2>{text}</FONT></A><BR>\n"),
        Make::Soup => {
            format!("<div class=\"_1Z_nJ\"><a href=\"{href}\"><div><p>{text}</p></div></a></div>\n")
        }
        _ => format!("<li class=\"menu-item\"><a href=\"{href}\">{text}</a></li>\n"),
    };
    let list: String = items.iter().map(item).collect();
    // Writing to a String cannot fail.
    let _ = match plan.make {
        Make::Tables | Make::Soup => write!(html, "{list}"),
        _ => write!(html, "<nav><ul class=\"menu\">{list}</ul></nav>"),
    };
    html
}

fn footer(scribe: &mut Scribe<'_>) -> String {
    let plan = scribe.firm.plan;
    let mut html = String::new();
    // Every second site gives its seat on each page.
    if plan.habit % 2 == 1 && !plan.is(Twist::FormOnly) {
        let address = scribe.address(0).join(", ");
        let (phone, mail) = (scribe.phone(MAIN), scribe.mail(GENERAL));
        let _ = writeln!(html, "<div class=\"widget\">{address}<br>{phone}<br>{mail}</div>");
    }
    if plan.imprint == Imprint::Footer {
        let legal = scribe.legal_name();
        let ids: Vec<String> =
            scribe.ids().into_iter().map(|(label, value)| format!("{label} {value}")).collect();
        let _ = writeln!(html, "<p class=\"legal\">{legal}. {}.</p>", ids.join(". "));
    }
    if !scribe.firm.socials.is_empty() {
        let _ = write!(html, "<div class=\"social\">{} ", plan.words.labels.follow);
        for (at, (network, url)) in scribe.firm.socials.clone().iter().enumerate() {
            let url = escape(url);
            scribe.note(Key::Social(at), Method::Text, &url, None);
            let _ = write!(
                html,
                "<a href=\"{url}\" target=\"_blank\" aria-label=\"{network}\"><i class=\"icon-{network}\"></i></a> "
            );
        }
        html.push_str("</div>\n");
    }
    let mut pages = vec![Page::Privacy, Page::Jobs];
    if plan.imprint == Imprint::Own {
        pages.insert(0, Page::Imprint);
    }
    if plan.press {
        pages.push(Page::Press);
    }
    for page in pages {
        let _ = write!(html, "<a href=\"{}\">{}</a> | ", page.path(&plan), page.names(&plan).0);
    }
    let name = scribe.name();
    let credit = noise::credit(scribe);
    let _ = writeln!(html, "\n<p>© 2011–2024 {name}. {credit}</p>");
    html
}
