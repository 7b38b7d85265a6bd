//! The name of a file of a run in its signed link.

use contract::{JobId, Millis, PageFileFormat};

/// The file that a signed link names, and until when the link works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFileTicket {
    pub job: JobId,
    pub item: u64,
    pub format: PageFileFormat,
    pub expires_at: Millis,
}

impl RunFileTicket {
    pub fn name(&self) -> String {
        let Self { job, item, format, expires_at } = self;
        format!("{job}.{item}.{format}.{}", expires_at.0)
    }

    /// The ticket of a signed name; `None` if it names another kind of file.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let ticket = Self {
            job: parts.next()?.parse().ok()?,
            item: parts.next()?.parse().ok()?,
            format: parts.next()?.parse().ok()?,
            expires_at: Millis(parts.next()?.parse().ok()?),
        };
        parts.next().is_none().then_some(ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticket_names_one_file_and_its_expiry() {
        let ticket = RunFileTicket {
            job: JobId::new(Millis(1), [1; 10]),
            item: 17,
            format: PageFileFormat::RawHtml,
            expires_at: Millis(1_700_000_000_000),
        };
        assert_eq!(RunFileTicket::parse(&ticket.name()), Some(ticket.clone()));
        for wrong in ["", "pgf_1", &format!("{}.7", ticket.name()), "job.1.html.2"] {
            assert_eq!(RunFileTicket::parse(wrong), None, "{wrong}");
        }
    }
}
