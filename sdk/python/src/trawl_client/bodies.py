# Generated from the OpenAPI document by scripts/generate-sdk-models. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class BasicAuth(TypedDict):
    """
    User name and password of HTTP basic authentication.
    """

    password: str
    username: str


class ChangeJob(TypedDict):
    """
    The body that changes a job. Omitted members stay unchanged.
    """

    name: NotRequired[str | None]
    """
    A name for lists; an empty text removes it.
    """
    tags: NotRequired[list[str] | None]
    """
    Tags, by which lists are filtered; an empty list removes them.
    """


class CreateMap(TypedDict):
    """
    The body of a map request.
    """

    include_subdomains: NotRequired[bool | None]
    """
    Whether pages of subdomains belong to the site.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of URLs of the answer; 5,000 when omitted.
    """
    search: NotRequired[str | None]
    """
    Only URLs that contain all of these words in the URL or in the title, in any case.
    """
    url: str
    """
    A page of the site, usually its home page.
    """


class ExplainUrl(TypedDict):
    """
    The body that asks for an explanation.
    """

    url: str
    """
    The URL to explain: absolute http or https, or a path of the site.
    """


class External(TypedDict):
    pass


class GetRequestsQuery(TypedDict):
    """
    Query parameters of `get_requests`.
    """

    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """


class GetResultsQuery(TypedDict):
    """
    Query parameters of `get_results`.
    """

    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """
    cursor: NotRequired[str]
    """
    Instead of `page`: `next_cursor` of an earlier answer for the same job and the same filters, unchanged.
    """
    fields: NotRequired[str]
    """
    Only these top-level members of each item, separated by commas. An item then lacks the other members that its schema requires.
    """
    filter: NotRequired[dict[str, str]]
    """
    Only items that meet conditions: `filter[status_code]=404`, `filter[price][gte]=10`. Operators are `eq`, `ne`, `gt`, `gte`, `lt`, `lte` and `exists`; a parameter that is given several times lists alternatives. The columns of each mode are in the documentation of results. Continue with `cursor`.
    """
    q: NotRequired[str]
    """
    Only items that contain this text in one of their text columns, in upper or lower case. Continue with `cursor`.
    """
    follow: NotRequired[bool]
    """
    With `Accept: application/x-ndjson`: whether the stream continues with further items until the job has ended.
    """


class ListDeliveriesQuery(TypedDict):
    """
    Query parameters of `list_deliveries`.
    """

    state: NotRequired[Literal["pending", "delivered", "failed", "superseded", "held"]]
    """
    The state of a delivery.

    - `pending`: It waits for its first or its next attempt.
    - `delivered`: The receiver responded with 2xx.
    - `failed`: Its attempts are exhausted.
    - `superseded`: A newer `job.progress` of the job replaced it before it was delivered.
    - `held`: It waits until the endpoint is active again.
    """
    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """


class ListEventsQuery(TypedDict):
    """
    Query parameters of `list_events`.
    """

    after: NotRequired[str]
    """
    An event of a job or account.
    """
    page_size: NotRequired[int]
    """
    Maximum events of the response.
    """


class ListLedgerQuery(TypedDict):
    """
    Query parameters of `list_ledger`.
    """

    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """
    group: NotRequired[str]
    """
    `job`: one line for all charges of a job.
    """


