use std::sync::mpsc;

use extract::{SitemapFile, SitemapLimits};
use site::CanonicalUrl;

use super::*;

/// No wait of a test takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// An executor with one place, for two units of memory.
fn executor(cpu: Duration) -> ReadExecutor {
    ReadExecutor::new(ReadSettings { at_a_time: 1, cpu, memory: 2 * MEMORY_UNIT })
}

/// Reads a sitemap of many entries, which passes checkpoints.
fn read_sitemap() -> bool {
    let text = format!("<urlset>{}", "<url><loc>https://a.test/</loc></url>".repeat(10_000));
    let url = CanonicalUrl::parse("https://a.test/sitemap.xml").expect("a URL");
    SitemapFile::read(text.as_bytes(), None, &url, &SitemapLimits::default()).is_ok()
}

/// Waits until all permits are back.
async fn all_free(executor: &ReadExecutor) {
    let ExecutorShared { places, memory, .. } = &*executor.shared;
    let free = async { (places.acquire().await.is_ok(), memory.acquire_many(2).await.is_ok()) };
    assert_eq!(timeout(PATIENCE, free).await, Ok((true, true)));
}

#[tokio::test]
async fn reading_over_its_cpu_budget_is_exhausted_and_frees_its_place() {
    let executor = executor(Duration::ZERO);
    let read = executor.run(1 << 20, read_sitemap).await;
    assert_eq!(read, Err(ReadFailure::Exhausted(Exhausted::Deadline)));
    assert_eq!(executor.run(1, || 7).await, Ok(7));
    all_free(&executor).await;
}

#[tokio::test]
async fn overdue_reading_frees_its_place_at_once_and_its_memory_at_its_end() {
    let executor = executor(Duration::ZERO);
    let (release, released) = mpsc::channel::<()>();
    let read = executor.run(MEMORY_UNIT, move || released.recv().is_ok()).await;
    assert_eq!(read, Err(ReadFailure::Overdue));
    assert_eq!(executor.shared.memory.available_permits(), 1, "its thread still reads");
    assert_eq!(executor.run(1, || 7).await, Ok(7));
    release.send(()).expect("the thread waits");
    all_free(&executor).await;
}

#[tokio::test]
async fn aborted_caller_keeps_the_place_until_its_reading_ends() {
    let executor = executor(PATIENCE);
    let (begin, begun) = oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let clone = executor.clone();
    let caller = tokio::spawn(async move {
        let read = move || {
            begin.send(()).expect("the test waits");
            released.recv().is_ok()
        };
        clone.run(1, read).await
    });
    timeout(PATIENCE, begun).await.expect("in time").expect("it begins");
    caller.abort();
    assert!(caller.await.is_err_and(|error| error.is_cancelled()));
    assert_eq!(executor.shared.places.available_permits(), 0);
    release.send(()).expect("the thread waits");
    all_free(&executor).await;
}

#[tokio::test]
async fn panic_of_a_reading_reaches_its_caller_and_frees_its_place() {
    let executor = executor(PATIENCE);
    let clone = executor.clone();
    let caller = tokio::spawn(async move { clone.run(1, || panic!("a bug")).await });
    let read: Result<Result<(), _>, _> = caller.await;
    assert!(read.is_err_and(|error| error.is_panic()));
    all_free(&executor).await;
}
