//! The binary as a server on loopback, in a folder of its own and with a key to it. Its
//! log is quiet, and its limits on requests are out of the way.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

pub struct Server {
    pub child: Child,
    pub url: String,
    key: String,
}

impl Server {
    /// Starts it in this role, with these variables over its settings.
    pub fn start(folder: &Path, role: &str, settings: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trawl"))
            .args(["serve", "--role", role, "--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .envs([("TRAWL_RATE_PER_MINUTE", "100000000"), ("TRAWL_RATE_BURST", "100000000")])
            .env("TRAWL_LOG", "warn")
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut find = |text: &str| loop {
            let line = lines.next().expect("a line").expect("text");
            if line.contains(text) {
                return line.split_whitespace().last().expect("a word").to_owned();
            }
        };
        let url = find("listens on");
        let file = find("password and API key are in");
        let credentials = std::fs::read_to_string(file).expect("the first credentials");
        let key = credentials.lines().find(|line| line.contains("API key")).expect("a key");
        let key = key.split_whitespace().last().expect("a key").to_owned();
        // A server that cannot tell the rest of its greeting ends.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, key }
    }

    /// A request with the key, to be completed and sent.
    pub fn request(&self, client: &Client, method: Method, path: &str) -> RequestBuilder {
        client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key)
    }

    /// Asks for a run over a site; gives the path of its job.
    pub async fn create(&self, client: &Client, url: &str) -> String {
        let job = json!({"mode": "links", "url": url});
        let request = self.request(client, Method::POST, "/v1/jobs").json(&job);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::ACCEPTED, "for {url}");
        let answer: Value = answer.json().await.expect("JSON");
        format!("/v1/jobs/{}", answer["job_id"].as_str().expect("an id"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
