"""Lines {"url", "file"} to records of products by extruct, one or null a line.

    python extruct_records.py FILE

FILE gets the milliseconds of CPU of extracting and mapping; starting and reading files do not
count. All four syntaxes are read; of the products of a page the first that has a name is taken,
JSON-LD before microdata before RDFa before OpenGraph, and what it lacks comes from the next.
"""

import json
import sys
import time
from urllib.parse import urljoin

import extruct

SYNTAXES = ["json-ld", "microdata", "rdfa", "opengraph"]
GTINS = ["gtin", "gtin13", "gtin12", "gtin14", "gtin8", "ean", "isbn"]


def many(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def text(value):
    for one in many(value):
        if isinstance(one, dict):
            one = one.get("name") or one.get("@value") or one.get("@id") or one.get("value")
        if one is not None and str(one).strip():
            return str(one).strip()
    return None


def bare(name):
    return str(name).rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]


def types(item):
    return {bare(kind) for kind in many(item.get("@type")) + many(item.get("type"))}


def plain(item):
    """An RDFa or microdata item with the short names of its properties."""
    if isinstance(item, list):
        return [plain(one) for one in item]
    if isinstance(item, dict):
        return {key if key.startswith("@") else bare(key): plain(value) for key, value in item.items()}
    return item


def items(value):
    """Every object in the data of a syntax."""
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            yield one
            waiting.extend(v for v in one.values() if isinstance(v, (list, dict)))


def linked(rdfa):
    """RDFa objects with those that they refer to put in their place."""
    known = {item.get("@id"): item for item in rdfa}

    def whole(item, depth=0):
        if isinstance(item, list):
            return [whole(one, depth) for one in item]
        if isinstance(item, dict):
            if set(item) == {"@id"} and item["@id"] in known and depth < 4:
                return whole(known[item["@id"]], depth + 1)
            return {key: whole(value, depth) for key, value in item.items()}
        return item

    return [plain(whole(item)) for item in rdfa]


def product(item, url):
    offers = [offer for offer in many(item.get("offers")) if isinstance(offer, dict)]
    offer = offers[0] if offers else {}
    rating = next((one for one in many(item.get("aggregateRating")) if isinstance(one, dict)), None)
    images = []
    for image in many(item.get("image")):
        address = image.get("url") or image.get("contentUrl") or image.get("@id") if isinstance(image, dict) else image
        images.extend(urljoin(url, one) for one in map(text, many(address)) if one)
    stock = bare(text(offer.get("availability")) or "")
    gtins = [text(where.get(name)) for where in [item, offer] for name in GTINS]
    rows = [one for one in many(item.get("additionalProperty")) if isinstance(one, dict)]
    forms = [one for one in many(item.get("hasVariant")) if isinstance(one, dict)]
    return {
        "name": text(item.get("name")),
        "brand": text(item.get("brand")) or text(item.get("manufacturer")),
        "category": text(item.get("category")),
        "description": text(item.get("description")),
        "sku": text(item.get("sku")) or text(item.get("productID")),
        "mpn": text(item.get("mpn")),
        "gtin": [{"value": gtin} for gtin in dict.fromkeys(gtins) if gtin],
        "price": text(offer.get("price")) or text(offer.get("lowPrice")),
        "currency": text(offer.get("priceCurrency")),
        "availability": {
            "InStock": "in_stock", "LimitedAvailability": "in_stock", "OutOfStock": "out_of_stock",
            "SoldOut": "out_of_stock", "PreOrder": "preorder", "BackOrder": "backorder",
            "Discontinued": "discontinued",
        }.get(stock, "unknown"),
        "condition": {
            "NewCondition": "new", "UsedCondition": "used", "RefurbishedCondition": "refurbished",
        }.get(bare(text(offer.get("itemCondition")) or text(item.get("itemCondition")) or "")),
        "seller": {"name": text(offer.get("seller"))} if text(offer.get("seller")) else None,
        "images": [{"url": image} for image in dict.fromkeys(images)],
        "rating": rating and {
            "value": text(rating.get("ratingValue")),
            "count": text(rating.get("reviewCount")) or text(rating.get("ratingCount")),
        },
        "attributes": [{"name": text(row.get("name")), "value": text(row.get("value"))} for row in rows],
        "features": [],
        "variants": [{
            "options": {name: text(form[name]) for name in ["color", "size", "material"] if form.get(name)},
            "sku": text(form.get("sku")),
            "price": text(next(iter(many(form.get("offers"))), {}).get("price") if form.get("offers") else None),
        } for form in forms],
    }


def trail(all_items):
    for item in all_items:
        if "BreadcrumbList" in types(item):
            steps = [step for step in many(item.get("itemListElement")) if isinstance(step, dict)]
            steps.sort(key=lambda step: float(text(step.get("position")) or 0))
            return [{"name": text(step.get("name")) or text(step.get("item"))} for step in steps]
    return []


def of_graph(properties):
    """OpenGraph with the properties of its product namespace."""
    first = {}
    for name, value in properties:
        first.setdefault(name, value)
    if first.get("og:type") not in ("product", "og:product", "product.item"):
        return None
    stock = (first.get("product:availability") or first.get("og:availability") or "").replace(" ", "_").lower()
    return {
        "name": first.get("og:title"),
        "brand": first.get("product:brand"),
        "description": first.get("og:description"),
        "sku": first.get("product:retailer_item_id"),
        "price": first.get("product:price:amount") or first.get("og:price:amount"),
        "currency": first.get("product:price:currency") or first.get("og:price:currency"),
        "availability": {"instock": "in_stock", "in_stock": "in_stock", "oos": "out_of_stock",
                         "out_of_stock": "out_of_stock", "preorder": "preorder"}.get(stock, "unknown"),
        "images": [{"url": value} for name, value in properties if name == "og:image"],
    }


def record(html, url):
    data = extruct.extract(html, base_url=url, syntaxes=SYNTAXES, uniform=False, errors="ignore")
    microdata = extruct_items(data.get("microdata", []))
    sources = [list(items(data.get("json-ld", []))), list(items(microdata)), linked(data.get("rdfa", []))]
    found = []
    for source in sources:
        products = [item for item in source if types(item) & {"Product", "ProductGroup"}]
        named = next((item for item in products if text(item.get("name"))), None)
        if named:
            found.append(product(named, url))
    for graph in data.get("opengraph", []):
        if one := of_graph(graph.get("properties", [])):
            found.append(one)
    found = [one for one in found if one.get("name")]
    if not found:
        return None
    whole = {}
    for one in found:
        for name, value in one.items():
            if whole.get(name) in (None, [], "unknown"):
                whole[name] = value
    whole["breadcrumbs"] = next(filter(None, map(trail, sources)), [])
    return whole


def extruct_items(microdata):
    """Microdata in the shape of JSON-LD."""
    if isinstance(microdata, list):
        return [extruct_items(one) for one in microdata]
    if isinstance(microdata, dict) and "properties" in microdata:
        item = {name: extruct_items(value) for name, value in microdata["properties"].items()}
        return {**item, "@type": microdata.get("type")}
    return microdata


spent = 0.0
for line in sys.stdin:
    page = json.loads(line)
    with open(page["file"], encoding="utf-8") as file:
        html = file.read()
    begun = time.process_time()
    try:
        found = record(html, page["url"])
    except Exception:  # A page that it cannot read gives nothing.
        found = None
    spent += time.process_time() - begun
    print(json.dumps(found), flush=False)
with open(sys.argv[1], "w") as out:
    out.write(str(spent * 1000))
