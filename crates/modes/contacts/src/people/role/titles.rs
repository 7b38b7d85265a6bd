//! What people are called at work, in eight languages, folded. The lists tell that a text is
//! a title; what it says is kept as it is shown.

/// Words of those who run a company.
pub(super) const EXECUTIVE: &str = "ceo cfo cto coo cmo cio cpo cro cso chro cco cdo ciso vp svp evp chief president presidente presidenta \
    prasident prasidentin vizeprasident vizeprasidentin geschaftsfuhrer geschaftsfuhrerin geschaftsfuhrender geschaftsfuhrende \
    geschaftsleiter geschaftsleiterin geschaftsleitung geschaftsfuhrung inhaber inhaberin eigentumer eigentumerin grunder grunderin mitgrunder mitgrunderin \
    gesellschafter gesellschafterin vorstand vorstands vorstandes vorstandin vorstandsvorsitzender vorstandsvorsitzende vorstandsmitglied vorstandssprecher vorstandssprecherin \
    vorsitzender vorsitzende vorsitz obmann obfrau prokurist prokuristin verwaltungsrat verwaltungsratin direktor direktorin firmeninhaber betriebsinhaber \
    owner founder cofounder chairman chairwoman chairperson chair director principal proprietor trustee chieftain \
    gerant gerante cogerant cogerante pdg dg directeur directrice fondateur fondatrice cofondateur cofondatrice proprietaire dirigeant dirigeante administrateur \
    administratrice patron patronne \
    administrador administradora gerente fundador fundadora cofundador cofundadora propietario propietaria titular director directora consejero consejera \
    apoderado apoderada \
    amministratore amministratrice titolare fondatore fondatrice cofondatore direttore direttrice \
    directeur bestuurder bestuurster zaakvoerder zaakvoerster eigenaar eigenaresse oprichter oprichtster vennoot voorzitter mede-eigenaar medeoprichter \
    diretor diretora socio-gerente proprietario proprietaria dono \
    prezes prezeska wiceprezes wiceprezeska wlasciciel wlascicielka zalozyciel zalozycielka wspolzalozyciel wspolnik wspolniczka prokurent dyrektor dyrektorka \
    wojt burmistrz starosta prezydent wicedyrektor czlonek czlonkini burgermeister burgermeisterin mayor maire alcalde alcaldesa sindaco";

/// Words of those who lead a part of it.
pub(super) const HEAD: &str = "head leiter leiterin leitung leitender leitende teamleiter teamleiterin abteilungsleiter bereichsleiter lead leader supervisor \
    responsable jefe jefa coordinador coordinadora encargado encargada responsabile capo coordinatore coordinatrice hoofd teamleider afdelingshoofd chef cheffe chefe chefin \
    coordenador coordenadora responsavel encarregado kierownik kierowniczka szef szefowa manager managerin menedzer menadzer menedzerka brygadzista mistrz meister \
    meisterin obermeister vorarbeiter vorarbeiterin poliere polier rektor rektorin dean superintendent foreman oberarzt chefarzt chefarztin prodekan dziekan";

