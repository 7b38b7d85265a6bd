//! The crate `spider` over one site: writes every URL that it visited, one a line.
//!
//!     peer-spider URL CONNECTIONS OUTPUT

use std::io::Write;

use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("a URL");
    let connections = arguments.next().and_then(|text| text.parse().ok()).expect("connections");
    let output = arguments.next().expect("a file");
    let mut website = Website::new(&url);
    website.configuration.delay = 0;
    website.with_respect_robots_txt(true).with_concurrency_limit(Some(connections));
    website.crawl().await;
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).expect("a file"));
    for link in website.get_links() {
        writeln!(out, "{}", link.inner()).expect("room");
    }
}
