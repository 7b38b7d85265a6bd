"""One server for all tests. Clients find it by the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server(TRAWL_BATCH_SIZE="6")
    yield server
    server.remove()


@pytest.fixture(autouse=True)
def environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAWL_URL", server.url)
    monkeypatch.setenv("TRAWL_KEY", server.key)
