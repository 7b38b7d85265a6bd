//! A headless shop of Nuxt: `window.__NUXT__` in one template, the flat payload of the
//! third version in the other.

use serde_json::{Value, json};

use super::next::item;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let state = json!({"product": item(scene), "locale": scene.good.locale.tag});
    let script = match scene.good.layout {
        0 => {
            let whole = json!({"layout": "default", "data": [state], "fetch": {}, "error": null,
                "state": {"cart": {"items": [], "total": 0}}, "serverRendered": true});
            let text = match scene.good.number % 3 {
                0 => called(&whole, scene.good.locale.currency),
                _ => linked_data::embedded(&whole),
            };
            format!("<script>window.__NUXT__={text};</script>\n")
        }
        _ => format!(
            "<script type=\"application/json\" id=\"__NUXT_DATA__\" data-ssr=\"true\">{}\
             </script>\n\
             <script>window.__NUXT__={{}};\
             window.__NUXT__.config={{public:{{}},app:{{baseURL:\"/\"}}}}\
             </script>\n",
            linked_data::embedded(&flattened(
                &json!({"data": {"product": state}, "state": {}, "once": []})
            ))
        ),
    };
    let head = format!(
        "<meta data-hid=\"og:title\" property=\"og:title\" content=\"{}\">\n\
         <meta data-n-head=\"ssr\" property=\"og:image\" content=\"{}\">\n",
        scene.name(),
        scene.image()
    );
    let body =
        format!("<div id=\"__nuxt\"><div id=\"__layout\">{}</div></div>\n{script}", main(scene));
    scene.document(&head, "", &body)
}

/// The state as the second version writes it: a function whose arguments are the values
/// that occur often, and members without quotes.
fn called(state: &Value, currency: &str) -> String {
    fn write(value: &Value, currency: &str, text: &mut String) {
        match value {
            Value::Null => text.push('b'),
            Value::Bool(true) => text.push('c'),
            Value::String(word) if word == currency => text.push('a'),
            Value::Array(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    write(item, currency, text);
                }
                text.push(']');
            }
            Value::Object(members) => {
                text.push('{');
                for (at, (key, member)) in members.iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    text.push_str(key);
                    text.push(':');
                    write(member, currency, text);
                }
                text.push('}');
            }
            Value::Bool(false) | Value::Number(_) | Value::String(_) => {
                text.push_str(&linked_data::embedded(value));
            }
        }
    }
    let mut text = String::new();
    write(state, currency, &mut text);
    format!("(function(a,b,c){{return {text}}}(\"{currency}\",null,true))")
}

/// Every value once in one array, objects and arrays holding places in it.
fn flattened(value: &Value) -> Value {
    fn place(value: &Value, flat: &mut Vec<Value>) -> usize {
        let at = flat.len();
        flat.push(Value::Null);
        let entry = match value {
            Value::Array(items) => items.iter().map(|item| json!(place(item, flat))).collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, member)| (key.clone(), json!(place(member, flat))))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        };
        flat[at] = entry;
        at
    }
    let mut flat = vec![json!(["ShallowReactive", 1])];
    place(value, &mut flat);
    Value::Array(flat)
}

fn main(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let images: String = good
        .pictures
        .iter()
        .map(|picture| {
            format!(
                "<a href=\"{}\" class=\"swiper-slide\"><img data-src=\"{}\" src=\"{}\" \
                 alt=\"{}\"></a>\n",
                picture.full,
                picture.medium,
                picture.thumb,
                escape(&picture.alt)
            )
        })
        .collect();
    let old = scene.regular().map(|regular| format!("<span class=\"price__old\">{regular}</span>"));
    let stock = good
        .shown_stock()
        .map(|text| format!("<div class=\"availability\">{}</div>", escape(text)));
    let brand = good.shown_brand().map(|brand| {
        format!("<div class=\"producer\">{}: <b>{}</b></div>", scene.words.brand, escape(brand))
    });
    let buy = format!(
        "<div class=\"product-box\" data-v-5c1f><h1 data-v-5c1f>{}</h1>{}{}\
         <div class=\"price\" data-v-77>{}<strong>{}</strong> <small>{}</small>\
         </div>{}{}{}{}{}</div>\n",
        scene.name(),
        scene.stars("opinie"),
        brand.unwrap_or_default(),
        old.unwrap_or_default(),
        scene.price(),
        scene.tax(),
        scene.lures("note"),
        scene.selects("v-select"),
        scene.button("btn btn--buy"),
        stock.unwrap_or_default(),
        scene.code_lines("code"),
    );
    let text = format!(
        "<section id=\"opis\"><h2>{}</h2>{}</section>\n",
        scene.words.description,
        scene.description(good.layout)
    );
    let facts = format!(
        "<section id=\"dane\">{}{}</section>\n",
        scene.features("zalety"),
        scene.rows(good.layout * 2, "parametry")
    );
    let gallery = format!("<div class=\"swiper\">\n{images}</div>\n");
    let parts = match good.layout {
        0 => [gallery, buy, text, facts],
        _ => [buy, facts, gallery, text],
    };
    format!("{}{}{}", scene.trail(good.layout, "okruszki"), parts.concat(), scene.asides())
}
