use crawl::{Means, Study, Want};
use reader::ReadSettings;
use site::CanonicalUrl;

use super::*;

/// A reader with one place, whose pages have no CPU time: they are given up at their first
/// checkpoint.
fn reader() -> PageReader {
    let settings = ReadSettings { at_a_time: 1, cpu: Duration::ZERO, ..ReadSettings::default() };
    PageReader::new(ReadExecutor::new(settings), None)
}

fn task() -> Task {
    Task {
        url: CanonicalUrl::parse("https://site.test/").expect("a URL"),
        purpose: Purpose::Url { ordinal: 0, want: Want::Page { images: false } },
        visit: None,
        gap: None,
        means: Means::Plain,
        study: Study::default(),
    }
}

fn head() -> AnswerHead {
    AnswerHead { status: 200, content_type: Some("text/html".to_owned()), ..AnswerHead::default() }
}

/// A page of many elements, each of which takes a step.
fn heavy() -> Bytes {
    Bytes::from("<p><b>x</b>".repeat(20_000))
}

#[tokio::test]
async fn page_over_its_cpu_budget_is_too_complex_and_the_next_one_is_read() {
    let reader = reader();
    let run = reader.for_run();
    let (_, read) = reader.read(task(), head(), heavy(), &run).await;
    assert_eq!(read.err(), Some(Cause::TooComplex));
    assert!(!run.is_isolated(), "it passed a checkpoint");
    let (_, read) = reader.read(task(), head(), Bytes::from_static(b"<p>x</p>"), &run).await;
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[tokio::test]
async fn request_that_is_aborted_while_it_waits_leaves_its_place_to_others() {
    let reader = reader();
    let run = reader.for_run();
    let place = run.places.acquire().await.expect("a place");
    let waiting = {
        let (reader, run) = (reader.clone(), run.clone());
        tokio::spawn(async move { reader.read(task(), head(), heavy(), &run).await })
    };
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.is_err_and(|error| error.is_cancelled()));
    drop(place);
    let (_, read) = reader.read(task(), head(), Bytes::from_static(b"<p>x</p>"), &run).await;
    assert_eq!(read.map(|reading| reading.status()), Ok(200));
}

#[test]
fn run_with_an_overdue_page_is_isolated() {
    let run = PageReader::new(ReadExecutor::default(), None).for_run();
    for (why, isolates) in [
        (TooComplex::Child("the reader process died"), false),
        (TooComplex::Here(ReadFailure::Overdue), true),
    ] {
        assert_eq!(why.cause(&task(), &run), Cause::TooComplex);
        assert_eq!(run.is_isolated(), isolates);
    }
}
