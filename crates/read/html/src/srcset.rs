//! Parsing of `srcset` attributes.

/// The URLs of a `srcset` in their order. A comma separates candidates only after white space or a
/// descriptor, because URLs may contain commas.
pub fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        let is_space = |c: char| c.is_ascii_whitespace();
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (address, after) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        let bare = address.trim_end_matches(',');
        rest = if bare.len() < address.len() { after } else { after_descriptors(after) };
        Some(bare)
    })
}

/// The text after the comma that ends the descriptors.
fn after_descriptors(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return text.get(at + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srcset_candidates_are_split_at_commas() {
        for (srcset, found) in [
            ("a.png", &["a.png"][..]),
            ("a.png 1x, b.png 2x", &["a.png", "b.png"]),
            ("a.png, b.png 2x", &["a.png", "b.png"]),
            (" a,b.png 100w ,c.png", &["a,b.png", "c.png"]),
            ("a.png (x, y) 2x, b.png", &["a.png", "b.png"]),
            (",, ,", &[]),
            ("", &[]),
        ] {
            assert_eq!(candidates(srcset).collect::<Vec<_>>(), found, "{srcset}");
        }
    }
}
