//! Parsing of `srcset` attributes.

/// One image of a `srcset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SrcsetCandidate<'a> {
    pub url: &'a str,
    /// Width or density as written.
    pub descriptors: &'a str,
    /// The width in pixels, or a hundred times the pixel density; 1 without a descriptor. A set has
    /// either widths or densities.
    pub size: u64,
}

/// The images of a `srcset` in their order. A comma separates candidates only after white space or a
/// descriptor, because URLs may contain commas.
pub fn candidates(srcset: &str) -> impl Iterator<Item = SrcsetCandidate<'_>> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        let is_space = |c: char| c.is_ascii_whitespace();
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (address, after) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        let url = address.trim_end_matches(',');
        let (descriptors, after) =
            if url.len() < address.len() { ("", after) } else { split_descriptors(after) };
        rest = after;
        Some(SrcsetCandidate { url, descriptors, size: size(descriptors) })
    })
}

/// The descriptors up to the comma that ends them, and the text after it.
fn split_descriptors(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

fn size(descriptors: &str) -> u64 {
    let size = descriptors.split_ascii_whitespace().rev().find_map(|descriptor| {
        let density = |times: &str| Some((times.parse::<f64>().ok()? * 100.0) as u64);
        match descriptor.strip_suffix('w') {
            Some(width) => width.parse().ok(),
            None => descriptor.strip_suffix('x').and_then(density),
        }
    });
    size.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srcset_candidates_are_split_at_commas() {
        for (srcset, found) in [
            ("a.png", &[("a.png", 1)][..]),
            ("a.png 1x, b.png 1.5x", &[("a.png", 100), ("b.png", 150)]),
            ("a.png, b.png 2x", &[("a.png", 1), ("b.png", 200)]),
            (" a,b.png 100w ,c.png", &[("a,b.png", 100), ("c.png", 1)]),
            ("a.png (x, y) 2x, b.png", &[("a.png", 200), ("b.png", 1)]),
            (",, ,", &[]),
            ("", &[]),
        ] {
            let read: Vec<_> = candidates(srcset).map(|one| (one.url, one.size)).collect();
            assert_eq!(read, found, "{srcset}");
        }
    }
}
