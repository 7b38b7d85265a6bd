//! E-mails to owners of accounts by SMTP: links for a new password, failed purchases of credits, schedules
//! that did not start.
//!
//! `store` queues an e-mail in the transaction of its cause. A [`Mailer`] leases the next one, writes its
//! text (`letter.rs`), and sends it with an [`SmtpServer`]. What can be repeated is repeated until the
//! e-mail expires; an address that the server refuses is not tried again.
//!
//! To add an e-mail: a kind in `store::MailKind`, a call of `Store::queue_mail` at its cause, and its text
//! in `letter.rs`.

mod letter;
mod mailer;
mod smtp_server;

pub use mailer::Mailer;
pub use smtp_server::{SmtpEncryption, SmtpError, SmtpServer, SmtpSettings};
