//! Output files of exports. A file is written as `NAME.part` and renamed when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use export::{ExportSink, FileKind};

/// The kind of the written file, set while it is written.
pub type WrittenKind = Arc<OnceLock<FileKind>>;

/// Destination of an export: standard output or a part file.
pub struct ExportTarget {
    out: BufWriter<Box<dyn Write + Send>>,
    kind: WrittenKind,
}

/// An incomplete file and its final path.
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
}

impl ExportTarget {
    /// Writes to standard output.
    pub fn stdout() -> (Self, WrittenKind) {
        Self::of(Box::new(io::stdout()))
    }

    /// Writes to a part file next to `path`.
    pub fn part_file(path: &Path) -> io::Result<(Self, WrittenKind, PartFile)> {
        let part_file = PartFile { path: path.to_owned(), part: part_of(path) };
        let (target, kind) = Self::of(Box::new(File::create(&part_file.part)?));
        Ok((target, kind, part_file))
    }

    fn of(out: Box<dyn Write + Send>) -> (Self, WrittenKind) {
        let kind = WrittenKind::default();
        (Self { out: BufWriter::new(out), kind: Arc::clone(&kind) }, kind)
    }
}

impl PartFile {
    /// Renames the complete file to its final path.
    pub fn persist(self) -> io::Result<()> {
        File::open(&self.part)?.sync_all()?;
        fs::rename(&self.part, &self.path)
    }

    /// Deletes the incomplete file.
    pub fn discard(self) {
        // The error that led here is reported; a leftover file is harmless.
        let _ = fs::remove_file(&self.part);
    }
}

/// The path of the part file of `path`.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Warns if the sitemap became a ZIP archive.
pub fn warn_if_zip(kind: Option<&FileKind>, path: &str) {
    if kind == Some(&FileKind::Zip) {
        eprintln!(
            "trawl: a sitemap has at most 50,000 URLs: {path} is a ZIP archive of several sitemaps \
             with an index"
        );
    }
}

impl Write for ExportTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl ExportSink for ExportTarget {
    fn start(&mut self, kind: FileKind) {
        // The kind is set once per file.
        let _ = self.kind.set(kind);
    }
}
