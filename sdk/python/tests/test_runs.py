"""Runs on the sample sites: types of items, progress, paging, states."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import assert_type

import pytest
from server import Server

from trawl_client import (
    AsyncJob,
    AsyncTrawl,
    ConfirmationRequiredError,
    InvalidRequestError,
    Job,
    JobFailedError,
    NotFoundError,
    Trawl,
    WaitTimeoutError,
)
from trawl_client.models import (
    ContactItem,
    JobProgress,
    LinkItem,
    MarkdownItem,
    ProductItem,
    SitemapItem,
)

SHOP = "https://shop.lab.test/"
DOCS = "https://docs.lab.test/"
SLOW = "https://slow.lab.test/"
WALL = "https://wall.lab.test/"


def test_each_mode_returns_items_of_its_type(trawl: Trawl) -> None:
    products = trawl.crawl(SHOP, "products")
    assert_type(products, Job[ProductItem])
    assert_type(products.results(), Iterator[ProductItem])
    mug = next(item for item in products.results() if item.name == "Harbour Mug")
    assert (len(mug.variants), mug.currency) == (3, "EUR")

    links = list(trawl.crawl(SHOP, "links").results())
    assert {type(item) for item in links} == {LinkItem}
    assert len(links) == 33
    sitemap = list(trawl.crawl(SHOP, "sitemap").results())
    assert {type(item) for item in sitemap} == {SitemapItem}
    markdown = trawl.crawl(DOCS, "markdown", options={"preferred_language": "de"})
    pages = list(markdown.results())
    assert {type(item) for item in pages} == {MarkdownItem}
    assert len(pages) == 11
    assert all(page.markdown and page.language == "de" for page in pages)
    contacts = trawl.crawl(["shop.lab.test"], "contacts", legal_basis_accepted=True)
    company = next(contacts.results())
    assert_type(company, ContactItem)
    assert company.domain == "shop.lab.test"
    assert any(person.name == "Jonas Lindqvist" for person in company.people)


def test_results_are_paged_completely_and_once(trawl: Trawl) -> None:
    job = trawl.crawl(SHOP, "links")
    urls = [item.url for item in job.results(page_size=7)]
    assert len(urls) == len(set(urls)) == 33
    assert [item.url for item in job.results(offset=30, page_size=2)] == urls[30:]
    page = job.results_page(page_size=5)
    assert (page.total, len(page.items), page.has_more) == (33, 5, True)


def test_list_of_urls_is_a_target(trawl: Trawl) -> None:
    urls = [f"{DOCS}keys", SHOP]
    job = trawl.crawl(urls, "links")
    assert {item.url for item in job.results()} == set(urls)


def test_uploaded_list_is_the_target_of_jobs(trawl: Trawl, tmp_path: Path) -> None:
    urls = [f"{DOCS}keys", SHOP]
    uploaded = trawl.lists.upload([*urls, SHOP])
    assert (uploaded.url_count, trawl.lists.get(uploaded.list_id)) == (2, uploaded)
    job = trawl.jobs.create({"mode": "links", "list_id": uploaded.list_id})
    job.wait()
    assert {item.url for item in job.results()} == set(urls)
    trawl.lists.remove(uploaded.list_id)
    with pytest.raises(NotFoundError):
        trawl.lists.get(uploaded.list_id)

    text, lines = tmp_path / "pages.txt", tmp_path / "pages.ndjson"
    text.write_text(f"# two pages\n{urls[0]}\n{urls[1]}\n")
    lines.write_text("".join(json.dumps({"url": url}) + "\n" for url in urls))
    for file in (text, lines):
        assert trawl.lists.upload(file).url_count == 2
    with pytest.raises(TypeError):
        trawl.lists.upload(SHOP)
    with pytest.raises(InvalidRequestError, match="line 2"):
        trawl.lists.upload([SHOP, "no URL"])


def test_page_is_read_at_once(trawl: Trawl) -> None:
    page = trawl.read(f"{DOCS}keys", formats=["item", "metadata", "links"])
    assert isinstance(page.item, MarkdownItem)
    assert (page.item.url, page.mode) == (f"{DOCS}keys", "markdown")
    assert page.metadata is not None
    assert page.links
    shop = trawl.read(SHOP, mode="links", idempotency_key="one page")
    assert isinstance(shop.item, LinkItem)
    assert trawl.read(SHOP, mode="links", idempotency_key="one page") == shop


def test_site_is_mapped(trawl: Trawl) -> None:
    found = trawl.map(DOCS, search="keys", limit=5)
    assert any(one.url == f"{DOCS}keys" for one in found.urls)


def test_results_are_filtered_and_selected(trawl: Trawl) -> None:
    job = trawl.crawl(SHOP, "links")
    every = list(job.results())
    deep = [item.url for item in every if item.depth is not None and item.depth >= 2]
    assert 0 < len(deep) < len(every)
    assert [item.url for item in job.results(filter={"depth[gte]": 2}, page_size=3)] == deep
    rows = list(job.rows(fields=["url"], filter={"depth[gte]": 2}))
    assert rows == [{"url": url} for url in deep]
    types = {"type": ["page", "image"], "external": False}
    assert {row["type"] for row in job.rows(filter=types)} <= {"page", "image"}


def test_rows_follow_a_running_job(trawl: Trawl) -> None:
    job = trawl.start(SHOP, "links")
    urls = [row["url"] for row in job.rows(follow=True)]
    assert len(urls) == len(set(urls)) == 33
    assert job.refresh().status == "completed"


def test_url_is_explained_and_a_job_deleted(trawl: Trawl) -> None:
    job = trawl.crawl(DOCS, "links")
    assert job.explain("/keys").disposition == "delivered"
    assert job.explain("/no-such-page").disposition == "never_found"
    job.delete()
    with pytest.raises(NotFoundError):
        job.refresh()


def test_wait_reports_progress_until_the_end(trawl: Trawl) -> None:
    seen: list[JobProgress] = []
    job = trawl.start(SHOP, "links")
    info = job.wait(on_progress=seen.append)
    assert (info.status, info.counts.results) == ("completed", 33)
    assert job.info is info
    assert seen[-1].status == "completed"
    assert seen[-1].counts.results == 33
    assert seen[-1].job_id == job.id


def test_watch_of_an_ended_job_returns_its_last_state(trawl: Trawl) -> None:
    job = trawl.crawl(SHOP, "sitemap")
    assert [event.status for event in job.watch()] == ["completed"]


def test_failed_job_raises_its_code_and_message(trawl: Trawl) -> None:
    with pytest.raises(JobFailedError) as caught:
        trawl.crawl(f"{SHOP}nowhere", "links", scope={"one_page": True})
    assert caught.value.error is not None
    assert caught.value.error.code == "no_data"
    assert caught.value.job.status == "failed"
    assert "no_data" in str(caught.value)


def test_protected_site_raises_until_it_is_confirmed(trawl: Trawl) -> None:
    job = trawl.start(WALL, "links")
    with pytest.raises(ConfirmationRequiredError, match="5 credits per unit") as caught:
        job.wait()
    assert caught.value.job.credit_per_unit == 5
    assert job.confirm(max_credit_per_unit=5).status in ("queued", "running")
    assert job.wait().status == "completed"
    assert len(list(job.results())) == 6


def test_wait_times_out_and_the_job_continues_until_it_is_aborted(trawl: Trawl) -> None:
    job = trawl.start(SLOW, "links")
    with pytest.raises(WaitTimeoutError) as caught:
        job.wait(timeout=0.5)
    assert isinstance(caught.value, TimeoutError)
    assert job.refresh().status in ("queued", "running")
    assert job.abort().status == "aborted"
    with pytest.raises(JobFailedError, match="user_stopped"):
        job.wait()


def test_skipped_urls_have_reasons(trawl: Trawl) -> None:
    job = trawl.crawl(DOCS, "links")
    reasons = job.skipped_reasons()
    assert reasons["broken"] == 1
    broken = list(job.skipped(reason="broken"))
    assert [url.url for url in broken] == [f"{DOCS}troubleshooting"]
    assert len(list(job.skipped(page_size=2))) == sum(reasons.values())


def test_jobs_are_listed_and_found(trawl: Trawl) -> None:
    job = trawl.crawl(SHOP, "products", options={"sample_size": 1})
    newest = next(trawl.jobs.list(mode="products", page_size=1))
    assert (newest.id, newest.status) == (job.id, "completed")
    found = trawl.jobs.get(job.id)
    assert isinstance(next(found.results()), ProductItem)


def test_batches_are_continued_only_on_request() -> None:
    server = Server(TRAWL_BATCH_SIZE="10")
    try:
        with Trawl(server.url, server.key) as trawl:
            job = trawl.start(SHOP, "products")
            with pytest.raises(ConfirmationRequiredError, match="continue_batch") as caught:
                job.wait()
            assert caught.value.job.batch_ready
            assert job.wait(continue_batches=True).status == "completed"
            assert len(list(job.results())) == 25
    finally:
        server.remove()


def test_wait_survives_a_restart_of_the_server() -> None:
    server = Server(TRAWL_HOST_DELAY_MS="150")
    try:
        with Trawl(server.url, server.key) as trawl:
            job = trawl.start(SHOP, "links")
            restarted = False

            def restart(progress: JobProgress) -> None:
                nonlocal restarted
                if not restarted and progress.status == "running":
                    restarted = True
                    server.stop()
                    server.start()

            info = job.wait(on_progress=restart)
            assert restarted
            assert info.status == "completed"
            urls = [item.url for item in job.results()]
            assert len(urls) == len(set(urls)) == 33
    finally:
        server.remove()


def test_asynchronous_client_does_the_same(server: Server) -> None:
    async def run() -> None:
        async with AsyncTrawl(server.url, server.key) as trawl:
            seen: list[JobProgress] = []
            jobs = await asyncio.gather(
                trawl.crawl(SHOP, "products", on_progress=seen.append),
                trawl.crawl(SHOP, "products"),
            )
            assert_type(jobs[0], AsyncJob[ProductItem])
            assert_type(jobs[0].results(), AsyncIterator[ProductItem])
            names = [{item.name async for item in job.results(page_size=9)} for job in jobs]
            assert names[0] == names[1]
            assert len(names[0]) == 25
            assert seen[-1].status == "completed"
            with pytest.raises(ConfirmationRequiredError):
                await trawl.crawl(WALL, "links")
            waiting = trawl.jobs.list(status="awaiting_confirmation", page_size=1)
            assert (await (await anext(waiting)).abort()).status == "aborted"
            slow = await trawl.start(SLOW, "links")
            with pytest.raises(WaitTimeoutError):
                await slow.wait(timeout=0.3)
            await slow.abort()
            account = await trawl.account.get()
            assert account.credits == 0

    asyncio.run(run())
