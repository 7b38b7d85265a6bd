//! Mode `markdown`: the main content of a page as Markdown, with title, author and dates.
//!
//! [`MarkdownPage::read`] reads the bytes once for the links and the DOM. `content` selects the main
//! content (boilerplate removal): it segments the page into text blocks, computes features and lets
//! a trained model classify each block, helped by the [`RepeatedBlocks`] of the site. `writer`
//! renders the selected nodes as Markdown, `metadata` reads title, author and dates. In a site crawl
//! [`MarkdownMode`] delivers each text once and learns the repeated blocks.
//!
//! A new element is written in `writer/elements.rs`. A new feature changes the model: add it to
//! `content/features/row.rs` and run `training/content/run`.
//!
//! ```
//! use markdown::{MarkdownPage, RepeatedBlocks};
//! use page::{PageHead, PageLimits};
//! use urls::CanonicalUrl;
//!
//! let url = CanonicalUrl::parse("https://example.com/notes/tea").expect("a valid URL");
//! let body = b"<title>Tea</title><h1>Tea</h1><p>Water of <em>80 degrees</em>, <a href=/time>two minutes</a>.";
//! let (page, text) = MarkdownPage::read(
//!     body,
//!     &PageHead::default(),
//!     &url,
//!     &PageLimits::default(),
//!     &RepeatedBlocks::default(),
//! );
//! assert_eq!(page.title.as_deref(), Some("Tea"));
//! assert_eq!(
//!     text.markdown,
//!     "# Tea\n\nWater of *80 degrees*, [two minutes](https://example.com/time).\n"
//! );
//! ```

#[macro_use]
extern crate text;

mod content;
mod content_selectors;
mod extractor;
mod item;
mod item_schema;
mod json_ld_text;
mod markdown_mode;
mod markdown_page;
mod markdown_style;
mod measure;
mod metadata;
mod node_selection;
mod plain_text;
mod repeated;
mod repeated_block_counter;
mod writer;

#[cfg(feature = "training")]
#[doc(hidden)]
pub use content::training;
pub use content_selectors::ContentSelectors;
pub use extractor::MarkdownExtractor;
pub use item_schema::MARKDOWN_SCHEMA;
pub use markdown_mode::MarkdownMode;
pub use markdown_page::MarkdownPage;
pub use markdown_style::MarkdownStyle;
pub use plain_text::{is_plain_text, names_plain_text, read_plain_text};
pub use repeated::RepeatedBlocks;
