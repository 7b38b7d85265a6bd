//! Element categories of the HTML standard that tree construction uses.

use super::Element;
use crate::element_set;

impl Element {
    /// Elements whose start tag closes an open `p`.
    pub(super) fn ends_paragraph(self) -> bool {
        element_set!(
            Address Article Aside Blockquote Center Details Dialog Dir Div Dl Dd Dt Fieldset
            Figcaption Figure Footer Form H1 H2 H3 H4 H5 H6 Header Hgroup Hr Li Main Menu Nav Ol P
            Plaintext Pre Search Section Summary Table Ul Xmp
        )
        .contains(self)
    }

    /// Elements that bound a scope: a search of the stack does not pass them.
    pub(super) fn bounds_scope(self) -> bool {
        element_set!(Applet Body Caption Html Marquee Object Table Td Template Th).contains(self)
    }

    /// "Special" elements, which the end tag of another element does not close.
    pub(super) fn is_special(self) -> bool {
        self.ends_paragraph()
            || self.bounds_scope()
            || self.is_part_of_table()
            || element_set!(
                Body Button Head Iframe Noscript Script Select Style Textarea Title
            )
            .contains(self)
    }

    /// "Formatting" elements, whose end tags may be misnested.
    pub(super) fn is_formatting(self) -> bool {
        element_set!(A B Big Code Em Font I Nobr S Small Strike Strong Tt U).contains(self)
    }

    pub(super) fn is_part_of_table(self) -> bool {
        self.is_row_group() || element_set!(Tr Td Th Caption Colgroup).contains(self)
    }

    pub(super) fn is_row_group(self) -> bool {
        matches!(self, Self::Tbody | Self::Thead | Self::Tfoot)
    }

    /// Elements that may occur in the head; any other one starts the body.
    pub(super) fn is_head_content(self) -> bool {
        element_set!(
            Base Basefont Bgsound Link Meta Noframes Noscript Script Style Template Title
        )
        .contains(self)
    }

    /// HTML elements that close an open `svg` or `math`, where they are not allowed.
    pub(super) fn closes_foreign(self) -> bool {
        self.heading_level().is_some()
            || element_set!(
                B Big Blockquote Body Br Center Code Dd Div Dl Dt Em Embed Head Hr I Image Li Menu
                Meta Nobr Ol P Pre Ruby S Small Span Strong Strike Sub Sup Table Tt U Ul Var
            )
            .contains(self)
    }
}
