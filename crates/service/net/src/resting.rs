//! Connections that rest, over all hosts.
//!
//! The pool keeps them by host and closes them by age: a run over many hosts would hold as many
//! as it meets in that time, and each of them is an open file. Here the one that has rested
//! longest is closed as soon as there are too many.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Waker};

/// The connections of a pool that nobody uses at the moment.
#[derive(Debug)]
pub(crate) struct Resting {
    most: usize,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    /// The number grows: the first has rested longest.
    by_turn: BTreeMap<u64, Weak<Line>>,
    next_turn: u64,
}

impl Resting {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, lines: Mutex::default() })
    }

    /// Adds one. Gives its number, and the one that is too many.
    fn add(&self, line: &Arc<Line>) -> (u64, Option<Arc<Line>>) {
        let mut lines = locked(&self.lines);
        let turn = lines.next_turn;
        lines.next_turn += 1;
        lines.by_turn.insert(turn, Arc::downgrade(line));
        let surplus = lines.by_turn.len() > self.most;
        let longest = surplus.then(|| lines.by_turn.pop_first()).flatten();
        (turn, longest.and_then(|(_, line)| line.upgrade()))
    }

    fn remove(&self, turn: u64) {
        locked(&self.lines).by_turn.remove(&turn);
    }
}

/// What is known of a connection besides its bytes.
#[derive(Debug)]
pub struct Line {
    remote: SocketAddr,
    resting: Arc<Resting>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Several at a time in HTTP/2.
    uses: usize,
    /// Its number among those that rest.
    turn: Option<u64>,
    ended: bool,
    /// Who waits for bytes, or for the end.
    reader: Option<Waker>,
}

impl Line {
    /// One that is new: it rests once it was used.
    pub(crate) fn new(remote: SocketAddr, resting: Arc<Resting>) -> Arc<Self> {
        Arc::new(Self { remote, resting, state: Mutex::default() })
    }

    /// The address at the other end.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// Keeps the connection open until the use ends.
    pub(crate) fn used(self: &Arc<Self>) -> InUse {
        let mut state = locked(&self.state);
        state.uses += 1;
        self.rise(&mut state);
        InUse(Arc::clone(self))
    }

    /// Whether it is to end. Otherwise whoever reads is woken when it is.
    pub(crate) fn poll_ended(&self, context: &Context<'_>) -> bool {
        let mut state = locked(&self.state);
        if !state.ended {
            match &mut state.reader {
                Some(reader) => reader.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
        }
        state.ended
    }

    /// The connection is closed.
    pub(crate) fn forget(&self) {
        let mut state = locked(&self.state);
        state.ended = true;
        self.rise(&mut state);
    }

    /// It rests no more.
    fn rise(&self, state: &mut State) {
        if let Some(turn) = state.turn.take() {
            self.resting.remove(turn);
        }
    }

    /// Ends it, unless somebody has begun to use it again.
    fn end(&self) {
        let reader = {
            let mut state = locked(&self.state);
            if state.uses > 0 {
                return;
            }
            state.turn = None;
            state.ended = true;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn released(self: &Arc<Self>) {
        let longest = {
            let mut state = locked(&self.state);
            state.uses -= 1;
            if state.uses > 0 || state.ended {
                return;
            }
            let (turn, longest) = self.resting.add(self);
            state.turn = Some(turn);
            longest
        };
        // Not before the lock of this line is released: it may be this very line.
        if let Some(longest) = longest {
            longest.end();
        }
    }
}

/// A connection that somebody uses, until this is dropped.
#[derive(Debug)]
pub(crate) struct InUse(Arc<Line>);

impl InUse {
    /// The address at the other end.
    pub fn remote(&self) -> SocketAddr {
        self.0.remote
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.released();
    }
}

/// Nothing here can be left half done by a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(resting: &Arc<Resting>) -> Arc<Line> {
        Line::new(([127, 0, 0, 1], 80).into(), Arc::clone(resting))
    }

    fn ended(line: &Line) -> bool {
        line.poll_ended(&Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_one_that_rested_longest_ends_first() {
        let resting = Resting::new(2);
        let lines = [line(&resting), line(&resting), line(&resting)];
        let uses: Vec<InUse> = lines.iter().map(Line::used).collect();
        drop(uses);
        assert_eq!(lines.each_ref().map(|line| ended(line)), [true, false, false]);
        // Used once more, it is the youngest.
        drop(lines[1].used());
        let another = line(&resting);
        drop(another.used());
        assert_eq!(lines.each_ref().map(|line| ended(line)), [true, false, true]);
        assert!(!ended(&another));
    }

    #[test]
    fn what_is_used_never_ends() {
        let resting = Resting::new(0);
        let shared = line(&resting);
        let (one, other) = (shared.used(), shared.used());
        drop(one);
        assert!(!ended(&shared), "the other request still runs");
        drop(other);
        assert!(ended(&shared));
    }

    #[test]
    fn a_new_one_is_left_alone() {
        let resting = Resting::new(0);
        let new = line(&resting);
        drop(line(&resting).used());
        assert!(!ended(&new));
    }

    #[test]
    fn closed_ones_count_no_more() {
        let resting = Resting::new(1);
        let (kept, closed) = (line(&resting), line(&resting));
        drop(closed.used());
        closed.forget();
        drop(kept.used());
        assert!(!ended(&kept));
        assert_eq!(locked(&resting.lines).by_turn.len(), 1);
    }
}
