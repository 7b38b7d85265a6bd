//! From bytes to a page.
//!
//! One pass over the bytes, no tree: time and memory stay in proportion to the
//! input, whatever it holds, and no input makes it panic. What the markup says
//! is read by the rules of the HTML tokenizer; what only scripts would do is not.

mod address_work;
pub mod budget;
mod byte_marks;
mod charset;
mod contact;
mod content;
mod dom;
mod entity;
mod head;
mod json;
mod kind;
mod markdown;
mod missing;
mod page;
mod plain_text;
mod product;
mod protection;
mod scanner;
mod shell;
mod sighting;
mod sitemap;
mod spoken;
mod srcset;
mod text;
mod wishes;

pub use charset::decode;
pub use contact::{ContactPage, Contacts, Dossier, Lead, LeadTopic};
#[cfg(feature = "training")]
#[doc(hidden)]
pub use content::training;
pub use head::PageHead;
pub use kind::{classify, expected_kind};
pub use markdown::{MarkdownPage, RepeatedBlocks};
pub use missing::is_soft_404;
pub use page::{Link, LinkKind, Page, PageLimits};
pub use plain_text::{is_plain_text, names_plain_text, read_plain_text};
pub use product::{Product, ProductPage, ProductWishes, Template, TemplateLearner, TemplateLesson};
pub use protection::{HeaderSigns, ProtectionKind, ProtectionMarker, Seen, UnknownMarker, Vendor};
pub use shell::Shell;
pub use sighting::Sighting;
pub use sitemap::{
    SitemapEntry, SitemapError, SitemapFile, SitemapKind, SitemapLimits, SitemapPlaces,
};
pub use spoken::{spoken_language, spoken_language_of_page};
pub use wishes::noindex;
