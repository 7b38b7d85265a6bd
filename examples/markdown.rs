//! Prints the main content of a page as Markdown, without navigation and footer.
//!
//!     cargo run --example markdown -- examples/page.html
//!     curl -s https://example.com/ | cargo run --example markdown -- - https://example.com/

use std::io::Read;

use anyhow::Context;
use markdown::{MarkdownPage, RepeatedBlocks};
use page::{PageHead, PageLimits};
use urls::CanonicalUrl;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "-".to_owned());
    // Relative links of the page are resolved against its URL.
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let url = CanonicalUrl::parse(&url).with_context(|| format!("invalid URL {url}"))?;
    let mut body = Vec::new();
    if file == "-" {
        std::io::stdin().read_to_end(&mut body).context("cannot read the input")?;
    } else {
        body = std::fs::read(&file).with_context(|| format!("cannot read {file}"))?;
    }
    let (_page, text) = MarkdownPage::read(
        &body,
        // The response headers that matter for reading, such as `Content-Type`.
        &PageHead::default(),
        &url,
        &PageLimits::default(),
        // A crawl learns which blocks occur on many pages of a site and passes them here, so that
        // banners and teasers are left out. One page alone has none.
        &RepeatedBlocks::default(),
    );
    print!("{}", text.markdown);
    eprintln!("{} words, about {} tokens", text.word_count, text.token_estimate);
    Ok(())
}
