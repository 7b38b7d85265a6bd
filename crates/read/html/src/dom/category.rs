//! Element categories of the HTML standard that tree construction uses.

use super::Element;

impl Element {
    /// Elements whose start tag closes an open `p`.
    pub(super) fn ends_paragraph(self) -> bool {
        use Element as E;
        matches!(
            self,
            E::Address
                | E::Article
                | E::Aside
                | E::Blockquote
                | E::Center
                | E::Details
                | E::Dialog
                | E::Dir
                | E::Div
                | E::Dl
                | E::Dd
                | E::Dt
                | E::Fieldset
                | E::Figcaption
                | E::Figure
                | E::Footer
                | E::Form
                | E::H1
                | E::H2
                | E::H3
                | E::H4
                | E::H5
                | E::H6
                | E::Header
                | E::Hgroup
                | E::Hr
                | E::Li
                | E::Main
                | E::Menu
                | E::Nav
                | E::Ol
                | E::P
                | E::Plaintext
                | E::Pre
                | E::Search
                | E::Section
                | E::Summary
                | E::Table
                | E::Ul
                | E::Xmp
        )
    }

    /// Elements that bound a scope: a search of the stack does not pass them.
    pub(super) fn bounds_scope(self) -> bool {
        use Element as E;
        matches!(
            self,
            E::Applet
                | E::Body
                | E::Caption
                | E::Html
                | E::Marquee
                | E::Object
                | E::Table
                | E::Td
                | E::Template
                | E::Th
        )
    }

    /// "Special" elements, which the end tag of another element does not close.
    pub(super) fn is_special(self) -> bool {
        use Element as E;
        self.ends_paragraph()
            || self.bounds_scope()
            || self.is_part_of_table()
            || matches!(
                self,
                E::Body
                    | E::Button
                    | E::Head
                    | E::Iframe
                    | E::Noscript
                    | E::Script
                    | E::Select
                    | E::Style
                    | E::Textarea
                    | E::Title
            )
    }

    /// "Formatting" elements, whose end tags may be misnested.
    pub(super) fn is_formatting(self) -> bool {
        use Element as E;
        matches!(
            self,
            E::A | E::B
                | E::Big
                | E::Code
                | E::Em
                | E::Font
                | E::I
                | E::Nobr
                | E::S
                | E::Small
                | E::Strike
                | E::Strong
                | E::Tt
                | E::U
        )
    }

    pub(super) fn is_part_of_table(self) -> bool {
        use Element as E;
        self.is_row_group() || matches!(self, E::Tr | E::Td | E::Th | E::Caption | E::Colgroup)
    }

    pub(super) fn is_row_group(self) -> bool {
        matches!(self, Self::Tbody | Self::Thead | Self::Tfoot)
    }

    /// Elements that may occur in the head; any other one starts the body.
    pub(super) fn is_head_content(self) -> bool {
        use Element as E;
        matches!(
            self,
            E::Base
                | E::Basefont
                | E::Bgsound
                | E::Link
                | E::Meta
                | E::Noframes
                | E::Noscript
                | E::Script
                | E::Style
                | E::Template
                | E::Title
        )
    }

    /// HTML elements that close an open `svg` or `math`, where they are not allowed.
    pub(super) fn closes_foreign(self) -> bool {
        use Element as E;
        self.heading_level().is_some()
            || matches!(
                self,
                E::B | E::Big
                    | E::Blockquote
                    | E::Body
                    | E::Br
                    | E::Center
                    | E::Code
                    | E::Dd
                    | E::Div
                    | E::Dl
                    | E::Dt
                    | E::Em
                    | E::Embed
                    | E::Head
                    | E::Hr
                    | E::I
                    | E::Image
                    | E::Li
                    | E::Menu
                    | E::Meta
                    | E::Nobr
                    | E::Ol
                    | E::P
                    | E::Pre
                    | E::Ruby
                    | E::S
                    | E::Small
                    | E::Span
                    | E::Strong
                    | E::Strike
                    | E::Sub
                    | E::Sup
                    | E::Table
                    | E::Tt
                    | E::U
                    | E::Ul
                    | E::Var
            )
    }
}
