//! `trawl estimate`: estimates a run without a server.

use std::time::Duration;

use contract::{
    Clock as _, CreateEstimate, Credits, Estimate, EstimatedPrice, ExpectedUnits, FailureCause,
    Mode, PageId, Unreachable,
};
use pages::{ListedPages, PageService, SurveyCall, SurveyedUnits};
use probe::Probe;
use runtime::SystemClock;
use serde_json::{Value, json};
use tokio::time::Instant;
use urls::Target;

use super::{Exit, allow_loopback, fetcher, layers, print_json};
use crate::cli::{EstimateArgs, GlobalArgs};
use crate::printing::{counted, outln};
use crate::settings::Settings;
use crate::start_url::with_scheme;

/// Maximum time of the requests for an estimate.
const TIMEOUT: Duration = Duration::from_secs(10);

pub async fn run(global: &GlobalArgs, args: &EstimateArgs) -> anyhow::Result<Exit> {
    let layers = layers(global, &[])?;
    let mut settings = Settings::of(&layers)?;
    allow_loopback(&mut settings, &layers)?;
    let unknown = |_| Exit::Usage.with(format!("there is no mode {:?}", args.mode));
    let mode: Mode = args.mode.parse().map_err(unknown)?;
    let known = |name: &str| settings.names.knows(name);
    let url = Target::parse(&with_scheme(&args.url), &settings.allow_networks, known)
        .map_err(|refused| Exit::Usage.with(refused))?;
    let flags = args.flags.clone().starting_at(&url);
    let request = CreateEstimate {
        url: Some(url.to_string()),
        mode,
        domain_count: None,
        url_count: None,
        scope: flags.scope,
        options: flags.options,
    };
    let fetcher = fetcher(&settings)?;
    let until = Instant::now() + TIMEOUT;
    let readers = fetcher.reader().executor();
    let (denylist, scope) = (settings.denylist(), &request.scope);
    let seen = probe::probe(&fetcher, readers, &url, scope, TIMEOUT, &denylist).await;
    let seen = seen.map_err(|error| Exit::Nothing.with(error))?;
    let rates = &settings.rates;
    let (is_protected, has_tier) = (seen.protection.is_some(), fetcher.capabilities().tier);
    let rate = match is_protected && has_tier {
        true => rates.protected(mode),
        false => rates.normal(mode),
    };
    let units = if mode.visits_domains() {
        let units = ExpectedUnits { likely: Some(1), min: 0, max: Some(1) };
        SurveyedUnits { requested: units, ..SurveyedUnits::default() }
    } else {
        let listed =
            ListedPages { whole_site: seen.estimated_pages, under_path: seen.pages_under_path };
        let is_readable = !is_protected && seen.unreachable.is_none();
        let call = SurveyCall {
            id: PageId::new(SystemClock.now(), rand::random()),
            account: String::new(),
            mode,
            url: url.clone(),
            scope: request.scope.clone(),
            options: request.options.clone(),
            max_units: request.max_units(rate),
            learned: None,
            denylist,
            within: until.saturating_duration_since(Instant::now()),
        };
        let has_path_choice = request.has_path_choice(url.path());
        let pages = PageService::new(fetcher, settings.retries);
        pages.expected_units(&call, listed, is_readable, has_path_choice).await
    };
    let found = SiteFound { seen, units, rate, has_tier };
    if args.json {
        print_json(&found.json(&request))?;
    } else {
        let price = found.price(&found.units.requested);
        show(&ShownEstimate {
            url: url.as_str(),
            mode,
            rate,
            price,
            under_path: found.units.under_path.as_ref().map(|units| found.price(units)),
            whole_site: found.units.whole_site.as_ref().map(|units| found.price(units)),
            reason: found.reason(),
            cause: found.seen.cause,
            marker: found.seen.protection.as_ref().map(ToString::to_string).as_deref(),
        });
    }
    Ok(Exit::Done)
}

/// What was found out about a run.
struct SiteFound {
    seen: Probe,
    units: SurveyedUnits,
    rate: Credits,
    has_tier: bool,
}

impl SiteFound {
    fn is_out_of_reach(&self) -> bool {
        self.seen.protection.is_some() && !self.has_tier
    }

    fn price(&self, units: &ExpectedUnits) -> EstimatedPrice {
        let price = EstimatedPrice::of(units, self.rate);
        if self.is_out_of_reach() { price.unpriced() } else { price }
    }

    fn reason(&self) -> Option<Unreachable> {
        match self.is_out_of_reach() {
            true => Some(Unreachable::NoProtectedTier),
            false => self.seen.unreachable,
        }
    }

