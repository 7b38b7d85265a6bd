"""The official Python clients of Firecrawl, unchanged, against the real binary and a sample site."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.types import PaginationConfig, ScrapeOptions
from firecrawl.v2.utils.error_handler import (
    BadRequestError,
    FirecrawlError,
    PaymentRequiredError,
    UnauthorizedError,
)
from langchain_community.document_loaders import FireCrawlLoader
from llama_index.readers.web import FireCrawlWebReader
from server import Server

SITE = "https://docs.lab.test/"
PAGE = "https://docs.lab.test/keys"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.remove()


@pytest.fixture
def app(server: Server) -> Firecrawl:
    return Firecrawl(api_url=server.url, api_key=server.key)


def crawl_id(app: Firecrawl, limit: int = 3) -> str:
    return app.crawl(SITE, limit=limit, poll_interval=1, timeout=60).id


def test_scrape_delivers_markdown_links_and_metadata(app: Firecrawl) -> None:
    page = app.scrape(PAGE, formats=["markdown", "links", "images"], only_main_content=True)
    assert page.markdown and page.markdown.startswith("# ")
    assert page.links and all(link.startswith("http") for link in page.links)
    assert page.metadata.status_code == 200
    assert page.metadata.source_url == PAGE
    assert page.metadata.title and page.metadata.content_type
    assert page.metadata.cache_state == "miss"
    assert page.metadata.credits_used == 0


def test_html_and_options_of_a_page(app: Firecrawl) -> None:
    page = app.scrape(
        PAGE,
        formats=["html", "rawHtml"],
        only_main_content=False,
        headers={"X-Test": "1"},
        max_age=60_000,
        wait_for=0,
        proxy="basic",
    )
    assert page.markdown is None
    assert "<h1" in page.html and "<script" not in page.html
    assert page.raw_html.lower().startswith("<!doctype html")
    # The server of this test has no browser.
    for options, field in [
        ({"wait_for": 100}, "waitFor"),
        ({"mobile": True}, "mobile"),
        ({"actions": [{"type": "click", "selector": "a"}]}, "actions"),
        ({"formats": ["screenshot"]}, "formats"),
        ({"actions": [{"type": "executeJavascript", "script": "1"}]}, "actions[0].type"),
    ]:
        with pytest.raises(BadRequestError) as refused:
            app.scrape(PAGE, **options)
        assert field in str(refused.value)


def test_options_that_the_client_adds_are_accepted(app: Firecrawl) -> None:
    options = ScrapeOptions(formats=["markdown"], timeout=5000)
    page = app.scrape(PAGE, **options.model_dump(exclude_none=True))
    assert page.markdown
    assert app.scrape(PAGE, timeout=90_000).warning == "timeout was reduced to 60000 ms"


def test_parts_of_a_page_are_chosen_by_tags(app: Firecrawl) -> None:
    page = app.scrape(PAGE, formats=["markdown", "links"], include_tags=["h1"])
    assert page.markdown and page.markdown.startswith("# ") and len(page.markdown.split("\n")) <= 2
    assert page.links == []
    assert "<main" in app.scrape(PAGE, formats=["html"], include_tags=["h1"]).html
    text = "Every request carries a key"
    assert text in app.scrape(PAGE).markdown
    without = app.scrape(PAGE, exclude_tags=["h1"]).markdown
    assert without and text in without and not without.startswith("# ")


def test_jobs_deliver_html_and_parts_of_pages(app: Firecrawl) -> None:
    options = {"formats": ["markdown", "html", "rawHtml"], "exclude_tags": ["h1"]}
    crawl = app.crawl(
        SITE,
        limit=3,
        scrape_options=ScrapeOptions(max_age=60_000, **options),
        poll_interval=1,
        timeout=60,
    )
    batch = app.batch_scrape([PAGE, SITE], poll_interval=1, max_age=60_000, **options)
    assert (crawl.status, batch.status) == ("completed", "completed")
    assert (len(crawl.data), len(batch.data)) == (3, 2)
    for page in [*crawl.data, *batch.data]:
        assert "<h1" in page.html and "<script" not in page.html
        assert page.raw_html.lower().startswith("<!doctype html")
        assert page.markdown and not page.markdown.startswith("# ")


def test_second_crawl_of_a_site_waits_for_the_first(app: Firecrawl) -> None:
    first = app.start_crawl(SITE, delay=30, limit=50)
    second = app.start_crawl(SITE, limit=1)
    assert app.get_crawl_status(second.id).status == "scraping"
    app.cancel_crawl(first.id)
    watched = app.get_crawl_status(second.id)
    while watched.status == "scraping":
        time.sleep(0.2)
        watched = app.get_crawl_status(second.id)
    assert (watched.status, watched.completed) == ("completed", 1)


def test_user_agent_of_a_request_is_left_out_with_a_warning(app: Firecrawl) -> None:
    page = app.scrape(PAGE, headers={"User-Agent": "mine", "X-Test": "1"})
    assert page.markdown and "User-Agent" in page.warning


def test_unsupported_fields_are_refused_by_name(app: Firecrawl) -> None:
    for options, field in [
        ({"formats": ["summary"]}, "formats[0]"),
        ({"location": {"country": "DE"}}, "location"),
        ({"include_tags": ["a:hover"]}, "includeTags[0]"),
        ({"exclude_tags": ["h1 + p"]}, "excludeTags[0]"),
    ]:
        with pytest.raises(BadRequestError) as refused:
            app.scrape(PAGE, **options)
        assert field in str(refused.value)


def test_errors_of_the_site_have_their_status(app: Firecrawl, server: Server) -> None:
    missing = app.scrape("https://docs.lab.test/no-such-page")
    assert missing.metadata.status_code == 404 and not missing.markdown
    with pytest.raises(PaymentRequiredError):
        app.scrape("https://shop.example/")
    with pytest.raises(UnauthorizedError):
        Firecrawl(api_url=server.url, api_key="key_live_wrong").scrape(PAGE)


def test_crawl_delivers_documents_up_to_the_limit(app: Firecrawl) -> None:
    job = app.crawl(
        SITE,
        limit=4,
        max_discovery_depth=2,
        include_paths=["/.*"],
        exclude_paths=["/no-such-path"],
        sitemap="include",
        crawl_entire_domain=True,
        delay=0,
        max_concurrency=2,
        scrape_options=ScrapeOptions(formats=["markdown", "links"]),
        poll_interval=1,
        timeout=60,
    )
    assert job.status == "completed", job
    assert (job.completed, job.total, len(job.data)) == (4, 4, 4)
    assert all(page.markdown and page.metadata.status_code == 200 for page in job.data)
    assert all(page.links is not None for page in job.data)
    assert job.expires_at is not None and job.next is None


def test_status_is_paged_by_next(app: Firecrawl) -> None:
    job = crawl_id(app, 5)
    whole = app.get_crawl_status(job)
    path = f"/v2/crawl/{job}?limit=2"
    body = app._v2_client.http_client.get(path).json()
    assert len(body["data"]) == 2 and f"/v2/crawl/{job}?skip=2" in body["next"]
    second = app.get_crawl_status_page(body["next"])
    seen = [page["metadata"]["url"] for page in body["data"]]
    seen += [page.metadata.url for page in second.data]
    third = app.get_crawl_status_page(second.next)
    seen += [page.metadata.url for page in third.data]
    assert third.next is None
    assert seen == [page.metadata.url for page in whole.data]
    one = app.get_crawl_status(job, pagination_config=PaginationConfig(auto_paginate=False))
    assert len(one.data) == 5


def test_started_crawl_is_active_and_can_be_cancelled(app: Firecrawl) -> None:
    started = app.start_crawl(SITE, delay=30, limit=50)
    assert started.url.endswith(f"/v2/crawl/{started.id}")
    active = app.get_active_crawls()
    assert [crawl.id for crawl in active.crawls] == [started.id]
    assert app.get_queue_status().jobs_in_queue == 1
    assert app.cancel_crawl(started.id) is True
    assert app.get_crawl_status(started.id).status == "cancelled"
    assert app.get_active_crawls().crawls == []
    assert app.cancel_crawl(crawl_id(app)) is False


def test_batch_scrapes_each_url_once(app: Firecrawl) -> None:
    urls = [PAGE, SITE, "https://docs.lab.test/no-such-page"]
    job = app.batch_scrape(
        urls, formats=["markdown", "links"], max_concurrency=2, poll_interval=1, wait_timeout=60
    )
    assert job.status == "completed", job
    assert sorted(page.metadata.source_url for page in job.data) == [SITE, PAGE]
    assert all(page.markdown for page in job.data)
    started = app.start_batch_scrape([PAGE, "https://localhost/"], ignore_invalid_urls=True)
    assert started.invalid_urls == ["https://localhost/"]
    with pytest.raises(BadRequestError) as refused:
        app.start_batch_scrape([PAGE, "https://localhost/"])
    assert "urls[1]" in str(refused.value)
    missing = app.start_batch_scrape(["https://docs.lab.test/no-such-page", PAGE])
    while app.get_batch_scrape_status(missing.id).status == "scraping":
        time.sleep(0.2)
    errors = app.get_batch_scrape_errors(missing.id).errors
    assert [(one.url, one.code) for one in errors] == [
        ("https://docs.lab.test/no-such-page", "broken")
    ]
    assert "404" in errors[0].error
    with pytest.raises(FirecrawlError) as over:
        app.cancel_batch_scrape(missing.id)
    assert over.value.status_code == 409


def test_errors_of_a_crawl_are_listed(app: Firecrawl) -> None:
    found = app.get_crawl_errors(crawl_id(app))
    assert found.errors == [] and isinstance(found.robots_blocked, list)
    failed = app.crawl(SITE, include_paths=["/no-such-path"], crawl_entire_domain=False)
    if failed.status == "failed":
        assert app.get_crawl_errors(failed.id).errors[0].code == "no_data"


def test_map_lists_urls_with_titles(app: Firecrawl) -> None:
    found = app.map(SITE, limit=5, sitemap="include", include_subdomains=False)
    assert 0 < len(found.links) <= 5
    assert all(link.url.startswith(SITE) for link in found.links)
    assert app.map(SITE, search="no-such-word-on-the-site").links == []


def test_account_is_readable(app: Firecrawl) -> None:
    assert app.get_credit_usage().remaining_credits == 0
    concurrency = app.get_concurrency()
    assert concurrency.concurrency == 0 and concurrency.max_concurrency > 0
    assert app.get_queue_status().max_concurrency == concurrency.max_concurrency


def test_operations_that_do_not_exist_say_so(app: Firecrawl) -> None:
    for call in [
        lambda: app.search("lamps"),
        lambda: app.crawl_params_preview(SITE, "only the blog"),
        app.get_token_usage,
    ]:
        with pytest.raises(FirecrawlError) as missing:
            call()
        assert "is not supported by this service" in str(missing.value)


def test_watchers_follow_a_crawl(app: Firecrawl, server: Server) -> None:
    started = app.start_crawl(SITE, limit=2)
    states: list[str] = []
    watcher = app.watcher(started.id, kind="crawl", poll_interval=1, timeout=60)
    watcher.add_listener(lambda job: states.append(job.status))
    watcher.start()
    watcher._thread.join(60)
    assert states[-1] == "completed"

    async def last_state() -> str:
        client = AsyncFirecrawl(api_url=server.url, api_key=server.key)
        job = await client.start_crawl(SITE, limit=2)
        state = ""
        async for snapshot in client.watcher(job.id, poll_interval=1, timeout=60):
            state = snapshot.status
        return state

    assert asyncio.run(last_state()) == "completed"


def test_asynchronous_client(server: Server) -> None:
    async def run() -> None:
        app = AsyncFirecrawl(api_url=server.url, api_key=server.key)
        page = await app.scrape(PAGE)
        assert page.markdown
        job = await app.crawl(url=SITE, limit=3, poll_interval=1, timeout=60)
        assert job.status == "completed" and len(job.data) == 3
        assert (await app.get_crawl_status(job.id)).completed == 3
        assert (await app.get_crawl_errors(job.id)).errors == []
        started = await app.start_crawl(SITE, delay=30)
        assert (await app.active_crawls()).crawls[0].id == started.id
        assert await app.cancel_crawl(started.id) is True
        batch = await app.batch_scrape([PAGE, SITE], poll_interval=1)
        assert batch.status == "completed" and len(batch.data) == 2
        started = await app.start_batch_scrape([PAGE])
        # The asynchronous client returns the body.
        assert (await app.get_batch_scrape_errors(started.id))["errors"] == []
        assert (await app.map(SITE)).links
        assert (await app.get_credit_usage()).remaining_credits == 0
        assert (await app.get_concurrency()).max_concurrency > 0
        assert (await app.get_queue_status()).max_concurrency > 0

    asyncio.run(run())


def test_langchain_loader(server: Server) -> None:
    def load(mode: str, params: dict[str, object]) -> list[str]:
        loader = FireCrawlLoader(
            SITE, api_key=server.key, api_url=server.url, mode=mode, params=params
        )
        documents = loader.load()
        assert mode == "map" or all(one.metadata["status_code"] == 200 for one in documents)
        return [one.page_content for one in documents]

    assert load("scrape", {"formats": ["markdown"]})[0].startswith("# ")
    assert len(load("crawl", {"limit": 3, "poll_interval": 1})) == 3
    assert SITE in load("map", {"limit": 5})


def test_llama_index_reader(server: Server) -> None:
    def read(mode: str, params: dict[str, object]) -> list[str]:
        reader = FireCrawlWebReader(
            api_key=server.key, api_url=server.url, mode=mode, params=params
        )
        return [one.text for one in reader.load_data(url=SITE)]

    assert read("scrape", {"formats": ["markdown"]})[0].startswith("# ")
    assert len(read("crawl", {"limit": 3, "poll_interval": 1})) == 3
    assert len(read("map", {"limit": 5})) > 0
