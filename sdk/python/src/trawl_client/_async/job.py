"""A job: progress, results, files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import httpx
from typing_extensions import Unpack

from .._retry import pause_async
from .._sse import EventParser
from ..bodies import Confirm, GetChangesQuery, GetSkippedQuery
from ..errors import (
    ConfirmationRequiredError,
    ConnectionFailedError,
    JobFailedError,
    ServerError,
    WaitTimeoutError,
    api_error,
)
from ..items import Item, changes_page, filter_query, results_page, to_pandas
from ..models import (
    ChangeItem,
    ChangesPage,
    Export,
    ExportFormat,
    JobAccepted,
    JobProgress,
    Mode,
    PublicJob,
    ResultsPage,
    SkippedUrl,
    Status,
    UrlExplanation,
)
from .transport import AsyncTransport, segment

if TYPE_CHECKING:
    import pandas

ItemT_co = TypeVar("ItemT_co", bound=Item, covariant=True)

# Statuses of a job that the server continues without the client.
ACTIVE = frozenset({"queued", "running"})
FINAL = frozenset({"completed", "failed", "aborted"})

# The server sends a comment every 15 seconds.
SILENCE = 45.0
# Failures in a row until `wait` gives up: a server may restart meanwhile.
PATIENCE = 8
CHUNK = 1 << 16


class AsyncJob(Generic[ItemT_co]):
    """A job on the server. `status` and `info` are as of the last call."""

    def __init__(
        self,
        transport: AsyncTransport,
        job_id: str,
        *,
        accepted: JobAccepted | None = None,
        info: PublicJob | None = None,
    ) -> None:
        self._transport = transport
        self._path = f"/v1/jobs/{segment(job_id)}"
        self.id = job_id
        known = info or accepted
        self.status: Status | None = known.status if known else None
        self.mode: Mode | None = known.mode if known else None
        self.info = info

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status or ''}>"

    def _updated(self, info: PublicJob) -> PublicJob:
        self.info, self.status, self.mode = info, info.status, info.mode
        return info

    async def refresh(self) -> PublicJob:
        """The current state of the job."""
        return self._updated(await self._transport.get(self._path, PublicJob))

    async def confirm(self, **body: Unpack[Confirm]) -> PublicJob:
        """Continues a job that waits: for a higher rate, at a batch boundary, or for credits."""
        return self._updated(await self._transport.post(f"{self._path}/confirm", PublicJob, body))

    async def abort(self) -> PublicJob:
        """Stops the job. Charged results stay readable."""
        path = f"{self._path}/abort"
        return self._updated(await self._transport.post(path, PublicJob, repeatable=True))

    async def wait(
        self,
        *,
        timeout: float | None = None,
        on_progress: Callable[[JobProgress], object] | None = None,
        continue_batches: bool = False,
    ) -> PublicJob:
        """Waits until the job has completed.

        `on_progress` is called after each change, at most once per second. `continue_batches`
        confirms batch boundaries. Raises `JobFailedError`, `ConfirmationRequiredError`, or
        `WaitTimeoutError` after `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            async with aclosing(self._progress(deadline)) as events:
                async for progress in events:
                    if on_progress is not None:
                        on_progress(progress)
                    if progress.status not in ACTIVE:
                        break
            info = await self.refresh()
            if info.status == "completed":
                return info
            if info.status in FINAL:
                raise JobFailedError(info)
            if info.batch_ready and continue_batches:
                await self.confirm(continue_batch=True)
            elif info.status not in ACTIVE:
                raise ConfirmationRequiredError(info)

    def watch(self, *, timeout: float | None = None) -> AsyncIterator[JobProgress]:
        """The state of the job after each change, until it has ended; reconnects as needed."""
        return self._progress(None if timeout is None else time.monotonic() + timeout)

    async def _progress(self, deadline: float | None) -> AsyncGenerator[JobProgress]:
        parser = EventParser()
        failures = 0
        while True:
            parser.start()
            headers = {**self._transport.headers, "Accept": "text/event-stream"}
            if parser.last_id is not None:
                headers["Last-Event-ID"] = parser.last_id
            seconds = parser.retry
            url = f"{self._transport.base_url}{self._path}/events"
            try:
                async with self._transport.stream(url, headers, self._left(deadline)) as response:
                    if response.status_code == httpx.codes.NO_CONTENT:
                        return
                    if response.is_success:
                        async for line in response.aiter_lines():
                            event = parser.push(line)
                            if event is not None:
                                failures = 0
                                progress = JobProgress.model_validate_json(event.data)
                                self.status = progress.status
                                yield progress
                                if event.kind == "end":
                                    return
                            self._left(deadline)
                    else:
                        await response.aread()
                        error = api_error(response)
                        # Streams are limited, and a restart closes them: then the state is polled.
                        if error.status not in (429, 500, 502, 503, 504):
                            raise error
                        seconds = min(error.retry_after or seconds, 10.0)
            except httpx.TransportError as error:
                failures += 1
                self._left(deadline)
                if failures > PATIENCE:
                    raise ConnectionFailedError(f"{url} is interrupted: {error!r}") from error
            await pause_async(min(seconds, self._left(deadline)))
            try:
                if (await self.refresh()).status in FINAL:
                    return
            except (ConnectionFailedError, ServerError):
                failures += 1
                if failures > PATIENCE:
                    raise

    def _left(self, deadline: float | None) -> float:
        """Seconds to wait for the next bytes."""
        if deadline is None:
            return SILENCE
        left = deadline - time.monotonic()
        if left <= 0:
            raise WaitTimeoutError(f"{self.id} has not ended: {self.status}")
        return min(left, SILENCE)

    async def explain(self, url: str) -> UrlExplanation:
        """Why the run delivered, skipped or never found a URL, or a path of the site."""
        path = f"{self._path}/explain"
        return await self._transport.post(path, UrlExplanation, {"url": url}, repeatable=True)

    async def delete(self) -> None:
        """Deletes the job, which must have ended, with its results."""
        await self._transport.send("DELETE", self._path)

    async def results_page(
        self,
        *,
        offset: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        filter: Mapping[str, Any] | None = None,
    ) -> ResultsPage:
        """One page of results, with the total. `cursor` is `next_cursor` of an earlier page."""
        query = {"offset": offset, "page_size": page_size, "cursor": cursor, **filter_query(filter)}
        response = await self._transport.send("GET", f"{self._path}/results", query=query)
        return results_page(response.json())

    async def results(
        self,
        *,
        offset: int | None = None,
        page_size: int | None = None,
        filter: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[ItemT_co]:
        """The results, page by page; also while the job is running.

        `filter` names conditions, such as `{"status_code[gte]": 400}`. It excludes `offset`.
        """
        cursor = None
        while True:
            page = await self.results_page(
                offset=offset, page_size=page_size, cursor=cursor, filter=filter
            )
            for item in page.items:
                yield cast("ItemT_co", item)
            offset, cursor = None, page.next_cursor
            if not page.has_more:
                return

    async def rows(
        self,
        *,
        fields: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        follow: bool = False,
    ) -> AsyncIterator[dict[str, Any]]:
        """The results as dictionaries, by one stream.

        `fields` selects members. `follow` continues with further results until the job has ended.
        """
        headers = {**self._transport.headers, "Accept": "application/x-ndjson"}
        selection = {"fields": ",".join(fields)} if fields else {}
        query = {**selection, **filter_query(filter), "follow": follow}
        count = failures = 0
        while True:
            position = {} if filter else {"offset": count}
            params = httpx.QueryParams({**query, **position})
            url = f"{self._transport.base_url}{self._path}/results?{params}"
            try:
                async with self._transport.stream(url, headers, SILENCE) as response:
                    if not response.is_success:
                        await response.aread()
                        raise api_error(response)
                    async for line in response.aiter_lines():
                        if line:
                            count, failures = count + 1, 0
                            yield json.loads(line)
                    return
            except httpx.TransportError as error:
                failures += 1
                # With a filter the number of lines is no position.
                if filter or failures > PATIENCE:
                    raise ConnectionFailedError(f"{url} is interrupted: {error!r}") from error
            await pause_async(min(float(failures), 10.0))

    async def skipped(self, **query: Unpack[GetSkippedQuery]) -> AsyncIterator[SkippedUrl]:
        """The URLs that the run found and did not deliver, with the reason."""
        path = f"{self._path}/skipped"
        async for item in self._transport.list_items(path, SkippedUrl, query):
            yield item

    async def skipped_reasons(self) -> dict[str, int]:
        """The number of skipped URLs by reason."""
        query = {"page_size": 1}
        response = await self._transport.send("GET", f"{self._path}/skipped", query=query)
        return cast("dict[str, int]", response.json()["reasons"])

    async def changes(self, **query: Unpack[GetChangesQuery]) -> AsyncIterator[ChangeItem]:
        """The items that differ from an earlier run."""
        async for body in self._transport.list_pages(f"{self._path}/changes", query):
            for change in changes_page(body).items:
                yield change

    async def changes_page(self, **query: Unpack[GetChangesQuery]) -> ChangesPage:
        """The first page of changes, with the counts."""
        response = await self._transport.send("GET", f"{self._path}/changes", query=query)
        return changes_page(response.json())

    async def export(
        self, format: ExportFormat | str = "xlsx", *, table: str | None = None
    ) -> Export:
        """A link to a file, valid for one download, without credential."""
        body: dict[str, Any] = {"format": str(format)}
        if table is not None:
            body["table"] = table
        path = f"{self._path}/export"
        return await self._transport.post(path, Export, body, repeatable=True)

    async def download(
        self,
        file: str | os.PathLike[str],
        *,
        format: ExportFormat | str | None = None,
        table: str | None = None,
    ) -> Path:
        """Writes the results to a file, whose name selects the format unless it is given.

        The file appears when it is complete. An interrupted download starts again.
        """
        target = Path(file)
        # `.warc.gz` is the only suffix with two parts.
        archive = "warc" if target.name.lower().endswith(".warc.gz") else None
        chosen = format or archive or target.suffix.removeprefix(".")
        if not chosen:
            raise ValueError(f"{target} has no suffix: pass format")
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        attempt = 0
        try:
            while True:
                attempt += 1
                link = await self.export(chosen, table=table)
                try:
                    await self._fetch(link.url, part)
                    part.replace(target)
                    return target
                except httpx.TransportError as error:
                    seconds = self._transport.retry.after_error(attempt, error, repeatable=True)
                    if seconds is None:
                        raise ConnectionFailedError(f"download of {target}: {error!r}") from error
                await pause_async(seconds)
        finally:
            part.unlink(missing_ok=True)

    async def _fetch(self, url: str, part: Path) -> None:
        # The link is the credential: the API key is not sent, as the link may name another host.
        headers = {"User-Agent": self._transport.headers["User-Agent"]}
        async with self._transport.stream(url, headers, SILENCE) as response:
            if not response.is_success:
                await response.aread()
                raise api_error(response)
            with part.open("wb") as out:
                async for chunk in response.aiter_bytes(CHUNK):
                    out.write(chunk)

    async def to_pandas(self) -> pandas.DataFrame:
        """All results as a table; needs `pip install trawl-client[pandas]`."""
        return to_pandas([item async for item in self.results()])
