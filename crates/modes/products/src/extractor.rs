//! Reads the product pages of a run.

use std::any::Any;
use std::sync::Arc;

use contract::{LinkType, Mode};
use crawl::{AnyContent, ModeContent, PageExtractor, PageRead, PageSource};

use crate::{ExtractionTemplate, Product, ProductOptions, ProductPage};

/// Bits of the first byte of an encoded extractor.
const SUPPRESS_CONTACT: u8 = 1;
const COLLECT_HIDDEN_PRICES: u8 = 2;
const TEMPLATE_EXAMPLES: u8 = 4;
const HAS_TEMPLATE: u8 = 8;

/// Reads pages with one version of the site's template.
#[derive(Debug)]
pub struct ProductExtractor {
    options: ProductOptions,
    template: Option<Arc<ExtractionTemplate>>,
}

impl ProductExtractor {
    #[must_use]
    pub fn new(options: ProductOptions, template: Option<Arc<ExtractionTemplate>>) -> Self {
        Self { options, template }
    }

    /// The template that pages are read with.
    #[must_use]
    pub fn template(&self) -> Option<&ExtractionTemplate> {
        self.template.as_deref()
    }

    /// Decodes an extractor that another process sent; `None` if the bytes are damaged.
    #[must_use]
    pub fn decode(encoded: &[u8]) -> Option<Self> {
        let (bits, template) = encoded.split_first()?;
        let is_set = |bit: u8| bits & bit != 0;
        let options = ProductOptions {
            suppress_contact: is_set(SUPPRESS_CONTACT),
            collect_hidden_prices: is_set(COLLECT_HIDDEN_PRICES),
            template_examples: is_set(TEMPLATE_EXAMPLES),
        };
        let template = match is_set(HAS_TEMPLATE) {
            true => Some(Arc::new(ExtractionTemplate::decode(template)?)),
            false => None,
        };
        Some(Self::new(options, template))
    }
}

impl PageExtractor for ProductExtractor {
    fn read(&self, source: &PageSource<'_>) -> Option<PageRead> {
        let PageSource { kind: LinkType::Page, body, head, url, limits } = *source else {
            return None;
        };
        let template = self.template();
        let (page, read) = ProductPage::read(body, head, url, limits, self.options, template);
        let by_template = read.product.as_ref().is_some_and(|product| product.by_template);
        let template_id = template.filter(|_| by_template).map(ExtractionTemplate::id);
        let content = ProductContent { page: read, template_id };
        Some(PageRead { page: Some(page), content: Box::new(content) })
    }

    fn mode(&self) -> Mode {
        Mode::Products
    }

    fn encode(&self) -> Vec<u8> {
        let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        let bits = bit(self.options.suppress_contact, SUPPRESS_CONTACT)
            | bit(self.options.collect_hidden_prices, COLLECT_HIDDEN_PRICES)
            | bit(self.options.template_examples, TEMPLATE_EXAMPLES)
            | bit(self.template.is_some(), HAS_TEMPLATE);
        let template = self.template().map(ExtractionTemplate::encode).unwrap_or_default();
        [vec![bits], template].concat()
    }
}

/// The product of a page, and the template that contributed to it.
#[derive(Debug, Clone)]
pub(crate) struct ProductContent {
    pub page: ProductPage,
    pub template_id: Option<String>,
}

impl ProductContent {
    pub fn of_page(content: &AnyContent) -> Option<&Self> {
        (content as &dyn Any).downcast_ref()
    }

    pub fn of_page_mut(content: &mut AnyContent) -> Option<&mut Self> {
        (content as &mut dyn Any).downcast_mut()
    }

    pub fn product(&self) -> Option<&Product> {
        self.page.product.as_deref()
    }
}

impl ModeContent for ProductContent {
    fn is_deliverable(&self) -> bool {
        self.page.product.is_some()
    }

    /// A page with a product in its structured data is not empty, whatever it shows.
    fn is_complete(&self) -> bool {
        self.page.product.is_some()
    }

    fn bytes(&self) -> usize {
        self.product().map_or(0, |product| {
            let description = product.description.as_ref().map_or(0, String::len);
            let lists =
                product.images.len() + product.attributes.len() + 2 * product.variants.len();
            description + 200 * lists
        })
    }

    fn clone_boxed(&self) -> Box<AnyContent> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_extractor_is_decoded_with_its_options() {
        for bits in 0..8 {
            let extractor = ProductExtractor::decode(&[bits]).expect("it decodes");
            assert_eq!(extractor.encode(), [bits]);
        }
        assert!(ProductExtractor::decode(&[]).is_none(), "no options");
        assert!(ProductExtractor::decode(&[HAS_TEMPLATE, 0xff]).is_none(), "a damaged template");
    }
}
