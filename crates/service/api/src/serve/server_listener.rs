//! The sockets that a server accepts connections on.

use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio::net::{TcpListener, UnixListener, UnixStream};

use super::client_stream::AcceptedStream;
use super::server_tls::ServerTls;

/// A socket that accepts connections of clients.
#[derive(Debug)]
pub enum ServerListener {
    Tcp(TcpListener),
    /// All clients do a TLS handshake.
    Tls(TcpListener, ServerTls),
    /// Programs of this machine. They have no address, so that limits by address do not apply.
    Unix(UnixListener, Option<OwnedSocketFile>),
}

/// The file of a Unix socket that this process made; removed with the listener.
#[derive(Debug)]
pub struct OwnedSocketFile(PathBuf);

/// Why a Unix socket cannot be made.
#[derive(Debug, Error)]
pub enum SocketInUse {
    /// Another process accepts connections on it.
    #[error("another process listens on {0}")]
    Answers(PathBuf),
    /// The file is something else, which is not removed.
    #[error("{0} exists and is no socket")]
    NoSocket(PathBuf),
    /// The file cannot be made or removed.
    #[error("cannot make the socket {0}: {1}")]
    Io(PathBuf, io::Error),
}

impl From<TcpListener> for ServerListener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

impl ServerListener {
    /// Makes a Unix socket with these permissions. The file of a socket on which no process answers is
    /// replaced.
    ///
    /// # Errors
    /// [`SocketInUse`] when the path is in use or cannot be written.
    pub async fn bind_unix(path: &Path, mode: u32) -> Result<Self, SocketInUse> {
        let failed = |error| SocketInUse::Io(path.to_owned(), error);
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
            Ok(found) if !found.file_type().is_socket() => {
                return Err(SocketInUse::NoSocket(path.to_owned()));
            }
            Ok(_) => match UnixStream::connect(path).await {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    tracing::info!(path = %path.display(), "removing the socket of a process that has ended");
                    std::fs::remove_file(path).map_err(failed)?;
                }
                // A full backlog or missing rights are answers as well.
                Ok(_) | Err(_) => return Err(SocketInUse::Answers(path.to_owned())),
            },
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let file = OwnedSocketFile(path.to_owned());
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).map_err(failed)?;
        Ok(Self::Unix(listener, Some(file)))
    }

    pub(super) async fn accept(&self) -> io::Result<AcceptedStream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok(AcceptedStream::Plain(stream, peer))
            }
            Self::Tls(listener, tls) => {
                let (stream, peer) = listener.accept().await?;
                Ok(AcceptedStream::Tls(stream, peer, tls.clone()))
            }
            Self::Unix(listener, _) => Ok(AcceptedStream::Unix(listener.accept().await?.0)),
        }
    }
}

impl Drop for OwnedSocketFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, path = %self.0.display(), "cannot remove the socket");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stale_socket_is_replaced_and_one_in_use_or_another_file_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trawl.sock");
        // std removes no file: this is what a killed process leaves.
        drop(std::os::unix::net::UnixListener::bind(&path).expect("bound"));
        let first = ServerListener::bind_unix(&path, 0o660).await.expect("a stale socket");
        let mode = std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o660);
        let error = ServerListener::bind_unix(&path, 0o660).await.expect_err("in use");
        assert!(matches!(error, SocketInUse::Answers(_)), "{error}");
        assert!(UnixStream::connect(&path).await.is_ok(), "the first one works");
        drop(first);
        assert!(!path.exists(), "it is removed with its listener");

        std::fs::write(&path, "data").expect("written");
        let error = ServerListener::bind_unix(&path, 0o660).await.expect_err("a file");
        assert!(matches!(error, SocketInUse::NoSocket(_)), "{error}");
        assert_eq!(std::fs::read(&path).expect("a file"), b"data");
    }
}
