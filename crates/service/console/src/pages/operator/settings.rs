//! `/operator/settings`: the settings of this node with their origin.

use axum::Router;
use axum::routing::get;
use maud::html;

use super::{Operator, tab};
use crate::{ConsoleState, ListQuery, PageResult};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/operator/settings", get(settings))
}

async fn settings(operator: Operator, query: ListQuery) -> PageResult {
    let text = query.get("q").unwrap_or_default().to_lowercase();
    let all = &operator.0.state.settings.shown;
    let found = all.iter().filter(|setting| {
        setting.name.contains(&text) || setting.origin.to_lowercase().contains(&text)
    });
    Ok(tab::page(&operator, "/operator/settings").show(html! {
        p.quiet {
            "Settings of the node that serves this page; secrets are hidden. They are changed in the \
             settings file or the environment, and apply after a restart."
        }
        form.filters method="get" action="/operator/settings" {
            div.field {
                label for="q" { "Name or origin contains" }
                input id="q" name="q" type="search" value=(query.get("q").unwrap_or_default());
            }
            button type="submit" { "Search" }
        }
        (crate::table(
            "Settings",
            "Setting, Value, Origin",
            found,
            |setting| html! { tr {
                td { code { (setting.name) } }
                td.url { (setting.value) }
                td { (setting.origin) }
            } },
            &html! { "No setting matches." },
        ))
    }))
}
