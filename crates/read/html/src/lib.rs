//! HTML as bytes, tokens and a tree, and the data that pages embed.
//!
//! One pass over the bytes: time and memory stay in proportion to the input, whatever it holds, and
//! no input causes a panic. The tokenizer ([`scanner`]) follows the HTML standard; scripts are not
//! run. Readers of a page spend from the [`budget`] that the caller sets.
//!
//! - [`charset`] decodes bytes, [`entity`] character references, [`text`] collapses white space.
//! - [`scanner`] yields tags and text, [`dom`] builds a flat tree of them.
//! - [`json`] reads JSON-LD and the lenient JSON of scripts, [`structured`] microdata and RDFa.

pub mod address_work;
pub mod budget;
pub mod byte_marks;
pub mod charset;
pub mod dom;
pub mod entity;
pub mod image;
pub mod json;
pub mod prose;
pub mod scanner;
pub mod srcset;
pub mod structured;
pub mod text;
