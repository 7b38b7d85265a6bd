//! What the texts of a product page say, in the languages of the largest markets: labels of
//! numbers, buttons that buy, whether it can be had, headings of parts.

use std::sync::LazyLock;

use contract::{Availability, Condition};

use super::field::Field;
use super::lexicon::{Lexicon, folded};

/// Availability by what shops write, the surest first: "not available" also says "available".
const STOCKS: &[(Availability, &str)] = &[
    (
        Availability::Discontinued,
        "discontinued|no longer available|no longer sold|no longer made|end of life|retired|\
         nicht mehr lieferbar|nicht mehr verfügbar|nicht mehr erhältlich|ausgelaufen|auslaufartikel|\
         eingestellt|n'est plus disponible|n’est plus disponible|plus commercialisé|arrêté|\
         article arrêté|fin de série|descatalogado|ya no está disponible|descontinuado|fora de linha|\
         fuori produzione|non più disponibile|produkt wycofany|wycofany ze sprzedaży|\
         wycofany|廃番|utgått|utgången|har utgått|販売終了|生産終了|取扱終了|廃盤|已停产|已下架|niet meer leverbaar|단종",
    ),
    (
        Availability::Backorder,
        "backorder|back-order|on back order|available on backorder|made to order|\
         auf nachbestellung|nachbestellt|nachlieferung|wird nachbestellt|auf bestellung|bestellware|\
         sur commande|en réapprovisionnement|bajo pedido|por encargo|sob encomenda|por encomenda|su ordinazione|\
         na zamówienie|beställningsvara|restnoterad|restnoteras|restorder|お取り寄せ|取り寄せ|入荷待ち|受注生産|nabestelling|预订中",
    ),
    (
        Availability::Preorder,
        "preorder|pre-order|pre order|available for pre-order|coming soon|vorbestellen|vorbestellbar|\
         vorbestellung|précommande|pré-commande|precommande|préco|reserva anticipada|preventa|prevendita|preordine|pré-venda|\
         przedsprzedaż|w przedsprzedaży|förbeställ|förbeställning|förhandsboka|förhandsbokning|kommer snart|予約受付中|予約注文|予約商品|ご予約|预售|預購|예약",
    ),
    (
        Availability::OutOfStock,
        "out of stock|sold out|not in stock|currently unavailable|temporarily unavailable|unavailable|\
         not available|no stock|notify me when|email me when|nicht vorrätig|nicht auf lager|\
         nicht lieferbar|nicht verfügbar|ausverkauft|vergriffen|momentan nicht|derzeit nicht|zurzeit nicht|\
         rupture de stock|en rupture|épuisé|indisponible|non disponible|agotado|sin stock|sin existencias|\
         no disponible|esaurito|esgotado|indisponível|sem estoque|fora de estoque|\
         brak w magazynie|niedostępny|niedostępne|wyprzedany|wyprzedane|chwilowo brak|produkt niedostępny|\
         slutsåld|slut i lager|ej i lager|tillfälligt slut|finns ej i lager|在庫切れ|在庫なし|品切れ|売り切れ|完売|SOLD OUT|\
         缺货|售罄|無貨|uitverkocht|niet op voorraad|품절|udsolgt|ikke på lager|utsolgt|loppu",
    ),
    (
        Availability::InStock,
        "in stock|available now|ready to ship|ships today|ships within|ships in|available|left in stock|\
         in store|only a few left|immediate dispatch|dispatched within|usually ships|auf lager|vorrätig|sofort lieferbar|\
         lieferbar|sofort verfügbar|verfügbar|lagernd|am lager|versandfertig|nur noch|en stock|disponible|expédié sous|\
         plus que|en existencia|hay existencias|quedan|in magazzino|disponibile|disponibilità immediata|em estoque|\
         disponível|pronta entrega|restam|w magazynie|dostępny|dostępne|dostępna|na stanie|od ręki|zostały|wysyłka w|wysyłka dziś|i lager|finns i lager|på lager|\
         lagervara|skickas inom|在庫あり|在庫有|在庫◯|在庫○|残り|即納|当日発送|有货|現貨|现货|有貨|op voorraad|leverbaar|재고 있음|varastossa",
    ),
];

