"""Webhooks, schedules, account."""

from __future__ import annotations

import hashlib
import hmac
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue

import pytest
from server import Server

from trawl_client import SignatureError, Trawl
from trawl_client.models import JobEventData
from trawl_client.webhooks import SIGNATURE_HEADER, verify

Receiving = tuple[Server, str, Queue[tuple[str | None, bytes]]]

SHOP = "https://shop.lab.test/"


@pytest.fixture(scope="module")
def deliveries(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Receiving]:
    """A server, the URL of a receiver over TLS, and what it has received."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    flags = ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*command.split(), *names, *flags], cwd=folder, check=True, capture_output=True)
    received: Queue[tuple[str | None, bytes]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put((self.headers[SIGNATURE_HEADER], body))
            self.send_response(204)
            self.end_headers()

    http = HTTPServer(("127.0.0.1", 0), Receiver)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    http.socket = context.wrap_socket(http.socket, server_side=True)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    port = http.server_port
    server = Server(
        TRAWL_ALLOW_WEBHOOK_NETWORKS=f"127.0.0.1:{port}",
        TRAWL_EXTRA_CA=str(Path(folder / "cert.pem")),
    )
    yield server, f"https://127.0.0.1:{port}/trawl", received
    server.remove()
    http.shutdown()
    http.server_close()


def test_delivery_of_the_server_is_verified(
    deliveries: Receiving,
) -> None:
    server, url, received = deliveries
    with Trawl(server.url, server.key) as trawl:
        endpoint = trawl.webhooks.create(url=url, events=["job.completed"])
        job = trawl.crawl(SHOP, "links")
        signature, body = received.get(timeout=60)
        event = verify(endpoint.secret, signature, body)
        assert event.type == "job.completed"
        assert isinstance(event.data, JobEventData)
        assert event.data.job.job_id == job.id

        with pytest.raises(SignatureError, match="does not match"):
            verify("whsec_other", signature, body)
        with pytest.raises(SignatureError, match="does not match"):
            verify(endpoint.secret, signature, body + b" ")
        with pytest.raises(SignatureError, match="old"):
            verify(endpoint.secret, signature, body, now=time.time() + 301)
        for missing in (None, "", "v1=00", "t=,v1=", "t=²,v1=00"):
            with pytest.raises(SignatureError, match="missing"):
                verify(endpoint.secret, missing, body)

        assert trawl.webhooks.change(endpoint.id, events=["job.failed"]).events == ["job.failed"]
        assert trawl.webhooks.test(endpoint.id).type == "webhook.test"
        assert verify(endpoint.secret, *received.get(timeout=60)).type == "webhook.test"
        delivered = list(trawl.webhooks.deliveries(endpoint.id, page_size=1))
        assert len(delivered) == 2
        trawl.webhooks.redeliver(endpoint.id, delivered[-1].id)
        assert verify(endpoint.secret, *received.get(timeout=60)).id == event.id
        events = list(trawl.webhooks.events(page_size=1))
        assert event.id in [one.id for one in events]
        assert list(trawl.webhooks.events(after=events[-1].id)) == []
        trawl.webhooks.remove(endpoint.id)
        assert trawl.webhooks.list() == []


def test_time_of_a_signature_may_differ_in_both_directions() -> None:
    body = b'{"id":"evt_1","type":"job.x","emitted_at":"2026-11-15T09:30:00.000Z","data":{}}'
    signed = hmac.new(b"whsec_x", b"1000." + body, hashlib.sha256).hexdigest()
    for now in (701, 1299):
        event = verify("whsec_x", f"t=1000,v1={signed}", body, now=now)
        assert event.type == "job.x"
        assert event.data.model_dump() == {}
    for now in (699, 1301):
        with pytest.raises(SignatureError):
            verify("whsec_x", f"t=1000,v1={signed}", body, now=now)


def test_schedule_is_created_changed_run_and_removed(trawl: Trawl) -> None:
    schedule = trawl.schedules.create(
        cron="0 6 * * MON-FRI",
        timezone="Europe/Berlin",
        name="Every morning",
        request={"mode": "products", "url": SHOP, "options": {"sample_size": 3}},
    )
    assert len(schedule.next_runs) == 5
    assert trawl.schedules.change(schedule.id, paused=True).paused
    first = trawl.schedules.run(schedule.id)
    first.wait()
    second = trawl.schedules.run(schedule.id)
    second.wait()
    assert {job.id for job in trawl.jobs.list(schedule=schedule.id)} == {first.id, second.id}
    changes = second.changes_page()
    assert changes.since == first.id
    assert sum(1 for _ in second.changes(page_size=1)) == changes.total
    assert trawl.schedules.get(schedule.id).last_run is not None
    trawl.schedules.remove(schedule.id)
    assert schedule.id not in [one.id for one in trawl.schedules.list()]


def test_account_usage_ledger_and_audit_are_read(trawl: Trawl) -> None:
    account = trawl.account.get()
    assert account.key is not None
    assert account.limits.batch_size == 10_000
    assert trawl.account.usage(group_by="mode").group_by == "mode"
    assert list(trawl.account.ledger()) == []
    assert any(entry.action == "key.created" for entry in trawl.account.audit())


def test_estimate_prices_a_site(trawl: Trawl) -> None:
    estimate = trawl.estimate(mode="links", url="https://docs.lab.test/")
    assert (estimate.estimated_pages, estimate.protected, estimate.reachable) == (33, False, True)
