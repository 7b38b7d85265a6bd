//! The option `on_max_credits`.

use crate::string_enum::string_enum;

string_enum! {
    /// What happens when `max_credits` of a job is used up.
    pub enum CreditLimitAction {
        /// The job completes with its results.
        End = "end",
        /// The job waits for a confirmation with a higher `max_credits`.
        Pause = "pause",
    }
}
