//! A server process and helpers to call it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

/// Timeout that only a hang reaches.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The binary under test, without settings from the environment and without a saved login.
pub fn trawl() -> Command {
    without_settings(Command::new(env!("CARGO_BIN_EXE_trawl")))
}

fn without_settings(mut command: Command) -> Command {
    command.env("XDG_CONFIG_HOME", "/nonexistent/trawl-tests");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TRAWL_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Settings of a server under test.
#[derive(Debug, Clone)]
pub struct Setup {
    pub data: PathBuf,
    /// The value of `--listen`.
    pub listen: String,
    pub environment: Vec<(String, String)>,
    pub arguments: Vec<String>,
    /// Another program than the binary under test.
    pub program: Option<PathBuf>,
}

const METRICS_TOKEN: &str = "a token for prometheus";

impl Setup {
    /// A server in this folder, on any port, without delays between requests to `site` on
    /// loopback.
    pub fn new(data: &Path) -> Self {
        let environment = [("TRAWL_HOST_DELAY_MS", "0"), ("TRAWL_RATE_PER_MINUTE", "1000000")];
        let mut setup = Self {
            data: data.to_owned(),
            listen: "127.0.0.1:0".to_owned(),
            environment: Vec::new(),
            arguments: Vec::new(),
            program: None,
        };
        for (name, value) in environment {
            setup = setup.with(name, value);
        }
        setup
            .with("TRAWL_RATE_BURST", "100000")
            .with("TRAWL_ROBOTS_RETRY_MS", "50")
            .with("TRAWL_SECRET_KEY", "a key for tests, with more than 32 characters")
            .with("TRAWL_METRICS_TOKEN", METRICS_TOKEN)
    }

    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.environment.push((name.to_owned(), format!("{value}")));
        self
    }

    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    pub fn command(&self) -> Command {
        let mut command = self.other();
        command.arg("serve").args(["--listen", &self.listen]).args(&self.arguments);
        command
    }

    /// Another command with the same settings.
    pub fn other(&self) -> Command {
        let mut command = match &self.program {
            Some(program) => without_settings(Command::new(program)),
            None => trawl(),
        };
        command.env("TRAWL_DATA", &self.data).envs(self.environment.iter().cloned());
        command
    }
}

pub struct Server {
    child: Child,
    pub url: String,
    /// The output of the first start.
    pub key: Option<String>,
    pub printed: Arc<Mutex<String>>,
    pub logged: Arc<Mutex<String>>,
}

impl Server {
    /// Starts a server and waits until it listens and is ready.
    pub async fn start(setup: &Setup) -> Self {
        let server = Self::start_unready(setup);
        server.ready().await;
        server
    }

    /// Starts a server and waits until it listens.
    pub fn start_unready(setup: &Setup) -> Self {
        let mut child = setup
            .command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let printed = gather(child.stdout.take().expect("a pipe"));
        let logged = gather(child.stderr.take().expect("a pipe"));
        let mut server = Self { child, url: String::new(), key: None, printed, logged };
        let line = server.printed_line("Trawl listens on ");
        server.url = line.trim_start_matches("Trawl listens on ").to_owned();
        server
    }

