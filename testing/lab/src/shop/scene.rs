//! A product page in the making: the shop, the product and its words, with the pieces
//! that templates put together.

use std::fmt::Write as _;

use super::good::Good;
use super::markup::{self, escape};
use super::plan::Facet;
use super::shell::Document;
use super::truth::{Condition, PriceType};
use super::words::Words;
use super::{Shop, aside, platform};
use crate::draw::Draw;

/// What a template writes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) shop: &'a Shop,
    pub(super) good: &'a Good,
    pub(super) words: &'static Words,
}

impl<'a> Scene<'a> {
    pub(super) fn new(shop: &'a Shop, good: &'a Good) -> Self {
        Self { shop, good, words: good.locale.words }
    }

    /// A draw of this page for one purpose.
    pub(super) fn draw(&self, purpose: u64) -> Draw {
        Draw::apart(self.good.seed, 1000 + purpose)
    }

    pub(super) fn name(&self) -> String {
        escape(&self.good.name)
    }

    /// The price as shown.
    pub(super) fn price(&self) -> String {
        escape(&self.good.money.text)
    }

    /// The price before, as shown.
    pub(super) fn regular(&self) -> Option<String> {
        self.good.money.regular_text.as_deref().map(escape)
    }

    pub(super) fn spell(&self, cents: i64) -> String {
        escape(&self.good.spell(self.shop.plan, cents))
    }

    pub(super) fn on_request(&self) -> bool {
        self.good.money.kind == PriceType::OnRequest
    }

    pub(super) fn url(&self) -> String {
        self.shop.absolute(&self.good.path)
    }

    pub(super) fn image(&self) -> String {
        self.good
            .pictures
            .first()
            .map(|picture| self.shop.absolute(&picture.full))
            .unwrap_or_default()
    }

    /// The description for the eye, or nothing.
    pub(super) fn description(&self, manner: usize) -> String {
        match self.good.shows(Facet::Description) {
            true => markup::description(&self.good.blocks, manner),
            false => String::new(),
        }
    }

    /// The table of properties, or nothing.
    pub(super) fn rows(&self, manner: usize, class: &str) -> String {
        markup::rows(&platform::rows(self.shop, self.good), manner, class)
    }

    /// The points in favour, in most cases under a heading, or nothing.
    pub(super) fn features(&self, class: &str) -> String {
        let points = markup::points(&self.good.features, class);
        if points.is_empty() || self.draw(4).chance(35) {
            return points;
        }
        format!("<h3>{}</h3>\n{points}", self.words.features)
    }

    pub(super) fn trail(&self, manner: usize, class: &str) -> String {
        match self.good.shows(Facet::Trail) {
            true => markup::trail(&self.shop.trail(self.good), manner, class),
            false => String::new(),
        }
    }

    /// Numbers that are shown outside the table, as label and value.
    pub(super) fn codes(&self) -> Vec<(&'static str, String)> {
        let good = self.good;
        let mut codes = Vec::new();
        if let Some(sku) = good.shown_sku() {
            codes.push((self.words.sku, sku.to_owned()));
        }
        if !platform::codes_in_table(self.shop, good) {
            let gtin = good.gtin.clone().filter(|_| good.shows(Facet::Gtin));
            codes.extend(gtin.map(|gtin| (good.gtin_label(), gtin)));
            let mpn = good.mpn.clone().filter(|_| good.shows(Facet::Mpn));
            codes.extend(mpn.map(|mpn| (self.words.mpn, mpn)));
        }
        codes
    }

    /// Condition and seller, where they are shown, as label and value.
    pub(super) fn notes(&self) -> Vec<(&'static str, String)> {
        let (good, words) = (self.good, self.words);
        let mut notes = Vec::new();
        if let Some(condition) = good.condition.filter(|_| good.shows(Facet::Condition)) {
            let word = match condition {
                Condition::New => words.new,
                Condition::Used => words.used,
                Condition::Refurbished => words.refurbished,
            };
            notes.push((words.condition, word.to_owned()));
        }
        if let Some(seller) = good.seller.clone().filter(|_| good.shows(Facet::Seller)) {
            notes.push((words.sold_by, seller));
        }
        notes
    }

    /// Codes and notes in lines of one class.
    pub(super) fn code_lines(&self, class: &str) -> String {
        let mut html = String::new();
        for (label, value) in self.codes().into_iter().chain(self.notes()) {
            // Writing to a String cannot fail.
            let _ = writeln!(
                html,
                "<div class=\"{class}\">{label}: <span>{}</span></div>",
                escape(&value)
            );
        }
        html
    }

    /// "4.6 out of 5" and "23 reviews", or nothing.
    pub(super) fn stars(&self, class: &str) -> String {
        let Some(rating) = self.good.shown_rating() else { return String::new() };
        format!(
            "<div class=\"{class}\"><span class=\"{class}-value\">{}</span> \
             <a href=\"#reviews\">({})</a></div>\n",
            self.words.stars.replace("{}", &self.rated()),
            self.words.review_count.replace("{}", &rating.count.to_string()),
        )
    }

    /// The rating with the country's decimal mark.
    pub(super) fn rated(&self) -> String {
        let value = self.good.rating.map(super::good::Rating::value).unwrap_or_default();
        match self.good.locale.language() {
            "en" | "ja" => value,
            _ => value.replace('.', ","),
        }
    }

