//! Values of response headers that describe a page.

pub mod link_header;
