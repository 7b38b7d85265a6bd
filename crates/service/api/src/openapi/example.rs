//! Examples of the OpenAPI document, all about one job.

mod account;
pub(crate) mod contact;
mod oauth;
pub(crate) mod product;
pub(crate) mod schedule;

pub(crate) use account::{audit, session_details};
pub(crate) use oauth::{
    authorization_answered, authorization_server, authorization_view, connected_application,
    protected_resource, register_application, registered_application, token_answer,
};

use std::collections::BTreeMap;

use contract::{
    Account, AccountId, AccountKey, AuthMethod, AutoTopUp, Counts, CreateEstimate, CreatedKey,
    CreatedWebhook, Creator, CredentialLimits, Credits, Delivery, DeliveryAttempt, DeliveryId,
    DeliveryPage, DeliveryState, DiscoveredBy, ErrorCode, Estimate, Event, EventData, EventId,
    EventKind, EventList, Export, ExportFormat, FetchFault, Item, JobAccepted, JobError, JobId,
    JobList, JobProgress, JobRequest, KeyId, KeyPrefix, LedgerId, LedgerKind, LedgerLine,
    LedgerPage, LinkItem, LinkType, Millis, Mode, Options, PublicJob, RequestId, ResultsPage,
    Scope, Session, SkipReason, SkippedPage, SkippedUrl, Status, TEST_EVENT, Units, Usage,
    UsageGroup, UsageRow, Webhook, WebhookId,
};

use serde_json::json;

use crate::ApiSettings;

pub(crate) const PUBLIC_URL: &str = "https://trawl.example";
pub(crate) const TOP_UP_URL: &str = "https://trawl.example/top-up";
const NOW: Millis = Millis(1_794_735_000_000);
const SITE: &str = "https://example.com/";

pub(crate) fn job_id() -> JobId {
    JobId::new(NOW, [0x1a; 10])
}

pub(crate) fn request_id() -> RequestId {
    RequestId::new(NOW, [0x2b; 10])
}

pub(crate) fn create_job() -> JobRequest {
    JobRequest {
        mode: Mode::Links,
        url: Some(SITE.to_owned()),
        domains: None,
        scope: Scope { include_broken: true, ..Scope::default() },
        options: Options { sample_size: Some(100), ..Options::default() },
        on_protected: None,
        max_credit_per_unit: Some(Credits(5)),
        legal_basis_accepted: None,
        external: None,
    }
}

pub(crate) fn export() -> Export {
    Export {
        url: "https://trawl.example/downloads/exp_….…".to_owned(),
        format: ExportFormat::Csv,
        expires_at: Millis(NOW.0 + 15 * 60 * 1_000),
    }
}

pub(crate) fn create_estimate() -> CreateEstimate {
    CreateEstimate { url: Some(SITE.to_owned()), mode: Mode::Links, domain_count: None }
}

pub(crate) fn estimate() -> Estimate {
    Estimate {
        url: SITE.to_owned(),
        mode: Mode::Links,
        credit_per_unit: Credits(1),
        credit_per_1000: Credits(1_000),
        protected: false,
        requires_protected_tier: false,
        protected_marker: None,
        estimated_pages: Some(240),
        estimated_credits: Some(Credits(240)),
        credits_available: Credits(99_999),
        reachable: Some(true),
        reason: None,
    }
}

pub(crate) fn accepted() -> JobAccepted {
    JobAccepted {
        job_id: job_id(),
        status: Status::Queued,
        mode: Mode::Links,
        url: Some(SITE.to_owned()),
        created_at: NOW,
    }
}

pub(crate) fn job() -> PublicJob {
    PublicJob {
        job_id: job_id(),
        mode: Mode::Links,
        status: Status::Running,
        url: Some(SITE.to_owned()),
        counts: Counts { pages: 120, products: 0, results: 1 },
        credits_used: Credits(1),
        credit_per_unit: Some(Credits(1)),
        protected: false,
        protected_marker: None,
        batch: 1,
        batch_ready: false,
        next_batch: None,
        external: None,
        source: "direct".to_owned(),
        created_at: NOW,
        finished_at: None,
        error: None,
    }
}

