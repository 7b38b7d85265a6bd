// Errors of the client. All of them are `TrawlError`.

import type { FieldError, JobError, Problem, PublicJob } from "./models.js";

/** Base class of all errors of this package. */
export class TrawlError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The client cannot be created: it has no API key, or an invalid URL. */
export class ConfigurationError extends TrawlError {}

/** The server could not be reached, or did not respond, in all attempts. */
export class ConnectionFailedError extends TrawlError {}

/** A webhook delivery is not signed by the secret, or its signature is too old. */
export class SignatureError extends TrawlError {}

/** `wait` reached its timeout. The job continues. */
export class WaitTimeoutError extends TrawlError {}

/**
 * An error response of the server. `code` is stable: decide by it. `message` is for people.
 * `requestId` is also in the log of the server, `problem` has the members that only some codes have.
 */
export class ApiError extends TrawlError {
  readonly code: string;
  readonly requestId: string;
  readonly docs: string;
  readonly errors: FieldError[];
  readonly jobId: string | undefined;

  constructor(
    readonly status: number,
    readonly problem: Problem,
    /** Seconds of `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    const fields = (problem.errors ?? []).map((one) => `\n  ${one.field}: ${one.message}`).join("");
    super(`${problem.code}: ${problem.message} (request ${problem.request_id})${fields}`);
    this.code = problem.code;
    this.requestId = problem.request_id;
    this.docs = problem.docs;
    this.errors = problem.errors ?? [];
    this.jobId = problem.job_id ?? undefined;
  }
}

/** 401: the API key is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {}

/** 402: the balance is too low; `problem` has `required`, `available` and `top_up_url`. */
export class InsufficientCreditsError extends ApiError {}

/** 403: the key lacks a scope, or the account is suspended. */
export class PermissionDeniedError extends ApiError {}

/** 404: the object does not exist, or belongs to another account. */
export class NotFoundError extends ApiError {}

/** 409: the request conflicts with a state; `jobId` names the job. */
export class ConflictError extends ApiError {}

/** 400 or 422: the request is invalid; `errors` names each field. */
export class InvalidRequestError extends ApiError {}

/** 429: a limit is exceeded, and waiting `retryAfter` seconds takes too long. */
export class RateLimitedError extends ApiError {}

/** 5xx: the server failed in all attempts. */
export class ServerError extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: InvalidRequestError,
  429: RateLimitedError,
};

/** `wait` ended without a completed job. `job` is its last state. */
export class JobStoppedError extends TrawlError {
  constructor(
    message: string,
    readonly job: PublicJob,
  ) {
    super(message);
  }
}

/** The job failed or was aborted. Results that it has delivered can still be read. */
export class JobFailedError extends JobStoppedError {
  readonly error: JobError | null;

  constructor(job: PublicJob) {
    const reason = job.error ? `${job.error.code}: ${job.error.message}` : "no reason is stored";
    super(`${job.job_id} ${job.status}: ${reason}`, job);
    this.error = job.error;
  }
}

/** The job waits for `confirm`: for a higher rate, at a batch boundary, or for credits. */
export class ConfirmationRequiredError extends JobStoppedError {
  constructor(job: PublicJob) {
    let remedy = `protected site at ${job.credit_per_unit ?? "?"} credits per unit: confirm() accepts`;
    if (job.batch_ready) remedy = "batch complete: confirm({ continue_batch: true }) continues the run";
    else if (job.status === "paused") remedy = "credits exhausted: add credits, then confirm()";
    super(`${job.job_id} ${job.status}: ${remedy}`, job);
  }
}

/** Seconds of `Retry-After`; Trawl never sends a date. */
export function retryAfter(response: Response): number | undefined {
  const text = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The error of a response, also if a proxy wrote it instead of the server. */
export async function apiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const problem = (await response.json().catch(() => null)) as Problem | null;
  const own = problem !== null && typeof problem === "object" && typeof problem.code === "string";
  const shown = own
    ? problem
    : ({
        code: status >= 500 ? "server_error" : `http_${status}`,
        message: `${status} ${response.statusText}: not a response of Trawl`,
        request_id: response.headers.get("x-request-id") ?? "unknown",
        docs: "",
      } as Problem);
  const kind = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return new kind(status, shown, retryAfter(response));
}
