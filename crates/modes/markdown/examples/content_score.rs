//! Scores the stored model on a folder of labelled pages.
//!
//! `content_score DATA [PROBABILITIES [OUTLINES]]`: DATA contains `html/NNNN.html.gz` and
//! `ground-truth/NNNN.json`. Prints the mean word F1 of all pages, per type and over the types, the
//! same without pages of little text, the F1 of articles on 4-grams, the recall of structures (code
//! lines, table cells, list items, quotes) within the true text, and the time per page.
//!
//! PROBABILITIES are those of all blocks by another model than the stored one, such as the ones of
//! a cross-validation (`train.py cv` writes them). OUTLINES receives a JSON line per page with its
//! containers, blocks and decisions, which `training/content/losses.py` reads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::hash::Hash;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use markdown::training::{ScoredPage, StructureKind, page_outline, select_words};
use serde_json::Value;

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// F1 over two multisets.
fn f1<T: Hash + Eq>(kept: impl Iterator<Item = T>, truth: impl Iterator<Item = T>) -> f64 {
    let (mut left, mut total, mut size, mut shared) = (HashMap::new(), 0_u32, 0_u32, 0_u32);
    for word in truth {
        *left.entry(word).or_insert(0_u32) += 1;
        total += 1;
    }
    for word in kept {
        size += 1;
        if let Some(count) = left.get_mut(&word).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    match (size, total) {
        (0, 0) => 1.0,
        _ => 2.0 * f64::from(shared) / f64::from(size + total),
    }
}

fn read_html(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    Ok(html::charset::decode(&bytes, None).into_owned())
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn get(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

/// Means of all pages and of each type.
#[derive(Default)]
struct Score {
    all: Mean,
    types: BTreeMap<String, Mean>,
}

impl Score {
    fn add(&mut self, kind: &str, value: f64) {
        self.all.add(value);
        self.types.entry(kind.to_owned()).or_default().add(value);
    }

    fn print(&self, title: &str) {
        let macro_mean = self.types.values().map(Mean::get).sum::<f64>() / self.types.len() as f64;
        print!("{title}: all {:.4} macro {macro_mean:.4} |", self.all.get());
        for (kind, mean) in &self.types {
            print!(" {kind} {:.3}", mean.get());
        }
        println!();
    }
}

/// Adds the minimum time of each step over a few repetitions.
fn time(html: &str, url: &str, steps: &mut BTreeMap<String, Duration>) {
    let mut best: BTreeMap<String, Duration> = BTreeMap::new();
    for _ in 0..3 {
        let mut last = Instant::now();
        let words = select_words(html, url, &mut |step| {
            let now = Instant::now();
            let taken = now - last;
            best.entry(step.to_owned())
                .and_modify(|time| *time = taken.min(*time))
                .or_insert(taken);
            last = now;
        });
        std::hint::black_box(words);
    }
    for (step, taken) in best {
        *steps.entry(step).or_default() += taken;
    }
}

/// Runs of three words, the measure of whether a text is part of another.
fn trigrams(words: &[String]) -> impl Iterator<Item = &[String]> {
    words.windows(3)
}

/// Recall of structures: those in the true text, and those of them that are selected.
#[derive(Default)]
struct StructureRecall(BTreeMap<StructureKind, (usize, usize)>);

impl StructureRecall {
    fn add(&mut self, page: &ScoredPage, kept_words: &[String], truth: &[String]) {
        let known: HashSet<&[String]> = trigrams(truth).collect();
        let written: HashSet<&[String]> = trigrams(kept_words).collect();
        for structure in &page.structures {
            let words = words(&structure.text);
            let count = trigrams(&words).count();
            let is_within = |text: &HashSet<&[String]>| {
                let found = trigrams(&words).filter(|run| text.contains(run)).count();
                count > 0 && found * 10 >= count * 9
            };
            if !is_within(&known) {
                continue;
            }
            let (total, kept) = self.0.entry(structure.kind).or_default();
            *total += structure.size;
            *kept += if is_within(&written) { structure.size } else { 0 };
        }
    }

    fn print(&self) {
        print!("structure recall in the true text:");
        let (mut total, mut kept) = (0, 0);
        for (kind, sums) in &self.0 {
            print!(" {kind:?} {:.4} of {},", sums.1 as f64 / sums.0 as f64, sums.0);
            (total, kept) = (total + sums.0, kept + sums.1);
        }
        println!(" all {:.4}", kept as f64 / total as f64);
    }
}

fn read_floats(path: &str) -> io::Result<Vec<f32>> {
    let bytes = fs::read(path)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn main() -> io::Result<()> {
    let data =
        std::env::args().nth(1).ok_or_else(|| io::Error::other("usage: content_score DATA"))?;
    let data = Path::new(&data);
    let probabilities = std::env::args().nth(2).map(|path| read_floats(&path)).transpose()?;
    let mut outlines = std::env::args().nth(3).map(File::create).transpose()?.map(BufWriter::new);
    let (mut first_block, mut structures) = (0, StructureRecall::default());
    let (mut score, mut strict, mut runs) = (Score::default(), Score::default(), Mean::default());
    let (mut steps, mut methods) = (BTreeMap::new(), BTreeMap::<String, u32>::new());
    let (mut pages, mut dropping) = (0, 0);
    let mut entries: Vec<_> =
        fs::read_dir(data.join("ground-truth"))?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let truth: Value = serde_json::from_slice(&fs::read(entry.path())?)?;
        let path = entry.path();
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let html = read_html(&data.join("html").join(format!("{id}.html.gz")))?;
        let url = truth["url"].as_str().unwrap_or_default();
        let kind = &truth["_internal"]["page_type"];
        let kind = kind.get("primary").unwrap_or(kind).as_str().unwrap_or("article");
        let kind = if kind == "category" { "collection" } else { kind };
        let given = probabilities.as_ref().map(|all| &all[first_block.min(all.len())..]);
        let page = ScoredPage::read(&html, url, given);
        if let Some(outlines) = &mut outlines {
            let mut outline = page_outline(&html, url, given.unwrap_or_default());
            outline["id"] = id.into();
            serde_json::to_writer(&mut *outlines, &outline)?;
            outlines.write_all(b"\n")?;
        }
        first_block += page.blocks;
        let expected = words(truth["ground_truth"]["main_content"].as_str().unwrap_or_default());
        let kept: Vec<_> = page.kept.iter().flat_map(|text| words(text)).collect();
        let value = f1(kept.iter(), expected.iter());
        score.add(kind, value);
        structures.add(&page, &kept, &expected);
        let nothing = f1(std::iter::empty(), expected.iter());
        strict.add(kind, if page.has_little { nothing } else { value });
        if kind == "article" {
            runs.add(f1(kept.windows(4), expected.windows(4)));
        }
        *methods.entry(format!("{:?}", page.method)).or_default() += 1;
        if probabilities.is_none() {
            time(&html, url, &mut steps);
        }
        pages += 1;
        dropping += u32::from(page.drops_text);
    }
    score.print("word F1");
    strict.print("nothing delivered where little is expected");
    println!("articles by runs of four words: {:.4}", runs.get());
    structures.print();
    println!("pages that drop text beside the selection: {dropping}");
    println!("pages by method: {methods:?}");
    for (step, taken) in steps {
        println!("{step}: {:.3} ms a page", taken.as_secs_f64() * 1e3 / f64::from(pages));
    }
    Ok(())
}
