//! Hard and soft budgets, checkpoints and unwinding.

use std::cell::Cell;
use std::rc::Rc;

use super::*;

fn small() -> PageBudget {
    PageBudget { steps: 10_000, bytes: 1_000, checkpoint: None }
}

#[test]
fn reader_within_its_budget_returns_its_result() {
    let read = with(small(), || {
        assert!(steps(9_000) && bytes(1_000));
        spent()
    });
    assert_eq!(read, Ok(Spent { steps: 9_000, bytes: 1_000 }));
}

#[test]
fn exhausted_steps_unwind_a_loop_that_ignores_the_result() {
    let read = with(small(), || {
        loop {
            steps(1);
        }
    });
    assert_eq!(read, Err::<(), _>(Exhausted::Steps));
}

#[test]
fn exhausted_bytes_unwind_before_they_are_produced() {
    let read = with(small(), || {
        bytes(1_001);
        unreachable!("it was unwound");
    });
    assert_eq!(read, Err::<(), _>(Exhausted::Bytes));
}

#[test]
fn checkpoint_ends_the_reading_at_its_deadline() {
    let asked = Rc::new(Cell::new(0));
    let counted = Rc::clone(&asked);
    let budget = PageBudget::for_page(0).with_checkpoint(move || {
        counted.set(counted.get() + 1);
        counted.get() == 3
    });
    let taken = Rc::new(Cell::new(0_u64));
    let read = with(budget, || {
        loop {
            taken.set(taken.get() + 1);
            steps(1);
        }
    });
    assert_eq!(read, Err::<(), _>(Exhausted::Deadline));
    assert_eq!((asked.get(), taken.get()), (3, 3 * CHECK_EVERY));
}

#[test]
fn soft_budget_returns_false_without_unwinding() {
    ensure(0, || {
        assert!(bytes(MIN_BYTES));
        assert!(!bytes(1));
        assert!(steps(MIN_STEPS as usize), "bytes and steps are counted apart");
        assert!(!steps(CHECK_EVERY as usize));
        assert!(!steps(CHECK_EVERY as usize));
    });
    assert_eq!(spent(), Spent::default());
}

#[test]
fn destructor_that_spends_does_not_unwind_twice() {
    struct Spender;
    impl Drop for Spender {
        fn drop(&mut self) {
            assert!(!bytes(1));
            steps(CHECK_EVERY as usize);
        }
    }
    let read = with(small(), || {
        let _spender = Spender;
        bytes(5_000);
    });
    assert_eq!(read, Err(Exhausted::Bytes));
}

#[test]
fn reader_panic_is_not_reported_as_exhausted_budget() {
    let outcome = std::panic::catch_unwind(|| with(small(), || std::panic::panic_any(7_i32)));
    assert_eq!(outcome.expect_err("it panicked").downcast_ref::<i32>(), Some(&7));
    assert_eq!(spent(), Spent::default(), "the budget was taken back");
}

#[test]
fn nested_budget_restores_the_outer_one() {
    let read = with(small(), || {
        bytes(900);
        let inner = with(small(), || bytes(1_001));
        assert_eq!(inner, Err(Exhausted::Bytes));
        ensure(usize::MAX / 16, || spent().bytes)
    });
    assert_eq!(read, Ok(900));
}

#[test]
fn byte_budget_is_eight_times_the_page() {
    assert_eq!(PageBudget::for_page(100_000).bytes, 800_000);
    assert_eq!(PageBudget::for_page(8 << 20).bytes, 32 << 20);
}

#[test]
fn script_budget_is_smaller_than_page_budget() {
    let mut script = ScriptBudget::for_script(10_000);
    let read = with(PageBudget::for_page(10_000), || {
        assert!(script.bytes(40_000));
        assert!(!script.bytes(1));
        assert!(!script.bytes(1));
        spent().bytes
    });
    assert_eq!(read, Ok(40_000));
}
