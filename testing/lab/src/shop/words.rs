//! What a shop writes on its buttons and labels, one file a language. `{}` takes a value.

mod english;
mod french;
mod german;
mod japanese;
mod polish;
mod portuguese;
mod swedish;

pub(super) use english::WORDS as ENGLISH;
pub(super) use french::WORDS as FRENCH;
pub(super) use german::WORDS as GERMAN;
pub(super) use japanese::WORDS as JAPANESE;
pub(super) use polish::WORDS as POLISH;
pub(super) use portuguese::WORDS as PORTUGUESE;
pub(super) use swedish::WORDS as SWEDISH;

/// The words of one language.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) home: &'static str,
    pub(super) cart: &'static str,
    pub(super) search: &'static str,
    pub(super) account: &'static str,
    pub(super) add_to_cart: &'static str,
    pub(super) in_stock: &'static [&'static str],
    pub(super) out_of_stock: &'static [&'static str],
    pub(super) preorder: &'static [&'static str],
    pub(super) backorder: &'static [&'static str],
    pub(super) discontinued: &'static [&'static str],
    pub(super) sku: &'static str,
    pub(super) brand: &'static str,
    pub(super) gtin: &'static str,
    pub(super) mpn: &'static str,
    pub(super) description: &'static str,
    pub(super) details: &'static str,
    pub(super) features: &'static str,
    pub(super) reviews: &'static str,
    pub(super) related: &'static str,
    pub(super) recently: &'static str,
    pub(super) from: &'static str,
    pub(super) was: &'static str,
    pub(super) with_tax: &'static str,
    pub(super) without_tax: &'static str,
    pub(super) shipping: &'static str,
    pub(super) free_shipping: &'static str,
    pub(super) instalment: &'static str,
    pub(super) base_price: &'static str,
    pub(super) stars: &'static str,
    pub(super) review_count: &'static str,
    pub(super) sold_by: &'static str,
    pub(super) condition: &'static str,
    pub(super) new: &'static str,
    pub(super) used: &'static str,
    pub(super) refurbished: &'static str,
    pub(super) on_request: &'static [&'static str],
    pub(super) ask_for_quote: &'static str,
    pub(super) newsletter: &'static str,
    pub(super) cookies: &'static str,
    pub(super) accept: &'static str,
    pub(super) next: &'static str,
    pub(super) load_more: &'static str,
    pub(super) sort: &'static str,
    pub(super) filter: &'static str,
    pub(super) count: &'static str,
    pub(super) blog: &'static str,
    pub(super) about: &'static str,
    pub(super) contact: &'static str,
    pub(super) imprint: &'static str,
    pub(super) terms: &'static str,
    pub(super) choose: &'static str,
    pub(super) save: &'static str,
    pub(super) quantity: &'static str,
    pub(super) wishlist: &'static str,
    pub(super) checkout: &'static str,
    pub(super) empty_cart: &'static str,
    pub(super) read_more: &'static str,
    pub(super) reviews_of: &'static [&'static str],
    pub(super) menu_sale: &'static str,
    pub(super) sale: &'static str,
    pub(super) also_bought: &'static str,
    pub(super) stories: &'static [&'static str],
    /// Sentences that give the seller's contact details away.
    pub(super) contact_lines: &'static [&'static str],
    /// A postal block, line by line.
    pub(super) contact_block: &'static [&'static str],
    /// Sentences with a number that is nobody's telephone.
    pub(super) code_lines: &'static [&'static str],
    pub(super) size_line: &'static str,
    pub(super) street: &'static str,
}
