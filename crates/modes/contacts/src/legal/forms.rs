//! Legal forms as they are written.

/// One a line would fill pages: parted by bars.
const TEXT: &str = "GmbH & Co. KGaA|GmbH & Co. KG|GmbH & Co KG|GmbH & Co.KG|GmbH u. Co. KG|GmbH und Co. KG|GmbH & Co. OHG|\
    UG (haftungsbeschränkt) & Co. KG|UG (haftungsbeschränkt)|UG haftungsbeschränkt|gUG (haftungsbeschränkt)|gGmbH|GmbH|mbH|\
    AG & Co. KGaA|AG & Co. KG|AG & Co. OHG|SE & Co. KGaA|SE & Co. KG|gAG|AG|KGaA|KG|OHG|GbR|eGbR|e.K.|e. K.|eK|e.Kfm.|e.Kfr.|e. Kfm.|e.V.|e. V.|eV|\
    eG|e.G.|PartG mbB|PartGmbB|PartmbB|PartG|Part mbB|mbB|UG|SE|GesmbH|Ges.m.b.H.|Gesellschaft m.b.H.|Gesellschaft mbH|e.U.|e. U.|eU|OG|\
    Aktiengesellschaft|Gesellschaft mit beschränkter Haftung|Sàrl|Limited Liability Partnership|Public Limited Company|\
    Limited|Ltd.|Ltd|LTD|LIMITED|LLP|L.L.P.|PLC|plc|Plc|CIC|C.I.C.|CIO|SCIO|Designated Activity Company|Company Limited by Guarantee|\
    DAC|CLG|Unlimited Company|Teoranta|Inc.|Inc|INC.|Incorporated|LLC|L.L.C.|PLLC|P.L.L.C.|Corp.|Corporation|P.C.|L.P.|\
    SARL|S.A.R.L.|S.A.R.L|SàRL|S.à r.l.|S.à.r.l.|Sarl|SASU|S.A.S.U.|SAS|S.A.S.|S.A.S|EURL|E.U.R.L.|SELARL|SELAS|SCOP|SCM|SCP|SCI|SNC|S.N.C.|SA|S.A.|\
    SPRL|SRL|S.R.L.|ASBL|SCRL|SC|GIE|EI|S.L.U.|S.L.U|SLU|S.L.P.|SLP|S.L.L.|S.L.N.E.|S.L.|S.L|SL|S.A.U.|SAU|S. Coop.|S.Coop.|S. Coop. And.|SCCL|C.B.|\
    Sociedad Limitada|Sociedad Anónima|S.A. de C.V.|SA de CV|S. A. de C. V.|S. de R.L. de C.V.|S de RL de CV|S.A.P.I. de C.V.|S.A.S. de C.V.|S.C.|A.C.|\
    S.r.l.s.|S.r.l. unipersonale|S.r.l.|S.R.L.S.|Srls|Srl|S.p.A.|S.P.A.|SpA|SPA|S.n.c.|s.n.c.|Snc|snc|S.a.s.|s.a.s.|Sas|sas|s.r.l.|srl|s.p.a.|\
    Soc. Coop. a r.l.|Soc. Coop.|Società Cooperativa|Soc. Coop. Sociale|S.S.|\
    B.V.|BV|b.v.|bv|N.V.|NV|VOF|V.O.F.|v.o.f.|vof|BVBA|VZW|vzw|CVBA|CommV|Coöperatie U.A.|C.V.|\
    Unipessoal Lda.|Unipessoal, Lda.|Unipessoal, Lda|Unipessoal Lda|Lda.|Lda|LDA|Limitada|SGPS|S.G.P.S.|CRL|Ltda.|Ltda|LTDA|LTDA.|Ltda ME|EIRELI|Eireli|S/A|\
    sp. z o.o. sp. k.|sp. z o.o. sp.k.|sp. z o.o. spółka komandytowa|sp. z o. o.|sp. z o.o.|Sp. z o.o. sp. k.|Sp. z o.o. Sp. k.|Sp. z o.o.|Sp. z o. o.|Sp. z.o.o.|SP. Z O.O.|\
    Sp. z o.o|sp. z o.o|spółka z o.o.|Spółka z o.o.|spółka z ograniczoną odpowiedzialnością sp. k.|spółka z ograniczoną odpowiedzialnością|Spółka z ograniczoną odpowiedzialnością|\
    spółka komandytowa|spółka akcyjna|Spółka Akcyjna|spółka jawna|sp.k.|sp. k.|Sp. k.|Sp.k.|sp. j.|sp.j.|Sp. j.|Sp.j.|s.c.|P.S.A.|sp.p.|sp. p.";

pub(super) static FORMS: std::sync::LazyLock<Vec<&str>> = std::sync::LazyLock::new(|| {
    TEXT.split('|').map(str::trim).filter(|form| !form.is_empty()).collect()
});
