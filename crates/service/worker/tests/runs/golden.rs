//! Databases of earlier releases: finished runs stay readable, and runs that were stopped in the
//! middle continue to their end. `tests/golden/README.md` says how the files are made.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use contract::{AccountId, Clock, Confirm, JobId, Millis, Mode, Status, Units};
use fixture::NOW;
use job::Job;
use lab::{Catalogue, Company, Mapped, Shop, Site as _};
use net::Fetch;
use runner::{CommitLimits, Fetcher, HostGate, HostGateSettings};
use serde_json::Value;
use sqlx::AnyPool;
use store::{Creation, NewJob, NewSchedule, PageRequest, ScheduledJob, Store, StoreSettings};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use worker::{WorkerSettings, Workers};

use crate::harness::{self, DATABASE, wait_for};
use crate::lab_sites::LabSites;
use crate::postgres_copy;

const EMAIL: &str = "ada@example.com";
const CREDITS: i64 = 10_000;

const CATALOGUE: &str = "catalogue.lab.test";
const SHOP: &str = "mill.lab.test";
const MAPPED: &str = "mapped.lab.test";

/// The domains of the `contacts` run. The last two do not answer before the upgrade.
const DOMAINS: [&str; 4] = [
    "greenholt-trust.test",
    "zimmerei-hanflechner.test",
    "pellgrove-law.test",
    "veldkamp-code.test",
];
const SILENT: &[&str] = &["pellgrove-law.test", "veldkamp-code.test"];

/// Time between the stop of the runs and the start of the new release: robots.txt is read again.
const UPGRADE: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// A clock that starts at a fixed time, so that nothing in a database of long ago has expired.
#[derive(Debug)]
struct ShiftedClock {
    start: Millis,
    since: Instant,
}

impl Clock for ShiftedClock {
    fn now(&self) -> Millis {
        self.start.plus(self.since.elapsed())
    }
}

/// The runs of a golden database.
#[derive(Debug, Clone, Copy)]
enum GoldenRun {
    /// `links`, paused at the end of its first batch of 40.
    Links = 1,
    /// `products`, paused at the end of its first batch of 25, with a learned template.
    Products,
    /// `sitemap`, completed with all of its results.
    Sitemap,
    /// `contacts`, interrupted after two of four domains.
    Contacts,
}

impl GoldenRun {
    const ALL: [Self; 4] = [Self::Links, Self::Products, Self::Sitemap, Self::Contacts];

    fn id(self) -> JobId {
        JobId::new(NOW, [self as u8; 10])
    }

    fn request(self, account: &AccountId) -> NewJob {
        let site = |mode, host: &str, batch_size| {
            let mut new = fixture::new_job(account, host);
            new.draft.mode = mode;
            new.draft.url = Some(format!("http://{host}/"));
            new.draft.batch_size = batch_size;
            new
        };
        let mut new = match self {
            Self::Links => site(Mode::Links, CATALOGUE, 40),
            Self::Products => site(Mode::Products, SHOP, 25),
            Self::Sitemap => site(Mode::Sitemap, MAPPED, 10_000),
            Self::Contacts => fixture::new_contacts_job(account, &DOMAINS),
        };
        new.draft.id = self.id();
        new
    }

    async fn job(self, store: &Store) -> Job {
        store.job(&self.id()).await.expect("it answers").expect("a job")
    }

    async fn items(self, store: &Store) -> Vec<Value> {
        store.results(&self.id(), 0, 1_000).await.expect("it answers").items
    }

    /// The values of a field of all items, each once.
    async fn values(self, store: &Store, field: &str) -> BTreeSet<String> {
        let items = self.items(store).await;
        let text = |item: &Value| item[field].as_str().expect("a text").to_owned();
        let values: BTreeSet<String> = items.iter().map(text).collect();
        assert_eq!(values.len(), items.len(), "{self:?}: an item is delivered twice");
        values
    }
}

