//! Schedules: missed slots, several nodes, and changes between two runs.

use std::time::Duration;

use contract::{Clock, Millis, ScheduleId};
use lab::{Catalogue, Lab};
use reqwest::Method;
use runtime::SystemClock;
use serde_json::{Value, json};
use store::ScheduleChange;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

const HOUR: i64 = 60 * 60 * 1_000;

struct Scene {
    server: Option<Server>,
    key: String,
    setup: Setup,
    database: String,
    lab: Lab,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn start(kind: Kind) -> Self {
        let lab = Lab::start().await.expect("a port");
        lab.serve("one.lab", Catalogue::plain(12));
        let folder = tempfile::tempdir().expect("a folder");
        let database = database::fresh(kind).await;
        let setup = Setup::new(folder.path())
            .with("TRAWL_DATABASE", &database)
            .with("TRAWL_RESOLVE", lab.name_table());
        let mut server = Server::start(&setup).await;
        let key = server.first_key();
        Self { server: Some(server), key, setup, database, lab, folder }
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    /// A schedule that fires once a year, so that no slot occurs during the test.
    async fn yearly(&self) -> ScheduleId {
        self.yearly_with(json!({})).await
    }

    async fn yearly_with(&self, options: Value) -> ScheduleId {
        let request = json!({"mode": "links", "url": "http://one.lab/", "options": options});
        let body = json!({"cron": "@yearly", "request": request});
        let made = self.server().post("/v1/schedules", &self.key, &body).await;
        assert_eq!(made.status(), 201);
        let made: Value = made.json().await.expect("JSON");
        made["id"].as_str().expect("an id").parse().expect("an id")
    }

    /// Moves the next slot of a schedule.
    async fn slot(&self, id: &ScheduleId, at: Millis) {
        let store = database::open(&self.database, self.folder.path()).await;
        let schedule = store.schedule(id).await.expect("it answers").expect("it is kept");
        let change = ScheduleChange { next_at: Some(at), ..ScheduleChange::default() };
        store.change_schedule(&schedule.account, id, &change).await.expect("it answers");
        store.close().await;
    }

    async fn runs(&self, id: &ScheduleId) -> Vec<Value> {
        let path = format!("/v1/jobs?schedule={id}");
        let list = self.server().get(&path, &self.key).await;
        list["items"].as_array().expect("items").clone()
    }

    /// Waits until the schedule has this many runs and all have ended.
    async fn finished(&self, id: &ScheduleId, count: usize) -> Vec<Value> {
        wait_for(async || {
            let runs = self.runs(id).await;
            let done = runs.iter().all(|run| !run["finished_at"].is_null());
            (done && runs.len() >= count).then_some(runs)
        })
        .await
    }
}

async fn missed_slot_starts_late_or_is_reported(kind: Kind) {
    let mut scene = Scene::start(kind).await;
    let (late, missed) = (scene.yearly().await, scene.yearly().await);
    scene.server.take().expect("it runs").kill();
    let now = SystemClock.now();
    scene.slot(&late, Millis(now.0 - HOUR / 2)).await;
    scene.slot(&missed, Millis(now.0 - 2 * HOUR)).await;
    scene.server = Some(Server::start(&scene.setup).await);
    let runs = scene.finished(&missed, 1).await;
    assert_eq!(runs[0]["error"]["code"], "schedule_missed_window", "{runs:?}");
    assert_eq!((runs.len(), &runs[0]["credits_used"]), (1, &json!(0)));
    let runs = scene.finished(&late, 1).await;
    assert_eq!((runs.len(), &runs[0]["status"]), (1, &json!("completed")), "{runs:?}");
    assert!(runs[0]["counts"]["results"].as_u64() >= Some(12), "{runs:?}");
    let shown = scene.server().get(&format!("/v1/schedules/{late}"), &scene.key).await;
    assert_eq!(shown["last_run"]["job_id"], runs[0]["job_id"]);
    // A server that is killed during a slot starts it once.
    scene.slot(&late, SystemClock.now()).await;
    scene.server.take().expect("it runs").kill();
    scene.server = Some(Server::start(&scene.setup).await);
    assert_eq!(scene.finished(&late, 2).await.len(), 2);
}

#[tokio::test]
async fn missed_slot_starts_late_or_is_reported_on_sqlite() {
    missed_slot_starts_late_or_is_reported(Kind::Sqlite).await;
}

#[tokio::test]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn missed_slot_starts_late_or_is_reported_on_postgres() {
    missed_slot_starts_late_or_is_reported(Kind::Postgres).await;
}

