//! The sockets of a server: those that systemd passes (`LISTEN_FDS`), else those of the settings.

use std::io;

use anyhow::{Context, bail};
use api::{ServerListener, ServerTls, SocketInUse};
use listenfd::ListenFd;
use tokio::net::{TcpListener, UnixListener};

use crate::settings::{ListenAddress, Settings, joined};
use crate::tls_files;

/// The sockets of the API with their actual addresses, and the certificate of those with TLS.
pub struct Listeners {
    pub sockets: Vec<ServerListener>,
    pub addresses: Vec<ListenAddress>,
    pub tls: Option<ServerTls>,
}

impl Listeners {
    /// Takes the sockets that were passed, or makes those of the settings.
    pub async fn open(settings: &Settings) -> anyhow::Result<Self> {
        let files = settings.listening.tls.as_ref();
        let tls = files.map(tls_files::load).transpose()?;
        let mut listeners = Self { sockets: Vec::new(), addresses: Vec::new(), tls };
        let mut passed = ListenFd::from_env();
        for index in 0..passed.len() {
            listeners.take(&mut passed, index).with_context(|| {
                format!(
                    "cannot use socket {} that systemd passed; it must be a listening stream socket \
                     (ListenStream= in trawl.socket)",
                    index + 1
                )
            })?;
        }
        if listeners.sockets.is_empty() {
            for address in &settings.listening.addresses {
                listeners.bind(address, settings.listening.socket_mode).await?;
            }
        }
        Ok(listeners)
    }

    /// The actual addresses, in the form of the setting `listen`.
    pub fn shown(&self) -> String {
        joined(&self.addresses)
    }

    fn take(&mut self, passed: &mut ListenFd, index: usize) -> io::Result<()> {
        let not_tcp = match passed.take_tcp_listener(index) {
            Ok(Some(listener)) => {
                listener.set_nonblocking(true)?;
                return self.add_tcp(TcpListener::from_std(listener)?);
            }
            Ok(None) => return Ok(()),
            Err(error) => error,
        };
        let Ok(Some(listener)) = passed.take_unix_listener(index) else { return Err(not_tcp) };
        listener.set_nonblocking(true)?;
        let path = listener.local_addr()?.as_pathname().map(ToOwned::to_owned);
        self.addresses.push(ListenAddress::Unix(path.unwrap_or_else(|| "@".into())));
        // systemd owns the file.
        self.sockets.push(ServerListener::Unix(UnixListener::from_std(listener)?, None));
        Ok(())
    }

    async fn bind(&mut self, address: &ListenAddress, mode: u32) -> anyhow::Result<()> {
        let another = "choose another address with --listen or TRAWL_LISTEN";
        match address {
            ListenAddress::Tcp(to) => {
                let listener = TcpListener::bind(to).await;
                let listener =
                    listener.with_context(|| format!("cannot listen on {to}; {another}"))?;
                self.add_tcp(listener)?;
            }
            ListenAddress::Unix(path) => {
                let socket = match ServerListener::bind_unix(path, mode).await {
                    Ok(socket) => socket,
                    Err(error @ SocketInUse::Answers(_)) => {
                        bail!("cannot listen on {address}: {error}; stop it, or {another}")
                    }
                    Err(error @ SocketInUse::NoSocket(_)) => {
                        bail!("cannot listen on {address}: {error}; {another}")
                    }
                    Err(error @ SocketInUse::Io(..)) => bail!(
                        "cannot listen on {address}: {error}; its folder must exist and be writable, \
                         or {another}"
                    ),
                };
                self.sockets.push(socket);
                self.addresses.push(address.clone());
            }
        }
        Ok(())
    }

    fn add_tcp(&mut self, listener: TcpListener) -> io::Result<()> {
        // With port 0 the system chooses the port.
        self.addresses.push(ListenAddress::Tcp(listener.local_addr()?));
        self.sockets.push(match &self.tls {
            Some(tls) => ServerListener::Tls(listener, tls.clone()),
            None => ServerListener::Tcp(listener),
        });
        Ok(())
    }
}
