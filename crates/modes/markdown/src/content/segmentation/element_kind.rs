//! How elements affect the flow of text.

use html::dom::Element;
use html::element_set;

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
        let silent = element_set!(
            Script Style Svg Head Iframe Object Embed Template Textarea Datalist Audio Video
            Canvas Select Title Meta Link Map Input Wbr Source Noframes Noembed
        );
        let block = element_set!(
            Address Article Aside Blockquote Body Button Caption Center Custom Dd Details Dialog
            Dir Div Dl Dt Fieldset Figcaption Figure Footer Form Frameset H1 H2 H3 H4 H5 H6 Header
            Hgroup Hr Html Legend Li Main Menu Nav Noscript Ol Optgroup Option P Pre Search
            Section Summary Table Tbody Td Tfoot Th Thead Tr Ul Xmp
        );
        match element {
            Element::Br => TextFlow::Break,
            Element::Image => TextFlow::Image,
            _ if silent.contains(element) => TextFlow::Silent,
            _ if block.contains(element) => TextFlow::Block,
            _ => TextFlow::Inline,
        }
    }
}

/// Whether the content of an element is one block even if it consists of several elements.
pub(crate) fn is_one_text(element: Element) -> bool {
    element.heading_level().is_some()
        || element_set!(
            P Pre Code Blockquote Td Th Dt Dd Figcaption Summary Caption
        )
        .contains(element)
}