/// Words of all others.
pub(super) const STAFF: &str = "assistant assistante assistent assistentin asystent asystentka assistente asistente secretary sekretar sekretarin sekretariat secretaire secretario secretaria segretario segretaria \
    secretaresse secretaris sekretarka sekretarz receptionist receptionniste rezeptionist rezeptionistin recepcionista recepcjonista recepcjonistka rececionista receptioniste recepcjonistka \
    accountant buchhalter buchhalterin comptable contable contabile boekhouder boekhoudster contabilista contador contadora ksiegowy ksiegowa bookkeeper controller controllerin auditor auditora revisor \
    engineer ingenieur ingenieurin ingeniero ingeniera ingegnere engenheiro engenheira inzynier techniker technikerin technician technicien technicienne tecnico tecnica technicus technik monteur monteurin \
    developer entwickler entwicklerin developpeur developpeuse desarrollador desarrolladora sviluppatore sviluppatrice ontwikkelaar desenvolvedor desenvolvedora programador programadora programista programistka programmer programmierer architect architekt architektin architecte arquitecto arquitecta architetto architetta arquiteto arquiteta architektka \
    designer designerin disenador disenadora grafiker grafikerin graphiste infographiste grafico grafica projektant projektantka projektantin konstrukteur konstrukteurin vormgever vormgeefster \
    consultant consultante berater beraterin conseiller conseillere asesor asesora consulente consultor consultora adviseur adviseuse assessor assessora doradca doradczyni konsultant konsultantka advisor adviser \
    partner counsel associate associe associee asociado asociada associato associata socio socia fellow \
    solicitor barrister paralegal lawyer attorney anwalt anwaltin rechtsanwalt rechtsanwaltin fachanwalt fachanwaltin notar notarin jurist juristin avocat avocate juriste notaire abogado abogada procurador procuradora notario \
    avvocato avvocata notaio praticante advocaat notaris advogado advogada solicitador solicitadora notaria adwokat adwokatka radca radczyni aplikant aplikantka notariusz steuerberater steuerberaterin wirtschaftsprufer wirtschaftspruferin steuerfachangestellte steuerfachangestellter steuerfachwirt patentanwalt patentanwaltin kanzlist \
    nurse doctor physician surgeon dentist hygienist therapist physiotherapist optician pharmacist vet veterinarian midwife psychologist counsellor counselor chiropractor osteopath podiatrist dietitian radiologist cardiologist paediatrician pediatrician dermatologist gp practitioner \
    arzt arztin zahnarzt zahnarztin tierarzt tierarztin facharzt facharztin hautarzt fachangestellte fachangestellter krankenschwester pfleger pflegerin pflegefachkraft mfa zfa zmf zmp dentalhygienikerin dentalhygieniker physiotherapeut physiotherapeutin therapeut therapeutin ergotherapeut ergotherapeutin logopadin logopade hebamme apotheker apothekerin pta optiker optikerin augenoptiker augenoptikerin heilpraktiker heilpraktikerin psychologe psychologin kardiologe zahntechniker zahntechnikerin \
    medecin chirurgien chirurgienne cardiologue infirmier infirmiere dentiste kinesitherapeute pharmacien pharmacienne psychologue orthophoniste osteopathe veterinaire opticien opticienne dermatologue pediatre aide-soignante sage gynecologue radiologue ophtalmologue \
    medico medica enfermero enfermera pediatra dentista odontologo odontologa fisioterapeuta farmaceutico farmaceutica psicologo psicologa veterinario veterinaria cardiologo cardiologa fisioterapista infermiere infermiera farmacista optometrista ostetrica dermatologo dermatologa ginecologo ginecologa ortopedico logopedista igienista \
    huisarts verpleegkundige tandarts fysiotherapeut apotheker dierenarts mondhygienist mondhygieniste psycholoog logopedist doktersassistente tandartsassistente praktijkondersteuner verloskundige enfermeiro enfermeira medico-dentista higienista \
    lekarz lekarka pielegniarz pielegniarka stomatolog dentysta dentystka fizjoterapeuta fizjoterapeutka farmaceuta farmaceutka psycholog weterynarz polozna higienistka kardiolog pediatra ortodonta logopeda okulista \
    cook koch kochin cuisinier cuisiniere cocinero cocinera cuoco cuoca kok kucharz kucharka cozinheiro cozinheira sommelier sommeliere waiter waitress kellner kellnerin serveur serveuse camarero camarera cameriere cameriera kelner kelnerka bartender barkeeper barista concierge portiere portiera hausdame gastgeber gastgeberin gastheer gastvrouw governante governanta patissier patissiere konditor konditorin backer backerin capocuoco capocuoca maitre hote hotesse empregado empfang rezeption \
    officer clerk agent specialist spezialist spezialistin specialiste especialista specialista specialist specjalista specjalistka expert experte expertin experto experta esperto esperta ekspert coordinator koordinator koordinatorin coordinateur coordinatrice koordynator koordynatorka administrator administratorin referent referentin sachbearbeiter sachbearbeiterin mitarbeiter mitarbeiterin employe employee medewerker medewerkster pracownik pracowniczka kaufmann kauffrau kaufmannische kaufmannischer angestellte angestellter fachkraft fachmann fachfrau gestionnaire gestor gestora \
    representative vertreter vertreterin commercial commerciale comercial venditore venditrice vendedor vendedora verkaufer verkauferin verkoper verkoopster vendeur vendeuse handlowiec sprzedawca przedstawiciel przedstawicielka aussendienst innendienst aussendienstmitarbeiter agente addetto addetta attache attachee impiegato impiegata operatore operatrice operator operatorka operateur operador operadora \
    spokesperson spokesman spokeswoman pressesprecher pressesprecherin sprecher sprecherin porte-parole portavoz portavoce woordvoerder woordvoerster persvoorlichter voorlichter rzecznik rzeczniczka assessore journalist redakteur redakteurin redacteur redactrice redactor redactora redattore redattrice redaktor redaktorka editor author texter texterin copywriter \
    apprentice trainee intern azubi auszubildender auszubildende lehrling apprenti apprentie stagiaire aprendiz aprendiza becario becaria praktikant praktikantin praktykant praktykantka apprendista stagista tirocinante leerling stagiair estagiario estagiaria aprendiz werkstudent werkstudentin volontar volontarin stazysta stazystka uczen uczennica \
    mechanic mechaniker mechanikerin mechatroniker mechatronikerin mecanicien mecanicienne mecanico mecanica meccanico mechanik electrician elektriker elektrikerin elektroniker elektromeister electricien electricista elettricista elektricien eletricista elektryk plumber installateur klempner plombier fontanero idraulico loodgieter hydraulik carpenter zimmermann zimmerer tischler tischlerin schreiner schreinerin menuisier charpentier carpintero falegname timmerman carpinteiro stolarz ciesla roofer dachdecker dachdeckerin couvreur maler malerin painter peintre pintor maurer macon albanil muratore metselaar pedreiro murarz geselle gesellin welder schlosser soudeur lackierer lackiererin gartner gartnerin gardener jardinier jardinero giardiniere hovenier jardineiro ogrodnik florist floristin fleuriste driver fahrer fahrerin chauffeur conductor kierowca magazynier lagerist lageristin magasinier magazziniere warehouse hausmeister hausmeisterin caretaker friseur friseurin friseurmeister friseurmeisterin coiffeur coiffeuse peluquero peluquera parrucchiere parrucchiera kapper kapster fryzjer fryzjerka stylist stylistin estilista kosmetikerin estheticienne esteticista kosmetyczka \
    teacher lehrer lehrerin enseignant enseignante professeur professor professorin profesor profesora insegnante docent docente leraar lerares leerkracht professora nauczyciel nauczycielka dozent dozentin trainer trainerin formateur formatrice formador formadora formatore formatrice coach instructor instruktor erzieher erzieherin lecturer researcher wissenschaftler wissenschaftlerin chercheur chercheuse investigador investigadora ricercatore ricercatrice onderzoeker pesquisador naukowiec librarian bibliothekar \
    analyst analytiker analyste analista analist analityk strategist stratege strategin planner planer planerin buyer einkaufer einkauferin acheteur acheteuse comprador compradora inkoper zakupowiec disponent disponentin recruiter personalreferent photographer fotograf fotografin photographe fotografo fotografa producer produzent produzentin scientist statistiker mathematiker okonom economist economiste broker makler maklerin immobilienmakler agent courtier agente mediator mediatorin dolmetscher ubersetzer ubersetzerin translator traducteur traductrice traductor traductora traduttore traduttrice vertaler tlumacz tlumaczka kurator kuratorin curator guide pilot artist kunstler \
    geselle zimmerin empfangschef empfangschefin rechtsreferendar treuhander treuhanderin kassierer kassiererin kassenwart kassenwartin schatzmeister schatzmeisterin treasurer tresorier tresoriere tesorero tesorera tesoriere penningmeester tesoureiro tesoureira skarbnik schriftfuhrer schriftfuhrerin beisitzer beisitzerin vogal vocal ratsmitglied gemeinderat aufsichtsrat aufsichtsratin aufsichtsratsvorsitzender aufsichtsratsvorsitzende beirat beauftragter beauftragte gleichstellungsbeauftragte zastepca";