/// What a text says of whether the product can be had.
pub(super) fn availability(text: &str) -> Option<Availability> {
    if text.len() > 200 || text.len() < 3 {
        return None;
    }
    static LEXICON: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::of(STOCKS.iter().map(|(_, phrases)| *phrases)));
    LEXICON.said(&folded(text)).map(|group| STOCKS[group].0)
}

/// Buttons that put a product into the cart.
const BUYS: &str = "add to cart|add to basket|add to bag|add to trolley|add to order|buy now|buy it now|\
    purchase|order now|in den warenkorb|in den einkaufswagen|in warenkorb|in den korb|zum warenkorb|warenkorb|\
    jetzt kaufen|kaufen|bestellen|ajouter au panier|acheter|commander|añadir al carrito|añadir a la cesta|\
    agregar al carrito|comprar|comprar ahora|aggiungi al carrello|acquista|compra|\
    adicionar ao carrinho|comprar agora|por no carrinho|colocar no carrinho|do koszyka|dodaj do koszyka|kup teraz|kup|lägg i varukorg|\
    lägg i varukorgen|lägg i kundvagn|köp|カートに入れる|カートに追加|買い物かごに入れる|かごに入れる|購入する|今すぐ購入|ご購入|加入购物车|立即购买|\
    加入購物車|in winkelwagen|in winkelmandje|toevoegen aan winkelwagen|koop|장바구니|구매하기|læg i kurv|legg i handlekurv|\
    lisää ostoskoriin|do košíku|in den warenkorb legen|köp nu|add to my cart|preorder|pre-order|pre-order now|backorder|\
    vorbestellen|précommander|reservar|予約する|förbeställ|bestill|kjøp|køb|pedir ahora|añadir|ajouter au sac";

/// Buttons that put it elsewhere, or lead to the cart.
const NOT_BUYS: &str = "wishlist|wish list|compare|merkzettel|wunschliste|view cart|\
    warenkorb anzeigen|zum warenkorb|voir le panier|ver carrito|お気に入り|checkout|zur kasse|gift card";

/// Buttons of a page that sells when asked.
const ASKS: &str = "request a quote|get a quote|request quote|ask for price|ask for a price|contact us for|\
    enquire|inquire|enquiry|request price|angebot anfordern|anfrage|anfragen|preis anfragen|demander un devis|devis|\
    solicitar presupuesto|solicitar cotización|pedir orçamento|solicitar orçamento|richiedi preventivo|richiedi un preventivo|\
    zapytaj o cenę|zapytanie|begär offert|offert|お問い合わせ|見積|询价|notify me|email when available|benachrichtigen|me prévenir|avísame|avvisami|avise-me|powiadom|bevaka|入荷お知らせ|再入荷";

/// Whether a button puts the product into the cart.
pub(super) fn buys(text: &str) -> bool {
    // The first group wins: a wish list and a comparison also take products.
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of([NOT_BUYS, BUYS]));
    text.len() < 80 && LEXICON.said(&folded(text)) == Some(1)
}

/// Whether a button asks for an offer, or to be told when there is one.
pub(super) fn asks(text: &str) -> bool {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of([ASKS]));
    text.len() < 80 && LEXICON.said(&folded(text)).is_some()
}

/// Words before a price that is over.
const FORMERS: &str = "statt|was|uvp|rrp|msrp|m.r.p|mrp|list price|regular price|original price|\
    before|vorher|bisher|früher|unverb. preisempf|au lieu de|prix conseillé|antes|precio anterior|\
    pvp|prima|invece di|prezzo di listino|zamiast|poprzednia cena|cena regularna|ord. pris|ordinarie|\
    tidigare|rek. pris|通常価格|定価|メーカー希望|原价|市场价|van|adviesprijs|før|instead of|compare at";

