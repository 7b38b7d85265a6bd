"""The real binary on loopback, and a proxy in front of it that injects faults."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
STARTED = "Trawl listens on "
FINAL_SECONDS = 60


def binary() -> Path:
    """`TRAWL_BIN`, or the debug build of the workspace."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(os.environ.get("TRAWL_BIN", target / "debug/trawl"))
    if not path.exists():
        raise RuntimeError(f"no binary {path}: run 'cargo build -p trawl', or set TRAWL_BIN")
    return path.resolve()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Server:
    """A server with a new database. It can be stopped and started again on the same port."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="trawl-sdk-"))
        self.settings = settings
        self._listen = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self._listen}"
        self.start()
        text = self._credentials()
        self.key = text.partition("API key")[2].split()[0]

    def start(self) -> None:
        env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        env |= {
            "TRAWL_DATA": str(self.folder / "data"),
            "TRAWL_LISTEN": self._listen,
            "TRAWL_CHROMIUM": "none",
            "TRAWL_FIRST_CREDITS": "0",
            "TRAWL_LOG": "error",
            "TRAWL_HOST_DELAY_MS": "5",
            "TRAWL_RETRY_MS": "50",
            "TRAWL_FIRST_BYTE_MS": "4000",
            "TRAWL_RATE_PER_MINUTE": "100000",
            "TRAWL_RATE_BURST": "100000",
            **self.settings,
        }
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binary(), "serve"], env=env, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(STARTED):
                break
        else:
            raise RuntimeError((self.folder / "log").read_text())
        # Nothing reads the pipe later.
        self._reader = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._reader.start()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=FINAL_SECONDS)
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _credentials(self) -> str:
        file = self.folder / "data/first-credentials.txt"
        deadline = time.monotonic() + FINAL_SECONDS
        while time.monotonic() < deadline:
            if file.exists() and "API key" in file.read_text():
                return file.read_text()
            time.sleep(0.05)
        raise RuntimeError(f"{file} is not written")


@dataclass
class Fault:
    """What the proxy does to the next request whose line starts with `match`.

    `drop` forwards the request and closes the connection instead of the response; `cut` closes it
    after half of the body; `status` responds without forwarding.
    """

    match: str
    action: str
    status: int = 503
    retry_after: str | None = "0"


@dataclass
class FaultProxy:
    """Forwards to a server. `seen` has the lines of all requests."""

    target: str
    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                return

            def handle_any(self) -> None:
                proxy.handle(self)

            do_GET = do_POST = do_PATCH = do_DELETE = do_HEAD = handle_any  # noqa: N815

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def count(self, start: str) -> int:
        return sum(line.startswith(start) for line in self.seen)

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        line = f"{request.command} {request.path}"
        self.seen.append(line)
        fault = next((one for one in self.faults if line.startswith(one.match)), None)
        if fault is not None:
            self.faults.remove(fault)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        request.close_connection = True
        if fault is not None and fault.action == "status":
            request.send_response(fault.status)
            if fault.retry_after is not None:
                request.send_header("Retry-After", fault.retry_after)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        host = self.target.removeprefix("http://")
        with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
            connection.request(request.command, request.path, body, dict(request.headers.items()))
            with connection.getresponse() as response:
                self._pass_on(request, response, fault.action if fault else "")

    def _pass_on(
        self, request: BaseHTTPRequestHandler, response: http.client.HTTPResponse, action: str
    ) -> None:
        if action == "drop":
            response.read()
            request.connection.shutdown(socket.SHUT_RDWR)
            return
        request.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                request.send_header(name, value)
        if action == "cut":
            whole = response.read()
            request.send_header("Content-Length", str(len(whole)))
            request.end_headers()
            request.wfile.write(whole[: len(whole) // 2])
            return
        # The end of the connection is the end of the body.
        request.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            while chunk := response.read1(65536):
                request.wfile.write(chunk)
                request.wfile.flush()
