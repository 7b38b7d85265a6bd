//! The OpenAPI document.
//!
//! Routes are described beside their handlers. This module adds what they share: error responses,
//! headers, security schemes, examples, and the limits of the settings.

mod error_responses;
mod examples;
mod finish;
mod webhooks;

use contract::{
    ApplicationId, EventId, Item, JobProgress, JobSort, OauthError, OauthScope, Problem, UsageGroup,
};
use serde_json::Value;
use utoipa::openapi::security::{
    AuthorizationCode, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes, SecurityScheme,
};
use utoipa::{IntoParams, Modify, OpenApi};

use crate::ApiSettings;

pub(crate) use examples::results as example_results;
pub(crate) use finish::is_secured;

/// The document of a service with these routes and settings.
pub(crate) fn document(routes: utoipa::openapi::OpenApi, settings: &ApiSettings) -> Value {
    let mut document = ApiDocument::openapi();
    document.merge(routes);
    // Serialisation to JSON cannot fail; a document of null would fail every test that reads it.
    let document = serde_json::to_value(document).unwrap_or(Value::Null);
    let mut document = finish::finish(document, settings);
    document["webhooks"] = webhooks::webhooks();
    document
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Trawl",
        version = "1.0.0",
        description = "Asynchronous website crawls. Start a job, follow its status, read its \
                       results as pages of JSON. Every response has `X-Request-Id`. Every error is \
                       a `Problem`; its `code` is stable, and its `docs` is the URL of the page \
                       about the code.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This service")),
    tags(
        (name = "jobs", description = "Jobs: start, watch, confirm, abort, read results."),
        (name = "pages", description = "Pages that are read at once, without a job."),
        (name = "schedules", description = "Jobs that start by a cron expression, and comparisons of runs."),
        (name = "account", description = "Balance, limits, usage and auto top-up."),
        (name = "webhooks", description = "Webhook endpoints, their deliveries and events."),
        (name = "keys", description = "API keys. These operations need an account session."),
        (name = "session", description = "Account sessions."),
        (name = "oauth", description = "Applications that act for users: OAuth 2.1."),
        (name = "service", description = "The service itself."),
    ),
    components(schemas(Problem, Item, JobProgress, JobSort, OauthError, OauthScope)),
    modifiers(&SecuritySchemes),
)]
struct ApiDocument;

struct SecuritySchemes;

impl Modify for SecuritySchemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        for (name, format, about) in [
            ("api_key", "key_live_… or key_test_…", "An API key, created with `POST /api-keys`."),
            ("session", "sess_…", "An account session, opened with `POST /session`."),
        ] {
            let scheme = HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format(format)
                .description(Some(about))
                .build();
            components.add_security_scheme(name, SecurityScheme::Http(scheme));
        }
        let scopes = OauthScope::ALL.iter().map(|scope| (scope.as_str(), scope.meaning()));
        let flow = AuthorizationCode::with_refresh_url(
            "/oauth/authorize",
            "/oauth/token",
            Scopes::from_iter(scopes),
            "/oauth/token",
        );
        let about = "An access token of an application, `oat_…`: see the operations of `oauth`.";
        let scheme = OAuth2::with_description([Flow::AuthorizationCode(flow)], about);
        components.add_security_scheme("oauth", SecurityScheme::OAuth2(scheme));
    }
}

/// Parameters of lists with pages.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the fields are read by the derive")]
pub(crate) struct PageParams {
    /// Number of the page, from 1.
    #[param(minimum = 1, maximum = 9007199254740991_i64, default = 1)]
    page: Option<u64>,
    /// Maximum items of the page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    page_size: Option<u64>,
}

/// Parameters of the event list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the fields are read by the derive")]
pub(crate) struct EventParams {
    /// The last event that the client has read; from the oldest stored one when omitted.
    after: Option<EventId>,
    /// Maximum events of the response.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    page_size: Option<u64>,
}

/// Parameters of the usage report.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the fields are read by the derive")]
pub(crate) struct UsageParams {
    /// From this date or date-time on; thirty days before `to` when omitted.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Before this date or date-time; now when omitted.
    #[param(example = "2026-12-01")]
    to: Option<String>,
    /// Grouping of the report; `source` when omitted.
    group_by: Option<UsageGroup>,
}

/// Parameters of an authorization request.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the fields are read by the derive")]
pub(crate) struct AuthorizationParams {
    /// The id of the application.
    client_id: ApplicationId,
    /// A registered redirect URI; optional if only one is registered.
    redirect_uri: Option<String>,
    /// The response type; must be `code`.
    response_type: Option<String>,
    /// The SHA-256 of the code verifier, in base64url without padding.
    code_challenge: Option<String>,
    /// The challenge method; must be `S256`.
    code_challenge_method: Option<String>,
    /// Requested scopes, separated by spaces; all registered ones when omitted.
    scope: Option<String>,
    /// Returned unchanged with the response.
    state: Option<String>,
    /// The resource of the tokens: this service, or only its `/mcp`.
    resource: Option<String>,
}
