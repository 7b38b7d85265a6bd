//! What runs keep of their pages: written with their items, within a limit, erased with them.

use contract::{FailedAction, Item, JobFiles, JobId, Millis, PageFileFormat};
use crawl::{KeptFile, KeptPage, KeptResponse};
use fixture::{pages_commit, skipped_url};
use job::{JobCommand, RunEnding};
use privacy::OptOut;
use store::{
    Appended, CommitPages, EraseMode, Lease, NewPageFile, PageFileState, PageRequest, Store,
    StoreError, StoreSettings,
};

use crate::harness::{Harness, NOW};
use crate::on_both_storages;

on_both_storages!(
    files_are_stored_with_their_items_and_behind_links,
    lost_and_unpaid_commits_store_no_files,
    files_beyond_the_limit_of_the_job_become_warnings,
    page_with_opted_out_data_has_no_files,
    erasure_deletes_the_files_of_matching_pages,
    files_are_deleted_with_the_job_its_retention_and_its_account,
    page_of_a_failed_action_is_kept_with_its_skipped_url,
);

pub const ADA: &str = "ada@firm.test";

/// A page with these files.
pub fn page(url: &str, files: &[(PageFileFormat, &str)]) -> Box<KeptPage> {
    let mut page = KeptPage::new(KeptResponse {
        url: url.to_owned(),
        status: 200,
        headers: vec![("x-served-by".to_owned(), "caf\u{e9}".to_owned())],
        fetched_at: NOW,
        rendered: false,
    });
    for (format, body) in files {
        let body = body.as_bytes().to_vec();
        page.add(KeptFile { format: *format, content_type: "text/html".to_owned(), body });
    }
    Box::new(page)
}

pub fn raw(url: &str, body: &str) -> Box<KeptPage> {
    page(url, &[(PageFileFormat::RawHtml, body)])
}

/// Appends pages of which these items are kept.
pub async fn append(
    store: &Store,
    lease: &mut Lease,
    numbers: std::ops::Range<u32>,
    kept: &[(usize, Box<KeptPage>)],
) -> Result<Appended, StoreError> {
    let (commit, items) = pages_commit(numbers);
    let pages = CommitPages { items: kept, ..CommitPages::default() };
    store.append_with_pages(lease, &commit, &items, pages, &[], NOW).await
}

/// The bytes behind the link to a file; `None` if there are none.
pub async fn download(
    store: &Store,
    job: &JobId,
    item: u64,
    format: PageFileFormat,
) -> Option<String> {
    let ticket = store.run_file_ticket(job, item, format, Millis(NOW.0 + 1)).expect("a key");
    match store.page_file(&ticket, NOW).await.expect("it answers") {
        PageFileState::Ready(file) => {
            let mut bytes = Vec::new();
            for part in 0..file.parts() {
                let part = store.page_file_part(&file, part).await.expect("it answers");
                bytes.extend(part.expect("a part"));
            }
            Some(String::from_utf8(bytes).expect("UTF-8"))
        }
        PageFileState::Expired => None,
        PageFileState::Invalid => panic!("an own ticket is invalid"),
    }
}

async fn kept_items(store: &Store, job: &JobId) -> Vec<u64> {
    let pages = store.run_pages(job, 0..1_000).await.expect("it answers");
    pages.iter().filter(|page| !page.files.is_empty()).map(|page| page.item).collect()
}

async fn files_are_stored_with_their_items_and_behind_links(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    harness.append(&mut lease, 0..3).await;
    let large = "<p>".repeat(400_000);
    let files = [(PageFileFormat::Html, "<h1>Clean</h1>"), (PageFileFormat::RawHtml, &large)];
    let kept = [(0, page("https://a.test/3", &files)), (2, raw("https://a.test/5", "five"))];
    assert_eq!(append(store, &mut lease, 3..6, &kept).await.expect("ok"), Appended::Stored);
    assert_eq!(kept_items(store, &job.id).await, [3, 5], "by the numbers of the items");
    assert_eq!(
        download(store, &job.id, 3, PageFileFormat::Html).await.as_deref(),
        Some("<h1>Clean</h1>")
    );
    assert_eq!(download(store, &job.id, 3, PageFileFormat::RawHtml).await, Some(large.clone()));
    let page = store.raw_page(&job.id, 3).await.expect("it answers").expect("it is kept");
    assert_eq!((page.body, page.response), (large.into_bytes(), kept[0].1.response.clone()));
    assert_eq!(store.raw_page(&job.id, 4).await.expect("it answers"), None);
    assert_eq!(download(store, &job.id, 4, PageFileFormat::RawHtml).await, None);
    assert_eq!(download(store, &job.id, 5, PageFileFormat::Html).await, None);
    let response = store.run_response(&job.id, 5).await.expect("it answers").expect("it is kept");
    assert_eq!(response, kept[1].1.response, "as a WARC record needs it");

    let ticket = |at: i64| store.run_file_ticket(&job.id, 5, PageFileFormat::RawHtml, Millis(at));
    let later = ticket(NOW.0 + 1_000).expect("a key");
    for (ticket, now, expected) in [
        (later.clone(), NOW.0 + 1_000, PageFileState::Expired),
        (later.replace(".5.", ".3."), NOW.0, PageFileState::Invalid),
        (later.replace("raw_html", "html"), NOW.0, PageFileState::Invalid),
        (ticket(NOW.0).expect("a key"), NOW.0, PageFileState::Expired),
    ] {
        let state = store.page_file(&ticket, Millis(now)).await.expect("it answers");
        assert_eq!(state, expected, "{ticket}");
    }
}

