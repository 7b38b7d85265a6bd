//! The budget of one page: how many steps its readers take and how many bytes they produce.
//!
//! Pages are untrusted: a few kilobytes can ask for gigabytes of output or for minutes of work.
//! Readers therefore spend from a thread-local budget while they read one page:
//!
//! - **steps**: units of work of some nanoseconds each. Readers whose work is not obviously linear
//!   in the page spend them in their inner loops.
//! - **bytes**: output beyond a one-to-one copy of the input, such as a value that a script
//!   references many times. At most `PAGE_FACTOR` times the page and `MAX_BYTES`. A page of
//!   less than 8 KB may produce `MIN_BYTES`, which exceeds that multiple but is harmless and
//!   leaves room for the overhead of small real pages.
//!
//! Both are counted, not timed, so that a page gives the same result on every machine. The caller
//! adds a deadline in CPU time as a checkpoint, because this crate has no clock.
//!
//! [`with`] runs a reader under a hard budget: when it is exhausted the reader is unwound and the
//! caller gets [`Exhausted`]. A reader that runs outside of [`with`] has a soft budget of the same
//! size: parsers stop where they are and return what they have read.
//!
//! Not metered is work that is linear by construction and holds a bounded multiple of the page:
//! strict JSON (4 MiB at once, 128 levels), the XML of sitemaps, the content model, and the
//! protection check (at most 128 KB of a body, 512 bytes around each needle). The adversarial test
//! suite checks this.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use thiserror::Error;

/// Maximum output of the readers of a page, as a multiple of the page.
const PAGE_FACTOR: usize = 8;

/// Maximum output of the readers of a page in bytes, whatever its size.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Minimum byte budget, which applies to the smallest pages.
const MIN_BYTES: usize = 64 * 1024;

/// Maximum output of one script, as a multiple of the script. A script that produces more is
/// dropped; the rest of the page is read without it.
const SCRIPT_FACTOR: usize = 4;

/// Steps per byte of the page, in addition to [`MIN_STEPS`].
const STEPS_PER_BYTE: u64 = 512;
const MIN_STEPS: u64 = 4_000_000;

/// Steps between two checkpoints, well under a millisecond.
const CHECK_EVERY: u64 = 4_096;

/// Why a reader was stopped before the end of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// The readers took more steps than the step budget.
    #[error("the page takes more steps to read than its step budget")]
    Steps,
    /// The readers would have produced more bytes than the byte budget.
    #[error("the page expands to more bytes than its memory budget")]
    Bytes,
    /// The caller's checkpoint reported that the CPU time is used up.
    #[error("the page takes longer to read than its CPU time budget")]
    Deadline,
}

/// The limits for reading one page.
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
    /// The budget of a page of `page_bytes` decoded bytes.
    #[must_use]
    pub fn for_page(page_bytes: usize) -> Self {
        Self {
            steps: MIN_STEPS + STEPS_PER_BYTE * page_bytes as u64,
            bytes: (page_bytes.saturating_mul(PAGE_FACTOR)).clamp(MIN_BYTES, MAX_BYTES),
            checkpoint: None,
        }
    }

    /// Also calls `is_over` every few thousand steps, which is several times per millisecond;
    /// `true` ends the reading with [`Exhausted::Deadline`]. Meant for a clock of the thread's CPU
    /// time.
    #[must_use]
    pub fn with_checkpoint(mut self, is_over: impl Fn() -> bool + 'static) -> Self {
        self.checkpoint = Some(Rc::new(is_over));
        self
    }
}

/// How much of a budget was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub steps: u64,
    pub bytes: usize,
}

struct BudgetState {
    budget: PageBudget,
    spent: Spent,
    /// Unwind when exhausted; otherwise the spending functions return `false`.
    is_hard: bool,
    exhausted: Option<Exhausted>,
}

thread_local! {
    /// Steps until the slow path checks the state. Most calls touch only this counter.
    static UNTIL_CHECK: Cell<u64> = const { Cell::new(u64::MAX) };
    static STATE: RefCell<Option<BudgetState>> = const { RefCell::new(None) };
}

/// The panic payload that unwinds a reader; caught by [`with`].
struct Abort(Exhausted);

/// Restores the state of the caller on drop, also when the reader unwinds.
struct Restore {
    state: Option<BudgetState>,
    until_check: u64,
}

impl Restore {
    fn install(state: BudgetState) -> Self {
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

/// Runs `read` under a hard budget. `read` must not leave shared state inconsistent when it
/// unwinds; the readers of this crate do not.
///
/// # Errors
///
/// When the budget is exhausted. A panic of `read` is propagated.
pub fn with<T>(budget: PageBudget, read: impl FnOnce() -> T) -> Result<T, Exhausted> {
    let _restore = Restore::install(BudgetState {
        budget,
        spent: Spent::default(),
        is_hard: true,
        exhausted: None,
    });
    catch_unwind(AssertUnwindSafe(read)).map_err(|payload| match payload.downcast::<Abort>() {
        Ok(abort) => abort.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// Runs `read` under the current budget, or else under a soft one for a page of `page_bytes` bytes.
pub fn ensure<T>(page_bytes: usize, read: impl FnOnce() -> T) -> T {
    if STATE.with_borrow(Option::is_some) {
        return read();
    }
    let budget = PageBudget::for_page(page_bytes);
    let state = BudgetState { budget, spent: Spent::default(), is_hard: false, exhausted: None };
    let _restore = Restore::install(state);
    read()
}

/// What was spent of the current budget so far.
#[must_use]
pub fn spent() -> Spent {
    STATE.with_borrow(|state| {
        let Some(state) = state else { return Spent::default() };
        let unchecked = CHECK_EVERY.saturating_sub(UNTIL_CHECK.get());
        Spent { steps: state.spent.steps + unchecked, ..state.spent }
    })
}

/// Spends steps. Returns `false` if none are left and the reader has to stop.
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
        // The state is not borrowed here, so that the checkpoint may use the budget itself.
        Ok(Some(is_over)) if is_over() => stop(STATE.with_borrow_mut(|state| {
            state.as_mut().and_then(|state| state.exhaust(Exhausted::Deadline))
        })),
        Ok(_) => true,
    }
}

/// Spends bytes that are about to be produced. Returns `false` if they must not be produced.
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

impl BudgetState {
    /// Marks the budget as exhausted; returns the payload to unwind with if the budget is hard.
    fn exhaust(&mut self, why: Exhausted) -> Option<Abort> {
        // Only once: a destructor that spends while the reader unwinds must not panic again.
        let is_first = self.exhausted.replace(why).is_none();
        (self.is_hard && is_first).then_some(Abort(why))
    }
}

/// Unwinds the reader, without the panic hook because this is no bug; or returns `false` to make it
/// stop.
fn stop(abort: Option<Abort>) -> bool {
    match abort {
        Some(abort) => resume_unwind(Box::new(abort)),
        None => false,
    }
}

/// The bytes that one script, or another part of a page with its own grammar, may still produce.
#[derive(Debug)]
pub struct ScriptBudget {
    left: usize,
}

impl ScriptBudget {
    /// The budget of a script of `script_bytes` bytes.
    pub fn for_script(script_bytes: usize) -> Self {
        let most = script_bytes.saturating_mul(SCRIPT_FACTOR);
        Self { left: most.clamp(MIN_BYTES / 2, MAX_BYTES / 2) }
    }

    /// Spends bytes that are about to be produced. Returns `false` if they must not be produced;
    /// the budget is then empty.
    pub fn bytes(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes).filter(|_| self::bytes(bytes));
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether the budget is empty, so that further input need not be parsed.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests;