    /// What the page says about VAT, or nothing.
    pub(super) fn tax(&self) -> &'static str {
        match self.good.tax.filter(|_| self.good.shows(Facet::Tax)) {
            Some(true) => self.words.with_tax,
            Some(false) => self.words.without_tax,
            None => "",
        }
    }

    /// Lines with prices that are not the price: instalments, shipping, per unit.
    pub(super) fn lures(&self, class: &str) -> String {
        let mut draw = self.draw(1);
        let (low, words) = (self.good.money.low, self.words);
        let mut lines = Vec::new();
        if draw.chance(40) && self.good.money.is_sum() {
            lines.push(words.instalment.replace("{}", &self.spell(low / 400 * 100 + 25)));
        }
        if draw.chance(35) && self.good.money.is_sum() {
            let per = words.base_price.replacen("{}", &self.spell(low / 300 * 100 + 700), 1);
            let unit = self.shop.market(self.good.market).unit();
            lines.push(format!("({})", per.replacen("{}", unit, 1)));
        }
        if draw.chance(50) {
            lines.push(words.shipping.replace("{}", &self.spell(490)));
        }
        let line = |text: &String| format!("<div class=\"{class}\">{text}</div>\n");
        lines.iter().map(line).collect()
    }

    /// One `select` for each choice.
    pub(super) fn selects(&self, class: &str) -> String {
        let mut html = String::new();
        for (at, (label, values)) in self.good.axes.iter().enumerate() {
            let label = escape(label);
            let _ = write!(
                html,
                "<label for=\"option-{at}\">{label}</label><select id=\"option-{at}\" \
                 class=\"{class}\" name=\"{label}\"><option value=\"\">{}</option>",
                self.words.choose
            );
            for value in values {
                let _ = write!(html, "<option value=\"{0}\">{0}</option>", escape(value));
            }
            html.push_str("</select>\n");
        }
        html
    }

    /// One group of radio buttons for each choice.
    pub(super) fn radios(&self, class: &str) -> String {
        let mut html = String::new();
        for (at, (label, values)) in self.good.axes.iter().enumerate() {
            let _ = write!(html, "<fieldset class=\"{class}\"><legend>{}</legend>", escape(label));
            for (n, value) in values.iter().enumerate() {
                let (value, checked) = (escape(value), if n == 0 { " checked" } else { "" });
                let _ = write!(
                    html,
                    "<input type=\"radio\" id=\"o{at}-{n}\" name=\"option{at}\" \
                     value=\"{value}\"{checked}><label for=\"o{at}-{n}\">{value}</label>"
                );
            }
            html.push_str("</fieldset>\n");
        }
        html
    }

    /// The button, dead when there is nothing to sell.
    pub(super) fn button(&self, class: &str) -> String {
        let words = self.words;
        if self.on_request() {
            return format!(
                "<a class=\"{class}\" href=\"{}\">{}</a>\n",
                self.contact(),
                words.ask_for_quote
            );
        }
        let dead = self.good.shown_stock().is_some() && !self.good.sells();
        let dead = if dead { " disabled" } else { "" };
        let mut html = String::new();
        if self.draw(5).chance(60) {
            let _ = write!(
                html,
                "<label>{} <input type=\"number\" value=\"1\"></label>",
                words.quantity
            );
        }
        let _ = writeln!(
            html,
            "<button type=\"submit\" class=\"{class}\"{dead}>{}</button>",
            words.add_to_cart
        );
        if self.draw(6).chance(40) {
            let _ = writeln!(html, "<a class=\"wish\" href=\"#wish\">{}</a>", words.wishlist);
        }
        html
    }

    fn contact(&self) -> String {
        self.shop.info_path(self.good.market, super::Info::Contact)
    }

    /// Reviews, related products and what was seen before, in an order of the page's own.
    pub(super) fn asides(&self) -> String {
        let mut draw = self.draw(2);
        let mut parts = vec![aside::related(self), aside::reviews(self)];
        if draw.chance(50) {
            parts.push(aside::recently(self));
        }
        if draw.chance(30) {
            parts.push(aside::bundle(self));
        }
        let turn = draw.below(parts.len());
        parts.rotate_left(turn);
        if draw.chance(25) && self.good.money.is_sum() {
            // A bar that follows the buyer down the page says it all again.
            parts.push(format!(
                "<div class=\"sticky-bar\"><span>{}</span> <b>{}</b> <a href=\"#top\">{}</a></div>\n",
                self.name(),
                self.price(),
                self.words.add_to_cart
            ));
        }
        parts.concat()
    }

    /// The whole page.
    pub(super) fn document(&self, head: &str, class: &str, body: &str) -> String {
        let good = self.good;
        let shop = self.shop.plan.name;
        let mut links = String::new();
        if good.canonical {
            let _ = writeln!(links, "<link rel=\"canonical\" href=\"{}\">", self.url());
        }
        if self.shop.names_twins(good) {
            for twin in self.shop.twins(good) {
                let (tag, url) = (twin.locale.tag, self.shop.absolute(&twin.path));
                let _ =
                    writeln!(links, "<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{url}\">");
                if twin.market == 0 {
                    let _ = writeln!(
                        links,
                        "<link rel=\"alternate\" hreflang=\"x-default\" href=\"{url}\">"
                    );
                }
            }
        }
        let title = match self.draw(3).below(3) {
            0 => format!("{} – {shop}", good.name),
            1 => format!("{} | {} | {shop}", good.name, self.shop.category_of(good)),
            _ => good.name.clone(),
        };
        let document = Document {
            title: &title,
            market: good.market,
            head: &format!("{links}{head}"),
            class,
            body,
        };
        document.write(self.shop)
    }
}
