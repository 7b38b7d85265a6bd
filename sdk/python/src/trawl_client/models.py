# Generated from the OpenAPI document by scripts/generate-sdk-models. Do not edit.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field
from trawl_client._model import Model, StrEnum


class Alternate(Model):
    """
    A language variant of a page.
    """

    lang: str
    """
    A language tag, or `x-default`.
    """
    url: str


class AuditAction(StrEnum):
    """
    What happened. Names are stable; new ones are added at any time.

    - `account.created`: The account was created.
    - `account.suspended`: The operator suspended the account.
    - `account.resumed`: The operator resumed the account.
    - `account.deleted`: The account and its data were deleted.
    - `session.opened`: A user signed in successfully.
    - `session.refused`: A sign-in failed. Repeated failures are recorded at 1, 2, 4, 8, … attempts.
    - `session.ended`: A session ended: signed out or revoked.
    - `sessions.ended`: All sessions of the account were ended.
    - `password.changed`: The owner changed the password, or the operator set a new one.
    - `key.created`: An API key was created.
    - `key.changed`: The name or the limits of an API key were changed.
    - `key.revoked`: An API key was revoked.
    - `grant.created`: An OAuth application was given access to the account.
    - `grant.changed`: The limits of an OAuth application were changed.
    - `grant.revoked`: The access of an OAuth application was revoked.
    - `credits.granted`: Credits were added by the operator or by a purchase.
    - `job.deleted`: The owner deleted a job and its results.
    - `export.created`: A download link for the results of a job was created.
    - `export.downloaded`: A download link was used.
    - `settings.changed`: A setting of the account was changed.
    - `webhook.created`: A webhook endpoint was created.
    - `webhook.changed`: A webhook endpoint was changed.
    - `webhook.removed`: A webhook endpoint was removed.
    - `schedule.created`: A schedule was created.
    - `schedule.changed`: A schedule was changed, paused or resumed.
    - `schedule.removed`: A schedule was deleted. Its runs stay.
    - `secret_key.rotated`: The operator changed the key that encrypts stored secrets.
    - `erasure.requested`: The erasure of a person or a domain from all stored results was requested.
    - `objection.added`: An opt-out was added: its data is no longer stored.
    - `objection.removed`: An opt-out was removed.
    """

    account_created = "account.created"
    account_suspended = "account.suspended"
    account_resumed = "account.resumed"
    account_deleted = "account.deleted"
    session_opened = "session.opened"
    session_refused = "session.refused"
    session_ended = "session.ended"
    sessions_ended = "sessions.ended"
    password_changed = "password.changed"
    key_created = "key.created"
    key_changed = "key.changed"
    key_revoked = "key.revoked"
    grant_created = "grant.created"
    grant_changed = "grant.changed"
    grant_revoked = "grant.revoked"
    credits_granted = "credits.granted"
    job_deleted = "job.deleted"
    export_created = "export.created"
    export_downloaded = "export.downloaded"
    settings_changed = "settings.changed"
    webhook_created = "webhook.created"
    webhook_changed = "webhook.changed"
    webhook_removed = "webhook.removed"
    schedule_created = "schedule.created"
    schedule_changed = "schedule.changed"
    schedule_removed = "schedule.removed"
    secret_key_rotated = "secret_key.rotated"
    erasure_requested = "erasure.requested"
    objection_added = "objection.added"
    objection_removed = "objection.removed"


class AuditActorKind(StrEnum):
    """
    How the actor was authenticated.

    - `session`: A person with an account session.
    - `api_key`: An API key of the account.
    - `application`: An authorized OAuth application.
    - `operator`: The operator, by the command line or the console.
    - `system`: The service, without a caller.
    - `anonymous`: A client without a valid credential.
    """

    session = "session"
    api_key = "api_key"
    application = "application"
    operator = "operator"
    system = "system"
    anonymous = "anonymous"


class AuditObject(Model):
    """
    The object of an audit entry.
    """

    id: str
    kind: str
    """
    The kind of the object, as `key`, `session` or `job`.
    """


class AuthMethod(StrEnum):
    """
    How a request authenticated.

    - `api_key`: Authenticated by an API key.
    - `oauth`: Authenticated by an OAuth access token.
    """

    api_key = "api_key"
    oauth = "oauth"


class Availability(StrEnum):
    """
    The availability of a product.

    - `in_stock`: Available immediately.
    - `out_of_stock`: Currently not available.
    - `preorder`: Can be ordered before its release.
    - `backorder`: Can be ordered and is delivered later.
    - `discontinued`: No longer produced or sold.
    - `unknown`: The page does not show it.
    """

    in_stock = "in_stock"
    out_of_stock = "out_of_stock"
    preorder = "preorder"
    backorder = "backorder"
    discontinued = "discontinued"
    unknown = "unknown"


class BasicAuth(Model):
    """
    User name and password of HTTP basic authentication.
    """

    password: str
    username: str


class Breadcrumb(Model):
    """
    A level of the breadcrumb navigation.
    """

    name: str
    url: str | None


class ChangeCounts(Model):
    """
    Numbers of items by kind of change.
    """

    added: int
    changed: int
    removed: int
    unchanged: int
    """
    Items without changes.
    """


class ChangeKind(StrEnum):
    """
    How an item differs from the earlier run.

    - `added`: Only the later run has the item.
    - `changed`: Both runs have the item, with different content.
    - `removed`: Only the earlier run has the item.
    """

    added = "added"
    changed = "changed"
    removed = "removed"


class Condition(StrEnum):
    """
    The condition of a product.

    - `new`: A new and unused product.
    - `used`: Used by a previous owner.
    - `refurbished`: A used and restored product.
    """

    new = "new"
    used = "used"
    refurbished = "refurbished"


class ContactMethod(StrEnum):
    """
    The source of a value on a page.

    - `mailto`: A link with the scheme `mailto:`.
    - `tel`: A link with the scheme `tel:`.
    - `jsonld`: Structured data in JSON-LD.
    - `microdata`: Structured data in Microdata or RDFa.
    - `vcard`: A vCard file or hCard markup.
    - `text`: The visible text of a page.
    - `deobfuscated`: An obfuscated e-mail address.
    """

    mailto = "mailto"
    tel = "tel"
    jsonld = "jsonld"
    microdata = "microdata"
    vcard = "vcard"
    text = "text"
    deobfuscated = "deobfuscated"


class ContactSource(Model):
    """
    The page and method that a value was found by.
    """

    method: ContactMethod
    url: str


class ContactStatus(StrEnum):
    """
    The result of a domain.

    - `found`: Contact data and a postal address were found.
    - `partial`: Some contact data was found.
    - `none`: The site has no contact data.
    - `blocked`: Blocked by bot protection or robots.txt.
    - `unreachable`: The site does not respond.
    - `parked`: The domain is parked: for sale, or a default page of its host.
    """

    found = "found"
    partial = "partial"
    none = "none"
    blocked = "blocked"
    unreachable = "unreachable"
    parked = "parked"


class Counts(Model):
    """
    Counters of a run so far.
    """

    pages: int
    """
    Distinct in-scope URLs discovered so far, fetched or not.
    """
    products: int
    """
    Pages classified as products (`products` mode).
    """
    results: int
    """
    Items that the results endpoint can return now.
    """


