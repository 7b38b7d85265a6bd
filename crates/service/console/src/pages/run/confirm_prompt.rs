//! The prompt of a waiting run: what it waits for, the price, and the button that confirms it.

use contract::{Credits, Units};
use job::{Job, WaitsFor};
use maud::{Markup, html};

use super::RunPage;
use crate::FormErrors;
use crate::number_format::{count, number};
use crate::pages::new_run::estimate::credits;

pub(super) fn show(run: &RunPage, form_errors: &FormErrors) -> Markup {
    let Some(waits_for) = run.job.waits_for else { return html! {} };
    let rates = run.user.state.store.rates();
    let job = &run.job;
    let balance = run.user.balance;
    let rate = job.shown_rate().unwrap_or_else(|| rates.normal(job.mode));
    let prompt = match waits_for {
        WaitsFor::Escalation => {
            escalation(job, rates.normal(job.mode), rates.protected(job.mode), balance)
        }
        WaitsFor::Boundary => boundary(job, rate, balance),
        WaitsFor::Credits => exhausted(job, rate, balance),
    };
    html! {
        section.asks aria-label="The run waits for your confirmation" {
            @for sentence in &prompt.sentences { p { (sentence) } }
            @for field in ["max_credit_per_unit", "max_credits"] {
                @if let Some(wrong) = form_errors.at(field) { p.wrong { (wrong) } }
            }
            div.row {
                form method="post" action=(run.path("/confirm")) {
                    (run.user.form_token())
                    @if let Some(ceiling) = prompt.ceiling {
                        input type="hidden" name="max_credit_per_unit" value=(ceiling);
                    }
                    @if waits_for == WaitsFor::Boundary {
                        input type="hidden" name="continue_batch" value="true";
                    }
                    @if let Some(budget) = prompt.budget {
                        label for="max_credits" { "Maximum credits" }
                        input id="max_credits" name="max_credits" type="text" inputmode="numeric"
                            value=(budget.0);
                    }
                    @if let Some(button) = &prompt.button { button.primary type="submit" { (button) } }
                }
                @if waits_for == WaitsFor::Credits && run.user.state.settings.sells_credits {
                    a.button href="/top-up" { "Buy credits" }
                }
            }
        }
    }
}

/// Text and form values of the prompt.
#[derive(Debug, PartialEq, Eq)]
struct ConfirmPrompt {
    sentences: Vec<String>,
    /// `None` if a confirmation would be refused.
    button: Option<String>,
    ceiling: Option<Credits>,
    /// A proposal for the budget of the run, which is used up.
    budget: Option<Credits>,
}

fn covers(balance: Credits, rate: Credits, job: &Job) -> String {
    let (one, many) = job.mode.unit();
    let Units(covered) = balance.covers(rate);
    format!("Your balance of {} covers {}.", credits(balance), count(covered, one, many))
}

fn escalation(job: &Job, normal: Credits, protected: Credits, balance: Credits) -> ConfirmPrompt {
    let (one, _) = job.mode.unit();
    let marker = job.protected_marker.as_deref();
    let marker = marker.map(|marker| format!(" ({marker})")).unwrap_or_default();
    let price = format!("{} per {one}", credits(protected));
    let mut sentences = vec![
        format!("The site is behind bot protection{marker}. The run waits for your confirmation."),
        format!("Each further {one} costs {} instead of {}.", credits(protected), credits(normal)),
        covers(balance, protected, job),
    ];
    // A maximum below the rate would stop the run again at once.
    let ceiling = job.ceiling.filter(|ceiling| *ceiling < protected).map(|_| protected);
    if let (Some(old), Some(new)) = (job.ceiling, ceiling) {
        let text =
            format!("Your maximum of {} per {one} becomes {}.", number(old.0), number(new.0));
        sentences.push(text);
    }
    ConfirmPrompt { sentences, button: Some(format!("Continue at {price}")), ceiling, budget: None }
}

fn boundary(job: &Job, rate: Credits, balance: Credits) -> ConfirmPrompt {
    let (one, many) = job.mode.unit();
    let next = job.batch.saturating_add(1);
    let most = rate.times(Units(job.batch_size)).unwrap_or(Credits(i64::MAX));
    ConfirmPrompt {
        sentences: vec![
            format!("Batch {} is complete. More of the site is left.", job.batch),
            format!(
                "Batch {next} delivers up to {} at {} per {one}: at most {}.",
                count(job.batch_size, one, many),
                credits(rate),
                credits(most),
            ),
            covers(balance, rate, job),
        ],
        button: Some(format!("Start batch {next} for up to {}", credits(most))),
        ceiling: None,
        budget: None,
    }
}

/// The budget of the job is used up.
fn over_budget(job: &Job, rate: Credits, balance: Credits) -> ConfirmPrompt {
    let (one, _) = job.mode.unit();
    let proposed = Credits(job.credits_used.0.saturating_mul(2)).max(rate);
    ConfirmPrompt {
        sentences: vec![
            "The budget of this run is used up. Delivered results stay readable. Raise it to \
             continue the run."
                .to_owned(),
            format!(
                "{} are used. Each {one} costs {}. {}",
                credits(job.credits_used),
                credits(rate),
                covers(balance, rate, job)
            ),
        ],
        button: Some(format!("Continue at {} per {one}", credits(rate))),
        ceiling: None,
        budget: Some(proposed),
    }
}

fn exhausted(job: &Job, rate: Credits, balance: Credits) -> ConfirmPrompt {
    if job.is_at_credit_limit(rate) {
        return over_budget(job, rate, balance);
    }
    let (one, _) = job.mode.unit();
    let is_covered = balance >= rate;
    let what_to_do = match is_covered {
        true => "Confirm to continue the run.",
        false => "Add credits first; then the run can be continued here.",
    };
    ConfirmPrompt {
        sentences: vec![
            format!("Your credits are used up. Delivered results stay readable. {what_to_do}"),
            format!("Each {one} costs {}. {}", credits(rate), covers(balance, rate, job)),
        ],
        button: is_covered.then(|| format!("Continue at {} per {one}", credits(rate))),
        ceiling: None,
        budget: None,
    }
}