class ListSchedulesQuery(TypedDict):
    """
    Query parameters of `list_schedules`.
    """

    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """


class MapOptions(TypedDict):
    """
    Members of `CreateMap` besides the URL.
    """

    include_subdomains: NotRequired[bool | None]
    """
    Whether pages of subdomains belong to the site.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of URLs of the answer; 5,000 when omitted.
    """
    search: NotRequired[str | None]
    """
    Only URLs that contain all of these words in the URL or in the title, in any case.
    """


class Options(TypedDict):
    """
    How the run crawls and extracts.
    """

    all_languages: NotRequired[bool | None]
    """
    `products`, `markdown`: deliver every language variant instead of one.
    """
    collect_hidden_prices: NotRequired[bool | None]
    """
    `products`: deliver prices that the page hides behind a price on request.
    """
    concurrency: NotRequired[int | None]
    """
    Requests at a time. A value above the limit of the service has no effect.
    """
    delay_ms: NotRequired[int | None]
    """
    Milliseconds between the starts of two requests, in addition to the politeness of
    the service.
    """
    discovery: NotRequired[bool | None]
    """
    Follow the links of pages.
    """
    exclude_selectors: NotRequired[list[str] | None]
    """
    `markdown`: without the elements that one of these CSS selectors matches, which are
    left out before the main content is chosen.
    """
    include_selectors: NotRequired[list[str] | None]
    """
    `markdown`: only the elements that one of these CSS selectors matches, instead of
    the main content.
    """
    links: NotRequired[Literal["inline", "reference", "none"] | None]
    main_content: NotRequired[bool | None]
    """
    `markdown`: only the main content; false delivers the whole page without navigation
    and footer.
    """
    max_credits: NotRequired[int | None]
    """
    The budget of the job: it never costs more credits than this.
    """
    max_depth: NotRequired[int | None]
    """
    Only pages at most this many clicks from the start page, and those of a sitemap.
    """
    max_pages: NotRequired[int | None]
    """
    Stop after fetching this many pages of the site, delivered or not.
    """
    max_pages_per_folder: NotRequired[int | None]
    """
    At most this many pages of each folder, in the order in which they are found.
    """
    on_max_credits: NotRequired[Literal["end", "pause"] | None]
    preferred_language: NotRequired[str | None]
    """
    Deliver only pages in this language (BCP 47); detected when omitted.
    """
    region_aware: NotRequired[bool | None]
    """
    Distinguish regions of a language, as in `en-GB` and `en-US`.
    """
    sample_size: NotRequired[int | None]
    """
    Stop after this many results, to try a site before paying for all of it.
    """
    sitemap_first: NotRequired[bool | None]
    """
    Start with the URLs of the sitemap instead of following links.
    """
    strict_default_language: NotRequired[bool | None]
    """
    Skip URLs without a language marker on sites that mark languages in URLs.
    """
    suppress_contact: NotRequired[bool | None]
    """
    `products`: remove the seller's contact details from the description.
    """
    use_template_extraction: NotRequired[bool | None]
    """
    `products`: reuse the learned extraction template of the site.
    """


class PageOptions(TypedDict):
    """
    The options of jobs that change how one page is read.
    """

    collect_hidden_prices: NotRequired[bool | None]
    """
    `products`: deliver prices that the page hides behind a price on request.
    """
    exclude_selectors: NotRequired[list[str] | None]
    """
    `markdown`: without the elements that one of these CSS selectors matches, which are
    left out before the main content is chosen.
    """
    include_selectors: NotRequired[list[str] | None]
    """
    `markdown`: only the elements that one of these CSS selectors matches, instead of
    the main content.
    """
    links: NotRequired[Literal["inline", "reference", "none"] | None]
    main_content: NotRequired[bool | None]
    """
    `markdown`: only the main content; false delivers the whole page without navigation
    and footer.
    """
    suppress_contact: NotRequired[bool | None]
    """
    `products`: remove the seller's contact details from the description.
    """
    use_template_extraction: NotRequired[bool | None]
    """
    `products`: reuse the learned extraction template of the site.
    """


class Scope(TypedDict):
    """
    Which URLs belong to the run. All switches are off by default.
    """

    exclude_paths: NotRequired[list[str] | None]
    """
    Without URLs of the site whose path matches one of these patterns, which take
    precedence over `include_paths`.
    """
    include_broken: NotRequired[bool | None]
    """
    Also deliver URLs with a status of 400 or more, or without a response.
    """
    include_external: NotRequired[bool | None]
    """
    Deliver links that leave the site, with their status.
    """
    include_files: NotRequired[bool | None]
    """
    Deliver linked files such as PDF.
    """
    include_images: NotRequired[bool | None]
    """
    Deliver the images of pages.
    """
    include_orphan: NotRequired[bool | None]
    """
    Also deliver pages that no page links to.
    """
    include_paths: NotRequired[list[str] | None]
    """
    Only URLs of the site whose path matches one of these patterns: globs such as
    `/blog/**`, or regular expressions after `re:`. The start page is fetched for its
    links in any case.
    """
    include_query_strings: NotRequired[bool | None]
    """
    `?a=1` variants are distinct URLs.
    """
    include_sitemap: NotRequired[bool | None]
    """
    Also crawl the URLs of the sitemap.
    """
    include_subdomains: NotRequired[bool | None]
    """
    Also the subdomains of the start host.
    """
    one_page: NotRequired[bool | None]
    """
    Only the given URL, without the pages that it links to; redirects are followed.
    """
    specific_route: NotRequired[bool | None]
    """
    Only URLs below the path of the start URL.
    """


class ChangeWebhook(TypedDict):
    """
    The body that changes a webhook endpoint. Omitted members stay unchanged.
    """

    active: NotRequired[bool | None]
    """
    Whether events are sent to the endpoint.
    """
    events: NotRequired[
        list[
            Literal[
                "job.completed",
                "job.failed",
                "job.awaiting_confirmation",
                "job.batch_ready",
                "job.progress",
                "job.aborted",
                "billing.recharge_failed",
            ]
        ]
        | None
    ]
    """
    The events that the endpoint is subscribed to from now on.
    """


class Confirm(TypedDict):
    """
    The body that confirms a waiting job.
    """

    continue_batch: NotRequired[bool | None]
    """
    Continue past a batch boundary instead of accepting the rate of a protected site.
    """
    max_credit_per_unit: NotRequired[int | None]
    max_credits: NotRequired[int | None]


class CreateEstimate(TypedDict):
    """
    The body of an estimate request.
    """

    domain_count: NotRequired[int | None]
    """
    `contacts` only: the number of domains, when the size of the list is known.
    """
    mode: Literal["links", "sitemap", "products", "markdown", "contacts"]
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """
    options: NotRequired[Options | None]
    scope: NotRequired[Scope | None]
    url: NotRequired[str | None]
    """
    The site to price; required unless `domain_count` or `url_count` is given.
    """
    url_count: NotRequired[int | None]
    """
    `links`, `markdown` and `products`: the number of URLs of a list, instead of `url`.
    """


