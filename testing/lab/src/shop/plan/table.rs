//! The shops of the lab.

use super::places::{DOUBTFUL, MARKED, META, RICH, SEEN, SELLERS, STATE};
use super::usual::{DEALS, USUAL, market, paths};
use super::{Deals, Forms, Market, Paging, Paths, Plan, Spread, Teasers};
use crate::shop::locale;
use crate::shop::platform::Platform;
use crate::shop::trade;

/// Every shop.
pub(in crate::shop) static PLANS: &[Plan] = &[
    Plan {
        host: "beans.lab.test",
        name: "Harbor Beans",
        seed: 11,
        platform: Platform::Shopify,
        markets: &[market(&locale::US, &trade::COFFEE)],
        count: 42,
        paths: Paths {
            image: "//beans.lab.test/cdn/shop/files/{id}_{n}_{size}x.jpg",
            ..paths("/products/{slug}", "/collections/{slug}", "/blogs/news/{slug}")
        },
        places: RICH,
        deals: Deals { varied: 55, axes: 2, forms: Forms::DataWithGtin, ..DEALS },
        tax: None,
        shell: 0,
        ..USUAL
    },
    Plan {
        host: "tische.lab.test",
        name: "Tischlerei Lindner",
        seed: 22,
        platform: Platform::Woocommerce,
        markets: &[market(&locale::DE, &trade::FURNITURE)],
        paths: Paths {
            search: "/?s={slug}&post_type=product",
            image: "/wp-content/uploads/2025/03/{id}-{n}-{size}.jpg",
            ..paths("/produkt/{slug}/", "/produkt-kategorie/{slug}/", "/magazin/{slug}/")
        },
        places: RICH,
        deals: Deals { varied: 50, axes: 1, spread: Spread::Range, forms: Forms::Data, ..DEALS },
        contacts: 40,
        teasers: Teasers::List,
        paging: Paging::Folder,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "mill.lab.test",
        name: "Marlow Mill",
        seed: 33,
        platform: Platform::Magento,
        markets: &[market(&locale::GB, &trade::CLOTHING)],
        count: 45,
        paths: Paths {
            search: "/catalogsearch/result/?q={slug}",
            cart: "/checkout-cart/",
            image: "/media/catalog/product/cache/{size}/{id}_{n}.jpg",
            ..paths("/{slug}.html", "/{slug}.html", "/news/{slug}")
        },
        places: MARKED,
        deals: Deals { varied: 60, axes: 2, spread: Spread::From, forms: Forms::Data, ..DEALS },
        contacts: 15,
        paging: Paging::LoadMore,
        shell: 2,
        ..USUAL
    },
    Plan {
        host: "ironridge.lab.test",
        name: "Ironridge Supply",
        seed: 44,
        platform: Platform::Bigcommerce,
        markets: &[market(&locale::US, &trade::TOOLS)],
        count: 48,
        paths: Paths {
            search: "/search.php?search_query={slug}",
            cart: "/cart.php",
            image: "/images/stencil/{size}w/products/{id}/{n}.jpg",
            ..paths("/{slug}/", "/shop/{slug}/", "/blog/{slug}/")
        },
        places: RICH,
        deals: Deals { sale: 35, ..DEALS },
        tax: None,
        teasers: Teasers::Products,
        shell: 0,
        ..USUAL
    },
    Plan {
        host: "cuivre.lab.test",
        name: "Au Cuivre Rouge",
        seed: 55,
        platform: Platform::Prestashop,
        markets: &[market(&locale::FR, &trade::KITCHEN)],
        count: 38,
        paths: Paths {
            search: "/recherche?s={slug}",
            cart: "/panier",
            image: "/{id}{n}-{size}/photo.jpg",
            ..paths("/accueil/{id}-{slug}.html", "/c-{slug}", "/journal/{slug}")
        },
        places: RICH,
        contacts: 25,
        teasers: Teasers::Microdata,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "gratweg.lab.test",
        name: "Gratweg Bergsport",
        seed: 66,
        platform: Platform::Shopware,
        markets: &[market(&locale::DE, &trade::OUTDOOR)],
        count: 44,
        paths: Paths {
            image: "/media/{id}/{n}/bild_{size}x{size}.webp",
            ..paths("/{slug}/{id}", "/{slug}/", "/ratgeber/{slug}")
        },
        places: MARKED,
        contacts: 15,
        paging: Paging::LoadMore,
        shell: 2,
        ..USUAL
    },
    Plan {
        host: "ljus.lab.test",
        name: "Ljusverket",
        seed: 77,
        platform: Platform::Next,
        markets: &[market(&locale::SE, &trade::LAMPS)],
        paths: Paths {
            search: "/sok?q={slug}",
            cart: "/varukorg",
            image: "http://cdn.ljus.lab.test/p/{id}/{n}.jpg?w={size}",
            ..paths("/{cat}/{sub}/{slug}", "/{slug}", "/inspiration/{slug}")
        },
        places: STATE,
        deals: Deals { varied: 45, axes: 2, forms: Forms::DataWithGtin, ..DEALS },
        contacts: 10,
        shell: 0,
        ..USUAL
    },
    Plan {
        host: "szprycha.lab.test",
        name: "Szprycha",
        seed: 88,
        platform: Platform::Nuxt,
        markets: &[market(&locale::PL, &trade::BICYCLES)],
        paths: paths("/produkt-{id}", "/kategoria/{slug}", "/poradnik/{slug}"),
        places: STATE,
        deals: Deals {
            varied: 40,
            axes: 1,
            spread: Spread::From,
            forms: Forms::DataWithGtin,
            ..DEALS
        },
        contacts: 35,
        paging: Paging::LoadMore,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "mandacaru.lab.test",
        name: "Flor de Mandacaru",
        seed: 99,
        platform: Platform::Handmade,
        markets: &[market(&locale::BR, &trade::COSMETICS)],
        count: 36,
        paths: Paths {
            search: "/busca/?q={slug}",
            cart: "/carrinho",
            image: "/fotos/{id}_{n}_{size}.jpg",
            ..paths("/p/{slug}", "/categoria/{slug}", "/dicas/{slug}")
        },
        places: MARKED,
        contacts: 45,
        tax: None,
        teasers: Teasers::Microdata,
        paging: Paging::Folder,
        shell: 2,
        ..USUAL
    },
    Plan {
        host: "pottingshed.lab.test",
        name: "The Old Potting Shed",
        seed: 110,
        platform: Platform::Rdfa,
        markets: &[market(&locale::GB, &trade::GARDEN)],
        // A list under "product", and products under nothing: words of an address tell little.
        paths: Paths {
            image: "/pictures/{id}/{n}-{size}.jpg",
            ..paths("/{slug}", "/products/{slug}", "/product-news/{slug}")
        },
        places: MARKED,
        shell: 3,
        ..USUAL
    },
    Plan {
        host: "aoba.lab.test",
        name: "青葉堂文具店",
        seed: 121,
        platform: Platform::MetaOnly,
        markets: &[market(&locale::JP, &trade::STATIONERY)],
        count: 42,
        paths: Paths {
            image: "/img/{id}/{n}_{size}.jpg",
            ..paths("/item/{id}", "/category/{slug}", "/yomimono/{slug}")
        },
        places: META,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "messer.lab.test",
        name: "Messerschmiede Aebi",
        seed: 132,
        platform: Platform::Bare,
        markets: &[market(&locale::CH, &trade::KNIVES)],
        count: 50,
        paths: Paths {
            search: "/suche.php?wort={slug}",
            cart: "/korb.php",
            image: "/bilder/{id}{n}_{size}.jpg",
            ..paths("/artikel.php?id={id}", "/liste.php?gruppe={slug}", "/berichte/{slug}.html")
        },
        places: SEEN,
        contacts: 25,
        shell: 3,
        ..USUAL
    },
    Plan {
        host: "voltara.lab.test",
        name: "Voltara",
        seed: 143,
        platform: Platform::Group,
        markets: &[market(&locale::US, &trade::ELECTRONICS)],
        paths: Paths {
            image: "/images/{id}/{n}@{size}.jpg",
            ..paths("/shop/{cat}/{slug}", "/browse/{slug}", "/stories/{slug}")
        },
        places: RICH,
        deals: Deals { varied: 65, axes: 2, forms: Forms::DataWithGtin, ..DEALS },
        contacts: 10,
        tax: None,
        teasers: Teasers::Products,
        paging: Paging::LoadMore,
        shell: 0,
        ..USUAL
    },
    Plan {
        host: "bazaar.lab.test",
        name: "Bharat Bazaar",
        seed: 154,
        platform: Platform::Marketplace,
        markets: &[market(&locale::IN, &trade::BAZAAR)],
        count: 44,
        paths: Paths {
            search: "/s?k={slug}",
            image: "/images/I/{id}{n}._SL{size}_.jpg",
            ..paths("/{slug}/dp/B0{id}", "/b/{slug}", "/guides/{slug}")
        },
        places: SELLERS,
        deals: Deals { sale: 50, varied: 20, ..DEALS },
        contacts: 45,
        teasers: Teasers::List,
        shell: 2,
        ..USUAL
    },
    Plan {
        host: "normteil.lab.test",
        name: "Normteil Weber GmbH",
        seed: 165,
        platform: Platform::Business,
        markets: &[market(&locale::DE, &trade::FASTENERS)],
        count: 48,
        habit: 1,
        paths: Paths {
            search: "/suche?q={slug}",
            cart: "/anfragekorb",
            image: "/fileadmin/teile/{id}-{n}-{size}.jpg",
            ..paths("/katalog/{cat}/{slug}-{id}", "/katalog/{slug}", "/aktuelles/{slug}")
        },
        places: RICH,
        deals: Deals { on_request: 45, sale: 10, ..DEALS },
        contacts: 75,
        tax: Some(false),
        teasers: Teasers::List,
        paging: Paging::Folder,
        shell: 1,
    },
    Plan {
        host: "grainhouse.lab.test",
        name: "Grainhouse Cameras",
        seed: 176,
        platform: Platform::Tattered,
        markets: &[market(&locale::US, &trade::CAMERAS)],
        count: 42,
        paths: Paths {
            image: "/photos/{id}-{n}.jpg?s={size}",
            ..paths("/store/item{id}.html", "/store/{slug}.html", "/diary/{slug}")
        },
        places: RICH,
        deals: Deals { varied: 20, ..DEALS },
        contacts: 35,
        tax: None,
        shell: 3,
        ..USUAL
    },
    Plan {
        host: "inkwell.lab.test",
        name: "Inkwell & Co",
        seed: 187,
        platform: Platform::Stale,
        markets: &[market(&locale::GB, &trade::PENS)],
        paths: Paths {
            search: "/?s={slug}",
            image: "/wp-content/uploads/{id}-{n}-{size}.jpg",
            ..paths("/shop/{slug}/", "/collection/{slug}/", "/notes/{slug}/")
        },
        places: RICH,
        deals: Deals { sale: 45, varied: 0, ..DEALS },
        contacts: 15,
        teasers: Teasers::List,
        paging: Paging::Folder,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "holzwurm.lab.test",
        name: "Holzwurm",
        seed: 198,
        platform: Platform::Lingual,
        markets: &[
            Market { locale: &locale::AT, trade: &trade::TOYS_DE, prefix: "/de-at" },
            Market { locale: &locale::CH, trade: &trade::TOYS_DE, prefix: "/de-ch" },
            Market { locale: &locale::GB, trade: &trade::TOYS_EN, prefix: "/en" },
        ],
        count: 30,
        paths: Paths {
            image: "/bild/{id}/{n}/{size}.jpg",
            ..paths("/p/{slug}-{id}", "/k/{slug}", "/m/{slug}")
        },
        places: RICH,
        shell: 2,
        ..USUAL
    },
    Plan {
        // The default language stands under plain paths, only the other one is marked.
        host: "murmelberg.lab.test",
        name: "Murmelberg",
        seed: 203,
        platform: Platform::Lingual,
        markets: &[
            market(&locale::DE, &trade::TOYS_DE),
            Market { locale: &locale::GB, trade: &trade::TOYS_EN, prefix: "/en" },
        ],
        count: 32,
        paths: paths("/spielzeug/{slug}", "/spielzeug/gruppe/{slug}", "/werkstatt/{slug}"),
        places: RICH,
        contacts: 15,
        paging: Paging::LoadMore,
        shell: 1,
        ..USUAL
    },
    Plan {
        host: "saltmarsh.lab.test",
        name: "Saltmarsh Stores",
        seed: 209,
        platform: Platform::Odd,
        markets: &[market(&locale::GB, &trade::GARDEN)],
        paths: paths("/thing/{slug}", "/things/{slug}", "/words/{slug}"),
        places: DOUBTFUL,
        deals: Deals { varied: 15, ..DEALS },
        teasers: Teasers::Products,
        paging: Paging::LoadMore,
        shell: 0,
        ..USUAL
    },
];
