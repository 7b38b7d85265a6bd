"""Every method of the official Python clients for operations that exist here is called."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from firecrawl import AsyncFirecrawl, AsyncV1FirecrawlApp, Firecrawl, V1FirecrawlApp
from firecrawl.v1.client import AsyncV1CrawlWatcher
from firecrawl.v2.utils.error_handler import FirecrawlError
from server import Server

SITE = "https://docs.lab.test/"
PAGE = "https://docs.lab.test/keys"
RELATED = re.compile("crawl|scrape|^map|watch|concurrency|queue|usage")

# Operations that do not exist here.
UNSUPPORTED = {
    "crawl_params_preview",
    "delete_scrape_browser",
    "get_credit_usage_historical",
    "get_token_usage",
    "get_token_usage_historical",
    "scrape_alexandria",
    "scrape_execute",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.remove()


class Recorder:
    """Calls methods of a client of either kind, and records their names."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.called: set[str] = set()

    async def call(self, method: str, *args: Any, **options: Any) -> Any:
        self.called.add(method)
        answer = getattr(self.client, method)(*args, **options)
        return await answer if inspect.isawaitable(answer) else answer


async def call_all(recorder: Recorder) -> None:
    call = recorder.call
    assert (await call("scrape", PAGE)).markdown.startswith("# ")
    assert (await call("scrape_url", PAGE)).markdown.startswith("# ")
    assert (await call("map", SITE, limit=3)).links
    assert (await call("map_url", SITE, limit=3)).links

    crawled = await call("crawl", url=SITE, limit=2, poll_interval=1)
    assert (crawled.status, len(crawled.data)) == ("completed", 2)
    assert len((await call("crawl_url", SITE, limit=2, poll_interval=1)).data) == 2
    for start, status, errors in [
        ("start_crawl", "get_crawl_status", "get_crawl_errors"),
        ("async_crawl_url", "check_crawl_status", "check_crawl_errors"),
    ]:
        started = await call(start, SITE, limit=2)
        assert (await call(status, started.id)).status in ("scraping", "completed")
        assert (await call(errors, started.id)).errors == []
        waited = await call("wait_crawl", started.id, poll_interval=1, timeout=60)
        assert waited.status == "completed"
    page = recorder.client.start_crawl(SITE, limit=3)
    started = await page if inspect.isawaitable(page) else page
    await call("wait_crawl", started.id, poll_interval=1, timeout=60)
    next_page = f"/v2/crawl/{started.id}?skip=1&limit=1"
    assert len((await call("get_crawl_status_page", next_page)).data) == 1
    slow = await call("start_crawl", SITE, delay=30)
    for active in {"active_crawls", "get_active_crawls"} & set(dir(recorder.client)):
        assert [one.id for one in (await call(active)).crawls] == [slow.id]
    assert await call("cancel_crawl", slow.id) is True

    batch = await call("batch_scrape", [PAGE, SITE], poll_interval=1)
    assert (batch.status, len(batch.data)) == ("completed", 2)
    assert len((await call("batch_scrape_urls", [PAGE], poll_interval=1)).data) == 1
    for start, status, errors in [
        ("start_batch_scrape", "get_batch_scrape_status", "get_batch_scrape_errors"),
        ("async_batch_scrape_urls", "check_batch_scrape_status", "check_batch_scrape_errors"),
    ]:
        started = await call(start, [PAGE])
        while (await call(status, started.id)).status == "scraping":
            await asyncio.sleep(0.1)
        found = await call(errors, started.id)
        # The asynchronous client returns the body.
        assert (found["errors"] if isinstance(found, dict) else found.errors) == []
    next_page = f"/v2/batch/scrape/{started.id}?skip=0&limit=1"
    assert len((await call("get_batch_scrape_status_page", next_page)).data) == 1
    with pytest.raises(FirecrawlError) as over:
        await call("cancel_batch_scrape", started.id)
    assert over.value.status_code == 409

    assert (await call("get_credit_usage")).remaining_credits == 0
    assert (await call("get_concurrency")).max_concurrency > 0
    assert (await call("get_queue_status")).jobs_in_queue == 0
    assert await call("watcher", slow.id) is not None


