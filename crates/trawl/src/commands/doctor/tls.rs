//! Checks of the certificate of the server.

use std::os::unix::fs::PermissionsExt;

use contract::{Clock, Millis};
use runtime::SystemClock;
use url::Url;

use super::Finding;
use crate::printing::counted;
use crate::settings::Settings;
use crate::tls_files;

/// Days before the end of a certificate from which a renewal is overdue: programs renew it a month
/// before.
const RENEWAL_DAYS: i64 = 14;

const CHECK: &str = "tls";

/// Files, dates and names of the certificate; nothing without TLS.
pub fn check(settings: &Settings) -> Vec<Finding> {
    let Some(files) = &settings.listening.tls else { return Vec::new() };
    let facts = match tls_files::load(files) {
        Ok(tls) => tls.facts(),
        Err(error) => {
            let remedy = "tls_certificate is the certificate followed by its intermediates, tls_key \
                          its key, both in PEM and readable by the user of the server";
            return vec![Finding::failed(CHECK, format_args!("{error:#}"), remedy)];
        }
    };
    let mut findings = vec![dates(facts.not_before, facts.not_after, SystemClock.now())];
    let host = Url::parse(&settings.public_url).ok();
    let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
    if !facts.is_valid_for(host) {
        findings.push(Finding::warning(
            CHECK,
            format_args!(
                "the certificate has not the name {host} of public_url: clients refuse it"
            ),
            "set public_url to a name of the certificate, or get one for this name",
        ));
    }
    let mode = std::fs::metadata(&files.key).map_or(0, |file| file.permissions().mode() & 0o777);
    if mode & 0o007 != 0 {
        let key = files.key.display();
        findings.push(Finding::warning(
            CHECK,
            format_args!("all users of this machine can read the key {key} (mode {mode:04o})"),
            format_args!("run `chmod o= {key}`"),
        ));
    }
    findings
}

fn dates(not_before: u64, not_after: u64, now: Millis) -> Finding {
    let at = |seconds: u64| Millis(i64::try_from(seconds).unwrap_or(i64::MAX / 1_000) * 1_000);
    let renew = "renew it; the server uses the new files without a restart";
    let left = (at(not_after).0 - now.0) / (24 * 60 * 60 * 1_000);
    if now < at(not_before) {
        let detail = format!("the certificate is valid from {} on", at(not_before));
        Finding::failed(
            CHECK,
            detail,
            "check the clock of this machine, or get another certificate",
        )
    } else if now > at(not_after) {
        Finding::failed(CHECK, format_args!("the certificate expired at {}", at(not_after)), renew)
    } else if left < RENEWAL_DAYS {
        Finding::warning(
            CHECK,
            format_args!(
                "the certificate expires in {}",
                counted(left.unsigned_abs(), "day", "days")
            ),
            renew,
        )
    } else {
        Finding::ok(CHECK, format_args!("the certificate is valid until {}", at(not_after)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn certificate_that_expires_soon_warns_and_an_expired_one_fails() {
        const DAY: u64 = 24 * 60 * 60;
        let now = Millis(1_794_735_000_000);
        let today = 1_794_735_000;
        for (from, until, verdict) in [
            (today - DAY, today + 60 * DAY, Verdict::Ok),
            (today - DAY, today + 10 * DAY, Verdict::Warning),
            (today - 90 * DAY, today - 1, Verdict::Failed),
            (today + DAY, today + 60 * DAY, Verdict::Failed),
            (0, u64::MAX, Verdict::Ok),
        ] {
            assert_eq!(dates(from, until, now).verdict, verdict, "{from} {until}");
        }
    }
}
