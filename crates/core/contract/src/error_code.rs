//! Why a run failed or stopped early: the closed list of `docs/spec/errors.md`.

use crate::string_enum::string_enum;

string_enum! {
    /// The reason in a job's `error`.
    pub enum ErrorCode {
        /// The site returned only server errors, or this service failed.
        ServerError = "server_error",
        /// The provider of the protected tier is unreachable.
        ProviderDown = "provider_down",
        /// An internal error ended the run.
        PipelineBug = "pipeline_bug",
        /// The site returned only 429.
        RateLimited = "rate_limited",
        /// The URL, or an address of its host, must not be crawled.
        InvalidUrl = "invalid_url",
        /// The host name does not exist.
        UrlNotResolved = "url_not_resolved",
        /// The operator does not crawl this domain.
        BlacklistedDomain = "blacklisted_domain",
        /// The site rejected all requests.
        TargetBlocked = "target_blocked",
        /// The run found nothing to deliver.
        NoData = "no_data",
        /// Completed, but many pages failed or were rejected by the site.
        PartialTargetFailure = "partial_target_failure",
        /// Aborted by the owner of the job.
        UserStopped = "user_stopped",
        /// Stopped after `sample_size` results, `max_pages` pages or at `max_credits`.
        SampleStopped = "sample_stopped",
        /// The pages have no content without JavaScript.
        JsRenderRequired = "js_render_required",
        /// The login of the job failed, so that no page was requested.
        LoginFailed = "login_failed",
        /// The site is protected and `on_protected` is `fail`.
        ProtectedRateRefused = "protected_rate_refused",
        /// The balance is exhausted.
        CreditsExhausted = "credits_exhausted",
        /// The job waited for a confirmation for too long.
        StalePurged = "stale_purged",
        /// The previous run of the schedule was still in progress.
        SchedulePreviousRunInProgress = "schedule_previous_run_in_progress",
        /// A scheduled start was missed.
        ScheduleMissedWindow = "schedule_missed_window",
        /// A scheduled start was rejected.
        ScheduleStartFailed = "schedule_start_failed",
        /// None of the other codes applies.
        Unknown = "unknown",
    }
}
