//! A proxy on loopback that carries tunnels: wherever they are to lead, they end at one
//! address.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The head of a request for a tunnel is no longer than this.
const HEAD_BYTES: usize = 16 * 1_024;

/// The proxy. It ends with its last handle.
#[derive(Debug)]
pub struct Tunnel {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Tunnel {
    /// A proxy whose tunnels all end at `target`. With `credentials` it wants to see them as
    /// `Proxy-Authorization`.
    ///
    /// # Errors
    /// When there is no port to be had.
    pub async fn start(target: SocketAddr, credentials: Option<&str>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, wanted) = (Arc::clone(&asked), credentials.map(str::to_owned));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, wanted) = (Arc::clone(&seen), wanted.clone());
                tokio::spawn(async move {
                    // Whoever breaks off has broken off.
                    let _ = carry(stream, target, wanted.as_deref(), &seen).await;
                });
            }
        });
        Ok(Self { address, asked, serving })
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The hosts and ports that were asked for.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn carry(
    mut stream: TcpStream,
    target: SocketAddr,
    wanted: Option<&str>,
    seen: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_BYTES {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let place = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next());
    let Some(place) = place else {
        return stream.write_all(b"HTTP/1.1 405 Method Not Allowed\r\n\r\n").await;
    };
    let shown = head.lines().find_map(|line| line.strip_prefix("Proxy-Authorization: "));
    if wanted.is_some() && shown != wanted {
        return stream.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
    }
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(place.to_owned());
    let mut site = match TcpStream::connect(target).await {
        Ok(site) => site,
        Err(_) => return stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\n\r\n").await,
    };
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    copy_bidirectional(&mut stream, &mut site).await.map(|_| ())
}
