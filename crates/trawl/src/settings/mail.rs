//! The mail server for e-mails to owners of accounts.

use mail::{SmtpEncryption, SmtpServer, SmtpSettings};
use url::Url;

use super::{Layers, SettingError};

/// Ports of SMTP with TLS from the start, and of the submission of e-mails (RFC 8314).
const TLS_PORT: u16 = 465;
const SUBMISSION_PORT: u16 = 587;

/// The mail server; `None` if no e-mail is sent.
pub fn server(layers: &Layers, public_url: &str) -> Result<Option<SmtpSettings>, SettingError> {
    let address = layers.text("smtp_server");
    if address.is_empty() {
        if !layers.text("smtp_user").is_empty() {
            return Err(layers.invalid("smtp_user", "it requires smtp_server"));
        }
        return Ok(None);
    }
    let expected = "it must be a host name with an optional port, as smtp.example.com:587";
    // The URL is only a parser of host and port.
    let url = Url::parse(&format!("smtp://{address}"));
    let url = url.map_err(|_| layers.invalid("smtp_server", expected))?;
    let host = url.host_str().unwrap_or_default();
    let is_plain = url.path().is_empty() && url.username().is_empty() && url.query().is_none();
    if host.is_empty() || !is_plain {
        return Err(layers.invalid("smtp_server", expected));
    }
    let port = url.port().unwrap_or(SUBMISSION_PORT);
    let encryption = match layers.text("smtp_tls") {
        "auto" if port == TLS_PORT => SmtpEncryption::Tls,
        "auto" | "starttls" => SmtpEncryption::StartTls,
        "tls" => SmtpEncryption::Tls,
        "none" => SmtpEncryption::None,
        _ => return Err(layers.invalid("smtp_tls", "it must be auto, starttls, tls or none")),
    };
    let credentials = match (layers.text("smtp_user"), layers.text("smtp_password")) {
        ("", "") => None,
        ("", _) => return Err(layers.invalid("smtp_password", "it requires smtp_user")),
        (_, "") => return Err(layers.invalid("smtp_user", "it requires smtp_password")),
        (user, password) => Some((user.to_owned(), password.to_owned())),
    };
    let hello = Url::parse(public_url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
    let settings = SmtpSettings {
        host: host.to_owned(),
        port,
        encryption,
        credentials,
        from: layers.text("mail_from").to_owned(),
        hello: hello.unwrap_or_else(|| "localhost".to_owned()),
        extra_ca: layers.readable_file("extra_ca")?,
    };
    // The sender is checked before the first e-mail.
    SmtpServer::new(&settings).map_err(|error| layers.invalid("mail_from", error))?;
    Ok(Some(settings))
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn settings(more: &[(&str, &str)]) -> Result<Option<SmtpSettings>, String> {
        let base = [("TRAWL_MAIL_FROM", "Trawl <trawl@example.com>")];
        let pairs = base.iter().chain(more).map(|(name, value)| ((*name).into(), (*value).into()));
        let layers = Layers::gather(None, pairs, &[]).expect("settings");
        Settings::of(&layers).map(|settings| settings.smtp).map_err(|error| error.to_string())
    }

    #[test]
    fn encryption_follows_the_port() {
        for (server, tls, port, encryption) in [
            ("mail.test", "auto", 587, SmtpEncryption::StartTls),
            ("mail.test:465", "auto", 465, SmtpEncryption::Tls),
            ("mail.test:25", "auto", 25, SmtpEncryption::StartTls),
            ("mail.test:25", "none", 25, SmtpEncryption::None),
            ("[::1]:2525", "tls", 2525, SmtpEncryption::Tls),
        ] {
            let found = settings(&[("TRAWL_SMTP_SERVER", server), ("TRAWL_SMTP_TLS", tls)]);
            let found = found.expect("valid").expect("a server");
            assert_eq!((found.port, found.encryption), (port, encryption), "{server}");
        }
        assert!(settings(&[]).expect("valid").is_none(), "no e-mail by default");
    }

    #[test]
    fn wrong_settings_are_refused_and_hide_the_password() {
        let server = ("TRAWL_SMTP_SERVER", "mail.test");
        for (more, said) in [
            (vec![("TRAWL_SMTP_SERVER", "smtp://mail.test/")], "host name"),
            (vec![("TRAWL_SMTP_SERVER", "me:hush@mail.test")], "host name"),
            (vec![server, ("TRAWL_SMTP_TLS", "ssl")], "starttls"),
            (vec![server, ("TRAWL_SMTP_PASSWORD", "hush")], "requires smtp_user"),
            (vec![server, ("TRAWL_SMTP_USER", "me")], "requires smtp_password"),
            (vec![server, ("TRAWL_MAIL_FROM", "somewhere")], "no e-mail address"),
            (vec![server, ("TRAWL_MAIL_FROM", "")], "no e-mail address"),
            (vec![("TRAWL_SMTP_USER", "me")], "requires smtp_server"),
        ] {
            let error = settings(&more).expect_err(said);
            assert!(error.contains(said), "{error}");
        }
        let user = [server, ("TRAWL_SMTP_USER", "me"), ("TRAWL_SMTP_PASSWORD", "hush")];
        assert!(!format!("{:?}", settings(&user)).contains("hush"));
    }
}
