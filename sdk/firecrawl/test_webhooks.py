"""Webhooks of crawls and batches that the official Python clients start, to a real receiver."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import pytest
from firecrawl import Firecrawl, V1FirecrawlApp
from firecrawl.v2.types import ScrapeOptions, WebhookConfig
from firecrawl.v2.utils.error_handler import BadRequestError
from receiver import Delivery, Receiver
from server import Server

SITE = "https://docs.lab.test/"
PAGE = "https://docs.lab.test/keys"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(
        TRAWL_ALLOW_WEBHOOK_NETWORKS="127.0.0.1,::1", TRAWL_WEBHOOK_RETRIES="0.1,0.1,0.1,0.1"
    )
    yield server
    server.remove()


@pytest.fixture
def app(server: Server) -> Firecrawl:
    return Firecrawl(api_url=server.url, api_key=server.key)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def secret_of(key: str) -> str:
    return "whsec_" + hmac.new(key.encode(), b"firecrawl webhooks", hashlib.sha256).hexdigest()


def test_crawl_is_reported_page_by_page(app: Firecrawl, server: Server, receiver: Receiver) -> None:
    webhook = WebhookConfig(
        url=f"{receiver.url}/hook?tenant=7",
        headers={"X-Tenant": "seven", "Authorization": "Bearer hush"},
        metadata={"project": "docs"},
    )
    options = ScrapeOptions(formats=["markdown", "links"])
    started = app.start_crawl(SITE, limit=4, webhook=webhook, scrape_options=options)
    bodies = receiver.until("crawl.completed", started.id)
    kinds = [body["type"] for body in bodies]
    assert kinds == ["crawl.started", *["crawl.page"] * 4, "crawl.completed"]
    assert len({body["webhookId"] for body in bodies}) == 6
    assert all(body["success"] is True and body["id"] == started.id for body in bodies)
    assert all(body["metadata"] == {"project": "docs"} for body in bodies)
    assert (bodies[0]["data"], bodies[-1]["data"]) == ([], [])
    pages = [page for body in bodies[1:-1] for page in body["data"]]
    job = app.get_crawl_status(started.id)
    assert sorted(page["metadata"]["sourceURL"] for page in pages) == sorted(
        page.metadata.source_url for page in job.data
    )
    assert all(page["markdown"] and page["links"] is not None for page in pages)
    for delivery in receiver.seen:
        assert delivery.path == "/hook?tenant=7"
        assert delivery.headers["content-type"] == "application/json"
        assert delivery.headers["x-tenant"] == "seven"
        assert delivery.headers["authorization"] == "Bearer hush"
        assert delivery.is_signed(secret_of(server.key))
        assert not delivery.is_signed(secret_of("key_live_other"))


def test_events_are_chosen_and_a_batch_has_its_own_names(
    app: Firecrawl, receiver: Receiver
) -> None:
    webhook = WebhookConfig(url=receiver.url, events=["page", "completed"])
    started = app.start_batch_scrape([PAGE, SITE], webhook=webhook)
    bodies = receiver.until("batch_scrape.completed", started.id)
    kinds = [body["type"] for body in bodies]
    assert kinds == ["batch_scrape.page", "batch_scrape.page", "batch_scrape.completed"]
    urls = [page["metadata"]["sourceURL"] for body in bodies for page in body["data"]]
    assert sorted(urls) == sorted([PAGE, SITE])


def test_end_without_success_is_reported_with_its_reason(
    app: Firecrawl, receiver: Receiver
) -> None:
    started = app.start_crawl(SITE, delay=30, webhook=receiver.url)
    receiver.until("crawl.started", started.id)
    app.cancel_crawl(started.id)
    end = receiver.until("crawl.failed", started.id)[-1]
    assert (end["type"], end["success"]) == ("crawl.failed", False)
    assert end["error"] == "the job was cancelled" and end["data"] == []


def test_refused_deliveries_are_repeated_before_the_end_is_sent(app: Firecrawl) -> None:
    refused: set[str] = set()

    def status(delivery: Delivery) -> int:
        first = delivery.body["webhookId"] not in refused
        refused.add(delivery.body["webhookId"])
        return 503 if first else 204

    receiver = Receiver(status)
    try:
        started = app.start_crawl(SITE, limit=3, webhook=receiver.url)
        bodies = receiver.until("crawl.completed", started.id)
        while len([one for one in bodies if one["type"] == "crawl.completed"]) < 2:
            bodies = receiver.until("crawl.completed", started.id)
        # Each delivery twice with the same body, and each event after the end of the one before.
        assert [body["type"] for body in bodies[:2]] == ["crawl.started"] * 2
        assert [body["type"] for body in bodies[-2:]] == ["crawl.completed"] * 2
        raw = [one.raw for one in receiver.seen]
        assert len(raw) == 10 and len(set(raw)) == 5
    finally:
        receiver.close()


def test_receivers_are_named_by_the_operator(app: Firecrawl, receiver: Receiver) -> None:
    port = receiver.url.rpartition(":")[2]
    started = app.start_crawl(SITE, limit=1, webhook=f"http://localhost:{port}/")
    receiver.until("crawl.completed", started.id)
    for url, part in [
        ("http://93.184.216.34/hook", "must begin with https://"),
        ("http://10.0.0.7/hook", "not public"),
        ("ftp://example.com/", "must be absolute"),
    ]:
        with pytest.raises(BadRequestError) as refused:
            app.start_crawl(SITE, webhook=url)
        assert "webhook.url" in str(refused.value) and part in str(refused.value)
    large = WebhookConfig(url=receiver.url, metadata={"text": "x" * 5000})
    with pytest.raises(BadRequestError) as refused:
        app.start_crawl(SITE, webhook=large)
    assert "webhook.metadata" in str(refused.value)


def test_without_a_network_of_the_operator_only_https_is_accepted(receiver: Receiver) -> None:
    server = Server()
    try:
        app = Firecrawl(api_url=server.url, api_key=server.key)
        for url in [receiver.url, "http://localhost:3000/", "http://hooks.example.com/"]:
            with pytest.raises(BadRequestError) as refused:
                app.start_crawl(SITE, webhook=url)
            assert "webhook.url" in str(refused.value)
        assert receiver.seen == []
    finally:
        server.remove()


def test_client_of_version_1_gets_the_same_events(server: Server, receiver: Receiver) -> None:
    app = V1FirecrawlApp(api_url=f"{server.url}/firecrawl", api_key=server.key)
    started = app.async_crawl_url(SITE, limit=2, webhook=receiver.url)
    bodies = receiver.until("crawl.completed", started.id)
    assert [body["type"] for body in bodies].count("crawl.page") == 2
