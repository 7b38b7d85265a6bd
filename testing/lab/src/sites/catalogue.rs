//! A catalogue of any size. Links and text of a page are computed from its number, so that a site of
//! a million pages needs no storage.

use std::fmt::Write as _;

use super::filler::{mix, passage, pick};
use super::page_path::{number_below, numbered_page, page_path};
use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// A site of numbered pages, all reachable from `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// Number of pages including the start page; at least 1.
    pub pages: usize,
    /// Links of a page to other pages; at least 1.
    pub links_per_page: usize,
    /// Approximate size of a page.
    pub page_bytes: usize,
    /// Each seed gives another catalogue.
    pub seed: u64,
    /// Other links and content of the pages.
    pub extras: Extras,
}

/// How many of a thousand pages contain each of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extras {
    /// A link to an old URL that redirects (301) to a page.
    pub redirects: u16,
    /// A link to a page that is missing (404).
    pub missing: u16,
    /// A link into a folder that robots.txt excludes.
    pub private: u16,
    /// A link to another page with `?ref=…`.
    pub variants: u16,
    /// Text in comments, scripts and templates that looks like links.
    pub decoys: u16,
    /// A link to another site.
    pub external: u16,
    pub images: u16,
    pub files: u16,
}

/// The kinds of extras. The number is an input of the rule that places them.
#[derive(Clone, Copy)]
enum Extra {
    Redirect = 1,
    Missing,
    Private,
    Variant,
    Decoy,
    External,
    Image,
    File,
}

