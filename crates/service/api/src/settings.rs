//! What the operator decides about the API.

use std::time::Duration;

use contract::{CreditPrice, Limits, Mode};
use net::NameTable;
use privacy::BlockedDomains;
use urls::AllowedNetworks;

use crate::OperatorToken;

/// How the API answers.
#[derive(Debug, Clone)]
pub struct ApiSettings {
    /// Where clients reach the service, without a slash at its end.
    pub public_url: String,
    /// The ceilings that are enforced and shown by `GET /v1/account`.
    pub limits: Limits,
    /// The channels that a key may be for.
    pub sources: Vec<String>,
    /// The modes that are built.
    pub modes: Vec<Mode>,
    /// Networks that may be crawled besides the public internet.
    pub allowed_networks: AllowedNetworks,
    /// Networks that webhooks may reach besides the public internet.
    pub webhook_networks: AllowedNetworks,
    /// Names that the operator resolves by hand; those may be local.
    pub known_names: NameTable,
    /// Domains that are not crawled, with everything below them.
    pub blocked_domains: BlockedDomains,
    /// Attempts to sign in, a minute, of one network or known device to one account.
    pub sign_ins_per_minute: u32,
    /// Attempts to sign in, a minute, of one network to all accounts.
    pub sign_ins_per_network: u32,
    /// Applications that may register, a minute, per address.
    pub registrations_per_minute: u32,
    pub registration: Registration,
    /// Who may read `GET /metrics`.
    pub metrics: MetricsAccess,
    /// Requests a minute from one address, with or without a credential; never fewer than an
    /// account may send.
    pub address_per_minute: u32,
    /// Requests of one account that are being answered at a time.
    pub account_requests_in_flight: usize,
    /// Files of one account that are being downloaded at a time: by default at most a quarter of
    /// those of the service.
    pub account_exports: usize,
    /// Comparisons of runs of one account, under way or waiting.
    pub account_comparisons: usize,
    /// Streams of progress to one address at a time; 0 for no ceiling.
    pub address_listeners: usize,
    /// Whether the last entry of `X-Forwarded-For` is the client's address: only
    /// behind a proxy that writes it.
    pub trust_forwarded_for: bool,
    /// Schedules of one account, and the least time between two of their starts.
    pub schedules: u32,
    pub schedule_every: Duration,
    /// Whether runs can get past bot protection, at the higher rate.
    pub protected_tier: bool,
    /// What credits cost, where there is a payment provider to buy them through.
    pub payments: Option<CreditPrice>,
    /// Streams of progress at a time, of all accounts. Fewer than connections, so that other
    /// requests find room. `limits.listeners` of one account is by default a quarter of it.
    pub listeners: usize,
    /// What a connection may cost.
    pub inbound: Inbound,
}

/// Who may register applications (RFC 7591).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Any client.
    Open,
    /// Clients that show the operator's initial access token.
    Token(OperatorToken),
    /// Nobody.
    Off,
}

/// Who may read the metrics on the API's own listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Every request with the token, from any address.
    Token(OperatorToken),
    /// The API listener serves no metrics: they have a separate listener, or are disabled.
    Elsewhere,
}

/// What a client's connection may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inbound {
    /// A request's headers arrive within this time, and the first of them on a new connection.
    pub header_timeout: Duration,
    /// A connection ends that waits for its next request longer than this, or longer than
    /// `header_timeout` when nearly all places are taken.
    pub keep_alive: Duration,
    pub header_bytes: usize,
    pub body_timeout: Duration,
    pub body_bytes: usize,
    /// A client that does not read its answer for this long is let go.
    pub write_timeout: Duration,
    /// Connections at a time; more wait to be accepted.
    pub connections: usize,
    /// Connections of one address at a time, the others are closed at once; 0 for no ceiling,
    /// as behind a proxy, whose address all clients share.
    pub address_connections: usize,
    /// How long requests under way may take after a shutdown began.
    pub drain: Duration,
}

impl Default for Inbound {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            header_bytes: 32 * 1024,
            body_timeout: Duration::from_secs(30),
            body_bytes: 1024 * 1024,
            write_timeout: Duration::from_secs(30),
            connections: 4_096,
            address_connections: 0,
            drain: Duration::from_secs(20),
        }
    }
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self {
            public_url: "http://localhost:8080".to_owned(),
            limits: Limits {
                requests_per_minute: 600,
                request_burst: 60,
                account_requests_per_minute: 3_000,
                running_jobs: 20,
                queued_jobs: 1_000,
                batch_size: 10_000,
                domains_per_job: 10_000,
                page_size_max: 1_000,
                webhooks: 20,
                keys: 50,
                export_url_seconds: 15 * 60,
                results_days: 30,
                listeners: 750,
            },
            sources: ["direct", "mcp", "zapier", "make", "n8n"].map(str::to_owned).to_vec(),
            modes: Mode::ALL.to_vec(),
            allowed_networks: AllowedNetworks::none(),
            webhook_networks: AllowedNetworks::none(),
            known_names: NameTable::default(),
            blocked_domains: BlockedDomains::default(),
            sign_ins_per_minute: 5,
            sign_ins_per_network: 30,
            registrations_per_minute: 10,
            registration: Registration::Open,
            metrics: MetricsAccess::Elsewhere,
            address_per_minute: 6_000,
            account_requests_in_flight: 128,
            account_exports: 8,
            account_comparisons: 4,
            address_listeners: 2_000,
            trust_forwarded_for: false,
            schedules: 100,
            schedule_every: Duration::from_secs(5 * 60),
            protected_tier: false,
            payments: None,
            listeners: 3_000,
            inbound: Inbound::default(),
        }
    }
}

impl ApiSettings {
    /// Where credits are bought.
    pub(crate) fn top_up_url(&self) -> String {
        self.address_of("/top-up")
    }

    /// Where clients reach a path of the service; of `""`, the service itself.
    pub(crate) fn address_of(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.trim_end_matches('/'))
    }
}
