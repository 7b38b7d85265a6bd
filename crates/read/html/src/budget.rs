//! The budget of one page: how much work its readers do and how much they produce.
//!
//! A page is written by a stranger, and a few kilobytes of it can ask for gigabytes of output or
//! for minutes of work. Readers therefore spend from a budget that belongs to the thread while it
//! reads one page:
//!
//! - **steps**: units of work of some nanoseconds each. Readers whose work is not plainly linear
//!   in the page spend them in their inner loops.
//! - **bytes**: what readers produce beyond what they read one to one, such as a value that a
//!   script names again and again. At most [`PAGE_FACTOR`] times the page and [`MAX_BYTES`]. A
//!   page of less than 8 KB may produce [`MIN_BYTES`]: more than that multiple, too little to
//!   matter, and no limit that the overhead of a small real page could reach.
//!
//! Both are counted, not timed, so that a page gives the same result whenever and wherever it is
//! read. What a deadline in CPU time adds is injected as a checkpoint by the caller, because this
//! crate has no clock.
//!
//! [`with`] runs a reader under a hard budget: when it is exhausted the reader is unwound and the
//! caller gets [`Exhausted`]. A reader that is called without one has the same budget as a soft
//! one: parsers stop where they are, and what was read before is kept.
//!
//! Not metered is what is linear by construction and holds a bounded multiple of the page: strict
//! JSON (4 MiB held at once, nested 128 deep), the XML of sitemaps, the content model, and the
//! protection check (128 KB of a body at most, 512 bytes around each needle). The adversarial
//! suite holds them to that.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use thiserror::Error;

/// How many times the bytes of the page its readers may produce.
const PAGE_FACTOR: usize = 8;

/// The most that the readers of a page produce, whatever its size.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// What the smallest page may produce.
const MIN_BYTES: usize = 64 * 1024;

/// How many times its own bytes one script may produce. What produces more is dropped, and the
/// rest of the page is read without it.
const SCRIPT_FACTOR: usize = 4;

/// Steps for each byte of the page, and for the smallest page.
const STEPS_PER_BYTE: u64 = 512;
const MIN_STEPS: u64 = 4_000_000;

/// Steps between two checkpoints: well under a millisecond.
const CHECK_EVERY: u64 = 4_096;

/// Why the reading of a page was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// Its readers took more steps than a page of its size has.
    #[error("the page takes more steps to read than its step budget")]
    Steps,
    /// Its readers would produce more bytes than a page of its size may.
    #[error("the page expands to more bytes than its memory budget")]
    Bytes,
    /// The caller's checkpoint said that the time is up.
    #[error("the page takes longer to read than its CPU time budget")]
    Deadline,
}

/// How much the reading of one page may cost.
#[derive(Clone)]
pub struct PageBudget {
    steps: u64,
    bytes: usize,
    checkpoint: Option<Rc<dyn Fn() -> bool>>,
}

impl std::fmt::Debug for PageBudget {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PageBudget")
            .field("steps", &self.steps)
            .field("bytes", &self.bytes)
            .field("checkpoint", &self.checkpoint.is_some())
            .finish()
    }
}

impl PageBudget {
    /// The budget of a page of that many bytes (decoded, as it is given to the readers).
    #[must_use]
    pub fn for_page(page_bytes: usize) -> Self {
        Self {
            steps: MIN_STEPS + STEPS_PER_BYTE * page_bytes as u64,
            bytes: (page_bytes.saturating_mul(PAGE_FACTOR)).clamp(MIN_BYTES, MAX_BYTES),
            checkpoint: None,
        }
    }

    /// Also asks `is_over` every few thousand steps, that is several times a millisecond; `true`
    /// ends the reading with [`Exhausted::Deadline`]. Meant for a clock of the thread's CPU time.
    #[must_use]
    pub fn with_checkpoint(mut self, is_over: impl Fn() -> bool + 'static) -> Self {
        self.checkpoint = Some(Rc::new(is_over));
        self
    }
}

/// What was spent of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub steps: u64,
    pub bytes: usize,
}

struct State {
    budget: PageBudget,
    spent: Spent,
    /// Unwind when it is exhausted; otherwise the spender is told.
    is_hard: bool,
    exhausted: Option<Exhausted>,
}