/// A transparent image of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\
\x89\0\0\0\rIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n\x2d\xb4\0\0\0\0IEND\xaeB`\x82";

const DOCUMENT: &[u8] =
    b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

impl Catalogue {
    /// `pages` pages of 8 KB with 20 links each, without extras.
    #[must_use]
    pub fn plain(pages: usize) -> Self {
        Self { pages, links_per_page: 20, page_bytes: 8 * 1024, seed: 1, extras: Extras::default() }
    }

    /// The same with some of all extras.
    #[must_use]
    pub fn mixed(pages: usize) -> Self {
        let [redirects, missing, private, variants] = [150, 100, 100, 200];
        let [decoys, external, images, files] = [300, 150, 200, 50];
        let extras =
            Extras { redirects, missing, private, variants, decoys, external, images, files };
        Self { extras, ..Self::plain(pages) }
    }

    fn count(&self) -> usize {
        self.pages.max(1)
    }

    fn chance(&self, page: usize, salt: u64) -> u64 {
        mix(mix(self.seed ^ (page as u64).wrapping_mul(0x5851_f42d_4c95_7f2d)) ^ salt)
    }

    fn has(&self, page: usize, extra: Extra) -> bool {
        let Extras { redirects, missing, private, variants, decoys, external, images, files } =
            self.extras;
        let shares = [redirects, missing, private, variants, decoys, external, images, files];
        self.chance(page, extra as u64) % 1000 < u64::from(shares[extra as usize - 1])
    }

    /// The page that an extra of `page` leads to.
    fn target(&self, page: usize, extra: Extra) -> usize {
        (self.chance(page, 100 + extra as u64) % self.count() as u64) as usize
    }

    /// The pages that `page` links to. Up to half of them are its children in a tree of all pages, so
    /// that every page is reachable; the others are arbitrary.
    fn links(&self, page: usize) -> impl Iterator<Item = usize> + '_ {
        let links = self.links_per_page.max(1);
        let children = links.div_ceil(2);
        let first = page.saturating_mul(children).saturating_add(1);
        let past = first.saturating_add(children).min(self.count());
        let tree = first..past;
        let cross = (tree.len()..links)
            .map(move |n| (self.chance(page, 1000 + n as u64) % self.count() as u64) as usize);
        tree.chain(cross)
    }

    fn page(&self, number: usize) -> Reply {
        let word = pick(self.chance(number, 0));
        let mut html = String::with_capacity(self.page_bytes + 1024);
        // Writing to a String cannot fail.
        let _ = write!(
            html,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <title>Number {number}: {word}</title>\
             <meta name=\"description\" content=\"All about {word}, number {number}.\">\
             <link rel=\"canonical\" href=\"{}\"></head>\n<body><h1>{word} {number}</h1>\n<ul>\n",
            page_path(number)
        );
        for to in self.links(number) {
            let _ = writeln!(html, "<li><a href=\"{}\">Number {to}</a></li>", page_path(to));
        }
        html.push_str("</ul>\n");
        self.write_extras(number, &mut html);
        let mut paragraph = 0;
        while html.len() < self.page_bytes {
            let length = (self.page_bytes - html.len()).min(900);
            let text = passage(self.chance(number, 5000 + paragraph), length);
            let _ = writeln!(html, "<p>{text}.</p>");
            paragraph += 1;
        }
        html.push_str("</body></html>\n");
        Reply::html(html)
    }

    fn write_extras(&self, page: usize, html: &mut String) {
        if self.has(page, Extra::Redirect) {
            let to = self.target(page, Extra::Redirect);
            let _ = writeln!(html, "<a href=\"/old-{to}\">Formerly</a>");
        }
        if self.has(page, Extra::Missing) {
            let _ = writeln!(html, "<a href=\"/gone-{page}\">Sold out</a>");
        }
        if self.has(page, Extra::Private) {
            let _ = writeln!(html, "<a href=\"/private/{page}\">Staff</a>");
        }
        if self.has(page, Extra::Variant) {
            let to = page_path(self.target(page, Extra::Variant));
            let _ = writeln!(html, "<a href=\"{to}?ref={page}\">See also</a>");
        }
        if self.has(page, Extra::Decoy) {
            let _ = writeln!(
                html,
                "<!-- <a href=\"/never/comment-{page}\">old</a> -->\
                 <script>var s = '<a href=\"/never/script-{page}\">x</a>';</script>\
                 <template><a href=\"/never/template-{page}\">x</a></template>"
            );
        }
        if self.has(page, Extra::External) {
            let _ = writeln!(html, "<a href=\"http://outside.test/{page}\">A friend</a>");
        }
        if self.has(page, Extra::Image) {
            let _ = writeln!(html, "<img src=\"/image-{page}.png\" alt=\"Number {page}\">");
        }
        if self.has(page, Extra::File) {
            let _ = writeln!(html, "<a href=\"/file-{page}.pdf\">Data sheet</a>");
        }
    }

    fn reply(&self, path_only: &str) -> Option<Reply> {
        let numbered = |text| number_below(text, self.count());
        if let Some(number) = numbered_page(path_only, self.count()) {
            return Some(self.page(number));
        }
        if let Some(number) = path_only.strip_prefix("/old-").and_then(numbered) {
            return Some(Reply::redirect(301, page_path(number)));
        }
        if path_only.strip_prefix("/private/").and_then(numbered).is_some() {
            return Some(Reply::html("<!doctype html><title>Staff only</title><h1>Staff</h1>"));
        }
        let image = path_only.strip_prefix("/image-").and_then(|rest| rest.strip_suffix(".png"));
        if image.and_then(numbered).is_some() {
            return Some(Reply::typed(200, "image/png", PIXEL));
        }
        let file = path_only.strip_prefix("/file-").and_then(|rest| rest.strip_suffix(".pdf"));
        file.and_then(numbered).map(|_| Reply::typed(200, "application/pdf", DOCUMENT))
    }
}

impl Site for Catalogue {
    fn answer(&self, path_and_query: &str) -> Reply {
        let path_only = path_and_query.split('?').next().unwrap_or_default();
        if path_only == "/robots.txt" {
            return Reply::text("User-agent: *\nDisallow: /private/\n");
        }
        self.reply(path_only).unwrap_or_else(|| Reply::status(404))
    }

    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth::of_pages((0..self.count()).map(page_path));
        truth.never.push("/never/".to_owned());
        for page in 0..self.count() {
            let mut add = |extra, key: String, why| {
                if self.has(page, extra) {
                    truth.skipped.insert(key, why);
                }
            };
            let old = self.target(page, Extra::Redirect);
            add(Extra::Redirect, format!("/old-{old}"), ExpectedSkip::Redirect(page_path(old)));
            add(Extra::Missing, format!("/gone-{page}"), ExpectedSkip::Status(404));
            add(Extra::Private, format!("/private/{page}"), ExpectedSkip::Robots);
            let same = page_path(self.target(page, Extra::Variant));
            add(Extra::Variant, format!("{same}?ref={page}"), ExpectedSkip::Variant(same));
            add(Extra::External, format!("http://outside.test/{page}"), ExpectedSkip::External);
            add(Extra::Image, format!("/image-{page}.png"), ExpectedSkip::Image);
            add(Extra::File, format!("/file-{page}.pdf"), ExpectedSkip::File);
        }
        truth
    }
}