pub(crate) fn progress_event() -> String {
    let job = job();
    let progress = JobProgress {
        job_id: job.job_id,
        status: job.status,
        counts: job.counts,
        fetched: 1,
        rate: Some(8.5),
        fetching: vec![format!("{SITE}about")],
        credits_used: job.credits_used,
        batch: job.batch,
        batch_ready: job.batch_ready,
        error: job.error,
    };
    format!("id: 7\nevent: progress\ndata: {}\n\n", json!(progress))
}

pub(crate) fn aborted_job() -> PublicJob {
    PublicJob {
        status: Status::Aborted,
        finished_at: Some(NOW),
        error: Some(JobError {
            code: ErrorCode::UserStopped,
            message: "stopped by its owner; what was paid for stays readable".to_owned(),
        }),
        ..job()
    }
}

pub(crate) fn jobs() -> JobList {
    JobList { items: vec![job()], total: 1, page: 1, page_size: 100 }
}

pub(crate) fn results() -> ResultsPage {
    ResultsPage {
        job_id: job_id(),
        mode: Mode::Links,
        items: vec![Item::Link(Box::new(link()))],
        total: 1,
        page: 1,
        page_size: 100,
        has_more: false,
        offset: 0,
    }
}

pub(crate) fn skipped() -> SkippedPage {
    let found_on = |path: &str, reason, page: &str| {
        SkippedUrl::unfetched(format!("{SITE}{path}"), reason, Some(format!("{SITE}{page}")))
    };
    let blocked = SkippedUrl {
        status_code: Some(403),
        cause: Some(FetchFault::Blocked),
        ..found_on("members", SkipReason::Blocked, "")
    };
    SkippedPage {
        job_id: job_id(),
        items: vec![
            found_on("cart", SkipReason::Robots, ""),
            found_on("calendar/2041/07", SkipReason::Calendar, "calendar/2041/06"),
            blocked,
        ],
        total: 3,
        reasons: BTreeMap::from([
            (SkipReason::Robots, 1),
            (SkipReason::Calendar, 1),
            (SkipReason::Blocked, 1),
        ]),
        page: 1,
        page_size: 100,
        has_more: false,
    }
}

fn link() -> LinkItem {
    LinkItem {
        url: SITE.to_owned(),
        title: Some("Example Domain".to_owned()),
        kind: LinkType::Page,
        status_code: Some(200),
        final_url: None,
        redirects: Vec::new(),
        content_type: Some("text/html".to_owned()),
        size_bytes: Some(1_256),
        response_ms: Some(41),
        error: None,
        depth: Some(0),
        inlinks: 3,
        found_on: None,
        anchor: None,
        discovered_by: vec![DiscoveredBy::Start],
        external: false,
        broken: false,
        orphan: false,
        in_sitemap: None,
        indexable: Some(true),
        index_reason: None,
        canonical_url: None,
        duplicate_of: None,
        language: Some("en".to_owned()),
        description: None,
        h1: Some("Example Domain".to_owned()),
        word_count: Some(28),
        content_hash: Some("8a2c31f7d05e94b6".to_owned()),
        fetched_at: Some(NOW),
        nofollow: false,
        robots: Vec::new(),
    }
}

pub(crate) fn key() -> AccountKey {
    AccountKey {
        id: KeyId::new(NOW, [0x3c; 10]),
        name: "nightly inventory".to_owned(),
        prefix: KeyPrefix::Live,
        last4: "0000".to_owned(),
        source: "direct".to_owned(),
        created_at: NOW,
        last_used_at: None,
        revoked_at: None,
        scopes: Vec::new(),
        limits: limits(),
    }
}

pub(crate) fn limits() -> CredentialLimits {
    CredentialLimits {
        daily_credits: Some(Credits(5_000)),
        credits_today: Credits(1),
        credits_used: Credits(1),
        ..CredentialLimits::default()
    }
}

pub(crate) fn revoked_key() -> AccountKey {
    AccountKey { revoked_at: Some(NOW), ..key() }
}

pub(crate) fn created_key() -> CreatedKey {
    // Not a key: its checksum is wrong, so that no scanner takes it for one.
    CreatedKey { details: key(), key: format!("key_live_{}", "0".repeat(38)) }
}

