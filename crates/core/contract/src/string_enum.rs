//! `string_enum!` and `plain_string_enum!`: enums with one string per variant.

use thiserror::Error;

/// The text is not a value of the string enum.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown value")]
pub struct UnknownValue;

/// Declares an enum whose variants have one spelling each, the same in the database, in messages and
/// on the command line.
#[macro_export]
macro_rules! plain_string_enum {
    (
        $(#[$($about:tt)*])+
        pub enum $name:ident {
            $($(#[$($doc:tt)*])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$($about)*])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$($doc)*])* $variant,)+
        }

        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The spellings of all values, in the order of their declaration.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The spelling of this value.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownValue;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownValue> {
                match text { $($text => Ok(Self::$variant),)+ _ => Err($crate::UnknownValue) }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// As [`plain_string_enum!`], for enums of the API: with the same spelling in JSON, and with an
/// OpenAPI schema.
macro_rules! string_enum {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)+
        }
    ) => {
        $crate::plain_string_enum! {
            $(#[doc = $about])+
            #[derive(serde::Serialize, serde::Deserialize)]
            pub enum $name {
                $($(#[doc = $doc])* #[serde(rename = $text)] $variant = $text,)+
            }
        }

        // Not derived: utoipa ignores a `rename` that comes from a macro, and would list the names
        // of the variants. The description lists the values with their meaning.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!(
                        $($about),+, "\n",
                        $("\n- `", $text, "`:", $($doc),*),+
                    ).trim()))
                    .enum_values(Some(Self::ALL.iter().map(|value| value.as_str())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}
pub(crate) use string_enum;
