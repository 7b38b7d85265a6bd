"""Reads the pages of a site as documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.bridge.pydantic import SecretStr
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document
from trawl_client import AsyncTrawl, Trawl
from trawl_client.models import MarkdownItem


class TrawlReader(BasePydanticReader):
    """Crawls a site in mode `markdown`: one document per page.

    The text is Markdown without navigation and footer. The id of a document is its URL, so that a
    later run replaces the documents of the earlier one. `base_url` and `api_key` default to
    `TRAWL_URL` and `TRAWL_KEY`.
    """

    is_remote: bool = True
    base_url: str | None = None
    api_key: SecretStr | None = None

    @classmethod
    def class_name(cls) -> str:
        return "TrawlReader"

    def _server(self) -> tuple[str | None, str | None]:
        key = self.api_key.get_secret_value() if self.api_key else None
        return self.base_url, key

    def lazy_load_data(
        self,
        url: str | None = None,
        *,
        job_id: str | None = None,
        timeout: float | None = None,
        **request: Any,
    ) -> Iterable[Document]:
        """Waits for the run, then yields its pages.

        `request` has members of a job request, as `options`, `scope`, `max_credit_per_unit`. With
        `job_id` instead of `url` it reads the results of a run that exists.
        """
        body = _body(url, job_id, request)
        with Trawl(*self._server()) as trawl:
            if job_id is None:
                job = trawl.jobs.create(body)
                job.wait(timeout=timeout, continue_batches=True)
            else:
                job = trawl.jobs.get(job_id)
            for item in job.results():
                yield _document(item)

    async def aload_data(
        self,
        url: str | None = None,
        *,
        job_id: str | None = None,
        timeout: float | None = None,
        **request: Any,
    ) -> list[Document]:
        """The same as `load_data`, without blocking the event loop."""
        body = _body(url, job_id, request)
        async with AsyncTrawl(*self._server()) as trawl:
            if job_id is None:
                job = await trawl.jobs.create(body)
                await job.wait(timeout=timeout, continue_batches=True)
            else:
                job = await trawl.jobs.get(job_id)
            return [_document(item) async for item in job.results()]


def _body(url: str | None, job_id: str | None, request: dict[str, Any]) -> Any:
    if (url is None) == (job_id is None):
        raise ValueError("pass url to crawl a site, or job_id to read a run that exists")
    return {"mode": "markdown", "url": url, **request}


def _document(item: object) -> Document:
    """The document of a page. Unknown values are omitted: vector stores refuse null."""
    if not isinstance(item, MarkdownItem):
        raise TypeError("the run is not in mode markdown")
    known = {
        "url": item.url,
        "title": item.title,
        "description": item.description,
        "language": item.language,
        "author": item.author,
        "published_at": item.published_at,
        "modified_at": item.modified_at,
        "content_hash": item.content_hash,
    }
    metadata = {name: value for name, value in known.items() if value is not None}
    return Document(
        id_=item.url,
        text=item.markdown,
        metadata=metadata,
        # Of no use to a model or to an embedding.
        excluded_llm_metadata_keys=["content_hash"],
        excluded_embed_metadata_keys=["content_hash", "modified_at", "published_at"],
    )
