//! The crate `spider` over one site: prints every URL that it visited.
//!
//!     peer-spider URL CONNECTIONS

use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("a URL");
    let connections = arguments.next().and_then(|text| text.parse().ok()).expect("connections");
    let mut website = Website::new(&url);
    website.configuration.delay = 0;
    website
        .with_respect_robots_txt(true)
        .with_concurrency_limit(Some(connections))
        .with_limit(u32::MAX);
    website.crawl().await;
    for link in website.get_links() {
        println!("{}", link.inner());
    }
}