@pytest.mark.parametrize("client", [Firecrawl, AsyncFirecrawl])
def test_every_method_is_called_or_unsupported(client: type, server: Server) -> None:
    recorder = Recorder(client(api_url=server.url, api_key=server.key))
    names = {name for name in dir(recorder.client) if RELATED.search(name) and name[0] != "_"}
    asyncio.run(call_all(recorder))
    assert names - recorder.called - UNSUPPORTED == set()
    assert recorder.called <= names


async def watched(watcher: Any) -> tuple[str, int]:
    """The last status and the number of documents that a watcher of version 1 reports."""
    documents = []
    watcher.add_event_listener("document", documents.append)
    await watcher.connect()
    assert len(documents) == len(watcher.data)
    return watcher.status, len(documents)


async def call_all_of_version_1(recorder: Recorder) -> None:
    call = recorder.call
    page = await call("scrape_url", PAGE, formats=["markdown", "links"])
    assert page.markdown.startswith("# ") and page.links and page.metadata["statusCode"] == 200
    links = (await call("map_url", SITE, limit=5)).links
    assert links and all(isinstance(link, str) for link in links)

    crawled = await call(
        "crawl_url", SITE, limit=3, max_depth=3, ignore_sitemap=True, poll_interval=1
    )
    assert (crawled.status, len(crawled.data)) == ("completed", 3)
    started = await call("async_crawl_url", SITE, delay=30)
    assert (await call("check_crawl_status", started.id)).status == "scraping"
    found = await call("check_crawl_errors", started.id)
    # The asynchronous client returns the body.
    assert (found["errors"] if isinstance(found, dict) else found.errors) == []
    assert (await call("cancel_crawl", started.id))["status"] == "cancelled"
    assert (await call("check_crawl_status", started.id)).status == "cancelled"

    batch = await call("batch_scrape_urls", [PAGE, SITE], formats=["markdown"], poll_interval=1)
    assert (batch.status, len(batch.data)) == ("completed", 2)
    started = await call("async_batch_scrape_urls", [PAGE])
    while (await call("check_batch_scrape_status", started.id)).status == "scraping":
        await asyncio.sleep(0.1)
    found = await call("check_batch_scrape_errors", started.id)
    assert (found["errors"] if isinstance(found, dict) else found.errors) == []

    assert (await call("get_credit_usage")).data.remaining_credits == 0

    if isinstance(recorder.client, AsyncV1FirecrawlApp):
        # These methods pass arguments by position that their own client takes by name: they fail before
        # they send a request. Their watcher works.
        for method, target in [
            ("crawl_url_and_watch", SITE),
            ("batch_scrape_urls_and_watch", [PAGE]),
        ]:
            with pytest.raises(TypeError):
                await call(method, target)
        job = await recorder.client.async_crawl_url(SITE, limit=2)
        watchers = [AsyncV1CrawlWatcher(job.id, recorder.client)]
        job = await recorder.client.async_batch_scrape_urls([PAGE, SITE])
        watchers.append(AsyncV1CrawlWatcher(job.id, recorder.client))
    else:
        watchers = [
            await call("crawl_url_and_watch", SITE, limit=2),
            await call("batch_scrape_urls_and_watch", [PAGE, SITE]),
        ]
    for watcher in watchers:
        assert await watched(watcher) == ("completed", 2)


@pytest.mark.parametrize("client", [V1FirecrawlApp, AsyncV1FirecrawlApp])
def test_every_method_of_version_1_is_called_or_unsupported(client: type, server: Server) -> None:
    recorder = Recorder(client(api_url=f"{server.url}/firecrawl", api_key=server.key))
    names = {name for name in dir(recorder.client) if RELATED.search(name) and name[0] != "_"}
    asyncio.run(call_all_of_version_1(recorder))
    assert names - recorder.called - UNSUPPORTED == set()
    assert recorder.called <= names
