//! What each code means and what to do about it: one table for the documentation page, for the
//! OpenAPI document, for assistants and for `trawl explain`.

use crate::{ErrorCode, ProblemCode};

/// The page about all codes, below the public address of a service. Each code is an anchor.
pub const ERRORS_PAGE: &str = "/docs/errors";

/// What a code means, and what whoever meets it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorGuide {
    /// A sentence.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

const fn guide(meaning: &'static str, remedy: &'static str) -> ErrorGuide {
    ErrorGuide { meaning, remedy }
}

impl ProblemCode {
    /// What the code of an error answer means, and what to do.
    #[must_use]
    pub const fn guide(self) -> ErrorGuide {
        match self {
            Self::InvalidJson => guide(
                "The body is not JSON, or is nested too deeply.",
                "Send one JSON object in UTF-8, without comments and trailing commas, nested at \
                 most 64 levels deep.",
            ),
            Self::Unauthorized => guide(
                "The credential is missing, unknown, revoked or expired.",
                "Send `Authorization: Bearer` with an API key of the account or an access token. \
                 The operations on keys take an account session instead. Create a new key when \
                 the old one is lost: secrets are shown once.",
            ),
            Self::InsufficientCredits => guide(
                "The balance does not cover the job.",
                "`required` and `available` tell how much is missing. Buy credits at \
                 `top_up_url`, or ask for less: fewer domains, or a smaller part of the site.",
            ),
            Self::Forbidden => guide(
                "The credential may not do this: it lacks the scope, or is limited to other modes or \
                 networks.",
                "The message names what is missing, `WWW-Authenticate` the scope of an application. \
                 Connect the application again and agree to it, change the limits of the key, or \
                 use a key that carries the whole account.",
            ),
            Self::AccountSuspended => guide(
                "The account is suspended.",
                "Its runs, schedules and webhooks have stopped, and its credentials are refused. \
                 Ask the operator of the service. What was paid for is kept, and everything goes \
                 on when the account is resumed.",
            ),
            Self::NotFound => guide(
                "There is no such thing, or it is not yours.",
                "Check the path and the identifier, and whether the credential belongs to the \
                 account that made it. Results are kept for `limits.results_days` days.",
            ),
            Self::MethodNotAllowed => guide(
                "The path exists, the method does not.",
                "`Allow` lists the methods of this path.",
            ),
            Self::Gone => guide(
                "It can be had no more.",
                "A download address is good for one download and for a short time. Ask for a new \
                 export.",
            ),
            Self::Conflict => guide(
                "It does not fit the state of things.",
                "The message says what is in the way. When a job for the same site is in \
                 progress, `job_id` names it: wait for its end, or abort it. When it is a \
                 confirm, look at the job: it may not be waiting, or for something else.",
            ),
            Self::AwaitingConfirmation => guide(
                "A job for this site waits for confirm.",
                "`job_id` names it. Answer it with the confirm operation, or abort it; then a new \
                 job can start.",
            ),
            Self::IdempotencyInProgress => guide(
                "A twin of the request is being answered.",
                "Repeat the request after `Retry-After` seconds: it will get the same answer.",
            ),
            Self::IdempotencyKeyReused => guide(
                "The Idempotency-Key was used for another body.",
                "Take a new key for a new job, and the very same body for a retry.",
            ),
            Self::PayloadTooLarge => guide(
                "The body is larger than 1 MiB.",
                "Send less: long lists of domains can be split over several jobs.",
            ),
            Self::UnsupportedMediaType => guide(
                "The body is not announced as application/json.",
                "Add the header `Content-Type: application/json`.",
            ),
            Self::ValidationFailed => guide(
                "Fields or parameters are wrong; errors names each.",
                "Correct each field that `errors` names. Unknown members are refused as well: a \
                 mistyped ceiling costs money.",
            ),
            Self::UrlNotResolved => guide(
                "The name does not exist.",
                "Check the spelling of the host. A name that is new may need some time until it \
                 is known everywhere.",
            ),
            Self::LegalBasisRequired => guide(
                "Mode contacts without legal_basis_accepted.",
                "Contact data is personal data. Confirm with `legal_basis_accepted: true` that \
                 you have a lawful basis for processing it (terms, section 5.7), and only if you \
                 have one.",
            ),
            Self::RateLimited => guide(
                "Too many requests, tries or jobs; retry with backoff.",
                "Wait for `Retry-After` seconds. `limits` of the account shows the ceilings; \
                 webhooks and the stream of events take the place of frequent polling.",
            ),
            Self::RequestTimeout => guide(
                "The body took too long to arrive.",
                "Send the request again. If it keeps happening, look at the connection or at a \
                 proxy in between.",
            ),
            Self::ServerError => guide(
                "Our fault; the request id helps to find out.",
                "Try again once. If it stays, tell the operator the `request_id`: the log has the \
                 cause under it.",
            ),
            Self::Unavailable => guide(
                "The database cannot be reached; try again.",
                "Repeat the request after `Retry-After` seconds. Runs go on by themselves.",
            ),
        }
    }
}

