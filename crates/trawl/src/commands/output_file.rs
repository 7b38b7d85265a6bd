//! A file of items at its place: written beside it, and there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use export::{FileKind, Outlet};

/// What a file turned out to be, told to whoever waits for its end.
pub type Told = Arc<OnceLock<FileKind>>;

/// Where a file is being written.
pub struct Place {
    out: BufWriter<Box<dyn Write + Send>>,
    told: Told,
}

/// A file that is not at its place yet.
pub struct Beside {
    path: PathBuf,
    part: PathBuf,
}

impl Place {
    /// Standard output.
    pub fn standard() -> (Self, Told) {
        Self::of(Box::new(io::stdout()))
    }

    /// Beside the file that it will be.
    pub fn beside(path: &Path) -> io::Result<(Self, Told, Beside)> {
        let beside = Beside { path: path.to_owned(), part: part_of(path) };
        let (place, told) = Self::of(Box::new(File::create(&beside.part)?));
        Ok((place, told, beside))
    }

    fn of(out: Box<dyn Write + Send>) -> (Self, Told) {
        let told = Told::default();
        (Self { out: BufWriter::new(out), told: Arc::clone(&told) }, told)
    }
}

impl Beside {
    /// Puts the file at its place.
    pub fn settle(self) -> io::Result<()> {
        File::open(&self.part)?.sync_all()?;
        fs::rename(&self.part, &self.path)
    }

    /// Takes away what was begun.
    pub fn give_up(self) {
        // It is only in the way; the error that led here is what counts.
        let _ = fs::remove_file(&self.part);
    }
}

/// The name of a file that is not whole yet.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Tells people what they would not expect of a file.
pub fn tell(kind: Option<&FileKind>, path: &str) {
    if kind == Some(&FileKind::Zip) {
        eprintln!(
            "trawl: a sitemap holds 50,000 addresses, and these are more: {path} is an archive \
             (ZIP) of several, with an index"
        );
    }
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Outlet for Place {
    fn begins(&mut self, kind: FileKind) {
        // Told once, as the trait has it.
        let _ = self.told.set(kind);
    }
}