async fn lost_and_unpaid_commits_store_no_files(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 2).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let kept = [(0, raw("https://a.test/", "one")), (2, raw("https://a.test/2", "three"))];
    let mut stale = lease.clone();
    stale.epoch -= 1;
    assert_eq!(append(store, &mut stale, 0..3, &kept).await.expect("ok"), Appended::Lost);
    let short = append(store, &mut lease, 0..3, &kept).await.expect("ok");
    assert!(matches!(short, Appended::Short { .. }), "{short:?}");
    assert_eq!(kept_items(store, &job.id).await, [0_u64; 0]);
    assert_eq!(append(store, &mut lease, 0..2, &kept[..1]).await.expect("ok"), Appended::Stored);
    // The same commit again, as after a lost answer.
    let mut behind = lease.clone();
    behind.head -= 1;
    assert_eq!(append(store, &mut behind, 0..2, &kept[..1]).await.expect("ok"), Appended::Lost);
    assert_eq!(kept_items(store, &job.id).await, [0]);
    harness.audit(&account).await;
}

async fn files_beyond_the_limit_of_the_job_become_warnings(harness: Harness) {
    let harness = harness.with(|settings: &mut StoreSettings| settings.job_file_bytes = 50).await;
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let body = "0123456789 abcdefghij";
    let kept: Vec<_> = (0..3).map(|n| (n, raw("https://a.test/", body))).collect();
    assert_eq!(append(store, &mut lease, 0..3, &kept).await.expect("ok"), Appended::Stored);
    let JobFiles { stored_bytes, not_kept } = store.job_files(&job.id).await.expect("it answers");
    assert!((1..=50).contains(&stored_bytes) && not_kept == 2, "{stored_bytes} {not_kept}");
    let pages = store.run_pages(&job.id, 0..9).await.expect("it answers");
    assert_eq!(pages.len(), 3, "no page is lost silently");
    assert!(pages[0].warnings.is_empty() && pages[0].files.len() == 1);
    let warning = pages[2].warnings.join("");
    assert!(pages[2].files.is_empty() && warning.contains("job_file_bytes"), "{warning}");
    assert_eq!(store.job(&job.id).await.expect("ok").expect("a job").counts.results, 3);
}

async fn page_with_opted_out_data_has_no_files(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    store.erase(&OptOut::email(ADA).expect("one"), EraseMode::Apply, NOW).await.expect("ok");
    let picture = (PageFileFormat::Screenshot, "PNG");
    let text = format!("<p>Write to {ADA}</p>");
    let kept = [
        (0, page("https://a.test/", &[(PageFileFormat::RawHtml, &text), picture])),
        (1, page("https://a.test/1", &[(PageFileFormat::RawHtml, "<p>free</p>"), picture])),
    ];
    assert_eq!(append(store, &mut lease, 0..2, &kept).await.expect("ok"), Appended::Stored);
    assert_eq!(kept_items(store, &job.id).await, [1]);
    let pages = store.run_pages(&job.id, 0..1).await.expect("it answers");
    assert_eq!(pages[0].warnings.len(), 2, "{:?}", pages[0].warnings);
    assert_eq!(store.run_response(&job.id, 0).await.expect("it answers"), None);
}

async fn erasure_deletes_the_files_of_matching_pages(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let picture = (PageFileFormat::Screenshot, "PNG");
    let text = format!("<p>Write to {}</p>", ADA.replace('@', "&#64;"));
    let (commit, mut items) = pages_commit(0..3);
    // The item of the last page names her, the page spells her address in another way.
    let Item::Link(link) = &mut items[2] else { panic!("a link") };
    link.title = Some(format!("Mail to {ADA}"));
    let kept = [
        (0, page("https://a.test/", &[(PageFileFormat::RawHtml, &text), picture])),
        (1, page("https://a.test/1", &[(PageFileFormat::RawHtml, "<p>free</p>"), picture])),
        (2, page("https://a.test/2", &[(PageFileFormat::RawHtml, "ada at firm"), picture])),
    ];
    let pages = CommitPages { items: &kept, ..CommitPages::default() };
    let appended = store.append_with_pages(&mut lease, &commit, &items, pages, &[], NOW).await;
    assert_eq!(appended.expect("ok"), Appended::Stored);
    let before = store.job_files(&job.id).await.expect("it answers").stored_bytes;
    let ada = OptOut::email(ADA).expect("a mailbox");
    let dry = store.erase(&ada, EraseMode::DryRun, NOW).await.expect("it looks");
    assert_eq!((dry.pages, dry.results), (1, 1));
    assert_eq!(kept_items(store, &job.id).await, [0, 1, 2], "a dry run changes nothing");
    let erased = store.erase(&ada, EraseMode::Apply, NOW).await.expect("it erases");
    assert_eq!((erased.pages, erased.results), (1, 1));
    assert_eq!(kept_items(store, &job.id).await, [1]);
    for item in [0, 2] {
        assert_eq!(download(store, &job.id, item, PageFileFormat::Screenshot).await, None);
    }
    let kept = download(store, &job.id, 1, PageFileFormat::Screenshot).await;
    assert_eq!(kept.as_deref(), Some("PNG"), "the files of others stay");
    let after = store.job_files(&job.id).await.expect("it answers").stored_bytes;
    assert!(after < before, "{after} of {before}");
}

