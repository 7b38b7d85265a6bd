//! The tokens of every grammar. A `\u{1}` is replaced by a unique number.

#[rustfmt::skip]
pub const HTML: &[&str] = &[
    "<", "</", "<!", "<!-", "<!--", "-->", "<!-->", "<!--x-->", "<![CDATA[", "]]>", "<?", "<?x?>",
    "<!doctype html>", "<a", "<a ", "<a b", "<a b ", "<a b=", "<a b='", "<a b=\"", "<a/", "<a =",
    "<p a=1 b=2 c=3>", "<p>", "</p>", "<p>x</p>", "<b>", "</b>", "<b>x</b>", "<b><i></b>x",
    "<a><b></a>", "<div>", "</div>", "<div>x", "<span>x</span>", "<x-y>", "</x-y>", "<br>", "<hr>",
    "<h1>x</h1>", "<h2>", "<table>", "</table>", "<tr>", "<td>", "<th>x", "<caption>",
    "<td colspan=1000>x", "<td rowspan=1000>x", "<tr><td rowspan=65534>x", "<table><tr><td>",
    "<table><td>x</table>", "<ul>", "<li>", "<ul><li>x", "<ol start=999999999><li>x", "<dl>",
    "<dt>x<dd>y", "<blockquote>", "<pre>", "<pre>x</pre>", "<code>`", "<select>", "<option>x",
    "<select><option value=1>x</select>", "<optgroup>", "<button>x", "<svg>", "<svg><path/>",
    "</svg>", "<math>", "<mrow>", "<math><mfrac><mi>x", "<math><mi>x</mi></math>",
    "<math><msup><mi>x</mi><mn>2</mn></msup></math>", "<script>", "</script>",
    "<script><!--<script>", "<style>", "</style>", "<style>a{}</style>", "<textarea>", "<title>",
    "<title>x</title>", "<noscript>", "</noscript>", "<noscript><p>x</noscript>", "<template>",
    "</template>", "<template><p>x</template>", "<iframe>", "<object>", "<form>", "<input>",
    "<form><input name=q></form>", "<label for=a>x", "<fieldset><legend>x", "<img src=a\u{1}>",
    "<img alt='x' src='data:image/png;base64,AA'>", "<picture>", "<source srcset='a 1x,b 2x'>",
    "<video src=a>", "<audio>", "<base href=/a\u{1}/>",
    "<link rel=alternate hreflang=de href=/\u{1}>", "<link rel=canonical href=/\u{1}>",
    "<meta name=robots content='noindex,nofollow'>", "<meta name=description content=x>",
    "<meta property=og:title content=x\u{1}>", "<meta property=product:price:amount content=\u{1}>",
    "<a href=/\u{1}>x</a>", "<a href=#x>x</a>", "<a href=/a rel=next>x\u{1}</a>",
    "<a href='tel:+49221\u{1}'>x</a>", "<area href=/\u{1}>", "<details><summary>x",
    "<figure><figcaption>x", "<article>", "<section><h2>x\u{1}</h2>y",
    "<nav><a href=/\u{1}>x</a></nav>", "<footer>x", "<header>", "<main>", "<aside>", "<body>",
    "<html>", "<head>", "</body>", "<address>x", "<time datetime=2024-01-01>x</time>",
    "<sup><a href=#fn\u{1}>1</a></sup>", "<li id=fn\u{1}>x<a href=#fnref\u{1}>↩</a>",
    "<ruby>x<rt>y", "<template id=\"B:\u{1}\"></template>", "<div hidden id=\"S:\u{1}\">x",
    "<div hidden id=\"S:\u{1}\">x</div>", "<!--$?--><template id=\"B:\u{1}\"></template><!--/$-->",
    "<script>$RC(\"B:\u{1}\",\"S:\u{1}\")</script>", "<template shadowrootmode=open>x",
    "<div itemscope>", "<div itemscope itemtype=https://schema.org/Product>", "<p itemprop=name>x",
    "<p itemprop='a b c d'>x", "<div typeof=Product vocab=https://schema.org/>",
    "<p property=name>x",
    "<div itemprop=offers itemscope itemtype=https://schema.org/Offer><p itemprop=price>\u{1}</p></div>",
    "<p id=a\u{1}>x", "<p class='a\u{1} b c d e f g h'>x", "<p class='price'>\u{1},99 €</p>",
    "<p style='display:none'>x", "<div class=product-card><a href=/p\u{1}>x</a> 9,99 €</div>",
    "<div role=listitem>x", "<div aria-hidden=true>x", "<font>", "<center>", "<frameset>", "&",
    "&amp;", "&amp", "&#", "&#x", "&#65;", "&#x1F600;", "&notin", "&nbsp;", "&lt;p&gt;", "\0",
    "\u{feff}", "\u{a0}", "\u{ad}", "\u{200b}", "\u{202e}", "é", "漢", "😀", "a", "a ", " ", "\n",
    "\r\n", "\t", "*", "**a", "_a_ ", "[", "]", "[a](", "![", "`", "```\n", "~~", "|", "| a |\n",
    "#", "# a\n", "> ", "- a\n", "1. a\n", "\\", "\\*", "(", ")", "\"", "'", "„", "=", "---\n",
    "://", "http://a.de ", "www.a.de ", "10 x 20 cm ", "$x$ ", "\\(x\\)", "\\begin{a}", ".", ",",
    ";", ":",
];