class Mode1(StrEnum):
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """

    links = "links"
    sitemap = "sitemap"
    products = "products"
    markdown = "markdown"
    contacts = "contacts"
    links_1 = "links"
    sitemap_1 = "sitemap"
    markdown_1 = "markdown"
    products_1 = "products"
    contacts_1 = "contacts"


class CreditLimitAction(StrEnum):
    """
    What happens when `max_credits` of a job is used up.

    - `end`: The job completes with its results.
    - `pause`: The job waits for a confirmation with a higher `max_credits`.
    """

    end = "end"
    pause = "pause"


class DeliveryState(StrEnum):
    """
    The state of a delivery.

    - `pending`: It waits for its first or its next attempt.
    - `delivered`: The receiver responded with 2xx.
    - `failed`: Its attempts are exhausted.
    - `superseded`: A newer `job.progress` of the job replaced it before it was delivered.
    - `held`: It waits until the endpoint is active again.
    """

    pending = "pending"
    delivered = "delivered"
    failed = "failed"
    superseded = "superseded"
    held = "held"


class DiscoveredBy(StrEnum):
    """
    How a URL was discovered.

    - `start`: It is the start URL of the run.
    - `link`: A page of the run links to it.
    - `sitemap`: A sitemap of the site lists it.
    - `hreflang`: An `hreflang` link points to it.
    - `canonical`: A page declares it as its canonical URL.
    - `redirect`: Another URL redirects to it.
    """

    start = "start"
    link = "link"
    sitemap = "sitemap"
    hreflang = "hreflang"
    canonical = "canonical"
    redirect = "redirect"


class ErrorCode(StrEnum):
    """
    The reason in a job's `error`.

    - `server_error`: The site returned only server errors, or this service failed.
    - `provider_down`: The provider of the protected tier is unreachable.
    - `pipeline_bug`: An internal error ended the run.
    - `rate_limited`: The site returned only 429.
    - `invalid_url`: The URL, or an address of its host, must not be crawled.
    - `url_not_resolved`: The host name does not exist.
    - `blacklisted_domain`: The operator does not crawl this domain.
    - `target_blocked`: The site rejected all requests.
    - `no_data`: The run found nothing to deliver.
    - `partial_target_failure`: Completed, but many pages failed or were rejected by the site.
    - `user_stopped`: Aborted by the owner of the job.
    - `sample_stopped`: Stopped after `sample_size` results, `max_pages` pages or at `max_credits`.
    - `js_render_required`: The pages have no content without JavaScript.
    - `login_failed`: The login of the job failed, so that no page was requested.
    - `protected_rate_refused`: The site is protected and `on_protected` is `fail`.
    - `credits_exhausted`: The balance is exhausted.
    - `stale_purged`: The job waited for a confirmation for too long.
    - `schedule_previous_run_in_progress`: The previous run of the schedule was still in progress.
    - `schedule_missed_window`: A scheduled start was missed.
    - `schedule_start_failed`: A scheduled start was rejected.
    - `unknown`: None of the other codes applies.
    """

    server_error = "server_error"
    provider_down = "provider_down"
    pipeline_bug = "pipeline_bug"
    rate_limited = "rate_limited"
    invalid_url = "invalid_url"
    url_not_resolved = "url_not_resolved"
    blacklisted_domain = "blacklisted_domain"
    target_blocked = "target_blocked"
    no_data = "no_data"
    partial_target_failure = "partial_target_failure"
    user_stopped = "user_stopped"
    sample_stopped = "sample_stopped"
    js_render_required = "js_render_required"
    login_failed = "login_failed"
    protected_rate_refused = "protected_rate_refused"
    credits_exhausted = "credits_exhausted"
    stale_purged = "stale_purged"
    schedule_previous_run_in_progress = "schedule_previous_run_in_progress"
    schedule_missed_window = "schedule_missed_window"
    schedule_start_failed = "schedule_start_failed"
    unknown = "unknown"


class EstimatedPrice(Model):
    """
    The units and the price of a run, with their bounds.
    """

    estimated_credits: int | None
    estimated_credits_max: int | None
    estimated_credits_min: int | None
    estimated_pages: int | None
    """
    As `estimated_pages` of the estimate.
    """
    estimated_pages_max: int | None
    estimated_pages_min: int | None


class EventKind(StrEnum):
    """
    The type of an event, as subscriptions name it.

    - `job.completed`: A job ended with results.
    - `job.failed`: A job ended with an error.
    - `job.awaiting_confirmation`: A job waits for the confirm operation.
    - `job.batch_ready`: A job stopped on a batch boundary.
    - `job.progress`: Progress of a running job.
    - `job.aborted`: A job was aborted by its owner.
    - `billing.recharge_failed`: An automatic credit top-up failed.
    """

    job_completed = "job.completed"
    job_failed = "job.failed"
    job_awaiting_confirmation = "job.awaiting_confirmation"
    job_batch_ready = "job.batch_ready"
    job_progress = "job.progress"
    job_aborted = "job.aborted"
    billing_recharge_failed = "billing.recharge_failed"


class ExportFormat(StrEnum):
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

    xlsx = "xlsx"
    csv = "csv"
    json = "json"
    md = "md"
    xml = "xml"
    jsonl = "jsonl"
    parquet = "parquet"
    llms_txt = "llms_txt"
    llms_full_txt = "llms_full_txt"
    warc = "warc"
    wacz = "wacz"
    cdxj = "cdxj"


class External(Model):
    """
    Free-form data of the calling channel, up to 4 KiB.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    __annotations__ = {
        "__pydantic_extra__": dict[str, Any],
    }
    run_id: str | None = None
    """
    The channel's identifier of the run.
    """
    user_id: str | None = None
    """
    The channel's identifier of the user.
    """


class ExtractionMethod(StrEnum):
    """
    How the main content of a page was found.

    - `blocks`: Classification of blocks by the trained model.
    - `densest`: The part with most of the text, because the model kept too little.
    - `visible`: All visible text except navigation.
    - `stated`: Structured data and metadata, because the page shows almost no text.
    - `plain_text`: The page is plain text.
    """

    blocks = "blocks"
    densest = "densest"
    visible = "visible"
    stated = "stated"
    plain_text = "plain_text"


class ExtractionWarning(StrEnum):
    """
    A limitation of the extracted text.

    - `little_text`: Little was found on the page, or little of it was kept.
    - `content_dropped`: The part of the page with the main content has further text that was not kept.
    - `truncated`: The page exceeded a limit; the rest was not read.
    - `table_truncated`: A table was too large and was truncated.
    - `too_deep`: Elements were nested too deeply and were flattened.
    - `bad_encoding`: The bytes are not valid in the declared encoding.
    - `needs_javascript`: The page has no content without JavaScript.
    """

    little_text = "little_text"
    content_dropped = "content_dropped"
    truncated = "truncated"
    table_truncated = "table_truncated"
    too_deep = "too_deep"
    bad_encoding = "bad_encoding"
    needs_javascript = "needs_javascript"


class FailureCause(StrEnum):
    """
    Why a URL, or a whole site, gave no usable response.

    - `dns_failed`: The host name does not exist, or its name servers do not answer.
    - `address_refused`: The host name resolves to an address that may not be crawled.
    - `connection_refused`: The host refuses connections: nothing listens on this port.
    - `connection_failed`: No connection, or it was reset or closed before the response was complete.
    - `tls_failed`: The certificate is invalid, or the TLS handshake failed.
    - `timed_out`: The host did not answer in time, or sent the response too slowly.
    - `too_large`: The body exceeds the size limit of a page.
    - `bad_encoding`: The body cannot be decoded.
    - `redirect_loop`: Redirects loop, or are too many.
    - `robots`: robots.txt forbids it or cannot be read; it was not requested.
    - `blocked`: Bot protection, a rate limit or the denylist of this service.
    - `http_status`: The response has a status of 400 or above.
    - `invalid_http`: The response is no valid HTTP.
    - `too_complex`: Reading it exceeded the CPU or memory budget of a page.
    - `browser_failed`: The browser failed to render the page.
    - `action_failed`: An action of the request could not be executed in the page.
    - `service_unavailable`: This service could not send the request: its provider, browser or network was unavailable.
    - `internal_error`: An internal error of this service.
    """

    dns_failed = "dns_failed"
    address_refused = "address_refused"
    connection_refused = "connection_refused"
    connection_failed = "connection_failed"
    tls_failed = "tls_failed"
    timed_out = "timed_out"
    too_large = "too_large"
    bad_encoding = "bad_encoding"
    redirect_loop = "redirect_loop"
    robots = "robots"
    blocked = "blocked"
    http_status = "http_status"
    invalid_http = "invalid_http"
    too_complex = "too_complex"
    browser_failed = "browser_failed"
    action_failed = "action_failed"
    service_unavailable = "service_unavailable"
    internal_error = "internal_error"


class FetchFault(StrEnum):
    """
    Why a URL gave no usable response.

    - `dns`: The host could not be resolved, or its address must not be crawled.
    - `connect`: No connection, or the connection was lost.
    - `tls`: The certificate or the TLS handshake failed.
    - `timeout`: The request timed out.
    - `too_large`: The body exceeded the size limit.
    - `bad_encoding`: The body could not be decoded.
    - `redirect_loop`: Redirects loop or are too many.
    - `robots`: robots.txt forbids it; it was not requested.
    - `blocked`: Bot protection responded instead of the page.
    - `http`: The response was not valid HTTP.
    - `too_complex`: Parsing exceeded the CPU or memory budget of a page.
    """

    dns = "dns"
    connect = "connect"
    tls = "tls"
    timeout = "timeout"
    too_large = "too_large"
    bad_encoding = "bad_encoding"
    redirect_loop = "redirect_loop"
    robots = "robots"
    blocked = "blocked"
    http = "http"
    too_complex = "too_complex"


class FieldError(Model):
    """
    The error of one field or parameter.
    """

    field: str
    """
    Its path, as `scope.one_page` or `domains[3]`.
    """
    message: str


class GtinType(StrEnum):
    """
    The kind of a GTIN by its length.

    - `gtin8`: Eight digits: an EAN-8.
    - `gtin12`: Twelve digits: a UPC-A.
    - `gtin13`: Thirteen digits: an EAN.
    - `gtin14`: Fourteen digits: a trade unit.
    """

    gtin8 = "gtin8"
    gtin12 = "gtin12"
    gtin13 = "gtin13"
    gtin14 = "gtin14"


class Heading(Model):
    """
    A heading of the extracted text.
    """

    anchor: str | None
    """
    The URL fragment of the heading on the page.
    """
    level: int
    """
    From 1 to 6, as in the text.
    """
    text: str


class IfBusy(StrEnum):
    """
    What to do when the account has another run on the same site.

    - `reject`: The request is refused with 409.
    - `queue`: The job waits until the site is free, in the order of the requests.
    """

    reject = "reject"
    queue = "queue"


class IndexReason(StrEnum):
    """
    Why a page is not indexable.

    - `noindex`: The page has a `noindex` directive.
    - `canonical`: Its canonical URL is another.
    - `robots`: robots.txt forbids it.
    - `status`: The status was not 200.
    """

    noindex = "noindex"
    canonical = "canonical"
    robots = "robots"
    status = "status"


class JobError(Model):
    """
    Why a run failed or stopped.
    """

    cause: FailureCause | None = None
    code: ErrorCode
    message: str


