"""The pages for training: where they are, and whether each sells one product.

    pages.py DATA_FOLDER        a line {"url", "file"} per page, for the program `product_features`
"""

import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))

REAL, OTHER, LAB = "real-products", "wcxb-dev", "lab"


def corrections():
    """The labels of `labels.tsv` by page id; None where a page is doubtful."""
    labels = {}
    with open(os.path.join(HERE, "labels.tsv")) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, label = line.split()[:2]
                labels[name] = None if label == "-" else int(label)
    return labels


def saved_pages(data):
    """Id, source, URL, file and label of every page of both sets, each page once."""
    pages = []
    folder = os.path.join(data, REAL)
    with open(os.path.join(folder, "truth.jsonl")) as lines:
        for page in map(json.loads, lines):
            file = os.path.join(folder, page["file"])
            pages.append((page["id"], REAL, page["url"], file, int(page["is_product_page"])))
    known, corrected = {page[0] for page in pages}, corrections()
    folder = os.path.join(data, OTHER)
    for name in sorted(os.listdir(os.path.join(folder, "ground-truth"))):
        number = name.removesuffix(".json")
        name = f"wcxb-{number}"
        if name in known:
            continue
        with open(os.path.join(folder, "ground-truth", number + ".json")) as file:
            page = json.load(file)
        kind = page["_internal"]["page_type"]
        kind = kind["primary"] if isinstance(kind, dict) else kind
        label = corrected.get(name, int(kind == "product"))
        file = os.path.join(folder, "html", number + ".html.gz")
        # Some pages of the set have no URL.
        url = page.get("url") or f"https://page-{number}.example/page"
        pages.append((name, OTHER, url, file, label))
    return pages


class Pages:
    """Features, labels and domains of all pages that have a label."""

    def __init__(self, data, features, lab):
        # Not needed for the list of pages, which is printed without the environment of the training.
        from logistic import domain_of

        with open(features) as lines:
            self.names = json.loads(next(lines))
            rows = [json.loads(line) for line in lines]
        listed = saved_pages(data)
        assert len(rows) == len(listed), "the features are of other pages"
        kept = [(page, row) for page, row in zip(listed, rows) if page[4] is not None]
        ids, sources, urls, _, labels = zip(*(page for page, _ in kept))
        domains = [domain_of(url) for url in urls]
        values = [row["features"] for _, row in kept]
        decided = [row["is_product"] for _, row in kept]
        with open(lab) as lines:
            assert json.loads(next(lines)) == self.names, "the features differ"
            for number, page in enumerate(map(json.loads, lines)):
                ids += (f"lab-{number}",)
                sources += (LAB,)
                labels += (int(page["label"]),)
                domains.append(page["host"])
                values.append(page["features"])
                decided.append(page["is_product"])
        self.ids, self.sources = np.array(ids), np.array(sources)
        self.labels, self.domains = np.array(labels), np.array(domains)
        self.values, self.decided = np.array(values, float), np.array(decided)


if __name__ == "__main__":
    for _, _, url, file, _ in saved_pages(sys.argv[1]):
        print(json.dumps({"url": url, "file": file}))