    /// The estimate with the members of the API.
    fn json(&self, request: &CreateEstimate) -> Value {
        let mut price = self.price(&self.units.requested);
        if request.mode.visits_domains() {
            let pages = self.seen.estimated_pages;
            price = EstimatedPrice { estimated_pages: pages, ..price.without_pages() };
        }
        let reason = self.reason();
        let marker = self.seen.protection.as_ref().map(ToString::to_string);
        json!({
            "url": request.url,
            "mode": request.mode,
            "credit_per_unit": self.rate,
            "protected": marker.is_some(),
            "requires_protected_tier": marker.is_some(),
            "protected_marker": marker,
            "estimated_pages": price.estimated_pages,
            "estimated_credits": price.estimated_credits,
            "estimated_pages_min": price.estimated_pages_min,
            "estimated_pages_max": price.estimated_pages_max,
            "estimated_credits_min": price.estimated_credits_min,
            "estimated_credits_max": price.estimated_credits_max,
            "under_path": self.units.under_path.as_ref().map(|units| self.price(units)),
            "whole_site": self.units.whole_site.as_ref().map(|units| self.price(units)),
            "reachable": reason.is_none(),
            "reason": reason,
            "cause": self.seen.cause,
        })
    }
}

/// What is printed of an estimate, made here or by a server.
struct ShownEstimate<'e> {
    url: &'e str,
    mode: Mode,
    rate: Credits,
    price: EstimatedPrice,
    under_path: Option<EstimatedPrice>,
    whole_site: Option<EstimatedPrice>,
    reason: Option<Unreachable>,
    cause: Option<FailureCause>,
    marker: Option<&'e str>,
}

/// Prints the estimate of a server.
pub fn print(estimate: &Estimate) {
    show(&ShownEstimate {
        url: &estimate.url,
        mode: estimate.mode,
        rate: estimate.credit_per_unit,
        price: EstimatedPrice {
            estimated_pages: estimate.estimated_pages,
            estimated_pages_min: estimate.estimated_pages_min,
            estimated_pages_max: estimate.estimated_pages_max,
            estimated_credits: estimate.estimated_credits,
            estimated_credits_min: estimate.estimated_credits_min,
            estimated_credits_max: estimate.estimated_credits_max,
        },
        under_path: estimate.under_path,
        whole_site: estimate.whole_site,
        reason: estimate.reason,
        cause: estimate.cause,
        marker: estimate.protected_marker.as_deref(),
    });
}

fn show(estimate: &ShownEstimate<'_>) {
    let ShownEstimate { url, mode, rate, price, marker, .. } = estimate;
    let unit = mode.unit().0;
    outln!("{url}: {} at {} per {unit}", in_words(price, *mode), counted_credits(*rate));
    if let (Some(path), Some(site)) = (&estimate.under_path, &estimate.whole_site) {
        outln!("  below the path: {}", in_words(path, *mode));
        outln!("  whole site:     {}", in_words(site, *mode));
    }
    if let Some(reason) = estimate.reason {
        let cause = estimate.cause.map(|cause| format!(": {}", cause.describe()));
        outln!("The start page cannot be fetched ({reason}{}).", cause.unwrap_or_default());
    }
    if let Some(marker) = marker {
        outln!("The site is behind bot protection ({marker}): a run needs the protected tier.");
    }
}

fn counted_credits(credits: Credits) -> String {
    counted(u64::try_from(credits.0).unwrap_or_default(), "credit", "credits")
}

/// `60 pages, 120 credits`, or `about 60 pages, 120 credits (between 100 and 140)`.
fn in_words(price: &EstimatedPrice, mode: Mode) -> String {
    let (one, many) = mode.unit();
    let units = |count: u64| counted(count, one, many);
    let (about, range) = match (price.estimated_credits_min, price.estimated_credits_max) {
        (Some(min), Some(max)) if min < max => ("about ", format!(" (between {min} and {max})")),
        (Some(min), None) if min > Credits::ZERO => ("about ", format!(" (at least {min})")),
        (Some(_), Some(_)) => ("", String::new()),
        (Some(_) | None, _) => ("about ", String::new()),
    };
    match (price.estimated_pages, price.estimated_credits) {
        (Some(count), Some(credits)) => {
            format!("{about}{}, {}{range}", units(count), counted_credits(credits))
        }
        (Some(count), None) => format!("{about}{}", units(count)),
        (None, _) => format!("an unknown number of {many}{range}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_is_exact_or_a_range() {
        let words = |units: ExpectedUnits| {
            in_words(&EstimatedPrice::of(&units, Credits(2)), Mode::Markdown)
        };
        assert_eq!(words(ExpectedUnits::exactly(1)), "1 page, 2 credits");
        let range = ExpectedUnits { likely: Some(60), min: 50, max: Some(70) };
        assert_eq!(words(range), "about 60 pages, 120 credits (between 100 and 140)");
        let open = ExpectedUnits { likely: None, min: 40, max: None };
        assert_eq!(words(open), "an unknown number of pages (at least 80)");
    }
}