class JobFiles(Model):
    """
    What a run has kept of its pages, because its request has `formats`.
    """

    not_kept: int
    """
    Number of files that are not kept because of this limit.
    """
    stored_bytes: int
    """
    Bytes of all files as stored; at most `job_file_bytes` of the limits of the account.
    """


class KeyPrefix(StrEnum):
    """
    The prefix of the secret of a key.

    - `key_live`: A key for production use.
    - `key_test`: A key for tests; it uses the same balance.
    """

    key_live = "key_live"
    key_test = "key_test"


class LedgerKind(StrEnum):
    """
    Why a balance changed.

    - `grant`: Credits were granted or bought.
    - `debit`: Results of a job, or a page that was read at once, were charged.
    """

    grant = "grant"
    debit = "debit"


class Limits(Model):
    """
    The limits of the account in force.
    """

    account_requests_per_minute: int
    """
    Requests of all keys, applications and sessions of the account together.
    """
    batch_size: int
    domains_per_job: int
    export_url_seconds: int
    job_file_bytes: int
    """
    Bytes of the files that a job with `formats` keeps, as stored.
    """
    keys: int
    listeners: int
    """
    Concurrent progress streams.
    """
    page_size_max: int
    queued_jobs: int
    request_burst: int
    requests_per_minute: int
    """
    Requests of one key, application or session.
    """
    results_days: int
    running_jobs: int
    webhooks: int


class LinkType(StrEnum):
    """
    The kind of document at a URL.

    - `page`: An HTML or XHTML page.
    - `image`: An image of any format.
    - `file`: A document or another download.
    - `feed`: A feed in RSS or Atom.
    - `sitemap`: A sitemap or sitemap index.
    - `other`: Another kind of document.
    """

    page = "page"
    image = "image"
    file = "file"
    feed = "feed"
    sitemap = "sitemap"
    other = "other"


class MailboxType(StrEnum):
    """
    The kind of a mailbox.

    - `role`: A role mailbox, as info, sales or press.
    - `personal`: The mailbox of a person.
    """

    role = "role"
    personal = "personal"


class MapGap(StrEnum):
    """
    Why a map may lack URLs of the site.

    - `unreachable`: The start page could not be read; `unreachable` says why.
    - `time`: The time was over before everything was read.
    - `limit`: More URLs match than `limit` allows, or more were found than the service keeps.
    - `unread_pages`: Pages that no sitemap lists were not read: their links are unknown.
    """

    unreachable = "unreachable"
    time = "time"
    limit = "limit"
    unread_pages = "unread_pages"


class MapSource(StrEnum):
    """
    How a URL of a map was found.

    - `start`: It is the requested URL.
    - `sitemap`: A sitemap of the site lists it.
    - `feed`: A feed of the site lists it.
    - `link`: The start page or a page that it links to has a link to it.
    """

    start = "start"
    sitemap = "sitemap"
    feed = "feed"
    link = "link"


class MappedUrl(Model):
    """
    A URL of a site with its title.
    """

    source: MapSource
    title: str | None
    """
    The title of the page if it was read, otherwise the text of a link to it.
    """
    url: str


class MarkdownLinks(StrEnum):
    """
    How Markdown writes the links of a page.

    - `inline`: The target after the text of each link: `[text](url)`.
    - `reference`: A number after the text, and each target once at the end of the page: `[text][1]`.
    - `none`: The text of links without their targets.
    """

    inline = "inline"
    reference = "reference"
    none = "none"


