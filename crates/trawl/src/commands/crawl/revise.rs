//! Updates items in a written file with values that are known only at the end of a run: depths,
//! inlinks, orphans, folded translations.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use contract::Item;
use journal::{Overlay, Revision};
use memchr::memmem::Finder;

use crate::commands::output_file::part_of;

/// Positions of written items whose depth may change until the end of the run.
#[derive(Debug, Default)]
pub struct WrittenItems {
    lines: Vec<ItemPosition>,
    /// Link items were written: most of their values are known at the end only.
    holds_links: bool,
}

/// Position of an item in the file.
#[derive(Debug)]
struct ItemPosition {
    /// Offset of its first byte.
    start: u64,
    length: usize,
    /// The depth that was written, for items with a depth.
    depth: Option<Option<u32>>,
}

impl WrittenItems {
    /// Records the position of an item that was written.
    pub fn note(&mut self, item: &Item, start: u64, length: usize) {
        let depth = match item {
            Item::Sitemap(_) | Item::Link(_) => {
                self.holds_links = true;
                return;
            }
            Item::Markdown(page) => Some(page.depth),
            Item::Product(_) | Item::Contact(_) => None,
        };
        self.lines.push(ItemPosition { start, length, depth });
    }

    /// Updates depths in place if they keep their number of digits. Returns false if the file must
    /// be rewritten.
    fn patch(&self, path: &Path, overlay: &Overlay) -> io::Result<bool> {
        if self.holds_links || !overlay.translations.is_empty() {
            return Ok(false);
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let finders = overlay.revisions.first().map(finders).unwrap_or_default();
        let all = self.lines.iter().zip(&overlay.revisions);
        let outdated = all.filter(|(line, newer)| line.depth.is_some_and(|it| it != newer.depth));
        for (line, newer) in outdated {
            let mut text = vec![0; line.length];
            file.seek(SeekFrom::Start(line.start))?;
            file.read_exact(&mut text)?;
            let mut text = String::from_utf8(text).map_err(io::Error::other)?;
            update(&mut text, &finders, newer);
            if text.len() != line.length {
                return Ok(false);
            }
            file.seek(SeekFrom::Start(line.start))?;
            file.write_all(text.as_bytes())?;
        }
        file.sync_all()?;
        Ok(true)
    }
}

/// Updates the items of a file: one per line, in the order in which they were written.
pub fn revise(path: &Path, written: &WrittenItems, overlay: &Overlay) -> io::Result<()> {
    if written.patch(path, overlay)? { Ok(()) } else { rewrite(path, overlay) }
}

/// Rewrites the file through a part file, so that it is replaced as a whole or not at all.
fn rewrite(path: &Path, overlay: &Overlay) -> io::Result<()> {
    let part = part_of(path);
    let mut out = BufWriter::new(File::create(&part)?);
    let finders = overlay.revisions.first().map(finders).unwrap_or_default();
    let in_sitemap = Finder::new("\"in_sitemap\":");
    let mut revisions = (0_u64..).zip(&overlay.revisions);
    for line in BufReader::new(File::open(path)?).lines() {
        let mut line = line?;
        if line.starts_with('{')
            && let Some((index, revision)) = revisions.next()
        {
            if overlay.translations.contains_key(&index) {
                line = rewritten(&line, overlay, index)?;
            } else {
                update(&mut line, &finders, revision);
                if overlay.sitemap_unread {
                    splice(&mut line, &in_sitemap, "null");
                }
            }
        }
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(&part, path)
}

/// The line of an item that got folded translations. They are rare: parse the whole item.
fn rewritten(line: &str, overlay: &Overlay, index: u64) -> io::Result<String> {
    let text = line.strip_suffix(',').unwrap_or(line);
    let mut item = serde_json::from_str(text)?;
    overlay.apply(index, &mut item);
    Ok(format!("{item}{}", &line[text.len()..]))
}

/// Substring searchers for the member names of a revision.
fn finders(revision: &Revision) -> Vec<Finder<'static>> {
    let members = revision.members();
    members.iter().map(|(member, _)| Finder::new(&format!("\"{member}\":")).into_owned()).collect()
}

/// Replaces the values of the members that the item has.
fn update(line: &mut String, finders: &[Finder<'_>], newer: &Revision) {
    for (finder, (_, value)) in finders.iter().zip(newer.members()) {
        splice(line, finder, &value.to_string());
    }
}

/// Replaces the value of a member. Quotes inside of texts are escaped, so that the first match is
/// the member itself. Values are numbers, words and flat lists.
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
    use journal::{Via, ViaSet};
    use serde_json::Value;

    use super::*;

    #[test]
    fn link_items_are_updated_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.json");
        let item = |title: &str| {
            serde_json::json!({"title": title, "depth": 1, "inlinks": 0, "discovered_by": [],
                "orphan": false, "in_sitemap": false})
        };
        let sly = r#"a "inlinks":7, "orphan":true ] }"#;
        let text = format!("[\n{},\n{}\n]\n", item(sly), item("b"));
        fs::write(&path, text).expect("it is written");
        let mut ways = ViaSet::default();
        ways.add(Via::Link);
        ways.add(Via::Sitemap);
        let revision = |inlinks| Revision {
            depth: None,
            inlinks,
            ways,
            orphan: inlinks == 0,
            in_sitemap: true,
        };
        let overlay = Overlay { revisions: vec![revision(12), revision(0)], ..Overlay::default() };
        rewrite(&path, &overlay).expect("it is");
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
    fn folded_translations_are_added_to_their_item() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.json");
        let item = |name: &str| serde_json::json!({"name": name, "alternates": [{"lang": "fr", "url": "https://a.test/]"}]});
        fs::write(&path, format!("[\n{},\n{}\n]\n", item("a"), item("b"))).expect("written");
        let ways = ViaSet::default();
        let revision = Revision { depth: None, inlinks: 0, ways, orphan: false, in_sitemap: false };
        let english =
            contract::Alternate { lang: "en".to_owned(), url: "https://a.test/en".to_owned() };
        let overlay = Overlay {
            revisions: vec![revision; 2],
            translations: [(0, vec![english])].into(),
            ..Overlay::default()
        };
        revise(&path, &WrittenItems::default(), &overlay).expect("it is");
        let items: Vec<Value> =
            serde_json::from_slice(&fs::read(&path).expect("a file")).expect("still an array");
        assert_eq!(items[0]["alternates"][1]["url"], "https://a.test/en");
        assert_eq!(items[1], item("b"));
    }

