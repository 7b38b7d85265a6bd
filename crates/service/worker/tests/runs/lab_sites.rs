//! Sites of the lab that answer without a network.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use lab::{Reply, Site};
use net::{Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse};

use crate::harness::html;

#[derive(Debug, Default)]
pub struct LabSites {
    sites: BTreeMap<String, Box<dyn Site>>,
    /// Hosts that never answer.
    silent: Vec<&'static str>,
    requested: Mutex<Vec<String>>,
}

impl LabSites {
    pub fn serve(mut self, host: &str, site: impl Site) -> Self {
        self.sites.insert(host.to_owned(), Box::new(site));
        self
    }

    pub fn with_silent(self, silent: &[&'static str]) -> Self {
        Self { silent: silent.to_vec(), ..self }
    }

    /// The URLs that were requested so far.
    pub fn requested(&self) -> Vec<String> {
        self.requested.lock().expect("no panic").clone()
    }
}

#[async_trait]
impl Fetch for LabSites {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let url = &request.url;
        if self.silent.contains(&url.bare_host()) {
            return std::future::pending().await;
        }
        self.requested.lock().expect("no panic").push(url.to_string());
        let Some(site) = self.sites.get(url.host()) else { return Err(FetchError::NameNotFound) };
        let Reply::Full(reply) = site.answer(url.path_and_query()) else {
            return Err(FetchError::CutOff);
        };
        let header = |(name, value): &(&'static str, String)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a header"))
        };
        let headers: HeaderMap = reply.headers.iter().map(header).collect();
        let body = match request.method {
            FetchMethod::Get => reply.body,
            FetchMethod::Head => Bytes::new(),
        };
        let wire_bytes = body.len() as u64;
        Ok(FetchResponse { headers, wire_bytes, body, ..html(reply.status, String::new()) })
    }
}
