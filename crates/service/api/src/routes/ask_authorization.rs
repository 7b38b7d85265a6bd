//! `GET /oauth/authorization`: what the consent page shows.

use axum::Json;
use axum::extract::State;
use contract::{AuthorizationAsked, AuthorizationView};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::oauth::{AuthorizationOutcome, AuthorizationQuery};
use crate::openapi::{AuthorizationParams, example, problems};

problems!(Refusals: ValidationFailed, ServerError, Unavailable);

/// Look at an authorization request
///
/// Who asks a person for what: the parameters are those that the application sent the person
/// with. What is wrong about `client_id` or `redirect_uri` is refused here; what else is wrong
/// has an address where the application is told of it.
#[utoipa::path(
    get,
    path = "/oauth/authorization",
    operation_id = "ask_authorization",
    tag = "oauth",
    params(AuthorizationParams),
    responses(
        (status = 200, description = "What the person is asked, or the way back.",
            body = AuthorizationView, example = json!(example::authorization_view())),
        Refusals,
    ),
    security(()),
)]
pub(crate) async fn ask_authorization(
    State(state): State<ApiState>,
    query: AuthorizationQuery,
) -> Result<Json<AuthorizationView>, ApiError> {
    let view = match query.validate(&state).await? {
        AuthorizationOutcome::Back(redirect_to) => AuthorizationView::Back { redirect_to },
        AuthorizationOutcome::Asked(request) => AuthorizationView::Asked {
            asked: AuthorizationAsked {
                application_id: request.application.id,
                application_name: request.application.name,
                application_uri: request.application.uri,
                redirect_uri: request.redirect.redirect_uri.as_str().to_owned(),
                scopes: request.scopes.iter().collect(),
            },
        },
    };
    Ok(Json(view))
}
