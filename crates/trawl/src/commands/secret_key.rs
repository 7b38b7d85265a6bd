//! The key that encrypts stored secrets: configured, or generated in the data folder.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use store::SecretKey;

use crate::private_files;
use crate::settings::{Layers, SHORTEST_KEY, Settings};

/// Name of the key file in the data folder.
const FILE: &str = "secret.key";
/// Name of the file of the key to which an unfinished rotation changes.
const NEXT_FILE: &str = "secret.key.next";

/// The key files that a data folder can have, the older key first.
pub const FILES: [&str; 2] = [FILE, NEXT_FILE];

/// The secret key of this service; generates one at the first start on SQLite.
pub fn find(settings: &Settings) -> anyhow::Result<String> {
    if let Some(key) = &settings.webhooks.secret_key {
        return Ok(key.reveal().to_owned());
    }
    if settings.is_postgres() {
        bail!(
            "TRAWL_SECRET_KEY is not set: nodes that share a PostgreSQL need the same secret key; \
             generate one with `openssl rand -hex 32` and set it on each node"
        );
    }
    let path = settings.data.join(FILE);
    read_or_create(&path).with_context(|| {
        format!("cannot use the secret key file {}; set TRAWL_SECRET_KEY instead", path.display())
    })
}

/// The secret key of the settings or of the data folder, if there is one.
pub fn existing(settings: &Settings) -> anyhow::Result<Option<String>> {
    if let Some(key) = &settings.webhooks.secret_key {
        return Ok(Some(key.reveal().to_owned()));
    }
    let path = settings.data.join(FILE);
    if settings.is_postgres() || !path.exists() {
        return Ok(None);
    }
    let key = read(&path);
    key.with_context(|| format!("cannot use the secret key file {}", path.display())).map(Some)
}

/// Whether the secret key is a file of the data folder, and no setting.
pub fn is_file(settings: &Settings) -> bool {
    settings.webhooks.secret_key.is_none() && !settings.is_postgres()
}

/// The key of an unfinished rotation in the data folder.
pub fn unfinished(settings: &Settings) -> anyhow::Result<Option<String>> {
    let path = settings.data.join(NEXT_FILE);
    if !is_file(settings) || !path.exists() {
        return Ok(None);
    }
    let key = read(&path);
    key.with_context(|| format!("cannot use the secret key file {}", path.display())).map(Some)
}

/// Sets the keys of the data folder in the settings, as far as there are any.
pub fn load(layers: &mut Layers) -> anyhow::Result<()> {
    let settings = Settings::of(layers)?;
    let (key, next) = (existing(&settings)?, unfinished(&settings)?);
    for (name, key) in [("secret_key", key), ("next_secret_key", next)] {
        if let Some(key) = key {
            layers.replace(name, key);
        }
    }
    Ok(())
}

/// Creates the file of the next key, unless an unfinished rotation has left one.
pub fn create_next(settings: &Settings) -> anyhow::Result<()> {
    let path = settings.data.join(NEXT_FILE);
    read_or_create(&path)
        .and_then(|_| Ok(private_files::sync_folder_of(&path)?))
        .with_context(|| format!("cannot write the secret key file {}", path.display()))
}

/// Replaces the key file by that of the next key.
pub fn adopt_next(settings: &Settings) -> anyhow::Result<()> {
    let (path, next) = (settings.data.join(FILE), settings.data.join(NEXT_FILE));
    std::fs::rename(&next, &path)
        .and_then(|()| private_files::sync_folder_of(&path))
        .with_context(|| format!("cannot rename {} to {}", next.display(), path.display()))
}

/// The keys of the files in the data folder, the older one first; none if the key is a setting.
pub fn files(settings: &Settings) -> anyhow::Result<Vec<String>> {
    let mut keys = Vec::new();
    if !is_file(settings) {
        return Ok(keys);
    }
    for name in FILES {
        let path = settings.data.join(name);
        if path.exists() {
            let key = read(&path);
            keys.push(
                key.with_context(|| format!("cannot use the secret key file {}", path.display()))?,
            );
        }
    }
    Ok(keys)
}

/// The key files for a copy of the database that was made between two looks at the files: all keys that
/// a value of the copy can be encrypted with, by the name of their file.
pub fn united(
    before: Vec<String>,
    after: Vec<String>,
) -> anyhow::Result<Vec<(&'static str, String)>> {
    let mut keys = before;
    for key in after {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if keys.len() > FILES.len() {
        bail!("the secret key was changed twice meanwhile; repeat the command");
    }
    Ok(FILES.into_iter().zip(keys).collect())
}

fn read(path: &Path) -> anyhow::Result<String> {
    match std::fs::read_to_string(path)? {
        key if key.trim().is_empty() => bail!("the file is empty"),
        key if key.trim().chars().count() < SHORTEST_KEY => {
            bail!("the key has fewer than {SHORTEST_KEY} characters")
        }
        key => Ok(key.trim().to_owned()),
    }
}

/// Reads the key file, or creates it readable by its owner only. The file appears complete: a
/// crash cannot leave half a key.
fn read_or_create(path: &Path) -> anyhow::Result<String> {
    let fresh = SecretKey::mint();
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    if path.exists() {
        return read(path);
    }
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    // A draft with the same name is left from a crash.
    let _ = std::fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(fresh.reveal().as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Ok(()) => Ok(fresh.reveal().to_owned()),
        // Another process created the key first.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok(std::fs::read_to_string(path)?.trim().to_owned())
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_both_looks_are_kept_in_their_order() {
        let keys = |all: &[&str]| all.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let named = |before: &[&str], after: &[&str]| united(keys(before), keys(after)).ok();
        let (one, two) = ((FILE, "a".to_owned()), (NEXT_FILE, "b".to_owned()));
        assert_eq!(named(&["a"], &["a"]), Some(vec![one.clone()]));
        assert_eq!(named(&["a"], &["a", "b"]), Some(vec![one.clone(), two.clone()]));
        assert_eq!(named(&["a", "b"], &["b"]), Some(vec![one.clone(), two.clone()]));
        assert_eq!(named(&["a"], &["b"]), Some(vec![one, two]));
        assert_eq!(named(&[], &[]), Some(Vec::new()));
        assert_eq!(named(&["a", "b"], &["c"]), None, "two rotations");
    }
}