impl ErrorCode {
    /// What the code in a job's `error` means, and what to do.
    #[must_use]
    pub const fn guide(self) -> ErrorGuide {
        match self {
            Self::ServerError => guide(
                "The site answered with server errors only or could not be reached, or this \
                 service had no connection to the internet.",
                "Open the site in a browser. If it works there, start the job again later.",
            ),
            Self::ProviderDown => guide(
                "A provider that pages are fetched through, the protected tier or the browser, \
                 could not be reached.",
                "Start the job again later. If it stays, tell the operator the job's id.",
            ),
            Self::PipelineBug => guide(
                "A fault of ours that the run could not go on with.",
                "Tell the operator the job's id. What was delivered before stays readable.",
            ),
            Self::RateLimited => guide(
                "The site answered nothing but 429, too many requests.",
                "Start the job again later, or for a smaller part of the site. Whoever runs the \
                 site can let the crawler in.",
            ),
            Self::InvalidUrl => guide(
                "The URL, or an address behind its name, is not one that may be crawled.",
                "Private and local addresses are refused, also behind public names. The operator \
                 can allow such networks, and can deny public ones.",
            ),
            Self::UrlNotResolved => {
                guide("The name does not exist.", "Check the spelling of the host.")
            }
            Self::BlacklistedDomain => guide(
                "The operator does not crawl this domain.",
                "Ask the operator, if you think that this is a mistake.",
            ),
            Self::TargetBlocked => guide(
                "The site refused everything, by its answers or by robots.txt.",
                "Ask the site's owner to let the crawler in: its name in robots.txt is Trawl. A \
                 site behind bot protection needs a protected tier, which the operator sets up.",
            ),
            Self::NoData => guide(
                "There was nothing to deliver.",
                "Check the start URL and the scope. The skipped URLs tell what was left out and \
                 why. Nothing was charged.",
            ),
            Self::PartialTargetFailure => guide(
                "Delivered, but at least 5 % of the fetched pages, and at least three, failed on the \
                 site's side or were refused.",
                "The results are good as far as they go. Run again when the site is well; \
                 `include_broken` lists what failed.",
            ),
            Self::UserStopped => guide(
                "Aborted by its owner.",
                "What was paid for stays readable. Start a new job for the rest.",
            ),
            Self::SampleStopped => guide(
                "Stopped after the sample that was asked for.",
                "Look at the results; start a job without `sample_size` for the whole site.",
            ),
            Self::JsRenderRequired => guide(
                "The site is an empty shell without JavaScript.",
                "It needs a browser: the operator can install Chromium beside the service.",
            ),
            Self::ProtectedRateRefused => guide(
                "The site is protected and the job said not to pay for that.",
                "Start it again with `on_protected` set to `pause`, or to `auto` with a \
                 `max_credit_per_unit` that covers the protected rate. An estimate tells it.",
            ),
            Self::CreditsExhausted => guide(
                "The balance ran out.",
                "Top up, then confirm the job: it goes on where it stopped. What was delivered \
                 stays readable.",
            ),
            Self::StalePurged => guide(
                "Parked for too long: nobody answered for 14 days.",
                "Start the job again, and answer its stop in time.",
            ),
            Self::SchedulePreviousRunInProgress => guide(
                "A scheduled start met its predecessor still running.",
                "Let the schedule start less often, or make the runs smaller.",
            ),
            Self::ScheduleMissedWindow => guide(
                "A scheduled start came too late: the service was down at its time.",
                "Nothing; the next start comes at its time. Run the schedule by hand if you need \
                 the results now.",
            ),
            Self::ScheduleStartFailed => guide(
                "A scheduled start was refused.",
                "The message says why: credits, or a request that is no longer valid. Mend that; \
                 the next start comes at its time.",
            ),
            Self::Unknown => guide(
                "A reason that fits none of these.",
                "Tell the operator the job's id: it is a fault of ours that there is no better \
                 word.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_says_in_sentences_what_it_means_and_what_to_do() {
        let problems = ProblemCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        let errors = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        for (code, ErrorGuide { meaning, remedy }) in problems.chain(errors) {
            for text in [meaning, remedy] {
                assert!(text.ends_with('.') && text.len() > 10, "{code}: {text:?}");
                assert!(text.starts_with(|c: char| c.is_uppercase() || c == '`'), "{code}: {text}");
            }
        }
    }
}
