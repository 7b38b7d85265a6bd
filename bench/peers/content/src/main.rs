//! Extracts the main content with Trawl and with its peers.
//!
//!     peer-content speed DATA [EVERY]     milliseconds per page, from bytes to Markdown
//!     peer-content convert PEER           lines {"url", "file"} to lines {"url", "markdown"}
//!
//! DATA contains `html/NNNN.html.gz` and `ground-truth/NNNN.json`; every EVERYth page is used.

use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A saved page.
struct Saved {
    url: String,
    html: Vec<u8>,
}

/// An extractor of main content.
type Contender = (&'static str, fn(&Saved) -> Option<String>);

const WHOLE: [Contender; 3] =
    [("trawl", trawl), ("dom_smoothie", dom_smoothie), ("rs-trafilatura", rs_trafilatura)];
const PARSERS: [Contender; 3] =
    [("trawl: tree", trawl_tree), ("html5ever: tree", html5ever), ("lol_html: all elements", lol_html)];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["speed", data] => speed(data, 1),
        ["speed", data, every] => speed(data, every.parse().unwrap_or(1)),
        ["convert", peer] => convert(peer),
        _ => Err(io::Error::other("speed DATA [EVERY] | convert PEER")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn speed(data: &str, every: usize) -> io::Result<()> {
    let pages = load(data, every)?;
    let bytes: usize = pages.iter().map(|page| page.html.len()).sum();
    println!("{} pages of {} KB on average", pages.len(), bytes / pages.len().max(1) / 1_000);
    for contenders in [&WHOLE[..], &PARSERS[..]] {
        let times = take_turns(contenders, &pages);
        for ((name, _), time) in contenders.iter().zip(&times) {
            let each = time.as_secs_f64() * 1e3 / pages.len() as f64;
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            println!("{name:<24} {each:8.3} ms a page  {ratio:6.2} × {}", contenders[0].0);
        }
    }
    Ok(())
}

/// All peers read each page in turn, so that noise of the machine affects all of them. The fastest of
/// three rounds counts for each page.
fn take_turns(contenders: &[Contender], pages: &[Saved]) -> Vec<Duration> {
    let mut times = vec![Duration::ZERO; contenders.len()];
    for page in pages {
        for ((_, make), time) in contenders.iter().zip(&mut times) {
            let rounds = (0..3).map(|_| {
                let start = Instant::now();
                std::hint::black_box(make(page));
                start.elapsed()
            });
            *time += rounds.min().unwrap_or_default();
        }
    }
    times
}

fn convert(peer: &str) -> io::Result<()> {
    let make = match peer {
        "dom_smoothie" => dom_smoothie,
        "rs-trafilatura" => rs_trafilatura,
        "htmd" => htmd,
        "trawl" => trawl,
        other => return Err(io::Error::other(format!("no such peer: {other}"))),
    };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let page = Saved {
            url: line["url"].as_str().unwrap_or_default().to_owned(),
            html: read(Path::new(line["file"].as_str().unwrap_or_default()))?,
        };
        let markdown = make(&page).unwrap_or_default();
        writeln!(out, "{}", json!({"url": page.url, "markdown": markdown}))?;
    }
    Ok(())
}

fn load(data: &str, every: usize) -> io::Result<Vec<Saved>> {
    let mut truths: Vec<_> = fs::read_dir(Path::new(data).join("ground-truth"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    truths.sort();
    let page = |truth: &std::path::PathBuf| {
        let about: Value = serde_json::from_slice(&fs::read(truth)?)?;
        let name = truth.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let html = read(&Path::new(data).join("html").join(format!("{name}.html.gz")))?;
        let url = about["url"].as_str().unwrap_or("https://example.com/").to_owned();
        Ok(Saved { url, html })
    };
    truths.iter().step_by(every.max(1)).map(page).collect()
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(file)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut html = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut html)?;
    Ok(html)
}

fn trawl(page: &Saved) -> Option<String> {
    let url = urls::CanonicalUrl::parse(&page.url).ok()?;
    let (_, text) = markdown::MarkdownPage::read(
        &page.html,
        &page::PageHead { content_type: None, links: &[], robots: &[], language: None },
        &url,
        &page::PageLimits::default(),
        &markdown::RepeatedBlocks::default(),
    );
    Some(text.markdown)
}

fn trawl_tree(page: &Saved) -> Option<String> {
    let html = html::charset::decode(&page.html, None);
    Some(markdown::training::nodes_of(&html).to_string())
}

fn dom_smoothie(page: &Saved) -> Option<String> {
    let html = String::from_utf8_lossy(&page.html);
    let config = dom_smoothie::Config {
        text_mode: dom_smoothie::TextMode::Markdown,
        ..dom_smoothie::Config::default()
    };
    let mut readability =
        dom_smoothie::Readability::new(&*html, Some(&page.url), Some(config)).ok()?;
    readability.parse().ok().map(|article| article.text_content.to_string())
}

fn rs_trafilatura(page: &Saved) -> Option<String> {
    let options = rs_trafilatura::Options {
        url: Some(page.url.clone()),
        output_markdown: true,
        include_links: true,
        include_images: true,
        ..rs_trafilatura::Options::default()
    };
    let done = rs_trafilatura::extract_bytes_with_options(&page.html, &options).ok()?;
    Some(done.content_markdown.unwrap_or(done.content_text))
}

fn htmd(page: &Saved) -> Option<String> {
    let html = String::from_utf8_lossy(&page.html);
    let skipped = vec!["script", "style", "noscript", "svg", "iframe", "head"];
    htmd::HtmlToMarkdown::builder().skip_tags(skipped).build().convert(&html).ok()
}

fn html5ever(page: &Saved) -> Option<String> {
    use html5ever::tendril::TendrilSink;
    let dom = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default())
        .from_utf8()
        .one(&page.html[..]);
    Some(dom.document.children.borrow().len().to_string())
}

fn lol_html(page: &Saved) -> Option<String> {
    let mut elements = 0_usize;
    let settings = lol_html::Settings::new().append_element_content_handler(lol_html::element!(
        "*",
        |element| {
            elements += element.attributes().len() + 1;
            Ok(())
        }
    ));
    let mut rewriter = lol_html::HtmlRewriter::new(settings, |_: &[u8]| ());
    rewriter.write(&page.html).ok()?;
    rewriter.end().ok()?;
    Some(elements.to_string())
}
