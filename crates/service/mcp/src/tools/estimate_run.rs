//! `estimate_run`: estimates the cost of a run.

use contract::{Estimate, Mode};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use super::{define, read_only, schema};
use crate::api_session::ApiSession;
use crate::next_steps;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "estimate_run";

const ABOUT: &str = "Estimates the cost of crawling a website, without starting a run. Takes a few \
    seconds: counts the pages of the sitemap, and checks whether the site is behind bot \
    protection, which multiplies the price. Free: it spends no credits. Use it first whenever \
    the user wants something from a whole site, and tell the user the price. Then call \
    start_run.";

pub(super) fn tool() -> Tool {
    let properties = json!({
        "mode": mode(),
        "url": {
            "type": "string",
            "description": "The site, as an absolute http or https URL. Required unless \
                domain_count or url_count is given.",
        },
        "domain_count": {
            "type": "integer",
            "minimum": 1,
            "description": "Only for contacts, instead of url: number of domains of the run.",
        },
        "url_count": {
            "type": "integer",
            "minimum": 1,
            "description": "Only for links, markdown and products, instead of url: number of \
                URLs of a list.",
        },
    });
    define(NAME, "Estimate a crawl", ABOUT, &properties, &["mode"])
        .with_annotations(read_only(true))
        .with_raw_output_schema(schema::response::<Estimate>())
}

/// The schema of the argument `mode`, also used by `start_run`.
pub(super) fn mode() -> Value {
    json!({
        "type": "string",
        "enum": Mode::ALL,
        "description": "What the run delivers. markdown: the text of each page as Markdown, for \
            reading and retrieval (2 credits per page). links: an inventory of URLs with title, \
            status, depth and inlinks, for audits and broken links (1 credit per URL). sitemap: the \
            pages that belong into an XML sitemap (1 credit per URL). products: name, price, \
            availability, images and more of each product of a shop (5 credits per product). \
            contacts: company and people of each domain (10 credits per domain). These are the \
            usual prices; an estimate has the current ones.",
    })
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let estimate: Estimate = session.post("/v1/estimate", &arguments).await?;
    Ok(schema::result(&estimate, &next_steps::for_estimate(&estimate)))
}

#[cfg(test)]
mod tests {
    use contract::CreateEstimate;
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn input_schema_has_the_members_of_the_api_request() {
        let api = serde_json::to_value(CreateEstimate::schema()).expect("JSON");
        let members = |schema: &Value| {
            let mut names: Vec<_> =
                schema["properties"].as_object().expect("members").keys().cloned().collect();
            names.sort();
            names
        };
        assert_eq!(members(&tool().schema_as_json_value()), members(&api));
    }
}
