//! Language tags (BCP 47) with language, script and region. `de_at`, `DE-at` and `de-AT` are equal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The text is no language tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this is not a language tag such as `en` or `pt-BR`")]
pub struct LanguageTagError;

/// A language with optional script and region.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LanguageTag {
    text: String,
    language_end: u8,
    /// Start of the region; the length of the text if there is none.
    region_start: u8,
}

impl LanguageTag {
    /// Parses a tag. Variants and extensions are dropped.
    ///
    /// # Errors
    ///
    /// If the text does not begin with a language.
    pub fn parse(text: &str) -> Result<Self, LanguageTagError> {
        let mut parts = text.trim().split(['-', '_']).peekable();
        let is = |part: &str, lengths: &[usize]| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        let language = parts.next().filter(|part| is(part, &[2, 3])).ok_or(LanguageTagError)?;
        let mut text = language.to_ascii_lowercase();
        let language_end = short(text.len());
        // Extended languages such as `zh-yue` come between language and script.
        while parts.next_if(|part| is(part, &[3])).is_some() {}
        if let Some(script) = parts.next_if(|part| is(part, &[4])) {
            text.push('-');
            let mut letters = script.chars();
            text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            text.extend(letters.map(|letter| letter.to_ascii_lowercase()));
        }
        let is_region = |part: &&str| {
            is(part, &[2]) || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let mut region_start = short(text.len());
        if let Some(region) = parts.next_if(is_region) {
            text.push('-');
            region_start = short(text.len());
            text.push_str(&region.to_ascii_uppercase());
        }
        Ok(Self { text, language_end, region_start })
    }

    /// The tag in canonical spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The language: `pt` of `pt-BR`.
    #[must_use]
    pub fn language(&self) -> &str {
        self.text.get(..usize::from(self.language_end)).unwrap_or_default()
    }

    /// The script: `Hans` of `zh-Hans-CN`.
    #[must_use]
    pub fn script(&self) -> Option<&str> {
        let start = usize::from(self.language_end) + 1;
        self.text
            .get(start..start + 4)
            .filter(|script| script.bytes().all(|byte| byte.is_ascii_alphabetic()))
    }

    /// The region: `BR` of `pt-BR`.
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.text.get(usize::from(self.region_start)..).filter(|region| !region.is_empty())
    }

    /// The tag without its region: `pt` of `pt-BR`.
    #[must_use]
    pub fn without_region(&self) -> Self {
        let end = usize::from(self.region_start);
        let end = if self.region().is_some() { end.saturating_sub(1) } else { end };
        let text = self.text.get(..end).unwrap_or_default().to_owned();
        Self { region_start: short(text.len()), text, language_end: self.language_end }
    }

    /// Whether content in this language matches the wish `wanted`; parts that `wanted` does not have are
    /// ignored. `pt-BR` serves `pt`; `pt` does not serve `pt-BR`.
    #[must_use]
    pub fn serves(&self, wanted: &Self) -> bool {
        self.serves_without_region(wanted)
            && (wanted.region().is_none() || wanted.region() == self.region())
    }

    /// Like [`Self::serves`], but without regions: `pt-PT` serves `pt-BR`.
    #[must_use]
    pub fn serves_without_region(&self, wanted: &Self) -> bool {
        let scripts_agree = match (self.script(), wanted.script()) {
            (Some(own), Some(wanted)) => own == wanted,
            // Most pages declare no script.
            (None, _) | (_, None) => true,
        };
        self.language() == wanted.language() && scripts_agree
    }
}

/// A tag has at most 3 + 1 + 4 + 1 + 3 bytes.
fn short(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

impl fmt::Display for LanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for LanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.text)
    }
}

impl FromStr for LanguageTag {
    type Err = LanguageTagError;

    fn from_str(text: &str) -> Result<Self, LanguageTagError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for LanguageTag {
    type Error = LanguageTagError;

    fn try_from(text: String) -> Result<Self, LanguageTagError> {
        Self::parse(&text)
    }
}

impl From<LanguageTag> for String {
    fn from(tag: LanguageTag) -> String {
        tag.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tag(text: &str) -> LanguageTag {
        LanguageTag::parse(text).unwrap()
    }

    #[test]
    fn tag_is_normalised() {
        for (text, spelled, script, region) in [
            ("de", "de", None, None),
            (" DE_at ", "de-AT", None, Some("AT")),
            ("zh-hans-cn", "zh-Hans-CN", Some("Hans"), Some("CN")),
            ("zh-HANT", "zh-Hant", Some("Hant"), None),
            ("es-419", "es-419", None, Some("419")),
            ("zh-yue-HK", "zh-HK", None, Some("HK")),
            ("de-CH-1996-x-private", "de-CH", None, Some("CH")),
            ("gsw", "gsw", None, None),
            ("en-u-ca-gregory", "en", None, None),
        ] {
            let tag = tag(text);
            let seen = (tag.as_str(), tag.script(), tag.region());
            assert_eq!(seen, (spelled, script, region), "{text}");
        }
        for text in ["", "x-default", "d", "german", "d1", "-de", "ü", "*"] {
            assert!(LanguageTag::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn region_is_removed() {
        for (text, without) in [("pt-BR", "pt"), ("zh-Hans-CN", "zh-Hans"), ("de", "de")] {
            assert_eq!(tag(text).without_region(), tag(without));
        }
    }

    #[test]
    fn only_the_requested_parts_must_match() {
        for (own, wanted, serves, without_region) in [
            ("pt-BR", "pt", true, true),
            ("pt", "pt-BR", false, true),
            ("pt-PT", "pt-BR", false, true),
            ("pt-BR", "pt-BR", true, true),
            ("pt", "es", false, false),
            ("zh-Hans-CN", "zh-CN", true, true),
            ("zh-Hant", "zh-Hans", false, false),
            ("zh", "zh-Hans", true, true),
        ] {
            let (own, wanted) = (tag(own), tag(wanted));
            let seen = (own.serves(&wanted), own.serves_without_region(&wanted));
            assert_eq!(seen, (serves, without_region), "{own} for {wanted}");
        }
    }

    proptest! {
        #[test]
        fn parsed_tag_parses_to_itself(text in "[a-zA-Z0-9_-]{0,20}|\\PC{0,8}") {
            if let Ok(tag) = LanguageTag::parse(&text) {
                prop_assert_eq!(LanguageTag::parse(tag.as_str()).unwrap(), tag);
            }
        }
    }
}
