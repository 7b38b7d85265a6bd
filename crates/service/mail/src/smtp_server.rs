//! The mail server that e-mails are handed to.

use std::path::PathBuf;
use std::time::Duration;

use lettre::address::AddressError;
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use thiserror::Error;
use tokio::time::timeout;

use crate::letter::Letter;

/// Timeout of one command of SMTP, and of a whole e-mail.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);
pub(crate) const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// Replies that refuse the recipient or the e-mail itself, and not this client (RFC 5321 section 4.2.3).
const REFUSALS: [u16; 5] = [550, 551, 552, 553, 554];

/// Encryption of the connection to the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpEncryption {
    /// TLS from the start (port 465).
    Tls,
    /// TLS after `STARTTLS`, which the server must offer.
    StartTls,
    None,
}

/// How the mail server is reached.
#[derive(Clone)]
pub struct SmtpSettings {
    pub host: String,
    pub port: u16,
    pub encryption: SmtpEncryption,
    /// User and password, if the server needs them.
    pub credentials: Option<(String, String)>,
    /// The sender, as `Trawl <trawl@example.com>`.
    pub from: String,
    /// The name of this machine in the greeting, usually that of the public URL.
    pub hello: String,
    /// PEM file of additional certificate authorities.
    pub extra_ca: Option<PathBuf>,
}

runtime::partial_debug!(SmtpSettings, host, port, encryption, from);

/// Why an e-mail was not sent, or the settings cannot be used.
#[derive(Debug, Error)]
pub enum SmtpError {
    /// The sender or a recipient is no e-mail address.
    #[error("{0:?} is no e-mail address: {1}")]
    Address(String, AddressError),
    /// The file of certificate authorities cannot be used.
    #[error("cannot use the certificate authorities of {0}: {1}")]
    Authorities(PathBuf, String),
    /// The e-mail cannot be written.
    #[error("cannot write the e-mail: {0}")]
    Message(#[from] lettre::error::Error),
    /// The server was not reached or refused the e-mail.
    #[error("{0}")]
    Smtp(#[from] lettre::transport::smtp::Error),
    #[error("the mail server did not answer within {} s", SEND_TIMEOUT.as_secs())]
    TimedOut,
}

impl SmtpError {
    /// Whether another attempt cannot succeed.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Address(..) | Self::Message(_) => true,
            Self::Smtp(error) => error.status().is_some_and(|code| REFUSALS.contains(&code.into())),
            Self::Authorities(..) | Self::TimedOut => false,
        }
    }
}

/// A mail server, reached by a new connection for each e-mail.
#[derive(Clone)]
pub struct SmtpServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    /// The part of message ids after the `@`.
    domain: String,
}

runtime::partial_debug!(SmtpServer, from);

impl SmtpServer {
    /// Checks the settings, without a connection.
    ///
    /// # Errors
    /// [`SmtpError`] when sender or certificate authorities are invalid.
    pub fn new(settings: &SmtpSettings) -> Result<Self, SmtpError> {
        let from = mailbox(&settings.from)?;
        let tls = match settings.encryption {
            SmtpEncryption::None => Tls::None,
            SmtpEncryption::Tls => Tls::Wrapper(tls_parameters(settings)?),
            SmtpEncryption::StartTls => Tls::Required(tls_parameters(settings)?),
        };
        let mut builder =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(settings.host.as_str())
                .port(settings.port)
                .tls(tls)
                .timeout(Some(COMMAND_TIMEOUT))
                .hello_name(ClientId::Domain(settings.hello.clone()));
        if let Some((user, password)) = &settings.credentials {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        let domain = from.email.domain().to_owned();
        Ok(Self { transport: builder.build(), from, domain })
    }

    /// Connects, encrypts and authenticates, and sends nothing.
    ///
    /// # Errors
    /// [`SmtpError`] with the step that failed.
    pub async fn check(&self) -> Result<(), SmtpError> {
        let connected = timeout(SEND_TIMEOUT, self.transport.test_connection()).await;
        connected.map_err(|_| SmtpError::TimedOut)??;
        Ok(())
    }

    /// Sends an e-mail. `id` is the same in all attempts, so that a receiver can drop a second copy.
    pub(crate) async fn send(&self, id: &str, to: &str, letter: Letter) -> Result<(), SmtpError> {
        let message = MessageBuilder::new()
            .from(self.from.clone())
            .to(mailbox(to)?)
            .subject(letter.subject)
            .message_id(Some(format!("<{id}@{}>", self.domain)))
            // No answers of programs, such as notices of absence (RFC 3834).
            .header(AutoSubmitted)
            .date_now()
            .body(letter.text)?;
        let sent = timeout(SEND_TIMEOUT, self.transport.send(message)).await;
        sent.map_err(|_| SmtpError::TimedOut)??;
        Ok(())
    }
}

/// `Auto-Submitted: auto-generated`.
#[derive(Debug, Clone)]
struct AutoSubmitted;

impl lettre::message::header::Header for AutoSubmitted {
    fn name() -> lettre::message::header::HeaderName {
        lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> lettre::message::header::HeaderValue {
        lettre::message::header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

fn mailbox(address: &str) -> Result<Mailbox, SmtpError> {
    address.parse().map_err(|error| SmtpError::Address(address.to_owned(), error))
}

fn tls_parameters(settings: &SmtpSettings) -> Result<TlsParameters, SmtpError> {
    let mut builder = TlsParameters::builder(settings.host.clone());
    if let Some(path) = &settings.extra_ca {
        let unusable = |error: String| SmtpError::Authorities(path.clone(), error);
        let pem = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
        let authority = Certificate::from_pem(&pem).map_err(|error| unusable(error.to_string()))?;
        builder = builder.add_root_certificate(authority);
    }
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(from: &str) -> SmtpSettings {
        SmtpSettings {
            host: "127.0.0.1".to_owned(),
            port: 1,
            encryption: SmtpEncryption::None,
            credentials: Some(("user".to_owned(), "hush".to_owned())),
            from: from.to_owned(),
            hello: "localhost".to_owned(),
            extra_ca: None,
        }
    }

    #[tokio::test]
    async fn invalid_addresses_are_final_and_an_unreachable_server_is_not() {
        let error = SmtpServer::new(&settings("nobody")).expect_err("no address");
        assert!(error.is_final(), "{error}");
        let server = SmtpServer::new(&settings("Trawl <trawl@example.com>")).expect("valid");
        let letter = Letter { subject: "a".to_owned(), text: "b".to_owned() };
        let error =
            server.send("1", "not an address", letter.clone()).await.expect_err("no address");
        assert!(error.is_final(), "{error}");
        let error = server.send("1", "ada@example.com", letter).await.expect_err("no server");
        assert!(!error.is_final(), "{error}");
        assert!(!format!("{:?}", settings("a@b.c")).contains("hush"));
    }
}
