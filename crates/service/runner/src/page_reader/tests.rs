use crawl::{BodyNeed, ExtractRequest, FetchVia};
use reader::ReadSettings;
use urls::CanonicalUrl;

use super::*;
use crate::ReaderPoolSettings;

/// A reader with one slot and no CPU time: pages fail at their first checkpoint.
fn reader() -> PageReader {
    let settings = ReadSettings { at_a_time: 1, cpu: Duration::ZERO, ..ReadSettings::default() };
    PageReader::new(ReadExecutor::new(settings), None)
}

fn task() -> FetchTask {
    FetchTask {
        url: CanonicalUrl::parse("https://site.test/").expect("a URL"),
        purpose: Purpose::Url { id: journal::UrlId::START, need: BodyNeed::Page { images: false } },
        visit: None,
        gap: None,
        fetch_via: FetchVia::Plain,
        extract: ExtractRequest::default(),
    }
}

fn head() -> ResponseHead {
    ResponseHead {
        status: 200,
        content_type: Some("text/html".to_owned()),
        ..ResponseHead::default()
    }
}

/// A pool whose children run this shell script instead of a reader. `PATH` is empty: only shell
/// built-ins are available.
fn pool(script: &str, children: usize) -> ReaderPool {
    ReaderPool::new(ReaderPoolSettings {
        program: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        children,
        cpu: Duration::from_secs(6),
        memory: 512 << 20,
    })
}

/// A page with many elements, each of which costs a step.
fn heavy() -> Bytes {
    Bytes::from("<p><b>x</b>".repeat(20_000))
}

#[tokio::test]
async fn page_over_its_cpu_budget_is_too_complex_and_the_next_one_is_read() {
    let reader = reader();
    let run = reader.for_run("account");
    let (_, read) = reader.read(task(), head(), heavy(), &run).await;
    assert_eq!(read.err(), Some(Cause::TooComplex));
    assert!(!run.is_isolated(), "it passed a checkpoint");
    let (_, read) = reader.read(task(), head(), Bytes::from_static(b"<p>x</p>"), &run).await;
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[tokio::test]
async fn cancelled_request_releases_its_place_in_the_queue() {
    let reader = reader();
    let run = reader.for_run("account");
    let slot = run.slot().await;
    let waiting = {
        let (reader, run) = (reader.clone(), run.clone());
        tokio::spawn(async move {
            let _slot = run.slot().await;
            reader.read(task(), head(), heavy(), &run).await
        })
    };
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.is_err_and(|error| error.is_cancelled()));
    drop(slot);
    let _slot = run.slot().await;
    let (_, read) = reader.read(task(), head(), Bytes::from_static(b"<p>x</p>"), &run).await;
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[test]
fn run_with_an_overdue_page_is_isolated() {
    let run = PageReader::new(ReadExecutor::default(), None).for_run("account");
    for (why, isolates) in [
        (ReadError::Child("reader process died"), false),
        (ReadError::Here(ReadFailure::Overdue), true),
    ] {
        assert_eq!(why.cause(&task(), &run), Cause::TooComplex);
        assert_eq!(run.is_isolated(), isolates);
    }
}

#[tokio::test]
async fn isolated_pages_are_read_in_several_children_concurrently() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let begun = folder.path().display();
    // Each child responds only after two of them have a page.
    let script = format!(
        "printf R; read line; : > '{begun}'/$$; \
         while set -- '{begun}'/*; [ $# -lt 2 ]; do :; done; \
         printf 'S\\000\\000\\000\\000'; while read line; do :; done"
    );
    let settings = ReadSettings { at_a_time: 2, ..ReadSettings::default() };
    let reader = PageReader::new(ReadExecutor::new(settings), Some(pool(&script, 2)));
    let run = reader.for_run("account");
    run.set_isolated(true);
    let read = || reader.read(task(), head(), Bytes::from_static(b"<p>x</p>\n"), &run);
    let ((_, first), (_, second)) = tokio::join!(read(), read());
    for read in [first, second] {
        assert_eq!(read.map(|reading| reading.status()), Ok(200));
    }
}

