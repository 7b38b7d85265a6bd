"""The client: starts jobs and gives access to the resources of the API."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Literal, Self, overload

import httpx
from typing_extensions import Unpack

from .._retry import RetryPolicy
from ..bodies import CreateEstimate, CreateJob, JobOptions, MapOptions, ReadOptions
from ..items import page_answer
from ..models import (
    ContactItem,
    Estimate,
    JobProgress,
    LinkItem,
    MarkdownItem,
    PageAnswer,
    ProductItem,
    SitemapItem,
    UrlMap,
)
from .job import AsyncJob
from .resources import AsyncAccountResource, AsyncJobs, AsyncLists, AsyncSchedules, AsyncWebhooks
from .transport import AsyncTransport


class AsyncTrawl:
    """A client of a Trawl server.

    `base_url` and `api_key` default to the environment variables `TRAWL_URL` and `TRAWL_KEY`.
    `timeout` is for each phase of one request, in seconds. Use the client as a
    context manager, or close it.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self.transport = AsyncTransport(
            base_url,
            api_key,
            timeout=timeout,
            retry=retry or RetryPolicy(),
            http_client=http_client,
        )
        self.jobs = AsyncJobs(self.transport)
        self.lists = AsyncLists(self.transport)
        self.schedules = AsyncSchedules(self.transport)
        self.webhooks = AsyncWebhooks(self.transport)
        self.account = AsyncAccountResource(self.transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections, unless the caller passed its own `http_client`."""
        await self.transport.aclose()

    async def estimate(self, **body: Unpack[CreateEstimate]) -> Estimate:
        """Expected pages and price of a run, without starting it."""
        return await self.transport.post("/v1/estimate", Estimate, body, repeatable=True)

    async def map(self, url: str, **options: Unpack[MapOptions]) -> UrlMap:
        """The URLs of a site that can be found in ten seconds, without a job."""
        body = {"url": url, **options}
        return await self.transport.post("/v1/map", UrlMap, body, repeatable=True)

    async def read(
        self, url: str, *, idempotency_key: str | None = None, **options: Unpack[ReadOptions]
    ) -> PageAnswer:
        """Reads one page at once, without a job. The mode is `markdown` unless it is given.

        Without `idempotency_key` each call reads and charges a page: the key is new, and only
        makes repeated attempts of this call safe.
        """
        response = await self.transport.send(
            "POST",
            "/v1/pages",
            body={"url": url, **options},
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeatable=True,
        )
        return page_answer(response.json())

    @overload
    async def start(
        self,
        target: str | Sequence[str],
        mode: Literal["links"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[LinkItem]: ...

    @overload
    async def start(
        self,
        target: str,
        mode: Literal["sitemap"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[SitemapItem]: ...

    @overload
    async def start(
        self,
        target: str | Sequence[str],
        mode: Literal["products"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[ProductItem]: ...

    @overload
    async def start(
        self,
        target: str | Sequence[str],
        mode: Literal["markdown"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[MarkdownItem]: ...

    @overload
    async def start(
        self,
        target: str | Sequence[str],
        mode: Literal["contacts"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[ContactItem]: ...

    async def start(
        self,
        target: str | Sequence[str],
        mode: Any,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[Any]:
        """Starts a job and returns at once.

        `target` can be a list: of domains in `contacts`, of URLs in `links`, `products` and
        `markdown`. Without `idempotency_key` each call starts a job.
        """
        body = self._body(target, mode, options)
        return await self.jobs.create(body, idempotency_key=idempotency_key)

    @overload
    async def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["links"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[LinkItem]: ...

    @overload
    async def crawl(
        self,
        target: str,
        mode: Literal["sitemap"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[SitemapItem]: ...

    @overload
    async def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["products"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[ProductItem]: ...

    @overload
    async def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["markdown"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[MarkdownItem]: ...

    @overload
    async def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["contacts"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[ContactItem]: ...

    async def crawl(
        self,
        target: str | Sequence[str],
        mode: Any,
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> AsyncJob[Any]:
        """Starts a job and waits until it has completed: `start`, then `AsyncJob.wait`."""
        job = await self.jobs.create(self._body(target, mode, options))
        await job.wait(timeout=timeout, on_progress=on_progress, continue_batches=continue_batches)
        return job

    def _body(self, target: str | Sequence[str], mode: str, options: JobOptions) -> CreateJob:
        body: Any = {"mode": mode, **options}
        if isinstance(target, str):
            body["url"] = target
        else:
            body["domains" if mode == "contacts" else "urls"] = list(target)
        return body  # type: ignore[no-any-return]
