# Generated from ../_async by scripts/generate-sdk-models. Do not edit.

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
from .job import Job
from .resources import AccountResource, Jobs, Lists, Schedules, Webhooks
from .transport import Transport


class Trawl:
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
        http_client: httpx.Client | None = None,
    ) -> None:
        self.transport = Transport(
            base_url,
            api_key,
            timeout=timeout,
            retry=retry or RetryPolicy(),
            http_client=http_client,
        )
        self.jobs = Jobs(self.transport)
        self.lists = Lists(self.transport)
        self.schedules = Schedules(self.transport)
        self.webhooks = Webhooks(self.transport)
        self.account = AccountResource(self.transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless the caller passed its own `http_client`."""
        self.transport.close()

    def estimate(self, **body: Unpack[CreateEstimate]) -> Estimate:
        """Expected pages and price of a run, without starting it."""
        return self.transport.post("/v1/estimate", Estimate, body, repeatable=True)

    def map(self, url: str, **options: Unpack[MapOptions]) -> UrlMap:
        """The URLs of a site that can be found in ten seconds, without a job."""
        body = {"url": url, **options}
        return self.transport.post("/v1/map", UrlMap, body, repeatable=True)

    def read(
        self, url: str, *, idempotency_key: str | None = None, **options: Unpack[ReadOptions]
    ) -> PageAnswer:
        """Reads one page at once, without a job. The mode is `markdown` unless it is given.

        Without `idempotency_key` each call reads and charges a page: the key is new, and only
        makes repeated attempts of this call safe.
        """
        response = self.transport.send(
            "POST",
            "/v1/pages",
            body={"url": url, **options},
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeatable=True,
        )
        return page_answer(response.json())

    @overload
    def start(
        self,
        target: str | Sequence[str],
        mode: Literal["links"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[LinkItem]: ...

    @overload
    def start(
        self,
        target: str,
        mode: Literal["sitemap"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[SitemapItem]: ...

    @overload
    def start(
        self,
        target: str | Sequence[str],
        mode: Literal["products"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[ProductItem]: ...

    @overload
    def start(
        self,
        target: str | Sequence[str],
        mode: Literal["markdown"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[MarkdownItem]: ...

    @overload
    def start(
        self,
        target: str | Sequence[str],
        mode: Literal["contacts"],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[ContactItem]: ...

    def start(
        self,
        target: str | Sequence[str],
        mode: Any,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Job[Any]:
        """Starts a job and returns at once.

        `target` can be a list: of domains in `contacts`, of URLs in `links`, `products` and
        `markdown`. Without `idempotency_key` each call starts a job.
        """
        body = self._body(target, mode, options)
        return self.jobs.create(body, idempotency_key=idempotency_key)

    @overload
    def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["links"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[LinkItem]: ...

    @overload
    def crawl(
        self,
        target: str,
        mode: Literal["sitemap"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[SitemapItem]: ...

    @overload
    def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["products"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[ProductItem]: ...

    @overload
    def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["markdown"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[MarkdownItem]: ...

    @overload
    def crawl(
        self,
        target: str | Sequence[str],
        mode: Literal["contacts"],
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[ContactItem]: ...

    def crawl(
        self,
        target: str | Sequence[str],
        mode: Any,
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
        **options: Unpack[JobOptions],
    ) -> Job[Any]:
        """Starts a job and waits until it has completed: `start`, then `Job.wait`."""
        job = self.jobs.create(self._body(target, mode, options))
        job.wait(timeout=timeout, on_progress=on_progress, continue_batches=continue_batches)
        return job

    def _body(self, target: str | Sequence[str], mode: str, options: JobOptions) -> CreateJob:
        body: Any = {"mode": mode, **options}
        if isinstance(target, str):
            body["url"] = target
        else:
            body["domains" if mode == "contacts" else "urls"] = list(target)
        return body  # type: ignore[no-any-return]
