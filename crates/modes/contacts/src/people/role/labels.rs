//! What stands before names, in eight languages: folded, parted by bars.

/// Offices for data: rarely the company's own people.
pub(super) const OFFICES: &str = "datenschutzbeauftragt|dpo|data protection officer|privacy officer|\
    protection des donnees|proteccion de datos|protezione dei dati|gegevensbescherming|\
    protecao de dados|encarregado de dados|protecao dos dados|ochrony danych|iod";

/// Parts of labels that say that it is not about the company's people.
pub(super) const FOREIGN: &str = "webdesign|web design|website|webseite|foto|photo|bildnachweis|bilder|bildquelle|images|\
    agentur|agency|agence|agencia|agenzia|realisation|realisierung|umsetzung|konzept|\
    hosting|hosted|hebergeur|hebergement|alojamiento|alojamento|creation du site|\
    programmierung|gestaltung|design|bank|kontoinhaber|account holder|titulaire du compte|\
    illustration|grafik|layout|theme|template|powered|made by|desarrollado|desenvolvido|\
    realizzazione|realizzato|credits|wykonanie|projekt strony|ombudsman|schlichtung|\
    mediateur|aufsichtsbehorde|versicherung|insurance|assurance|treuhand fur|autor|author|\
    auteur|written by|client name|bewertung|testimonial|auditor|wirtschaftsprufer|\
    fotografie|sviluppo";

/// Those who watch over it.
pub(super) const SUPERVISES: &str = "aufsichtsrat|beirat|supervisory board|conseil de surveillance|collegio sindacale|\
    raad van commissarissen|raad van toezicht|rada nadzorcza|rady nadzorczej|\
    conselho fiscal|consejo de vigilancia|advisory board|kuratorium";

/// Those who answer for what is written.
pub(super) const ANSWERS: &str = "verantwortlich|v i s d p|visdp|inhaltlich|directeur de la publication|\
    directrice de la publication|responsable de la publication|responsable publication|\
    directeur de publication|directrice de publication|responsable de publication|\
    responsable editorial|responsable de redaction|directeur de la redaction|\
    responsabile dei contenuti|responsabile contenuti|direttore responsabile|redaktionell|\
    redaktion|responsible for content|responsible for the content|responsable de contenidos|\
    responsavel pelos conteudos|redaktor naczelny|hoofdredact|editor in chief|\
    responsible under";

/// Those who represent it by law.
pub(super) const REPRESENTS: &str = "vertreten durch|vertretungsberechtigt|vertretungsberechtigte|gesetzlicher vertreter|\
    gesetzliche vertreter|gesetzliche vertreterin|gesetzlich vertreten|geschaftsfuhrung|\
    geschaftsfuhrer|geschaftsfuhrerin|geschaftsfuhrerinnen|represented by|\
    legal representative|legal representatives|directors|director|company directors|\
    trustees|partners|members|proprietor|proprietors|represente par|representee par|\
    represente legalement par|representant legal|representante legale|representants legaux|\
    gerants|gerance|cogerants|president|presidente|administrateurs|administrateurs delegues|\
    administratrices deleguees|representada por|representado por|representante legal|\
    representantes legales|representantes legais|administradores|administradores solidarios|\
    administradores mancomunados|administracion|organo de administracion|gerencia|gerentes|\
    socios gerentes|socios administradores|administracao|conselho de administracao|\
    rappresentata da|rappresentato da|rappresentante legale|legale rappresentante|\
    legali rappresentanti|amministratori|soci amministratori|consiglio di amministrazione|\
    amministratori delegati|vertegenwoordigd door|wettelijk vertegenwoordiger|\
    wettelijke vertegenwoordiger|directie|bestuur|bestuurders|zaakvoerders|vennoten|\
    beherende vennoten|statutair directeur|reprezentowana przez|reprezentowany przez|\
    reprezentowane przez|reprezentacja|osoby uprawnione do reprezentacji|zarzad|\
    sklad zarzadu|czlonkowie zarzadu|wspolnicy|komplementariusz|zarzad spolki|\
    w imieniu spolki|vorstand|vorstande|vorstandsmitglieder|verwaltungsrat|verwaltungsrate|\
    inhaber|inhaberin|inhaberinnen|inhaber innen|betreiber|betreiberin|komplementar|\
    gesellschafter|partner";

/// Of those, the ones that are no title.
pub(super) const UNTITLED: &str = "vertreten durch|vertretungsberechtigt|vertretungsberechtigte|gesetzlich vertreten|\
    represented by|represente|representee|representada por|representado por|\
    rappresentata da|rappresentato da|vertegenwoordigd door|reprezentowan|reprezentacja|\
    osoby uprawnione|w imieniu";

/// Whom to ask.
pub(super) const CONTACT: &str = "ansprechpartner|ansprechpartnerin|ihr ansprechpartner|ihre ansprechpartnerin|\
    ihre ansprechpartner|ansprechperson|kontaktperson|your contact|contact person|\
    key contact|press contact|media contact|pressekontakt|votre contact|votre interlocuteur|\
    votre interlocutrice|contact presse|contacts presse|persona de contacto|su contacto|\
    contacto de prensa|contacto|contatto|persona di contatto|referente|il tuo referente|\
    contactpersoon|uw contactpersoon|perscontact|pessoa de contacto|pessoa de contato|\
    contato|osoba kontaktowa|osoba do kontaktu|kontakt dla mediow|kontakt dla prasy|contact|\
    kontakt|leadership|management|team|bei fragen";
