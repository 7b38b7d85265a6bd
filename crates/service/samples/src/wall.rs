//! `https://wall.lab.test/`: six pages behind bot protection. Plain requests get a challenge; the
//! protected tier gets the pages.

use crate::page::{SamplePage, document, robots, sitemap};

const HOST: &str = "https://wall.lab.test";

const PAGES: [(&str, &str, &str); 6] = [
    ("/", "Members", "Welcome behind the wall. The protected tier fetched this page for you."),
    ("/prices", "Prices", "One credit buys one look, and five buy a look behind a wall."),
    ("/news", "News", "The wall was painted in spring. It is still there, and still a wall."),
    ("/rules", "Rules", "Ask before you enter, do not run in the corridors, close the door."),
    ("/people", "People", "No real people here. The lights are on so that you can test your code."),
    ("/visits", "Visits", "Visits are counted at the door and charged when you leave with a page."),
];

/// The page at a path, or a challenge unless the request came through the protected tier.
pub(crate) fn page(path: &str, is_tier: bool) -> SamplePage {
    match path {
        "/robots.txt" => robots(HOST, ""),
        "/sitemap.xml" => sitemap(PAGES.iter().map(|(path, ..)| (format!("{HOST}{path}"), ""))),
        _ if !is_tier => challenge(),
        _ => match PAGES.iter().find(|(known, ..)| *known == path) {
            Some((_, title, text)) => behind(title, text),
            None => SamplePage::not_found(),
        },
    }
}

fn behind(title: &str, text: &str) -> SamplePage {
    let links: Vec<_> =
        PAGES.iter().map(|(path, name, _)| format!("<a href=\"{path}\">{name}</a>")).collect();
    let body =
        format!("<nav>{}</nav>\n<main><h1>{title}</h1>\n<p>{text}</p></main>", links.join(" "));
    SamplePage::html(document("en", title, &body, ""))
}

/// The challenge of a common bot protection.
fn challenge() -> SamplePage {
    let body = "<h1>wall.lab.test</h1>\n<p>Checking if the site connection is secure</p>\n\
        <noscript>Enable JavaScript and cookies to continue</noscript>\n\
        <script>window._cf_chl_opt={cType:'managed',cZone:'wall.lab.test'};</script>";
    let html = document("en", "Just a moment...", body, "");
    SamplePage::html(html)
        .status(403)
        .header("server", "cloudflare")
        .header("cf-ray", "8f0000000000sample-LAB")
        .header("cf-mitigated", "challenge")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_requests_are_challenged_and_the_tier_passes() {
        for (path, ..) in PAGES {
            assert_eq!((page(path, false).status, page(path, true).status), (403, 200), "{path}");
        }
        assert_eq!(page("/robots.txt", false).status, 200);
        assert_eq!(page("/nowhere", true).status, 404);
    }
}
