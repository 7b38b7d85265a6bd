//! The confidence of a record: how far its sources agree, from 0 to 1.

use contract::ProductSource;

use super::MergeInput;
use crate::letters::letters;
use crate::source_record::SourceRecord;

/// The probability that a single source is right.
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

/// The mean over the most important fields. For one field it is the probability that not all
/// agreeing sources are wrong, halved for each contradicting source.
pub(super) fn confidence(input: &MergeInput) -> f64 {
    // The template votes once per field, with all that it reads.
    let others = input.records.iter().filter(|record| record.source != ProductSource::Template);
    let all: Vec<&SourceRecord> =
        others.chain([&input.visible.record]).chain(&input.template).collect();
    let votes = [
        votes(&all, |record| record.name.as_ref().map(|name| letters(name).collect())),
        votes(&all, |record| record.offer.low.map(|low| low.to_string())),
        votes(&all, |record| record.offer.currency.map(|currency| currency.as_str().to_owned())),
        votes(&all, |record| record.offer.availability.map(|stock| stock.as_str().to_owned())),
        votes(&all, |record| record.sku.clone()),
        votes(&all, |record| record.brand.as_ref().map(|brand| letters(brand).collect())),
    ];
    let shares: Vec<f64> = votes.into_iter().flatten().collect();
    let sum: f64 = shares.iter().sum();
    if shares.is_empty() {
        return 0.0;
    }
    // Fields that no source states reduce the confidence.
    let mean = sum / shares.len() as f64;
    let share = shares.len() as f64 / 6.0;
    let confidence: f64 = mean * (0.7 + 0.3 * share);
    (confidence.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

/// The confidence in one field; `None` if no source states it.
fn votes(all: &[&SourceRecord], value: impl Fn(&SourceRecord) -> Option<String>) -> Option<f64> {
    let stated: Vec<(String, f64)> =
        all.iter().filter_map(|record| Some((value(record)?, trust(record.source)))).collect();
    let (best, _) = stated.iter().max_by(|one, other| {
        let support = |wanted: &str| -> f64 {
            stated.iter().filter(|(value, _)| value == wanted).map(|(_, trust)| trust).sum()
        };
        support(&one.0).total_cmp(&support(&other.0))
    })?;
    let mut doubt = 1.0;
    let mut against = 0;
    for (value, trust) in &stated {
        // A longer version of the same value is no contradiction.
        if value == best || value.contains(best.as_str()) || best.contains(value.as_str()) {
            doubt *= 1.0 - trust;
        } else {
            against += 1;
        }
    }
    Some((1.0 - doubt) * 0.5_f64.powi(against))
}
