//! Sites that each serve one kind of attack on every path, with links to more of it.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use lab::{RawStep, Reply, Site, SiteTruth};

/// The kind of attack that a site serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attack {
    /// A script whose arguments are named again and again.
    RepeatedArguments,
    /// References to one long string in serialised state.
    RepeatedReferences,
    /// A script that builds a long e-mail address.
    EmailScript,
    /// The beginning of an object, over and over.
    OpenObjects,
    /// The beginning of a function, over and over.
    OpenFunctions,
    /// Cards of people without an end.
    PeopleCards,
    /// Deeply nested elements.
    DeepNesting,
    /// Tables in tables with wide cells.
    WideTables,
    /// A large JSON-LD graph that refers to itself.
    JsonLdGraph,
    /// Links to pages that only this page names.
    EndlessLinks,
    /// Eight megabytes of small elements.
    HugePage,
    /// Pages that unpack to many times their size, by each encoding.
    GzipBomb,
    BrotliBomb,
    ZstdBomb,
    /// Gzipped sitemaps of fifty megabytes each.
    SitemapBombs,
    /// A sitemap of pages that are not there.
    DeadSitemap,
    /// Pages that name another page as their original.
    CanonicalChain,
    /// Endless chains of redirects.
    RedirectMaze,
    /// A body that is sent slowly.
    SlowBody,
    /// Endless response headers.
    EndlessHeaders,
    /// One attribute of a megabyte, many times.
    LongAttributes,
    /// Very many character references.
    Entities,
}

impl Attack {
    pub const ALL: [Self; 22] = [
        Self::RepeatedArguments,
        Self::RepeatedReferences,
        Self::EmailScript,
        Self::OpenObjects,
        Self::OpenFunctions,
        Self::PeopleCards,
        Self::DeepNesting,
        Self::WideTables,
        Self::JsonLdGraph,
        Self::EndlessLinks,
        Self::HugePage,
        Self::GzipBomb,
        Self::BrotliBomb,
        Self::ZstdBomb,
        Self::SitemapBombs,
        Self::DeadSitemap,
        Self::CanonicalChain,
        Self::RedirectMaze,
        Self::SlowBody,
        Self::EndlessHeaders,
        Self::LongAttributes,
        Self::Entities,
    ];
}

/// Size of the larger decompression bomb: more than the maximum of a page.
const BOMB_BYTES: u64 = 256 << 20;

/// Size of the smaller decompression bomb: a page that is read completely.
const BOMB_PAGE_BYTES: usize = 7 << 20;

/// A site whose pages differ only in their links. Large payloads are built once.
#[derive(Debug)]
pub struct HostileSite {
    attack: Attack,
    origin: String,
    payload: Bytes,
    bomb: Option<Bomb>,
    sitemap: Option<Bytes>,
}

/// A page that decompresses to many times its size.
#[derive(Debug)]
struct Bomb {
    encoding: &'static str,
    page: Bytes,
    too_long: Bytes,
}

impl Bomb {
    fn of(attack: Attack) -> Option<Self> {
        let (encoding, pack): (_, fn(&mut dyn Read) -> Vec<u8>) = match attack {
            Attack::GzipBomb => ("gzip", gzip),
            Attack::BrotliBomb => ("br", brotli),
            Attack::ZstdBomb => ("zstd", zstd),
            _ => return None,
        };
        // Links first, so that the run continues; then elements.
        let links: String = (0..12).map(|n| format!("<a href='{n}/'>next {n}</a> ")).collect();
        let elements = fill("<i>", BOMB_PAGE_BYTES);
        let page = pack(&mut links.as_bytes().chain(elements.as_bytes()));
        let spaces = io::repeat(b' ').take(BOMB_BYTES);
        let too_long = pack(&mut links.as_bytes().chain(spaces));
        Some(Self { encoding, page: page.into(), too_long: too_long.into() })
    }
}

impl HostileSite {
    pub fn new(attack: Attack, host: &str) -> Self {
        let origin = format!("http://{host}");
        let sitemap = sitemap(attack, &origin);
        let (payload, bomb) = (payload(attack).into(), Bomb::of(attack));
        Self { attack, origin, payload, bomb, sitemap }
    }

    fn page(&self, path: &str) -> Reply {
        let mut html = format!(
            "<!doctype html><html lang=en><head><title>Product {path}</title></head><body>\
             <h1>Product {path}</h1><p class=price>$ 10.00</p><button>Add to cart</button>"
        );
        let links = if self.attack == Attack::EndlessLinks { 4_000 } else { 12 };
        for number in 0..links {
            let _ = write!(
                html,
                "<a href='{}/{number}'>next {number}</a> ",
                path.trim_end_matches('/')
            );
        }
        let mut body = html.into_bytes();
        body.extend_from_slice(&self.payload);
        Reply::html(body)
    }
}

