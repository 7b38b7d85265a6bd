//! The key that secrets are sealed under: the operator's, or one of the data folder's own.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use store::SecretKey;

use crate::private_files;
use crate::settings::{SHORTEST_KEY, Settings};

/// What it is called in the data folder.
const FILE: &str = "secret.key";

/// The key of this service, made at the first start where that is possible.
pub fn find(settings: &Settings) -> anyhow::Result<String> {
    if let Some(key) = &settings.webhooks.secret_key {
        return Ok(key.reveal().to_owned());
    }
    if settings.database.reveal().starts_with("postgres") {
        bail!(
            "TRAWL_SECRET_KEY is not set: nodes that share a PostgreSQL need the same secret key; \
             make one with `openssl rand -hex 32` and give it to each of them"
        );
    }
    let path = settings.data.join(FILE);
    keep(&path).with_context(|| {
        format!("the secret key {} cannot be used; set TRAWL_SECRET_KEY instead", path.display())
    })
}

/// The key in the file, or a new one that is kept there for its owner's eyes only. The file
/// comes into being whole: no crash leaves half a key.
fn keep(path: &Path) -> anyhow::Result<String> {
    let fresh = SecretKey::mint();
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
        Ok(key) if key.trim().is_empty() => bail!("the file is empty"),
        Ok(key) if key.trim().chars().count() < SHORTEST_KEY => {
            bail!("it has fewer than {SHORTEST_KEY} characters")
        }
        Ok(key) => return Ok(key.trim().to_owned()),
    }
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    // A draft of the same name is what a crash left behind.
    let _ = std::fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(fresh.reveal().as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Ok(()) => Ok(fresh.reveal().to_owned()),
        // Another process was first: its key it is.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok(std::fs::read_to_string(path)?.trim().to_owned())
        }
        Err(error) => Err(error.into()),
    }
}
