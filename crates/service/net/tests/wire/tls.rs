//! HTTPS: trusted authorities, and HTTP/1.1 and HTTP/2 over TLS.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use net::{FetchError, HttpFetch, HttpSettings, NameTable, SetupError};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls_pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::{ask, get, on_loopback, url};

pub(crate) struct Secure {
    pub(crate) address: SocketAddr,
    pub(crate) authority: PathBuf,
    _folder: TempDir,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Secure {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Responds with the HTTP version, and with the names of SNI and Host in headers.
async fn answer(
    request: Request<Incoming>,
    sni: String,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{:?}", request.version()))));
    let host = request.headers().get(http::header::HOST).map(|host| host.as_bytes().to_vec());
    let host = host.or_else(|| request.uri().host().map(|host| host.as_bytes().to_vec()));
    for (name, value) in [("x-sni", sni.into_bytes()), ("x-host", host.unwrap_or_default())] {
        let value = http::HeaderValue::from_bytes(&value).expect("a header");
        response.headers_mut().insert(name, value);
    }
    if request.uri().path() == "/many" {
        for _ in 0..150 {
            response.headers_mut().append("x-one", http::HeaderValue::from_static("more"));
        }
    }
    Ok(response)
}

/// A server for `secure.lab.test` that offers `protocols` (ALPN).
pub(crate) async fn serve(protocols: &[&str]) -> Secure {
    accept(protocols, |stream| async move {
        let sni = stream.get_ref().1.server_name().unwrap_or_default().to_owned();
        let service = service_fn(move |request| answer(request, sni.clone()));
        let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
        let _ = builder.serve_connection(TokioIo::new(stream), service).await;
    })
    .await
}

/// TLS for `secure.lab.test` in front of `target`.
pub(crate) async fn in_front_of(target: SocketAddr) -> Secure {
    accept(&["http/1.1"], move |mut stream| async move {
        let Ok(mut inner) = TcpStream::connect(target).await else { return };
        let _ = tokio::io::copy_bidirectional(&mut stream, &mut inner).await;
    })
    .await
}

/// Serves each connection for `secure.lab.test` by `serve`.
async fn accept<F>(
    protocols: &[&str],
    serve: impl Fn(TlsStream<TcpStream>) -> F + Send + 'static,
) -> Secure
where
    F: Future<Output = ()> + Send + 'static,
{
    let made = rcgen::generate_simple_self_signed(["secure.lab.test".to_owned()]).expect("a key");
    let folder = tempfile::tempdir().expect("a folder");
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, made.cert.pem()).expect("a file");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a certificate");
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Sequential handshakes are enough for a test.
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(serve(stream));
            }
        }
    });
    Secure { address, authority, _folder: folder, server }
}

fn towards(secure: &Secure) -> HttpSettings {
    let mut settings = on_loopback();
    let table = format!("*.lab.test={}", secure.address);
    settings.resolver.names = NameTable::parse(&table).expect("a table");
    settings.extra_authorities = Some(secure.authority.clone());
    settings
}

#[tokio::test]
async fn http_version_is_negotiated_by_alpn() {
    for (protocols, version) in [
        (&["h2", "http/1.1"][..], Version::HTTP_2),
        (&["http/1.1"][..], Version::HTTP_11),
        (&[][..], Version::HTTP_11),
    ] {
        let secure = serve(protocols).await;
        let answer = get(towards(&secure), "https://secure.lab.test/").await.expect("an answer");
        assert_eq!((answer.status, answer.version), (200, version));
        assert_eq!(&answer.body[..], format!("{version:?}").as_bytes());
    }
}

#[tokio::test]
async fn concurrent_requests_share_an_http2_connection() {
    let secure = serve(&["h2"]).await;
    let fetch = HttpFetch::new(towards(&secure)).expect("sound settings");
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..40 {
        let fetch = fetch.clone();
        let page = url(&format!("https://secure.lab.test/{number}"));
        asking.spawn(async move { ask(&fetch, net::FetchRequest::get(page)).await });
    }
    while let Some(done) = asking.join_next().await {
        assert_eq!(done.expect("no panic").map(|answer| answer.status), Ok(200));
    }
}

#[tokio::test]
async fn headers_are_limited_over_http2() {
    let secure = serve(&["h2"]).await;
    let answer = get(towards(&secure), "https://secure.lab.test/many").await;
    assert_eq!(answer, Err(FetchError::HeadersTooLarge));
}

#[tokio::test]
async fn unknown_authority_and_wrong_name_are_tls_errors() {
    let secure = serve(&["h2"]).await;
    let unknown = HttpSettings { extra_authorities: None, ..towards(&secure) };
    for (settings, page) in
        [(unknown, "https://secure.lab.test/"), (towards(&secure), "https://other.lab.test/")]
    {
        let answer = get(settings, page).await;
        assert!(matches!(answer, Err(FetchError::Tls(_))), "{page}: {answer:?}");
    }
}

#[tokio::test]
async fn invalid_settings_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing here").expect("a file");
    for path in [empty, folder.path().join("absent.pem")] {
        let settings = HttpSettings { extra_authorities: Some(path), ..HttpSettings::default() };
        let refused = HttpFetch::new(settings).expect_err("no certificate in the file");
        assert!(matches!(refused, SetupError::Authorities { .. }), "{refused}");
    }
    let settings = HttpSettings { user_agent: "two\nlines".to_owned(), ..HttpSettings::default() };
    assert!(matches!(HttpFetch::new(settings), Err(SetupError::UserAgent(_))));
}
