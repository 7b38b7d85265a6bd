//! The text of a `markdown` result, rendered next to its source.

use contract::{ExtractionMethod, ExtractionWarning, MarkdownItem};
use maud::{Markup, html};

use crate::markdown::rendered;
use crate::number_format::number;

/// The rendered text, its source, and how it was extracted.
pub(super) fn text(item: &MarkdownItem) -> Markup {
    html! {
        p.quiet {
            (number(item.word_count)) " words · about " (number(item.token_estimate)) " tokens · "
            "Extraction: " (method_name(item.extraction.method)) " ("
            (format_args!("{:.0}", item.extraction.kept_ratio * 100.0)) " % kept) "
            (notes(&item.extraction.warnings))
        }
        div.copyline {
            h3 { "Text" }
            button type="button" data-copies="source" hidden { "Copy Markdown" }
        }
        div.both {
            section.rendered aria-label="Rendered text" tabindex="0" { (rendered(&item.markdown)) }
            section aria-label="Source" {
                pre tabindex="0" #source { (item.markdown) }
            }
        }
    }
}

/// What the text was taken from.
fn method_name(method: ExtractionMethod) -> &'static str {
    match method {
        ExtractionMethod::Blocks => "main content",
        ExtractionMethod::Densest => "part with most text",
        ExtractionMethod::Visible => "all visible text",
        ExtractionMethod::Stated => "structured data",
        ExtractionMethod::PlainText => "plain text",
    }
}

fn notes(warnings: &[ExtractionWarning]) -> Markup {
    html! {
        @for warning in warnings {
            span.chip.warn { (warning.as_str().replace('_', " ")) } " "
        }
    }
}
