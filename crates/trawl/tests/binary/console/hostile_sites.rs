//! Sites that inject script into the console, and a site that never ends.

use std::time::Duration;

use lab::{RawStep, Reply, Site, SiteTruth};

/// A script that no console page may run.
const SCRIPT: &str = "<script>window.poisoned=1</script>";

/// Script in titles, URLs, texts, and names of products and people.
#[derive(Debug)]
pub struct Poisoned;

impl Site for Poisoned {
    fn answer(&self, path: &str) -> Reply {
        let title = "&lt;/title&gt;&lt;script&gt;window.poisoned=1&lt;/script&gt;&lt;img src=x \
                     onerror=window.poisoned=1&gt;";
        let links = "<a href=\"/text\">a</a> <a href=\"/lamp\">b</a> <a href=\"/team\">c</a> \
             <a href=\"/%22%3E%3Cscript%3Ewindow.poisoned=1%3C/script%3E\">d</a> \
             <a href=\"javascript:window.poisoned=1\">e</a> \
             <a href=\"/gone\">&lt;script&gt;window.poisoned=1&lt;/script&gt;</a> \
             <a href=\"http://elsewhere.lab/?a='onmouseover='window.poisoned=1\">f</a>";
        let body = match path {
            "/robots.txt" | "/sitemap.xml" | "/gone" => return Reply::status(404),
            "/text" => {
                let words = "These are the words of a page that has something to say. ".repeat(20);
                format!(
                    "<h1>Text</h1><article><p>{words}</p><p>[x](javascript:window.poisoned=1) \
                     &lt;script&gt;window.poisoned=1&lt;/script&gt; \
                     &lt;img src=x onerror=window.poisoned=1&gt;</p>\
                     <p><a href=\"javascript:window.poisoned=1\">click me</a> {words}</p></article>"
                )
            }
            "/lamp" => r#"<script type="application/ld+json">{"@context": "https://schema.org",
                "@type": "Product", "name": "\u003cscript\u003ewindow.poisoned=1\u003c/script\u003eLamp",
                "sku": "\"><script>window.poisoned=1<\/script>", "brand": "<b onclick=x>",
                "image": ["javascript:window.poisoned=1"], "url": "javascript:window.poisoned=1",
                "description": "<iframe src=javascript:window.poisoned=1>",
                "offers": {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR",
                "availability": "https://schema.org/InStock"}}</script>
                <h1>Lamp</h1><p>9.90 EUR</p><button>Add to cart</button>"#
                .to_owned(),
            "/team" => r#"<script type="application/ld+json">{"@context": "https://schema.org",
                "@type": "Organization", "name": "<script>window.poisoned=1<\/script> Ltd",
                "email": "info@poisoned.lab", "telephone": "+44 20 7946 0123",
                "sameAs": ["javascript:window.poisoned=1", "https://www.linkedin.com/company/x\"onclick=\"x"],
                "employee": [{"@type": "Person", "name": "Ada <img src=x onerror=window.poisoned=1>",
                "jobTitle": "<script>window.poisoned=1<\/script>", "email": "ada@poisoned.lab"}]}</script>
                <h1>Contact</h1><p>info@poisoned.lab</p>"#
                .to_owned(),
            _ => "<h1>Home</h1><a href=\"/team\">Contact</a>".to_owned(),
        };
        Reply::html(format!(
            "<!doctype html><html lang=en><head><title>{title}</title></head><body>{body} {SCRIPT} \
             {links}</body></html>"
        ))
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A start page whose linked pages never respond.
#[derive(Debug)]
pub struct Stuck;

impl Site for Stuck {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::status(404),
            "/" => {
                let links: String = (1..=30)
                    .map(|number| format!("<a href=\"/page/{number}\">{number}</a> "))
                    .collect();
                Reply::html(format!("<title>Stuck</title><body>{links}</body>"))
            }
            _ => Reply::Raw(vec![RawStep::Pause(Duration::from_secs(3_600))]),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}