class Mode(StrEnum):
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """

    links = "links"
    sitemap = "sitemap"
    products = "products"
    markdown = "markdown"
    contacts = "contacts"


class OauthScope(StrEnum):
    """
    A right that an application can be granted.

    - `jobs:read`: Read jobs, their results and their progress, and request estimates.
    - `jobs:write`: Start, confirm and abort jobs, and export their results.
    - `account:read`: Read the balance, the limits and the usage.
    - `webhooks:read`: Read webhook endpoints, their deliveries and the events.
    - `webhooks:write`: Create, change, test and delete webhook endpoints.
    """

    jobs_read = "jobs:read"
    jobs_write = "jobs:write"
    account_read = "account:read"
    webhooks_read = "webhooks:read"
    webhooks_write = "webhooks:write"


class OnProtected(StrEnum):
    """
    What to do when the site turns out to be bot-protected.

    - `auto`: Continue if the rate is at most `max_credit_per_unit`.
    - `pause`: Wait for a confirmation.
    - `fail`: End the run with an error.
    """

    auto = "auto"
    pause = "pause"
    fail = "fail"


class Options(Model):
    """
    How the run crawls and extracts.
    """

    all_languages: bool | None = False
    """
    `products`, `markdown`: deliver every language variant instead of one.
    """
    collect_hidden_prices: bool | None = False
    """
    `products`: deliver prices that the page hides behind a price on request.
    """
    concurrency: int | None = None
    """
    Requests at a time. A value above the limit of the service has no effect.
    """
    delay_ms: int | None = None
    """
    Milliseconds between the starts of two requests, in addition to the politeness of
    the service.
    """
    discovery: bool | None = True
    """
    Follow the links of pages.
    """
    exclude_selectors: list[str] | None = []
    """
    `markdown`: without the elements that one of these CSS selectors matches, which are
    left out before the main content is chosen.
    """
    include_selectors: list[str] | None = []
    """
    `markdown`: only the elements that one of these CSS selectors matches, instead of
    the main content.
    """
    links: MarkdownLinks | None = MarkdownLinks.inline
    main_content: bool | None = True
    """
    `markdown`: only the main content; false delivers the whole page without navigation
    and footer.
    """
    max_credits: int | None = None
    """
    The budget of the job: it never costs more credits than this.
    """
    max_depth: int | None = None
    """
    Only pages at most this many clicks from the start page, and those of a sitemap.
    """
    max_pages: int | None = None
    """
    Stop after fetching this many pages of the site, delivered or not.
    """
    max_pages_per_folder: int | None = None
    """
    At most this many pages of each folder, in the order in which they are found.
    """
    on_max_credits: CreditLimitAction | None = CreditLimitAction.end
    preferred_language: str | None = None
    """
    Deliver only pages in this language (BCP 47); detected when omitted.
    """
    region_aware: bool | None = False
    """
    Distinguish regions of a language, as in `en-GB` and `en-US`.
    """
    sample_size: int | None = None
    """
    Stop after this many results, to try a site before paying for all of it.
    """
    sitemap_first: bool | None = False
    """
    Start with the URLs of the sitemap instead of following links.
    """
    strict_default_language: bool | None = False
    """
    Skip URLs without a language marker on sites that mark languages in URLs.
    """
    suppress_contact: bool | None = True
    """
    `products`: remove the seller's contact details from the description.
    """
    use_template_extraction: bool | None = True
    """
    `products`: reuse the learned extraction template of the site.
    """


class OtherEventData(Model):
    """
    Data of `webhook.test`, and of events that this version does not know.
    """


class PageActionType(StrEnum):
    """
    The kind of an action.

    - `click`: Clicks the first element that `selector` matches.
    - `type`: Types `text` into the first element that `selector` matches, or into the one that has the focus.
    - `press`: Presses `key` in the element that has the focus.
    - `scroll`: Scrolls to the first element that `selector` matches, by `pixels`, or to the end of the page.
    - `wait`: Waits for the first element that `selector` matches, or for `milliseconds`.
    """

    click = "click"
    type = "type"
    press = "press"
    scroll = "scroll"
    wait = "wait"


class PageDevice(StrEnum):
    """
    The screen on which a browser renders pages.

    - `desktop`: A window of 1,280 × 1,024 pixels.
    - `mobile`: The screen of a phone with touch, 390 × 844 pixels. The `User-Agent` stays the same.
    """

    desktop = "desktop"
    mobile = "mobile"


class PageFile(Model):
    """
    A file of a page, behind a signed link that needs no credential.
    """

    bytes: int
    content_type: str
    expires_at: AwareDatetime
    """
    The link works until then.
    """
    url: str


class PageFileFormat(StrEnum):
    """
    A file that can be kept of a page.

    - `html`: The page after rendering, without scripts and with absolute URLs.
    - `raw_html`: The response of the site as received, or the document as rendered.
    - `screenshot`: A picture of the page.
    """

    html = "html"
    raw_html = "raw_html"
    screenshot = "screenshot"


class PageMetadata(Model):
    """
    The values that every page has, independent of the mode.
    """

    canonical_url: str | None
    content_type: str | None
    description: str | None
    final_url: str
    """
    The URL after redirects.
    """
    h1: str | None
    """
    The first heading of level 1.
    """
    language: str | None
    """
    The declared language, as the page writes it.
    """
    last_modified: AwareDatetime | None
    nofollow: bool
    """
    A robots directive asks not to follow its links.
    """
    noindex: bool
    """
    A robots directive asks not to index the page.
    """
    rendered: bool
    """
    Whether a browser rendered the page.
    """
    response_ms: int
    size_bytes: int
    """
    Bytes of the response body.
    """
    status_code: int
    title: str | None
    word_count: int
    """
    Words of the visible text.
    """


class PageOutlink(Model):
    """
    A link of a page that was read at once.
    """

    nofollow: bool
    """
    Whether all links to it have `nofollow`.
    """
    text: str
    """
    The text of the first link to it; empty when it has none.
    """
    url: str
    """
    The target in its normalised form.
    """


class PersonContextKind(StrEnum):
    """
    What presents a person as one of the company.

    - `structured_data`: Structured data, a vCard or hCard markup.
    - `legal_notice`: A label of a legal notice, as "Managing director:".
    - `label`: Another label before the name, as "Your contact:" or "Editor:".
    - `team`: A card or row on a page, under a heading or in an element about the team.
    - `author_box`: A box about an author.
    - `card`: A card or row elsewhere.
    - `sentence`: A sentence that states the position of the person.
    - `mailbox`: A mailbox with the name of the person beside it.
    """

    structured_data = "structured_data"
    legal_notice = "legal_notice"
    label = "label"
    team = "team"
    author_box = "author_box"
    card = "card"
    sentence = "sentence"
    mailbox = "mailbox"


class PersonProfile(Model):
    """
    A profile of a person on a network.
    """

    network: str
    """
    Name of the network, as `linkedin`.
    """
    url: str


class PersonSource(Model):
    """
    The page, method and context that a person was found by.
    """

    context: PersonContextKind | None
    method: ContactMethod
    url: str


class PhoneType(StrEnum):
    """
    The kind of a phone number.

    - `voice`: A number for voice calls.
    - `fax`: A number for fax messages.
    - `mobile`: The number of a mobile phone.
    - `unknown`: The page does not show the kind.
    """

    voice = "voice"
    fax = "fax"
    mobile = "mobile"
    unknown = "unknown"


class PriceType(StrEnum):
    """
    How the price is to be read.

    - `exact`: The price of the product.
    - `from`: The lowest of several prices ("from").
    - `range`: The lower end of a price range.
    - `on_request`: The price is given on request.
    - `hidden`: Price on request, but the price was found in the data of the page.
    - `none`: The page shows no price.
    """

    exact = "exact"
    from_ = "from"
    range = "range"
    on_request = "on_request"
    hidden = "hidden"
    none = "none"


class ProblemCode(StrEnum):
    """
    The stable code of an error response.

    - `invalid_json`: The body is not valid JSON.
    - `unauthorized`: The credential is missing, unknown or revoked.
    - `insufficient_credits`: The balance does not cover the job.
    - `forbidden`: The credential does not carry the scope that the route needs.
    - `account_suspended`: The account is suspended: its credentials are refused until it is resumed.
    - `not_found`: The object does not exist, or belongs to another account.
    - `method_not_allowed`: The path does not support this method.
    - `gone`: The download link has expired or was already used.
    - `conflict`: The request conflicts with the current state.
    - `awaiting_confirmation`: A job for this site waits for the confirm operation.
    - `idempotency_in_progress`: A request with the same `Idempotency-Key` is still in progress.
    - `idempotency_key_reused`: The `Idempotency-Key` was used for another body.
    - `payload_too_large`: The body is larger than 1 MiB.
    - `unsupported_media_type`: The `Content-Type` of the body is not JSON.
    - `validation_failed`: A field or parameter is invalid; `errors` lists each.
    - `url_not_resolved`: The host name does not exist.
    - `legal_basis_required`: `contacts` without `legal_basis_accepted`.
    - `page_skipped`: The page is not delivered by the rules of the service or of the site.
    - `page_protected`: The page is behind bot protection, and the request does not accept the rate.
    - `page_failed`: The site did not deliver the page.
    - `action_failed`: An action of the request could not be executed in the page.
    - `page_timeout`: The page was not read within the time of the request.
    - `rate_limited`: Too many requests or jobs.
    - `request_timeout`: The request took too long to arrive.
    - `server_error`: Internal error; the log has the cause under the request id.
    - `unavailable`: The database is unavailable; retry after `Retry-After`.
    """

    invalid_json = "invalid_json"
    unauthorized = "unauthorized"
    insufficient_credits = "insufficient_credits"
    forbidden = "forbidden"
    account_suspended = "account_suspended"
    not_found = "not_found"
    method_not_allowed = "method_not_allowed"
    gone = "gone"
    conflict = "conflict"
    awaiting_confirmation = "awaiting_confirmation"
    idempotency_in_progress = "idempotency_in_progress"
    idempotency_key_reused = "idempotency_key_reused"
    payload_too_large = "payload_too_large"
    unsupported_media_type = "unsupported_media_type"
    validation_failed = "validation_failed"
    url_not_resolved = "url_not_resolved"
    legal_basis_required = "legal_basis_required"
    page_skipped = "page_skipped"
    page_protected = "page_protected"
    page_failed = "page_failed"
    action_failed = "action_failed"
    page_timeout = "page_timeout"
    rate_limited = "rate_limited"
    request_timeout = "request_timeout"
    server_error = "server_error"
    unavailable = "unavailable"


class ProductAttribute(Model):
    """
    A row of a specification table.
    """

    name: str
    value: str


class ProductImage(Model):
    """
    An image of the product.
    """

    alt: str | None
    url: str


class ProductSource(StrEnum):
    """
    The source of a value.

    - `jsonld`: Structured data in JSON-LD.
    - `microdata`: Structured data in Microdata.
    - `rdfa`: Structured data in RDFa.
    - `state`: The embedded data of the page's scripts.
    - `meta`: Meta elements of the head.
    - `template`: The learned extraction template of the site.
    - `dom`: The visible text of the page.
    """

    jsonld = "jsonld"
    microdata = "microdata"
    rdfa = "rdfa"
    state = "state"
    meta = "meta"
    template = "template"
    dom = "dom"


class Rating(Model):
    """
    The average rating by customers.
    """

    best: float
    """
    The best possible rating.
    """
    count: int
    value: float


class RedirectHop(Model):
    """
    One hop of a redirect chain.
    """

    status: int
    url: str


class RenderChoice(StrEnum):
    """
    Whether a browser renders the page.

    - `auto`: If the page is empty without JavaScript.
    - `always`: Every page, whatever it contains.
    - `never`: The response of the site is read as it is.
    """

    auto = "auto"
    always = "always"
    never = "never"


class RequestLogLine(Model):
    """
    A request of a run with its outcome.
    """

    at: AwareDatetime
    """
    When the response was complete, or the request had failed.
    """
    cause: FailureCause | None
    response_ms: int | None
    size_bytes: int | None
    status_code: int | None
    """
    Null if there was no response.
    """
    url: str


class RequestLogPage(Model):
    """
    A page of the requests of a run, newest first.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[RequestLogLine]
    job_id: str
    """
    A job, and the run that executes it.
    """
    page: int
    page_size: int
    total: int
    """
    Number of requests that are kept: the newest ones.
    """


class RobotsDirective(StrEnum):
    """
    A robots directive of a page, by meta element or header.

    - `noindex`: The page must not be indexed.
    - `nofollow`: Its links must not be followed.
    """

    noindex = "noindex"
    nofollow = "nofollow"


class Scope(Model):
    """
    Which URLs belong to the run. All switches are off by default.
    """

    exclude_paths: list[str] | None = []
    """
    Without URLs of the site whose path matches one of these patterns, which take
    precedence over `include_paths`.
    """
    include_broken: bool | None = False
    """
    Also deliver URLs with a status of 400 or more, or without a response.
    """
    include_external: bool | None = False
    """
    Deliver links that leave the site, with their status.
    """
    include_files: bool | None = False
    """
    Deliver linked files such as PDF.
    """
    include_images: bool | None = False
    """
    Deliver the images of pages.
    """
    include_orphan: bool | None = False
    """
    Also deliver pages that no page links to.
    """
    include_paths: list[str] | None = []
    """
    Only URLs of the site whose path matches one of these patterns: globs such as
    `/blog/**`, or regular expressions after `re:`. The start page is fetched for its
    links in any case.
    """
    include_query_strings: bool | None = False
    """
    `?a=1` variants are distinct URLs.
    """
    include_sitemap: bool | None = False
    """
    Also crawl the URLs of the sitemap.
    """
    include_subdomains: bool | None = False
    """
    Also the subdomains of the start host.
    """
    one_page: bool | None = False
    """
    Only the given URL, without the pages that it links to; redirects are followed.
    """
    specific_route: bool | None = False
    """
    Only URLs below the path of the start URL.
    """


class ScreenshotArea(StrEnum):
    """
    The part of a page that its picture shows.

    - `full_page`: The whole page, up to 12,000 pixels of its height.
    - `viewport`: What a visitor sees without scrolling.
    """

    full_page = "full_page"
    viewport = "viewport"


class Seller(Model):
    """
    The seller of a product.
    """

    name: str
    url: str | None


class Seniority(StrEnum):
    """
    The seniority of a person, by the job title.

    - `executive`: Executives of the company.
    - `head`: Heads of departments or teams.
    - `staff`: All other people of the company.
    """

    executive = "executive"
    head = "head"
    staff = "staff"


class SkipReason(StrEnum):
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

    robots = "robots"
    broken = "broken"
    redirect = "redirect"
    same_page = "same_page"
    external = "external"
    subdomain = "subdomain"
    outside_route = "outside_route"
    image = "image"
    file = "file"
    not_followed = "not_followed"
    language = "language"
    not_indexable = "not_indexable"
    foreign_sitemap = "foreign_sitemap"
    sitemap_limit = "sitemap_limit"
    path_too_deep = "path_too_deep"
    repeating_segments = "repeating_segments"
    url_too_long = "url_too_long"
    session_id = "session_id"
    calendar = "calendar"
    facets = "facets"
    pattern_exhausted = "pattern_exhausted"
    duplicate = "duplicate"
    no_text = "no_text"
    no_product = "no_product"
    too_complex = "too_complex"
    frontier_limit = "frontier_limit"
    blocked = "blocked"
    excluded = "excluded"
    depth_limit = "depth_limit"
    folder_limit = "folder_limit"