async fn files_are_deleted_with_the_job_its_retention_and_its_account(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 1_000).await;
    let mut jobs = Vec::new();
    for host in ["a.example", "b.example", "c.example"] {
        let (job, mut lease) = harness.running(&account, host).await;
        for first in (0..80).step_by(8) {
            let kept: Vec<_> = (0..8).map(|n| (n, raw("https://a.test/", "text"))).collect();
            let stored = append(store, &mut lease, first..first + 8, &kept).await.expect("ok");
            assert_eq!(stored, Appended::Stored);
        }
        jobs.push((job.id, lease));
    }
    let account_file = NewPageFile {
        id: contract::PageFileId::new(NOW, [7; 10]),
        content_type: "text/html".to_owned(),
        body: b"page"[..].into(),
        expires_at: Millis(NOW.0 + 1_000),
    };
    store.keep_page_files(&account, &[account_file], NOW).await.expect("it is kept");
    for (job, lease) in &jobs[..2] {
        let done = JobCommand::Finish(RunEnding::Complete);
        store.report(lease, &done, NOW).await.expect("it ends");
        assert_eq!(kept_items(store, job).await.len(), 80);
    }
    assert_eq!(blobs(&harness).await, 241);
    store.delete_job(&account, &jobs[0].0, NOW).await.expect("it is deleted");
    assert_eq!(blobs(&harness).await, 161);
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    store.purge(day, NOW.plus(2 * day)).await.expect("it purges");
    assert_eq!(blobs(&harness).await, 80, "the third job has not ended");
    store.delete_account(&account, NOW).await.expect("it is deleted");
    assert_eq!(blobs(&harness).await, 0);
}

/// The number of parts of files.
pub async fn blobs(harness: &Harness) -> i64 {
    sqlx::any::install_default_drivers();
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let count = "SELECT (SELECT COUNT(*) FROM blobs) + (SELECT COUNT(*) FROM blob_parts)";
    let count = sqlx::query_scalar(count).fetch_one(&pool).await;
    pool.close().await;
    count.expect("a number")
}

async fn page_of_a_failed_action_is_kept_with_its_skipped_url(harness: Harness) {
    let store = &harness.store;
    let account = harness.account("a@x.org", 100).await;
    let (job, mut lease) = harness.running(&account, "example.com").await;
    let (commit, items) = pages_commit(0..2);
    let mut skipped: Vec<_> = (0..3).map(skipped_url).collect();
    for row in &mut skipped[1..] {
        row.failed_action = Some(FailedAction::new(1, "click #go: no such element".to_owned()));
    }
    let picture = (PageFileFormat::Screenshot, "PNG");
    let text = format!("<p>Write to {ADA}</p>");
    let kept = [
        (1, page("https://a.test/1", &[picture, (PageFileFormat::RawHtml, "<p>free</p>")])),
        (2, page("https://a.test/2", &[picture, (PageFileFormat::RawHtml, &text)])),
    ];
    let pages = CommitPages { skipped: &kept, ..CommitPages::default() };
    let appended = store.append_with_pages(&mut lease, &commit, &items, pages, &skipped, NOW).await;
    assert_eq!(appended.expect("ok"), Appended::Stored);
    let first = PageRequest { number: 1, size: 100 };
    let rows = store.skipped(&job.id, None, first).await.expect("it answers").items;
    let numbers: Vec<_> =
        rows.iter().map(|row| row.failed_action.as_ref().and_then(|one| one.kept_as)).collect();
    let [None, Some(plain), Some(personal)] = numbers[..] else { panic!("{numbers:?}") };
    assert_ne!(plain, personal);
    assert!(store.run_pages(&job.id, 0..2).await.expect("it answers").is_empty(), "no items");
    for number in [plain, personal] {
        let picture = download(store, &job.id, number, PageFileFormat::Screenshot).await;
        assert_eq!(picture.as_deref(), Some("PNG"));
    }
    let ada = OptOut::email(ADA).expect("a mailbox");
    let erased = store.erase(&ada, EraseMode::Apply, NOW).await.expect("it erases");
    assert_eq!(erased.pages, 1);
    assert_eq!(download(store, &job.id, personal, PageFileFormat::Screenshot).await, None);
    let kept = download(store, &job.id, plain, PageFileFormat::Screenshot).await;
    assert_eq!(kept.as_deref(), Some("PNG"));
}
