//! Computations of milliseconds or more inside async code, such as encoding a large commit.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs `work` while the other tasks of this thread move to another thread.
///
/// # Panics
/// Outside of a tokio runtime.
pub fn off_runtime<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        // A current-thread runtime has no other thread.
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn other_tasks_continue_during_the_work() {
        let work = tokio::spawn(async {
            let (send, receive) = mpsc::channel();
            tokio::spawn(async move { send.send(()) });
            off_runtime(|| receive.recv_timeout(Duration::from_secs(60)))
        });
        assert_eq!(work.await.expect("no panic"), Ok(()), "the other task had no thread");
    }
}
