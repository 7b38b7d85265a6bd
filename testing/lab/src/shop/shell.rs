//! What surrounds the content of every page: head, header, menu, footer, banner, scripts.

use std::fmt::Write as _;

use super::locale::Locale;
use super::markup::escape;
use super::{Info, List, Shelf, Shop, listing};

/// A page without its surroundings.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) title: &'a str,
    pub(super) market: usize,
    /// What else stands in the head.
    pub(super) head: &'a str,
    /// Class of the body.
    pub(super) class: &'a str,
    pub(super) body: &'a str,
}

impl Document<'_> {
    /// The whole page as this shop writes it.
    pub(super) fn write(&self, shop: &Shop) -> String {
        let locale = shop.market(self.market).locale;
        let (title, class) = (escape(self.title), self.class);
        let plan = shop.plan;
        let tracking = tracking(shop);
        let (before, after) = match plan.shell % 2 {
            0 => (tracking.as_str(), ""),
            _ => ("", tracking.as_str()),
        };
        let banner = banner(shop, locale);
        let (first, last) = if plan.shell.is_multiple_of(3) {
            (banner.as_str(), "")
        } else {
            ("", banner.as_str())
        };
        format!(
            "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <title>{title}</title>\n<meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\">\n<link rel=\"stylesheet\" \
             href=\"/assets/theme.css?v={seed}\">\n<link rel=\"icon\" \
             href=\"/assets/icon.png\">\n{head}{before}{style}</head>\n\
             <body class=\"{class}\">\n{first}{header}{body}\n{footer}{last}{after}</body>\n\
             </html>\n",
            tag = locale.tag,
            seed = plan.seed,
            head = self.head,
            style = style(shop),
            header = header(shop, self.market),
            body = self.body,
            footer = footer(shop, self.market),
        )
    }
}

/// The styles that shops write into every page, a few kilobytes to forty.
fn style(shop: &Shop) -> String {
    let mut css = String::from("<style>.visually-hidden{position:absolute;clip:rect(0 0 0 0)}\n");
    let rules = [40, 120, 240, 400][shop.plan.shell % 4];
    for rule in 0..rules {
        // Writing to a String cannot fail.
        let _ = writeln!(
            css,
            ".u-{rule} .price-{0},.u-{rule}>li{{margin:{0}px {1}px;color:#{2:06x};display:block}}",
            rule % 17,
            rule % 23,
            rule * 40_503 % 0xff_ffff
        );
    }
    css + "</style>\n"
}

fn spelled(shop: &Shop, locale: &Locale, cents: i64) -> String {
    let cents = match locale.currency {
        "JPY" | "INR" => cents * 100,
        "SEK" => cents * 10,
        _ => cents,
    };
    escape(&locale.money(cents, shop.plan.habit))
}

fn tracking(shop: &Shop) -> String {
    let seed = shop.plan.seed;
    match shop.plan.shell % 3 {
        0 => format!(
            "<script>(function(w,d,s,l,i){{w[l]=w[l]||[];w[l].push({{'gtm.start':new \
             Date().getTime(),event:'gtm.js'}});}})(window,document,'script','dataLayer',\
             'GTM-{seed}X');\
             </script>\n"
        ),
        1 => format!(
            "<script src=\"/assets/vendor.js\" defer></script>\n\
             <script>window.pixel=window.pixel||function(){{(pixel.q=pixel.q||[]).push(arguments)}};\
             pixel('init','{seed}00{seed}');pixel('track','PageView');\
             </script>\n"
        ),
        _ => "<script src=\"/assets/app.js\"></script>\n<noscript>\
              <img height=\"1\" width=\"1\" src=\"/pixel.png?ev=PageView\" alt=\"\"></noscript>\n"
            .to_owned(),
    }
}

fn banner(shop: &Shop, locale: &Locale) -> String {
    let words = locale.words;
    match shop.plan.shell % 3 {
        0 => format!(
            "<div id=\"cookie-bar\" role=\"dialog\"><p>{}</p><button>{}</button></div>\n",
            words.cookies, words.accept
        ),
        1 => format!(
            "<div class=\"consent modal\" aria-hidden=\"true\"><div class=\"consent__text\">{} \
             <a href=\"#privacy\">{}</a></div><button class=\"consent__ok\">{}</button></div>\n",
            words.cookies, words.read_more, words.accept
        ),
        _ => format!(
            "<aside class=\"cc-window\"><span>{}</span><a class=\"cc-btn\" href=\"#\">{}</a>\
             </aside>\n",
            words.cookies, words.accept
        ),
    }
}

/// The menu of all categories.
fn menu(shop: &Shop, market: usize) -> String {
    let mut html = String::new();
    let words = shop.market(market).locale.words;
    for (category, (name, below)) in shop.market(market).trade.categories.iter().enumerate() {
        let path = shop.category_path(market, category, None);
        // Writing to a String cannot fail.
        let _ = write!(html, "<li><a href=\"{path}\">{}</a><ul>", escape(name));
        for (sub, name) in below.iter().enumerate() {
            let path = shop.category_path(market, category, Some(sub));
            let _ = write!(html, "<li><a href=\"{path}\">{}</a></li>", escape(name));
        }
        html.push_str("</ul></li>\n");
    }
    // A product with its price stands above every page's own.
    let promoted = shop.goods.iter().filter(|good| good.market == market).nth(2);
    if let Some(good) = promoted.filter(|_| shop.plan.shell.is_multiple_of(2)) {
        let _ = writeln!(html, "<li class=\"promo\">{}</li>", listing::card(shop, good, false));
    }
    let sale = shop.list_path(market, List { shelf: Shelf::Sale, page: 1, facet: None });
    let blog = shop.blog_path(market, None);
    let _ = writeln!(
        html,
        "<li><a href=\"{sale}\">{}</a></li><li><a href=\"{blog}\">{}</a></li>",
        words.menu_sale, words.blog
    );
    html
}

