//! Contact details that must be removed, plain and obfuscated.

use super::super::redact_contacts;

const BEFORE: &str = "The bench is made of solid oak.";
const AFTER: &str = "It is oiled twice before it leaves us.";

/// Checks that each sentence is removed as a whole: within a line, as a paragraph, and alone.
fn assert_redacted(sentences: &[&str]) {
    let mut wrong = Vec::new();
    for sentence in sentences {
        for (text, expected) in [
            (format!("{BEFORE} {sentence} {AFTER}"), format!("{BEFORE} {AFTER}")),
            (format!("{BEFORE}\n\n{sentence}\n\n{AFTER}"), format!("{BEFORE}\n\n{AFTER}")),
            ((*sentence).to_owned(), String::new()),
        ] {
            let redacted = redact_contacts(&text);
            if redacted != expected {
                wrong.push(format!("{text:?} gave {redacted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that a part of each text is removed.
fn assert_absent(texts: &[(&str, &str)]) {
    for (text, secret) in texts {
        let redacted = redact_contacts(text);
        assert!(!redacted.contains(secret), "{text:?} gave {redacted:?}");
    }
}

#[test]
fn label_outweighs_hours_amounts_and_dates_beside_a_number() {
    assert_absent(&[
        ("Tel. 030 1234567 9-17 Uhr", "1234567"),
        ("WhatsApp 0171-1234567 - 8 Uhr", "1234567"),
        ("Tel: 030 1234567,0151 23456789", "1234567"),
        ("Telefon=030 1234567", "1234567"),
        ("Tlf: 22-45-18-30", "22-45"),
        ("Tel. 123.456", "123.456"),
        ("Tel. 2234567 / 2234568", "2234568"),
        ("Haus A4 0171 2345678", "2345678"),
    ]);
}

#[test]
fn obfuscated_addresses_of_people_are_redacted() {
    assert_absent(&[
        ("Schreiben Sie uns...max.muster@firma.com", "muster"),
        ("max at firma . de", "firma"),
        ("max.muster at firma punkt de", "muster"),
        ("anna At firma.de", "anna"),
        ("max_affe_firma.de", "firma"),
        ("max (a) firma.de", "firma"),
        ("ivan собака firma.ru", "ivan"),
        ("max at firma punkt co punkt za", "firma"),
    ]);
}

#[test]
fn telephone_numbers_are_redacted() {
    assert_redacted(&[
        "Questions? Call us on 020 7946 0958.",
        "Call +44 20 7946 0958 to order.",
        "Phone: (212) 555-0147.",
        "Ring 0161 496 0000 before noon.",
        "Tel. 030/1234567.",
        "Tel: 030-123 45 67.",
        "Fragen? Einfach anrufen unter 0171 2345678.",
        "Mobil 0151/23456789.",
        "Telefon: 0049 (0)89 / 123 456-78.",
        "Fax 089 1234 567.",
        "Infos unter +49 171 2345678.",
        "WhatsApp 0171-2345678.",
        "Appelez le 01 23 45 67 89.",
        "Tél : 06.12.34.56.78.",
        "Renseignements au +33 (0)6 12 34 56 78.",
        "Llame al 912 345 678.",
        "Tel. 612 34 56 78.",
        "Chiamate lo 02 1234 5678.",
        "Cell. 333 1234567.",
        "Bel 020-1234567 voor advies.",
        "Mobiel: 06-12345678.",
        "Ligue para (11) 91234-5678.",
        "Telemóvel: tel 912 345 678.",
        "Zadzwoń pod 512 345 678.",
        "tel. 22 123 45 67.",
        "Ring 08-123 45 67.",
        "お電話は 03-1234-5678 まで。",
        "Звоните: +7 (495) 123-45-67.",
        "Order by phone on 1-800-555-0199.",
        "Reach me at 555.010.1234.",
        "☎ 0711 123456.",
        "📞 512345678.",
        "Tel. 0 1 7 1 2 3 4 5 6 7 8.",
        "Ruf an: null eins sieben eins zwei drei vier fünf sechs.",
        "Call zero two zero seven nine four six zero.",
        "Handy: O171-2345678.",
        "Tel.: ０３０ １２３４５６７.",
        "Call 0️⃣1️⃣7️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣.",
        "Tel 0171*234*5678.",
        "0171-2345678.",
        "Telefonisch erreichbar unter 030 1234567.",
        "SMS an 0171_234_56_78.",
    ]);
}

#[test]
fn email_addresses_are_redacted() {
    assert_redacted(&[
        "Write to info@example.com.",
        "Mail: jane.doe+shop@mail.example.co.uk.",
        "Fragen an info [at] example [dot] com.",
        "Fragen an info(at)example.de.",
        "Fragen an info (at) example (dot) de.",
        "info {at} example {punkt} de.",
        "Mail an info AT example DOT com.",
        "Mail an info at example dot com.",
        "Schreiben Sie an info ät example punkt de.",
        "Write to info @ example . com.",
        "Escriba a ventas arroba ejemplo punto es.",
        "Scrivi a info chiocciola esempio punto it.",
        "Napisz na biuro małpa sklep kropka pl.",
        "Écrivez à contact arobase exemple point fr.",
        "E-mail: i n f o @ s h o p . d e.",
        "info_at_example.com.",
        "info-at-example.com.",
        "Mailto info＠example.com.",
        "office at example.at.",
        "Mail: shop(ät)example.de.",
        "Meine Adresse ist max.muster at gmail.com.",
        "info[@]example.com.",
        "info(@)example(.)com.",
        "Contato: vendas@loja.com.br.",
        "Stuur een mail naar info <at> winkel <dot> nl.",
    ]);
}

#[test]
fn messenger_handles_are_redacted() {
    assert_redacted(&[
        "Telegram: @harborbeans.",
        "Message us on Telegram @harbor_beans.",
        "Chat: wa.me/491712345678.",
        "Find us at t.me/harborbeans.",
        "https://wa.me/491712345678?text=hi.",
        "Skype: harbor.beans.",
        "WeChat ID: harbor2020.",
        "Viber: +48 512 345 678.",
        "LINE ID: harborbeans.",
        "Line: @harborbeans.",
        "Signal: +49 171 2345678.",
        "Instagram: @harborbeans.",
        "m.me/harborbeans.",
        "微信: harbor2020.",
        "Schreib uns über WhatsApp.",
        "Fale com a gente pelo WhatsApp.",
        "Message us on Viber.",
    ]);
}

#[test]
fn sentences_that_only_ask_for_contact_are_redacted() {
    assert_redacted(&[
        "Call us for a sample.",
        "Contact us if you need another size.",
        "Visit our showroom.",
        "Give us a call!",
        "Do get in touch.",
        "Rufen Sie uns gerne an.",
        "Besuchen Sie unser Ladengeschäft.",
        "Kontaktieren Sie uns für Sonderanfertigungen.",
        "Schreiben Sie uns.",
        "Appelez-nous !",
        "N’hésitez pas à nous contacter.",
        "Visitez notre boutique.",
        "Llámenos sin compromiso.",
        "Contacta con nosotros.",
        "Contattaci per un preventivo.",
        "Venite a trovarci in negozio.",
        "Neem contact op voor maatwerk.",
        "Bezoek onze winkel.",
        "Entre em contato conosco.",
        "Fale conosco.",
        "Zadzwoń do nas.",
        "Zapraszamy do kontaktu.",
        "Kontakta oss för mer information.",
        "Свяжитесь с нами.",
        "Bize ulaşın.",
        "Questions? Write to us.",
    ]);
}

#[test]
fn postal_addresses_are_redacted() {
    for block in [
        "Tischlerei Lindner\nMühlenweg 12\n10115 Berlin\nTel.: 030 / 123 4567\nE-Mail: info@lindner.example",
        "Harbor Beans\n12 Mill Lane\nPortland, OR 97204\nPhone: (503) 555-0147",
        "Boulangerie Martin\n12 rue du Moulin\n69002 Lyon\nTél. : 04 12 34 56 78",
        "Negozio Rossi\nVia Garibaldi 12\n20121 Milano",
        "Tienda Sol\nCalle Mayor, 5\n28013 Madrid",
        "Winkel Jansen\nMolenstraat 12\n1234 AB Amsterdam",
        "Sklep\nul. Młyńska 12\n00-950 Warszawa\ntel. 22 123 45 67",
        "Loja\nRua do Moinho, 12\nSão Paulo - SP, 01310-100\nTelefone: (11) 91234-5678",
        "Marlow Mill\n5 High Street\nLeeds LS1 4AP\nhello@marlow.example",
        "Adresse: Hauptstraße 5, 80331 München",
        "Visit us: 221B Baker Street, London NW1 6XE",
        "〒101-0051 東京都千代田区神田神保町1-2-3\n電話:03-1234-5678",
    ] {
        let text = format!("{BEFORE}\n\n{block}\n\n{AFTER}");
        assert_eq!(redact_contacts(&text), format!("{BEFORE}\n\n{AFTER}"), "{block}");
    }
}

#[test]
fn rest_of_a_sentence_with_contact_details_is_kept() {
    for (text, expected) in [
        ("Order number 4711-0815, questions to info@example.com.", "Order number 4711-0815."),
        (
            "A sturdy table with two deep drawers, questions to info@example.com.",
            "A sturdy table with two deep drawers.",
        ),
        ("Solid oak.\nTel. 030 1234567\nOiled twice.", "Solid oak.\nOiled twice."),
        ("Oak\nBeech\nAsh\nTel. 030 1234567", "Oak\nBeech\nAsh"),
    ] {
        assert_eq!(redact_contacts(text), expected);
    }
    let long = "word ".repeat(100) + "Tel.: 030 1234567 " + &"more ".repeat(100);
    let redacted = redact_contacts(&long);
    let words: Vec<_> = redacted.split_whitespace().collect();
    assert_eq!(words.join(" "), ("word ".repeat(100) + &"more ".repeat(100)).trim());
}
