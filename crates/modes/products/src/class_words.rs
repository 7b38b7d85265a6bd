//! What the classes and ids of a page's elements hint at, in the languages that shops are
//! written in. A hint is never more than that: structure and text decide.

use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

use hashbrown::HashMap;

/// How much of a value is read.
const MAX_BYTES: usize = 240;

/// The longest stem, in bytes.
const MAX_STEM: usize = 18;

/// A set of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hints(u32);

impl Hints {
    pub const NONE: Self = Self(0);
    /// The frame of the site: header, footer, menus, dialogs, the small cart.
    pub const FRAME: Self = Self(1);
    /// Other products.
    pub const TEASER: Self = Self(1 << 1);
    pub const REVIEW: Self = Self(1 << 2);
    /// Not shown.
    pub const HIDDEN: Self = Self(1 << 3);
    /// Struck through, or said to be over.
    pub const STRUCK: Self = Self(1 << 4);
    /// The usual price: over if there is a lower one.
    pub const USUAL: Self = Self(1 << 5);
    pub const PRICE: Self = Self(1 << 6);
    pub const STOCK: Self = Self(1 << 7);
    pub const DESCRIPTION: Self = Self(1 << 8);
    pub const GALLERY: Self = Self(1 << 9);
    pub const TRAIL: Self = Self(1 << 10);
    pub const SPECIFICATION: Self = Self(1 << 11);
    pub const FEATURES: Self = Self(1 << 12);
    pub const RATING: Self = Self(1 << 13);
    pub const BRAND: Self = Self(1 << 14);
    pub const NUMBER: Self = Self(1 << 15);
    pub const TITLE: Self = Self(1 << 16);
    pub const BUY: Self = Self(1 << 17);
    /// What a measure costs, what sending costs, what a month costs.
    pub const SIDE_COST: Self = Self(1 << 18);
    pub const OPTIONS: Self = Self(1 << 19);
    pub const LOGO: Self = Self(1 << 20);
    pub const DELIVERY: Self = Self(1 << 21);
    pub const SELLER: Self = Self(1 << 22);
    pub const SHORT: Self = Self(1 << 23);
    /// Page numbers, and ways to sort and to narrow down.
    pub const LISTING: Self = Self(1 << 24);

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Hints {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Hints {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Beginnings of words, written together: `crosssell` is also `cross-sell`.
const STEMS: &[(Hints, &str)] = &[
    (
        Hints::FRAME,
        "masthead navigation navbar megamenu mainmenu offcanvas topbar announcement cookie consent \
         gdpr newsletter subscribe minicart cartdrawer minibasket carrito warenkorb panier modal \
         popup dialog footer siteheader pageheader pagefooter sitefooter",
    ),
    (
        Hints::TEASER,
        "relate recommend upsell crosssell crosssel alsobought alsolike alsoviewed alsobuy youmay \
         similar recentlyviewed recentview viewed frequently complement accessor suggest empfehl \
         aehnlich zubehoer zubehor relacionad correlat similair podobne liknande teaser bundle \
         productgrid productlist productslider productcarousel productcard productitem \
         producttile producttease boughttogether completethelook shopthelook",
    ),
    (
        Hints::REVIEW,
        "review comment testimonial bewertung rezension kundenmeinung opinion avis feedback \
         recension yotpo trustpilot bazaarvoice question faq",
    ),
    (Hints::HIDDEN, "dnone ishidden uhidden displaynone"),
    (
        Hints::STRUCK,
        "oldprice priceold mrp waspric pricewas compareprice pricecompare compareat listprice \
         pricelist strike stroke crossed lineth beforeprice pricebefore originalprice \
         priceoriginal uvp rrp msrp statt streich prixbarre barre tachado precioanterior \
         anterior prezzopieno pricerrp pricemsrp nonsale \
         wascost previouspric formerpric pvp instead stara przekresl ordinarie retailpric \
         pricerrp prevpric fullprice",
    ),
    (Hints::USUAL, "regular ordinary standard retail"),
    (
        Hints::PRICE,
        "price preis prix precio prezzo cena preco pris kakaku nedan prijs hinta amount \
         preus valor cost kosten currency money ourpric saleprice finalpric",
    ),
    (
        Hints::STOCK,
        "stock avail verfueg verfug lager lieferbar disponib dispo inventory zaiko dostepn voorraad \
         bestand instock outofstock soldout saldo estoque",
    ),
    (
        Hints::DESCRIPTION,
        "description descr beschreibung produktbeschreibung descripcion descrizione descricao opis \
         beskrivning omschrijving productdetail productinfo longdesc fulldesc setsumei overview",
    ),
    (
        Hints::GALLERY,
        "gallery galerie galeria galleria thumb zoom photo foto slider carousel swiper slick media \
         image img picture pic bild lightbox fancybox flickity fotorama magnif",
    ),
    (
        Hints::TRAIL,
        "breadcrumb crumb brotkrum ariane migas migaja briciol okruszk pankuzu topicpath \
         youarehere sokvag kruimel",
    ),
    (
        Hints::SPECIFICATION,
        "spec attribut datasheet techdata technical technisch tekniska caracteristi caratteristi \
         merkmal eigenschaft properties dataset additionalinfo moreinfo productdata facts shiyou \
         parametr ficha fiche kenmerken sheet",
    ),
    (
        Hints::FEATURES,
        "feature highlight benefit bullet usp keypoint vorteil ventaj vantagg atout advantage \
         pluspunkt tokucho zalety destaque",
    ),
    (Hints::RATING, "rating star score bewertung note valoracion valutazione ocena betyg hyouka"),
    (
        Hints::BRAND,
        "brand manufacturer hersteller marke marca marque vendor maker fabricant produttore marka varumark merk byline",
    ),
    (
        Hints::NUMBER,
        "sku artikelnummer artnr articlenumber itemnumber productcode productnumber modelnumber \
         partnumber reference referenc itemno itemcode productref mpn ean gtin upc artnum",
    ),
    (Hints::TITLE, "title name titel nom nombre nome nazwa heading productname producttitle"),
    (
        Hints::BUY,
        "addtocart addtobasket addtobag buynow buybox buybutton purchase addcart btncart btnbuy \
         inwarenkorb kaufen ajouter acheter comprar acquista aggiungi kup koszyk tocart \
         cartbutton basketbutton productform buyform atc orderbutton submitcart cart",
    ),
    (
        Hints::SIDE_COST,
        "unitprice priceunit baseprice grundpreis perunit referenceprice shipping versand delivery \
         livraison envio spedizione frakt postage financ klarna afterpay clearpay installment \
         instalment affirm ratenzahlung rate monthly leasing finanzier tierprice staffel deposit \
         savings saving discount yousave rabatt remise descuento sconto omnibus lowestprice",
    ),
    (Hints::OPTIONS, "option variant swatch variation configur selector sizes colors colours axis"),
    (Hints::LOGO, "logo sitename sitetitle branding siteban"),
    (
        Hints::DELIVERY,
        "shipping versand delivery livraison envio spedizione frakt lieferzeit leadtime dispatch",
    ),
    (Hints::SELLER, "seller soldby merchant verkaeufer verkaufer vendeur vendedor venditore"),
    (Hints::SHORT, "short teaser excerpt summary intro kurz lead subtitle tagline"),
    (
        Hints::LISTING,
        "pagination pager sortby sorting sortier facet filter toolbar resultcount productcount loadmore",
    ),
];

/// Words that mean something only as a whole.
const WHOLE: &[(Hints, &str)] = &[
    (Hints::FRAME, "nav menu header foot topnav search"),
    (Hints::TEASER, "also recent upsells recos crossells"),
    (Hints::HIDDEN, "hidden hide invisible"),
    (Hints::STRUCK, "old was del rrp uvp vorher before former prior avant antes prima compare"),
    (Hints::SIDE_COST, "unit per save saved"),
    (Hints::PRICE, "sum total msrp"),
    (Hints::DESCRIPTION, "desc about beskrivelse kuvaus rte prose wysiwyg"),
    (Hints::TRAIL, "path bread trail"),
    (Hints::BUY, "buy bag basket order atc köp kop"),
    (Hints::SPECIFICATION, "data details info"),
    (Hints::RATING, "stars"),
    (Hints::FEATURES, "plus points pros"),
    (Hints::BRAND, "by"),
];

/// Stems that are told even in the middle of a word: German and careless English write
/// words together.
const INNER: &[(Hints, &str)] = &[
    (Hints::PRICE, "price"),
    (Hints::PRICE, "preis"),
    (Hints::TRAIL, "breadcrumb"),
    (Hints::TRAIL, "crumbs"),
    (Hints::DESCRIPTION, "descript"),
    (Hints::DESCRIPTION, "beschreib"),
    (Hints::GALLERY, "gallery"),
    (Hints::GALLERY, "galerie"),
    (Hints::FEATURES, "bullet"),
    (Hints::FEATURES, "feature"),
    (Hints::FEATURES, "highlight"),
    (Hints::SPECIFICATION, "specs"),
    (Hints::SPECIFICATION, "specific"),
    (Hints::STOCK, "instock"),
    (Hints::STOCK, "availab"),
    (Hints::REVIEW, "review"),
    (Hints::TEASER, "related"),
    (Hints::TEASER, "recommend"),
    (Hints::TEASER, "upsell"),
];

/// A stem's hints, and those of the same word as a whole.
type Stems = HashMap<&'static str, (Hints, Hints)>;

static TABLE: LazyLock<Stems> = LazyLock::new(|| {
    let mut table = Stems::new();
    for (hint, stems) in STEMS {
        for stem in stems.split_ascii_whitespace() {
            table.entry(stem).or_default().0 |= *hint;
        }
    }
    for (hint, words) in WHOLE {
        for word in words.split_ascii_whitespace() {
            table.entry(word).or_default().1 |= *hint;
        }
    }
    table
});

/// Reads values, each once: pages repeat the same few hundred on thousands of elements.
#[derive(Debug, Default)]
pub(super) struct ClassWords<'a> {
    known: HashMap<&'a str, Hints>,
}

impl<'a> ClassWords<'a> {
    pub fn read(&mut self, value: &'a str) -> Hints {
        if value.is_empty() {
            return Hints::NONE;
        }
        *self.known.entry(value).or_insert_with(|| hints(value))
    }
}

/// The hints of one value.
fn hints(value: &str) -> Hints {
    let mut squeezed = String::with_capacity(value.len().min(MAX_BYTES));
    // Where words begin, and where they end.
    let mut starts = Vec::new();
    let mut was_small = false;
    let mut in_word = false;
    for letter in value[..value.floor_char_boundary(MAX_BYTES)].chars() {
        if !letter.is_alphanumeric() {
            in_word = false;
            was_small = false;
            // Two classes are no compound.
            if letter.is_ascii_whitespace() {
                squeezed.push(' ');
            }
            continue;
        }
        if !in_word || (was_small && letter.is_uppercase()) {
            starts.push(squeezed.len());
        }
        in_word = true;
        was_small = letter.is_lowercase();
        squeezed.extend(letter.to_lowercase());
    }
    let mut found = Hints::NONE;
    for (number, &start) in starts.iter().enumerate() {
        let rest = &squeezed[start..];
        let word = starts.get(number + 1).map_or(rest.len(), |next| next - start);
        let word = rest[..word].trim_end().len();
        for length in 2..=rest.len().min(MAX_STEM) {
            let Some(stem) = rest.get(..length) else { continue };
            if let Some((prefix, whole)) = TABLE.get(stem) {
                found |= *prefix;
                if length == word {
                    found |= *whole;
                }
            }
        }
    }
    if squeezed.len() > 5 {
        for (hint, stem) in INNER {
            if squeezed.contains(stem) {
                found |= *hint;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_hints_at_what_its_words_say() {
        for (value, hint) in [
            ("product-price", Hints::PRICE),
            ("ProductPrice__old", Hints::STRUCK),
            ("priceOld", Hints::STRUCK),
            ("artikel-preis", Hints::PRICE),
            ("cross-sell", Hints::TEASER),
            ("single_add_to_cart_button", Hints::BUY),
            ("breadcrumbs uppercase", Hints::TRAIL),
            ("was", Hints::STRUCK),
        ] {
            assert!(hints(value).has(hint), "{value}");
        }
        for (value, hint) in [
            ("golden holder", Hints::STRUCK),
            ("washing", Hints::STRUCK),
            ("discard", Hints::TEASER),
            ("cross sell-by", Hints::TEASER),
        ] {
            assert!(!hints(value).has(hint), "{value}");
        }
    }
}
