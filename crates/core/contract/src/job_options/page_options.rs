//! The options of jobs that change how one page is read, for `POST /v1/pages`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{JobOption, OptionKind, Options, read_list};
use crate::css_selector::{MAX_SELECTORS, selector_errors};
use crate::{BodyFields, MarkdownLinks, Mode};

job_options! {
    /// The options of jobs that change how one page is read.
    pub struct PageOptions in "options" {
        texts {}
        lists {
            /// `markdown`: only the elements that one of these CSS selectors matches, instead of
            /// the main content.
            include_selectors(selector_errors, "SELECTOR", MAX_SELECTORS,
                schema(max_items = 50, example = json!(["article.post"]))),
            &[Mode::Markdown], "Only these elements" {
                hint: "One CSS selector per line, as article.post or #content > p. Empty: the main \
                    content.",
                flag: "Only elements that match a CSS selector, as 'article.post'; repeat for more",
            }
            /// `markdown`: without the elements that one of these CSS selectors matches, which are
            /// left out before the main content is chosen.
            exclude_selectors(selector_errors, "SELECTOR", MAX_SELECTORS,
                schema(max_items = 50, example = json!([".share", "[role=note]"]))),
            &[Mode::Markdown], "Without these elements" {
                hint: "One CSS selector per line, as .share or [role=note].",
                flag: "Skip elements that match a CSS selector, as '.share'; repeat for more",
            }
        }
        choices {
            /// `markdown`: how links are written; they are listed in `links` in any case.
            links: MarkdownLinks = Inline,
            &[Mode::Markdown], "Links in the text" {
                flag: "How Markdown writes links",
                tool: "markdown: inline writes [text](url), reference writes [text][1] and each \
                    target once at the end of the page, none writes the text alone.",
            }
        }
        switches {
            /// `markdown`: only the main content; false delivers the whole page without navigation
            /// and footer.
            main_content = true,
            &[Mode::Markdown], "Main content only" {
                flag: "Keep only the main content of the page",
                tool: "markdown: only the main content; set to false for the whole page without \
                    navigation and footer.",
            }
            /// `products`: reuse the learned extraction template of the site.
            use_template_extraction = true,
            &[Mode::Products], "Use learned template" {
                flag: "Reuse a learned per-site template",
            }
            /// `products`: remove the seller's contact details from the description.
            suppress_contact = true,
            &[Mode::Products], "Remove contact details" {
                flag: "Strip the seller's contact details from descriptions",
            }
            /// `products`: deliver prices that the page hides behind a price on request.
            collect_hidden_prices = false,
            &[Mode::Products], "Hidden prices" {
                flag: "Keep prices hidden behind a price-on-request flow",
            }
        }
        counts {}
    }
}

impl PageOptions {
    /// Reads `options`. An option of runs that has no effect on one page is named as such.
    pub(crate) fn of_page(fields: &mut BodyFields<'_>) -> Self {
        for option in Options::FIELDS {
            let is_read = Self::FIELDS.iter().any(|own| own.name() == option.name());
            if !is_read && fields.value(option.name()).is_some() {
                fields.wrong(option.name(), "has no effect on a single page; start a job for it");
            }
        }
        Self::read(fields)
    }
}

impl From<PageOptions> for Options {
    fn from(page: PageOptions) -> Self {
        let PageOptions {
            include_selectors,
            exclude_selectors,
            links,
            main_content,
            use_template_extraction,
            suppress_contact,
            collect_hidden_prices,
        } = page;
        Self {
            include_selectors,
            exclude_selectors,
            links,
            main_content,
            use_template_extraction,
            suppress_contact,
            collect_hidden_prices,
            ..Self::default()
        }
    }
}