/// Whether a text says that its price is over.
pub(super) fn is_former_price(text: &str) -> bool {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of([FORMERS]));
    // Of two prices in one text the first is the former one.
    let text = folded(text);
    let amounts = text.split(|letter: char| {
        !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | '\u{a0}' | ' ')
    });
    amounts.filter(|part| part.bytes().any(|byte| byte.is_ascii_digit())).count() == 1
        && LEXICON.said(&text).is_some()
}

/// What shops stick on a product to praise it.
const BADGES: &str = "new|new in|sale|bestseller|best seller|top seller|hot|limited edition|exclusive|\
    online exclusive|neu|neuheit|angebot|aktion|reduziert|tipp|topseller|nouveau|nouveauté|promo|soldes|\
    exclusivité|nuevo|oferta|novedad|rebajas|nuovo|novità|offerta|novo|promoção|oferta|nowość|promocja|\
    bestseller|nyhet|rea|kampanj|新品|新着|セール|人気|热卖|nieuw|aanbieding|share|teilen|print|back|zurück|\
    home|men|women|unisex|herren|damen|kinder|homme|femme|made in germany|gift|vegan|bio|organic|free shipping|\
    in stock|available|preorder|add to wishlist|merken|details|overview|description|reviews|write a review";

/// Whether a text is a badge or a small link, and no name.
pub(super) fn is_badge(text: &str) -> bool {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of([BADGES]));
    LEXICON.is(&folded(text)).is_some()
}

/// Labels of single values.
const LABELS: &[(Field, &str)] = &[
    (
        Field::Gtin,
        "ean|gtin|upc|isbn|barcode|ean code|ean-code|gtin/ean|ean/gtin|ean13|ean-13|gtin13|gtin-13|strichcode|jan|janコード|jan code|\
         código de barras|code-barres|code barre|kod ean|kod kreskowy|streckkod|codice ean|código ean|isbn-13|isbn13|条形码|バーコード|gtin8|gtin14|upc code|ean/upc|code ean|ean kod|ean-nummer|gtin-nummer|ean-kod",
    ),
    (
        Field::Mpn,
        "mpn|manufacturer part number|mfr part number|mfr. part no|part number|part no|part no.|manufacturer no|hersteller-nr|hersteller-nr.|\
         herstellernummer|herstellerartikelnummer|hersteller-artikelnummer|hersteller-art.-nr|herstellerteilenummer|hersteller-teilenummer|référence fabricant|réf. fabricant|ref. fabricant|referencia del fabricante|\
         referência do fabricante|ref. fabricante|código do fabricante|codice produttore|kod producenta|numer producenta|tillverkarens artikelnummer|tillv. art.nr|tillverkarens nr|型番|メーカー型番|manufacturer code|model number|model no|model no.|fabrikantcode|mfg part|mfr part",
    ),
    (
        Field::Sku,
        "sku|item|item no|item no.|item number|item code|item #|article|article no|article no.|article number|art. no|art.no|art no|art.-nr|\
         art.-nr.|art.nr|art.nr.|artnr|art-nr|artikelnummer|artikel-nr|artikel-nr.|artikelnr|artikelnr.|artikel nr|artikel nr.|bestellnummer|best.-nr|bestell-nr|bestell-nr.|produktnummer|\
         product code|product no|product number|product id|code|catalog number|cat. no|stock code|stock number|référence|réf|réf.|ref|ref.|reference|\
         code article|code produit|referencia|código|código de producto|código do produto|cód|cód.|cod|cod.|codice|codice articolo|codice prodotto|riferimento|\
         referência|symbol|numer katalogowy|nr katalogowy|indeks|kod produktu|kod|nr artykułu|artikelnummer|商品番号|商品コード|品番|商品番号|货号|商品编号|product ref|productcode|artikelcode|varenummer|tuotenumero|item id|part|number|model",
    ),
    (
        Field::Brand,
        "brand|manufacturer|make|marke|hersteller|marque|fabricant|marca|fabricante|produttore|marchio|producent|marka|varumärke|märke|tillverkare|\
         ブランド|メーカー|品牌|merk|fabrikant|vendor|by|브랜드|valmistaja|mærke|merke",
    ),
    (
        Field::Availability,
        "availability|available|stock|stock status|verfügbarkeit|lagerbestand|lager|bestand|disponibilité|stock|disponibilidad|existencias|disponibilità|\
         disponibilidade|estoque|dostępność|stan magazynowy|lagerstatus|i lager|tillgänglighet|在庫|在庫状況|库存|beschikbaarheid|voorraad|lieferstatus|lieferbarkeit|delivery status|status",
    ),
    (
        Field::Condition,
        "condition|zustand|état|estado|condizione|condição|stan|skick|状態|成色|conditie|artikelzustand",
    ),
    (
        Field::Seller,
        "sold by|seller|verkauf durch|verkäufer|vendu par|vendeur|vendido por|vendedor|venduto da|venditore|sprzedawca|säljare|säljs av|販売元|販売者|卖家|verkoper|ships from and sold by|verkauft von|sprzedaje",
    ),
    (
        Field::Category,
        "category|categories|kategorie|catégorie|categoría|categoria|kategoria|kategori|カテゴリー|カテゴリ|分类|categorie",
    ),
    (
        Field::Price,
        "price|preis|prix|precio|prezzo|preço|cena|pris|価格|販売価格|价格|prijs|unser preis|our price",
    ),
];

