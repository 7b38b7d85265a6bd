export { Trawl } from "./client.js";
export type { AccountResource, Jobs, Lists, Schedules, StartSettings, Webhooks } from "./client.js";
export {
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
} from "./errors.js";
export { Job } from "./job.js";
export type { ResultsSettings, WaitSettings, WatchSettings } from "./job.js";
export type * from "./models.js";
export type { RetryPolicy, TrawlSettings } from "./transport.js";
export { SIGNATURE_HEADER, verify } from "./webhooks.js";
export type { VerifySettings } from "./webhooks.js";
