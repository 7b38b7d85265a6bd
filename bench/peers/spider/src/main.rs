//! Crawls one site with the crate `spider`.
//!
//!     peer-spider urls URL CONNECTIONS OUTPUT       every visited URL, one per line
//!     peer-spider records URL CONNECTIONS OUTPUT    URL, title and description of every page,
//!                                                   one JSON object per line, as pages arrive
//!     peer-spider texts URL CONNECTIONS OUTPUT      the same with the page as Markdown; built
//!                                                   with `--features texts`
//!
//! It obeys robots.txt, has no delay and no page limit by default. Without features it is as small and
//! fast as possible; with `--features as-it-comes` it has the default features of `spider` and the
//! system's allocator.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Duration;

use serde_json::json;
use spider::tokio::sync::broadcast::error::RecvError;
use spider::website::Website;

/// The allocator that its authors recommend.
#[cfg(not(feature = "as-it-comes"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum time of a crawl; the pages until then count.
const PATIENCE: Duration = Duration::from_secs(900);

/// Maximum pages that wait to be written: all of a site, because further pages would be lost while
/// their cost is measured.
const BACKLOG: usize = 16_384;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, url, connections, output] = arguments.as_slice() else {
        panic!("urls, records or texts, URL, CONNECTIONS, OUTPUT");
    };
    let mut website = Website::new(url);
    website
        .with_delay(0)
        .with_respect_robots_txt(true)
        .with_concurrency_limit(Some(connections.parse().expect("a number")));
    let mut out = BufWriter::new(File::create(output).expect("a file"));
    match what.as_str() {
        "urls" => {
            crawl(&mut website).await;
            for link in website.get_all_links_visited().await {
                writeln!(out, "{}", link.inner()).expect("room");
            }
            out.flush().expect("room");
        }
        "records" | "texts" => {
            let with_text = what == "texts";
            let mut pages = website.subscribe(BACKLOG);
            let written = tokio::spawn(async move {
                loop {
                    let page = match pages.recv().await {
                        Ok(page) => page,
                        Err(RecvError::Lagged(_)) => continue,
                        Err(RecvError::Closed) => break,
                    };
                    let facts = page.get_metadata().as_deref();
                    let mut record = json!({
                        "url": page.get_url(),
                        "status": page.status_code.as_u16(),
                        "title": facts.and_then(|facts| facts.title.as_deref()),
                        "description": facts.and_then(|facts| facts.description.as_deref()),
                    });
                    if with_text {
                        record["markdown"] = markdown(&page).into();
                    }
                    writeln!(out, "{record}").expect("room");
                }
                out.flush().expect("room");
            });
            crawl(&mut website).await;
            website.unsubscribe();
            drop(website);
            if tokio::time::timeout(Duration::from_secs(10), written).await.is_err() {
                eprintln!("spider does not let go of its pages");
            }
        }
        other => panic!("{other} is neither urls nor records nor texts"),
    }
    // Remaining tasks must not keep the process alive.
    std::process::exit(0);
}

/// The whole page as Markdown: `spider` does not select the main content.
#[cfg(feature = "texts")]
fn markdown(page: &spider::page::Page) -> String {
    use spider_transformations::transformation::content::{
        ReturnFormat, TransformConfig, transform_content,
    };
    let config =
        TransformConfig { return_format: ReturnFormat::Markdown, ..TransformConfig::default() };
    transform_content(page, &config, &None, &None, &None)
}

#[cfg(not(feature = "texts"))]
fn markdown(_page: &spider::page::Page) -> String {
    panic!("built without `--features texts`");
}

async fn crawl(website: &mut Website) {
    if tokio::time::timeout(PATIENCE, website.crawl()).await.is_err() {
        eprintln!("spider came to no end in {PATIENCE:?}; this is what it had by then");
    }
}
