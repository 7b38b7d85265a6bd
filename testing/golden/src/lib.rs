//! Golden files: stored payloads of every version, in `tests/golden` of the crate that writes them.
//!
//! Tests decode the files of all versions, and compare what the present code writes with the file
//! of the newest version. A change of a format that got no new version fails there.
//!
//! To add a version, add its decoder, raise the number in `journal::PayloadType::version`, add the
//! JSON file of the new version, and run the tests of the crate with `TRAWL_WRITE_GOLDEN=1`. They
//! write the files that do not exist yet and never change one that does.

use std::fs;
use std::path::PathBuf;

/// The variable that makes tests write missing files.
const WRITE: &str = "TRAWL_WRITE_GOLDEN";

/// The golden files of a crate.
#[derive(Debug, Clone)]
pub struct GoldenFolder(PathBuf);

impl GoldenFolder {
    /// The golden files of the crate in this folder, which is `env!("CARGO_MANIFEST_DIR")`.
    #[must_use]
    pub fn of(crate_folder: &str) -> Self {
        Self(PathBuf::from(crate_folder).join("tests/golden"))
    }

    /// The names of the files with this ending, in order.
    #[must_use]
    pub fn names(&self, ending: &str) -> Vec<String> {
        let files = fs::read_dir(&self.0).expect("the folder of the golden files");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let names = names.map(|name| name.expect("a name in UTF-8"));
        let mut names: Vec<_> = names.filter(|name| name.ends_with(ending)).collect();
        names.sort();
        names
    }

    #[must_use]
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.0.join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Reads a file; if it does not exist, writes it with the bytes of the present code first.
    ///
    /// # Panics
    ///
    /// If the file does not exist and `TRAWL_WRITE_GOLDEN` is not set.
    #[must_use]
    pub fn read_or_write(&self, name: &str, present: &[u8]) -> Vec<u8> {
        let path = self.0.join(name);
        if !path.exists() && std::env::var_os(WRITE).is_some() {
            fs::write(&path, present).expect("room for the golden file");
        }
        self.read(name)
    }
}

/// A payload whose body, after `header` bytes, is decompressed. Compressed bytes are not compared:
/// another release of zstd may write others without a change of the format.
#[must_use]
pub fn decompressed(payload: &[u8], header: usize) -> Vec<u8> {
    let (header, body) = payload.split_at(header);
    let body = zstd::decode_all(body).expect("a whole zstd frame");
    [header, &body].concat()
}
