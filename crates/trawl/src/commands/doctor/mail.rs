//! Checks of the mail server.

use mail::SmtpServer;

use super::Finding;
use crate::settings::Settings;

const CHECK: &str = "e-mail";

/// Connects, encrypts and authenticates; nothing without a mail server. No e-mail is sent.
pub async fn check(settings: &Settings) -> Option<Finding> {
    let smtp = settings.smtp.as_ref()?;
    let (host, port) = (&smtp.host, smtp.port);
    let checked = match SmtpServer::new(smtp) {
        Ok(server) => server.check().await,
        Err(error) => Err(error),
    };
    Some(match checked {
        Ok(()) => {
            Finding::ok(CHECK, format_args!("{host}:{port} accepts e-mails of {}", smtp.from))
        }
        Err(error) => Finding::failed(
            CHECK,
            format_args!("cannot use the mail server {host}:{port}: {error}"),
            "correct smtp_server, smtp_tls, smtp_user and smtp_password; a private certificate \
             authority is set with extra_ca",
        ),
    })
}
