//! Where a command finds the service: a server over HTTP, or the database of this machine.
//!
//! In this order: `--url` or `--key` name a server, `--data` and `--database` this machine,
//! `TRAWL_URL` a server, `TRAWL_DATA`, `TRAWL_DATABASE` and a settings file this machine. Without any
//! of them, `TRAWL_KEY` or a saved login names a server, else it is this machine.

use anyhow::Context;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use client::{ApiCall, ApiCallError, ApiResponse, Client, UnexpectedResponse};
use contract::{Problem, ProblemCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Exit, settings};
use crate::cli::{GlobalArgs, ServerFlags};
use crate::credentials::Credentials;
use crate::exit::{CommandFailure, fail};

/// Where a command finds the service.
pub enum ServiceLocation {
    Server(ServerConnection),
    /// The database that the settings name.
    ThisMachine,
}

/// A server with the key for it.
pub struct ServerConnection {
    pub client: Client,
    pub url: String,
    key: String,
}

/// A call with the value of `--idempotency-key`, if it is given.
pub fn with_idempotency_key(call: ApiCall, key: Option<&str>) -> anyhow::Result<ApiCall> {
    let Some(key) = key else { return Ok(call) };
    let Ok(key) = HeaderValue::from_str(key) else {
        fail!(Usage, "--idempotency-key must be printable ASCII");
    };
    Ok(call.header(HeaderName::from_static("idempotency-key"), key))
}

/// The environment variable, unless it is empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Where a command finds the service.
pub fn locate(global: &GlobalArgs, flags: &ServerFlags) -> anyhow::Result<ServiceLocation> {
    let names_server = flags.url.is_some() || flags.key.is_some();
    let names_database = global.data.is_some() || global.database.is_some();
    if names_server && names_database {
        fail!(Usage, "--url and --key name a server, --data and --database this machine: use one");
    }
    let is_configured = global.config.is_some()
        || variable("TRAWL_DATA").is_some()
        || variable("TRAWL_DATABASE").is_some();
    let is_remote = names_server
        || (!names_database && variable("TRAWL_URL").is_some())
        || (!names_database
            && !is_configured
            && (variable("TRAWL_KEY").is_some()
                || Credentials::load()?.default_server().is_some()));
    match is_remote {
        true => ServerConnection::open(global, flags).map(ServiceLocation::Server),
        false => Ok(ServiceLocation::ThisMachine),
    }
}

/// The server that `--url` or `--key` names; for commands that need no database on this machine.
pub fn named_server(
    global: &GlobalArgs,
    flags: &ServerFlags,
) -> anyhow::Result<Option<ServerConnection>> {
    let is_named = flags.url.is_some() || flags.key.is_some();
    is_named.then(|| ServerConnection::open(global, flags)).transpose()
}

/// The URL of the server: of the flag, the environment, the last login or the settings.
pub fn server_url(
    global: &GlobalArgs,
    flag: Option<&str>,
    saved: &Credentials,
) -> anyhow::Result<String> {
    if let Some(url) = flag.map(str::to_owned).or_else(|| variable("TRAWL_URL")) {
        return Ok(url);
    }
    match saved.default_server() {
        Some(url) => Ok(url.to_owned()),
        None => Ok(settings(global, &[])?.public_url),
    }
}

/// A client of the server at a URL.
pub fn client_of(global: &GlobalArgs, url: &str) -> anyhow::Result<Client> {
    let settings = settings(global, &[])?;
    Client::over_http(url, settings.extra_ca.as_deref())
        .with_context(|| format!("cannot use the server {url}; name it with --url or TRAWL_URL"))
}

impl ServerConnection {
    /// The server that flags, environment or the last login name.
    pub fn open(global: &GlobalArgs, flags: &ServerFlags) -> anyhow::Result<Self> {
        let saved = Credentials::load()?;
        let url = server_url(global, flags.url.as_deref(), &saved)?;
        let client = client_of(global, &url)?;
        let key = flags.key.clone().or_else(|| variable("TRAWL_KEY"));
        let Some(key) = key.or_else(|| saved.key(&url).map(str::to_owned)) else {
            fail!(
                Setup,
                "there is no API key for {url}; run `trawl login --url {url}`, or set TRAWL_KEY or \
                 --key"
            );
        };
        Ok(Self { client, url, key })
    }

