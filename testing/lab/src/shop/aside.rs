//! What stands beside a product on its page: other products with their prices, and reviews.

use std::fmt::Write as _;

use super::good::Good;
use super::listing;
use super::markup::escape;
use super::plan::Teasers;
use super::scene::Scene;

/// Other products of the same market.
fn others<'a>(scene: &Scene<'a>, purpose: u64, count: usize) -> Vec<&'a Good> {
    let goods: Vec<&Good> = scene
        .shop
        .goods
        .iter()
        .filter(|other| other.market == scene.good.market && other.number != scene.good.number)
        .collect();
    scene.draw(purpose).some(&goods, count)
}

fn cards(scene: &Scene<'_>, goods: &[&Good]) -> String {
    // Cards that are marked in lists are marked here as well, on every second page.
    let marked =
        scene.shop.plan.teasers == Teasers::Microdata && scene.good.number.is_multiple_of(2);
    goods.iter().map(|good| listing::card(scene.shop, good, marked)).collect()
}

pub(super) fn related(scene: &Scene<'_>) -> String {
    let title = scene.words.related;
    let cards = cards(scene, &others(scene, 10, 4));
    match scene.shop.plan.shell % 3 {
        0 => format!(
            "<section class=\"related products\"><h2>{title}</h2><ul class=\"products grid\">\n\
             {cards}</ul></section>\n"
        ),
        1 => format!(
            "<div class=\"block related\"><div class=\"block-title\"><strong>{title}</strong>\
             </div>\n{cards}</div>\n"
        ),
        _ => format!(
            "<aside id=\"recommendations\"><h3>{title}</h3><div class=\"carousel\">\n{cards}\
             </div></aside>\n"
        ),
    }
}

pub(super) fn recently(scene: &Scene<'_>) -> String {
    let cards = cards(scene, &others(scene, 11, 3));
    format!("<div class=\"recently-viewed\"><h4>{}</h4>\n{cards}</div>\n", scene.words.recently)
}

/// "Frequently bought together", with a price for all of it.
pub(super) fn bundle(scene: &Scene<'_>) -> String {
    let goods = others(scene, 12, 2);
    let sum: i64 = goods.iter().map(|good| good.money.low).sum::<i64>() + scene.good.money.low;
    format!(
        "<div class=\"bundle\"><h3>{}</h3>\n{}<p>= <span class=\"bundle-total\">{}</span>\
         </p></div>\n",
        scene.words.also_bought,
        cards(scene, &goods),
        scene.spell(sum)
    )
}

pub(super) fn reviews(scene: &Scene<'_>) -> String {
    let mut draw = scene.draw(13);
    let mut html = String::new();
    for text in draw.some(scene.words.reviews_of, 3) {
        let stars = draw.between(2, 5);
        let author = draw.pick(&["A. Moreau", "J. Lind", "Kim", "P. Nowak", "R. Sato", "T. Weber"]);
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<div class=\"review\"><span class=\"review-stars\" title=\"{stars}\">{}</span> \
             <b>{author}</b><p>{}</p></div>",
            "★".repeat(stars),
            escape(text)
        );
    }
    format!("<section id=\"reviews\"><h2>{}</h2>\n{html}</section>\n", scene.words.reviews)
}
