//! A product as a careful person would write it down from its page.

use super::good::{Good, Variant, check_digit};
use super::plan::{Facet, Forms};
use super::truth::{
    AlternateTruth, Availability, CrumbTruth, GtinTruth, ImageTruth, PriceTruth, PriceType,
    ProductTruth, RatingTruth, SellerTruth, VariantTruth,
};
use super::{Shop, platform};

/// The truth about one product of the shop, as the shop serves it.
pub(super) fn of(shop: &Shop, good: &Good) -> ProductTruth {
    let bare = shop.is_bare(good);
    let given = |facet| good.shows(facet) || (!bare && good.tells(facet));
    let described = given(Facet::Description) && !good.blocks.is_empty();
    let text = |with_contacts| described.then(|| good.text(with_contacts));
    let stock = good.stock.filter(|_| given(Facet::Stock)).unwrap_or_default();
    let rating = good.rating.filter(|_| given(Facet::Rating)).map(|rating| RatingTruth {
        value: rating.value(),
        best: 5,
        count: rating.count,
    });
    let seller = good.seller.clone().filter(|_| given(Facet::Seller));
    let (price, price_with_hidden) = prices(good, bare);
    ProductTruth {
        path: good.path.clone(),
        also_at: good.also_at.clone(),
        url: shop.absolute(&good.path),
        canonical_url: good.canonical.then(|| shop.absolute(&good.path)),
        name: good.name.clone(),
        brand: good.brand.filter(|_| given(Facet::Brand)).map(str::to_owned),
        category: (given(Facet::Trail) || given(Facet::Category))
            .then(|| shop.category_of(good).to_owned()),
        description: text(false),
        description_with_contacts: text(true),
        contacts: if described { good.contacts.clone() } else { Vec::new() },
        codes: if described { good.codes.clone() } else { Vec::new() },
        breadcrumbs: if given(Facet::Trail) { trail(shop, good) } else { Vec::new() },
        features: good.features.iter().map(|feature| (*feature).to_owned()).collect(),
        attributes: platform::rows(shop, good),
        sku: good.sku.clone().filter(|_| given(Facet::Sku)),
        mpn: good.mpn.clone().filter(|_| given(Facet::Mpn)),
        gtin: good
            .gtin
            .iter()
            .filter(|_| given(Facet::Gtin))
            .filter_map(|text| gtin(text))
            .collect(),
        price,
        price_with_hidden,
        tax_included: good.tax.filter(|_| given(Facet::Tax)),
        availability: stock,
        availability_raw: good.shown_stock().map(str::to_owned),
        condition: good.condition.filter(|_| given(Facet::Condition)),
        seller: seller.map(|name| SellerTruth { name, url: None }),
        images: images(shop, good, bare),
        rating,
        variants: variants(shop, good, bare),
        language: Some(good.locale.tag.to_owned()),
        alternates: alternates(shop, good),
        stripped: bare,
    }
}

fn prices(good: &Good, bare: bool) -> (PriceTruth, PriceTruth) {
    let (locale, money) = (good.locale, &good.money);
    let raw = money.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = match money.kind {
        PriceType::Exact | PriceType::From | PriceType::Range => PriceTruth {
            price: Some(locale.decimal(money.low)),
            regular_price: money.regular.map(|cents| locale.decimal(cents)),
            currency: Some(locale.currency.to_owned()),
            price_raw: Some(raw),
            price_type: money.kind,
        },
        PriceType::None => PriceTruth::default(),
        PriceType::OnRequest | PriceType::Hidden => PriceTruth {
            price_raw: Some(raw),
            price_type: PriceType::OnRequest,
            ..PriceTruth::default()
        },
    };
    let hidden = money.data.filter(|cents| *cents > 0 && !bare);
    match hidden.filter(|_| money.kind == PriceType::OnRequest) {
        Some(cents) => {
            let kept = PriceTruth {
                price: Some(locale.decimal(cents)),
                currency: Some(locale.currency.to_owned()),
                price_type: PriceType::Hidden,
                ..shown.clone()
            };
            (shown, kept)
        }
        None => (shown.clone(), shown),
    }
}

fn trail(shop: &Shop, good: &Good) -> Vec<CrumbTruth> {
    let crumb = |(name, path): (String, Option<String>)| CrumbTruth {
        name,
        url: path.map(|path| shop.absolute(&path)),
    };
    shop.trail(good).into_iter().map(crumb).collect()
}

/// The number, if its check digit is right.
fn gtin(text: &str) -> Option<GtinTruth> {
    let kind = match text.len() {
        8 => "gtin8",
        12 => "gtin12",
        13 => "gtin13",
        14 => "gtin14",
        _ => return None,
    };
    let (digits, last) = text.split_at(text.len() - 1);
    let right = last.starts_with(check_digit(digits));
    right.then(|| GtinTruth { kind, value: text.to_owned() })
}

fn images(shop: &Shop, good: &Good, bare: bool) -> Vec<ImageTruth> {
    let count = if bare { platform::images_in_markup(shop) } else { usize::MAX };
    let image = |picture: &super::good::Picture| ImageTruth {
        url: shop.absolute(&picture.full),
        alt: Some(picture.alt.clone()).filter(|alt| !alt.is_empty()),
    };
    good.pictures.iter().take(count).map(image).collect()
}

/// The forms. Where the page only lets choose, one choice names its forms, and of several
/// nobody can tell which go together.
fn variants(shop: &Shop, good: &Good, bare: bool) -> Vec<VariantTruth> {
    let forms = if bare { Forms::Shown } else { shop.plan.deals.forms };
    let options = |variant: &Variant| {
        variant.options.iter().map(|(label, value)| ((*label).to_owned(), value.clone())).collect()
    };
    match forms {
        Forms::Shown if good.axes.len() == 1 => {
            let named = |variant: &Variant| VariantTruth {
                variant_id: None,
                options: options(variant),
                sku: None,
                gtin: Vec::new(),
                price: None,
                regular_price: None,
                currency: None,
                availability: Availability::Unknown,
            };
            good.variants.iter().map(named).collect()
        }
        Forms::Shown => Vec::new(),
        Forms::Data | Forms::DataWithGtin => {
            let locale = good.locale;
            let told = |variant: &Variant| VariantTruth {
                variant_id: Some(variant.id.clone()),
                options: options(variant),
                sku: Some(variant.sku.clone()),
                gtin: match forms {
                    Forms::DataWithGtin => gtin(&variant.gtin).into_iter().collect(),
                    Forms::Data | Forms::Shown => Vec::new(),
                },
                price: Some(locale.decimal(variant.price)),
                regular_price: variant.regular.map(|cents| locale.decimal(cents)),
                currency: Some(locale.currency.to_owned()),
                availability: variant.stock,
            };
            good.variants.iter().map(told).collect()
        }
    }
}

fn alternates(shop: &Shop, good: &Good) -> Vec<AlternateTruth> {
    shop.twins(good)
        .filter(|twin| twin.market != good.market)
        .map(|twin| AlternateTruth {
            lang: twin.locale.tag.to_owned(),
            url: shop.absolute(&twin.path),
        })
        .collect()
}
