//! Tax wording in many languages.

use super::tax_hint;

#[test]
fn included_taxes_are_recognized() {
    for text in [
        "inkl. MwSt.",
        "inkl. 19% MwSt.",
        "inkl. 19 % MwSt. zzgl. Versand",
        "incl. VAT",
        "inc VAT",
        "VAT included",
        "Price includes VAT",
        "including 20% VAT",
        "incl. tax",
        "Tax included.",
        "inc. GST",
        "GST inclusive",
        "49,00 € TTC",
        "T.T.C.",
        "TVA incluse",
        "TVA comprise",
        "IVA incluido",
        "IVA incl.",
        "con IVA",
        "IVA inclusa",
        "IVA compresa",
        "incl. btw",
        "Inclusief BTW",
        "brutto",
        "z VAT",
        "zawiera 23% VAT",
        "inkl. moms",
        "moms inkl.",
        "inkl. mva",
        "sis. alv",
        "včetně DPH",
        "s DPH",
        "KDV dahil",
        "с НДС",
        "cu TVA",
        "με ΦΠΑ",
        "税込",
        "12,000円(税込)",
        "impostos inclusos",
        "IVA incluído",
        "com IVA",
        "Preis inkl. Versand und MwSt.",
        "Mehrwertsteuer enthalten",
        "inkl. gesetzlicher MwSt.",
        "all taxes included",
        "btw inbegrepen",
    ] {
        assert_eq!(tax_hint(text), Some(true), "{text}");
    }
}

#[test]
fn excluded_taxes_are_recognized() {
    for text in [
        "zzgl. MwSt.",
        "zzgl. 19 % MwSt.",
        "exkl. MwSt.",
        "ohne MwSt",
        "excl. VAT",
        "ex VAT",
        "ex. VAT",
        "+ VAT",
        "+VAT",
        "plus VAT",
        "VAT excluded",
        "VAT not included",
        "plus GST",
        "excl. GST",
        "+ GST",
        "plus tax",
        "before tax",
        "99 € HT",
        "hors taxes",
        "hors TVA",
        "sin IVA",
        "IVA no incluido",
        "más IVA",
        "+ IVA",
        "IVA esclusa",
        "escl. IVA",
        "sem IVA",
        "sem impostos",
        "excl. btw",
        "exclusief btw",
        "netto",
        "99,00 zł netto",
        "bez DPH",
        "bez VAT",
        "exkl. moms",
        "utan moms",
        "ekskl. moms",
        "eks. mva",
        "KDV hariç",
        "без НДС",
        "fără TVA",
        "税抜",
        "税別",
        "不含税",
        "Preise zzgl. gesetzl. MwSt. und Versand",
        "plus applicable taxes",
        "+ KDV",
    ] {
        assert_eq!(tax_hint(text), Some(false), "{text}");
    }
}

#[test]
fn texts_without_clear_tax_wording_give_none() {
    for text in [
        "",
        "12,90 €",
        "zzgl. Versand",
        "incl. delivery",
        "Netto 500 g",
        "ht",
        "Tax",
        "with care",
        "100 € netto / 119 € brutto",
        "plus size",
        "excl. VAT, incl. VAT",
        "shutter",
        "VATer",
        "MwSt",
    ] {
        assert_eq!(tax_hint(text), None, "{text}");
    }
}