    /// A connection with this key.
    pub fn with_key(client: Client, url: String, key: String) -> Self {
        Self { client, url, key }
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.send(ApiCall::get(path)).await
    }

    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(ApiCall::post(path).json(body)).await
    }

    pub async fn patch<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        self.send(ApiCall::patch(path).json(body)).await
    }

    pub async fn delete(&self, path: &str) -> anyhow::Result<()> {
        let response =
            self.answer(ApiCall::delete(path)).await.map_err(|error| self.failure(error))?;
        response.check().map_err(|error| self.failure(error))
    }

    /// Sends a call with the key and reads its result.
    pub async fn send<T: DeserializeOwned>(&self, call: ApiCall) -> anyhow::Result<T> {
        let result = self.answer(call).await.and_then(|response| response.json());
        result.map_err(|error| self.failure(error))
    }

    async fn answer(&self, call: ApiCall) -> Result<ApiResponse, ApiCallError> {
        Ok(self.client.send(call.bearer(&self.key)).await?)
    }

    /// Opens a stream; an error response is read and returned as the error.
    pub async fn open_stream(
        &self,
        path: &str,
        accept: &'static str,
    ) -> Result<Response, ApiCallError> {
        let call = ApiCall::get(path).header(header::ACCEPT, HeaderValue::from_static(accept));
        let response = self.client.open(call.bearer(&self.key)).await;
        if response.status().is_success() {
            return Ok(response);
        }
        let response = ApiResponse::of(response).await?;
        match response.check() {
            Err(error) => Err(error),
            Ok(()) => Err(UnexpectedResponse::Unreadable(response.status).into()),
        }
    }

    /// The error of a command after a failed call.
    pub fn failure(&self, error: ApiCallError) -> anyhow::Error {
        match error {
            ApiCallError::Problem { status, problem } => self.refusal(status, &problem).into(),
            ApiCallError::Unexpected(UnexpectedResponse::ServiceUnreachable(error))
                if error.is_untrusted =>
            {
                Exit::Setup
                    .with(format!(
                        "{error}; if the server has a private certificate authority, set \
                         SSL_CERT_FILE or TRAWL_EXTRA_CA to the PEM file of it"
                    ))
                    .into()
            }
            ApiCallError::Unexpected(UnexpectedResponse::ServiceUnreachable(error)) => {
                Exit::Setup.with(format!("{error}; is `trawl serve` running there?")).into()
            }
            ApiCallError::Unexpected(error) => Exit::Setup
                .with(format!("{error}; is {} the URL of a Trawl server?", self.url))
                .into(),
        }
    }

    fn refusal(&self, status: StatusCode, problem: &Problem) -> CommandFailure {
        let code = problem.code;
        let mut text = match &problem.errors {
            // The message of the problem only says that fields are invalid.
            Some(errors) if !errors.is_empty() => {
                let fields =
                    errors.iter().map(|error| format!("{} {}", error.field, error.message));
                fields.collect::<Vec<_>>().join("\ntrawl: ")
            }
            _ => format!("{code}: {}", problem.message),
        };
        if let (Some(required), Some(available)) = (problem.required, problem.available) {
            text = format!("{text} (required: {required}, available: {available})");
        }
        if let Some(job) = &problem.job_id {
            text = format!("{text}\ntrawl: `trawl watch {job}` shows that job");
        }
        if code == ProblemCode::Unauthorized {
            text = format!("{text}\ntrawl: `trawl login --url {}` saves another key", self.url);
        } else {
            text = format!("{text}\ntrawl: `trawl explain {code}` shows the remedy");
        }
        exit_of(status, code).with(text)
    }
}

/// The exit code after an error response.
fn exit_of(status: StatusCode, code: ProblemCode) -> Exit {
    match code {
        ProblemCode::Unauthorized | ProblemCode::Forbidden | ProblemCode::AccountSuspended => {
            Exit::Setup
        }
        ProblemCode::ValidationFailed
        | ProblemCode::InvalidJson
        | ProblemCode::LegalBasisRequired
        | ProblemCode::IdempotencyKeyReused => Exit::Usage,
        // The site failed, not the server.
        ProblemCode::PageFailed | ProblemCode::PageTimeout => Exit::Nothing,
        _ if status.is_server_error() => Exit::Setup,
        _ => Exit::Nothing,
    }
}

/// Whether the same call may succeed later.
pub fn is_transient(error: &ApiCallError) -> bool {
    match error {
        ApiCallError::Problem { status, problem } => {
            status.is_server_error() || problem.code == ProblemCode::RateLimited
        }
        ApiCallError::Unexpected(UnexpectedResponse::Unreadable(status)) => {
            status.is_server_error()
        }
        ApiCallError::Unexpected(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_separate_usage_results_and_set_up() {
        for (status, code, exit) in [
            (StatusCode::UNAUTHORIZED, ProblemCode::Unauthorized, Exit::Setup),
            (StatusCode::UNPROCESSABLE_ENTITY, ProblemCode::ValidationFailed, Exit::Usage),
            (StatusCode::NOT_FOUND, ProblemCode::NotFound, Exit::Nothing),
            (StatusCode::PAYMENT_REQUIRED, ProblemCode::InsufficientCredits, Exit::Nothing),
            (StatusCode::BAD_GATEWAY, ProblemCode::PageFailed, Exit::Nothing),
            (StatusCode::SERVICE_UNAVAILABLE, ProblemCode::Unavailable, Exit::Setup),
        ] {
            assert_eq!(exit_of(status, code), exit, "{code}");
        }
    }
}
