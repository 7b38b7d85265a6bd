//! `estimate_run`: estimates the cost of a run.

use contract::Estimate;
use rmcp::model::{JsonObject, Tool};
use serde_json::json;

use super::{define, read_only, run_arguments, schema};
use crate::api_session::ApiSession;
use crate::next_steps;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "estimate_run";

const ABOUT: &str = "Estimates the cost of crawling a website, without starting a run. Takes a few \
    seconds: counts the pages of the sitemap, reads some pages, and checks whether the site is \
    behind bot protection, which multiplies the price. Give it the scope and options of the run: \
    they change the price. Free: it spends no credits. Use it first whenever the user wants \
    something from a whole site, and tell the user the price. Then call start_run.";

pub(super) fn tool() -> Tool {
    let properties = json!({
        "mode": run_arguments::mode(),
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
        "scope": run_arguments::scope(),
        "options": run_arguments::options(),
    });
    define(NAME, "Estimate a crawl", ABOUT, &properties, &["mode"])
        .with_annotations(read_only(true))
        .with_raw_output_schema(schema::response::<Estimate>())
}

pub(super) async fn call(session: &ApiSession, mut arguments: JsonObject) -> ToolResult {
    run_arguments::stay_under_path(&mut arguments);
    let estimate: Estimate = session.post("/v1/estimate", &arguments).await?;
    Ok(schema::result(&estimate, &next_steps::for_estimate(&estimate)))
}

#[cfg(test)]
mod tests {
    use contract::CreateEstimate;
    use serde_json::Value;
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