impl Site for HostileSite {
    fn answer(&self, path: &str) -> Reply {
        if path == "/robots.txt" {
            let sitemaps: String = (0..6)
                .map(|n| format!("Sitemap: {}/sitemap-{n}.xml.gz\n", self.origin))
                .filter(|_| self.sitemap.is_some())
                .collect();
            return Reply::text(format!("User-agent: *\nAllow: /\n{sitemaps}"));
        }
        if let (true, Some(sitemap)) = (path.starts_with("/sitemap"), &self.sitemap) {
            return Reply::typed(200, "application/gzip", sitemap.clone());
        }
        if let Some(bomb) = &self.bomb {
            // Every other link leads to a page that is too long.
            let is_too_long = path.trim_end_matches('/').ends_with(['1', '3', '5', '7', '9']);
            let body = if is_too_long { &bomb.too_long } else { &bomb.page };
            return Reply::html(body.clone()).with_header("content-encoding", bomb.encoding);
        }
        match self.attack {
            Attack::DeadSitemap if path != "/" => Reply::status(404),
            Attack::CanonicalChain => {
                let next = format!("<link rel=canonical href='{path}x'>");
                let mut body = next.into_bytes();
                body.extend_from_slice(&self.payload);
                Reply::html(body)
            }
            Attack::RedirectMaze if path != "/" => Reply::redirect(302, format!("{path}1")),
            Attack::SlowBody => Reply::Raw(vec![
                RawStep::Bytes("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n".into()),
                RawStep::Forever(self.payload.clone(), Duration::from_millis(500)),
            ]),
            Attack::EndlessHeaders => Reply::Raw(vec![
                RawStep::Bytes("HTTP/1.1 200 OK\r\n".into()),
                RawStep::Forever(self.payload.clone(), Duration::ZERO),
            ]),
            _ => self.page(path),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// Repeats a text up to this many bytes.
fn fill(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

fn script(text: &str) -> String {
    format!("<script>{text}</script>")
}

fn payload(attack: Attack) -> Vec<u8> {
    let text = match attack {
        Attack::RepeatedArguments => script(&format!(
            "window.__NUXT__=(function(a){{return {{x:[{}]}}}}(\"{}\"));",
            fill("a,", 16_000),
            fill("x", 16_000)
        )),
        Attack::RepeatedReferences => format!(
            "<script type=application/json id=__NUXT_DATA__>[[{}0],\"{}\"]</script>",
            fill("1,", 100_000),
            fill("x", 100_000)
        ),
        Attack::EmailScript => script(&format!(
            "var a='{}';{}document.write('<a href=\"mailto:'+a+'@x.org\">');",
            fill("ab", 2_000),
            fill("a=a.split('').join(a);a=a+a;a=a.replace('a',a);", 6_000)
        )),
        Attack::OpenObjects => script(&fill("={\"", 60_000)),
        Attack::OpenFunctions => script(&fill("){return ", 60_000)),
        Attack::PeopleCards => fill(
            "<div class=team-member><h3>Dr. Anna Smith</h3><p>Sales Manager</p>\
             <a href=mailto:a.smith@x.org>mail</a><a href=tel:+442079460000>call</a></div>",
            120_000,
        ),
        Attack::DeepNesting => fill("<ul><li><div><blockquote>", 500_000),
        Attack::WideTables => fill("<table><tr><td colspan=1000 rowspan=1000>x", 200_000),
        Attack::JsonLdGraph => {
            let mut graph = String::from("<script type=application/ld+json>{\"@graph\":[");
            for number in 0..2_000 {
                let _ = write!(
                    graph,
                    "{{\"@id\":\"#{number}\",\"@type\":\"Product\",\"name\":\"n\",\
                     \"isRelatedTo\":[{{\"@id\":\"#{}\"}},{{\"@id\":\"#{}\"}}]}},",
                    (number + 1) % 2_000,
                    (number * 7) % 2_000
                );
            }
            graph + "{}]}</script>"
        }
        Attack::EndlessLinks
        | Attack::SitemapBombs
        | Attack::DeadSitemap
        | Attack::GzipBomb
        | Attack::BrotliBomb
        | Attack::ZstdBomb => String::new(),
        Attack::HugePage => fill("<p><b>x</b>", 7 << 20),
        Attack::CanonicalChain | Attack::RedirectMaze => fill("<p>some words of text</p>", 300_000),
        Attack::SlowBody => fill("<p>drip</p>", 1_100),
        Attack::EndlessHeaders => "x-filler: filler\r\n".to_owned(),
        Attack::LongAttributes => {
            fill(&format!("<a href='/?{}'>x</a>", fill("a&", 100_000)), 2_000_000)
        }
        Attack::Entities => fill("&nvgt;&#x110000;&amp", 1_000_000),
    };
    text.into_bytes()
}

fn sitemap(attack: Attack, origin: &str) -> Option<Bytes> {
    let entry = match attack {
        Attack::SitemapBombs => {
            let images = fill("<image:image><image:loc>/i.png</image:loc></image:image>", 900);
            format!("<url><loc>{origin}/p-NUMBER</loc>{images}</url>")
        }
        Attack::DeadSitemap => format!("<url><loc>{origin}/dead-NUMBER</loc></url>"),
        _ => return None,
    };
    let mut text = String::from(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
         xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>",
    );
    for number in 0..50_000 {
        text += &entry.replace("NUMBER", &number.to_string());
    }
    Some(gzip(&mut (text + "</urlset>").as_bytes()).into())
}

fn gzip(text: &mut dyn Read) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    io::copy(text, &mut packed).expect("memory takes it");
    packed.finish().expect("memory takes it")
}

fn brotli(mut text: &mut dyn Read) -> Vec<u8> {
    let (mut packed, quality) = (Vec::new(), 5);
    let settings = brotli::enc::BrotliEncoderParams { quality, ..Default::default() };
    brotli::BrotliCompress(&mut text, &mut packed, &settings).expect("memory takes it");
    packed
}

fn zstd(text: &mut dyn Read) -> Vec<u8> {
    zstd::stream::encode_all(text, 3).expect("memory takes it")
}
