"""Client of Trawl, the website crawl service.

`Trawl` is the synchronous client, `AsyncTrawl` the asynchronous one; their methods are the same.
"""

from . import errors, models, webhooks
from ._async.client import AsyncTrawl
from ._async.job import AsyncJob
from ._retry import RetryPolicy
from ._sync.client import Trawl
from ._sync.job import Job
from ._version import __version__
from .errors import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConfirmationRequiredError,
    ConflictError,
    ConnectionFailedError,
    InsufficientCreditsError,
    InvalidRequestError,
    JobFailedError,
    JobStoppedError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitedError,
    ServerError,
    SignatureError,
    TrawlError,
    WaitTimeoutError,
)
from .items import Item, to_pandas

__all__ = [
    "ApiError",
    "AsyncJob",
    "AsyncTrawl",
    "AuthenticationError",
    "ConfigurationError",
    "ConfirmationRequiredError",
    "ConflictError",
    "ConnectionFailedError",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "Item",
    "Job",
    "JobFailedError",
    "JobStoppedError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitedError",
    "RetryPolicy",
    "ServerError",
    "SignatureError",
    "Trawl",
    "TrawlError",
    "WaitTimeoutError",
    "__version__",
    "errors",
    "models",
    "to_pandas",
    "webhooks",
]
