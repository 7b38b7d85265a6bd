use proptest::prelude::*;

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn marked(address: &str) -> Option<String> {
    marked_language(&url(address)).map(String::from)
}

/// Checks the language of each path, `-` for none.
fn paths(cases: &[(&str, &str)]) {
    for (path, language) in cases {
        let found = marked(&format!("https://example.com{path}"));
        assert_eq!(found.as_deref().unwrap_or("-"), *language, "{path}");
    }
}

#[test]
fn first_folder_with_a_language_is_a_marker() {
    paths(&[
        ("/de/", "de"),
        ("/de", "de"),
        ("/de/kontakt", "de"),
        ("/DE/kontakt", "de"),
        ("/en/about-us", "en"),
        ("/fr/produits/1?sort=a", "fr"),
        ("/ja/", "ja"),
        ("/zh/", "zh"),
        ("/pt/", "pt"),
        ("/nl/winkel", "nl"),
        ("/sv/", "sv"),
        ("/ko/a/b/c", "ko"),
        ("/de.html", "de"),
        ("/en.php", "en"),
        ("/de.html/x", "de"),
    ]);
}

#[test]
fn ambiguous_first_folder_is_no_marker() {
    paths(&[
        ("/", "-"),
        ("//de/", "-"),
        ("/about", "-"),
        ("/blog/de/", "-"),
        ("/products/en-us/", "-"),
        ("/design", "-"),
        ("/den/", "-"),
        ("/d/", "-"),
        ("/d%65-mo", "-"),
        // Words.
        ("/my/account", "-"),
        ("/is/", "-"),
        ("/no/", "-"),
        ("/so/", "-"),
        ("/to/", "-"),
        ("/in/", "-"),
        ("/id/1234", "-"),
        ("/go/", "-"),
        ("/be/", "-"),
        ("/am/", "-"),
        ("/or/", "-"),
        // Folders.
        ("/it/services", "-"),
        ("/hr/jobs", "-"),
        ("/cs/courses", "-"),
        ("/cv/", "-"),
        ("/ml/", "-"),
        ("/os/", "-"),
        ("/ms/", "-"),
        ("/ps/", "-"),
        ("/ts/", "-"),
        ("/tv/", "-"),
        ("/ad/", "-"),
        ("/ar/", "-"),
        ("/ai/", "-"),
        ("/qa/", "-"),
        ("/pr/", "-"),
        ("/ui/", "-"),
        // Countries and states.
        ("/uk/shop", "-"),
        ("/us/shop", "-"),
        ("/ca/los-angeles", "-"),
        ("/ch/", "-"),
        ("/at/", "-"),
        ("/br/", "-"),
        ("/se/", "-"),
        ("/kr/", "-"),
        ("/eu/", "-"),
        ("/pa/", "-"),
        ("/la/", "-"),
    ]);
}

#[test]
fn language_with_region_is_a_marker() {
    paths(&[
        ("/de-AT/", "de-AT"),
        ("/de_at/x", "de-AT"),
        ("/en-us", "en-US"),
        ("/en_GB/", "en-GB"),
        ("/en-uk/", "en-GB"),
        ("/en-us.html", "en-US"),
        ("/it-IT/", "it-IT"),
        ("/it-ch/", "it-CH"),
        ("/no-no/", "no-NO"),
        ("/id-id/", "id-ID"),
        ("/my-mm/", "my-MM"),
        ("/pt-br/", "pt-BR"),
        ("/fr-ca/", "fr-CA"),
        ("/ca-es/", "ca-ES"),
        ("/uk-ua/", "uk-UA"),
        ("/ar-sa/", "ar-SA"),
        ("/es-419/", "es-419"),
        ("/zh-cn/", "zh-CN"),
        ("/zh-hans/", "zh-Hans"),
        ("/zh_Hant_TW/", "zh-Hant-TW"),
        ("/sr-latn/", "sr-Latn"),
        ("/en-in/", "en-IN"),
        ("/en-eu/", "en"),
        ("/en-ww/", "en"),
        // The country first.
        ("/us-en/", "en-US"),
        ("/uk-en/", "en-GB"),
        ("/ch-de/", "de-CH"),
        ("/be-nl/", "nl-BE"),
        ("/ca-fr/", "fr-CA"),
        ("/ar-es/", "es-AR"),
        ("/es-ca/", "ca-ES"),
        ("/de-en/", "en-DE"),
        ("/in-hi/", "hi-IN"),
    ]);
}

