//! How deeply JSON is nested, told before anything recurses into it.

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// Whether brackets stand more than 64 deep. Text that is no JSON may get any answer:
/// its parser refuses it afterwards, and needs no depth for that.
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
    fn sixty_four_levels_pass_and_one_more_does_not() {
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
