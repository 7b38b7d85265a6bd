//! Settings of the API.

use std::time::Duration;

use contract::{CreditPrice, Limits, Mode};
use net::NameTable;
use privacy::BlockedDomains;
use urls::AllowedNetworks;

use crate::OperatorToken;

/// Settings of the API and its server.
#[derive(Debug, Clone)]
pub struct ApiSettings {
    /// The URL of the service as clients see it, without a trailing slash.
    pub public_url: String,
    /// Limits that are enforced and returned by `GET /v1/account`.
    pub limits: Limits,
    /// The channels that a key can have.
    pub sources: Vec<String>,
    /// The modes that this service offers.
    pub modes: Vec<Mode>,
    /// Networks that may be crawled besides the public internet.
    pub allowed_networks: AllowedNetworks,
    /// Networks that webhooks may reach besides the public internet.
    pub webhook_networks: AllowedNetworks,
    /// Host names with fixed addresses; these may be local.
    pub known_names: NameTable,
    /// Domains that are not crawled, with their subdomains.
    pub blocked_domains: BlockedDomains,
    /// Sign-ins per minute of one network or known device to one account.
    pub sign_ins_per_minute: u32,
    /// Sign-ins per minute of one network to all accounts.
    pub sign_ins_per_network: u32,
    /// Registrations of applications per minute and address.
    pub registrations_per_minute: u32,
    pub registration: Registration,
    /// Who may read `GET /metrics`.
    pub metrics: MetricsAccess,
    /// Requests per minute of one address, with or without a credential; at least the limit of an
    /// account.
    pub address_per_minute: u32,
    /// Requests of one account in flight.
    pub account_requests_in_flight: usize,
    /// Concurrent downloads of one account: by default at most a quarter of the service's limit.
    pub account_exports: usize,
    /// Pages of one account that are being read or wait for their host.
    pub account_pages: usize,
    /// Comparisons of one account, running or waiting.
    pub account_comparisons: usize,
    /// Open progress streams of one address; 0 for no limit.
    pub address_listeners: usize,
    /// Whether the last entry of `X-Forwarded-For` is the client's address: only
    /// behind a proxy that writes it.
    pub trust_forwarded_for: bool,
    /// Maximum schedules of one account, and minimum time between two starts of a schedule.
    pub schedules: u32,
    pub schedule_every: Duration,
    /// Whether a protected tier is configured.
    pub protected_tier: bool,
    /// Whether pages can be rendered by a browser.
    pub browser: bool,
    /// The price of credits, if a payment provider is configured.
    pub payments: Option<CreditPrice>,
    /// Open progress streams of all accounts. Fewer than connections, so that other requests are
    /// still accepted. `limits.listeners` of one account is by default a quarter of it.
    pub listeners: usize,
    /// Limits and timeouts of connections.
    pub inbound: Inbound,
}

/// Who may register applications (RFC 7591).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    Open,
    /// Clients with the operator's initial access token.
    Token(OperatorToken),
    Off,
}

/// Who may read the metrics on the API's own listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Requests with the token, from any address.
    Token(OperatorToken),
    /// The API listener serves no metrics: they have a separate listener, or are disabled.
    Elsewhere,
}

/// Limits and timeouts of client connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inbound {
    /// Timeout for the headers of a request, also of the first on a new connection.
    pub header_timeout: Duration,
    /// Timeout of idle connections; `header_timeout` applies when few connection slots are left.
    pub keep_alive: Duration,
    pub header_bytes: usize,
    pub body_timeout: Duration,
    pub body_bytes: usize,
    /// Timeout for writes to a client that does not read its response.
    pub write_timeout: Duration,
    /// Maximum open connections; more wait in the backlog of the listener.
    pub connections: usize,
    /// Maximum connections of one address, more are closed at once; 0 for no limit, as behind a
    /// proxy, whose address all clients share.
    pub address_connections: usize,
    /// Timeout for requests in flight during a shutdown.
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
                job_file_bytes: 1 << 30,
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
            account_pages: 100,
            account_comparisons: 4,
            address_listeners: 2_000,
            trust_forwarded_for: false,
            schedules: 100,
            schedule_every: Duration::from_secs(5 * 60),
            protected_tier: false,
            browser: false,
            payments: None,
            listeners: 3_000,
            inbound: Inbound::default(),
        }
    }
}

impl ApiSettings {
    /// The URL of the page about buying credits.
    pub(crate) fn top_up_url(&self) -> String {
        self.address_of("/top-up")
    }

    /// The public URL of a path; `""` for the service itself.
    pub(crate) fn address_of(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.trim_end_matches('/'))
    }
}