    /// A file of pages with these depths, and the positions of its items.
    fn texts(depths: &[Option<u32>]) -> (String, WrittenItems) {
        let (mut text, mut written) = (String::from("[\n"), WrittenItems::default());
        for depth in depths {
            let page = serde_json::json!({"url": "https://a.test/", "title": "\"depth\":7 é",
                "markdown": "\"depth\":7\n", "depth": depth, "status_code": 200, "word_count": 1,
                "token_estimate": 1, "headings": [], "links": [], "images": [],
                "content_hash": "", "rendered": false, "fetched_at": "2026-01-01T00:00:00.000Z",
                "extraction": {"method": "blocks", "kept_ratio": 1.0, "warnings": []}});
            let line = page.to_string();
            let item = serde_json::from_value(page).expect("an item");
            written.note(&item, text.len() as u64, line.len());
            text.push_str(&line);
            text.push_str(",\n");
        }
        text.truncate(text.len() - 2);
        (text + "\n]\n", written)
    }

    #[test]
    fn depths_are_updated_when_a_shorter_path_was_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.json");
        let cases: [[Option<u32>; 3]; 4] = [
            [Some(1), Some(2), Some(3)],
            [Some(1), Some(1), Some(2)],
            [Some(1), Some(12), Some(3)],
            [None, Some(2), Some(100)],
        ];
        for newer in cases {
            let (text, written) = texts(&[Some(1), Some(2), Some(3)]);
            fs::write(&path, text).expect("it is written");
            let ways = ViaSet::default();
            let revision =
                |depth| Revision { depth, inlinks: 1, ways, orphan: false, in_sitemap: false };
            let overlay = Overlay { revisions: newer.map(revision).to_vec(), ..Overlay::default() };
            revise(&path, &written, &overlay).expect("it is");
            assert_eq!(fs::read_to_string(&path).expect("a file"), texts(&newer).0);
        }
    }
}
