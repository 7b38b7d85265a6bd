//! Where the server listens: addresses, Unix sockets, TLS.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use super::{Layers, SettingError};

/// Start of the path of a Unix socket in `listen`.
const UNIX: &str = "unix:";

/// Maximum addresses of one server.
const MAX_ADDRESSES: usize = 16;

/// One entry of the setting `listen`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// The files of the certificate of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Where the server listens.
#[derive(Debug, Clone)]
pub struct ListenSettings {
    /// At least one; the first one is the address of health checks.
    pub addresses: Vec<ListenAddress>,
    /// Permissions of Unix sockets.
    pub socket_mode: u32,
    /// The files of the certificate; `None` without TLS.
    pub tls: Option<TlsFiles>,
}

impl ListenSettings {
    pub(super) fn of(layers: &Layers) -> Result<Self, SettingError> {
        let addresses = layers.checked("listen", |text| {
            let entries = text.split(',').map(|entry| entry.trim().parse::<ListenAddress>());
            entries.collect::<Result<Vec<_>, _>>()
        })?;
        if addresses.len() > MAX_ADDRESSES {
            let problem = format!("it must have at most {MAX_ADDRESSES} addresses");
            return Err(layers.invalid("listen", problem));
        }
        let socket_mode = layers.checked("unix_socket_mode", |text| {
            let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
            mode.ok_or("it must be permissions in octal, as 0660")
        })?;
        let tls = match (layers.text("tls_certificate"), layers.text("tls_key")) {
            ("", "") => None,
            (certificate, key) if !certificate.is_empty() && !key.is_empty() => {
                Some(TlsFiles { certificate: certificate.into(), key: key.into() })
            }
            ("", _) => return Err(layers.invalid("tls_key", "it requires tls_certificate")),
            _ => return Err(layers.invalid("tls_certificate", "it requires tls_key")),
        };
        Ok(Self { addresses, socket_mode, tls })
    }

    /// The address of health checks.
    pub fn first(&self) -> &ListenAddress {
        // `of` makes at least one: an empty text is no address.
        &self.addresses[0]
    }

    /// Whether only programs of this machine can connect.
    pub fn is_local(&self) -> bool {
        self.addresses.iter().all(|address| match address {
            ListenAddress::Tcp(address) => address.ip().is_loopback(),
            ListenAddress::Unix(_) => true,
        })
    }

    /// The URL of the first address with a port, for clients without another one.
    pub fn default_url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let with_port = self.addresses.iter().find_map(|address| match address {
            ListenAddress::Tcp(address) => Some(address),
            ListenAddress::Unix(_) => None,
        });
        match with_port {
            Some(address) => format!("{scheme}://{address}"),
            // Only a proxy on this machine connects.
            None => "http://localhost".to_owned(),
        }
    }
}

impl fmt::Display for ListenSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.addresses))
    }
}

/// Addresses as text, in the form of the setting.
pub fn joined(addresses: &[ListenAddress]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl FromStr for ListenAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix(UNIX) {
            Some("") => Err("it must be unix: and the path of a socket"),
            Some(path) => Ok(Self::Unix(path.into())),
            None => text.parse().map(Self::Tcp).map_err(|_| {
                "it must be an address with a port, as 127.0.0.1:8080, or unix: and the path of a \
                 socket; several with commas"
            }),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn settings(environment: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let pairs = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Settings::of(&Layers::gather(None, pairs, &[]).expect("settings"))
    }

    #[test]
    fn listen_takes_addresses_and_sockets() {
        let listen = settings(&[("TRAWL_LISTEN", "127.0.0.1:1, unix:/run/trawl.sock,[::1]:2")]);
        let listening = listen.expect("valid").listening;
        assert_eq!(listening.to_string(), "127.0.0.1:1, unix:/run/trawl.sock, [::1]:2");
        assert!(listening.is_local());
        assert_eq!(listening.default_url(), "http://127.0.0.1:1");
        for (bad, said) in [("", "with a port"), ("unix:", "path of a socket"), ("a:1,,", "port")] {
            let error = settings(&[("TRAWL_LISTEN", bad)]).expect_err(bad).to_string();
            assert!(error.contains(said), "{error}");
        }
        let socket = settings(&[("TRAWL_LISTEN", "unix:/run/trawl.sock")]).expect("valid");
        assert_eq!(socket.public_url, "http://localhost");
    }

    #[test]
    fn tls_needs_both_files_and_changes_the_public_url() {
        let both = [("TRAWL_TLS_CERTIFICATE", "a.pem"), ("TRAWL_TLS_KEY", "b.pem")];
        assert_eq!(settings(&both).expect("valid").public_url, "https://127.0.0.1:8080");
        for one in both {
            let error = settings(&[one]).expect_err("one of two").to_string();
            assert!(error.contains("it requires tls_"), "{error}");
        }
    }

    #[test]
    fn socket_mode_is_octal() {
        let mode = |text| settings(&[("TRAWL_UNIX_SOCKET_MODE", text)]);
        assert_eq!(mode("0660").expect("valid").listening.socket_mode, 0o660);
        assert_eq!(mode("600").expect("valid").listening.socket_mode, 0o600);
        for bad in ["", "rw", "0888", "1777", "-1"] {
            assert!(mode(bad).is_err(), "{bad:?}");
        }
    }
}
