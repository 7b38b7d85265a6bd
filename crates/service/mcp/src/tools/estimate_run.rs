//! `estimate_run`: what a run would cost.

use contract::{Estimate, Mode};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::schema;
use crate::advice;
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "estimate_run";

const ABOUT: &str = "Tells what crawling a website would cost, before anything is started. Looks \
    at the site for a few seconds: how many pages its sitemap publishes, and whether it sits \
    behind bot protection, which multiplies the price. Free: starts nothing and spends nothing. \
    Use it first whenever the user wants something from a whole site, and tell the user the \
    price. Then call start_run.";

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "mode": mode(),
            "url": {
                "type": "string",
                "description": "The site, as an absolute http or https URL. Required in every \
                    mode but contacts.",
            },
            "domain_count": {
                "type": "integer",
                "minimum": 1,
                "description": "Only for contacts: how many domains the run would visit. Takes \
                    the place of url.",
            },
        },
        "required": ["mode"],
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(true);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Estimate a crawl")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<Estimate>(&json!({})))
}

/// How the modes are told, here and at the start of a run.
pub(super) fn mode() -> Value {
    json!({
        "type": "string",
        "enum": Mode::ALL,
        "description": "What the run delivers. markdown: the text of each page as Markdown, for \
            reading and retrieval (2 credits a page). links: an inventory of URLs with title, \
            status, depth and inlinks, for audits and broken links (1 credit a URL). sitemap: the \
            pages that belong into an XML sitemap (1 credit a URL). products: name, price, \
            availability, images and more of each product of a shop (5 credits a product). \
            contacts: company and people of each domain (10 credits a domain). These are the \
            usual prices; an estimate tells those in force.",
    })
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let estimate: Estimate = desk.post("/v1/estimate", &arguments).await?;
    let told = schema::with_next(&estimate, &advice::on_estimate(&estimate));
    Ok(CallToolResult::structured(told))
}
