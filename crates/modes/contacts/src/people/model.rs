//! The model that decides whether a person belongs to the company: a logistic regression over
//! [`PersonEvidence`]. `training/contacts` computes its weights.

use std::sync::LazyLock;

use super::evidence::{FEATURE_NAMES, PersonEvidence};
use text::vocabulary::TermTable;

static ROWS: TermTable<2> = term_table!("people/model.tsv");

/// The weights of the features, and the probability from which a person is delivered.
#[derive(Debug)]
struct PersonModel {
    weights: Vec<f64>,
    bias: f64,
    threshold: f64,
}

static MODEL: LazyLock<PersonModel> = LazyLock::new(|| {
    let value = |name: &str| {
        let row = ROWS.iter().find(|[known, _]| *known == name);
        row.and_then(|[_, value]| value.parse().ok()).unwrap_or_default()
    };
    PersonModel {
        weights: FEATURE_NAMES.iter().map(|name| value(name)).collect(),
        bias: value("bias"),
        threshold: value("threshold"),
    }
});

/// The probability that the person belongs to the company.
pub(super) fn probability(evidence: &PersonEvidence) -> f64 {
    let weighted = MODEL.weights.iter().zip(evidence.values());
    let sum = MODEL.bias + weighted.map(|(weight, value)| weight * f64::from(*value)).sum::<f64>();
    1.0 / (1.0 + (-sum).exp())
}

/// Whether a person of this probability is delivered.
pub(super) fn is_accepted(probability: f64) -> bool {
    probability >= MODEL.threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::evidence::PersonFeature;

    #[test]
    fn model_file_names_the_features_of_the_readers() {
        let known =
            |name: &str| FEATURE_NAMES.contains(&name) || name == "bias" || name == "threshold";
        let unknown: Vec<_> = ROWS.iter().filter(|[name, _]| !known(name)).collect();
        assert!(unknown.is_empty(), "no such feature: {unknown:?}");
        for name in FEATURE_NAMES.iter().chain(&["bias", "threshold"]) {
            let row = ROWS.iter().find(|[known, _]| known == name);
            let value = row.and_then(|[_, value]| value.parse::<f64>().ok());
            assert!(value.is_some_and(f64::is_finite), "the file has no weight of {name}");
        }
    }

    #[test]
    fn title_and_known_given_name_raise_the_probability() {
        let bare = PersonEvidence::default();
        let mut titled = bare;
        titled.set(PersonFeature::GivenNameKnown);
        titled.set(PersonFeature::Title);
        assert!(probability(&titled) > probability(&bare));
    }
}
