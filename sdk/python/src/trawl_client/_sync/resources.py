# Generated from ../_async by scripts/generate-sdk-models. Do not edit.

"""Jobs, lists of URLs, schedules, webhook endpoints and account."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
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
from .job import Job
from .transport import Transport, segment


class Jobs:
    """`/v1/jobs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreateJob, *, idempotency_key: str | None = None) -> Job[Any]:
        """Starts a job and returns at once.

        Without `idempotency_key` each call starts a job: the key is new, and only makes repeated
        attempts of this call safe.
        """
        response = self._transport.send(
            "POST",
            "/v1/jobs",
            body=body,
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeatable=True,
        )
        accepted = JobAccepted.model_validate_json(response.content)
        return Job(self._transport, accepted.job_id, accepted=accepted)

    def get(self, job_id: str) -> Job[Item]:
        """A job by its id, with its state."""
        info = self._transport.get(f"/v1/jobs/{segment(job_id)}", PublicJob)
        return Job(self._transport, job_id, info=info)

    def list(
        self,
        *,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        **query: Unpack[ListJobsQuery],
    ) -> Iterator[Job[Item]]:
        """The jobs of the account, newest first; those that were created between two times."""
        sent = {**query, "from": time_text(from_), "to": time_text(to)}
        for info in self._transport.list_items("/v1/jobs", PublicJob, sent):
            yield Job(self._transport, info.job_id, info=info)


class Lists:
    """`/v1/lists`: lists of up to 1,000,000 URLs. Pass `list_id` to `jobs.create`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(self, urls: Iterable[str] | Path, *, timeout: float = 660.0) -> UploadedList:
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
        response = self._transport.send(
            "POST", "/v1/lists", content=content, headers={"Content-Type": kind}, timeout=timeout
        )
        return UploadedList.model_validate_json(response.content)

    def get(self, list_id: str) -> UploadedList:
        """The number of URLs of a list, and until when jobs can be started over it."""
        return self._transport.get(f"/v1/lists/{segment(list_id)}", UploadedList)

    def remove(self, list_id: str) -> None:
        """Deletes a list; jobs over it keep their URLs."""
        self._transport.send("DELETE", f"/v1/lists/{segment(list_id)}")


class Schedules:
    """`/v1/schedules`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Unpack[CreateSchedule]) -> Schedule:
        """Creates a schedule: a job request, a cron expression and a time zone."""
        return self._transport.post("/v1/schedules", Schedule, body)

    def get(self, schedule_id: str) -> Schedule:
        """A schedule with its next starts and its last run."""
        return self._transport.get(f"/v1/schedules/{segment(schedule_id)}", Schedule)

    def list(self, **query: Unpack[ListSchedulesQuery]) -> Iterator[Schedule]:
        """The schedules of the account."""
        for item in self._transport.list_items("/v1/schedules", Schedule, query):
            yield item

    def change(self, schedule_id: str, **body: Unpack[ChangeSchedule]) -> Schedule:
        """Changes the given members."""
        return self._transport.patch(f"/v1/schedules/{segment(schedule_id)}", Schedule, body)

    def run(self, schedule_id: str) -> Job[Item]:
        """Starts a run of the schedule now."""
        accepted = self._transport.post(f"/v1/schedules/{segment(schedule_id)}/run", JobAccepted)
        return Job(self._transport, accepted.job_id, accepted=accepted)

    def remove(self, schedule_id: str) -> None:
        """Deletes the schedule; its runs are kept."""
        self._transport.send("DELETE", f"/v1/schedules/{segment(schedule_id)}")


class Webhooks:
    """`/v1/webhooks`. `trawl_client.webhooks.verify` verifies a delivery."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Unpack[CreateWebhook]) -> CreatedWebhook:
        """Registers an endpoint. Store its `secret`: it is returned only here."""
        return self._transport.post("/v1/webhooks", CreatedWebhook, body)

    def list(self) -> list[Webhook]:
        """The endpoints of the account."""
        response = self._transport.send("GET", "/v1/webhooks")
        return [Webhook.model_validate(item) for item in response.json()]

    def change(self, webhook_id: str, **body: Unpack[ChangeWebhook]) -> Webhook:
        """Changes the given members."""
        return self._transport.patch(f"/v1/webhooks/{segment(webhook_id)}", Webhook, body)

    def remove(self, webhook_id: str) -> None:
        """Removes the endpoint with its pending deliveries."""
        self._transport.send("DELETE", f"/v1/webhooks/{segment(webhook_id)}")

    def test(self, webhook_id: str) -> Delivery:
        """Sends a `webhook.test` to the endpoint."""
        return self._transport.post(f"/v1/webhooks/{segment(webhook_id)}/test", Delivery)

    def deliveries(
        self, webhook_id: str, **query: Unpack[ListDeliveriesQuery]
    ) -> Iterator[Delivery]:
        """The deliveries of an endpoint, newest first."""
        path = f"/v1/webhooks/{segment(webhook_id)}/deliveries"
        for item in self._transport.list_items(path, Delivery, query):
            yield item

    def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Sends a delivery again."""
        path = f"/v1/webhooks/{segment(webhook_id)}/deliveries/{segment(delivery_id)}/redeliver"
        return self._transport.post(path, Delivery)

    def events(self, **query: Unpack[ListEventsQuery]) -> Iterator[Event]:
        """All events after the given one, delivered or not, in order."""
        while True:
            response = self._transport.send("GET", "/v1/events", query=query)
            body = response.json()
            for item in body["items"]:
                yield Event.model_validate(item)
            if not body["has_more"] or not body["items"]:
                return
            query["after"] = body["items"][-1]["id"]


class AccountResource:
    """`/v1/account`, usage, ledger and audit log."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> Account:
        """Balance, limits and the key of the request."""
        return self._transport.get("/v1/account", Account)

    def usage(
        self,
        *,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        group_by: UsageGroup | str | None = None,
    ) -> Usage:
        """Charges by `source`, `mode` or `day`."""
        query = {"from": time_text(from_), "to": time_text(to), "group_by": group_by}
        return self._transport.get("/v1/usage", Usage, query)

    def ledger(self) -> Iterator[LedgerLine]:
        """Every change of the balance, newest first."""
        for line in self._transport.list_items("/v1/ledger", LedgerLine):
            yield line

    def audit(
        self,
        *,
        action: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
    ) -> Iterator[AuditEntry]:
        """The audit log of the account, newest first."""
        query = {"action": action, "from": time_text(from_), "to": time_text(to)}
        for entry in self._transport.list_items("/v1/audit", AuditEntry, query):
            yield entry


def time_text(time: datetime | str | None) -> str | None:
    """A time as the API takes it; a datetime without a time zone is in local time."""
    if isinstance(time, datetime):
        return time.astimezone().isoformat()
    return time
