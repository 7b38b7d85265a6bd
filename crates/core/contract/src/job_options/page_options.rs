//! The options of jobs that change how one page is read, for `POST /v1/pages`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{JobOption, OptionKind, Options};
use crate::{BodyFields, MarkdownLinks, Mode};

job_options! {
    /// The options of jobs that change how one page is read.
    pub struct PageOptions in "options" {
        texts {}
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
            links,
            main_content,
            use_template_extraction,
            suppress_contact,
            collect_hidden_prices,
        } = page;
        Self {
            links,
            main_content,
            use_template_extraction,
            suppress_contact,
            collect_hidden_prices,
            ..Self::default()
        }
    }
}
