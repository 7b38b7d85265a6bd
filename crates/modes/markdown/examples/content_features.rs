//! Dumps the features of every block of a folder of labelled pages for training.
//!
//! `content_features DATA OUT`: DATA contains `html/NNNN.html.gz` and `ground-truth/NNNN.json`. OUT
//! receives numbers as little-endian arrays and texts as JSON lines, pages in the order of their
//! names.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use markdown::training::TrainingPage;
use serde_json::{Value, json};

/// A file of little-endian numbers.
struct Numbers(BufWriter<File>);

impl Numbers {
    fn create(folder: &Path, name: &str) -> io::Result<Self> {
        Ok(Self(BufWriter::new(File::create(folder.join(name))?)))
    }

    fn floats(&mut self, values: &[f32]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.0.write_all(&value.to_le_bytes()))
    }

    fn shorts(&mut self, values: &[u16]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.0.write_all(&value.to_le_bytes()))
    }

    fn longs(&mut self, values: &[u32]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.0.write_all(&value.to_le_bytes()))
    }
}

/// Slots of all blocks concatenated, and the number of slots of each block.
struct Lists {
    slots: Numbers,
    lengths: Numbers,
}

impl Lists {
    fn create(folder: &Path, name: &str) -> io::Result<Self> {
        Ok(Self {
            slots: Numbers::create(folder, &format!("{name}.u16"))?,
            lengths: Numbers::create(folder, &format!("{name}.lengths.u32"))?,
        })
    }

    fn push(&mut self, slots: &[u16]) -> io::Result<()> {
        self.slots.shorts(slots)?;
        self.lengths.longs(&[u32::try_from(slots.len()).unwrap_or(u32::MAX)])
    }
}

fn read_html(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    Ok(html::charset::decode(&bytes, None).into_owned())
}

fn truths(data: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(data.join("ground-truth"))?;
    let mut paths: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(data), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: content_features DATA OUT"));
    };
    let (data, out) = (Path::new(&data), Path::new(&out));
    fs::create_dir_all(out)?;
    let mut rows = Numbers::create(out, "rows.f32")?;
    let mut page_rows = Numbers::create(out, "pages.f32")?;
    let mut chains = Numbers::create(out, "chains.u32")?;
    let mut structure = Lists::create(out, "structure")?;
    let mut wording = Lists::create(out, "wording")?;
    let mut heading = Lists::create(out, "heading")?;
    let mut head = Lists::create(out, "head")?;
    let mut lines = BufWriter::new(File::create(out.join("pages.jsonl"))?);
    let mut probabilities = Numbers::create(out, "likely.f32")?;
    let mut page_names = Vec::new();
    for path in truths(data)? {
        let truth: Value = serde_json::from_slice(&fs::read(&path)?)?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let html = read_html(&data.join("html").join(format!("{id}.html.gz")))?;
        let url = truth["url"].as_str().unwrap_or_default();
        let page = TrainingPage::read(&html, url);
        page_rows.floats(&page.row)?;
        head.push(&page.head)?;
        for block in &page.blocks {
            rows.floats(&block.row)?;
            chains.longs(&block.chain)?;
            structure.push(&block.structure)?;
            wording.push(&block.words)?;
            heading.push(&block.heading)?;
        }
        let texts: Vec<_> = page.blocks.iter().map(|block| block.text.as_str()).collect();
        let kind = &truth["_internal"]["page_type"];
        let line = json!({
            "id": id,
            "url": url,
            "type": kind.get("primary").unwrap_or(kind),
            "truth": truth["ground_truth"]["main_content"],
            "blocks": texts,
            "structures": page.structures,
        });
        serde_json::to_writer(&mut lines, &line)?;
        lines.write_all(b"\n")?;
        probabilities.floats(&page.probabilities)?;
        page_names = page.page_names;
    }
    let (rows, hash) = markdown::training::inputs();
    let names = json!({ "rows": rows, "pages": page_names, "inputs_hash": hash.to_string() });
    fs::write(out.join("names.json"), names.to_string())
}
