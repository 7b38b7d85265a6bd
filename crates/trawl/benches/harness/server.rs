//! The binary as a server on loopback, with its own folder and key, quiet logs and high rate
//! limits.

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
    /// Starts the server in this role with these environment variables.
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
        // Keep reading standard output: the server ends when it cannot print.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, key }
    }

    /// A request with the key.
    pub fn request(&self, client: &Client, method: Method, path: &str) -> RequestBuilder {
        client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key)
    }

    /// Creates a job on a site; returns its path.
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
