//! Automatic top-up: from a low balance to the provider and back, over crashes and several nodes.

use fixture::{PAYMENTS_HOST, PAYMENTS_KEY, PaymentBehavior, PaymentProvider};
use lab::{Catalogue, Lab};
use reqwest::Method;
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

/// Initial credits of the operator's account.
const FIRST: i64 = 100;

struct Scene {
    /// `None` after a test has killed it.
    server: Option<Server>,
    key: String,
    session: String,
    payments: PaymentProvider,
    setup: Setup,
    database: String,
    _lab: Lab,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn start(kind: Kind, whims: Vec<PaymentBehavior>, settings: &[(&str, &str)]) -> Self {
        let lab = Lab::start().await.expect("a port");
        lab.serve("one.lab", Catalogue::plain(40)).serve("two.lab", Catalogue::plain(40));
        let payments = PaymentProvider::start(whims).await;
        let folder = tempfile::tempdir().expect("a folder");
        let database = database::fresh(kind).await;
        let address = payments.receiver.address;
        let mut setup = Setup::new(folder.path())
            .with("TRAWL_DATABASE", &database)
            .with("TRAWL_RESOLVE", format!("{},{PAYMENTS_HOST}={address}", lab.name_table()))
            .with("TRAWL_EXTRA_CA", payments.receiver.authority().display())
            .with("TRAWL_FIRST_CREDITS", FIRST)
            .with("TRAWL_PAYMENT_PROVIDER", "stripe")
            .with("TRAWL_STRIPE_KEY", PAYMENTS_KEY)
            .with("TRAWL_STRIPE_URL", format!("https://{PAYMENTS_HOST}/"))
            .with("TRAWL_CREDIT_PRICE", 150)
            .with("TRAWL_PAYMENT_RETRY_MS", 20)
            .with("TRAWL_LOG", "debug");
        for (name, value) in settings {
            setup = setup.with(name, value);
        }
        let mut server = Server::start(&setup).await;
        let key = server.first_key();
        let password = server.first_password();
        let body = json!({"email": "operator@localhost", "password": password});
        let session = server.post("/session", "", &body).await.json::<Value>().await.expect("JSON");
        let session = session["token"].as_str().expect("a token").to_owned();
        let scene = Self {
            server: Some(server),
            key,
            session,
            payments,
            setup,
            database,
            _lab: lab,
            folder,
        };
        let card = ["--customer", "cus_1", "--method", "pm_1"];
        let pays = ["account", "payment", "--email", "operator@localhost"];
        let noted = output(scene.setup.other().args(pays).args(card));
        assert!(noted.status.success(), "{}", text(&noted.stderr));
        scene
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("a server")
    }