class CreateExport(TypedDict):
    """
    The body that creates an export.
    """

    filter: NotRequired[dict[str, Any] | None]
    """
    Only items that meet conditions, as `filter` of the results: a member `status_code` or
    `price[lt]` with a value, or with a list of alternatives.
    """
    format: Literal[
        "xlsx",
        "csv",
        "json",
        "md",
        "xml",
        "jsonl",
        "parquet",
        "llms_txt",
        "llms_full_txt",
        "warc",
        "wacz",
        "cdxj",
    ]
    """
    The format of an export.

    - `xlsx`: An Excel workbook (OOXML).
    - `csv`: A table with comma-separated values.
    - `json`: A JSON array of the items.
    - `md`: Markdown: a document, or a table.
    - `xml`: A sitemap for `links` and `sitemap`, otherwise XML elements per item.
    - `jsonl`: JSON Lines: one item per line.
    - `parquet`: An Apache Parquet file: a typed table for analysis tools.
    - `llms_txt`: `markdown` only: the file `llms.txt`, a list of links to the pages.
    - `llms_full_txt`: `markdown` only: the file `llms-full.txt` with the texts of all pages.
    - `warc`: Runs with `formats: ["raw_html"]` only: a WARC 1.1 file of the raw pages, compressed by gzip.
    - `wacz`: Runs with `formats: ["raw_html"]` only: a WACZ file: the WARC file with its index and a list of pages, for replay programs.
    - `cdxj`: Runs with `formats: ["raw_html"]` only: the CDXJ index of the `warc` file.
    """
    q: NotRequired[str | None]
    """
    Only items that contain this text in one of their text columns, in upper or lower case.
    """
    table: NotRequired[str | None]
    """
    `csv` and `parquet` only: which table the file holds. `contacts`: `companies` (default) or `people`, a
    row per person; `products`: `products` (default) or `variants`, a row per variant. An
    `xlsx` file holds all of them, each on its sheet.
    """


