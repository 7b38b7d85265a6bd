//! What the words around an amount say of it, in the languages of shops.
//!
//! A word may have several senses; each is looked up once, when the text is taken apart.

use std::sync::LazyLock;

use hashbrown::HashMap;

/// What a word may say beside an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// "From", right before the lowest price.
    From,
    /// The same behind the amount.
    FromBehind,
    /// Between the ends of a range.
    To,
    /// The same when "between" stands before both.
    And,
    /// "Between".
    Between,
    /// Before a measure: the price of so much of it.
    Per,
    /// A measure of weight, volume, length or area. A piece is none: its price is the price.
    Measure,
    /// The name of the price of a measure.
    MeasurePrice,
    /// A span of time that a part of the price is due for.
    Span,
    /// Paying in parts.
    Part,
    /// Before what it used to cost, what others ask, and the lowest of the last days.
    Old,
    /// Before or behind what is saved.
    Saved,
    /// Before or behind what it costs to have it sent, or what is given back with the bottle.
    Sending,
    /// Names a price and says nothing else.
    Label,
    /// Stands around a price and says nothing of how much it is.
    Aside,
}

/// The senses of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Senses(u16);

impl Senses {
    /// Those of a word in small letters.
    pub fn of(word: &str) -> Self {
        LEXICON.get(word).copied().unwrap_or_default()
    }

    pub fn has(self, sense: Sense) -> bool {
        self.0 & (1 << sense as u16) != 0
    }
}

static LEXICON: LazyLock<HashMap<&str, Senses>> = LazyLock::new(|| {
    let mut lexicon = HashMap::new();
    for (sense, words) in WORDS {
        for word in words.split_ascii_whitespace() {
            let senses: &mut Senses = lexicon.entry(word).or_default();
            senses.0 |= 1 << *sense as u16;
        }
    }
    lexicon
});

/// Longer ways to say "from", right before the amount.
pub(super) const FROM_PHRASES: &[&[&str]] = &[
    &["starting", "at"],
    &["start", "at"],
    &["starts", "at"],
    &["beginning", "at"],
    &["as", "low", "as"],
    &["à", "partir", "de"],
    &["à", "partir", "du"],
    &["a", "partir", "de"],
    &["a", "partire", "da"],
    &["v", "a"],
    &["mulai", "dari"],
    &["beginnend", "bei"],
];

const WORDS: &[(Sense, &str)] = &[
    (
        Sense::From,
        "from ab dès des desde da dal vanaf va od från fra frå já alk от від από từ mulai \
         počevši starting tól början",
    ),
    (Sense::FromBehind, "alkaen から か 起 부 dan den tól től onwards upwards"),
    (Sense::To, "to bis à a tot t do até ate hasta til till fino ad и до ως έως ila"),
    (Sense::And, "and und et y e en a och og i и"),
    (Sense::Between, "between zwischen entre tra fra tussen mellan mellem między"),
    (Sense::Per, "per pro je par por al au a à za na pr the le la el il o de del du för на за ana"),
    (
        Sense::Measure,
        "kg g gr mg kilo kilos kilogramm kilogramme kilogramo kilogram gramm gramme grammes \
         gram grams gramos grammi l lt ltr ml cl dl hl liter litre litro litr litra litri \
         litres liters milliliter m lm lfm lfdm rm cm mm meter metre mètre metro metr metri \
         yard yd yds foot feet sq sqm sqft qm mq mc cbm oz ounce ounces lb lbs pound fl floz \
         gal gallon quart pint tonne ton tona t kwh watt кг г л мл м quadratmeter laufmeter \
         hectare",
    ),
    (
        Sense::MeasurePrice,
        "grundpreis grundpreise jämförpris jämförelsepris jmf jfr jmfpris sammenligningspris \
         kilopris kilopreis literpreis literpris vertailuhinta eenheidsprijs jednostkowa \
         kiloprijs einheitspreis",
    ),
    (
        Sense::Span,
        "month months mo mth monthly monat monate monatlich mtl monatl mois mes meses mensual \
         mese mensili mensile mensuel maand mnd maandelijks mês mensais mies miesiąc \
         miesięcznie månad mån måned måneden mdr kk kuukausi měsíčně měsíc hó ay мес месяц \
         місяць week weekly woche wk semaine semana settimana tydzień vecka",
    ),
    (
        Sense::Part,
        "instalment instalments installment installments payments raten rate ratenzahlung \
         monatsrate cuotas cuota plazos parcelas parcela prestações termijnen raty rat ratach \
         fois mensualités mensualité delbetala delbetal avbetala avbetalning avdrag splátek \
         splátky rater taksit финансирование finance financing finanzierung leasing 月 juros \
         klarna afterpay clearpay zip sezzle affirm interest",
    ),
    (
        Sense::Old,
        "statt uvp uvpe was rrp msrp srp list instead originally reg regular regularly retail \
         compare vorher bisher bisheriger früher ehemals alter avant lieu conseillé barré pvc \
         pvp antes prima listino adviesprijs eerst normaal dawniej wcześniej regularna \
         katalogowa tidigare ord ordinarie före før førpris normalpris veiledende původně \
         běžná eredeti раньше старая устаревшая вместо tage tagen dni jours days giorni días \
         dagen dagar dage dager päivän dní дней 定 原 通 参",
    ),
    (
        Sense::Saved,
        "save saves saved saving savings spare sparen spart gespart ersparnis rabatt rabat \
         rabatu discount économisez économie remise réduction ahorra ahorras ahorre ahorro \
         descuento risparmi risparmia sconto bespaar korting voordeel oszczędzasz oszczędź \
         economize economia desconto poupe poupa spara sparar spar gutschein coupon voucher \
         cashback скидка экономия säästä ušetříte sleva nachlass off",
    ),
    (
        Sense::Sending,
        "shipping delivery postage versand versandkosten versandkostenfrei versandkostenfreie \
         lieferung lieferkosten porto pfand livraison port envío envíos envio envios \
         spedizione spedizioni consegna verzending verzendkosten bezorging bezorgkosten \
         statiegeld dostawa dostawy wysyłka wysyłki przesyłka frete entrega portes frakt \
         fraktfritt leverans levering toimitus doprava dopravné szállítás доставка доставки \
         kargo deposit 送 运 配 orders order bestellwert einkaufswert bestellungen",
    ),
    (
        Sense::Label,
        "price prices preis preise prix precio prezzo prijs preço preco cena pris hinta ár \
         fiyat цена ціна τιμή now nur only jetzt sale today our unser current aktueller your \
         special offer angebot just por seulement solo nu net total ca circa incl inkl vat",
    ),
    (
        Sense::Aside,
        "from ab od da dès desde vanaf från fra от de zwischen between entre mwst ttc ht iva \
         btw moms brutto netto gst excl exkl zzgl plus as low starting at partir à a starts",
    ),
];
