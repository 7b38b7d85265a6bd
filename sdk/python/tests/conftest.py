"""Fixtures: one server for all tests, clients of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server import FaultProxy, Server

from trawl_client import RetryPolicy, Trawl

QUICK = RetryPolicy(first_pause=0.01, longest_pause=0.05)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server(TRAWL_PROTECTED_TIER="proxy", TRAWL_PROTECTED_PROXY="http://127.0.0.1:9")
    yield server
    server.remove()


@pytest.fixture
def trawl(server: Server) -> Iterator[Trawl]:
    with Trawl(server.url, server.key) as trawl:
        yield trawl


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    proxy = FaultProxy(server.url)
    yield proxy
    proxy.close()


@pytest.fixture
def behind(server: Server, proxy: FaultProxy) -> Iterator[Trawl]:
    """A client that connects through the proxy."""
    with Trawl(proxy.url, server.key, retry=QUICK) as trawl:
        yield trawl