class CreateWebhook(TypedDict):
    """
    The body that creates a webhook endpoint.
    """

    events: NotRequired[
        list[
            Literal[
                "job.completed",
                "job.failed",
                "job.awaiting_confirmation",
                "job.batch_ready",
                "job.progress",
                "job.aborted",
                "billing.recharge_failed",
            ]
        ]
        | None
    ]
    """
    All events when omitted, including those added later; an explicit list is not extended.
    """
    url: str
    """
    HTTPS URL of the endpoint; private and loopback addresses are rejected.
    """


class GetChangesQuery(TypedDict):
    """
    Query parameters of `get_changes`.
    """

    since: NotRequired[str]
    """
    A job, and the run that executes it.
    """
    kind: NotRequired[Literal["added", "changed", "removed"]]
    """
    How an item differs from the earlier run.

    - `added`: Only the later run has the item.
    - `changed`: Both runs have the item, with different content.
    - `removed`: Only the earlier run has the item.
    """
    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """


class GetSkippedQuery(TypedDict):
    """
    Query parameters of `get_skipped`.
    """

    reason: NotRequired[
        Literal[
            "robots",
            "broken",
            "redirect",
            "same_page",
            "external",
            "subdomain",
            "outside_route",
            "image",
            "file",
            "not_followed",
            "language",
            "not_indexable",
            "foreign_sitemap",
            "sitemap_limit",
            "path_too_deep",
            "repeating_segments",
            "url_too_long",
            "session_id",
            "calendar",
            "facets",
            "pattern_exhausted",
            "duplicate",
            "no_text",
            "no_product",
            "too_complex",
            "frontier_limit",
            "blocked",
            "excluded",
            "depth_limit",
            "folder_limit",
        ]
    ]
    """
    Why a URL was found and not delivered. Commits store the variants up to `Blocked` by their position; the later ones occur in rows of skipped URLs only, which name them.

    - `robots`: robots.txt forbids it.
    - `broken`: The response was 400 or above, or the fetch failed; `include_broken` delivers it.
    - `redirect`: It redirects to another URL, which is processed instead.
    - `same_page`: It is another URL of a page that is delivered.
    - `external`: It belongs to another site; `include_external` delivers it.
    - `subdomain`: It belongs to a subdomain of the start host; `include_subdomains` includes it.
    - `outside_route`: It is outside of the path of the start URL (`specific_route`).
    - `image`: It is an image; `include_images` delivers it.
    - `file`: It is a file, a feed or another document that is not a page; `include_files` delivers it.
    - `not_followed`: Links are not followed in this run (`sitemap_first`, `discovery`, `one_page`).
    - `language`: It is not in the requested language, or is a translation of a delivered page.
    - `not_indexable`: It is not indexable and therefore not part of a sitemap.
    - `foreign_sitemap`: A sitemap on another host.
    - `sitemap_limit`: The limit of sitemap files or of their nesting was reached.
    - `path_too_deep`: The path has too many segments.
    - `repeating_segments`: The path repeats its segments, as nested relative links do.
    - `url_too_long`: The URL is longer than the limit.
    - `session_id`: The path contains a session id.
    - `calendar`: A calendar page outside of the time range, or beyond the limit.
    - `facets`: Another combination of known filters.
    - `pattern_exhausted`: URLs of the same pattern were always duplicates.
    - `duplicate`: The page is delivered already: same canonical URL or same content.
    - `no_text`: The page has no readable text.
    - `no_product`: It is not a product page, but a list, a cart or an article. Its links were followed.
    - `too_complex`: Parsing exceeded the CPU or memory budget of a page.
    - `frontier_limit`: The limit of URLs of a run was reached.
    - `blocked`: The site rejected it (401, 403, 429, 451), or bot protection responded instead of the page; `include_broken` delivers it.
    - `excluded`: It is left out by `include_paths` or `exclude_paths`.
    - `depth_limit`: It is more than `max_depth` clicks from the start page.
    - `folder_limit`: Its folder has `max_pages_per_folder` pages already.
    """
    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """


