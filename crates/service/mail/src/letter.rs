//! The texts of e-mails.

use store::{MailKind, PasswordResetToken, QueuedMail};

/// Subject and text of an e-mail, in plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Letter {
    pub subject: String,
    pub text: String,
}

/// The text of a queued e-mail. `token` is that of the link for a new password.
pub(crate) fn letter(
    mail: &QueuedMail,
    public_url: &str,
    token: Option<&PasswordResetToken>,
) -> Letter {
    let reason = one_line(&mail.reason);
    let (subject, body) = match mail.kind {
        MailKind::PasswordReset => {
            let token = token.map_or("", PasswordResetToken::reveal);
            let body = format!(
                "A new password was requested for your account. This link sets it, once and within an \
                 hour:\n\n  {public_url}/reset-password?token={token}\n\nIf you did not request it, \
                 ignore this e-mail: your password stays as it is.\n"
            );
            ("Set a new password".to_owned(), body)
        }
        MailKind::TopUpFailed => {
            let body = format!(
                "An automatic purchase of credits failed:\n\n  {reason}\n\nRuns pause when the credits \
                 are used up. Payment settings: {public_url}/account/top-up\n"
            );
            ("Automatic top-up failed".to_owned(), body)
        }
        MailKind::ScheduleFailed => {
            let schedule = &mail.subject;
            let body = format!(
                "A scheduled run was not started or failed:\n\n  {reason}\n\nSchedule: \
                 {public_url}/schedules/{schedule}\nFurther failures of this schedule are not sent for \
                 a day.\n"
            );
            ("A scheduled run failed".to_owned(), body)
        }
    };
    Letter { subject, text: format!("{body}\n-- \nTrawl at {public_url}\n") }
}

/// A reason may quote text of a request or of a payment provider.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use contract::{AccountId, Millis};

    use super::*;

    fn mail(kind: MailKind, reason: &str) -> QueuedMail {
        QueuedMail {
            id: "1".to_owned(),
            account: AccountId::new(Millis(0), [0; 10]),
            kind,
            subject: "sch_1".to_owned(),
            reason: reason.to_owned(),
            attempts: 1,
            expires_at: Millis(0),
        }
    }

    #[test]
    fn reasons_cannot_add_lines() {
        let mail = mail(MailKind::TopUpFailed, "card declined\r\n\r\nPay here: https://evil.test");
        let letter = letter(&mail, "https://trawl.test", None);
        assert!(
            letter.text.contains("  card declined Pay here: https://evil.test\n"),
            "{letter:?}"
        );
        assert!(!letter.subject.contains("declined"));
    }

    #[test]
    fn reset_links_have_the_token_and_others_name_the_page() {
        let token = PasswordResetToken::mint();
        let reset = letter(&mail(MailKind::PasswordReset, ""), "https://trawl.test", Some(&token));
        let link = format!("  https://trawl.test/reset-password?token={}\n", token.reveal());
        assert!(reset.text.contains(&link), "{reset:?}");
        let schedule = letter(&mail(MailKind::ScheduleFailed, "busy"), "https://trawl.test", None);
        assert!(schedule.text.contains("https://trawl.test/schedules/sch_1\n"), "{schedule:?}");
    }
}