#[tokio::test]
async fn max_pages_of_a_schedule_ends_its_runs() {
    let scene = Scene::start(Kind::Sqlite).await;
    let id = scene.yearly_with(json!({"max_pages": 5})).await;
    let path = format!("/v1/schedules/{id}/run");
    let started = scene.server().post(&path, &scene.key, &json!({})).await;
    assert!(started.status().is_success(), "{}", started.status());
    let runs = scene.finished(&id, 1).await;
    let run = &runs[0];
    assert_eq!(
        (&run["status"], &run["error"]["code"]),
        (&json!("completed"), &json!("sample_stopped")),
        "{run}"
    );
    assert_eq!(run["counts"]["results"], 5, "{run}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn several_nodes_start_a_slot_once_and_report_changes_on_postgres() {
    let mut scene = Scene::start(Kind::Postgres).await;
    let others = [Server::start(&scene.setup).await, Server::start(&scene.setup).await];
    let id = scene.yearly().await;
    scene.slot(&id, SystemClock.now()).await;
    let first = scene.finished(&id, 1).await;
    assert_eq!(first[0]["status"], "completed", "{first:?}");
    scene.lab.serve("one.lab", Catalogue::plain(15));
    scene.slot(&id, SystemClock.now()).await;
    let runs = scene.finished(&id, 2).await;
    // The other nodes start no further run.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(scene.runs(&id).await.len(), 2);
    let path = format!("/v1/jobs/{}/changes", runs[0]["job_id"].as_str().expect("an id"));
    let changes = scene.server().get(&path, &scene.key).await;
    assert_eq!(changes["since"], first[0]["job_id"]);
    assert_eq!(changes["counts"]["added"], 3, "{changes}");
    assert_eq!(changes["counts"]["removed"], 0, "{changes}");
    drop(others);
    scene.server.take().expect("it runs").terminate();
}

#[tokio::test]
async fn operator_lists_pauses_resumes_and_runs_schedules() {
    let scene = Scene::start(Kind::Sqlite).await;
    let id = scene.yearly().await.to_string();
    let schedule = |arguments: &[&str]| output(scene.setup.other().arg("schedule").args(arguments));
    let listed = schedule(&["list"]);
    assert!(listed.status.success());
    let table = text(&listed.stdout);
    assert!(table.contains(&id) && table.contains("@yearly") && table.contains("UTC"), "{table}");
    let paused = schedule(&["pause", &id]);
    assert_eq!(text(&paused.stdout), format!("{id} is paused\n"));
    let listed = schedule(&["list", "--json", "--email", "operator@localhost"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    assert_eq!((&listed[0]["paused"], &listed[0]["next_run"]), (&json!(true), &Value::Null));
    let run = schedule(&["run", &id]);
    assert!(text(&run.stdout).contains(" is queued"), "{}", text(&run.stderr));
    let runs = scene.finished(&id.parse().expect("an id"), 1).await;
    assert_eq!(runs[0]["status"], "completed");
    let resumed = schedule(&["resume", &id]);
    assert!(
        text(&resumed.stdout).contains("is resumed; next start: 20"),
        "{}",
        text(&resumed.stdout)
    );
    let shown = scene.server().get(&format!("/v1/schedules/{id}"), &scene.key).await;
    assert_eq!(
        (&shown["paused"], shown["next_runs"].as_array().map(Vec::len)),
        (&json!(false), Some(5))
    );
    for arguments in [&["run", "sch_1"][..], &["list", "--email", "nobody@x.org"]] {
        assert_eq!(schedule(arguments).status.code(), Some(1), "{arguments:?}");
    }
    let gone = scene.server().request(Method::DELETE, &format!("/v1/schedules/{id}"), &scene.key);
    assert_eq!(gone.send().await.expect("an answer").status(), 200);
    assert_eq!(schedule(&["pause", &id]).status.code(), Some(1));
}
