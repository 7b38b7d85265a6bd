//! Paths that grow: too deep, or the same folders over and over.

use super::{SkipReason, TrapRule};

/// How often a sequence of two or more segments may follow itself.
const MAX_ROUNDS: usize = 2;

pub(super) fn judge(path: &str, rule: &TrapRule) -> Result<(), SkipReason> {
    // Most paths are too short for either.
    let slashes = path.bytes().filter(|byte| *byte == b'/').count();
    if slashes <= rule.same_segment.min(2 * MAX_ROUNDS) {
        return Ok(());
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    // Empty segments nest just as well, and count for the depth.
    if slashes > rule.depth {
        return Err(SkipReason::PathTooDeep);
    }
    if repeats(&segments, rule.same_segment) || goes_round(&segments) {
        return Err(SkipReason::RepeatingSegments);
    }
    Ok(())
}

fn repeats(segments: &[&str], limit: usize) -> bool {
    segments.iter().enumerate().any(|(at, segment)| {
        segments.iter().skip(at).filter(|other| other == &segment).count() > limit
    })
}

/// Whether a sequence of at least two segments follows itself too often.
fn goes_round(segments: &[&str]) -> bool {
    let rounds = MAX_ROUNDS + 1;
    (2..=segments.len() / rounds).any(|length| {
        segments.windows(length * rounds).any(|window| {
            window.iter().zip(window.iter().skip(length)).all(|(one, next)| one == next)
        })
    })
}