thread_local! {
    /// Steps until the slow path looks at the state. The only thing that most calls touch.
    static UNTIL_CHECK: Cell<u64> = const { Cell::new(u64::MAX) };
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// What unwinds a reader; never seen outside of [`with`].
struct Abort(Exhausted);

/// Puts the state of the caller back, also when the reader unwinds.
struct Restore {
    state: Option<State>,
    until_check: u64,
}

impl Restore {
    fn install(state: State) -> Self {
        let state = STATE.replace(Some(state));
        Self { state, until_check: UNTIL_CHECK.replace(CHECK_EVERY) }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        STATE.set(self.state.take());
        UNTIL_CHECK.set(self.until_check);
    }
}

/// Runs `read` under a budget of its own. It must not hold on to anything that an unwinding
/// leaves half done; the readers of this crate do not.
///
/// # Errors
///
/// When the budget is exhausted. A panic of `read` goes on to the caller.
pub fn with<T>(budget: PageBudget, read: impl FnOnce() -> T) -> Result<T, Exhausted> {
    let _restore =
        Restore::install(State { budget, spent: Spent::default(), is_hard: true, exhausted: None });
    catch_unwind(AssertUnwindSafe(read)).map_err(|payload| match payload.downcast::<Abort>() {
        Ok(abort) => abort.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// Runs `read` under the budget that is in force, or else under a soft one for a page of that
/// many bytes.
pub fn ensure<T>(page_bytes: usize, read: impl FnOnce() -> T) -> T {
    if STATE.with_borrow(Option::is_some) {
        return read();
    }
    let budget = PageBudget::for_page(page_bytes);
    let state = State { budget, spent: Spent::default(), is_hard: false, exhausted: None };
    let _restore = Restore::install(state);
    read()
}

/// What was spent so far of the budget in force.
#[must_use]
pub fn spent() -> Spent {
    STATE.with_borrow(|state| {
        let Some(state) = state else { return Spent::default() };
        let unchecked = CHECK_EVERY.saturating_sub(UNTIL_CHECK.get());
        Spent { steps: state.spent.steps + unchecked, ..state.spent }
    })
}

/// Spends steps; false when there are none left and the spender has to stop.
#[inline]
pub fn steps(steps: usize) -> bool {
    let until_check = UNTIL_CHECK.get();
    match until_check.checked_sub(steps as u64) {
        Some(left) if left > 0 => {
            UNTIL_CHECK.set(left);
            true
        }
        _ => check(steps as u64),
    }
}

#[cold]
fn check(steps: u64) -> bool {
    let checkpoint = STATE.with_borrow_mut(|state| {
        let Some(state) = state else {
            UNTIL_CHECK.set(u64::MAX);
            return Ok(None);
        };
        state.spent.steps += CHECK_EVERY.saturating_sub(UNTIL_CHECK.get()) + steps;
        UNTIL_CHECK.set(CHECK_EVERY);
        if state.is_hard && state.exhausted.is_some() {
            return Err(None);
        }
        if state.spent.steps > state.budget.steps {
            return Err(state.exhaust(Exhausted::Steps));
        }
        Ok(state.budget.checkpoint.clone())
    });
    match checkpoint {
        Err(abort) => stop(abort),
        // Called while nothing is borrowed: it may do as it likes.
        Ok(Some(is_over)) if is_over() => stop(STATE.with_borrow_mut(|state| {
            state.as_mut().and_then(|state| state.exhaust(Exhausted::Deadline))
        })),
        Ok(_) => true,
    }
}

/// Spends bytes that are about to be produced; false when they must not be.
#[inline]
pub fn bytes(bytes: usize) -> bool {
    let spent = STATE.with_borrow_mut(|state| {
        let Some(state) = state else { return Ok(()) };
        if state.is_hard && state.exhausted.is_some() {
            return Err(None);
        }
        let spent = state.spent.bytes.saturating_add(bytes);
        if spent > state.budget.bytes {
            return Err(state.exhaust(Exhausted::Bytes));
        }
        state.spent.bytes = spent;
        Ok(())
    });
    match spent {
        Ok(()) => true,
        Err(abort) => stop(abort),
    }
}

impl State {
    /// Notes that it is exhausted; gives what to unwind with where that is called for.
    fn exhaust(&mut self, why: Exhausted) -> Option<Abort> {
        // Only once: a destructor that spends while the reader unwinds must not unwind again.
        let is_first = self.exhausted.replace(why).is_none();
        (self.is_hard && is_first).then_some(Abort(why))
    }
}

/// Leaves the reader, without the panic hook because nothing is wrong with the program; or says
/// that it has to stop.
fn stop(abort: Option<Abort>) -> bool {
    match abort {
        Some(abort) => resume_unwind(Box::new(abort)),
        None => false,
    }
}

/// What one script, or another part of a page with a language of its own, may still produce.
#[derive(Debug)]
pub struct ScriptBudget {
    left: usize,
}

impl ScriptBudget {
    /// The budget of a script of that many bytes.
    pub fn for_script(script_bytes: usize) -> Self {
        let most = script_bytes.saturating_mul(SCRIPT_FACTOR);
        Self { left: most.clamp(MIN_BYTES / 2, MAX_BYTES / 2) }
    }

    /// Spends bytes that are about to be produced; false when they must not be. After that the
    /// budget is spent.
    pub fn bytes(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes).filter(|_| self::bytes(bytes));
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether nothing more may be produced: what would only be refused need not be read.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests;
