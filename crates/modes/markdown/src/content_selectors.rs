//! The CSS selectors of a run: which elements of its pages are read.

use contract::{CssSelectors, Options};

/// Which elements of pages are read: all if there are no selectors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentSelectors {
    pub include: CssSelectors,
    pub exclude: CssSelectors,
}

impl ContentSelectors {
    /// The selectors of a request.
    #[must_use]
    pub fn of(options: &Options) -> Self {
        Self {
            include: CssSelectors::new(&options.include_selectors),
            exclude: CssSelectors::new(&options.exclude_selectors),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Appends the selectors to an encoded extractor: the number of texts of each list, then each text
    /// after its length.
    pub(crate) fn encode(&self, encoded: &mut Vec<u8>) {
        for list in [&self.include, &self.exclude] {
            encode_length(list.texts().len(), encoded);
            for text in list.texts() {
                encode_length(text.len(), encoded);
                encoded.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Reads what [`Self::encode`] has appended, from the start of `encoded`.
    pub(crate) fn decode(encoded: &mut &[u8]) -> Option<Self> {
        let mut list = || {
            let count = decode_length(encoded)?;
            let texts = (0..count).map(|_| {
                let length = decode_length(encoded)?;
                let (text, rest) = encoded.split_at_checked(length)?;
                *encoded = rest;
                String::from_utf8(text.to_vec()).ok()
            });
            Some(CssSelectors::new(&texts.collect::<Option<Vec<_>>>()?))
        };
        Some(Self { include: list()?, exclude: list()? })
    }
}

/// Lists have at most some dozen texts of at most some hundred bytes.
fn encode_length(length: usize, encoded: &mut Vec<u8>) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    encoded.extend_from_slice(&length.to_le_bytes());
}

fn decode_length(encoded: &mut &[u8]) -> Option<usize> {
    let (length, rest) = encoded.split_first_chunk()?;
    *encoded = rest;
    usize::try_from(u32::from_le_bytes(*length)).ok()
}
