//! `GET /`: links to the documentation.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::ApiState;

pub(crate) async fn index(State(state): State<ApiState>) -> Json<Value> {
    let base = state.settings().public_url.trim_end_matches('/');
    Json(json!({
        "service": "trawl",
        "version": "1.0.0",
        "docs": format!("{base}/docs/"),
        "openapi": format!("{base}/openapi.json"),
    }))
}