#[test]
fn pair_that_is_no_language_and_region_is_no_marker() {
    paths(&[
        ("/hi-fi/", "-"),
        ("/lo-fi/", "-"),
        ("/to-do/", "-"),
        ("/as-is/", "-"),
        ("/is-it/", "-"),
        ("/my-id/", "-"),
        ("/my-account/", "-"),
        ("/e-commerce/", "-"),
        ("/co-op/", "-"),
        ("/am-pm/", "-"),
        ("/ar-vr/", "-"),
        ("/tv-ad/", "-"),
        ("/in-us/", "-"),
        ("/it-hr/", "-"),
        ("/en-vogue/", "-"),
        ("/de-luxe/", "-"),
        ("/de-419/", "-"),
        ("/xx-yy/", "-"),
        ("/xx-latn/", "-"),
        ("/de-at-x/", "-"),
        ("/zh-hans-de/", "-"),
        ("/de-/", "-"),
        ("/-de/", "-"),
        ("/de--at/", "-"),
    ]);
}

#[test]
fn language_folder_below_a_country_folder_is_a_marker() {
    paths(&[
        ("/us/en/", "en-US"),
        ("/us/en", "en-US"),
        ("/us/en.html", "en-US"),
        ("/uk/en/x", "en-GB"),
        ("/ch/de/", "de-CH"),
        ("/CH/it/", "it-CH"),
        ("/it/it/", "it-IT"),
        ("/be/nl/", "nl-BE"),
        ("/be/fr/", "fr-BE"),
        ("/ca/fr/", "fr-CA"),
        ("/in/hi/", "hi-IN"),
        ("/ar/es/", "es-AR"),
        ("/sa/ar/", "ar-SA"),
        ("/my/ms/", "ms-MY"),
        ("/de/en/", "en-DE"),
        ("/fi/sv/", "sv-FI"),
        // Not for that country: a folder of the same two letters.
        ("/us/it/", "-"),
        ("/us/hr/", "-"),
        ("/us/de/", "-"),
        ("/uk/it/", "-"),
        ("/tv/en/", "-"),
        ("/ai/en/", "-"),
        ("/my/is/", "-"),
        ("/de/it/", "de"),
        ("/de/fr/", "de"),
        ("/en/us/", "en"),
        ("/en/it/", "en"),
        ("/fr/ca/", "fr"),
        ("/pt/br/", "pt"),
        // Catalan for Spain, or Spanish for California.
        ("/es/ca/", "-"),
        ("/fr/br/", "-"),
    ]);
}

#[test]
fn language_in_a_file_name_is_a_marker() {
    paths(&[
        ("/index.de.html", "de"),
        ("/docs/page.fr.php", "fr"),
        ("/docs/page.pt-br.html", "pt-BR"),
        ("/docs/page.zh_CN.htm", "zh-CN"),
        ("/docs/guide.es.pdf", "es"),
        ("/docs/index.html.ja", "ja"),
        ("/en/page.de.html", "de"),
        ("/docs/index.ts.html", "-"),
        ("/docs/sign.in.php", "-"),
        ("/docs/about.me.html", "-"),
        ("/docs/who.is.html", "-"),
        ("/docs/index.it.html", "-"),
        ("/docs/de.html", "-"),
        ("/docs/.de.html", "-"),
        ("/docs/a.de.png", "-"),
        ("/docs/v1.de", "-"),
        ("/index.de.html/x", "-"),
    ]);
}

