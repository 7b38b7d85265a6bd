"""Scores Markdown against the main content of a page: words and structure.

    python score.py DATA IDS NAME=FILE...

DATA holds the pages and their true text, IDS lists the pages, and each FILE has a line
{"markdown"} for each of them, in that order. Words: F1 of the words of the rendered text, mean
over pages, and mean over the types of pages; of articles also F1 of the runs of four words.
Structure: of the headings, list items, table cells,
lines of code and links that stand in the page and in its true text, the share that the Markdown
has as such.
"""

import gzip
import json
import re
import sys
from collections import Counter, defaultdict

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

WORD = re.compile(r"\w+")
HEADINGS = {f"h{level}" for level in range(1, 7)}
KINDS = ["headings", "list items", "table cells", "code lines", "links"]
READER = MarkdownIt("commonmark").enable("table")


def words(text):
    return WORD.findall(text.lower())


def key(text):
    return " ".join(words(text))


def of_tree(html, wanted):
    """The words of each part of an HTML tree for which `wanted` is true."""
    parts = {kind: Counter() for kind in KINDS}
    tree = LexborHTMLParser(html)

    def add(kind, text):
        if text := key(text):
            if wanted(text):
                parts[kind][text] += 1

    for node in tree.css("h1,h2,h3,h4,h5,h6"):
        add("headings", node.text())
    for node in tree.css("li"):
        own = []
        child = node.child
        while child is not None:
            if child.tag not in ("ul", "ol"):
                own.append(child.text() if child.tag != "-text" else (child.text_content or ""))
            child = child.next
        add("list items", "".join(own))
    for node in tree.css("td,th"):
        if node.css_first("table") is None:
            add("table cells", node.text())
    for node in tree.css("pre"):
        for line in node.text().splitlines():
            add("code lines", line)
    for node in tree.css("a[href]"):
        add("links", node.text())
    return parts


def runs(sequence, size=4):
    return Counter(zip(*(sequence[at:] for at in range(size))))


def text_of(html):
    tree = LexborHTMLParser(html)
    return tree.body.text(separator=" ") if tree.body else ""


def f1(found, true):
    if not true:
        return 1.0 if not found else 0.0
    both = sum((found & true).values())
    return 2 * both / (sum(found.values()) + sum(true.values()))


def main():
    data, ids, *files = sys.argv[1:]
    ids = open(ids).read().split()
    truths = []
    for name in ids:
        with open(f"{data}/ground-truth/{name}.json") as file:
            about = json.load(file)
        true = about["ground_truth"].get("main_content") or ""
        with gzip.open(f"{data}/html/{name}.html.gz") as file:
            html = file.read().decode("utf-8", "replace")
        kind = (about.get("_internal") or {}).get("page_type") or {}
        kind = kind.get("primary", "article") if isinstance(kind, dict) else kind
        lines = {key(line) for line in true.splitlines()}
        whole = f" {key(true)} "

        def wanted(text):
            return text in lines or (text.count(" ") >= 2 and f" {text} " in whole)

        truths.append((kind, words(true), of_tree(html, wanted)))
    total = Counter()
    for _, _, parts in truths:
        for kind in KINDS:
            total[kind] += sum(parts[kind].values())
    print(f"{len(ids)} pages; true parts: " + ", ".join(f"{total[kind]} {kind}" for kind in KINDS))
    print(f"{'':<22}{'words':>8}{'macro':>8}{'runs':>8}" + "".join(f"{kind:>13}" for kind in KINDS))
    for name, path in (file.split("=", 1) for file in files):
        scores, runs_of_articles, kept = defaultdict(list), [], Counter()
        with open(path) as file:
            for (kind, true, parts), line in zip(truths, file, strict=True):
                html = READER.render(json.loads(line).get("markdown") or "")
                text = words(text_of(html))
                scores[kind].append(f1(Counter(text), Counter(true)))
                if kind == "article":
                    runs_of_articles.append(f1(runs(text), runs(true)))
                found = of_tree(html, lambda _: True)
                for part in KINDS:
                    kept[part] += sum((found[part] & parts[part]).values())
        every = [score for kind in scores.values() for score in kind]
        macro = sum(sum(kind) / len(kind) for kind in scores.values()) / len(scores)
        shares = "".join(f"{kept[kind] / max(1, total[kind]):>13.3f}" for kind in KINDS)
        article = sum(runs_of_articles) / max(1, len(runs_of_articles))
        print(f"{name:<22}{sum(every) / len(every):>8.4f}{macro:>8.4f}{article:>8.4f}{shares}", flush=True)


main()