class Status(StrEnum):
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

    queued = "queued"
    running = "running"
    awaiting_confirmation = "awaiting_confirmation"
    paused = "paused"
    completed = "completed"
    failed = "failed"
    aborted = "aborted"


class TextImage(Model):
    """
    An image in the extracted text.
    """

    alt: str | None
    url: str


class TextLink(Model):
    """
    A link in the extracted text.
    """

    text: str
    url: str


class Unreachable(StrEnum):
    """
    Why the start page could not be read.

    - `robots`: robots.txt forbids it.
    - `forbidden`: The response was 401, 403, 407 or 451.
    - `not_found`: The response was 404 or 410.
    - `rate_limited`: The response was 429, too many requests.
    - `server_error`: The response was 500 or above.
    - `http`: The response was another status of 400 or above.
    - `connect`: No connection: refused, reset, or no response of the name servers.
    - `tls`: The certificate or the handshake failed.
    - `timeout`: No response before the timeout.
    - `redirect`: Redirects loop, are too many, or lead to a URL that must not be crawled.
    - `no_protected_tier`: It is behind bot protection, and this service has no protected tier.
    """

    robots = "robots"
    forbidden = "forbidden"
    not_found = "not_found"
    rate_limited = "rate_limited"
    server_error = "server_error"
    http = "http"
    connect = "connect"
    tls = "tls"
    timeout = "timeout"
    redirect = "redirect"
    no_protected_tier = "no_protected_tier"


class UploadedList(Model):
    """
    An uploaded list of URLs.
    """

    created_at: AwareDatetime
    expires_at: AwareDatetime
    """
    Until then, jobs can be started over the list.
    """
    list_id: str
    """
    An uploaded list of URLs.
    """
    url_count: int
    """
    Number of URLs; equal ones after normalisation count once.
    """


class UrlDisposition(StrEnum):
    """
    What became of a URL in a run.

    - `delivered`: It is one of the results.
    - `skipped`: It was found and is not a result: `reason` says why.
    - `pending`: It was found and is not finished: the run goes on, waits or has stopped before it.
    - `never_found`: No page, sitemap or redirect that the run read leads to it.
    - `unknown`: The stored data of the run is too large or too old to be searched.
    """

    delivered = "delivered"
    skipped = "skipped"
    pending = "pending"
    never_found = "never_found"
    unknown = "unknown"


class UrlMap(Model):
    """
    The URLs of a site that could be found in a few seconds.
    """

    complete: bool
    """
    Whether these are all URLs that sitemaps, feeds and links of read pages show. A job with
    mode `links` finds the others.
    """
    gaps: list[MapGap]
    """
    Why the map is not complete; empty if it is.
    """
    unreachable: Unreachable | None
    url: str
    """
    The requested URL in its normalised form.
    """
    urls: list[MappedUrl]
    """
    The URLs in the order in which they were found.
    """


class UrlRule(StrEnum):
    """
    A rule that decides whether a run fetches a URL.

    - `scope`: The site, its subdomains and the path of the start URL (`scope`).
    - `filter`: `include_paths` and `exclude_paths`.
    - `depth`: The limit `max_depth`, in clicks.
    - `folder`: `max_pages_per_folder`.
    - `trap`: Protection against URLs without end: calendars, facets, growing paths.
    - `robots`: robots.txt of the site, as the run read it.
    """

    scope = "scope"
    filter = "filter"
    depth = "depth"
    folder = "folder"
    trap = "trap"
    robots = "robots"


class UsageGroup(StrEnum):
    """
    Grouping of the usage report.

    - `source`: The channel of the key that started the run.
    - `mode`: The mode of the jobs and pages in this row.
    - `day`: The day (UTC) on which the credits were spent.
    """

    source = "source"
    mode = "mode"
    day = "day"


class UsageRow(Model):
    """
    One group of the usage report.
    """

    credits: int
    """
    An amount of credits. Arithmetic is checked and never wraps.
    """
    group: str | None
    """
    The source, mode or day; null in the total.
    """
    jobs: int
    """
    Jobs that spent credits.
    """
    pages: int | None = None
    """
    Pages that were read at once and charged.
    """
    units: int
    """
    A number of charged units: URLs, pages, products or domains.
    """


class WebhookFormat(StrEnum):
    """
    The form of the deliveries of a webhook.

    - `event`: Events in the form of this API, as endpoints of the account get them.
    - `firecrawl`: Events of Firecrawl: the start, one document for each result, and the end, in this order.
    """

    event = "event"
    firecrawl = "firecrawl"


class AccountEventData(Model):
    """
    An account, in events without a job.
    """

    account: str
    """
    An account, the owner of jobs and credits.
    """
    reason: str
    """
    The cause as a sentence.
    """


class AuditActor(Model):
    """
    The actor of an audit entry.
    """

    id: str | None
    """
    The id of the account, key or application; null if there is none.
    """
    kind: AuditActorKind


class AuditEntry(Model):
    """
    An entry of the audit log. Entries are never changed.
    """

    account_id: str | None
    action: AuditAction
    actor: AuditActor
    address: str | None
    """
    The client address of the request; null for actions from inside the service.
    """
    at: AwareDatetime
    details: dict[str, Any]
    """
    Details of the action, never secrets. Members depend on the action.
    """
    id: str
    """
    An entry of the audit log.
    """
    object: AuditObject | None
    request_id: str | None