fn catalogue() -> Catalogue {
    Catalogue { page_bytes: 1_024, ..Catalogue::mixed(60) }
}

fn shop() -> Shop {
    Shop::named(SHOP).expect("a shop").stripped()
}

fn mapped() -> Mapped {
    Mapped::new(format!("http://{MAPPED}"))
}

fn sites() -> LabSites {
    let sites = LabSites::default()
        .serve(CATALOGUE, catalogue())
        .serve(SHOP, shop())
        .serve(MAPPED, mapped());
    DOMAINS.iter().fold(sites, |sites, domain| {
        let company = Company::named(domain).expect("a company");
        company.names().iter().fold(sites, |sites, name| sites.serve(name, company.clone()))
    })
}

/// Lets workers run from `start` on until `is_done`.
pub async fn work(
    store: &Store,
    sites: &Arc<LabSites>,
    start: Millis,
    mut is_done: impl AsyncFnMut() -> bool,
) {
    let clock: Arc<dyn Clock> = Arc::new(ShiftedClock { start, since: Instant::now() });
    let gate = HostGateSettings { concurrency: 64, delay: Duration::ZERO };
    let gate = HostGate::new(gate, Arc::clone(&clock));
    let fetcher = Fetcher::new(Arc::clone(sites) as Arc<dyn Fetch>, gate, clock);
    // Many commits and snapshots.
    let settings = WorkerSettings {
        commit: CommitLimits { steps: 1, ..CommitLimits::default() },
        snapshot_bytes: 1,
        ..WorkerSettings::default()
    };
    let stop = CancellationToken::new();
    let workers = tokio::spawn(Workers::new(store.clone(), fetcher, settings).run(stop.clone()));
    wait_for("the runs stop", async || is_done().await.then_some(())).await;
    stop.cancel();
    workers.await.expect("no panic");
}

fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The releases that a database is stored of.
fn releases() -> Vec<String> {
    let files = fs::read_dir(golden_folder()).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a name"));
    let mut releases: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".db.zst").map(str::to_owned)).collect();
    releases.sort();
    releases
}

/// A copy of the database of a release, as it was written.
fn unpack(release: &str) -> tempfile::TempDir {
    let file = fs::File::open(golden_folder().join(format!("{release}.db.zst"))).expect("a file");
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(DATABASE), zstd::decode_all(file).expect("whole")).expect("room");
    folder
}

/// A copy of the database of a release, upgraded.
async fn open(release: &str) -> (tempfile::TempDir, Store) {
    let folder = unpack(release);
    let store = harness::store_in(folder.path()).await;
    (folder, store)
}

/// The same rows in PostgreSQL, upgraded.
async fn open_in_postgres(release: &str) -> (tempfile::TempDir, Store) {
    let folder = unpack(release);
    let url = fixture::fresh_postgres().await;
    let store = Store::new(StoreSettings::new(url.clone())).expect("an address of a database");
    postgres_copy::copy(&folder.path().join(DATABASE), &url).await;
    store.prepare().await.expect("it is upgraded");
    (folder, store)
}

/// Everything that is stored can be read and is consistent.
async fn verify(store: &Store, release: &str) {
    for check in store.verify_data().await.expect("it answers") {
        assert!(check.is_clean(), "{release}: {check:?}");
    }
}

#[test]
fn every_release_from_0_2_on_has_a_golden_database() {
    let changes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../CHANGELOG.md");
    let changes = fs::read_to_string(changes).expect("the list of changes");
    let heads = changes.lines().filter_map(|line| line.strip_prefix("## "));
    let versions = heads.filter_map(|head| head.split_whitespace().next());
    for version in versions.map(|version| version.trim_matches(['[', ']'])) {
        let is_number = version.split('.').all(|part| part.parse::<u32>().is_ok());
        if is_number && !version.starts_with("0.1.") {
            assert!(releases().contains(&version.to_owned()), "none of {version}: see README.md");
        }
    }
}

