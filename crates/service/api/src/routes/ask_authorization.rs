//! `GET /oauth/authorization`: the data of the consent page.

use axum::Json;
use axum::extract::State;
use contract::{AuthorizationAsked, AuthorizationView};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::oauth::{AuthorizationOutcome, AuthorizationQuery};
use crate::openapi::{AuthorizationParams, example, problems};

problems!(RouteErrors: ValidationFailed, ServerError, Unavailable);

/// Get an authorization request
///
/// The application and the scopes that it requests from the user. The parameters are those of the
/// URL that the application sent the user to. An invalid `client_id` or `redirect_uri` is an error;
/// for other errors the response has the URL that returns the error to the application.
#[utoipa::path(
    get,
    path = "/oauth/authorization",
    operation_id = "ask_authorization",
    tag = "oauth",
    params(AuthorizationParams),
    responses(
        (status = 200, description = "The request, or the URL that returns the error to the application.",
            body = AuthorizationView, example = json!(example::authorization_view())),
        RouteErrors,
    ),
    security(()),
)]
pub(crate) async fn ask_authorization(
    State(state): State<ApiState>,
    query: AuthorizationQuery,
) -> Result<Json<AuthorizationView>, ApiError> {
    let view = match query.validate(&state).await? {
        AuthorizationOutcome::Redirect(redirect_to) => AuthorizationView::Back { redirect_to },
        AuthorizationOutcome::Valid(request) => AuthorizationView::Asked {
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