/// Ends of compound words that are titles, in German and Dutch above all.
pub(super) const ENDINGS: &[&str] = &[
    "ologist",
    "ographer",
    "strategist",
    "leiter",
    "leiterin",
    "leitung",
    "berater",
    "beraterin",
    "fuhrer",
    "fuhrerin",
    "meister",
    "meisterin",
    "techniker",
    "technikerin",
    "ingenieur",
    "ingenieurin",
    "kaufmann",
    "kauffrau",
    "entwickler",
    "entwicklerin",
    "manager",
    "managerin",
    "assistent",
    "assistentin",
    "assistenz",
    "sprecher",
    "sprecherin",
    "betreuer",
    "betreuerin",
    "sachbearbeiter",
    "sachbearbeiterin",
    "mitarbeiter",
    "mitarbeiterin",
    "referent",
    "referentin",
    "monteur",
    "mechaniker",
    "arzt",
    "arztin",
    "anwalt",
    "anwaltin",
    "therapeut",
    "therapeutin",
    "angestellte",
    "angestellter",
    "fachkraft",
    "planer",
    "planerin",
    "prufer",
    "pruferin",
    "beauftragter",
    "beauftragte",
    "buchhalter",
    "buchhalterin",
    "sekretar",
    "sekretarin",
    "gestalter",
    "gestalterin",
    "trainer",
    "trainerin",
    "vorstand",
    "vorsitzender",
    "vorsitzende",
    "chef",
    "chefin",
    "wirt",
    "wirtin",
    "macher",
    "macherin",
    "pfleger",
    "pflegerin",
    "lehrer",
    "lehrerin",
    "inhaber",
    "inhaberin",
    "grunder",
    "grunderin",
    "direktor",
    "direktorin",
    "leider",
    "leidster",
    "adviseur",
    "medewerker",
    "medewerkster",
    "directeur",
    "beheerder",
    "begeleider",
    "begeleidster",
    "verkoper",
    "monteur",
    "tekenaar",
    "kundige",
    "bauer",
    "bauerin",
    "assistente",
    "specialist",
    "architekt",
    "architektin",
    "arbeiter",
    "arbeiterin",
    "helfer",
    "helferin",
    "experte",
    "expertin",
    "koordinator",
    "koordinatorin",
    "verkaufer",
    "verkauferin",
    "einkaufer",
    "schreiner",
    "elektriker",
    "installateur",
    "makler",
    "maklerin",
    "gartner",
    "gartnerin",
    "koch",
    "kochin",
    "zeichner",
    "zeichnerin",
    "redakteur",
    "redakteurin",
    "schlosser",
    "logist",
    "logistin",
    "log",
    "loge",
    "geselle",
    "gesellin",
    "gehilfe",
    "gehilfin",
    "wart",
    "wartin",
    "secretaris",
    "secretaresse",
];

