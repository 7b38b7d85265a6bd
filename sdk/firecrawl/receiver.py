"""A webhook receiver on loopback, without TLS, as scripts of Firecrawl use it."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FINAL_SECONDS = 60


@dataclass
class Delivery:
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw)

    def is_signed(self, secret: str) -> bool:
        """As the documentation of Firecrawl verifies a delivery."""
        digest = hmac.new(secret.encode(), self.raw, hashlib.sha256).hexdigest()
        return hmac.compare_digest(f"sha256={digest}", self.headers["x-firecrawl-signature"])


@dataclass
class Receiver:
    """`status` decides how a delivery is answered."""

    status: Callable[[Delivery], int] = lambda _: 200
    seen: list[Delivery] = field(default_factory=list)

    def __post_init__(self) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                return

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                delivery = Delivery(self.path, headers, raw)
                status = receiver.status(delivery)
                receiver.seen.append(delivery)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def until(self, kind: str, job: str) -> list[dict[str, Any]]:
        """The bodies of a job up to the event of this type."""
        deadline = time.monotonic() + FINAL_SECONDS
        while time.monotonic() < deadline:
            bodies = [one.body for one in self.seen if one.body["id"] == job]
            if any(body["type"] == kind for body in bodies):
                return bodies
            time.sleep(0.05)
        raise AssertionError(f"no {kind}: {[one.body['type'] for one in self.seen]}")

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
