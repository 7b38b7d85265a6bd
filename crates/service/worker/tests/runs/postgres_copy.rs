//! Copies a SQLite database of an earlier release to PostgreSQL, with the schema that it had: schema steps
//! are one text for both databases.

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::any::AnyRow;
use sqlx::{AnyPool, AssertSqlSafe, Row as _};

/// What precedes the steps in PostgreSQL.
const BEGIN: &str = "CREATE DOMAIN blob AS bytea; \
    CREATE TABLE schema_version (step BIGINT PRIMARY KEY)";
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' \
    AND name NOT LIKE 'sqlite%' ORDER BY rowid";
const COLUMNS: &str = "SELECT name, UPPER(type) AS type FROM pragma_table_info($1)";

/// The schema steps, in their order.
fn steps() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/src/schema");
    let files = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

/// Copies all rows of a SQLite file to an empty PostgreSQL database.
pub async fn copy(file: &Path, postgres: &str) {
    let source = AnyPool::connect(&format!("sqlite:{}", file.display())).await;
    let source = source.expect("it opens");
    let target = AnyPool::connect(postgres).await.expect("it connects");
    let applied: i64 = sqlx::query_scalar("SELECT MAX(step) FROM schema_version")
        .fetch_one(&source)
        .await
        .expect("a schema");
    sqlx::raw_sql(BEGIN).execute(&target).await.expect("an empty database");
    for step in steps().iter().take(usize::try_from(applied).expect("a number")) {
        let sql = fs::read_to_string(step).expect("a step");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&target).await.expect("it is applied");
    }
    let tables: Vec<String> =
        sqlx::query_scalar(TABLES).fetch_all(&source).await.expect("the tables");
    // Steps insert rows as well. Tables refer to earlier ones.
    for table in tables.iter().rev() {
        let delete = AssertSqlSafe(format!("DELETE FROM {table}"));
        sqlx::query(delete).execute(&target).await.expect("it is empty");
    }
    for table in &tables {
        copy_table(&source, &target, table).await;
    }
    source.close().await;
    target.close().await;
}

async fn copy_table(source: &AnyPool, target: &AnyPool, table: &str) {
    let columns = sqlx::query(COLUMNS).bind(table).fetch_all(source).await.expect("columns");
    let columns: Vec<(String, String)> =
        columns.iter().map(|row| (row.get("name"), row.get("type"))).collect();
    let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let casts: Vec<_> = (1..)
        .zip(&columns)
        .map(|(number, (_, kind))| format!("CAST(${number} AS {kind})"))
        .collect();
    let (names, casts) = (names.join(", "), casts.join(", "));
    let select = format!("SELECT {names} FROM {table}");
    let insert = format!("INSERT INTO {table} ({names}) VALUES ({casts})");
    let rows: Vec<AnyRow> =
        sqlx::query(AssertSqlSafe(select)).fetch_all(source).await.expect("the rows");
    for row in &rows {
        let mut query = sqlx::query::<sqlx::Any>(AssertSqlSafe(insert.clone()));
        for (name, kind) in &columns {
            let name = name.as_str();
            query = match kind.as_str() {
                "BIGINT" => query.bind(row.get::<Option<i64>, _>(name)),
                "TEXT" => query.bind(row.get::<Option<String>, _>(name)),
                "BLOB" => query.bind(row.get::<Option<Vec<u8>>, _>(name)),
                other => panic!("{table}.{name} has the type {other}"),
            };
        }
        query.execute(target).await.unwrap_or_else(|error| panic!("{table}: {error}"));
    }
}
