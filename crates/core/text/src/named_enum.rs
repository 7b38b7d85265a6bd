//! `named_enum!`: an enum with one name per variant, as vocabularies and stored values spell it.

/// Declares an enum whose variants have one name each, with `ALL` and `as_str`.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$about])*
        $visibility enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name of this value.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_keep_their_order_and_names() {
        named_enum! {
            /// Colours for this test.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            enum Colour {
                Red = "red",
                DarkBlue = "dark_blue",
            }
        }
        assert_eq!(Colour::ALL, [Colour::Red, Colour::DarkBlue]);
        assert_eq!(Colour::ALL.map(Colour::as_str), ["red", "dark_blue"]);
    }
}
