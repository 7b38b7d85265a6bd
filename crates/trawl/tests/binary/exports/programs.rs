//! Programs that open exported files. `scripts/test` installs them.

use std::path::Path;
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn run(command: &mut Command) -> std::process::Output {
    let name = command.get_program().to_owned();
    command
        .output()
        .unwrap_or_else(|error| panic!("{name:?}, which scripts/test installs: {error}"))
}

/// The rows of a spreadsheet or csv file, read by LibreOffice.
pub fn spreadsheet_rows(file: &Path) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = format!("-env:UserInstallation=file://{}/profile", folder.path().display());
    let mut office = Command::new("soffice");
    office.args(["--headless", "--norestore", &profile]);
    if file.extension().is_some_and(|extension| extension == "csv") {
        // Import options: commas, double quotes, UTF-8, from the first line.
        office.arg("--infilter=CSV:44,34,76,1");
    }
    // Export options: fields as shown, commas, UTF-8.
    office.args(["--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1", "--outdir"]);
    let converted = run(office.arg(folder.path().join("out")).arg(file));
    assert!(converted.status.success(), "{converted:?}");
    let name = file.with_extension("csv");
    let out = folder.path().join("out").join(name.file_name().expect("a name"));
    let bytes = std::fs::read(&out).unwrap_or_else(|error| panic!("{error}: {converted:?}"));
    let text = String::from_utf8(bytes).expect("UTF-8");
    let text = text.trim_start_matches('\u{feff}');
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes())
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect()
}

/// The rows of the only table in a document, read by a CommonMark parser.
pub fn markdown_rows(document: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(document, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                rows.last_mut().expect("a row").push(String::new());
            }
            Event::Text(text) | Event::Code(text) => {
                let cell = rows.last_mut().and_then(|row| row.last_mut());
                cell.expect("text in a cell and nowhere else").push_str(&text);
            }
            Event::Html(html) | Event::InlineHtml(html) => panic!("markup of a page: {html}"),
            Event::Start(Tag::Table(_) | Tag::Link { .. }) | Event::End(TagEnd::Link | _) => {}
            other => panic!("nothing but a table: {other:?}"),
        }
    }
    rows
}

/// The URLs of a sitemap, validated by xmllint.
pub fn valid_sitemap(file: &Path) -> Vec<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/exports/sitemap.xsd");
    let judged = run(Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(file));
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr));
    let text = std::fs::read_to_string(file).expect("UTF-8");
    text.split("<url><loc>")
        .skip(1)
        .map(|rest| rest.split("</loc>").next().unwrap_or_default().replace("&amp;", "&"))
        .collect()
}