pub const CONTAINERS: &[(&str, &str)] = &[
    ("<div>", "</div>"),
    ("<p>", "</p>"),
    ("<span>", "</span>"),
    ("<b>", "</b>"),
    ("<a href=/x>", "</a>"),
    ("<ul><li>", "</li></ul>"),
    ("<ol><li>", "</li></ol>"),
    ("<dl><dd>", "</dd></dl>"),
    ("<blockquote>", "</blockquote>"),
    ("<table><tr><td>", "</td></tr></table>"),
    ("<pre>", "</pre>"),
    ("<code>", "</code>"),
    ("<section>", "</section>"),
    ("<details>", "</details>"),
    ("<figure>", "</figure>"),
    ("<form>", "</form>"),
    ("<svg>", "</svg>"),
    ("<math><mrow>", "</mrow></math>"),
    ("<mfrac><mi>", "</mi></mfrac>"),
    ("<template>", "</template>"),
    ("<noscript>", "</noscript>"),
    ("<x-a>", "</x-a>"),
    ("<div itemscope itemprop=offers>", "</div>"),
    ("<div class=\"vcard\">", "</div>"),
    ("<div style='direction:rtl'>", "</div>"),
    ("<div hidden id=S:1>", "</div>"),
    ("<h2>", "</h2>"),
    ("<sup>", "</sup>"),
    ("<q>", "</q>"),
    ("<label>", "</label>"),
];

#[rustfmt::skip]
pub const JSON: &[&str] = &[
    "{", "[", "}", "]", ",", ":", "\"", "'", "`", "\\", "\"\\", "\\u0041", "\\ud800", "{\"a\":",
    "{\"a\":[", "[{", "[1,", "{\"a\":1},", "\"a\",", "\"a\":1,", "\"a\" ", "a:", "{a:", "{'a':",
    "1", "1,", "-", "1e", "1.5,", "null,", "true,", "x,", "x.y,", "//x\n", "/*", "/**/", "<!--",
    "={\"", "={a", "=[{", ",{a:", "(function(a){return {x:a}}(1))", "(function(a){return ",
    "){return ", "){return{\"a\":", "!0,",
    "{\"@type\":\"Product\",\"name\":\"Widget\",\"offers\":{\"price\":\u{1}}},",
    "\"offers\":{\"@type\":\"Offer\",\"price\":\"9\"},", "{\"@id\":\"#a\u{1}\"},",
    "{\"@type\":\"Person\",\"name\":\"Anna Berg\",\"jobTitle\":\"CEO\"},",
    "{\"@type\":\"Organization\",\"name\":\"x\u{1}\",\"email\":\"a@b.de\"},",
    "{\"name\":\"Widget\",\"price\":\u{1},\"sku\":\"a\"},",
    "\"variants\":[{\"price\":1,\"sku\":\"a\u{1}\"}],",
    "{\"product\":{\"name\":\"Widget\",\"price\":1,\"sku\":\"a\"}},", "&quot;a&quot;:", "\u{feff}",
];

#[rustfmt::skip]
pub const SCRIPT: &[&str] = &[
    "(", ")", "[", "{", "{\"", "={\"", "=", "a=", "a=a+a;", "a+=a;", "a+='x@y.de';", "+", "'", "\"",
    "`", "'a'+", "'a',", "['a','b'].join('@')", "['a'].join(", ".join('')", ".split('')",
    ".split('').reverse().join('')", ".replace(/a/g,'aa')", ".replace('a','aa')", ".replace(/",
    "a=a.split('').join('@@');", "atob(", "atob('YUBiLmRl');", "unescape('%40')+",
    "String.fromCharCode(64,", "document.write('x@y.de');", "document.write(a);", "a.b.c.d.",
    "a.b(", "1", "a1", "$", "//", "//x\n", "/*", "/**/", "\\", "function(){",
    "(function(a){return {x:a}}(1));", "){return ", "){return {", "return ", "var a\u{1}='x';",
    "if(a){", "a.concat(a)", "a=[a,a];", "a={\"price\":1};", ";", "=>", "/a/",
    "el.innerHTML=a;",
];

