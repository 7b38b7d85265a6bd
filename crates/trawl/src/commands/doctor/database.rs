//! Checks of the database: latency, schema, rights, secret key, clock.

use std::time::{Duration, Instant};

use contract::Clock;
use runtime::SystemClock;
use store::{Diagnosis, Dialect, KeyState, Store, StoreError};
use tokio::time::timeout;

use super::Finding;
use crate::settings::Settings;

/// Queries whose latency is measured.
const QUERIES: usize = 5;
/// Maximum wait for the database.
const PATIENCE: Duration = Duration::from_secs(15);
/// Latency above which runs are slowed down: every commit takes several round trips.
const SLOW: Duration = Duration::from_millis(20);
/// Difference of the clocks of two machines above which schedules start visibly early or late.
const CLOCK_SKEW_MS: u64 = 2_000;

pub async fn check(settings: &Settings) -> Vec<Finding> {
    let file = settings.data.join("trawl.db");
    if settings.is_embedded() && !file.exists() {
        let detail = format!("{} is created at the first start", file.display());
        return vec![Finding::ok("database", detail)];
    }
    let store = match Store::new(settings.store()) {
        Ok(store) => store,
        Err(error) => return vec![unusable(&error)],
    };
    let findings = match timeout(PATIENCE, check_store(&store)).await {
        Ok(Ok(findings)) => findings,
        Ok(Err(error)) => vec![unusable(&error)],
        Err(_) => vec![Finding::failed(
            "database",
            format_args!("no answer within {} s", PATIENCE.as_secs()),
            UNREACHABLE,
        )],
    };
    store.close().await;
    findings
}

const UNREACHABLE: &str = "check TRAWL_DATABASE, that the database runs, and that its firewall \
                           and pg_hba.conf allow this machine";

fn unusable(error: &StoreError) -> Finding {
    Finding::failed("database", error, UNREACHABLE)
}

async fn check_store(store: &Store) -> Result<Vec<Finding>, StoreError> {
    let mut times = Vec::with_capacity(QUERIES);
    // The first query opens the connection.
    let clock = store.database_clock().await?;
    let skew = SystemClock.now().0.abs_diff(clock.0);
    for _ in 0..QUERIES {
        let started = Instant::now();
        store.database_clock().await?;
        times.push(started.elapsed());
    }
    times.sort();
    let diagnosis = store.diagnose().await?;
    let mut findings = vec![latency(times[QUERIES / 2]), schema(&diagnosis), rights(&diagnosis)];
    findings.extend(secret_key(diagnosis.secret_key));
    if store.dialect() == Dialect::Postgres {
        findings.push(clock_skew(skew));
    }
    Ok(findings)
}

fn latency(median: Duration) -> Finding {
    let detail = format!("a query takes {:.1} ms", median.as_secs_f64() * 1_000.0);
    match median > SLOW {
        true => Finding::warning(
            "database",
            detail,
            "place nodes and database in the same data centre; check the load of the database",
        ),
        false => Finding::ok("database", detail),
    }
}

fn schema(diagnosis: &Diagnosis) -> Finding {
    let Diagnosis { schema, newest_schema: newest, is_too_new, .. } = *diagnosis;
    match schema {
        _ if is_too_new => Finding::failed(
            "schema",
            format_args!("version {schema}, written by a newer release; this one knows {newest}"),
            "install the newer release again, or use another database",
        ),
        _ if schema > newest => Finding::ok(
            "schema",
            format_args!("version {schema}, of a newer release, which this one can use"),
        ),
        _ if schema < newest => Finding::warning(
            "schema",
            format_args!("version {schema} of {newest}"),
            "the next start of a server migrates it, or `trawl migrate --apply`; take a backup before",
        ),
        _ => Finding::ok("schema", format_args!("version {schema}")),
    }
}

fn rights(diagnosis: &Diagnosis) -> Finding {
    match &diagnosis.write_error {
        None => Finding::ok("rights", "tables can be created and written"),
        Some(error) => Finding::failed(
            "rights",
            format_args!("cannot create and write a table: {error}"),
            "make the user of TRAWL_DATABASE the owner of the database (ALTER DATABASE … OWNER TO \
             …), or give the server's user write access to the data folder",
        ),
    }
}

fn secret_key(state: KeyState) -> Option<Finding> {
    match state {
        KeyState::Missing | KeyState::Unused => None,
        KeyState::Matches => Some(Finding::ok("secret key", "it is that of the database")),
        KeyState::Differs => Some(Finding::failed(
            "secret key",
            "the database was last started with another key",
            "set TRAWL_SECRET_KEY to that key, or restore secret.key from a backup; without it stored \
             secrets of webhooks and jobs cannot be decrypted",
        )),
    }
}

fn clock_skew(skew_ms: u64) -> Finding {
    let detail = format!("it differs by {skew_ms} ms from the clock of the database");
    match skew_ms > CLOCK_SKEW_MS {
        true => Finding::warning("clock", detail, "run NTP on all nodes and on the database"),
        false => Finding::ok("clock", detail),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn diagnosis(schema: usize) -> Diagnosis {
        let (newest_schema, secret_key) = (5, KeyState::Matches);
        let is_too_new = schema > newest_schema;
        Diagnosis { schema, newest_schema, is_too_new, write_error: None, secret_key }
    }

    #[test]
    fn schema_of_a_newer_release_fails() {
        assert_eq!(schema(&diagnosis(6)).verdict, Verdict::Failed);
        assert_eq!(schema(&diagnosis(4)).verdict, Verdict::Warning);
        assert_eq!(schema(&diagnosis(5)).verdict, Verdict::Ok);
        let usable = Diagnosis { is_too_new: false, ..diagnosis(6) };
        assert_eq!(schema(&usable).verdict, Verdict::Ok);
    }

    #[test]
    fn missing_rights_and_a_wrong_key_fail_with_a_remedy() {
        let denied = Some("permission denied for schema public".to_owned());
        let finding = rights(&Diagnosis { write_error: denied, ..diagnosis(5) });
        assert_eq!(finding.verdict, Verdict::Failed);
        assert!(finding.remedy.is_some_and(|remedy| remedy.contains("OWNER TO")));
        let wrong = secret_key(KeyState::Differs).expect("a finding");
        assert_eq!(wrong.verdict, Verdict::Failed);
        assert_eq!(secret_key(KeyState::Unused), None);
    }

    #[test]
    fn slow_database_and_different_clocks_are_warnings() {
        assert_eq!(latency(Duration::from_millis(21)).verdict, Verdict::Warning);
        assert_eq!(latency(Duration::from_millis(1)).verdict, Verdict::Ok);
        assert_eq!(clock_skew(2_001).verdict, Verdict::Warning);
    }
}
