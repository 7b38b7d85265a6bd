//! Growing paths: too deep, or with repeated segments.

use super::{SkipReason, TrapRule};

/// Maximum consecutive occurrences of a sequence of two or more segments.
const MAX_REPETITIONS: usize = 2;

pub(super) fn judge(path: &str, rule: &TrapRule) -> Result<(), SkipReason> {
    // Most paths are too short for both checks.
    let slashes = path.bytes().filter(|byte| *byte == b'/').count();
    if slashes <= rule.same_segment.min(2 * MAX_REPETITIONS) {
        return Ok(());
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    // Empty segments count for the depth.
    if slashes > rule.depth {
        return Err(SkipReason::PathTooDeep);
    }
    if repeats_segment(&segments, rule.same_segment) || repeats_sequence(&segments) {
        return Err(SkipReason::RepeatingSegments);
    }
    Ok(())
}

fn repeats_segment(segments: &[&str], limit: usize) -> bool {
    segments.iter().enumerate().any(|(at, segment)| {
        segments.iter().skip(at).filter(|other| other == &segment).count() > limit
    })
}

/// Whether a sequence of at least two segments is repeated too often.
fn repeats_sequence(segments: &[&str]) -> bool {
    let repetitions = MAX_REPETITIONS + 1;
    (2..=segments.len() / repetitions).any(|length| {
        segments.windows(length * repetitions).any(|window| {
            window.iter().zip(window.iter().skip(length)).all(|(one, next)| one == next)
        })
    })
}