class JobWebhook(TypedDict):
    """
    Where the events of one job are sent.
    """

    events: NotRequired[
        list[
            Literal[
                "job.completed",
                "job.failed",
                "job.awaiting_confirmation",
                "job.batch_ready",
                "job.progress",
                "job.aborted",
                "billing.recharge_failed",
            ]
        ]
        | None
    ]
    """
    All events of the job when omitted, including those added later; `billing.recharge_failed`
    is no event of a job.
    """
    format: NotRequired[Literal["event", "firecrawl"] | None]
    headers: NotRequired[dict[str, str]]
    """
    Headers of every delivery. Stored encrypted; answers have `(hidden)` instead of the values.
    """
    results: NotRequired[bool]
    """
    A delivery for each result, too. Only in format `firecrawl`.
    """
    secret: NotRequired[str | None]
    """
    The key of the signatures: 32 to 200 printable ASCII characters. Stored encrypted and never
    shown. One is generated when omitted.
    """
    url: str
    """
    HTTPS URL of the receiver; private and loopback addresses are rejected. Format `firecrawl` also
    takes `http` to a network that the operator allows for webhooks.
    """


class ListJobsQuery(TypedDict):
    """
    Query parameters of `list_jobs`.
    """

    page_size: NotRequired[int]
    """
    Maximum items of the page.
    """
    status: NotRequired[
        Literal[
            "queued",
            "running",
            "awaiting_confirmation",
            "paused",
            "completed",
            "failed",
            "aborted",
        ]
    ]
    """
    The status of a job in its life cycle.

    - `queued`: Accepted, waiting for a worker.
    - `running`: A worker executes the job.
    - `awaiting_confirmation`: The site is protected; waits for a confirmation.
    - `paused`: Stopped on a batch boundary or for lack of credits.
    - `completed`: Ended successfully, with results.
    - `failed`: Ended with an error, see `error`.
    - `aborted`: Aborted by the owner of the job.
    """
    mode: NotRequired[Literal["links", "sitemap", "products", "markdown", "contacts"]]
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """
    source: NotRequired[Literal["direct", "mcp", "zapier", "make", "n8n"]]
    """
    Only jobs of this channel.
    """
    schedule: NotRequired[str]
    """
    A schedule that starts jobs.
    """
    q: NotRequired[str]
    """
    Only jobs whose URL or name contains this text, in upper or lower case.
    """
    tag: NotRequired[str]
    """
    Only jobs with this tag.
    """
    sort: NotRequired[Literal["newest", "oldest", "results", "credits"]]
    """
    The order of a list of jobs.

    - `newest`: The newest jobs first.
    - `oldest`: The oldest jobs first.
    - `results`: Those with the most results first.
    - `credits`: Those that used the most credits first.
    """


class PageAction(TypedDict):
    """
    What the browser does in a page before it is read.
    """

    key: NotRequired[str | None]
    """
    Required for `press`, and only there: a character, or the name of a key such as `Enter`,
    `Tab`, `Escape` or `ArrowDown`.
    """
    milliseconds: NotRequired[int | None]
    """
    `wait` only: the time to wait.
    """
    pixels: NotRequired[int | None]
    """
    `scroll` only: a distance, negative upwards.
    """
    selector: NotRequired[str | None]
    """
    A CSS selector. Required for `click`.
    """
    text: NotRequired[str | None]
    """
    Required for `type`, and only there.
    """
    type: Literal["click", "type", "press", "scroll", "wait"]
    """
    The kind of an action.

    - `click`: Clicks the first element that `selector` matches.
    - `type`: Types `text` into the first element that `selector` matches, or into the one that has the focus.
    - `press`: Presses `key` in the element that has the focus.
    - `scroll`: Scrolls to the first element that `selector` matches, by `pixels`, or to the end of the page.
    - `wait`: Waits for the first element that `selector` matches, or for `milliseconds`.
    """


class ReadOptions(TypedDict):
    """
    Members of `ReadPage` besides the URL.
    """

    actions: NotRequired[list[PageAction] | None]
    """
    Executed in this order in every page before it is read. A page is not delivered if
    one fails.
    """
    basic_auth: NotRequired[BasicAuth | None]
    bearer: NotRequired[str | None]
    """
    A bearer token of the requests to the origin of `url`.
    """
    cookies: NotRequired[dict[str, str]]
    """
    Cookies of the requests to the origin of `url`.
    """
    device: NotRequired[Literal["desktop", "mobile"] | None]
    formats: NotRequired[
        list[Literal["item", "metadata", "links", "html", "raw_html", "screenshot"]] | None
    ]
    """
    The parts of the answer. The charge is the same for any of them.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers of the requests to the origin of `url`. Not sent to another origin, also after
    a redirect.
    """
    legal_basis_accepted: NotRequired[bool | None]
    """
    Mode `contacts` only, and mandatory there.
    """
    max_age: NotRequired[int | None]
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    max_credit_per_unit: NotRequired[int | None]
    mode: NotRequired[Literal["links", "sitemap", "products", "markdown", "contacts"] | None]
    on_protected: NotRequired[Literal["auto", "pause", "fail"] | None]
    options: NotRequired[PageOptions | None]
    render: NotRequired[Literal["auto", "always", "never"] | None]
    screenshot_area: NotRequired[Literal["full_page", "viewport"] | None]
    timeout_ms: NotRequired[int | None]
    """
    Maximum time of the answer in milliseconds, waiting for other requests to the same host
    included.
    """
    wait_for: NotRequired[str | int | None]


class ReadPage(TypedDict):
    """
    The body of a request for one page.
    """

    actions: NotRequired[list[PageAction] | None]
    """
    Executed in this order in every page before it is read. A page is not delivered if
    one fails.
    """
    basic_auth: NotRequired[BasicAuth | None]
    bearer: NotRequired[str | None]
    """
    A bearer token of the requests to the origin of `url`.
    """
    cookies: NotRequired[dict[str, str]]
    """
    Cookies of the requests to the origin of `url`.
    """
    device: NotRequired[Literal["desktop", "mobile"] | None]
    formats: NotRequired[
        list[Literal["item", "metadata", "links", "html", "raw_html", "screenshot"]] | None
    ]
    """
    The parts of the answer. The charge is the same for any of them.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers of the requests to the origin of `url`. Not sent to another origin, also after
    a redirect.
    """
    legal_basis_accepted: NotRequired[bool | None]
    """
    Mode `contacts` only, and mandatory there.
    """
    max_age: NotRequired[int | None]
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    max_credit_per_unit: NotRequired[int | None]
    mode: NotRequired[Literal["links", "sitemap", "products", "markdown", "contacts"] | None]
    on_protected: NotRequired[Literal["auto", "pause", "fail"] | None]
    options: NotRequired[PageOptions | None]
    render: NotRequired[Literal["auto", "always", "never"] | None]
    screenshot_area: NotRequired[Literal["full_page", "viewport"] | None]
    timeout_ms: NotRequired[int | None]
    """
    Maximum time of the answer in milliseconds, waiting for other requests to the same host
    included.
    """
    url: str
    """
    The page: absolute http or https URL.
    """
    wait_for: NotRequired[str | int | None]


class SiteLogin(TypedDict):
    """
    Steps in a browser before the first page of a run. The texts that they type are secrets, so that
    `Debug` does not show them.
    """

    actions: list[PageAction]
    """
    Executed in this order.
    """
    url: str
    """
    The page of the login: absolute http or https URL on the site of the run.
    """
    wait_for: NotRequired[str | int | None]


class CreateJob(TypedDict):
    """
    The body that creates a job.
    """

    actions: NotRequired[list[PageAction] | None]
    """
    Executed in this order in every page before it is read. A page is not delivered if
    one fails.
    """
    basic_auth: NotRequired[BasicAuth | None]
    bearer: NotRequired[str | None]
    """
    A bearer token of the requests to the origin of `url`.
    """
    cookies: NotRequired[dict[str, str]]
    """
    Cookies of the requests to the origin of `url`.
    """
    device: NotRequired[Literal["desktop", "mobile"] | None]
    domains: NotRequired[list[str] | None]
    """
    `contacts` only: the domains to process, instead of `url`. Each of at most 2,048 bytes.
    """
    external: NotRequired[External | None]
    formats: NotRequired[list[Literal["html", "raw_html", "screenshot"]] | None]
    """
    The files that are kept of the page of each result, as long as the results. Not in mode
    `contacts`. The charge is the same.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers of the requests to the origin of `url`. Not sent to another origin, also after
    a redirect.
    """
    if_busy: NotRequired[Literal["reject", "queue"] | None]
    legal_basis_accepted: NotRequired[bool | None]
    """
    `contacts` only, and mandatory there.
    """
    list_id: NotRequired[str | None]
    login: NotRequired[SiteLogin | None]
    max_age: NotRequired[int | None]
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    max_credit_per_unit: NotRequired[int | None]
    mode: Literal["links", "sitemap", "products", "markdown", "contacts"]
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """
    on_protected: NotRequired[Literal["auto", "pause", "fail"] | None]
    options: NotRequired[Options | None]
    render: NotRequired[Literal["auto", "always", "never"] | None]
    scope: NotRequired[Scope | None]
    screenshot_area: NotRequired[Literal["full_page", "viewport"] | None]
    url: NotRequired[str | None]
    """
    Start URL: absolute http or https. Required unless `urls`, `list_id` or `domains` is
    given.
    """
    urls: NotRequired[list[str] | None]
    """
    `links`, `markdown` and `products`: the URLs to request, instead of `url`. Each is
    requested once, nothing else is, and each ends as a result or as a skipped URL.
    """
    wait_for: NotRequired[str | int | None]
    webhook: NotRequired[JobWebhook | None]


