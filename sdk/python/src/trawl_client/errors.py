"""Exceptions of the client. All of them are `TrawlError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .models import FieldError, Problem

if TYPE_CHECKING:
    import httpx

    from .models import JobError, PublicJob


class TrawlError(Exception):
    """Base class of all exceptions of this package."""


class ConfigurationError(TrawlError):
    """The client cannot be created: it has no API key, or an invalid URL."""


class ConnectionFailedError(TrawlError):
    """The server could not be reached, or did not respond, in all attempts."""


class SignatureError(TrawlError):
    """A webhook delivery is not signed by the secret, or its signature is too old."""


class ApiError(TrawlError):
    """An error response of the server.

    `code` is stable: decide by it. `message` is for people. `request_id` is also in the log of the
    server, `docs` is the URL of a page about the code. `problem` has the members that only some
    codes have, as `required` and `available` of `insufficient_credits`.
    """

    def __init__(self, status: int, problem: Problem, retry_after: float | None = None) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.code)
        self.message = problem.message
        self.request_id = problem.request_id
        self.docs = problem.docs
        self.errors: list[FieldError] = problem.errors or []
        self.job_id = problem.job_id
        self.retry_after = retry_after
        fields = "".join(f"\n  {error.field}: {error.message}" for error in self.errors)
        super().__init__(f"{self.code}: {self.message} (request {self.request_id}){fields}")


class AuthenticationError(ApiError):
    """401: the API key is missing, unknown, revoked or expired."""


class InsufficientCreditsError(ApiError):
    """402: the balance is too low; `problem` has `required`, `available` and `top_up_url`."""


class PermissionDeniedError(ApiError):
    """403: the key lacks a scope, or the account is suspended."""


class NotFoundError(ApiError):
    """404: the object does not exist, or belongs to another account."""


class ConflictError(ApiError):
    """409: the request conflicts with a state; `job_id` names the job."""


class InvalidRequestError(ApiError):
    """400 or 422: the request is invalid; `errors` names each field."""


class RateLimitedError(ApiError):
    """429: a limit is exceeded, and waiting `retry_after` seconds takes too long."""


class ServerError(ApiError):
    """5xx: the server failed in all attempts."""


BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: InsufficientCreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidRequestError,
    429: RateLimitedError,
}


class JobStoppedError(TrawlError):
    """`wait` ended without a completed job. `job` is its last state."""

    def __init__(self, message: str, job: PublicJob) -> None:
        super().__init__(message)
        self.job = job


class JobFailedError(JobStoppedError):
    """The job failed or was aborted. Results that it has delivered can still be read."""

    def __init__(self, job: PublicJob) -> None:
        self.error: JobError | None = job.error
        reason = f"{job.error.code}: {job.error.message}" if job.error else "no reason is stored"
        super().__init__(f"{job.job_id} {job.status}: {reason}", job)


class ConfirmationRequiredError(JobStoppedError):
    """The job waits for `confirm`: for a higher rate, at a batch boundary, or for credits."""

    def __init__(self, job: PublicJob) -> None:
        if job.batch_ready:
            remedy = "batch complete: confirm(continue_batch=True) continues the run"
        elif job.status == "paused":
            remedy = "credits exhausted: add credits, then confirm()"
        else:
            remedy = f"protected site at {job.credit_per_unit} credits per unit: confirm() accepts"
        super().__init__(f"{job.job_id} {job.status}: {remedy}", job)


class WaitTimeoutError(TrawlError, TimeoutError):
    """`wait` reached its timeout. The job continues."""


def api_error(response: httpx.Response) -> ApiError:
    """The exception of an error response, also if a proxy wrote it instead of the server."""
    status = response.status_code
    try:
        problem = Problem.model_validate_json(response.content)
    except ValueError:
        problem = Problem.model_validate(
            {
                "code": "server_error" if status >= 500 else f"http_{status}",
                "message": f"{status} {response.reason_phrase}: not a response of Trawl",
                "request_id": response.headers.get("x-request-id", "unknown"),
                "docs": "",
            }
        )
    kind = BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status, problem, retry_after(response))


def retry_after(response: httpx.Response) -> float | None:
    """Seconds of `Retry-After`; Trawl never sends a date."""
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdigit() else None
