//! Parquet files as DuckDB and pyarrow read them.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use contract::{ExportFormat, Mode};
use export::{ExportSink, ExportSubject, FileKind};
use registry::item_schema;
use serde_json::{Value, json};

struct FileSink(File);

impl Write for FileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl ExportSink for FileSink {
    fn start(&mut self, kind: FileKind) {
        assert_eq!(kind, FileKind::Parquet);
    }
}

/// The Python with both readers, installed by `scripts/test`.
fn python() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    tools.join("bin/python")
}

const SCRIPT: &str = r#"
import json, sys
import duckdb, pyarrow.parquet as pq
path = sys.argv[1]
table = pq.read_table(path)
types = {field.name: str(field.type) for field in table.schema}
rows = table.to_pylist()
query = """
    SELECT sum(price)::VARCHAR, max(rating_value), list_contains(first(features), 'b'),
        year(max(fetched_at)), count(*) FILTER (tax_included), first(gtin_value)[1],
        json_extract_string(first(provenance), '$.price')
    FROM read_parquet(?)
"""
found = duckdb.execute(query, [path]).fetchone()
described = dict(row[:2] for row in duckdb.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall())
print(json.dumps({
    "types": types, "first": {k: str(v) for k, v in rows[0].items()}, "rows": len(rows),
    "sql": found, "duckdb": described,
    "groups": pq.ParquetFile(path).metadata.num_row_groups,
}))
"#;

#[test]
#[ignore = "needs DuckDB and pyarrow: scripts/test installs them"]
fn duckdb_and_pyarrow_read_parquet_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("products.parquet");
    let product = |number: u32| {
        json!({
            "url": format!("https://a.test/{number}"), "name": "Ünïcode", "price": "19.90",
            "regular_price": null, "tax_included": true,
            "rating": {"value": 4.5, "best": 5.0, "count": 12}, "features": ["a", "b"],
            "gtin": [{"type": "gtin13", "value": "4006381333931"}],
            "breadcrumbs": [{"name": "x", "url": null}, {"name": "y", "url": "z"}],
            "attributes": [], "provenance": {"price": "dom"},
            "fetched_at": "2026-11-15T10:00:00.000Z", "description": "x".repeat(20_000),
        })
    };
    let mut items: Vec<Result<Value, io::Error>> = (0..1_500).map(|n| Ok(product(n))).collect();
    items.push(Ok(json!({"url": "https://a.test/empty", "price": null, "rating": null})));
    let subject = ExportSubject { schema: item_schema(Mode::Products), url: None, table: None };
    let sink = FileSink(File::create(&path).expect("a file"));
    export::write_items(items, ExportFormat::Parquet, &subject, sink).expect("it is written");

    let output = Command::new(python()).args(["-c", SCRIPT]).arg(&path).output();
    let output = output.expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(read["rows"], 1_501);
    assert!(read["groups"].as_u64() > Some(1), "{}", read["groups"]);
    assert_eq!(
        read["sql"],
        json!(["29850.0000000000", 4.5, true, 2026, 1_500, "4006381333931", "dom"])
    );
    for (column, arrow, duckdb) in [
        ("name", "string", "VARCHAR"),
        ("price", "decimal128(38, 10)", "DECIMAL(38,10)"),
        ("tax_included", "bool", "BOOLEAN"),
        ("rating_value", "double", "DOUBLE"),
        ("rating_count", "int64", "BIGINT"),
        ("features", "list<element: string>", "VARCHAR[]"),
        ("fetched_at", "timestamp[ms, tz=UTC]", "TIMESTAMP WITH TIME ZONE"),
    ] {
        assert_eq!(read["types"][column], arrow, "{column}");
        assert_eq!(read["duckdb"][column], duckdb, "{column}");
    }
    let first = &read["first"];
    assert_eq!(first["name"], "Ünïcode");
    assert_eq!(first["breadcrumbs_url"], "[None, 'z']");
    assert_eq!(first["attributes_name"], "[]");
    assert_eq!(first["regular_price"], "None");
}
