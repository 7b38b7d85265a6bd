//! Tables of lists.

use maud::{Markup, html};

/// A table in a region that scrolls sideways; the text `empty` if there are no items. `columns` has
/// the titles, separated by commas, each with its CSS classes after a colon. The titles `Actions`
/// and `Select` are for screen readers only.
pub(crate) fn table<T>(
    name: &str,
    columns: &str,
    items: impl IntoIterator<Item = T>,
    row: impl Fn(T) -> Markup,
    empty: &Markup,
) -> Markup {
    let mut items = items.into_iter().peekable();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            @if items.peek().is_none() {
                p.empty { (empty) }
            } @else {
                table {
                    caption.hidden-label { (name) }
                    thead { tr {
                        @for column in columns.split(", ") {
                            @let (title, class) = column.split_once(':').unzip();
                            @let title = title.unwrap_or(column);
                            th class=[class] scope="col" {
                                @if matches!(title, "Actions" | "Select") {
                                    span.hidden-label { (title) }
                                } @else {
                                    (title)
                                }
                            }
                        }
                    } }
                    tbody { @for item in items { (row(item)) } }
                }
            }
        }
    }
}
