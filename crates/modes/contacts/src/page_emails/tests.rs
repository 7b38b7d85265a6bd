//! Plain and obfuscated mailboxes.

use contract::ContactMethod;

use crate::page_view::PageView;
use html::dom::Dom;

fn seen(html: &str) -> Vec<(String, ContactMethod)> {
    let dom = Dom::parse(html);
    let page = PageView::read(&dom, "firma.test");
    page.mails.into_iter().map(|mail| (mail.value, mail.method)).collect()
}

#[track_caller]
fn one(html: &str, expected: &str) {
    let values: Vec<String> = seen(html).into_iter().map(|mail| mail.0).collect();
    assert_eq!(values, [expected], "{html}");
}

#[test]
fn at_and_dot_words_of_eight_languages_are_decoded() {
    for text in [
        "info [at] firma [dot] test",
        "info(at)firma.test",
        "info (ät) firma (punkt) test",
        "info[arobase]firma[point]test",
        "info arroba firma punto test",
        "info(arroba)firma.test",
        "info [chiocciola] firma [punto] test",
        "info {at} firma {dot} test",
        "info apenstaartje firma punt test",
        "info [małpa] firma [kropka] test",
        "info małpa firma kropka test",
        "info AT firma DOT test",
        "info @ firma.test",
        "info[@]firma.test",
        "info(a)firma.test",
        "info_at_firma.test",
        "info ((at)) firma.test",
        "Mail: info-at-firma.test.",
    ] {
        one(&format!("<p>{text}</p>"), "info@firma.test");
    }
    one("<p>max [punkt] muster [at] firma [punkt] test</p>", "max.muster@firma.test");
    one("<p>max.mustermann at firma punkt test</p>", "max.mustermann@firma.test");
    one("<p>ivan собака firma точка test</p>", "ivan@firma.test");
}

#[test]
fn sentences_and_placeholders_are_not_mailboxes() {
    for text in [
        "Meet us at firma.test and buy",
        "We are @ home.",
        "Look at example.com dot",
        "Look at this point in time",
        "price (a) 5.de",
        "Labrador собака firma.ru",
        "max_affe_firma.test",
        "joh...n@firma.test",
        "logo@2x.png",
        "@firma",
        "your@email.com",
        "name@example.com",
        "vorname.nachname@firma.test",
        "Do not write to trapper@firma.test",
        "spamtrap@firma.test",
    ] {
        assert_eq!(seen(&format!("<p>{text}</p>")), [], "{text}");
    }
}

#[test]
fn hidden_text_yields_no_mailbox() {
    for html in [
        "<div style='display: none'>a@firma.test</div>",
        "<div hidden><a href='mailto:a@firma.test'>x</a></div>",
        "<p aria-hidden=true>a@firma.test</p>",
        "<span style='position:absolute;left:-9999px'>a@firma.test</span>",
        "<style>.q{display:none}</style><p class=q>a@firma.test</p>",
        "<!-- a@firma.test -->",
        "<input placeholder='a@firma.test' value='b@firma.test'>",
        "<template>a@firma.test</template>",
        "<textarea>a@firma.test</textarea>",
        "<img alt='a@firma.test' src=x.gif>",
    ] {
        assert_eq!(seen(html), [], "{html}");
    }
}

