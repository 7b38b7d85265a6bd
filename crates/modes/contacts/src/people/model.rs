//! The model that decides whether a person belongs to the company: a logistic regression over
//! [`PersonEvidence`]. `training/contacts` computes its weights.

use std::sync::LazyLock;

use text::logistic::LogisticModel;

use super::evidence::{FEATURE_NAMES, PersonEvidence};

const WEIGHTS: &str = term_file!("people/model.tsv");

static MODEL: LazyLock<LogisticModel> = LazyLock::new(|| LogisticModel::of(WEIGHTS, FEATURE_NAMES));

/// The probability that the person belongs to the company.
pub(super) fn probability(evidence: &PersonEvidence) -> f64 {
    MODEL.probability(evidence.values())
}

/// Whether a person of this probability is delivered.
pub(super) fn is_accepted(probability: f64) -> bool {
    MODEL.accepts(probability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::evidence::PersonFeature;

    #[test]
    fn model_file_names_the_features_of_the_readers() {
        let problems = LogisticModel::problems(WEIGHTS, FEATURE_NAMES);
        assert!(problems.is_empty(), "{problems:?}: run training/contacts/run");
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
