//! Prints the features of everyone who may be a person of a company, as JSON lines for training.
//!
//! `person_features < PAGES`: each line of PAGES is `{"id": …, "url": …, "file": …}`; a file may
//! be compressed with gzip. `person_features --lab` reads the generated companies of the tests,
//! whose people are known.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Read, Write};

use contacts::training::{self, PersonSample};
use serde_json::{Value, json};
use urls::CanonicalUrl;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", json!({ "features": training::feature_names() }))?;
    if std::env::args().nth(1).as_deref() == Some("--lab") {
        return write_lab(&mut out);
    }
    for line in io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| page.get(key).and_then(Value::as_str).unwrap_or_default();
        let body = read(text("file"))?;
        let url = CanonicalUrl::parse(text("url"))?;
        for sample in training::people_of(&body, &url) {
            write_sample(&mut out, text("id"), text("url"), &sample, None)?;
        }
    }
    Ok(())
}

/// The bytes of a file, decompressed if its name says so.
fn read(path: &str) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    if !path.ends_with(".gz") {
        return Ok(bytes);
    }
    let mut body = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut body)?;
    Ok(body)
}

/// `is_own` is known of generated people only.
fn write_sample(
    out: &mut impl Write,
    id: &str,
    url: &str,
    sample: &PersonSample,
    is_own: Option<bool>,
) -> io::Result<()> {
    let line = json!({
        "id": id,
        "url": url,
        "name": sample.name,
        "title": sample.title,
        "features": sample.features,
        "probability": sample.probability,
        "is_own": is_own,
    });
    writeln!(out, "{line}")
}

/// Writes the people of the generated companies.
fn write_lab(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for company in lab::Company::all() {
        let own: Vec<String> =
            company.company_truth().people.into_iter().map(|person| person.name).collect();
        for (path, html) in company.pages() {
            let url = CanonicalUrl::parse(&format!("http://{}{path}", company.host()))?;
            for sample in training::people_of(html.as_bytes(), &url) {
                let is_own = own.contains(&sample.name);
                write_sample(out, company.host(), url.as_str(), &sample, Some(is_own))?;
            }
        }
    }
    Ok(())
}
