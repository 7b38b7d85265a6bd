//! Prompts: complete tasks that a user picks from a menu, with instructions for the model.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

/// A prompt for one site.
struct PromptTemplate {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// `{url}` is replaced by the site.
    text: &'static str,
}

const PROMPTS: &[PromptTemplate] = &[
    PromptTemplate {
        name: "crawl_docs_for_retrieval",
        title: "Read a documentation site",
        about: "Fetches the pages of a documentation site as Markdown, to answer questions.",
        text: "Make the documentation at {url} available to me. First call estimate_run with mode \
               markdown and tell me the price. When I agree, call start_run with mode markdown \
               and scope.specific_route true, wait with get_run, and read the results with \
               read_results. Then tell me in a few lines what the pages cover, with their URLs, \
               and answer my questions from them, naming the page each time.",
    },
    PromptTemplate {
        name: "find_broken_links",
        title: "Find broken links",
        about: "Checks every link of a site and lists broken ones with the pages that link to them.",
        text: "Find the broken links of {url}. First call estimate_run with mode links and tell me \
               the price. When I agree, call start_run with mode links, scope.include_broken true \
               and scope.include_external true, wait with get_run, and read the results with \
               read_results and fields url, status_code, broken, error and found_on. List the \
               broken ones in a table: the URL, its status, and the page that links to it.",
    },
    PromptTemplate {
        name: "list_products",
        title: "List the products of a shop",
        about: "Tries a shop with a few products, then fetches all of them into a spreadsheet.",
        text: "Collect the products of {url}. First call estimate_run with mode products and tell \
               me the price. When I agree, call start_run with mode products and \
               options.sample_size 5, wait with get_run, and show me the results. If I want all of \
               them, start a run without the sample, wait for it, and give me the link of \
               export_results with format xlsx.",
    },
];

pub(crate) fn all() -> Vec<Prompt> {
    let described = |template: &PromptTemplate| {
        let url = PromptArgument::new("url")
            .with_description("The site, as an absolute http or https URL.")
            .with_required(true);
        Prompt::new(template.name, Some(template.about), Some(vec![url])).with_title(template.title)
    };
    PROMPTS.iter().map(described).collect()
}

pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let template =
        PROMPTS.iter().find(|template| template.name == request.name).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt {:?}", request.name), None)
        })?;
    let given = request.arguments.as_ref().and_then(|arguments| arguments.get("url"));
    let url = given
        .and_then(|url| url.as_str())
        .ok_or_else(|| ErrorData::invalid_params("the argument url is missing", None))?;
    let text = template.text.replace("{url}", url);
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(template.about))
}
