//! How elements affect the flow of text.

use html::dom::Element;

/// The effect of an element on the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFlow {
    /// Separates the text before, in and after it.
    Block,
    /// Text continues through it.
    Inline,
    /// Ends the line, as `br` does.
    Break,
    /// An image, which is no text.
    Image,
    /// Its content is no text of the page.
    Silent,
}

impl TextFlow {
    #[inline]
    pub(crate) fn of(element: Element) -> Self {
        use Element as E;
        match element {
            E::Br => TextFlow::Break,
            E::Image => TextFlow::Image,
            E::Script
            | E::Style
            | E::Svg
            | E::Head
            | E::Iframe
            | E::Object
            | E::Embed
            | E::Template
            | E::Textarea
            | E::Datalist
            | E::Audio
            | E::Video
            | E::Canvas
            | E::Select
            | E::Title
            | E::Meta
            | E::Link
            | E::Map
            | E::Input
            | E::Wbr
            | E::Source
            | E::Noframes
            | E::Noembed => TextFlow::Silent,
            E::Address
            | E::Article
            | E::Aside
            | E::Blockquote
            | E::Body
            | E::Button
            | E::Caption
            | E::Center
            | E::Custom
            | E::Dd
            | E::Details
            | E::Dialog
            | E::Dir
            | E::Div
            | E::Dl
            | E::Dt
            | E::Fieldset
            | E::Figcaption
            | E::Figure
            | E::Footer
            | E::Form
            | E::Frameset
            | E::H1
            | E::H2
            | E::H3
            | E::H4
            | E::H5
            | E::H6
            | E::Header
            | E::Hgroup
            | E::Hr
            | E::Html
            | E::Legend
            | E::Li
            | E::Main
            | E::Menu
            | E::Nav
            | E::Noscript
            | E::Ol
            | E::Optgroup
            | E::Option
            | E::P
            | E::Pre
            | E::Search
            | E::Section
            | E::Summary
            | E::Table
            | E::Tbody
            | E::Td
            | E::Tfoot
            | E::Th
            | E::Thead
            | E::Tr
            | E::Ul
            | E::Xmp => TextFlow::Block,
            _ => TextFlow::Inline,
        }
    }
}

/// Whether the content of an element is one block even if it consists of several elements.
pub(crate) fn is_one_text(element: Element) -> bool {
    use Element as E;
    element.heading_level().is_some()
        || matches!(
            element,
            E::P | E::Pre
                | E::Code
                | E::Blockquote
                | E::Td
                | E::Th
                | E::Dt
                | E::Dd
                | E::Figcaption
                | E::Summary
                | E::Caption
        )
}