class AuditPage(Model):
    """
    A page of the audit log, newest first.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[AuditEntry]
    page: int
    page_size: int


class AutoTopUp(Model):
    """
    The settings of automatic purchases, and the result of the last one.
    """

    amount: int | None
    enabled: bool
    last_error: str | None
    """
    Why the last purchase failed or its result is unknown; null after a success.
    """
    last_recharge_at: AwareDatetime | None
    monthly_credits: int | None
    threshold: int | None


class ContactAddress(Model):
    """
    A postal address of the company.
    """

    city: str | None
    country: str | None
    """
    ISO 3166-1, two letters, where the site names the country.
    """
    postal_code: str | None
    raw: str
    """
    The lines of the address, joined by commas.
    """
    region: str | None
    sources: list[ContactSource]
    street: str | None


class ContactCompany(Model):
    """
    The company of a domain.
    """

    description: str | None
    founded: str | None
    """
    A year, or a date where the site gives one.
    """
    legal_form: str | None
    """
    As `GmbH` or `S.r.l.`.
    """
    legal_name: str | None
    logo_url: str | None
    name: str | None
    """
    The trading name of the company.
    """
    register_: Annotated[str | None, Field(alias="register")]
    """
    The register court or authority, as the site names it.
    """
    registration_number: str | None
    sources: list[ContactSource]
    vat_id: str | None
    """
    With a right check digit.
    """


class ContactEmail(Model):
    """
    An e-mail address of the company.
    """

    label: str | None
    """
    What it is for, where the site says so.
    """
    sources: list[ContactSource]
    type: MailboxType
    value: str


class ContactPerson(Model):
    """
    A person of the company.
    """

    confidence: float
    """
    Confidence from 0 to 1.
    """
    department: str | None
    emails: list[str]
    first_name: str | None
    honorific: str | None
    last_name: str | None
    legal_representative: bool
    """
    Whether the site names the person as a legal representative of the company.
    """
    name: str
    """
    The name without the honorific.
    """
    phones: list[str]
    """
    In E.164 if the country is known, otherwise as written on the site.
    """
    profiles: list[PersonProfile]
    seniority: Seniority | None
    sources: list[PersonSource]
    title: str | None
    """
    The job title as written on the site.
    """


class ContactPhone(Model):
    """
    A phone number of the company.
    """

    e164: str | None
    """
    The number in E.164; null if its country is unknown.
    """
    raw: str
    """
    The number as written on the site.
    """
    sources: list[ContactSource]
    type: PhoneType


class ContactSocial(Model):
    """
    A profile of the company on a network.
    """

    network: str
    """
    Name of the network, as `linkedin`.
    """
    sources: list[ContactSource]
    url: str


class CredentialLimits(Model):
    """
    The limits of a key or of a connected application, and what it has spent. Without limits, the
    credential has all rights of the account.
    """

    credits_today: int
    """
    Credits that its jobs have spent today (UTC).
    """
    credits_used: int
    """
    Credits that its jobs have spent in total.
    """
    daily_credits: int | None
    expires_at: AwareDatetime | None
    modes: list[Mode]
    """
    The modes it may start jobs in; empty for every mode.
    """
    networks: list[str]
    """
    The networks it may be used from, in CIDR notation; empty for every network.
    """
    total_credits: int | None


class DeliveryAttempt(Model):
    """
    One attempt at a delivery.
    """

    at: AwareDatetime
    """
    Start time of the attempt.
    """
    duration_ms: int
    error: str | None
    """
    Why the attempt failed; null after a success.
    """
    status_code: int | None
    """
    The response status of the receiver; null without a complete response.
    """


class Estimate(Model):
    """
    An estimate. No job was started and nothing was spent.
    """

    cause: FailureCause | None
    credit_per_1000: int
    """
    An amount of credits. Arithmetic is checked and never wraps.
    """
    credit_per_unit: int
    """
    Credits per URL, page, product or domain.
    """
    credits_available: int
    """
    The current balance of the account.
    """
    estimated_credits: int | None
    estimated_credits_max: int | None
    estimated_credits_min: int | None
    estimated_pages: int | None
    """
    The number of units (URLs, pages or products) that the run would deliver; null if it cannot
    be determined cheaply.
    """
    estimated_pages_max: int | None
    """
    The most that the run would deliver; null if there is no bound.
    """
    estimated_pages_min: int | None
    """
    The least that the run would deliver. Equal to `estimated_pages_max` if the number is known.
    """
    mode: Mode
    protected: bool
    """
    True when the site is behind bot protection, which raises the rate.
    """
    protected_marker: str | None
    """
    The marker that identified the protection.
    """
    reachable: bool | None
    """
    Whether the start page can be read; null without a URL.
    """
    reason: Unreachable | None
    requires_protected_tier: bool
    """
    True when the run needs the protected tier.
    """
    under_path: EstimatedPrice | None
    url: str
    """
    The site; empty when only `domain_count` or `url_count` was given.
    """
    whole_site: EstimatedPrice | None


class Export(Model):
    """
    A download link for one download.
    """

    expires_at: AwareDatetime
    format: ExportFormat
    url: str
    """
    Signed URL for one download; it contains no API key, so that it can be passed on.
    """


class Extraction(Model):
    """
    How the text was extracted.
    """

    kept_ratio: float
    """
    Ratio of kept to visible words, from 0 to 1.
    """
    method: ExtractionMethod
    warnings: list[ExtractionWarning]


class FailedAction(Model):
    """
    The action of a job that could not be executed in a page.
    """

    action: int
    """
    The position of the action, from 0.
    """
    message: str
    """
    The action and why it failed.
    """
    screenshot: PageFile | None = None


class Gtin(Model):
    """
    A global trade item number with a valid check digit.
    """

    type: GtinType
    value: str


class ItemFiles(Model):
    """
    The files that a run has kept of the page of an item, because its request has `formats`.
    """

    html: PageFile | None = None
    raw_html: PageFile | None = None
    screenshot: PageFile | None = None
    warnings: list[str] | None = None
    """
    Which files are missing and why, as messages.
    """


class JobAccepted(Model):
    """
    The response to the creation of a job.
    """

    created_at: AwareDatetime
    job_id: str
    """
    A job, and the run that executes it.
    """
    mode: Mode
    status: Status
    url: str | None
    waits_for_job: str | None = None
    webhook_secret: str | None = None
    """
    The key of the signatures of deliveries to `webhook` of the request. Stored encrypted, and
    shown in this response only: a retry with the same `Idempotency-Key` gets none.
    """


class JobProgress(Model):
    """
    The progress of a job: the data of each event of `GET /v1/jobs/{id}/events`.
    """

    batch: int
    """
    Batch currently being crawled.
    """
    batch_ready: bool
    """
    True when the run stopped on a batch boundary with more of the site left.
    """
    counts: Counts
    credits_used: int
    """
    Credits consumed so far.
    """
    error: JobError | None
    fetched: int
    """
    Finished URLs, delivered or not; domains in `contacts`.
    """
    fetching: list[str]
    """
    Some of the URLs in flight at the last commit of the run.
    """
    job_id: str
    """
    A job, and the run that executes it.
    """
    rate: float | None
    """
    Finished URLs per second over the last ten seconds; null at the start of the stream and while
    the job does not run.
    """
    status: Status


class JobWebhook(Model):
    """
    Where the events of one job are sent.
    """

    events: list[EventKind] | None = None
    """
    All events of the job when omitted, including those added later; `billing.recharge_failed`
    is no event of a job.
    """
    format: WebhookFormat | None = None
    headers: dict[str, str] | None = None
    """
    Headers of every delivery. Stored encrypted; answers have `(hidden)` instead of the values.
    """
    results: bool | None = None
    """
    A delivery for each result, too. Only in format `firecrawl`.
    """
    secret: str | None = None
    """
    The key of the signatures: 32 to 200 printable ASCII characters. Stored encrypted and never
    shown. One is generated when omitted.
    """
    url: str
    """
    HTTPS URL of the receiver; private and loopback addresses are rejected. Format `firecrawl` also
    takes `http` to a network that the operator allows for webhooks.
    """


class LastRun(Model):
    """
    The newest run of a schedule.
    """

    at: AwareDatetime
    """
    When it started or failed to start.
    """
    error: JobError | None
    job_id: str
    """
    A job, and the run that executes it.
    """
    status: Status


class LedgerLine(Model):
    """
    A line of the ledger: one change of the balance.
    """

    amount: int
    """
    The change of the balance; negative for charges.
    """
    at: AwareDatetime
    balance: int | None = None
    id: str
    """
    A line of the ledger of an account.
    """
    job_id: str | None
    kind: LedgerKind
    mode: Mode | None
    page_id: str | None
    since: AwareDatetime | None = None
    source: str | None
    """
    The channel of the job or page.
    """
    units: int
    """
    The units that were delivered.
    """
    url: str | None = None
    """
    The start URL of the job, if it is stored; only with `group=job`.
    """


class LedgerPage(Model):
    """
    A page of the ledger, newest first.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[LedgerLine]
    page: int
    page_size: int


class LinkItem(Model):
    """
    An item of a `links` run: one URL.
    """

    anchor: str | None
    """
    The text of that first link.
    """
    broken: bool
    canonical_url: str | None
    content_hash: str | None
    content_type: str | None
    depth: int | None
    """
    Number of links from the start URL.
    """
    description: str | None
    discovered_by: list[DiscoveredBy]
    duplicate_of: str | None
    """
    The URL of an earlier item with the same content.
    """
    error: FetchFault | None
    external: bool
    fetched_at: AwareDatetime | None
    files: ItemFiles | None = None
    final_url: str | None
    """
    The URL after redirects, if it differs from `url`.
    """
    found_on: str | None
    """
    The first page that linked to it.
    """
    h1: str | None
    in_sitemap: bool | None
    """
    Whether a sitemap lists it; null when the run read no sitemap with URLs.
    """
    index_reason: IndexReason | None
    indexable: bool | None
    inlinks: int
    """
    Number of pages of the run that link to it.
    """
    language: str | None
    nofollow: bool
    """
    Whether all links to it on the page where it was found first have `nofollow`.
    """
    orphan: bool
    """
    No page of the run links to it.
    """
    redirects: list[RedirectHop]
    """
    The redirect chain from `url` to `final_url`.
    """
    response_ms: int | None
    robots: list[RobotsDirective]
    """
    The robots directives of the page.
    """
    size_bytes: int | None
    status_code: int | None
    """
    Null when it was not requested or there was no response.
    """
    title: str | None
    type: LinkType
    url: str
    """
    The URL in its normalised form.
    """
    word_count: int | None


class MarkdownItem(Model):
    """
    An item of a `markdown` run: one page.
    """

    author: str | None
    canonical_url: str | None
    content_hash: str
    """
    Hash of the text, 16 hexadecimal digits.
    """
    depth: int | None
    """
    Number of links from the start URL.
    """
    description: str | None
    extraction: Extraction
    fetched_at: AwareDatetime
    files: ItemFiles | None = None
    final_url: str | None
    """
    The URL after redirects, if it differs from `url`.
    """
    headings: list[Heading]
    images: list[TextImage]
    language: str | None
    links: list[TextLink]
    markdown: str
    """
    The main content in CommonMark with GitHub tables.
    """
    modified_at: str | None
    """
    Date, or date and time, of the last change, as in ISO 8601.
    """
    published_at: str | None
    """
    Date, or date and time, of publication, as in ISO 8601.
    """
    rendered: bool
    """
    Whether the page was rendered by a browser.
    """
    status_code: int
    title: str | None
    """
    The title of the page without the name of the site.
    """
    token_estimate: int
    """
    Estimated number of tokens for a language model.
    """
    url: str
    word_count: int
    """
    Number of words of the text.
    """


class PageAction(Model):
    """
    What the browser does in a page before it is read.
    """

    key: str | None = None
    """
    Required for `press`, and only there: a character, or the name of a key such as `Enter`,
    `Tab`, `Escape` or `ArrowDown`.
    """
    milliseconds: int | None = None
    """
    `wait` only: the time to wait.
    """
    pixels: int | None = None
    """
    `scroll` only: a distance, negative upwards.
    """
    selector: str | None = None
    """
    A CSS selector. Required for `click`.
    """
    text: str | None = None
    """
    Required for `type`, and only there.
    """
    type: PageActionType


class Problem(Model):
    """
    The body of an error response.
    """

    action: int | None = None
    """
    With `action_failed`: the position of the action, from 0.
    """
    available: int | None = None
    cause: ErrorCode | None = None
    code: ProblemCode
    credit_per_unit: int | None = None
    docs: str
    """
    The URL of the documentation of the code.
    """
    errors: list[FieldError] | None = None
    """
    With `validation_failed`: every invalid field.
    """
    failure_cause: FailureCause | None = None
    job_id: str | None = None
    message: str
    reason: SkipReason | None = None
    request_id: str
    """
    The id of the request, as in `X-Request-Id` and in the log.
    """
    required: int | None = None
    screenshot: PageFile | None = None
    status_code: int | None = None
    """
    With the error of a page: the status of the site's response.
    """
    top_up_url: str | None = None
    """
    With `insufficient_credits`: where to buy more.
    """


