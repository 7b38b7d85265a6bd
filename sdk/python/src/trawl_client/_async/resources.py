"""Jobs, lists of URLs, schedules, webhook endpoints and account."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import Unpack

from ..bodies import (
    ChangeSchedule,
    ChangeWebhook,
    CreateJob,
    CreateSchedule,
    CreateWebhook,
    ListDeliveriesQuery,
    ListEventsQuery,
    ListJobsQuery,
    ListSchedulesQuery,
)
from ..items import Item
from ..models import (
    Account,
    AuditEntry,
    CreatedWebhook,
    Delivery,
    Event,
    JobAccepted,
    LedgerLine,
    PublicJob,
    Schedule,
    UploadedList,
    Usage,
    UsageGroup,
    Webhook,
)
from .job import AsyncJob
from .transport import AsyncTransport, segment


class AsyncJobs:
    """`/v1/jobs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreateJob, *, idempotency_key: str | None = None) -> AsyncJob[Any]:
        """Starts a job and returns at once.

        Without `idempotency_key` each call starts a job: the key is new, and only makes repeated
        attempts of this call safe.
        """
        response = await self._transport.send(
            "POST",
            "/v1/jobs",
            body=body,
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeatable=True,
        )
        accepted = JobAccepted.model_validate_json(response.content)
        return AsyncJob(self._transport, accepted.job_id, accepted=accepted)

    async def get(self, job_id: str) -> AsyncJob[Item]:
        """A job by its id, with its state."""
        info = await self._transport.get(f"/v1/jobs/{segment(job_id)}", PublicJob)
        return AsyncJob(self._transport, job_id, info=info)

    async def list(
        self,
        *,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        **query: Unpack[ListJobsQuery],
    ) -> AsyncIterator[AsyncJob[Item]]:
        """The jobs of the account, newest first; those that were created between two times."""
        sent = {**query, "from": time_text(from_), "to": time_text(to)}
        async for info in self._transport.list_items("/v1/jobs", PublicJob, sent):
            yield AsyncJob(self._transport, info.job_id, info=info)


class AsyncLists:
    """`/v1/lists`: lists of up to 1,000,000 URLs. Pass `list_id` to `jobs.create`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upload(self, urls: Iterable[str] | Path, *, timeout: float = 660.0) -> UploadedList:
        """Uploads URLs, or the file of a `Path` with one URL per line (or JSON Lines if its name
        ends in `.jsonl` or `.ndjson`). The list is kept for 7 days.
        """
        kind = "text/plain"
        if isinstance(urls, Path):
            if urls.suffix.lower() in (".jsonl", ".ndjson"):
                kind = "application/x-ndjson"
            content = urls.read_bytes()
        elif isinstance(urls, str):
            raise TypeError("urls is one text: pass a list of URLs, or a Path")
        else:
            content = "\n".join(urls).encode()
        response = await self._transport.send(
            "POST", "/v1/lists", content=content, headers={"Content-Type": kind}, timeout=timeout
        )
        return UploadedList.model_validate_json(response.content)

    async def get(self, list_id: str) -> UploadedList:
        """The number of URLs of a list, and until when jobs can be started over it."""
        return await self._transport.get(f"/v1/lists/{segment(list_id)}", UploadedList)

    async def remove(self, list_id: str) -> None:
        """Deletes a list; jobs over it keep their URLs."""
        await self._transport.send("DELETE", f"/v1/lists/{segment(list_id)}")


class AsyncSchedules:
    """`/v1/schedules`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **body: Unpack[CreateSchedule]) -> Schedule:
        """Creates a schedule: a job request, a cron expression and a time zone."""
        return await self._transport.post("/v1/schedules", Schedule, body)

    async def get(self, schedule_id: str) -> Schedule:
        """A schedule with its next starts and its last run."""
        return await self._transport.get(f"/v1/schedules/{segment(schedule_id)}", Schedule)

    async def list(self, **query: Unpack[ListSchedulesQuery]) -> AsyncIterator[Schedule]:
        """The schedules of the account."""
        async for item in self._transport.list_items("/v1/schedules", Schedule, query):
            yield item

    async def change(self, schedule_id: str, **body: Unpack[ChangeSchedule]) -> Schedule:
        """Changes the given members."""
        return await self._transport.patch(f"/v1/schedules/{segment(schedule_id)}", Schedule, body)

    async def run(self, schedule_id: str) -> AsyncJob[Item]:
        """Starts a run of the schedule now."""
        accepted = await self._transport.post(
            f"/v1/schedules/{segment(schedule_id)}/run", JobAccepted
        )
        return AsyncJob(self._transport, accepted.job_id, accepted=accepted)

    async def remove(self, schedule_id: str) -> None:
        """Deletes the schedule; its runs are kept."""
        await self._transport.send("DELETE", f"/v1/schedules/{segment(schedule_id)}")


class AsyncWebhooks:
    """`/v1/webhooks`. `trawl_client.webhooks.verify` verifies a delivery."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **body: Unpack[CreateWebhook]) -> CreatedWebhook:
        """Registers an endpoint. Store its `secret`: it is returned only here."""
        return await self._transport.post("/v1/webhooks", CreatedWebhook, body)

    async def list(self) -> list[Webhook]:
        """The endpoints of the account."""
        response = await self._transport.send("GET", "/v1/webhooks")
        return [Webhook.model_validate(item) for item in response.json()]

    async def change(self, webhook_id: str, **body: Unpack[ChangeWebhook]) -> Webhook:
        """Changes the given members."""
        return await self._transport.patch(f"/v1/webhooks/{segment(webhook_id)}", Webhook, body)

    async def remove(self, webhook_id: str) -> None:
        """Removes the endpoint with its pending deliveries."""
        await self._transport.send("DELETE", f"/v1/webhooks/{segment(webhook_id)}")

    async def test(self, webhook_id: str) -> Delivery:
        """Sends a `webhook.test` to the endpoint."""
        return await self._transport.post(f"/v1/webhooks/{segment(webhook_id)}/test", Delivery)

    async def deliveries(
        self, webhook_id: str, **query: Unpack[ListDeliveriesQuery]
    ) -> AsyncIterator[Delivery]:
        """The deliveries of an endpoint, newest first."""
        path = f"/v1/webhooks/{segment(webhook_id)}/deliveries"
        async for item in self._transport.list_items(path, Delivery, query):
            yield item

    async def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Sends a delivery again."""
        path = f"/v1/webhooks/{segment(webhook_id)}/deliveries/{segment(delivery_id)}/redeliver"
        return await self._transport.post(path, Delivery)

    async def events(self, **query: Unpack[ListEventsQuery]) -> AsyncIterator[Event]:
        """All events after the given one, delivered or not, in order."""
        while True:
            response = await self._transport.send("GET", "/v1/events", query=query)
            body = response.json()
            for item in body["items"]:
                yield Event.model_validate(item)
            if not body["has_more"] or not body["items"]:
                return
            query["after"] = body["items"][-1]["id"]


class AsyncAccountResource:
    """`/v1/account`, usage, ledger and audit log."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self) -> Account:
        """Balance, limits and the key of the request."""
        return await self._transport.get("/v1/account", Account)

    async def usage(
        self,
        *,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        group_by: UsageGroup | str | None = None,
    ) -> Usage:
        """Charges by `source`, `mode` or `day`."""
        query = {"from": time_text(from_), "to": time_text(to), "group_by": group_by}
        return await self._transport.get("/v1/usage", Usage, query)

    async def ledger(self) -> AsyncIterator[LedgerLine]:
        """Every change of the balance, newest first."""
        async for line in self._transport.list_items("/v1/ledger", LedgerLine):
            yield line

    async def audit(
        self,
        *,
        action: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
    ) -> AsyncIterator[AuditEntry]:
        """The audit log of the account, newest first."""
        query = {"action": action, "from": time_text(from_), "to": time_text(to)}
        async for entry in self._transport.list_items("/v1/audit", AuditEntry, query):
            yield entry


def time_text(time: datetime | str | None) -> str | None:
    """A time as the API takes it; a datetime without a time zone is in local time."""
    if isinstance(time, datetime):
        return time.astimezone().isoformat()
    return time
