//! Why a run failed or stopped early: the closed list of `docs/spec/errors.md`.

use crate::job::words;

words! {
    /// The reason in a job's `error`.
    pub enum ErrorCode {
        /// The site answered with server errors only, or our own side failed.
        ServerError = "server_error",
        /// The provider of the protected tier could not be reached.
        ProviderDown = "provider_down",
        /// A fault of ours that the run could not go on with.
        PipelineBug = "pipeline_bug",
        /// The site answered nothing but 429.
        RateLimited = "rate_limited",
        /// The URL, or an address behind its name, is not one that may be crawled.
        InvalidUrl = "invalid_url",
        /// The name does not exist.
        UrlNotResolved = "url_not_resolved",
        /// The operator does not crawl this domain.
        BlacklistedDomain = "blacklisted_domain",
        /// The site refused everything.
        TargetBlocked = "target_blocked",
        /// There was nothing to deliver.
        NoData = "no_data",
        /// Delivered, but a good part of the pages failed on the site's side.
        PartialTargetFailure = "partial_target_failure",
        /// Aborted by its owner.
        UserStopped = "user_stopped",
        /// Stopped after the sample that was asked for.
        SampleStopped = "sample_stopped",
        /// The site is an empty shell without JavaScript.
        JsRenderRequired = "js_render_required",
        /// The site is protected and the job said not to pay for that.
        ProtectedRateRefused = "protected_rate_refused",
        /// The balance ran out.
        CreditsExhausted = "credits_exhausted",
        /// Parked for too long.
        StalePurged = "stale_purged",
        /// A scheduled start met its predecessor still running.
        SchedulePreviousRunInProgress = "schedule_previous_run_in_progress",
        /// A scheduled start came too late.
        ScheduleMissedWindow = "schedule_missed_window",
        /// A scheduled start was refused.
        ScheduleStartFailed = "schedule_start_failed",
        /// A reason that fits none of these.
        Unknown = "unknown",
    }
}
