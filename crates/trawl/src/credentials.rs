//! The API keys of servers that `trawl login` saved, in a file that only this user can read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::private_files;

/// Maximum bytes of the file.
const MAX_BYTES: u64 = 256 * 1024;

/// The saved keys by the URL of their server.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The server of the last login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(default)]
    servers: BTreeMap<String, String>,
}

impl Credentials {
    /// The saved keys; none if there is no file.
    pub fn load() -> anyhow::Result<Self> {
        match file() {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let unreadable = || format!("cannot read the saved credentials {}", path.display());
        let mut text = String::new();
        match File::open(path) {
            Ok(file) => {
                file.take(MAX_BYTES + 1).read_to_string(&mut text).with_context(unreadable)?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(unreadable),
        };
        if private_files::mode_if_readable_by_others(path).is_some() {
            let path = path.display();
            eprintln!("trawl: warning: {path} can be read by other users; run `chmod 600 {path}`");
        }
        // The cause is left out: it could quote a key.
        serde_json::from_str(&text).map_err(|_| {
            anyhow::anyhow!("{}: it is not valid; delete it and run `trawl login`", unreadable())
        })
    }

    /// Writes the keys; returns the path of the file.
    pub fn save(&self) -> anyhow::Result<PathBuf> {
        let path =
            file().context("cannot save credentials: neither HOME nor XDG_CONFIG_HOME is set")?;
        self.write(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            private_files::create_folder(folder)?;
        }
        let part = path.with_extension(format!("{}.part", std::process::id()));
        private_files::write(&part, &format!("{}\n", serde_json::to_string_pretty(self)?))?;
        std::fs::rename(&part, path)
    }

    /// The server of the last login.
    pub fn default_server(&self) -> Option<&str> {
        self.default.as_deref().filter(|url| self.servers.contains_key(*url))
    }

    /// The saved key for a server.
    pub fn key(&self, url: &str) -> Option<&str> {
        self.servers.get(&server_name(url)).map(String::as_str)
    }

    /// Adds a key and makes its server the default.
    pub fn add(&mut self, url: &str, key: String) {
        let name = server_name(url);
        self.servers.insert(name.clone(), key);
        self.default = Some(name);
    }

    /// Removes the key of a server, or of all; returns the servers.
    pub fn remove(&mut self, url: Option<&str>) -> Vec<String> {
        let name = url.map(server_name);
        let is_removed = |server: &str| name.as_deref().is_none_or(|name| name == server);
        let removed = self.servers.keys().filter(|server| is_removed(server)).cloned().collect();
        self.servers.retain(|server, _| !is_removed(server));
        if self.default_server().is_none() {
            // With one server left, no other can be meant.
            let mut left = self.servers.keys();
            self.default = left.next().cloned().filter(|_| left.next().is_none());
        }
        removed
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("default", &self.default).finish_non_exhaustive()
    }
}

/// The file of the credentials, by the XDG Base Directory Specification.
fn file() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("trawl/credentials.json"))
}

/// One spelling of the URL of a server.
pub fn server_name(url: &str) -> String {
    let normal = Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
    normal.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn file_is_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/trawl/credentials.json");
        let mut saved = Credentials::default();
        saved.add("https://a.test/", "key_live_one".to_owned());
        saved.write(&path).expect("written");
        saved.add("https://b.test", "key_live_two".to_owned());
        saved.write(&path).expect("written again");
        let mode =
            |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
        assert_eq!(Credentials::read(&path).expect("read"), saved);
        assert!(!format!("{saved:?}").contains("key_live"), "secret");
        let left = std::fs::read_dir(path.parent().expect("a folder")).expect("a list").count();
        assert_eq!(left, 1, "no temporary file");
    }

    #[test]
    fn last_login_is_the_default() {
        let mut saved = Credentials::default();
        assert_eq!(saved.default_server(), None);
        saved.add("HTTPS://A.test/", "one".to_owned());
        saved.add("https://b.test", "two".to_owned());
        assert_eq!(saved.default_server(), Some("https://b.test"));
        assert_eq!((saved.key("https://a.test"), saved.key("https://c.test")), (Some("one"), None));
        assert_eq!(saved.remove(Some("https://b.test/")), ["https://b.test"]);
        assert_eq!(saved.default_server(), Some("https://a.test"), "the only one left");
        assert_eq!(saved.remove(None), ["https://a.test"]);
        assert_eq!(saved, Credentials::default());
    }

    #[test]
    fn invalid_file_is_an_error_that_does_not_quote_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("credentials.json");
        assert_eq!(Credentials::read(&path).expect("missing"), Credentials::default());
        private_files::write(&path, "{\"servers\": key_live_hush}").expect("written");
        let error = format!("{:#}", Credentials::read(&path).expect_err("no JSON"));
        assert!(error.contains("trawl login") && !error.contains("hush"), "{error}");
    }
}
