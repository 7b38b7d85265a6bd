//! How a product comes about: everything is drawn from the shop's seed and its number.

use super::forms::{gtin, variants};
use super::trouble::{Trouble, vex};
use super::{Good, Money, Picture, Rating, Variant, money, prose};
use crate::draw::Draw;
use crate::shop::locale::Locale;
use crate::shop::plan::{Facet, Facets, Forms, Market, Plan};
use crate::shop::platform::{Platform, merchant, settle};
use crate::shop::truth::{Availability, Condition, PriceType};

/// What each draw is for: a new one must not move the others.
#[derive(Clone, Copy)]
enum Purpose {
    Name = 1,
    Codes,
    Variants,
    Price,
    Stock,
    Places,
    Prose,
    Rest,
}

/// The product of this number in this market. Products of the same number are the same
/// product in every market.
pub(in crate::shop) fn make(plan: &'static Plan, market_number: usize, number: usize) -> Good {
    let market = &plan.markets[market_number];
    let (locale, trade) = (market.locale, market.trade);
    let seed = plan.seed.wrapping_mul(1_000_003) ^ number as u64;
    let draw = |purpose: Purpose| Draw::apart(seed, purpose as u64);

    let mut naming = draw(Purpose::Name);
    // A step that shares no factor with the number of pairs visits each of them once.
    let pairs = trade.series.len() * trade.nouns.len();
    let pair = (number * 37 + plan.seed as usize) % pairs.max(1);
    let (series, noun) =
        (trade.series[pair / trade.nouns.len()], trade.nouns[pair % trade.nouns.len()]);
    let brand = naming.pick(trade.brands);
    let tail = if naming.chance(55) { naming.pick(trade.tails) } else { "" };
    let name = match naming.below(3) {
        0 => format!("{series} {noun} {tail}"),
        1 => format!("{noun} {series} {tail}"),
        _ => format!("{noun} „{series}“ {tail}").replace(['„', '“'], ""),
    };
    let name = name.trim().to_owned();
    let data_name = match naming.below(4) {
        0 => format!("{brand} {name}"),
        _ => name.clone(),
    };

    let mut coding = draw(Purpose::Codes);
    let id = (1000 + number * 7 + coding.below(7)).to_string();
    let sku = match plan.seed % 4 {
        0 => format!("{}-{}", coding.letters(3), coding.digits(4)),
        1 => coding.digits(6),
        2 => format!("{}{}.{}", coding.letters(1), coding.digits(3), coding.digits(2)),
        _ => format!("{}-{}-{}", coding.letters(2), coding.digits(3), coding.letters(2)),
    };
    let gtin = gtin(locale, &mut coding);
    let mpn = format!("{}{}", coding.letters(2), coding.digits(5));

    let base = money::base(trade, locale, &mut draw(Purpose::Price));
    let mut forming = draw(Purpose::Variants);
    let (axes, variants) = variants(plan, market, base, &sku, &id, &mut forming);
    let mut pricing = Draw::apart(seed, 100 + Purpose::Price as u64);
    let money = Money::make(plan, locale, base, &variants, &mut pricing);
    // Who asks for the price asks for the form as well.
    let plain = money.kind == PriceType::OnRequest;
    let (axes, variants) = if plain { (Vec::new(), Vec::new()) } else { (axes, variants) };
    let (stock, stock_text) = stock(plan, locale, &variants, &mut draw(Purpose::Stock));

    let mut placing = draw(Purpose::Places);
    let (mut seen, mut data) = (Facets::default(), Facets::default());
    for facet in Facet::ALL {
        let place = plan.places.iter().find(|(known, ..)| *known == facet);
        let (shown, told) = place.map_or((0, 0), |(_, shown, told)| (*shown, *told));
        if placing.chance(shown) {
            seen.add(facet);
        }
        if placing.chance(told) {
            data.add(facet);
        }
    }

    let prose = prose::write(plan, locale, trade, &name, &mut draw(Purpose::Prose));
    let mut rest = draw(Purpose::Rest);
    let shelf = (number % trade.categories.len(), rest.below(3));
    let rows = rest.between(3, 7);
    let attributes = rest.some(trade.attributes, rows).into_iter();
    let attributes =
        attributes.map(|(label, values)| (label.to_owned(), rest.pick(values).to_owned()));
    let attributes = attributes.collect();
    let features = rest.between(2, 5);
    let features = rest.some(trade.features, features);
    let condition = rest.pick(&[
        Some(Condition::New),
        Some(Condition::New),
        Some(Condition::Used),
        Some(Condition::Refurbished),
    ]);
    let rating = Rating { tenths: rest.between(31, 49) as u32, count: rest.between(2, 240) as u32 };
    let pictures = pictures(plan, &id, &name, rest.between(1, 5), &mut rest);

    let seller = match plan.platform {
        Platform::Marketplace => merchant(&mut rest),
        _ => plan.name,
    };

    let mut good = Good {
        number,
        market: market_number,
        locale,
        path: path(plan, market, &id, &name, shelf),
        also_at: Vec::new(),
        canonical: rest.chance(90),
        data_name,
        brand: Some(brand),
        sku: Some(sku),
        mpn: Some(mpn),
        gtin: Some(gtin),
        money,
        stock: Some(stock),
        stock_text,
        condition,
        seller: Some(seller.to_owned()),
        tax: plan.tax,
        pictures,
        rating: Some(rating),
        axes,
        variants,
        shelf,
        attributes,
        features,
        blocks: prose.blocks,
        contacts: prose.contacts,
        codes: prose.codes,
        seen,
        data,
        layout: rest.below(2),
        trouble: Trouble::of(plan, number),
        seed,
        name,
        id,
    };
    vex(plan, &mut good, &mut rest);
    let forgetful =
        matches!(plan.platform, Platform::Bare | Platform::Business | Platform::Tattered);
    if forgetful && stock == Availability::Discontinued {
        good.money.forget();
        good.axes.clear();
        good.variants.clear();
        good.seen.add(Facet::Stock);
    }
    settle(plan, &mut good);
    forget_what_is_nowhere(&mut good);
    good
}

