"""Which failed attempts are repeated, and after how many seconds."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import anyio
import httpx

from .errors import retry_after

# The request was rejected before it had an effect.
REJECTED = frozenset({429})
# The request may have had an effect.
UNCERTAIN = frozenset({500, 502, 503, 504})
# Errors that occur before the request is sent.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True)
class RetryPolicy:
    """Repeats failed requests.

    `attempts` includes the first one. A pause doubles from `first_pause` to `longest_pause`
    seconds, with jitter. `Retry-After` of the server overrides it; if that is longer than
    `longest_retry_after`, the error is raised at once.
    """

    attempts: int = 4
    first_pause: float = 0.5
    longest_pause: float = 8.0
    longest_retry_after: float = 60.0

    def after_response(
        self, attempt: int, response: httpx.Response, repeatable: bool
    ) -> float | None:
        """Seconds until the next attempt; None if the response is final."""
        status = response.status_code
        in_progress = status == 409 and b'"idempotency_in_progress"' in response.content
        wanted = status in REJECTED or in_progress or (repeatable and status in UNCERTAIN)
        if not wanted or attempt >= self.attempts:
            return None
        asked = retry_after(response)
        if asked is None:
            return self.pause(attempt)
        return asked if asked <= self.longest_retry_after else None

    def after_error(
        self, attempt: int, error: httpx.TransportError, repeatable: bool
    ) -> float | None:
        """Seconds until the next attempt; None if the error is final."""
        wanted = repeatable or isinstance(error, NOT_SENT)
        return self.pause(attempt) if wanted and attempt < self.attempts else None

    def pause(self, attempt: int) -> float:
        full = min(self.longest_pause, self.first_pause * 2.0 ** (attempt - 1))
        return full * random.uniform(0.5, 1.0)  # noqa: S311


async def pause_async(seconds: float) -> None:
    await anyio.sleep(seconds)


def pause(seconds: float) -> None:
    time.sleep(seconds)