#[rustfmt::skip]
pub const TEXT: &[&str] = &[
    "@", "a@", "a@b", "a@b.de ", "a\u{1}@firma.test ", "a [at] b [dot] de ", "[at] ", " at ",
    "(at)", "a.b.", "a-", "1", "1 ", "0221 1234567 ", "+49 221 123\u{1} ", "Tel. ",
    "Tel.: +49 (0)221 / 12 34 - 5 ", "Fax: ", "(0) ", "+", "00", "12345 Berlin ", "Musterstr. 1 ",
    "Musterstr. \u{1}, 12345 Berlin, ", "Weg 1 12345 Ort ", "Rue de la Paix 5, 75001 Paris ",
    "London SW1A 1AA ", "Ort ", "Anna Berg ", "Anna Berg, ", "Dr. Anna Berg, CEO ", "Dr. ",
    "von ", "Prof. Dr. h. c. ", "Geschäftsführer: ", "Geschäftsführer: Anna Berg, ",
    "CEO ", "Head of Sales ", "Leiterin ", "Muster GmbH ", "Muster GmbH & Co. KG ", "& Co. ", "AG ",
    "USt-IdNr. DE123456789 ", "DE123456789 ", "HRB 12345 ", "HRB \u{1} Amtsgericht Köln ",
    "SIRET 123 456 789 00012 ", "© 2024 Muster GmbH ", "seit 1999 ", "1.299,00 € ", "€ ", "9,99 ",
    "$1,299.00 ", "ab 9,99 € ", "inkl. MwSt. ", "UVP 9,99 € ", "Preis auf Anfrage ",
    "4,5 von 5 Sternen ", "12.03.2024 ", "2024-01-01T00:00:00Z ", "10 x 20 x 30 cm ",
    "EAN 4006381333931 ", "Art.-Nr. \u{1} ", "Farbe: rot ", "a: b; ", "Word word. ", "A. B. ", "»",
    "• ", "| ", " – ", "Impressum ", "Kontakt: ", "https://a.de/ ", "www.", "x\u{1} ",
];

#[rustfmt::skip]
pub const STYLE: &[&str] = &[
    "{", "}", "a{", "a{}", ".a{display:none}", ".a\u{1}{display:none}", ".a,",
    ".a .b{direction:rtl}", ".a{unicode-bidi:bidi-override}", "/*", "/**/", "@media{", "@import",
    "\"", "\\", ":", ";", "display:none;", "url(", "a>b~c+d{}", "[a=b]{}",
    ".a::before{content:'x@y.de'}",
];

#[rustfmt::skip]
pub const URL: &[&str] = &[
    "/", "/a", "/..", "../", "./", "?", "?a=1", "&a=1", "#", "%", "%41", "%2e%2e/", "%FF",
    "@", "a@", ":", ":80", "[", "]", "\\", "ä", "xn--", "a.", "a,", "a 1x,", "a\u{1} 2x, ", ", ",
    "(", "mailto:a@b.de,", "javascript:", "data:", "&amp;", "\t", "\n", " ",
];

