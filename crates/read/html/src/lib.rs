//! HTML parsing: decoding, tokenizer, DOM, and the data that pages embed.
//!
//! Pages are untrusted: every function takes time and memory in proportion to its input and never
//! panics. Work that is not obviously linear spends from the [`budget`] of the page. Scripts are
//! not run.
//!
//! - [`charset`] decodes bytes, [`entity`] resolves character references, [`text`] collapses white
//!   space, [`prose`] gives plain text with paragraphs.
//! - [`tokenizer::Tokenizer`] yields tags and text, [`dom::Dom`] is a flat tree of them.
//! - [`json`] reads JSON-LD and the lenient JSON of scripts, [`structured`] microdata and RDFa,
//!   [`style`] what CSS hides.
//!
//! To read something else in the same pass, implement [`tokenizer::TokenSink`]. A new parser with
//! its own grammar spends [`budget::steps`] in its inner loop and gets its tokens into the
//! adversarial tests of the `reader` crate.
//!
//! ```
//! use html::charset::decode;
//! use html::dom::{Dom, Element, NodeId};
//!
//! let page = decode(b"<p>Caf\xe9 &amp; <a href=/menu>menu</a>", Some("text/html; charset=latin1"));
//! let dom = Dom::parse(&page);
//! let link = dom.find(NodeId::ROOT, Element::A).expect("a link");
//! assert_eq!(dom.attribute(link, "href").as_deref(), Some("/menu"));
//! assert_eq!(html::prose::line(&dom, NodeId::ROOT, 100), "Café & menu");
//! ```

pub mod budget;
mod byte_block;
pub mod byte_mask;
pub mod charset;
pub mod dom;
pub mod entity;
pub mod image;
pub mod json;
pub mod prose;
pub mod srcset;
pub mod structured;
pub mod style;
pub mod text;
pub mod tokenizer;
pub mod url_budget;
