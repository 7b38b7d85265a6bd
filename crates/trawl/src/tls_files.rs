//! The files of the server's certificate and key: reading, and reloading when they change.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use api::{ServerTls, ServerTlsError};
use metrics::gauge;
use runtime::off_runtime;
use tokio_util::sync::CancellationToken;

use crate::settings::TlsFiles;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Maximum bytes of a file.
const MAX_BYTES: u64 = 1 << 20;

/// The certificate of the files.
pub fn load(files: &TlsFiles) -> anyhow::Result<ServerTls> {
    let (chain, key) = read(files)?;
    ServerTls::new(&chain, &key).map_err(|error| unusable(files, &error))
}

fn unusable(files: &TlsFiles, error: &ServerTlsError) -> anyhow::Error {
    anyhow::anyhow!(
        "cannot use the certificate {} (setting tls_certificate) with the key {} (setting tls_key): \
         {error}",
        files.certificate.display(),
        files.key.display()
    )
}

fn read(files: &TlsFiles) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let certificate = read_file("tls_certificate", &files.certificate)?;
    let key = read_file("tls_key", &files.key)?;
    Ok((certificate, key))
}

fn read_file(setting: &str, path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let context = || {
        format!(
            "cannot read {shown} (setting {setting}); the user of the server must have the right"
        )
    };
    let bytes = fs::metadata(path).with_context(context)?.len();
    if bytes > MAX_BYTES {
        bail!(
            "{shown} (setting {setting}) has {bytes} bytes: it is no PEM file of a certificate or key"
        );
    }
    fs::read(path).with_context(context)
}

/// What changes when a file is replaced or written: device, inode, size, change time.
type FileVersion = Option<(u64, u64, u64, i64, i64)>;

fn versions(files: &TlsFiles) -> [FileVersion; 2] {
    [&files.certificate, &files.key].map(|path| {
        let found = fs::metadata(path).ok()?;
        Some((found.dev(), found.ino(), found.len(), found.ctime(), found.ctime_nsec()))
    })
}

/// Uses new files for new connections as soon as they fit together. Files that cannot be used are
/// logged once, and the certificate before remains in use.
pub async fn reload_on_change(tls: ServerTls, files: TlsFiles, stop: CancellationToken) {
    // A change since the start is seen as one.
    let mut seen: Option<[FileVersion; 2]> = None;
    let mut reported = String::new();
    loop {
        publish_expiry(&tls);
        let now = off_runtime(|| versions(&files));
        if seen != Some(now) {
            seen = Some(now);
            match off_runtime(|| replace(&tls, &files)) {
                Ok(true) => {
                    reported.clear();
                    tracing::info!("using the new TLS certificate for new connections");
                }
                Ok(false) => reported.clear(),
                // A program may write one file after the other: the next look finds both.
                Err(error) => {
                    let error = format!("{error:#}");
                    if reported != error {
                        tracing::error!(
                            %error,
                            "cannot use the changed TLS files; the certificate before remains in use"
                        );
                        reported = error;
                    }
                }
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => return,
        }
    }
}

/// Whether the files have another certificate than the one in use, which they replace.
fn replace(tls: &ServerTls, files: &TlsFiles) -> anyhow::Result<bool> {
    let (chain, key) = read(files)?;
    let before = tls.facts();
    tls.replace(&chain, &key).map_err(|error| unusable(files, &error))?;
    Ok(tls.facts() != before)
}

#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are exact in a double")]
fn publish_expiry(tls: &ServerTls) {
    gauge!("trawl_tls_certificate_expires").set(tls.facts().not_after as f64);
}