pub(crate) fn session() -> Session {
    Session {
        token: format!("sess_{}", "0".repeat(43)),
        expires_at: NOW,
        device: Some(format!("dev_{}", "0".repeat(43))),
    }
}

pub(crate) fn account() -> Account {
    Account {
        account_id: AccountId::new(NOW, [0x4d; 10]),
        credits: Credits(9_999),
        top_up_url: TOP_UP_URL.to_owned(),
        key: Some(key()),
        auth_method: AuthMethod::ApiKey,
        scopes: Vec::new(),
        keys_active: 1,
        webhook_failing: false,
        limits: ApiSettings::default().limits,
        auto_top_up: auto_top_up(),
        assistants_may_accept_legal_basis: false,
    }
}

pub(crate) fn auto_top_up() -> AutoTopUp {
    AutoTopUp {
        enabled: true,
        threshold: Some(Credits(1_000)),
        amount: Some(Credits(10_000)),
        monthly_credits: Some(Credits(100_000)),
        last_recharge_at: Some(NOW),
        last_error: None,
    }
}

pub(crate) fn usage() -> Usage {
    let row = |group: Option<&str>| UsageRow {
        group: group.map(str::to_owned),
        jobs: 1,
        units: Units(1),
        credits: Credits(1),
    };
    Usage {
        from: Millis(NOW.0 - 30 * 86_400_000),
        to: NOW,
        group_by: UsageGroup::Source,
        items: vec![row(Some("direct"))],
        total: row(None),
    }
}

pub(crate) fn ledger() -> LedgerPage {
    let line = LedgerLine {
        id: LedgerId::new(NOW, [0x9c; 10]),
        kind: LedgerKind::Debit,
        amount: Credits(-1),
        units: Units(1),
        job_id: Some(job_id()),
        mode: Some(Mode::Links),
        source: Some("direct".to_owned()),
        at: NOW,
    };
    LedgerPage { items: vec![line], page: 1, page_size: 100, has_more: false }
}

pub(crate) fn webhook() -> Webhook {
    Webhook {
        id: WebhookId::new(NOW, [0x5e; 10]),
        url: "https://hooks.example.com/trawl".to_owned(),
        events: vec![EventKind::JobCompleted, EventKind::JobFailed],
        active: true,
        created_at: NOW,
        last_success_at: Some(NOW),
        failing_since: None,
        last_error: None,
        created_by: Some(Creator::Key(key().id)),
    }
}

pub(crate) fn created_webhook() -> CreatedWebhook {
    let details = Webhook { last_success_at: None, ..webhook() };
    CreatedWebhook { details, secret: format!("whsec_{}", "0".repeat(43)) }
}

pub(crate) fn event() -> Event {
    let job = PublicJob { status: Status::Completed, finished_at: Some(NOW), ..job() };
    Event {
        id: EventId::new(NOW, [0x6f; 10]),
        kind: EventKind::JobCompleted,
        emitted_at: NOW,
        data: EventData::Job { job: Box::new(job) },
    }
}

pub(crate) fn events() -> EventList {
    EventList { items: vec![event()], has_more: false }
}

pub(crate) fn delivery() -> Delivery {
    let attempt = DeliveryAttempt {
        at: NOW,
        status_code: Some(500),
        duration_ms: 41,
        error: Some("answered 500".to_owned()),
    };
    Delivery {
        id: DeliveryId::new(NOW, [0x7a; 10]),
        event_id: event().id,
        kind: event().kind.to_string(),
        state: DeliveryState::Pending,
        created_at: NOW,
        attempts: vec![attempt],
        next_attempt_at: Some(NOW),
        payload: json!(event()),
    }
}

pub(crate) fn deliveries() -> DeliveryPage {
    DeliveryPage { items: vec![delivery()], total: 1, page: 1, page_size: 100, has_more: false }
}

pub(crate) fn test_delivery() -> Delivery {
    let payload = json!({
        "id": event().id,
        "type": TEST_EVENT,
        "emitted_at": NOW,
        "data": {"webhook": webhook().id},
    });
    Delivery { kind: TEST_EVENT.to_owned(), attempts: Vec::new(), payload, ..delivery() }
}
