//! The crates of the workspace and their files.

use std::fs;
use std::path::{Path, PathBuf};

/// A crate of the workspace.
#[derive(Debug)]
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
    /// `core`, `read`, `modes`, `service`, `trawl` or `testing`.
    pub layer: String,
}

impl Package {
    /// The names of its dependencies and of those of its build script, on any platform, without
    /// those of its tests.
    pub fn dependencies(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("TOML");
        let table = |of: &toml::Table, name| of.get(name).and_then(toml::Value::as_table).cloned();
        let platforms = table(&manifest, "target").unwrap_or_default();
        let platforms = platforms.values().filter_map(toml::Value::as_table);
        let kinds = ["dependencies", "build-dependencies"];
        let tables = platforms.chain([&manifest]).flat_map(|of| kinds.map(|kind| table(of, kind)));
        tables.flatten().flat_map(|table| table.keys().cloned().collect::<Vec<_>>()).collect()
    }
}

pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the root of the workspace")
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = fs::read_dir(of)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn name_of(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().into_owned()
}

/// All crates, found by their manifests.
pub fn crates() -> Vec<Package> {
    let mut found = Vec::new();
    for layer in folders(&root().join("crates")).into_iter().chain([root().join("testing")]) {
        let inside = folders(&layer).into_iter().filter(|path| path.join("Cargo.toml").exists());
        for folder in inside {
            found.push(Package { name: name_of(&folder), folder, layer: name_of(&layer) });
        }
        if layer.join("Cargo.toml").exists() {
            found.push(Package { name: name_of(&layer), layer: name_of(&layer), folder: layer });
        }
    }
    found
}

/// The Rust files below a folder.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files_of(folder, "rs")
}

/// The files below a folder whose names end in `.extension`, without those of installed packages.
pub fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let is_installed = path.file_name().is_some_and(|name| name == "node_modules");
        if path.is_dir() && !is_installed {
            found.extend(files_of(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The path of a file from the root of the workspace.
pub fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}
