//! A connection to the lab: reads requests and writes replies, with keep-alive.
//!
//! The lab implements HTTP/1.1 itself, because it must also send invalid responses. It supports GET,
//! HEAD and small bodies of forms.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::lab_state::{LabRequest, LabState};
use crate::{FullReply, RawStep, Reply, Request};

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// Maximum bytes of a body that a site gets; more of it is ignored.
const BODY_LIMIT: usize = 64 * 1024;

/// Maximum size of a request head.
const HEAD_LIMIT: usize = 64 * 1024;

struct Head {
    method: String,
    path: String,
    host: String,
    user_agent: Option<String>,
    body_length: usize,
    keep_alive: bool,
    /// Whether the request target is an absolute URL, as in requests to a proxy.
    proxied: bool,
    /// The whole head as received.
    text: String,
}

impl Head {
    fn request<'a>(&'a self, client: IpAddr, body: &'a [u8]) -> Request<'a> {
        Request::new(&self.path, &self.text, client, self.proxied).sent_as(&self.method, body)
    }
}

/// Serves one connection until either side ends it.
pub(crate) async fn serve_connection(mut stream: TcpStream, shared: Arc<LabState>) {
    // A client that closes its connection is no error.
    let _ = stream.set_nodelay(true);
    let _ = serve(&mut stream, &shared).await;
}

async fn serve(stream: &mut TcpStream, shared: &LabState) -> io::Result<()> {
    let client = stream.peer_addr()?.ip();
    let mut unread = BytesMut::with_capacity(4096);
    while let Some(head) = read_head(stream, &mut unread).await? {
        let body = read_body(stream, &mut unread, head.body_length).await?;
        shared.note(|| LabRequest {
            host: head.host.clone(),
            path: head.path.clone(),
            method: head.method.clone(),
            user_agent: head.user_agent.clone(),
            via_tier: head.request(client, &[]).is_via_tier(),
            at: Instant::now(),
        });
        let hosted = shared.hosted(&head.host);
        let _in_flight = hosted.as_ref().map(|hosted| hosted.enter());
        let reply = match &hosted {
            Some(hosted) => hosted.answer(&head.request(client, &body)).await,
            None => Reply::status(421),
        };
        match reply {
            Reply::Full(whole) => write_whole(stream, &whole, &head).await?,
            Reply::Raw(steps) => return write_raw(stream, steps).await,
        }
        if !head.keep_alive {
            break;
        }
    }
    stream.shutdown().await
}

/// The next request head; `None` if the client closed the connection or sent no HTTP.
async fn read_head(stream: &mut TcpStream, unread: &mut BytesMut) -> io::Result<Option<Head>> {
    let end = loop {
        if let Some(at) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        // A TLS handshake ends the connection at once instead of timing out.
        let is_nonsense = unread.len() > HEAD_LIMIT || unread.first() == Some(&HANDSHAKE);
        if is_nonsense || stream.read_buf(unread).await? == 0 {
            return Ok(None);
        }
    };
    let head = unread.split_to(end);
    Ok(String::from_utf8(head.to_vec()).ok().and_then(parse_head))
}

fn parse_head(text: String) -> Option<Head> {
    let mut lines = text.split("\r\n");
    let mut request = lines.next()?.split(' ');
    let method = request.next()?.to_owned();
    let target = request.next()?;
    let mut keep_alive = request.next()? == "HTTP/1.1";
    let (mut host, mut user_agent, mut body_length) = (String::new(), None, 0);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") {
            host = without_port(value).to_ascii_lowercase();
        } else if name.eq_ignore_ascii_case("user-agent") {
            user_agent = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("content-length") {
            body_length = value.parse().ok()?;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive &= !value.eq_ignore_ascii_case("close");
        }
    }
    // An absolute URL is a request to a proxy: the lab is proxy and site.
    let whole = target.strip_prefix("http://");
    let path = match whole.map(|rest| rest.split_at(rest.find('/').unwrap_or(rest.len()))) {
        Some((authority, path)) => {
            host = without_port(authority).to_ascii_lowercase();
            if path.is_empty() { "/" } else { path }
        }
        None => target,
    };
    let (path, proxied) = (path.to_owned(), whole.is_some());
    Some(Head { method, path, host, user_agent, body_length, keep_alive, proxied, text })
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

async fn read_body(
    stream: &mut TcpStream,
    unread: &mut BytesMut,
    mut length: usize,
) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let here = length.min(unread.len());
        let kept = here.min(BODY_LIMIT - body.len());
        body.extend_from_slice(&unread[..kept]);
        unread.advance(here);
        length -= here;
        if length == 0 {
            return Ok(body);
        }
        if stream.read_buf(unread).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

async fn write_whole(stream: &mut TcpStream, whole: &FullReply, head: &Head) -> io::Result<()> {
    let mut wire = whole.head(head.keep_alive).into_bytes();
    if head.method != "HEAD" {
        wire.extend_from_slice(&whole.body);
    }
    stream.write_all(&wire).await
}

async fn write_raw(stream: &mut TcpStream, steps: Vec<RawStep>) -> io::Result<()> {
    for step in steps {
        match step {
            RawStep::Bytes(bytes) => stream.write_all(&bytes).await?,
            RawStep::Forever(bytes, pause) => loop {
                stream.write_all(&bytes).await?;
                tokio::time::sleep(pause).await;
            },
            RawStep::Pause(pause) => tokio::time::sleep(pause).await,
            RawStep::Close => return stream.shutdown().await,
            RawStep::Reset => return stream.set_zero_linger(),
        }
    }
    stream.shutdown().await
}