/// What a label is the label of.
pub(super) fn label(text: &str) -> Option<Field> {
    if text.len() > 60 {
        return None;
    }
    static LEXICON: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::of(LABELS.iter().map(|(_, phrases)| *phrases)));
    LEXICON.is(&folded(text)).map(|group| LABELS[group].0)
}

/// Conditions, the surest first: "like new" is used.
const CONDITIONS: &[(Condition, &str)] = &[
    (
        Condition::Refurbished,
        "refurbished|renewed|generalüberholt|aufbereitet|reconditionné|reacondicionado|\
         ricondizionato|recondicionado|odnowiony|renoverad|再生品|整備済み|翻新|gereviseerd",
    ),
    (
        Condition::Used,
        "used|pre-owned|second hand|second-hand|gebraucht|occasion|usado|segunda mano|usato|\
         używany|używane|begagnad|begagnat|中古|二手|tweedehands|seminovo|like new|wie neu",
    ),
    (
        Condition::New,
        "new|brand new|neu|neuware|neuf|neuve|nuevo|nueva|nuovo|novo|nowy|nowa|nowe|ny|nytt|\
         新品|全新|nieuw|未使用",
    ),
];

/// A condition as shops write it.
pub(super) fn condition(text: &str) -> Option<Condition> {
    static LEXICON: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::of(CONDITIONS.iter().map(|(_, phrases)| *phrases)));
    LEXICON.said(&folded(text)).map(|group| CONDITIONS[group].0)
}

/// Headings of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Description,
    Features,
    Specification,
    /// Other products, reviews, delivery, questions.
    Other,
}

