"""Sends requests: credential, retries, errors."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from .._model import Model
from .._retry import RetryPolicy, pause_async
from .._version import __version__
from ..errors import ConfigurationError, ConnectionFailedError, api_error

ModelT = TypeVar("ModelT", bound=Model)

DEFAULT_URL = "http://127.0.0.1:8080"
REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})


def segment(text: str) -> str:
    """An id as one segment of a path: it must not lead to another operation."""
    return quote(text, safe="")


class AsyncTransport:
    """A connection pool to one server. Repeats failed requests as `retry` says."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        *,
        timeout: float,
        retry: RetryPolicy,
        http_client: httpx.AsyncClient | None,
    ) -> None:
        url = base_url or os.environ.get("TRAWL_URL") or DEFAULT_URL
        key = api_key or os.environ.get("TRAWL_KEY")
        if not key:
            raise ConfigurationError("no API key: pass api_key or set TRAWL_KEY")
        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"base_url {url!r} does not begin with http:// or https://")
        self.base_url = url.rstrip("/")
        self.timeout = timeout
        self.retry = retry
        self._own = http_client is None
        self._http = http_client or httpx.AsyncClient()
        self._headers = {
            "Authorization": f"Bearer {key}",
            "User-Agent": f"trawl-client-python/{__version__}",
        }

    async def aclose(self) -> None:
        """Closes the connections, unless the caller passed its own `http_client`."""
        if self._own:
            await self._http.aclose()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
        timeout: float | None = None,
    ) -> httpx.Response:
        """A successful response, with its body. `repeatable`: a second attempt does no harm.
        `content` takes the place of a JSON `body`.
        """
        if repeatable is None:
            repeatable = method in REPEATABLE
        known = {key: value for key, value in (query or {}).items() if value is not None}
        attempt = 0
        while True:
            attempt += 1
            try:
                response = await self._http.request(
                    method,
                    self.base_url + path,
                    params=known,
                    json=body,
                    content=content,
                    headers={**self._headers, **(headers or {})},
                    timeout=timeout or self.timeout,
                )
            except httpx.TransportError as error:
                seconds = self.retry.after_error(attempt, error, repeatable)
                if seconds is None:
                    raise ConnectionFailedError(
                        f"{method} {self.base_url}{path} failed after {attempt} attempts: {error!r}"
                    ) from error
            else:
                if response.is_success:
                    return response
                seconds = self.retry.after_response(attempt, response, repeatable)
                if seconds is None:
                    raise api_error(response)
            await pause_async(seconds)

    async def get(
        self, path: str, model: type[ModelT], query: Mapping[str, Any] | None = None
    ) -> ModelT:
        response = await self.send("GET", path, query=query)
        return model.model_validate_json(response.content)

    async def post(
        self, path: str, model: type[ModelT], body: Any = None, *, repeatable: bool = False
    ) -> ModelT:
        response = await self.send("POST", path, body=body, repeatable=repeatable)
        return model.model_validate_json(response.content)

    async def patch(self, path: str, model: type[ModelT], body: Any) -> ModelT:
        # A second PATCH with the same members has no further effect.
        response = await self.send("PATCH", path, body=body, repeatable=True)
        return model.model_validate_json(response.content)

    async def list_pages(
        self, path: str, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Any]:
        """The bodies of all pages of a list."""
        page = 1
        while True:
            response = await self.send("GET", path, query={**(query or {}), "page": page})
            body = response.json()
            yield body
            more = body.get("has_more", page * body["page_size"] < body.get("total", 0))
            if not more:
                return
            page += 1

    async def list_items(
        self, path: str, model: type[ModelT], query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[ModelT]:
        """The items of all pages of a list."""
        async for body in self.list_pages(path, query):
            for item in body["items"]:
                yield model.model_validate(item)

    @asynccontextmanager
    async def stream(
        self, url: str, headers: Mapping[str, str], read_timeout: float
    ) -> AsyncIterator[httpx.Response]:
        """A response whose body is not read yet, of any status. One attempt."""
        timeout = httpx.Timeout(self.timeout, read=read_timeout)
        async with self._http.stream("GET", url, headers=headers, timeout=timeout) as response:
            yield response

    @property
    def headers(self) -> Mapping[str, str]:
        return self._headers
