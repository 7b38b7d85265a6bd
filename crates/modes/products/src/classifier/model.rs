//! The learned weights of the classifier.
//!
//! `training/products/run` writes the file: a line per feature with its weight, the bias, and the
//! probability from which a page is a product page.

use std::sync::LazyLock;

use super::features::FEATURES;
use crate::vocabulary;

/// Lines of the file that are not features.
const BIAS: &str = "(bias)";
const THRESHOLD: &str = "(threshold)";

/// The model of the file. A feature without a line has no weight; a test checks that none is
/// missing.
pub(super) static MODEL: LazyLock<ProductPageModel> =
    LazyLock::new(|| ProductPageModel::of(&lines()));

/// Logistic regression with a threshold.
#[derive(Debug)]
pub(super) struct ProductPageModel {
    /// In the order of the table of features.
    weights: Vec<f32>,
    bias: f32,
    /// The probability from which a page is a product page.
    threshold: f32,
}

impl ProductPageModel {
    fn of(lines: &[(&str, f32)]) -> Self {
        let value = |wanted: &str| {
            lines.iter().find(|(name, _)| *name == wanted).map_or(0.0, |(_, value)| *value)
        };
        Self {
            weights: FEATURES.iter().map(|(name, _)| value(name)).collect(),
            bias: value(BIAS),
            threshold: value(THRESHOLD),
        }
    }

    /// The probability that a page with these features is a product page.
    pub fn probability(&self, features: &[f32]) -> f32 {
        let products = self.weights.iter().zip(features).map(|(weight, value)| weight * value);
        let sum = self.bias + products.sum::<f32>();
        1.0 / (1.0 + (-sum).exp())
    }

    pub fn accepts(&self, features: &[f32]) -> bool {
        self.probability(features) >= self.threshold
    }
}

/// The names and values of the file.
fn lines() -> Vec<(&'static str, f32)> {
    let file = term_file!("product_page_model.tsv");
    let parse = |line: &'static str| {
        let (name, value) = line.split_once('\t')?;
        Some((name, value.parse().ok()?))
    };
    vocabulary::entries(file).filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_file_names_exactly_the_features_of_the_code() {
        let mut expected: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
        expected.extend([BIAS, THRESHOLD]);
        expected.sort_unstable();
        let mut named: Vec<&str> = lines().iter().map(|(name, _)| *name).collect();
        named.sort_unstable();
        assert_eq!(named, expected, "run training/products/run");
        assert_eq!(
            vocabulary::entries(term_file!("product_page_model.tsv")).count(),
            expected.len(),
            "every line has a name and a number"
        );
    }

    #[test]
    fn probability_grows_with_the_weighted_features() {
        let (name, _) = FEATURES[0];
        let model = ProductPageModel::of(&[(BIAS, -1.0), (name, 3.0), (THRESHOLD, 0.5)]);
        let mut features = vec![0.0; FEATURES.len()];
        assert!((model.probability(&features) - 0.2689).abs() < 1e-3);
        assert!(!model.accepts(&features));
        features[0] = 1.0;
        assert!((model.probability(&features) - 0.8808).abs() < 1e-3);
        assert!(model.accepts(&features));
    }
}