const PARTS: &[(Part, &str)] = &[
    (
        Part::Other,
        "you may also like|you might also like|related|recommended|similar|customers also|also bought|frequently bought|\
         recently viewed|more from|complete the look|reviews|customer reviews|ratings|questions|faq|delivery|shipping|returns|payment|\
         das könnte|ähnliche|kunden kauften|zubehör|zuletzt angesehen|bewertungen|kundenbewertungen|versand|lieferung|rückgabe|fragen|\
         vous aimerez|produits similaires|produits associés|avis|livraison|retours|consultés|fréquemment|productos relacionados|también te|\
         opiniones|envío|devoluciones|vistos|prodotti correlati|potrebbe|recensioni|spedizione|produtos relacionados|você também|\
         avaliações|frete|podobne|zobacz również|opinie|dostawa|ostatnio|liknande|relaterade|du kanske|recensioner|leverans|omdömen|\
         関連商品|おすすめ|最近|レビュー|よく一緒|配送|相关|推荐|评价|gerelateerd|beoordelingen|newsletter|contact|klanten kochten",
    ),
    (
        Part::Description,
        "description|product description|about this item|about this product|about|overview|details|product details|product information|beschreibung|\
         produktbeschreibung|artikelbeschreibung|produktinformationen|produktdetails|über dieses produkt|description du produit|descriptif|\
         descripción|descripción del producto|descrizione|descrizione prodotto|descrição|descrição do produto|sobre o produto|opis|opis produktu|\
         beskrivning|produktbeskrivning|商品説明|商品の説明|商品详情|产品描述|商品描述|omschrijving|productomschrijving|beskrivelse|kuvaus|설명",
    ),
    (
        Part::Features,
        "features|key features|highlights|product highlights|benefits|why you'll love it|why you’ll love it|at a glance|vorteile|ihre vorteile|merkmale|eigenschaften|\
         auf einen blick|besonderheiten|points forts|atouts|les plus|características principales|ventajas|caratteristiche principali|vantaggi|punti di forza|\
         destaques|diferenciais|vantagens|zalety|najważniejsze cechy|cechy|fördelar|egenskaper|特長|特徴|ポイント|产品特点|特点|kenmerken|voordelen|highlights des produkts|puntos fuertes|produktvorteile|punti forti|atouts du produit|pontos fortes",
    ),
    (
        Part::Specification,
        "specifications|specification|technical specifications|technical data|tech specs|specs|product specifications|additional information|technische daten|\
         spezifikationen|produktdaten|datenblatt|caractéristiques|caractéristiques techniques|fiche technique|especificaciones|ficha técnica|\
         características|datos técnicos|specifiche|scheda tecnica|caratteristiche|dati tecnici|especificações|informações técnicas|\
         specyfikacja|dane techniczne|parametry|specifikationer|teknisk data|tekniska data|仕様|スペック|商品仕様|规格|规格参数|specificaties|weitere informationen|zusätzliche informationen|informations complémentaires",
    ),
];

/// What a heading announces.
pub(super) fn part(heading: &str) -> Option<Part> {
    if heading.len() > 120 {
        return None;
    }
    static LEXICON: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::of(PARTS.iter().map(|(_, phrases)| *phrases)));
    let text = folded(heading);
    let whole = LEXICON.is(&text).map(|group| PARTS[group].0);
    whole.or_else(|| (LEXICON.said(&text) == Some(0)).then_some(Part::Other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_whether_it_can_be_had() {
        for (text, availability) in [
            ("In stock", Some(Availability::InStock)),
            ("Not in stock", Some(Availability::OutOfStock)),
            ("Nur noch 3 Stück auf Lager", Some(Availability::InStock)),
            ("Ausverkauft!", Some(Availability::OutOfStock)),
            ("残り3点", Some(Availability::InStock)),
            ("Rupture de stock", Some(Availability::OutOfStock)),
            ("Pre-order: ships in May", Some(Availability::Preorder)),
            ("Available on backorder", Some(Availability::Backorder)),
            ("No longer available", Some(Availability::Discontinued)),
            ("Stockings of wool", None),
            ("Quantity", None),
        ] {
            assert_eq!(super::availability(text), availability, "{text}");
        }
    }

    #[test]
    fn labels_and_buttons_are_known() {
        assert_eq!(label("SKU:"), Some(Field::Sku));
        assert_eq!(label("Artikel-Nr.:"), Some(Field::Sku));
        assert_eq!(label("JANコード"), Some(Field::Gtin));
        assert_eq!(label("Weight"), None);
        assert!(buys("Add to Cart") && buys("カートに入れる") && !buys("Add to wishlist"));
        assert!(!buys("Checkout") && asks("Request a quote"));
        assert_eq!(part("You may also like"), Some(Part::Other));
        assert_eq!(part("Produktbeschreibung"), Some(Part::Description));
    }
}