#[test]
fn language_as_subdomain_is_a_marker() {
    for (address, language) in [
        ("https://de.example.com/", "de"),
        ("https://www.de.example.com/", "de"),
        ("https://fr-ca.example.com/x", "fr-CA"),
        ("https://pt-br.example.co.uk/", "pt-BR"),
        ("https://en.example.org/wiki/It", "en"),
        ("https://us-en.example.com/", "en-US"),
        ("https://de.example.de/", "de"),
        // A folder is more specific than the host.
        ("https://de.example.com/en/", "en"),
        ("https://de.example.com/it/", "de"),
        ("https://it.example.com/", "-"),
        ("https://cs.example.edu/", "-"),
        ("https://id.example.com/", "-"),
        ("https://my.example.com/", "-"),
        ("https://uk.example.com/", "-"),
        ("https://ca.example.com/", "-"),
        ("https://shop.de.example.com/", "-"),
        ("https://de.com/", "-"),
        ("https://de.co.uk/", "-"),
        ("https://fr.com.au/", "-"),
        ("https://de/", "-"),
        ("https://www.de/", "-"),
        ("https://demo.example.com/", "-"),
        ("http://127.0.0.1/", "-"),
        ("http://[::1]/de/", "de"),
    ] {
        assert_eq!(marked(address).as_deref().unwrap_or("-"), language, "{address}");
    }
}

#[test]
fn language_parameter_is_a_marker() {
    paths(&[
        ("/?lang=de", "de"),
        ("/a?b=1&hl=pt-BR", "pt-BR"),
        ("/a?locale=en_US&z=1", "en-US"),
        ("/a?Language=it", "it"),
        ("/a?lang=zh-Hans", "zh-Hans"),
        ("/a?lang=uk", "uk"),
        ("/a?lang=de-FI", "de-FI"),
        ("/a?locale=en_US.UTF-8", "en"),
        ("/a?locale=ch-de", "de-CH"),
        ("/a?lang=cs", "cs"),
        ("/a?lang=nonsense&hl=fr", "fr"),
        ("/de/?lang=fr", "de"),
        ("/a?lang=", "-"),
        ("/a?lang", "-"),
        ("/a?lang=1", "-"),
        ("/a?lang=english", "-"),
        ("/a?lang=eng", "-"),
        ("/a?lang=python", "-"),
        ("/a?lang=ts", "-"),
        ("/a?lang=xx", "-"),
        ("/a?q=de", "-"),
        ("/a?slang=de", "-"),
        ("/a?de", "-"),
    ]);
}

#[test]
fn ambiguous_code_of_the_requested_language_is_a_marker() {
    for (address, wanted, language) in [
        ("https://example.com/it/servizi", "it", "it"),
        ("https://example.com/it/servizi", "it-IT", "it"),
        ("https://it.example.com/", "it", "it"),
        ("https://example.com/index.it.html", "it", "it"),
        ("https://example.com/uk/", "uk", "uk"),
        ("https://example.com/uk/en/", "uk", "en-GB"),
        ("https://example.com/es/ca/", "ca", "ca-ES"),
        ("https://example.com/it/", "de", "-"),
        ("https://example.com/de/", "it", "de"),
        ("https://example.com/xx/", "it", "-"),
    ] {
        let wanted = LanguageTag::parse(wanted).unwrap();
        let found = marked_language_for(&url(address), &wanted).map(String::from);
        assert_eq!(found.as_deref().unwrap_or("-"), language, "{address} for {wanted}");
    }
}

proptest! {
    #[test]
    fn arbitrary_url_does_not_panic(rest in "(/|\\.|-|_|de|en|us|html|hans|lang=|\\?|&|[a-zü%0-9]){0,16}") {
        if let Ok(url) = CanonicalUrl::parse(&format!("http://a.b.c/{rest}")) {
            let _ = marked_language(&url);
        }
    }
}

#[test]
fn urls_in_the_folder_of_another_language_are_built() {
    for (given, rest, tag, others) in [
        ("/de/p/lampe?id=3", "/p/lampe?id=3", "en", &["/en/p/lampe?id=3"][..]),
        ("/de-at/p/x", "/p/x", "de-CH", &["/de-ch/p/x", "/de-CH/p/x"]),
        ("/p/x", "/p/x", "fr", &["/fr/p/x"]),
        ("/shop/x", "/shop/x", "fr", &["/fr/shop/x"]),
        ("/de", "/de", "fr", &["/fr/de"]),
    ] {
        let url = CanonicalUrl::parse(&format!("https://a.test{given}")).unwrap();
        assert_eq!(without_marked_folder(&url), rest);
        let found = in_folder_of(&url, &LanguageTag::parse(tag).unwrap());
        let found: Vec<_> = found.iter().map(CanonicalUrl::path_and_query).collect();
        assert_eq!(found, others);
    }
}