class ProductVariant(Model):
    """
    A variant of a product.
    """

    availability: Availability
    currency: str | None
    gtin: list[Gtin]
    images: list[ProductImage]
    options: dict[str, str]
    """
    Option values by name, such as size and colour.
    """
    price: str | None
    """
    The price as a decimal number.
    """
    regular_price: str | None
    """
    The regular price as a decimal number; null unless higher than `price`.
    """
    sku: str | None
    url: str | None
    variant_id: str
    """
    Identifier of the variant, stable within the product.
    """


class RuleCheck(Model):
    """
    A rule, applied to the URL.
    """

    matched: str | None
    """
    What decided: the pattern of a filter, the line of robots.txt, the kind of a trap; null if
    nothing matched.
    """
    passes: bool | None
    """
    Whether the rule permits the URL; null if it is not known, for example because the run has
    not read that robots.txt.
    """
    rule: UrlRule


class SiteLogin(Model):
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
    wait_for: str | int | None = None


class SitemapItem(LinkItem):
    """
    An item of a `sitemap` run: as in `links`, with the data of the sitemaps.
    """

    alternates: list[Alternate]
    """
    The language variants by the sitemap, otherwise by the page.
    """
    changefreq: str | None
    """
    The change frequency: a value of sitemaps.org.
    """
    images: list[str]
    """
    The images by the sitemap, otherwise those of the page.
    """
    lastmod: str | None
    """
    The last change, as a W3C date or date-time: from the sitemap, otherwise from the response
    header.
    """
    priority: str | None
    """
    The priority within the site, from `0.0` to `1.0`, as in the sitemap.
    """
    sitemap_url: str | None
    """
    The first sitemap that lists it.
    """


class SkippedUrl(Model):
    """
    A URL that was not delivered.
    """

    cause: FailureCause | None
    failed_action: FailedAction | None = None
    found_on: str | None
    """
    The page or sitemap where it was found first.
    """
    reason: SkipReason
    redirects_to: str | None
    """
    Where it redirects to.
    """
    status_code: int | None
    """
    The response status; null if it was not fetched or there was no response.
    """
    url: str


class UrlExplanation(Model):
    """
    Why a run delivered, skipped or never found a URL.
    """

    cause: FailureCause | None
    checks: list[RuleCheck]
    """
    The rules of the run, applied to the URL now, in the order in which a run applies them.
    """
    depth: int | None
    """
    Clicks from the start page; null without a known path.
    """
    disposition: UrlDisposition
    found_on: str | None
    """
    The page or sitemap where it was found first.
    """
    job_id: str
    """
    A job, and the run that executes it.
    """
    message: str
    """
    One sentence for people.
    """
    reason: SkipReason | None
    redirects_to: str | None
    """
    Where it redirects to.
    """
    status_code: int | None
    """
    The response status of a skipped URL, if it was fetched.
    """
    url: str
    """
    The URL as the run identifies it: normalised, and without its query unless
    `include_query_strings` is set.
    """


class Usage(Model):
    """
    The usage report of an account.
    """

    from_: Annotated[AwareDatetime, Field(alias="from")]
    group_by: UsageGroup
    items: list[UsageRow]
    to: AwareDatetime
    total: UsageRow


class Webhook(Model):
    """
    A webhook endpoint, without its secret.
    """

    active: bool
    """
    False when its owner has disabled it, or when its attempts are exhausted.
    """
    created_at: AwareDatetime
    created_by: str | None
    events: list[EventKind]
    """
    The events that the endpoint is subscribed to.
    """
    failing_since: AwareDatetime | None
    id: str
    """
    An endpoint that webhook events are sent to.
    """
    last_error: str | None
    """
    Why the last attempt failed; null after a success.
    """
    last_success_at: AwareDatetime | None
    url: str


class WebhookEventData(Model):
    """
    A webhook endpoint, in `webhook.test`, which is sent on request and is no event of
    `GET /v1/events`.
    """

    webhook: str
    """
    The endpoint that is tested.
    """


class AccountKey(CredentialLimits):
    """
    An API key, without its secret.
    """

    created_at: AwareDatetime
    id: str
    """
    An API key (not its secret).
    """
    last4: str
    """
    Last 4 characters of the secret.
    """
    last_used_at: AwareDatetime | None
    name: str
    prefix: KeyPrefix
    revoked_at: AwareDatetime | None
    scopes: list[OauthScope]
    """
    The scopes of the key; empty for all rights.
    """
    source: str
    """
    Channel that calls with this key.
    """


class ContactItem(Model):
    """
    The record of a domain.
    """

    addresses: list[ContactAddress]
    company: ContactCompany
    contact_page_url: str | None
    domain: str
    """
    The domain of the request, normalised.
    """
    emails: list[ContactEmail]
    """
    All e-mail addresses of the company, including those of its people.
    """
    fetched_at: AwareDatetime
    input: str | None
    """
    The entry of `domains`, or the `url`, as the client wrote it; null in records of earlier
    releases.
    """
    language: str | None
    pages_checked: int
    """
    Number of pages that were read.
    """
    people: list[ContactPerson]
    phones: list[ContactPhone]
    """
    All phone numbers of the company, including those of its people.
    """
    redirected_to: str | None
    """
    The domain that the requested one redirects to.
    """
    socials: list[ContactSocial]
    status: ContactStatus


class CreateJob(Model):
    """
    The body that creates a job.
    """

    actions: list[PageAction] | None = None
    """
    Executed in this order in every page before it is read. A page is not delivered if
    one fails.
    """
    basic_auth: BasicAuth | None = None
    bearer: str | None = None
    """
    A bearer token of the requests to the origin of `url`.
    """
    cookies: dict[str, str] | None = None
    """
    Cookies of the requests to the origin of `url`.
    """
    device: PageDevice | None = PageDevice.desktop
    domains: list[str] | None = None
    """
    `contacts` only: the domains to process, instead of `url`. Each of at most 2,048 bytes.
    """
    external: External | None = None
    formats: list[PageFileFormat] | None = None
    """
    The files that are kept of the page of each result, as long as the results. Not in mode
    `contacts`. The charge is the same.
    """
    headers: dict[str, str] | None = None
    """
    Headers of the requests to the origin of `url`. Not sent to another origin, also after
    a redirect.
    """
    if_busy: IfBusy | None = None
    legal_basis_accepted: bool | None = None
    """
    `contacts` only, and mandatory there.
    """
    list_id: str | None = None
    login: SiteLogin | None = None
    max_age: int | None = 0
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    max_credit_per_unit: int | None = None
    mode: Mode1
    """
    What a run collects and delivers.

    - `links`: Inventory of the URLs of a site.
    - `sitemap`: Data for an XML sitemap.
    - `products`: Structured product data.
    - `markdown`: Page text for retrieval.
    - `contacts`: Contact data of companies and people, one record per domain.
    """
    on_protected: OnProtected | None = None
    options: Options | None = None
    render: RenderChoice | None = RenderChoice.auto
    scope: Scope | None = None
    screenshot_area: ScreenshotArea | None = ScreenshotArea.full_page
    url: str | None = None
    """
    Start URL: absolute http or https. Required unless `urls`, `list_id` or `domains` is
    given.
    """
    urls: list[str] | None = None
    """
    `links`, `markdown` and `products`: the URLs to request, instead of `url`. Each is
    requested once, nothing else is, and each ends as a result or as a skipped URL.
    """
    wait_for: str | int | None = None
    webhook: JobWebhook | None = None


class CreatedWebhook(Webhook):
    """
    A webhook endpoint at its creation: the only time its secret is shown.
    """

    secret: str
    """
    The key of the signatures of deliveries. Stored encrypted.
    """


class Delivery(Model):
    """
    The delivery of an event to an endpoint.
    """

    attempts: list[DeliveryAttempt]
    """
    The attempts so far, oldest first; at most the last 20.
    """
    created_at: AwareDatetime
    event_id: str
    """
    The same in every attempt, so that a receiver can recognise duplicates.
    """
    id: str
    """
    The delivery of an event to a webhook endpoint.
    """
    next_attempt_at: AwareDatetime | None
    payload: dict[str, Any]
    """
    The JSON body that is sent.
    """
    state: DeliveryState
    type: str
    """
    The event's type, or `webhook.test`.
    """


