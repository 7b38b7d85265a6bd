//! Limits the nesting depth of JSON before it is parsed.

/// Maximum nesting depth.
const MAX_DEPTH: usize = 64;

/// Whether brackets are nested more than 64 deep. The result for invalid JSON does not matter:
/// the parser rejects it afterwards.
pub(super) fn exceeds(json: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_beyond_64_levels_is_detected() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!exceeds(nested(64).as_bytes()));
        assert!(exceeds(nested(65).as_bytes()));
        assert!(!exceeds("[]".repeat(100).as_bytes()));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(!exceeds(format!("\"\\\"{}\"", "[".repeat(100)).as_bytes()));
        assert!(exceeds(format!("\"\\\\\"{}", "[".repeat(100)).as_bytes()));
    }
}