#[rustfmt::skip]
pub const BLOCKS: &[&str] = &[
    "<p>a\u{1}@firma.test", "<p>Anna Berg<br>CEO<br>anna.berg@firma.test",
    "<div class=card><h3>Anna Berg</h3><p>CEO</p><a href=mailto:a\u{1}@firma.test>Mail</a></div>",
    "<div class=card><h3>Anna Berg\u{1}</h3><p>CEO</p><p>Tel. 0221 12345\u{1}</p></div>",
    "<li>Anna Bergmann – Head of Sales – anna@firma.test",
    "<tr><td>Karl Otto<td>CEO<td>+49 221 123\u{1}",
    "<div><h3>Peter Klein</h3><p>Vertrieb</p><img src=a></div>",
    "<h3>Maria Groß</h3><p>Prokuristin</p>",
    "<div class=vcard><p class=fn>Anna Berg</p><p class=title>CEO</p></div>",
    "<div itemscope itemtype=https://schema.org/Person><p itemprop=name>Anna Berg</p></div>",
    "<p>Anna Berg, Karl Otto, Peter Klein, Maria Groß", "<dt>Vertrieb<dd>Anna Berg",
    "<p>Musterstr. \u{1}<br>12345 Berlin", "<p>Tel. +49 221 12345\u{1}",
    "<p>Muster\u{1} GmbH<br>Weg 1<br>12345 Ort", "<p>Geschäftsführer: Anna Berg<br>HRB 12345",
    "<p>USt-IdNr. DE12345678\u{1}", "<h2>Agentur</h2><p>Webdesign: Fremd GmbH",
    "<a href=https://www.linkedin.com/in/a\u{1}>in</a>",
    "<a href=https://www.facebook.com/a\u{1}>f</a>", "<a href=/team/a\u{1}>Anna Berg</a>",
    "<a href=/kontakt\u{1}>Kontakt</a>", "<p data-user=a data-domain=b.de>x",
    "<a class=__cf_email__ data-cfemail=5c3d1c3e>x</a>", "<p>Preis: 9,\u{1} €</p>",
    "<del>9,99 €</del><ins>8,99 €</ins>",
    "<select name=a\u{1}><option value=1>rot<option value=2>blau</select>",
    "<label><input type=radio name=a\u{1} value=1>rot</label>",
    "<table><tr><th>Farbe<td>rot</table>", "<tr><th>Farbe\u{1}<td>rot", "<dl><dt>Farbe<dd>rot</dl>",
    "<li><b>Farbe:</b> rot", "<ol class=breadcrumb><li><a href=/\u{1}>x</a></ol>",
    "<nav aria-label=breadcrumb><a href=/>x</a>", "<img class=gallery src=/p\u{1}.jpg>",
    "<a data-zoom-image=/p\u{1}.jpg href=/x>x</a>",
    "<form action=/cart><button>In den Warenkorb</button></form>", "<p class=rating>4,5 von 5 (12)",
    "<p class=sku>Art.-Nr. \u{1}", "<p>EAN 4006381333931",
    "<div id=description\u{1}><p>text text text",
    "<p>word word word word word word word word word word", "<p><a href=/\u{1}>word</a> word",
    "<p>x</p><p>x</p>", "<h2>x\u{1}</h2><p>y", "<blockquote><p>„Zitat“ Anna Berg</blockquote>",
    "<pre><code class=language-rust>x</code></pre>", "<li><p>x</p><ul><li>y</ul>",
    "<p>x<sup id=fnref\u{1}><a href=#fn\u{1}>1</a></sup>",
    "<figure><img src=/\u{1}><figcaption>x</figcaption></figure>",
];

#[rustfmt::skip]
pub const XML: &[&str] = &[
    "<", "<url>", "<url><loc>https://firma.test/\u{1}</loc></url>", "<url><loc>", "</url>",
    "<loc>/a</loc>", "<lastmod>", "<!--", "<!DOCTYPE", "<![CDATA[", "&amp;", "&a;",
    "<xhtml:link rel='alternate' hreflang='de' href='https://firma.test/\u{1}'/>",
    "<image:image><image:loc>/a\u{1}</image:loc></image:image>", "<a b='c' ", "<?x?>",
    "<x:y xmlns:x='z'>", "<item><link>https://firma.test/\u{1}</link></item>",
    "<sitemap><loc>https://firma.test/\u{1}.xml</loc></sitemap>",
];

#[rustfmt::skip]
pub const CARD: &[&str] = &[
    "FN:Anna Berg\n", "N:Berg;Anna;;;\n", "EMAIL:a\u{1}@firma.test\n",
    "TEL;TYPE=work:+49221\u{1}\n", "ADR:;;Weg 1;Ort;;12345;DE\n", "=\n", " x\n",
    "END:VCARD\nBEGIN:VCARD\nFN:Anna Berg\n", "X;ENCODING=QUOTED-PRINTABLE:=41=\n", ";", ":", "\\,",
    "ORG:a;b\n", "URL:https://a.de/\u{1}\n",
];

#[rustfmt::skip]
pub const PROTECTION: &[&str] = &[
    "_Incapsula_Resource", "<iframe src=_Incapsula_Resource", "window._pxAppId =", "/_fs-ch-",
    "window[\"bobcmn\"]", "<script id=anubis_challenge ", "/TSPD/0", "Just a moment...",
    "/cdn-cgi/challenge-platform/", "id=challenge-form", ".awswaf.com/", "cf-error-code\">",
    "geo.captcha-delivery.com", "id=px-captcha ", "window.KPSDK", "var dd={'rt'",
];

/// One token of each kind, for pairs.
#[rustfmt::skip]
pub const PAIRED: &[&str] = &[
    "<p>", "<b>", "</b>", "<table>", "<li>", "<!--", "<a href='", "<script>", "</script>", "<svg>",
    "<template>", "{\"a\":", "&amp;", "a@b.de ",
];
