//! The tags of runs as links.

use maud::{Markup, html};

use crate::ListQuery;

/// Tags as links to the runs that have them.
pub(crate) fn shown_tags(tags: &[String]) -> Markup {
    html! {
        @for tag in tags {
            a.chip href=(ListQuery::default().with("tag", tag).on("/runs")) { (tag) } " "
        }
    }
}
