//! How far the sources of a record agree, as a number from 0 to 1.

use contract::ProductSource;

use super::super::draft::Draft;
use super::Said;

/// How far one source alone is believed.
fn trust(source: ProductSource) -> f64 {
    match source {
        ProductSource::JsonLd => 0.8,
        ProductSource::Microdata | ProductSource::State => 0.75,
        ProductSource::Rdfa => 0.7,
        ProductSource::Meta => 0.6,
        ProductSource::Template => 0.65,
        ProductSource::Dom => 0.6,
    }
}

/// The mean over the fields that a buyer looks at first. Of one field it is the chance that
/// not all who agree on it are wrong, and half of that for each who says something else.
pub(super) fn confidence(said: &Said) -> f64 {
    // What a template fills in is part of what it reads: it has one voice, in every field.
    let others = said.drafts.iter().filter(|draft| draft.source != ProductSource::Template);
    let all: Vec<&Draft> = others.chain([&said.sight.draft]).chain(&said.check).collect();
    let votes = [
        votes(&all, |draft| draft.name.as_ref().map(|name| letters(name))),
        votes(&all, |draft| draft.offer.low.map(|low| low.to_string())),
        votes(&all, |draft| draft.offer.currency.map(|currency| currency.as_str().to_owned())),
        votes(&all, |draft| draft.offer.availability.map(|stock| stock.as_str().to_owned())),
        votes(&all, |draft| draft.sku.clone()),
        votes(&all, |draft| draft.brand.as_ref().map(|brand| letters(brand))),
    ];
    let told: Vec<f64> = votes.into_iter().flatten().collect();
    let sum: f64 = told.iter().sum();
    if told.is_empty() {
        return 0.0;
    }
    // What nobody speaks of makes the rest no surer.
    let mean = sum / told.len() as f64;
    let share = told.len() as f64 / 6.0;
    let confidence: f64 = mean * (0.7 + 0.3 * share);
    (confidence.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn votes(all: &[&Draft], value: impl Fn(&Draft) -> Option<String>) -> Option<f64> {
    let said: Vec<(String, f64)> =
        all.iter().filter_map(|draft| Some((value(draft)?, trust(draft.source)))).collect();
    let (best, _) = said.iter().max_by(|one, other| {
        let support = |wanted: &str| -> f64 {
            said.iter().filter(|(value, _)| value == wanted).map(|(_, trust)| trust).sum()
        };
        support(&one.0).total_cmp(&support(&other.0))
    })?;
    let mut doubt = 1.0;
    let mut against = 0;
    for (value, trust) in &said {
        // A longer form of the same name is no contradiction.
        if value == best || value.contains(best.as_str()) || best.contains(value.as_str()) {
            doubt *= 1.0 - trust;
        } else {
            against += 1;
        }
    }
    Some((1.0 - doubt) * 0.5_f64.powi(against))
}
