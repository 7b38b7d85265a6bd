"""Loads the pages of a site as documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from trawl_client import AsyncTrawl, Trawl
from trawl_client.bodies import Options, Scope
from trawl_client.models import MarkdownItem


class TrawlLoader(BaseLoader):
    """Crawls a site in mode `markdown`: one document per page.

    The text is Markdown without navigation and footer. `source` of the metadata is the URL, as is
    the id, so that a later run replaces the documents of the earlier one. With `job_id` instead of
    `url` it loads the results of a run that exists. `base_url` and `api_key` default to `TRAWL_URL`
    and `TRAWL_KEY`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        job_id: str | None = None,
        options: Options | None = None,
        scope: Scope | None = None,
        max_credit_per_unit: int | None = None,
        timeout: float | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
    ) -> None:
        if (url is None) == (job_id is None):
            raise ValueError("pass url to crawl a site, or job_id to load a run that exists")
        self.url = url
        self.job_id = job_id
        self.timeout = timeout
        self._body: dict[str, object] = {"mode": "markdown", "url": url}
        if options:
            self._body["options"] = options
        if scope:
            self._body["scope"] = scope
        if max_credit_per_unit is not None:
            self._body["max_credit_per_unit"] = max_credit_per_unit
        self._server = (base_url, api_key)

    def lazy_load(self) -> Iterator[Document]:
        """Waits for the run, then yields its pages. Raises `trawl_client.JobStoppedError`."""
        with Trawl(*self._server) as trawl:
            if self.job_id is None:
                job = trawl.jobs.create(self._body)  # type: ignore[arg-type]
                job.wait(timeout=self.timeout, continue_batches=True)
            else:
                job = trawl.jobs.get(self.job_id)
            for item in job.results():
                yield document(item)

    async def alazy_load(self) -> AsyncIterator[Document]:
        """The same, without blocking the event loop."""
        async with AsyncTrawl(*self._server) as trawl:
            if self.job_id is None:
                job = await trawl.jobs.create(self._body)  # type: ignore[arg-type]
                await job.wait(timeout=self.timeout, continue_batches=True)
            else:
                job = await trawl.jobs.get(self.job_id)
            async for item in job.results():
                yield document(item)


def document(item: object) -> Document:
    """The document of a page. Unknown values are omitted: vector stores refuse null."""
    if not isinstance(item, MarkdownItem):
        raise TypeError("the run is not in mode markdown")
    known = {
        "source": item.url,
        "title": item.title,
        "description": item.description,
        "language": item.language,
        "author": item.author,
        "published_at": item.published_at,
        "modified_at": item.modified_at,
        "token_estimate": item.token_estimate,
        "content_hash": item.content_hash,
    }
    metadata = {name: value for name, value in known.items() if value is not None}
    return Document(id=item.url, page_content=item.markdown, metadata=metadata)
