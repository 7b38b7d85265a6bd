//! A violated invariant, with the events before it and the command that replays it.

use std::collections::VecDeque;
use std::fmt;

use contract::Millis;

/// Number of events that are kept.
const LAST_EVENTS: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub seed: u64,
    pub profile: &'static str,
    pub message: String,
    /// The last events before it.
    pub trace: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (profile {}, seed {})", self.message, self.profile, self.seed)?;
        for event in &self.trace {
            writeln!(f, "  {event}")?;
        }
        write!(f, "again: TRAWL_SIM_SEED={} cargo test -p sim", self.seed)
    }
}

impl std::error::Error for Violation {}

/// The last events of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    events: VecDeque<(Millis, String)>,
}

impl Trace {
    pub fn note(&mut self, at: Millis, event: String) {
        if self.events.len() == LAST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back((at, event));
    }

    pub fn lines(&self) -> Vec<String> {
        self.events.iter().map(|(at, event)| format!("{:>8} ms  {event}", at.0)).collect()
    }
}
