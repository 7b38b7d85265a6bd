"""Compares records of products with the truth, field by field.

    python score.py FOLDER NAME...

FOLDER has `truth`, and for each NAME a line a page and the milliseconds of CPU that it took. A
list counts by its values. Two prices are one when their numbers are, two descriptions when they
share 95 % of their words; other texts must be equal but for white space.
"""

import json
import sys
from collections import Counter

TEXTS = ["name", "brand", "category", "sku", "mpn", "currency", "condition"]
PRICES = ["price", "regular_price"]
LISTS = ["gtin", "images", "breadcrumbs", "attributes", "features", "variants"]
CORE = ["name", "price", "currency", "availability", "sku", "gtin", "brand", "images", "description"]


def squeezed(value):
    return " ".join(str(value).split()) if value is not None else None


def number(value):
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return squeezed(value)


def words(text):
    return set(str(text).split())


def same_text(one, other):
    one, other = words(one), words(other)
    return 2 * len(one & other) >= 0.95 * (len(one) + len(other))


def values(field, record):
    """The values of a field that can be compared by equality."""
    if field in TEXTS:
        return [squeezed(record.get(field))] if record.get(field) else []
    if field in PRICES:
        return [number(record[field])] if record.get(field) is not None else []
    if field == "availability":
        return [record[field]] if record.get(field) not in (None, "unknown") else []
    if field == "seller":
        return [squeezed((record.get("seller") or {}).get("name"))] if record.get("seller") else []
    if field == "rating":
        rating = record.get("rating")
        return [(number(rating.get("value")), number(rating.get("count")))] if rating else []
    many = record.get(field) or []
    return [{
        "gtin": lambda one: one["value"],
        "images": lambda one: one["url"],
        "breadcrumbs": lambda one: squeezed(one["name"]),
        "attributes": lambda one: (squeezed(one["name"]), squeezed(one["value"])),
        "features": squeezed,
        "variants": lambda one: (tuple(sorted((one.get("options") or {}).values())), one.get("sku"),
                                 number(one.get("price"))),
    }[field](one) for one in many]


def scored(truths, records):
    fields = TEXTS + PRICES + ["availability", "seller", "rating", "description"] + LISTS
    tally = {field: [0, 0, 0] for field in fields}  # right, found, there
    pages, leaked, contacts, lost, codes = [0, 0, 0], 0, 0, 0, 0
    for truth, record in zip(truths, records, strict=True):
        wanted = truth["product"]
        pages[1] += record is not None
        pages[2] += wanted is not None
        pages[0] += record is not None and wanted is not None
        if wanted is None:
            continue
        record = record or {}
        for field in fields:
            if field == "description":
                one, other = wanted.get(field), record.get(field)
                right, found, there = int(bool(one and other) and same_text(one, other)), bool(other), bool(one)
            else:
                there, found = Counter(values(field, wanted)), Counter(values(field, record))
                right, found, there = (there & found).total(), found.total(), there.total()
            for at, count in enumerate([right, found, there]):
                tally[field][at] += count
        shown = record.get("description") or ""
        contacts += len(wanted["contacts"])
        leaked += sum(contact in shown for contact in wanted["contacts"])
        if shown:
            codes += len(wanted["codes"])
            lost += sum(code not in shown for code in wanted["codes"])
    return tally, pages, (leaked, contacts, lost, codes)


def shares(right, found, there):
    precision, recall = right / max(1, found), right / max(1, there)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def main():
    folder, *names = sys.argv[1:]
    truths = [json.loads(line) for line in open(f"{folder}/truth")]
    scores = {}
    for name in names:
        records = [json.loads(line) for line in open(f"{folder}/{name}")]
        scores[name] = scored(truths, records)
    shops = len({truth["shop"] for truth in truths})
    print(f"{len(truths)} pages of {shops} shops; precision, recall, F1")
    print(f"{'':<16}" + "".join(f"{name:<26}" for name in names))
    rows = ["products", *scores[names[0]][0]]
    for field in rows:
        line, there = f"{field:<16}", 0
        for name in names:
            tally, pages, _ = scores[name]
            right, found, there = pages if field == "products" else tally[field]
            line += "  ".join(f"{share:.3f}" for share in shares(right, found, there)) + " " * 7
        print(f"{line}of {there}")
    core = {name: sum(shares(*scores[name][0][field])[2] for field in CORE) / len(CORE) for name in names}
    print(f"{'core fields':<16}" + "".join(f"{'':<14}{core[name]:.3f}{'':<7}" for name in names) + "mean F1")
    spent = {name: float(open(f"{folder}/{name}.ms").read()) / len(truths) for name in names}
    for name in names:
        leaked, contacts, lost, codes = scores[name][2]
        print(f"{name}: {leaked} of {contacts} contact details let through, {lost} of {codes} codes lost, "
              f"{spent[name]:.2f} ms of CPU a page")
    first, *others = names
    for other in others:
        print(f"{other} takes {spent[other] / spent[first]:.1f} times the CPU of {first}")


main()