#[test]
fn obfuscated_mailboxes_are_decoded() {
    let hidden = [
        "<p>info<span style='display:none'>NOSPAM</span>@firma.test</p>",
        "<style>.r{display:none}</style><p>info@<b class=r>x.</b>firma.test</p>",
        "<p><span>info</span><b>@</b><i>firma</i>.<span>test</span></p>",
        "<p>in<!-- x@y -->fo@<!-- -->firma.test</p>",
        "<p>&#105;nfo&#64;firma&#46;test</p>",
        "<p>&#x69;&#x6e;&#x66;&#x6f;&#x40;firma.test</p>",
        "<a href='&#109;ailto:info&#64;firma.test'>Mail</a>",
        "<span style='unicode-bidi:bidi-override;direction:rtl'>tset.amrif@ofni</span>",
        "<style>.b{unicode-bidi:bidi-override;direction:rtl}</style><p class=b>tset.amrif@ofni</p>",
        "<bdo dir=rtl>tset.amrif@ofni</bdo>",
        "<script>document.write('info'+'@'+'firma'+'.test')</script>",
        "<script>var a='info';var b=['firma','test'].join('.');document.write(a+'@'+b);</script>",
        "<script>document.write(String.fromCharCode(105,110,102,111,64,102,105,114,109,97,46,116,101,115,116))</script>",
        "<script>document.getElementById('m').innerHTML='<a href=\"mailto:'+'info'+'\\x40'+'firma.test\">Mail</a>';</script>",
        "<script>document.write(atob('aW5mb0BmaXJtYS50ZXN0'))</script>",
        "<script>document.write('tset.amrif@ofni'.split('').reverse().join(''))</script>",
        "<script>document.write('info#firma.test'.replace('#','@'))</script>",
        "<script>var addy='&#105;nf&#111;'+'&#64;';addy=addy+'firma'+'&#46;'+'test';document.getElementById('c').innerHTML+='<a href=\"mailto:'+addy+'\">'+addy+'</a>';</script>",
        "<a class=m href='#' data-user=info data-domain=firma.test>Mail</a>",
        "<span data-name=info data-domain=firma data-tld=test></span>",
        "<a href=\"javascript:location.href='mailto:'+'info'+'@'+'firma.test'\">Mail</a>",
    ];
    for html in hidden {
        assert_eq!(
            seen(html),
            [("info@firma.test".to_owned(), ContactMethod::Deobfuscated)],
            "{html}"
        );
    }
    let moved = "<script>document.write(\"vasb@svezn.grfg\".replace(/[a-zA-Z]/g,function(c){return \
                 String.fromCharCode((c<=\"Z\"?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26);}));</script>";
    one(moved, "info@firma.test");
}

#[test]
fn encoded_attribute_is_decoded_to_the_most_certain_address() {
    for (code, address) in [
        ("znevn.ebffv@svezn.vg", "maria.rossi@firma.it"),
        ("vasb@svezn.bet", "info@firma.org"),
        ("maria@firma.test", "maria@firma.test"),
    ] {
        one(&format!("<a href='#' data-email='{code}'>Mail</a>"), address);
    }
    assert_eq!(seen("<a href='#' data-address='office at firma.de'>Mail</a>"), []);
}

#[test]
fn mailto_link_and_its_text_yield_one_mailbox() {
    let html = "<p>Mail: <a href='mailto:Info@Firma.test?subject=Hi'>info@firma.test</a></p>";
    assert_eq!(seen(html), [("info@firma.test".to_owned(), ContactMethod::Mailto)]);
    one("<a href='mailto:%69nfo%40firma.test'>write</a>", "info@firma.test");
    assert_eq!(seen("<a href='mailto:?subject=&body=x'>share</a>"), []);
}

#[test]
fn mailbox_label_is_read_from_line_or_neighbouring_cell() {
    let html =
        "<table><tr><td>Presse:</td><td>a@firma.test</td></tr></table><p>Sales: b@firma.test";
    let dom = Dom::parse(html);
    let page = PageView::read(&dom, "firma.test");
    let labels: Vec<_> = page.mails.iter().map(|mail| mail.label.as_deref()).collect();
    assert_eq!(labels, [Some("Presse"), Some("Sales")]);
}

#[test]
fn script_over_budget_is_dropped_and_next_script_is_read() {
    for statement in [
        "a=a.split('').join('@@@@@@@@');",
        "a=[a,a,a,a].join(a);",
        "a=a.replace(/x/g,'xxxxxxxx');",
        "a+=a;",
        "a=a.concat(a);",
    ] {
        let bomb = format!("var a='x@y';{}document.write(a);", statement.repeat(40));
        let html = format!(
            "<p><script>{bomb}</script><p><script>document.write('info'+'@'+'firma.test')</script>"
        );
        let read = html::budget::with(html::budget::PageBudget::for_page(html.len()), || {
            one(&html, "info@firma.test");
            html::budget::spent().bytes
        });
        assert!(read.is_ok_and(|bytes| bytes <= 64 * 1024), "{statement}");
    }
}