class DeliveryPage(Model):
    """
    A page of deliveries, newest first.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[Delivery]
    page: int
    page_size: int
    total: int


class ProductItem(Model):
    """
    An item of a `products` run: one product.
    """

    alternates: list[Alternate]
    """
    The language variants that were merged into this record.
    """
    attributes: list[ProductAttribute]
    """
    The rows of the specification tables.
    """
    availability: Availability
    availability_raw: str | None
    """
    The availability as shown.
    """
    brand: str | None
    breadcrumbs: list[Breadcrumb]
    canonical_url: str | None
    category: str | None
    condition: Condition | None
    confidence: float
    """
    Agreement of the sources, from 0 to 1.
    """
    content_hash: str
    """
    Hash of the record, 16 hexadecimal digits.
    """
    currency: str | None
    """
    Currency code of ISO 4217.
    """
    description: str | None
    """
    Plain text with paragraphs.
    """
    features: list[str]
    fetched_at: AwareDatetime
    files: ItemFiles | None = None
    gtin: list[Gtin]
    images: list[ProductImage]
    """
    The images, the main one first.
    """
    language: str | None
    mpn: str | None
    name: str
    """
    The product name as shown.
    """
    price: str | None
    """
    The price as a decimal number.
    """
    price_raw: str | None
    """
    The price as shown on the page.
    """
    price_type: PriceType
    product_id: str
    """
    Stable within the site: the SKU, a GTIN, or a hash of the URL.
    """
    provenance: dict[str, ProductSource]
    """
    The source of each field.
    """
    rating: Rating | None
    regular_price: str | None
    """
    The regular price as a decimal number; null unless higher than `price`.
    """
    seller: Seller | None
    sku: str | None
    tax_included: bool | None
    """
    Whether the price includes tax; null if the page does not say.
    """
    template_id: str | None
    """
    The extraction template that was used.
    """
    url: str
    """
    The URL of the product page.
    """
    variants: list[ProductVariant]


class Schedule(Model):
    """
    A schedule that starts jobs by a cron expression.
    """

    created_at: AwareDatetime
    created_by: str | None
    cron: str
    """
    Minute, hour, day, month and weekday; names, ranges, lists, steps and nicknames.
    """
    id: str
    """
    A schedule that starts jobs.
    """
    last_run: LastRun | None
    name: str
    next_runs: list[AwareDatetime]
    """
    The next five starts; empty while it is paused.
    """
    paused: bool
    """
    Whether the schedule is paused and starts no jobs.
    """
    request: CreateJob
    """
    The job request, as in `POST /v1/jobs`.
    """
    timezone: str
    """
    The time zone of `cron`, from the IANA database.
    """


class ScheduleList(Model):
    """
    A page of schedules, newest first. It ends after `page_size` schedules or before 16 MiB are
    exceeded; the next page continues there.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[Schedule]
    offset: int
    """
    Number of schedules before this page.
    """
    page: int
    page_size: int
    total: int


class SiteAccess(Model):
    """
    How the pages of a run are requested and what is kept of them, as the request of the job says. In
    answers `(hidden)` takes the place of every secret.
    """

    actions: Annotated[list[PageAction] | None, Field(validate_default=True)] = []
    basic_auth: BasicAuth | None = None
    bearer: str | None = None
    cookies: dict[str, str] | None = {}
    """
    Names of the cookies that are sent to the site.
    """
    device: PageDevice | None = PageDevice.desktop
    formats: list[PageFileFormat] | None = []
    """
    The files that are kept of the page of each result.
    """
    headers: dict[str, str] | None = {}
    """
    Names of the headers that are sent to the site.
    """
    login: SiteLogin | None = None
    max_age: int | None = 0
    """
    A page may be taken from the cache if it was fetched at most this many seconds ago.
    """
    render: RenderChoice | None = RenderChoice.auto
    screenshot_area: ScreenshotArea | None = ScreenshotArea.full_page
    wait_for: str | int | None = None


class SkippedPage(Model):
    """
    A page of skipped URLs.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[SkippedUrl]
    job_id: str
    """
    A job, and the run that executes it.
    """
    page: int
    page_size: int
    reasons: dict[
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
        ],
        int,
    ]
    """
    Numbers by reason, independent of the requested one; only reasons that occurred.
    """
    total: int
    """
    Number of skipped URLs so far, of the requested reason or of all.
    """


class Account(Model):
    """
    The account of the caller.
    """

    account_id: str
    """
    An account, the owner of jobs and credits.
    """
    assistants_may_accept_legal_basis: bool
    """
    Whether an assistant (MCP) may accept the legal basis of a `contacts` job. False until the
    owner enables it.
    """
    auth_method: AuthMethod
    auto_top_up: AutoTopUp
    credits: int
    """
    Credits available to spend.
    """
    key: AccountKey | None
    keys_active: int
    """
    Live keys on the account.
    """
    limits: Limits
    scopes: list[str]
    """
    The scopes of the caller; empty for an API key with all rights.
    """
    top_up_url: str
    """
    The URL of the page about buying credits.
    """
    webhook_failing: bool
    """
    True when a webhook has exhausted its retries.
    """


class PageAnswer(Model):
    """
    A page that was read at once. `T` is [`Item`], or its JSON where items are not parsed.
    """

    cached: bool
    """
    Whether the page was taken from the cache.
    """
    credits_used: int
    """
    The credits that this answer cost.
    """
    fetched_at: AwareDatetime
    """
    When the response of the site was received.
    """
    html: PageFile | None = None
    item: SitemapItem | LinkItem | MarkdownItem | ProductItem | ContactItem | None = None
    links: list[PageOutlink] | None = None
    """
    The links that a visitor can follow, each URL once. Present with format `links`.
    """
    metadata: PageMetadata | None = None
    mode: Mode
    page_id: str
    """
    The id of the charge in the ledger.
    """
    protected: bool
    """
    True when the page was read through the protected tier, at its rate.
    """
    raw_html: PageFile | None = None
    screenshot: PageFile | None = None
    url: str
    """
    The requested URL in its normalised form.
    """
    warnings: list[str] | None = None
    """
    What was not possible, as messages.
    """


class PublicJob(Model):
    """
    A job as the API returns it.
    """

    access: SiteAccess | None = None
    batch: int
    """
    Batch currently being crawled; 1 for a single-batch run.
    """
    batch_ready: bool
    """
    True when the run stopped on a batch boundary with more of the site left.
    """
    counts: Counts
    created_at: AwareDatetime
    credit_per_unit: int | None
    credits_used: int
    """
    Credits consumed so far.
    """
    error: JobError | None
    external: External | None
    files: JobFiles | None = None
    finished_at: AwareDatetime | None
    job_id: str
    """
    A job, and the run that executes it.
    """
    list_id: str | None = None
    max_credit_per_unit: int | None = None
    mode: Mode
    name: str | None = None
    """
    The name that its owner gave it; only in responses about single jobs and in lists.
    """
    next_batch: int | None
    """
    Batch a confirm would start; null when not waiting on a boundary.
    """
    on_protected: OnProtected | None = None
    options: Options | None = None
    protected: bool
    """
    Whether the run is charged at the protected tier.
    """
    protected_marker: str | None
    """
    The marker that identified the protection.
    """
    scope: Scope | None = None
    source: str
    """
    Channel of the key that created the job.
    """
    status: Status
    tags: list[str] | None = None
    """
    The tags that its owner gave it; only in responses about single jobs and in lists.
    """
    url: str | None
    """
    Start URL; null for a `contacts` job over `domains`.
    """
    webhook: JobWebhook | None = None


class ResultsPage(Model):
    """
    A page of results. `T` is [`Item`], or its stored JSON where items are not parsed.
    """

    has_more: bool
    """
    True when another page follows.
    """
    items: list[SitemapItem | LinkItem | MarkdownItem | ProductItem | ContactItem]
    job_id: str
    """
    A job, and the run that executes it.
    """
    mode: Mode
    next_cursor: str | None
    """
    Where to continue: pass it as `cursor`. Null when the job has ended and this was the last
    page; while the job runs, further results may follow a page with `has_more: false`.
    """
    offset: int
    """
    Number of items before this page.
    """
    page: int
    page_size: int
    """
    Maximum items of a page, which may end earlier at 16 MiB.
    """
    total: int
    """
    Number of all items of the run so far.
    """


class ChangeItem(Model):
    """
    An item that differs between two runs. `T` is [`Item`], or its stored JSON where items are not
    parsed.
    """

    after: SitemapItem | LinkItem | MarkdownItem | ProductItem | ContactItem | None
    before: SitemapItem | LinkItem | MarkdownItem | ProductItem | ContactItem | None
    fields: list[str]
    """
    The members that differ; empty for added and removed items.
    """
    key: str
    """
    The key of the item: its URL; in `contacts` its domain.
    """
    kind: ChangeKind


class ChangesPage(Model):
    """
    A page of changes: added, then changed, then removed items, each in the order of its run.
    """

    counts: ChangeCounts
    """
    Numbers of all changes, independent of `kind`.
    """
    has_more: bool
    """
    True when another page follows.
    """
    items: list[ChangeItem]
    job_id: str
    """
    A job, and the run that executes it.
    """
    mode: Mode
    page: int
    page_size: int
    since: str | None
    total: int
    """
    Number of changes of the requested kind, or of all.
    """


class JobEventData(Model):
    """
    A job, as `GET /v1/jobs/{id}` shows it.
    """

    job: PublicJob
    """
    The job at the moment of the event.
    """


class JobList(Model):
    """
    A page of jobs, newest first unless another order is requested.
    """

    items: list[PublicJob]
    page: int
    page_size: int
    total: int


class Event(Model):
    """
    An event as it is sent to webhooks.
    """

    data: JobEventData | AccountEventData | WebhookEventData | OtherEventData
    """
    The payload of an event.
    """
    emitted_at: AwareDatetime
    id: str
    """
    An event of a job or account.
    """
    type: EventKind


class EventList(Model):
    """
    Events, oldest first (`GET /v1/events`).
    """

    has_more: bool
    """
    True when more events follow: request them with `after` set to the last of these.
    """
    items: list[Event]