    /// Waits for a printed line that contains `text`.
    pub fn printed_line(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let printed = self.printed.lock().expect("no panic").clone();
            if let Some(line) = printed.lines().find(|line| line.contains(text)) {
                return line.to_owned();
            }
            let ended = self.child.try_wait().expect("a child");
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "no line with {text:?}; printed {printed:?}; logged {:?}",
                self.logged.lock()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The credentials file of the first start, written without a terminal.
    pub fn credentials_file(&mut self) -> PathBuf {
        let line = self.printed_line("First start");
        PathBuf::from(line.rsplit_once(" are in ").expect("a file is named").1)
    }

    /// The line of the first credentials that contains `text`.
    pub fn credentials_line(&mut self, text: &str) -> String {
        let file = self.credentials_file();
        let credentials = std::fs::read_to_string(&file).expect("it can be read");
        let line = credentials.lines().find(|line| line.contains(text));
        line.unwrap_or_else(|| panic!("no {text:?} in {credentials}")).to_owned()
    }

    /// The password of the operator's account.
    pub fn first_password(&mut self) -> String {
        let line = self.credentials_line("Password");
        line.split_whitespace().last().expect("a password").to_owned()
    }

    /// The API key of the operator's account.
    pub fn first_key(&mut self) -> String {
        let line = self.credentials_line("API key");
        let key = line.split_whitespace().last().expect("a key").to_owned();
        self.key = Some(key.clone());
        key
    }

    pub async fn ready(&self) {
        wait_for(async || {
            let answer = reqwest::get(format!("{}/readyz", self.url)).await.ok()?;
            answer.status().is_success().then_some(())
        })
        .await;
    }

    pub fn request(&self, method: Method, path: &str, key: &str) -> RequestBuilder {
        let client = reqwest::Client::new();
        client.request(method, format!("{}{path}", self.url)).bearer_auth(key)
    }

    /// The response of `GET /metrics`.
    pub async fn metrics(&self) -> String {
        let answer = self.request(Method::GET, "/metrics", METRICS_TOKEN).send().await;
        answer.expect("an answer").text().await.expect("a text")
    }

    pub async fn get(&self, path: &str, key: &str) -> Value {
        let answer = self.request(Method::GET, path, key).send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    pub async fn post(&self, path: &str, key: &str, body: &Value) -> Response {
        self.request(Method::POST, path, key).json(body).send().await.expect("an answer")
    }

    /// Creates a `links` job and returns its id.
    pub async fn create(&self, key: &str, url: &str, more: Value) -> String {
        let mut body = json!({"mode": "links", "url": url});
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        let answer = self.post("/v1/jobs", key, &body).await;
        let status = answer.status();
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 202, "{answer}");
        answer["job_id"].as_str().expect("an id").to_owned()
    }

    /// Waits until the job has one of these statuses.
    pub async fn wait(&self, key: &str, job: &str, statuses: &[&str]) -> Value {
        wait_for(async || {
            let job = self.get(&format!("/v1/jobs/{job}"), key).await;
            statuses.contains(&job["status"].as_str().expect("a status")).then_some(job)
        })
        .await
    }

    /// Every item of the job, page by page.
    pub async fn results(&self, key: &str, job: &str) -> Vec<Value> {
        let mut items = Vec::new();
        for page in 1.. {
            let path = format!("/v1/jobs/{job}/results?page={page}&page_size=100");
            let answer = self.get(&path, key).await;
            items.extend(answer["items"].as_array().expect("items").iter().cloned());
            if answer["has_more"] == false {
                assert_eq!(answer["total"], items.len());
                break;
            }
        }
        items
    }

    /// Kills the process: no signal handler runs, nothing is flushed.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is gone");
    }

    /// Kills the server when a job has this many results or has ended, and starts another.
    pub async fn killed_after(self, setup: &Setup, key: &str, job: &str, results: u64) -> Self {
        wait_for(async || {
            let seen = self.get(&format!("/v1/jobs/{job}"), key).await;
            let far = seen["counts"]["results"].as_u64() >= Some(results);
            (far || seen["status"] == "completed").then_some(())
        })
        .await;
        self.kill();
        Self::start(setup).await
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Stops the server with SIGTERM.
    pub fn terminate(mut self) -> ExitStatus {
        let stopped = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(stopped.expect("kill runs").success());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command until it exits.
pub fn output(command: &mut Command) -> Output {
    command.output().expect("the binary runs")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Polls until the condition holds or the timeout is reached.
pub async fn wait_for<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(Instant::now() < deadline, "timeout while waiting");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn gather(pipe: impl std::io::Read + Send + 'static) -> Arc<Mutex<String>> {
    let gathered = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&gathered);
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            let mut text = sink.lock().expect("no panic");
            text.push_str(&line);
            text.push('\n');
        }
    });
    gathered
}
