//! The trail that leads to the product, and the category at its end.

use contract::{Breadcrumb, ProductSource};

use super::super::context::Context;
use super::super::field::Field;
use super::super::subject::Likeness;
use super::Said;

/// The trail as the page shows it, when its data does not say otherwise.
pub(super) fn trail(said: &Said, note: &mut impl FnMut(Field, ProductSource)) -> Vec<Breadcrumb> {
    let shown = &said.sight.draft.breadcrumbs;
    let of_drafts = said.drafts.iter().find(|draft| !draft.breadcrumbs.is_empty());
    let told = said
        .trail
        .as_ref()
        .map(|(source, trail)| (*source, trail))
        .or_else(|| of_drafts.map(|draft| (draft.source, &draft.breadcrumbs)));
    let (source, trail) = match told {
        Some((source, told)) => {
            let same = shown.iter().filter(|step| told.iter().any(|other| other.name == step.name));
            // A menu may look like a trail; the data knows.
            if shown.len() > 1 && same.count() * 2 >= shown.len().min(told.len()) {
                (ProductSource::Dom, shown)
            } else {
                (source, told)
            }
        }
        None => (ProductSource::Dom, shown),
    };
    if trail.is_empty() {
        return Vec::new();
    }
    note(Field::Breadcrumb, source);
    trail.clone()
}

/// The last step that is neither the product nor the home page.
pub(super) fn category(trail: &[Breadcrumb], name: &str, context: &Context<'_>) -> Option<String> {
    let is_product = |step: &Breadcrumb| {
        step.name == name
            || (step.url.is_none() && context.subject.names_it(&step.name) == Likeness::Same)
            || step.url.as_deref().is_some_and(|url| context.subject.is_at(url) == Likeness::Same)
    };
    let is_home = |step: &Breadcrumb| {
        step.url
            .as_deref()
            .and_then(|url| url.split_once("://"))
            .is_some_and(|(_, rest)| rest.trim_end_matches('/').matches('/').count() == 0)
    };
    let steps = trail.iter().rev().skip_while(|step| is_product(step));
    steps.into_iter().find(|step| !is_home(step)).map(|step| step.name.clone())
}
