//! How long data of one account is kept: the form of the operator.

use contract::AccountId;
use maud::{Markup, html};
use store::AccountRetention;

use super::Operator;
use crate::form::TextField;
use crate::{FormErrors, FormFields, PageResult};

/// Maximum days of an exception, as on the command line.
const MAX_DAYS: u32 = 36_500;

/// A class of data: name of its field, label, and where its exception is stored.
type DataClass = (&'static str, &'static str, fn(&mut AccountRetention) -> &mut Option<u32>);

const CLASSES: [DataClass; 5] = [
    ("results_days", "Results", |retention| &mut retention.results_days),
    ("page_files_days", "HTML and pictures of pages", |retention| &mut retention.page_files_days),
    ("run_log_days", "Logs of runs", |retention| &mut retention.run_log_days),
    ("events_days", "Events", |retention| &mut retention.events_days),
    ("audit_days", "Audit log", |retention| &mut retention.audit_days),
];

/// The exceptions of a form; an empty field is the setting of the service.
pub(super) fn read(fields: &FormFields) -> Result<AccountRetention, FormErrors> {
    let mut retention = AccountRetention::default();
    for (name, _, place) in CLASSES {
        let Some(text) = fields.text(name) else { continue };
        let days = text.parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
        let Some(days) = days else {
            let message = "must be a whole number of days from 1 to 36,500, or empty";
            return Err(FormErrors::field(name, message));
        };
        *place(&mut retention) = Some(days);
    }
    Ok(retention)
}

/// The form with the stored exceptions, or with what was typed.
pub(super) async fn form(
    operator: &Operator,
    account: &AccountId,
    typed: Option<&FormFields>,
    form_errors: &FormErrors,
) -> PageResult<Markup> {
    let store = &operator.0.state.store;
    let mut stored = store.account_retention(account).await?;
    let mut shown = FormFields::default();
    for (name, _, place) in CLASSES {
        if let Some(days) = *place(&mut stored) {
            shown.set(name, days.to_string());
        }
    }
    let shown = typed.unwrap_or(&shown);
    let fields = CLASSES.map(|(name, label, _)| TextField::of(name, label, shown));
    Ok(html! {
        section.panel id="retention" {
            h2 { "Retention" }
            p.quiet { "Days for which data of this account are kept. Empty: the setting of the service." }
            form.stack method="post" action={ "/operator/accounts/" (account) "/retention" } {
                (operator.0.form_token())
                @for field in &fields { (field.show(form_errors)) }
                div { button type="submit" { "Save" } }
            }
        }
    })
}
