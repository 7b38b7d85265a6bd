//! What is known only at the end of a run, written into a file of items that was written
//! while it ran.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use journal::{Overlay, Revision};
use memchr::memmem::Finder;

use crate::commands::table_file::part_of;

/// Brings the items of a file up to date: one a line, in their order. The file is replaced
/// as a whole or not at all.
pub fn revise(path: &Path, overlay: &Overlay) -> io::Result<()> {
    let part = part_of(path);
    let mut out = BufWriter::new(File::create(&part)?);
    let finders = overlay.revisions.first().map(finders).unwrap_or_default();
    let mut revisions = (0_u64..).zip(&overlay.revisions);
    for line in BufReader::new(File::open(path)?).lines() {
        let mut line = line?;
        if line.starts_with('{')
            && let Some((place, revision)) = revisions.next()
        {
            if overlay.folded.contains_key(&place) {
                line = rewritten(&line, overlay, place)?;
            } else {
                for (finder, (_, value)) in finders.iter().zip(revision.members()) {
                    splice(&mut line, finder, &value.to_string());
                }
            }
        }
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(&part, path)
}

/// The line of an item into which translations were folded: too few to be clever about.
fn rewritten(line: &str, overlay: &Overlay, place: u64) -> io::Result<String> {
    let text = line.strip_suffix(',').unwrap_or(line);
    let mut item = serde_json::from_str(text)?;
    overlay.apply(place, &mut item);
    Ok(format!("{item}{}", &line[text.len()..]))
}

/// Finds each of the members.
fn finders(revision: &Revision) -> Vec<Finder<'static>> {
    let members = revision.members();
    members.iter().map(|(member, _)| Finder::new(&format!("\"{member}\":")).into_owned()).collect()
}

/// Replaces the value of a member. A text that holds the same letters has its quotes escaped,
/// so that the first place is the member itself. Values are numbers, words and flat lists.
fn splice(line: &mut String, member: &Finder<'_>, value: &str) {
    let Some(at) = member.find(line.as_bytes()) else { return };
    let start = at + member.needle().len();
    let rest = &line[start..];
    let end =
        if rest.starts_with('[') { rest.find(']').map(|at| at + 1) } else { rest.find([',', '}']) };
    if let Some(end) = end {
        line.replace_range(start..start + end, value);
    }
}

#[cfg(test)]
mod tests {
    use journal::{Via, Ways};
    use serde_json::Value;

    use super::*;

    #[test]
    fn items_are_brought_up_to_date_in_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.json");
        let item = |title: &str| {
            serde_json::json!({"title": title, "depth": 1, "inlinks": 0, "discovered_by": [],
                "orphan": false, "in_sitemap": false})
        };
        let sly = r#"a "inlinks":7, "orphan":true ] }"#;
        let text = format!("[\n{},\n{}\n]\n", item(sly), item("b"));
        fs::write(&path, text).expect("it is written");
        let mut ways = Ways::default();
        ways.add(Via::Link);
        ways.add(Via::Sitemap);
        let revision = |inlinks| Revision {
            depth: None,
            inlinks,
            ways,
            orphan: inlinks == 0,
            in_sitemap: true,
        };
        revise(
            &path,
            &Overlay { revisions: vec![revision(12), revision(0)], ..Overlay::default() },
        )
        .expect("it is");
        let items: Vec<Value> =
            serde_json::from_slice(&fs::read(&path).expect("a file")).expect("still an array");
        let expected = |title: &str, inlinks: u32| {
            serde_json::json!({"title": title, "depth": null, "inlinks": inlinks,
                "discovered_by": ["link", "sitemap"], "orphan": inlinks == 0, "in_sitemap": true})
        };
        assert_eq!(items, [expected(sly, 12), expected("b", 0)]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left");
    }

    #[test]
    fn translations_that_were_folded_later_join_their_item() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.json");
        let item = |name: &str| serde_json::json!({"name": name, "alternates": [{"lang": "fr", "url": "https://a.test/]"}]});
        fs::write(&path, format!("[\n{},\n{}\n]\n", item("a"), item("b"))).expect("written");
        let ways = Ways::default();
        let revision = Revision { depth: None, inlinks: 0, ways, orphan: false, in_sitemap: false };
        let english =
            contract::Alternate { lang: "en".to_owned(), url: "https://a.test/en".to_owned() };
        let overlay = Overlay { revisions: vec![revision; 2], folded: [(0, vec![english])].into() };
        revise(&path, &overlay).expect("it is");
        let items: Vec<Value> =
            serde_json::from_slice(&fs::read(&path).expect("a file")).expect("still an array");
        assert_eq!(items[0]["alternates"][1]["url"], "https://a.test/en");
        assert_eq!(items[1], item("b"));
    }
}