class CreateSchedule(TypedDict):
    """
    The body that creates a schedule.
    """

    cron: str
    """
    Minute, hour, day, month and weekday, as `0 6 * * MON-FRI`; or `@hourly`, `@daily`,
    `@weekly`, `@monthly`, `@yearly`. At most every five minutes.
    """
    name: NotRequired[str | None]
    """
    Name of the schedule; the host of the request when omitted.
    """
    paused: NotRequired[bool | None]
    """
    Create the schedule paused; false when omitted.
    """
    request: CreateJob
    """
    The job request, as in `POST /v1/jobs`; validated now.
    """
    timezone: NotRequired[str | None]
    """
    A time zone of the IANA database; `UTC` when omitted.
    """


class JobOptions(TypedDict):
    """
    Members of a job request besides its mode and its target.
    """

    actions: NotRequired[list[PageAction] | None]
    """
    Executed in this order in every page before it is read. A page is not delivered if
    one fails.
    """
    basic_auth: NotRequired[BasicAuth | None]
    bearer: NotRequired[str | None]
    """
    A bearer token of the requests to the origin of `url`.
    """
    cookies: NotRequired[dict[str, str]]
    """
    Cookies of the requests to the origin of `url`.
    """
    device: NotRequired[Literal["desktop", "mobile"] | None]
    external: NotRequired[External | None]
    formats: NotRequired[list[Literal["html", "raw_html", "screenshot"]] | None]
    """
    The files that are kept of the page of each result, as long as the results. Not in mode
    `contacts`. The charge is the same.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers of the requests to the origin of `url`. Not sent to another origin, also after
    a redirect.
    """
    if_busy: NotRequired[Literal["reject", "queue"] | None]
    legal_basis_accepted: NotRequired[bool | None]
    """
    `contacts` only, and mandatory there.
    """
    list_id: NotRequired[str | None]
    login: NotRequired[SiteLogin | None]
    max_age: NotRequired[int | None]
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    max_credit_per_unit: NotRequired[int | None]
    on_protected: NotRequired[Literal["auto", "pause", "fail"] | None]
    options: NotRequired[Options | None]
    render: NotRequired[Literal["auto", "always", "never"] | None]
    scope: NotRequired[Scope | None]
    screenshot_area: NotRequired[Literal["full_page", "viewport"] | None]
    wait_for: NotRequired[str | int | None]
    webhook: NotRequired[JobWebhook | None]


class ChangeSchedule(TypedDict):
    """
    The body that changes a schedule. Omitted members stay unchanged.
    """

    cron: NotRequired[str | None]
    name: NotRequired[str | None]
    paused: NotRequired[bool | None]
    """
    False resumes with the next slot; missed slots are not started.
    """
    request: NotRequired[CreateJob | None]
    timezone: NotRequired[str | None]
