//! A minimal crawler: fetch, extract links, resolve, remember. No robots.txt, limits, records,
//! politeness or recovery.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::Semaphore;
use url::Url;

use crate::CONNECTIONS;
use crate::bare_links::links;

type Http = Client<HttpConnector, Empty<Bytes>>;

async fn body(client: &Http, url: &str) -> Bytes {
    let answer = client.get(url.parse().expect("a URL")).await.expect("an answer");
    answer.into_body().collect().await.expect("a body").to_bytes()
}

/// Crawls from `start` and writes the URLs to `output`.
pub fn run(start: &str, output: &Path) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let known = runtime.block_on(async {
        let client: Http = Client::builder(TokioExecutor::new()).build_http();
        let known = Arc::new(Mutex::new(HashSet::from([start.to_owned()])));
        let queue = Arc::new(Mutex::new(vec![start.to_owned()]));
        let ready = Arc::new(Semaphore::new(1));
        let left = Arc::new(AtomicUsize::new(1));
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                let (client, known, queue) = (client.clone(), known.clone(), queue.clone());
                let (ready, left) = (ready.clone(), left.clone());
                tokio::spawn(async move {
                    while let Ok(turn) = ready.acquire().await {
                        turn.forget();
                        let url = queue.lock().expect("a lock").pop().expect("as many as turns");
                        let page = body(&client, &url).await;
                        let base = Url::parse(&url).expect("a URL");
                        let mut new = Vec::new();
                        let found = links(&page, &base);
                        {
                            let mut known = known.lock().expect("a lock");
                            for link in found {
                                if !known.contains(&link) {
                                    known.insert(link.clone());
                                    new.push(link);
                                }
                            }
                        }
                        left.fetch_add(new.len(), Ordering::Relaxed);
                        let count = new.len();
                        queue.lock().expect("a lock").extend(new);
                        ready.add_permits(count);
                        if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                            ready.close();
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.expect("no panic");
        }
        Arc::into_inner(known).expect("the last").into_inner().expect("a lock")
    });
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).expect("a file"));
    for url in known {
        writeln!(out, "{url}").expect("room");
    }
}

/// Fetches all pages by number without reading them.
pub fn fetch_only(start: &str, pages: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client: Http = Client::builder(TokioExecutor::new()).build_http();
        let next = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                let (client, next, start) = (client.clone(), next.clone(), start.to_owned());
                tokio::spawn(async move {
                    loop {
                        let page = next.fetch_add(1, Ordering::Relaxed);
                        if page >= pages {
                            return;
                        }
                        body(&client, &format!("{start}{}", crate::site::path(page))).await;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.expect("no panic");
        }
    });
}