/// Words that make a leader's word that of a helper.
pub(super) const HELPERS: &str = "assistant assistante assistent assistentin assistenz asystent asystentka assistente asistente secretary sekretar sekretarin secretaire \
    secretario secretaria segretario segretaria secretaresse secretaris sekretarka sekretarz attache attachee";

/// Words beside which a leader's word means a craft or a task, not a part of the company.
pub(super) const TASKS: &str = "project projekt projet proyecto progetto projeto projektu projektow account office community product produkt produit producto prodotto produktow event \
    kitchen cuisine cocina cucina kuchni cozinha kuche sala house key social content case scrum progetti proyectos projets projetos projects";

/// Words of parts beside which a director leads a part, not the company.
pub(super) const PARTS: &str = "commercial commerciale commerciali comercial handlowy handlowa sales marketing vertrieb verkauf verkoop vendas ventas ventes vendite sprzedazy marketingu rh hr personal people humanos humaines umane art creative creativo creativa \
    creatif kreativ account regional regionale area district sanitario sanitaria medical medico medicale medycznej communication communications comunicacion comunicazione comunicacao kommunikation komunikacji training school sportif sportivo export exportacion \
    it qualite quality calidad qualita qualidade jakosci logistique logistics logistica logistyki production produktion produccion produzione producao produkcji achats purchasing compras acquisti zakupow dzialu oddzialu agence agencia filiale branch sede zakladu service services customer client clientes engineering";
