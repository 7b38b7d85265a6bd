//! Merges the breadcrumbs and derives the category from them.

use contract::{Breadcrumb, ProductSource};

use super::{MergeInput, Provenance};
use crate::field::ProductField;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;

/// The visible breadcrumbs, unless the data contradicts them.
pub(super) fn breadcrumbs(input: &MergeInput, provenance: &mut Provenance) -> Vec<Breadcrumb> {
    let shown = &input.visible.record.breadcrumbs;
    let of_drafts = input.records.iter().find(|record| !record.breadcrumbs.is_empty());
    let stated = input
        .breadcrumbs
        .as_ref()
        .map(|(source, breadcrumbs)| (*source, breadcrumbs))
        .or_else(|| of_drafts.map(|record| (record.source, &record.breadcrumbs)));
    let (source, chosen) = match stated {
        Some((source, stated)) => {
            let same =
                shown.iter().filter(|step| stated.iter().any(|other| other.name == step.name));
            // A menu may look like breadcrumbs.
            if shown.len() > 1 && same.count() * 2 >= shown.len().min(stated.len()) {
                (ProductSource::Dom, shown)
            } else {
                (source, stated)
            }
        }
        None => (ProductSource::Dom, shown),
    };
    if chosen.is_empty() {
        return Vec::new();
    }
    provenance.note(ProductField::Breadcrumb, source);
    chosen.clone()
}

/// The last breadcrumb that is neither the product nor the home page.
pub(super) fn category(
    breadcrumbs: &[Breadcrumb],
    name: &str,
    context: &PageContext<'_>,
) -> Option<String> {
    let is_product = |step: &Breadcrumb| {
        step.name == name
            || (step.url.is_none() && context.subject.match_name(&step.name) == SubjectMatch::Same)
            || step
                .url
                .as_deref()
                .is_some_and(|url| context.subject.match_url(url) == SubjectMatch::Same)
    };
    let is_home = |step: &Breadcrumb| {
        step.url
            .as_deref()
            .and_then(|url| url.split_once("://"))
            .is_some_and(|(_, rest)| rest.trim_end_matches('/').matches('/').count() == 0)
    };
    let steps = breadcrumbs.iter().rev().skip_while(|step| is_product(step));
    steps.into_iter().find(|step| !is_home(step)).map(|step| step.name.clone())
}