    /// Enables purchases of `amount` below `threshold`.
    async fn set(&self, threshold: i64, amount: i64) {
        let body = json!({"enabled": true, "threshold": threshold, "amount": amount});
        let request = self.server().request(Method::PUT, "/auto-top-up", &self.session).json(&body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{}", answer.text().await.expect("text"));
    }

    async fn account(&self) -> Value {
        self.server().get("/v1/account", &self.key).await
    }

    /// Waits until a purchase has succeeded.
    async fn bought(&self) -> Value {
        wait_for(async || {
            let account = self.account().await;
            (!account["auto_top_up"]["last_recharge_at"].is_null()).then_some(account)
        })
        .await
    }

    /// Asserts that the provider charged once and the ledger is consistent.
    async fn settled(&self, credits: i64) {
        assert_eq!(self.payments.charges().len(), 1);
        let keys = self.payments.keys();
        assert!(keys.iter().all(|key| *key == keys[0]), "one purchase, one key: {keys:?}");
        let account = self.account().await;
        assert_eq!(account["credits"], credits);
        let store = database::open(&self.database, self.folder.path()).await;
        let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
        let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
        assert!(audit.is_consistent(), "{audit:?}");
        store.close().await;
    }

    async fn failure_events(&self) -> Vec<Value> {
        let events = self.server().get("/v1/events?page_size=1000", &self.key).await;
        let events = events["items"].as_array().expect("items").clone();
        events.into_iter().filter(|event| event["type"] == "billing.recharge_failed").collect()
    }
}

async fn two_runs_below_the_threshold_buy_once(kind: Kind) {
    let scene = Scene::start(kind, Vec::new(), &[]).await;
    scene.set(60, 1_000).await;
    assert_eq!(scene.account().await["credits"], FIRST, "above the threshold nothing is bought");
    let jobs = [
        scene.server().create(&scene.key, "http://one.lab/", json!({})).await,
        scene.server().create(&scene.key, "http://two.lab/", json!({})).await,
    ];
    for job in &jobs {
        let done = scene.server().wait(&scene.key, job, &["completed", "failed", "paused"]).await;
        assert_eq!(done["status"], "completed", "{done}");
    }
    scene.bought().await;
    scene.settled(FIRST - 80 + 1_000).await;
    let charge = scene.payments.charges().remove(0);
    assert_eq!((charge.field("amount"), charge.field("customer")), (Some("150"), Some("cus_1")));
    assert!(scene.failure_events().await.is_empty());
    let logged = scene.server().logged.lock().expect("no panic").clone();
    assert!(logged.contains("recharge attempted"), "purchases are logged");
    for secret in [PAYMENTS_KEY, "pm_1", "cus_1"] {
        assert!(!logged.contains(secret), "{secret} in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_below_the_threshold_buy_once_on_sqlite() {
    two_runs_below_the_threshold_buy_once(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn two_runs_below_the_threshold_buy_once_on_postgres() {
    two_runs_below_the_threshold_buy_once(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn several_nodes_make_one_purchase_on_postgres() {
    let scene = Scene::start(Kind::Postgres, Vec::new(), &[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let beside = Setup { data: folder.path().to_owned(), ..scene.setup.clone() };
    let _others = [Server::start(&beside).await, Server::start(&beside).await];
    scene.set(FIRST + 1, 500).await;
    scene.bought().await;
    scene.settled(FIRST + 500).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_card_is_reported_and_not_retried() {
    let whims = vec![PaymentBehavior::Decline("lost_card")];
    let scene = Scene::start(Kind::Sqlite, whims, &[]).await;
    scene.set(FIRST + 1, 500).await;
    let event = wait_for(async || scene.failure_events().await.pop()).await;
    assert_eq!(event["data"]["reason"], "the payment was declined (lost_card)");
    let account = scene.account().await;
    assert_eq!(event["data"]["account"], account["account_id"]);
    let top_up = &account["auto_top_up"];
    assert_eq!(top_up["last_error"], "the payment was declined (lost_card)");
    assert_eq!((&top_up["enabled"], &account["credits"]), (&true.into(), &FIRST.into()));
    // The owner tries again.
    scene.set(FIRST + 1, 500).await;
    assert_eq!(scene.bought().await["credits"], FIRST + 500);
    assert_eq!((scene.failure_events().await.len(), scene.payments.keys().len()), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn late_provider_response_is_requested_again() {
    let whims = vec![PaymentBehavior::PayAndHang];
    let scene = Scene::start(Kind::Sqlite, whims, &[("TRAWL_PAYMENT_TIMEOUT_MS", "500")]).await;
    scene.set(FIRST + 1, 500).await;
    scene.bought().await;
    assert!(scene.payments.keys().len() >= 2);
    scene.settled(FIRST + 500).await;
    assert!(scene.failure_events().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_provider_is_reported_once() {
    let unreachable = ("TRAWL_RESOLVE", "*=127.0.0.1:1");
    let scene = Scene::start(Kind::Sqlite, Vec::new(), &[unreachable]).await;
    scene.set(FIRST + 1, 500).await;
    let event = wait_for(async || scene.failure_events().await.pop()).await;
    let reason = event["data"]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the payment provider gave no answer"), "{reason}");
    let account = scene.account().await;
    assert_eq!((&account["credits"], scene.failure_events().await.len()), (&FIRST.into(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_between_payment_and_credits_loses_nothing() {
    // The provider charges, and the server is killed before it gets the response.
    let mut scene = Scene::start(Kind::Sqlite, vec![PaymentBehavior::PayAndHang], &[]).await;
    scene.set(FIRST + 1, 500).await;
    wait_for(async || (!scene.payments.charges().is_empty()).then_some(())).await;
    assert_eq!(scene.account().await["credits"], FIRST);
    scene.server.take().expect("a server").kill();
    scene.server = Some(Server::start(&scene.setup).await);
    scene.bought().await;
    assert_eq!(scene.payments.keys().len(), 2);
    scene.settled(FIRST + 500).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn top_up_without_provider_is_rejected_with_a_message() {
    let off = ("TRAWL_PAYMENT_PROVIDER", "none");
    let scene = Scene::start(Kind::Sqlite, Vec::new(), &[off]).await;
    let body = json!({"enabled": true, "threshold": 1_000, "amount": 1_000});
    let request = scene.server().request(Method::PUT, "/auto-top-up", &scene.session).json(&body);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 422);
    assert!(answer.text().await.expect("text").contains("no payment provider"));
    let url = scene.account().await["top_up_url"].as_str().expect("a URL").to_owned();
    let page = reqwest::get(url).await.expect("an answer").text().await.expect("text");
    assert!(page.contains("trawl account grant"), "{page}");
    let unknown = ["account", "payment", "--email", "unreachable@example.com"];
    let card = ["--customer", "cus_1", "--method", "pm_1"];
    assert_eq!(output(scene.setup.other().args(unknown).args(card)).status.code(), Some(1));
    let odd = ["--customer", "cus 1; x", "--method", "pm_1"];
    let known = ["account", "payment", "--email", "operator@localhost"];
    assert_eq!(output(scene.setup.other().args(known).args(odd)).status.code(), Some(2));
}