fn stock(
    plan: &Plan,
    locale: &'static Locale,
    variants: &[Variant],
    draw: &mut Draw,
) -> (Availability, &'static str) {
    let words = locale.words;
    let stock = if !variants.is_empty() && plan.deals.forms != Forms::Shown {
        let any = variants.iter().any(|variant| variant.stock == Availability::InStock);
        if any { Availability::InStock } else { Availability::OutOfStock }
    } else if draw.chance(plan.deals.sold_out) {
        Availability::OutOfStock
    } else {
        match draw.below(20) {
            0 => Availability::Preorder,
            1 => Availability::Backorder,
            2 => Availability::Discontinued,
            _ => Availability::InStock,
        }
    };
    let texts = match stock {
        Availability::InStock => words.in_stock,
        Availability::OutOfStock => words.out_of_stock,
        Availability::Preorder => words.preorder,
        Availability::Backorder => words.backorder,
        Availability::Discontinued => words.discontinued,
        Availability::Unknown => &[],
    };
    (stock, draw.pick(texts))
}

fn pictures(plan: &Plan, id: &str, name: &str, count: usize, draw: &mut Draw) -> Vec<Picture> {
    let described = draw.chance(80);
    let picture = |n: usize| {
        let sized = |size: &str| {
            let image = plan.paths.image.replace("{id}", id).replace("{size}", size);
            image.replace("{n}", &(n + 1).to_string())
        };
        let alt = match (described, n) {
            (false, _) => String::new(),
            (true, 0) => name.to_owned(),
            (true, n) => format!("{name} ({})", n + 1),
        };
        Picture { full: sized("1200"), medium: sized("600"), thumb: sized("100"), alt }
    };
    (0..count).map(picture).collect()
}

fn path(plan: &Plan, market: &Market, id: &str, name: &str, shelf: (usize, usize)) -> String {
    let (category, below) = market.trade.categories[shelf.0];
    let sub = below.get(shelf.1).copied().unwrap_or_default();
    let filled = plan.paths.product.replace("{id}", id).replace("{slug}", &slug(name, id));
    let filled = filled.replace("{cat}", &slug(category, "c")).replace("{sub}", &slug(sub, "s"));
    format!("{}{filled}", market.prefix)
}

/// Letters and digits of ASCII; `instead` where there are none.
pub(in crate::shop) fn slug(text: &str, instead: &str) -> String {
    let mut slug = String::new();
    for letter in text.to_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            'ä' => slug.push_str("ae"),
            'ö' => slug.push_str("oe"),
            'ü' => slug.push_str("ue"),
            'é' | 'è' | 'ê' => slug.push('e'),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { instead.to_owned() } else { slug.to_owned() }
}

fn forget_what_is_nowhere(good: &mut Good) {
    let given = |facet| good.shows(facet) || good.tells(facet);
    let [brand, sku, mpn, gtin] = [Facet::Brand, Facet::Sku, Facet::Mpn, Facet::Gtin].map(given);
    let [rating, condition, seller] = [Facet::Rating, Facet::Condition, Facet::Seller].map(given);
    let [stock, tax, prose] = [Facet::Stock, Facet::Tax, Facet::Description].map(given);
    good.brand = good.brand.filter(|_| brand);
    good.sku = good.sku.take().filter(|_| sku);
    good.mpn = good.mpn.take().filter(|_| mpn);
    good.gtin = good.gtin.take().filter(|_| gtin);
    good.rating = good.rating.filter(|_| rating);
    good.condition = good.condition.filter(|_| condition);
    good.seller = good.seller.take().filter(|_| seller);
    good.stock = good.stock.filter(|_| stock);
    good.tax = good.tax.filter(|_| tax);
    if !good.shows(Facet::Attributes) {
        good.attributes.clear();
    }
    if !good.shows(Facet::Features) {
        good.features.clear();
    }
    if !prose {
        good.blocks.clear();
        good.contacts.clear();
        good.codes.clear();
    }
}