#[tokio::test]
async fn all_runs_are_isolated_while_an_overdue_read_runs() {
    let settings = ReadSettings { at_a_time: 2, cpu: Duration::ZERO, ..ReadSettings::default() };
    // No page survives a child.
    let pool = pool("printf R; read line; exit", 1);
    let reader = PageReader::new(ReadExecutor::new(settings), Some(pool));
    let run = reader.for_run("account");
    let page = || Bytes::from_static(b"<p>x</p>\n");
    let (release, released) = std::sync::mpsc::channel::<()>();
    let overdue = reader.executor().run(1, move || released.recv().is_ok()).await;
    assert_eq!(overdue, Err(ReadFailure::Overdue));
    let (_, read) = reader.read(task(), head(), page(), &run).await;
    assert_eq!(read.err(), Some(Cause::TooComplex), "the page was read in a child");
    release.send(()).expect("the thread waits");
    while reader.executor().overdue() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (_, read) = reader.read(task(), head(), page(), &run).await;
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[test]
fn responses_are_read_off_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    let read = runtime.block_on(async {
        // The only thread off the runtime is busy until a timer has ticked three times.
        let (release, released) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || released.recv().is_ok());
        let ticks = async {
            for _ in 0..3 {
                sleep(Duration::from_millis(1)).await;
            }
        };
        let reader = PageReader::new(ReadExecutor::default(), None);
        let run = reader.for_run("account");
        let page = Bytes::from_static(b"<p>x</p>");
        let mut reading = std::pin::pin!(reader.read(task(), head(), page, &run));
        tokio::select! {
            biased;
            _ = &mut reading => panic!("the page was read on the runtime"),
            () = ticks => {}
        }
        release.send(()).expect("the thread waits");
        assert!(busy.await.expect("no panic"));
        reading.await.1
    });
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[tokio::test]
async fn robots_txt_of_an_isolated_run_is_read_by_a_child_first() {
    let robots = FetchTask {
        purpose: Purpose::Robots { origin: "https://site.test".to_owned(), hops: 0 },
        ..task()
    };
    let body = Bytes::from_static(b"User-agent: *\nDisallow: /\n");
    for (script, expected) in [
        ("printf R; read line; exit", Err(Cause::TooComplex)),
        (
            "printf R; read line; printf 'S\\000\\000\\000\\000'; while read line; do :; done",
            Ok(200),
        ),
    ] {
        let reader = PageReader::new(ReadExecutor::default(), Some(pool(script, 1)));
        let run = reader.for_run("account");
        run.set_isolated(true);
        let (_, read) = reader.read(robots.clone(), head(), body.clone(), &run).await;
        assert_eq!(read.map(|reading| reading.status()), expected, "{script}");
    }
}

#[tokio::test]
async fn temporarily_isolated_run_is_read_in_process_if_no_child_starts() {
    let settings = ReadSettings { at_a_time: 2, cpu: Duration::ZERO, ..ReadSettings::default() };
    let reader = PageReader::new(ReadExecutor::new(settings), Some(pool("exit 1", 1)));
    let (release, released) = std::sync::mpsc::channel::<()>();
    let overdue = reader.executor().run(1, move || released.recv().is_ok()).await;
    assert_eq!(overdue, Err(ReadFailure::Overdue));
    for (isolated, expected) in [(false, Ok(200)), (true, Err(Cause::TooComplex))] {
        let run = reader.for_run("account");
        run.set_isolated(isolated);
        let page = Bytes::from_static(b"<p>x</p>");
        let (_, read) = reader.read(task(), head(), page, &run).await;
        assert_eq!(read.map(|reading| reading.status()), expected, "{isolated}");
    }
    release.send(()).expect("the thread waits");
}
