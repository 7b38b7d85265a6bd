"""Every method of the official Python clients for operations that exist here is called."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.utils.error_handler import FirecrawlError
from server import Server

SITE = "https://docs.lab.test/"
PAGE = "https://docs.lab.test/keys"
RELATED = re.compile("crawl|scrape|^map|watch|concurrency|queue|usage")

# Operations that do not exist here.
UNSUPPORTED = {
    "crawl_params_preview",
    "delete_scrape_browser",
    "get_token_usage",
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