async fn account(store: &Store) -> AccountId {
    store.account_by_email(EMAIL).await.expect("it answers").expect("an account").id
}

#[tokio::test]
async fn finished_runs_and_schedules_of_earlier_releases_are_read_as_they_were() {
    let releases = releases();
    assert!(!releases.is_empty());
    for release in releases {
        let (_folder, store) = open(&release).await;
        check_finished(&store, &release).await;
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn finished_runs_and_schedules_of_earlier_releases_are_read_in_postgres() {
    for release in releases() {
        let (_folder, store) = open_in_postgres(&release).await;
        check_finished(&store, &release).await;
        store.close().await;
    }
}

async fn check_finished(store: &Store, release: &str) {
    verify(store, release).await;
    let account = account(store).await;
    let expected = fs::read(golden_folder().join(format!("{release}.sitemap.json")));
    let expected: Value = serde_json::from_slice(&expected.expect("a file")).expect("JSON");
    assert_eq!(Value::from(GoldenRun::Sitemap.items(store).await), expected, "{release}");
    let page = PageRequest { number: 1, size: 10 };
    let (schedules, _) = store.schedules(Some(&account), page).await.expect("it answers");
    let job = ScheduledJob::of(GoldenRun::Links.request(&account));
    assert!(schedules.len() == 1 && schedules[0].job == job, "{release}: {schedules:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parked_runs_of_earlier_releases_continue_to_their_end() {
    for release in releases() {
        let (_folder, store) = open(&release).await;
        check_parked(&store, &release).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn parked_runs_of_earlier_releases_continue_in_postgres() {
    for release in releases() {
        let (_folder, store) = open_in_postgres(&release).await;
        check_parked(&store, &release).await;
        store.close().await;
    }
}

async fn check_parked(store: &Store, release: &str) {
    let account = account(store).await;
    let now = NOW.plus(UPGRADE);
    let mut delivered = GoldenRun::Links.values(store, "url").await;
    delivered.extend(GoldenRun::Products.values(store, "url").await);
    let visited = GoldenRun::Contacts.values(store, "domain").await;
    assert!(delivered.len() == 65 && visited.len() == 2, "{release}");
    for run in [GoldenRun::Links, GoldenRun::Products] {
        let answer = Confirm { continue_batch: Some(true), ..Confirm::default() };
        store.confirm(&account, &run.id(), answer, now).await.expect("it was paused");
    }
    let sites = Arc::new(sites());
    work(store, &sites, now, async || {
        for run in GoldenRun::ALL {
            if !run.job(store).await.status.is_final() {
                return false;
            }
        }
        true
    })
    .await;

    let path = |url: &String| url.split(".test").nth(1).expect("a path").to_owned();
    let links = GoldenRun::Links.values(store, "url").await;
    let pages: BTreeSet<String> = catalogue().truth().delivered.into_keys().collect();
    assert_eq!(links.iter().map(path).collect::<BTreeSet<_>>(), pages, "{release}");
    let products = GoldenRun::Products.values(store, "url").await;
    let sold: BTreeSet<String> =
        shop().shop_truth().products.into_iter().map(|product| product.path).collect();
    assert!(products.iter().map(path).all(|path| sold.contains(&path)), "{release}");
    assert!(products.len() * 100 >= sold.len() * 95, "{release}: {}", products.len());
    let domains = GoldenRun::Contacts.values(store, "domain").await;
    assert_eq!(domains, BTreeSet::from(DOMAINS.map(str::to_owned)), "{release}");

    let requested = sites.requested();
    let again: Vec<_> = requested.iter().filter(|url| delivered.contains(*url)).collect();
    assert!(again.is_empty(), "{release}: delivered pages are requested again: {again:?}");
    let is_visited = |url: &&String| visited.iter().any(|domain| url.contains(domain.as_str()));
    assert_eq!(requested.iter().find(is_visited), None, "{release}: a domain again");
    check_charges(store, &account, release).await;
    verify(store, release).await;
}

/// Every run is charged its results at the rate of its mode, and the ledger agrees.
async fn check_charges(store: &Store, account: &AccountId, release: &str) {
    let mut used = 0;
    for run in GoldenRun::ALL {
        let job = run.job(store).await;
        assert_eq!((job.status, &job.error), (Status::Completed, &None), "{release}");
        let results = run.items(store).await.len() as u64;
        assert_eq!((job.counts.results, job.units), (results, Units(results)), "{release}");
        let price = store.rates().normal(job.mode).times(job.units);
        assert_eq!(Some(job.credits_used), price, "{release}");
        used += job.credits_used.0;
    }
    let audit = store.audit_ledger(account).await.expect("it answers").expect("an account");
    assert!(audit.is_consistent(), "{release}: {audit:?}");
    assert_eq!((audit.balance.0, audit.reserved.0), (CREDITS - used, 0), "{release}");
}

#[tokio::test(flavor = "multi_thread")]
async fn golden_database_has_rows_of_every_payload() {
    let (folder, store) = harness::store().await;
    let account = fixture::account(&store, CREDITS).await;
    for run in GoldenRun::ALL {
        let created = store.create_job(&run.request(&account), NOW).await.expect("it answers");
        assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");
    }
    let schedule = NewSchedule {
        name: "Every morning".to_owned(),
        cron: "30 9 * * *".to_owned(),
        timezone: "Europe/Berlin".to_owned(),
        job: ScheduledJob::of(GoldenRun::Links.request(&account)),
        paused: true,
        next_at: NOW,
        created_by: None,
    };
    store
        .create_schedule(&account, schedule, NOW)
        .await
        .expect("it answers")
        .expect("below the limit");
    let sites = Arc::new(sites().with_silent(SILENT));
    work(&store, &sites, NOW, async || {
        GoldenRun::Links.job(&store).await.status == Status::Paused
            && GoldenRun::Products.job(&store).await.status == Status::Paused
            && GoldenRun::Sitemap.job(&store).await.status == Status::Completed
            && GoldenRun::Contacts.job(&store).await.counts.results == 2
    })
    .await;
    let items = GoldenRun::Sitemap.items(&store).await;
    store.close().await;

    let pool = AnyPool::connect(&format!("sqlite:{}/{DATABASE}", folder.path().display())).await;
    let pool = pool.expect("it connects");
    for table in [
        "SELECT COUNT(*) FROM commits",
        "SELECT COUNT(*) FROM snapshots",
        "SELECT COUNT(*) FROM segments",
        "SELECT COUNT(*) FROM skip_segments",
        "SELECT COUNT(*) FROM overlays",
        "SELECT COUNT(*) FROM templates",
    ] {
        let rows: i64 = sqlx::query_scalar(table).fetch_one(&pool).await.expect("it counts");
        assert!(rows > 0, "nothing to read: {table}");
    }
    let copy = folder.path().join("copy.db");
    let vacuum = sqlx::query("VACUUM INTO $1").bind(copy.display().to_string());
    vacuum.execute(&pool).await.expect("room");
    pool.close().await;
    if env::var_os("TRAWL_WRITE_GOLDEN_DATABASE").is_none() {
        return;
    }
    let packed = zstd::encode_all(fs::File::open(copy).expect("a file"), 19).expect("it packs");
    let text = serde_json::to_string_pretty(&items).expect("JSON") + "\n";
    for (end, content) in [("db.zst", packed), ("sitemap.json", text.into_bytes())] {
        let file = golden_folder().join(format!("{}.{end}", env!("CARGO_PKG_VERSION")));
        // Files of a release are never written again.
        let mut file = fs::File::create_new(file).expect("a new file");
        file.write_all(&content).expect("room");
    }
}
