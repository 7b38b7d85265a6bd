"""Requests: errors, retries, idempotency, unknown values."""

from __future__ import annotations

import pytest
from server import Fault, FaultProxy, Server

from trawl_client import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConnectionFailedError,
    InsufficientCreditsError,
    InvalidRequestError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    Trawl,
    TrawlError,
)
from trawl_client._sse import EventParser
from trawl_client.items import results_page
from trawl_client.models import Counts, Status

SHOP = "https://shop.lab.test/"


def test_invalid_request_names_each_field(trawl: Trawl) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        trawl.start(SHOP, "links", options={"sample_size": 0, "max_pages": -1})
    error = caught.value
    assert (error.status, error.code) == (422, "validation_failed")
    assert {field.field for field in error.errors} == {"options.sample_size", "options.max_pages"}
    assert error.request_id.startswith("req_")
    assert "options.max_pages" in str(error)
    assert error.docs.endswith("#validation_failed")


def test_unknown_option_is_rejected_by_the_server(trawl: Trawl) -> None:
    with pytest.raises(InvalidRequestError, match="sample_sise"):
        trawl.start(SHOP, "links", options={"sample_sise": 1})  # type: ignore[call-overload]


def test_errors_have_a_class_per_status(trawl: Trawl, server: Server) -> None:
    with pytest.raises(NotFoundError) as missing:
        trawl.jobs.get("job_" + "0" * 32)
    assert missing.value.code == "not_found"
    with (
        Trawl(server.url, "key_live_wrong") as other,
        pytest.raises(AuthenticationError) as refused,
    ):
        other.account.get()
    assert refused.value.code == "unauthorized"
    with pytest.raises(InsufficientCreditsError) as poor:
        trawl.start("https://example.com/", "links")
    assert poor.value.problem.available == 0
    assert poor.value.problem.required is not None
    assert poor.value.problem.top_up_url


def test_client_without_key_or_with_another_url_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRAWL_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="TRAWL_KEY"):
        Trawl("http://127.0.0.1:1")
    with pytest.raises(ConfigurationError, match="http"):
        Trawl("127.0.0.1:8080", "key")


def test_url_and_key_come_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAWL_URL", f"{server.url}/")
    monkeypatch.setenv("TRAWL_KEY", server.key)
    with Trawl() as trawl:
        assert trawl.account.get().credits == 0


def test_lost_response_does_not_start_a_second_job(behind: Trawl, proxy: FaultProxy) -> None:
    before = len(list(behind.jobs.list(mode="sitemap")))
    proxy.faults = [Fault("POST /v1/jobs", "drop"), Fault("POST /v1/jobs", "drop")]
    job = behind.crawl(SHOP, "sitemap")
    assert job.status == "completed"
    assert proxy.count("POST /v1/jobs") == 3
    assert len(list(behind.jobs.list(mode="sitemap"))) == before + 1


def test_each_call_starts_a_job_unless_the_key_is_repeated(trawl: Trawl) -> None:
    first, second = trawl.start(SHOP, "links"), trawl.start(SHOP, "links")
    assert first.id != second.id
    again = [trawl.start(SHOP, "links", idempotency_key="nightly 7") for _ in range(2)]
    assert again[0].id == again[1].id


def test_reading_is_repeated_after_errors_of_the_server(behind: Trawl, proxy: FaultProxy) -> None:
    proxy.faults = [
        Fault("GET /v1/account", "status", 503),
        Fault("GET /v1/account", "status", 502, None),
        Fault("GET /v1/account", "drop"),
    ]
    assert behind.account.get().credits == 0
    assert proxy.count("GET /v1/account") == 4


def test_attempts_are_limited(behind: Trawl, proxy: FaultProxy) -> None:
    proxy.faults = [Fault("GET /v1/account", "status", 503) for _ in range(9)]
    with pytest.raises(ServerError) as caught:
        behind.account.get()
    assert caught.value.status == 503
    assert proxy.count("GET /v1/account") == 4
    proxy.faults = [Fault("GET /v1/usage", "drop") for _ in range(9)]
    with pytest.raises(ConnectionFailedError, match="4 attempts"):
        behind.account.usage()


def test_rate_limit_is_waited_for_only_if_it_is_short(behind: Trawl, proxy: FaultProxy) -> None:
    proxy.faults = [Fault("GET /v1/account", "status", 429, "0")]
    assert behind.account.get().credits == 0
    proxy.faults = [Fault("GET /v1/account", "status", 429, "3600")]
    with pytest.raises(RateLimitedError) as caught:
        behind.account.get()
    assert caught.value.retry_after == 3600


def test_request_with_an_effect_is_not_repeated_after_a_lost_response(
    behind: Trawl, proxy: FaultProxy
) -> None:
    proxy.faults = [Fault("POST /v1/schedules", "drop")]
    with pytest.raises(ConnectionFailedError):
        behind.schedules.create(cron="@daily", request={"mode": "links", "url": SHOP})
    assert proxy.count("POST /v1/schedules") == 1
    created = list(behind.schedules.list())
    assert len(created) == 1
    behind.schedules.remove(created[0].id)


def test_response_of_another_server_is_an_error_with_its_status(
    behind: Trawl, proxy: FaultProxy
) -> None:
    proxy.faults = [Fault("GET /v1/account", "status", 418)]
    with pytest.raises(ApiError, match="not a response of Trawl") as caught:
        behind.account.get()
    assert (caught.value.status, caught.value.code) == (418, "http_418")


def test_progress_falls_back_to_polling_while_streams_are_refused(
    behind: Trawl, proxy: FaultProxy
) -> None:
    proxy.faults = [Fault("GET /v1/jobs/job_", "status", 429, "0")]
    assert behind.start(SHOP, "links").wait().status == "completed"
    assert proxy.faults == []


def test_id_cannot_lead_to_another_operation(behind: Trawl, proxy: FaultProxy) -> None:
    with pytest.raises(ApiError):
        behind.jobs.get("../account?page=1")
    assert proxy.seen == ["GET /v1/jobs/..%2Faccount%3Fpage%3D1"]


def test_unknown_mode_names_the_remedy() -> None:
    with pytest.raises(TrawlError, match="upgrade trawl-client"):
        results_page({"mode": "images", "items": []})


def test_unknown_values_and_members_of_newer_servers_are_kept() -> None:
    status = Status("archived")
    assert status == "archived"
    assert isinstance(status, Status)
    assert f"{status}" == "archived"
    counts = Counts.model_validate({"pages": 1, "products": 0, "results": 1, "images": 7})
    assert counts.model_dump()["images"] == 7


def test_event_parser_follows_the_specification() -> None:
    parser = EventParser()
    lines = ["retry: 250", "", ": comment", "id: 4", "event: progress", "data: {", "data:}", ""]
    events = [event for event in map(parser.push, lines) if event is not None]
    assert [(event.kind, event.data) for event in events] == [("progress", "{\n}")]
    assert (parser.last_id, parser.retry) == ("4", 0.25)
    parser.push("data: lost")
    parser.start()
    assert parser.push("") is None