fn header(shop: &Shop, market: usize) -> String {
    let locale = shop.market(market).locale;
    let (words, name) = (locale.words, escape(shop.plan.name));
    let (home, cart) = (shop.home_path(market), shop.cart_path(market));
    let account = shop.info_path(market, Info::Account);
    let query = escape(&shop.search_path(market, 0));
    let action = query.split('?').next().unwrap_or_default();
    let free = words.free_shipping.replace("{}", &spelled(shop, locale, 5000));
    let other = format!(
        "<a href=\"{}\">{}</a>",
        escape(&shop.search_path(market, 1)),
        escape(shop.query(market, 1))
    );
    let nought = spelled(shop, locale, 0);
    let menu = menu(shop, market);
    let languages = languages(shop);
    match shop.plan.shell % 4 {
        0 => format!(
            "<div class=\"announcement-bar\"><p>{free}</p></div>\n\
             <header class=\"header\">{languages}<a class=\"logo\" href=\"{home}\">{name}</a>\n\
             <nav class=\"mega-menu\"><ul>\n{menu}</ul></nav>\n<a href=\"{query}\">{search}\
             </a> {other} <a href=\"{account}\">{mine}</a> <a href=\"{cart}\" \
             class=\"cart-link\">{basket} <span class=\"count\">0</span></a></header>\n",
            search = words.search,
            mine = words.account,
            basket = words.cart,
        ),
        1 => format!(
            "<header id=\"masthead\"><div class=\"top\"><a href=\"{account}\">{mine}\
             </a>{languages} | <a href=\"{cart}\">{basket}: <span class=\"amount\">{nought}\
             </span></a></div><p class=\"brand-name\"><a href=\"{home}\">{name}</a></p>\n\
             <form action=\"{action}\"><input name=\"q\" placeholder=\"{search}\">\
             <button>{search}</button></form>\n<ul id=\"menu\">\n{menu}</ul>\
             <a href=\"{query}\">{hot}</a> {other}</header>\n",
            search = words.search,
            mine = words.account,
            basket = words.cart,
            hot = escape(shop.query(market, 0)),
        ),
        2 => format!(
            "<div class=\"page-header\"><div class=\"minicart\"><a href=\"{cart}\">{basket}</a>\
             <span class=\"minicart-total price\">{nought}</span></div>{languages}\
             <a href=\"{home}\"><img src=\"/assets/logo.png\" alt=\"{name}\"></a><nav>\
             <ul class=\"nav\">\n{menu}</ul></nav><a href=\"{account}\">{mine}</a>\
             <a href=\"{query}\">{search}</a> {other}<em>{free}</em></div>\n",
            search = words.search,
            mine = words.account,
            basket = words.cart,
        ),
        _ => format!(
            "<table class=\"head\"><tr><td><a href=\"{home}\"><b>{name}</b></a></td>\
             <td>{languages}<a href=\"{query}\">{search}</a> {other} | \
             <a href=\"{account}\">{mine}</a> | <a href=\"{cart}\">{basket} ({nought})</a></td>\
             </tr></table>\n<ul class=\"side\">\n{menu}</ul>\n",
            search = words.search,
            mine = words.account,
            basket = words.cart,
        ),
    }
}

fn languages(shop: &Shop) -> String {
    if shop.plan.markets.len() < 2 {
        return String::new();
    }
    let link = |number: usize| {
        let tag = shop.market(number).locale.tag;
        format!("<a hreflang=\"{tag}\" href=\"{}\">{tag}</a> ", shop.home_path(number))
    };
    (0..shop.plan.markets.len()).map(link).collect()
}

fn footer(shop: &Shop, market: usize) -> String {
    let locale = shop.market(market).locale;
    let words = locale.words;
    let links = [Info::About, Info::Contact, Info::Terms].map(|info| {
        let label = match info {
            Info::About => words.about,
            Info::Contact => words.contact,
            Info::Terms => words.terms,
            Info::Account => words.account,
        };
        format!("<li><a href=\"{}\">{label}</a></li>", shop.info_path(market, info))
    });
    let letter = words.newsletter.replace("{}", &spelled(shop, locale, 500));
    format!(
        "<footer class=\"footer\">\n<section class=\"newsletter\"><h2>{letter}</h2>\
         <form action=\"#\"><input type=\"email\" name=\"email\"><button>OK</button></form>\
         </section>\n<ul>{links}<li><a href=\"#imprint\">{imprint}</a></li></ul>\n\
         <p class=\"region\">{country} | {currency} {symbol}</p>\n\
         <address>{name}, {street} · <a href=\"mailto:service@{host}\">service@{host}</a>\
         </address>\n<ul class=\"payment\"><li>Visa</li><li>Mastercard</li><li>PayPal</li>\
         </ul>\n<small>© 2026 {name}</small>\n</footer>\n",
        links = links.concat(),
        imprint = words.imprint,
        country = locale.country,
        currency = locale.currency,
        symbol = locale.symbol(),
        name = escape(shop.plan.name),
        street = words.street,
        host = shop.plan.host,
    )
}
