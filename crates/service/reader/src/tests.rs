//! Budgets, wall clock limits, overload and aborted callers.

use std::sync::mpsc;

use page::SitemapLimits;
use tokio::task::JoinHandle;
use urls::CanonicalUrl;

use super::*;

/// Maximum wait of a test.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// An executor with one slot and two units of memory.
fn executor(cpu: Duration) -> ReadExecutor {
    ReadExecutor::new(ReadSettings { at_a_time: 1, cpu, memory: 2 * MEMORY_UNIT })
}

/// Reads a sitemap of many entries, which passes checkpoints.
fn read_sitemap() -> bool {
    let text = format!("<urlset>{}", "<url><loc>https://a.test/</loc></url>".repeat(10_000));
    let url = CanonicalUrl::parse("https://a.test/sitemap.xml").expect("a URL");
    page::read_sitemap(text.as_bytes(), None, &url, &SitemapLimits::default()).is_ok()
}

/// Waits until all permits are released.
async fn all_free(executor: &ReadExecutor) {
    let free = executor.shared.queue.acquire(&executor.share, 2);
    assert!(timeout(MAX_WAIT, free).await.is_ok());
}

#[tokio::test]
async fn read_over_its_cpu_budget_is_exhausted_and_releases_its_slot() {
    let executor = executor(Duration::ZERO);
    let read = executor.run(1 << 20, read_sitemap).await;
    assert_eq!(read, Err(ReadFailure::Exhausted(Exhausted::Deadline)));
    assert_eq!(executor.run(1, || 7).await, Ok(7));
    all_free(&executor).await;
}

#[tokio::test]
async fn overdue_read_releases_its_slot_at_once_and_its_memory_at_its_end() {
    let executor = executor(Duration::ZERO);
    let (release, released) = mpsc::channel::<()>();
    let read = executor.run(MEMORY_UNIT, move || released.recv().is_ok()).await;
    assert_eq!(read, Err(ReadFailure::Overdue));
    assert_eq!(executor.shared.queue.free(), (1, 1), "its thread still reads");
    assert_eq!(executor.overdue(), 1);
    assert_eq!(executor.run(1, || 7).await, Ok(7));
    release.send(()).expect("the thread waits");
    all_free(&executor).await;
    none_overdue(&executor).await;
}

/// Waits until the threads of overdue reads have ended.
async fn none_overdue(executor: &ReadExecutor) {
    let mut overdue = executor.shared.overdue.subscribe();
    let ended = overdue.wait_for(|overdue| overdue.threads == 0 && overdue.units == 0);
    assert!(timeout(MAX_WAIT, ended).await.is_ok_and(|ended| ended.is_ok()));
}

#[tokio::test]
async fn overdue_reads_that_do_not_end_overload_the_executor() {
    for (settings, bytes) in [
        // As many threads as slots.
        (ReadSettings { at_a_time: 1, cpu: Duration::ZERO, memory: 64 * MEMORY_UNIT }, 1),
        // More than half of the memory.
        (
            ReadSettings { at_a_time: 8, cpu: Duration::ZERO, memory: 4 * MEMORY_UNIT },
            3 * MEMORY_UNIT,
        ),
    ] {
        let executor = ReadExecutor::new(settings);
        let (release, released) = mpsc::channel::<()>();
        let read = executor.run(bytes, move || released.recv().is_ok()).await;
        assert_eq!(read, Err(ReadFailure::Overdue));
        timeout(MAX_WAIT, executor.overloaded()).await.expect("it is overloaded");
        release.send(()).expect("the thread waits");
        none_overdue(&executor).await;
    }
}

#[tokio::test]
async fn timers_of_a_runtime_with_one_thread_tick_while_a_document_is_read() {
    let executor = executor(MAX_WAIT);
    let (tick, ticks) = mpsc::channel();
    let ticking = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if tick.send(()).is_err() {
                return;
            }
        }
    });
    // The read ends only if the timer ticks meanwhile.
    let read = executor.run(1, move || (0..3).all(|_| ticks.recv_timeout(MAX_WAIT).is_ok())).await;
    assert_eq!(read, Ok(true));
    timeout(MAX_WAIT, ticking).await.expect("in time").expect("no panic");
}

/// A caller whose read has begun, and ends when it is released.
async fn begun(
    executor: &ReadExecutor,
) -> (JoinHandle<Result<bool, ReadFailure>>, mpsc::Sender<()>) {
    let (begin, begun) = oneshot::channel();
    let (release, released) = mpsc::channel();
    let executor = executor.clone();
    let caller = tokio::spawn(async move {
        let read = move || {
            begin.send(()).expect("the test waits");
            released.recv().is_ok()
        };
        executor.run(1, read).await
    });
    timeout(MAX_WAIT, begun).await.expect("in time").expect("it begins");
    (caller, release)
}

#[tokio::test]
async fn aborted_caller_keeps_the_slot_until_its_read_ends() {
    let executor = executor(MAX_WAIT);
    let (caller, release) = begun(&executor).await;
    caller.abort();
    assert!(caller.await.is_err_and(|error| error.is_cancelled()));
    assert_eq!(executor.shared.queue.free().0, 0);
    release.send(()).expect("the thread waits");
    all_free(&executor).await;
}

#[tokio::test]
async fn read_of_an_aborted_caller_is_abandoned_by_the_wall_clock() {
    let executor = executor(Duration::ZERO);
    let (caller, release) = begun(&executor).await;
    caller.abort();
    let _ = caller.await;
    assert_eq!(timeout(MAX_WAIT, executor.run(1, || 7)).await, Ok(Ok(7)));
    assert_eq!(executor.overdue(), 1);
    release.send(()).expect("the thread waits");
    none_overdue(&executor).await;
    all_free(&executor).await;
}

#[tokio::test]
async fn panic_of_a_read_reaches_its_caller_and_releases_its_slot() {
    let executor = executor(MAX_WAIT);
    let clone = executor.clone();
    let caller = tokio::spawn(async move { clone.run(1, || panic!("a bug")).await });
    let read: Result<Result<(), _>, _> = caller.await;
    assert!(read.is_err_and(|error| error.is_panic()));
    all_free(&executor).await;
}
