//! Settings of the retention of classes of data that may be shorter than that of results.

use std::time::Duration;

use store::RetentionPolicy;

use super::{Layers, SettingError};

/// Reads the retention of each class; 0 days keep it as long as the results, ledger lines for ever.
pub fn policy(layers: &Layers) -> Result<RetentionPolicy, SettingError> {
    let days = |key: &'static str| -> Result<Option<Duration>, SettingError> {
        let days: u64 = layers.number(key, 0..=36_500)?;
        Ok((days > 0).then(|| Duration::from_secs(days * 24 * 60 * 60)))
    };
    Ok(RetentionPolicy {
        page_files: days("page_files_days")?,
        run_logs: days("run_log_days")?,
        events: days("events_days")?,
        ledger_lines: days("ledger_days")?,
    })
}
