//! Logistic regression over named features, with weights from a file that a program in `training/`
//! writes.
//!
//! The file is a table of names and numbers: a line per feature, [`BIAS`], and [`THRESHOLD`], the
//! probability from which the model accepts.

use crate::vocabulary::keyed;

pub const BIAS: &str = "(bias)";

/// The name of the probability from which the model accepts.
pub const THRESHOLD: &str = "(threshold)";

/// Weights by position of the feature.
#[derive(Debug)]
pub struct LogisticModel {
    weights: Vec<f64>,
    bias: f64,
    threshold: f64,
}

impl LogisticModel {
    /// Reads the weights of `features`, in this order. A feature without a line has no weight;
    /// [`LogisticModel::problems`] names such lines.
    #[must_use]
    pub fn of(file: &'static str, features: &[&str]) -> Self {
        let value = |wanted: &str| {
            let found = keyed(file).find(|(name, _)| *name == wanted);
            found.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()
        };
        Self {
            weights: features.iter().map(|name| value(name)).collect(),
            bias: value(BIAS),
            threshold: value(THRESHOLD),
        }
    }

    /// The probability for these values of the features, in the order of the names.
    #[must_use]
    pub fn probability(&self, values: &[f32]) -> f64 {
        let weighted = self.weights.iter().zip(values);
        let sum =
            self.bias + weighted.map(|(weight, value)| weight * f64::from(*value)).sum::<f64>();
        1.0 / (1.0 + (-sum).exp())
    }

    #[must_use]
    pub fn accepts(&self, probability: f64) -> bool {
        probability >= self.threshold
    }

    /// What a file of weights lacks or has beside `features`: lines without a finite number, names
    /// of no feature, and features without a line. Empty for a file that fits.
    #[must_use]
    pub fn problems(file: &'static str, features: &[&str]) -> Vec<String> {
        let wanted = || features.iter().copied().chain([BIAS, THRESHOLD]);
        let unknown = keyed(file)
            .filter(|(name, value)| {
                !wanted().any(|wanted| wanted == *name)
                    || !value.parse::<f64>().is_ok_and(f64::is_finite)
            })
            .map(|(name, value)| format!("{name}: unknown name or no number: {value}"));
        let missing = wanted()
            .filter(|wanted| !keyed(file).any(|(name, _)| name == *wanted))
            .map(|name| format!("{name}: no weight"));
        unknown.chain(missing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# A comment.\n(bias)\t-1.0\n(threshold)\t0.5\nfirst\t3.0\nsecond\t-2\n";

    #[test]
    fn probability_is_that_of_the_weighted_sum() {
        let model = LogisticModel::of(FILE, &["second", "first"]);
        for (values, probability, accepts) in
            [([0.0, 0.0], 0.2689, false), ([0.0, 1.0], 0.8808, true), ([1.0, 1.0], 0.5, true)]
        {
            let found = model.probability(&values);
            assert!((found - probability).abs() < 1e-3, "{values:?}: {found}");
            assert_eq!(model.accepts(found), accepts, "{values:?}");
        }
    }

    #[test]
    fn file_that_does_not_fit_the_features_is_reported() {
        assert!(LogisticModel::problems(FILE, &["first", "second"]).is_empty());
        assert_eq!(LogisticModel::problems(FILE, &["first", "second", "third"]).len(), 1);
        assert_eq!(LogisticModel::problems(FILE, &["first"]).len(), 1);
        assert_eq!(LogisticModel::problems("first\tmuch\n", &["first"]).len(), 3);
    }
}
