"""Where the program loses words and structures: classes of the losses with their share.

    losses.py DATA OUTLINES

OUTLINES is what `content_score DATA PROBABILITIES OUTLINES` wrote, with the probabilities of a cross-validation
(`train.py cv`). A block that is kept wrongly, or lost, has the class of the first row of `CLASSES` that fits. The
loss of a page is one minus its word F1; it is divided among the classes by the words of their blocks.
"""

import json
import os
import re
import sys
from collections import Counter, defaultdict
from multiprocessing import Pool

from labels import label, words
from scoring import counts_f1

FAMILIES = ["navigation", "footer", "comment", "related", "consent", "share", "card", "review", "tab", "noise", "post", "author"]
WORST = 100
KINDS = {"Pre": "code", "Tr": "row", "Li": "item", "Blockquote": "quote"}
RUN = 3  # words of the runs by which a structure is found in a text
WITHIN = 0.9  # share of the runs

NEWSLETTER = re.compile(r"newsletter|subscri|sign up|inbox|unsubscribe", re.I)
ABOUT_AUTHOR = re.compile(r"\babout (the )?author|\bis an? (writer|journalist|editor|reporter|author|freelance)|\bwritten by\b", re.I)
CAPTION = re.compile(r"caption|credit", re.I)
BYLINE = re.compile(r"^(by|posted|published|updated|last updated|written|author|reviewed)\b|\bmin(ute)?s? read\b|\d{4}$", re.I)
RELATED = re.compile(r"^(related|read (more|next|also)|you may|more (from|on|stories)|see also|recommended|popular|latest|trending)\b", re.I)
QUESTION = re.compile(r"\?\s*$")


class Page:
    """A page with its truth, labels and decisions."""

    def __init__(self, outline, data):
        with open(os.path.join(data, "ground-truth", outline["id"] + ".json")) as file:
            about = json.load(file)
        self.id, self.outline = outline["id"], outline
        kind = about["_internal"]["page_type"]
        kind = kind.get("primary", "article") if isinstance(kind, dict) else kind
        self.kind = "collection" if kind == "category" else kind
        truth = about["ground_truth"].get("main_content") or ""
        self.truth = words(truth)
        self.containers, self.blocks = outline["containers"], outline["blocks"]
        self.words = [words(block["text"]) for block in self.blocks]
        self.labels = label(self.words, truth)
        self.kept = [block["kept"] for block in self.blocks]

    def f1(self, kept):
        found = Counter()
        for own, keep in zip(self.words, kept):
            if keep:
                found.update(own)
        return counts_f1(found, Counter(self.truth))

    def above(self, at):
        """The containers around a block, nearest first."""
        at = self.blocks[at]["container"]
        while True:
            yield self.containers[at]
            if at == 0:
                return
            at = self.containers[at]["parent"]

    def place(self, at):
        """Whether a block is before, within or after the labelled content."""
        content = [at for at, is_content in enumerate(self.labels) if is_content]
        if not content:
            return "no true text"
        return "before" if at < content[0] else "after" if at > content[-1] else "within"

    def structures(self):
        """Kind, size, and the range of blocks of each structure."""
        inner = set()
        for container in self.containers:
            if container["element"] in ("Tr", "Li"):
                above = container["parent"]
                while above:
                    if self.containers[above]["element"] == container["element"]:
                        inner.add(above)
                    above = self.containers[above]["parent"]
        for at, container in enumerate(self.containers):
            kind = KINDS.get(container["element"])
            if kind and not (kind in ("row", "item") and at in inner):
                first, end = container["first"], container["end"]
                size = {"code": container["lines"], "row": end - first}.get(kind, 1)
                yield at, kind, size, first, end

    def recall(self, kept):
        """The structures in the true text: kind, size, whether kept, container."""
        runs = lambda text: list(zip(*(text[at:] for at in range(RUN))))
        known = set(runs(self.truth))
        written = set(runs([word for own, keep in zip(self.words, kept) if keep for word in own]))
        for at, kind, size, first, end in self.structures():
            own = runs([word for block in self.words[first:end] for word in block])
            is_in = lambda text: own and sum(run in text for run in own) >= WITHIN * len(own)
            if is_in(known):
                yield kind, size, bool(is_in(written)), at


def families_of(page, at):
    found = 0
    for above, container in enumerate(page.above(at)):
        if above < 7 and container["element"] not in ("Body", "Html", "Main"):
            found |= container["families"]
    return {name for number, name in enumerate(FAMILIES) if found >> number & 1}


def class_of(page, at):
    block = page.blocks[at]
    text, near = block["text"], list(page.above(at))[:6]
    elements = {container["element"] for container in near}
    families = families_of(page, at)
    if any(container["hidden"] for container in near):
        return "hidden text"
    if "Figcaption" in elements or any(CAPTION.search(container["class"]) for container in near[:3]):
        return "captions and credits"
    if NEWSLETTER.search(text):
        return "newsletter boxes"
    if ABOUT_AUTHOR.search(text) or "author" in families and block["words"] > 12:
        return "notes about the author"
    if "comment" in families or "post" in families:
        return "comments and posts"
    if "related" in families or RELATED.search(text) or (block["links"] > 0.8 and block["words"] >= 5 and "Table" not in elements):
        return "related links and teasers"
    if "review" in families:
        return "reviews"
    if "share" in families:
        return "share lines and sign-up boxes"
    if block["words"] <= 14 and (BYLINE.search(text) or "author" in families):
        return "bylines and dates"
    if "Pre" in elements:
        return "code"
    if "Table" in elements:
        return "tables"
    if "tab" in families or QUESTION.search(text) and block["words"] > 3:
        return "questions, tabs and accordions"
    if "card" in families:
        return "cards and grids"
    if block["links"] > 0.5:
        return "other links"
    if elements & {"H1", "H2", "H3", "H4", "H5", "H6"}:
        return "headings"
    if elements & {"Li", "Dd", "Dt"}:
        return "lists"
    return "paragraphs" if block["ends"] and block["words"] >= 8 else "short lines"


def read(task):
    line, data = task
    page = Page(json.loads(line), data)
    lost = Counter()
    score = page.f1(page.kept)
    for at, (keep, is_content) in enumerate(zip(page.kept, page.labels)):
        if keep and not is_content:
            lost["kept wrongly", page.place(at), class_of(page, at)] += len(page.words[at])
        elif is_content and not keep:
            lost["lost", page.place(at), class_of(page, at)] += len(page.words[at])
    structures = [(kind, size, kept) for kind, size, kept, _ in page.recall(page.kept)]
    return page.id, page.kind, score, lost, structures


def table(pages, title):
    loss = sum(1 - score for _, _, score, _, _ in pages)
    shares, places, on = defaultdict(float), defaultdict(float), defaultdict(set)
    for name, _, score, lost, _ in pages:
        whole = sum(lost.values())
        for (way, place, kind), count in lost.items():
            share = (1 - score) / loss * count / whole
            shares[kind, way] += share
            places[way, place] += share
            on[kind].add(name)
    print(f"## {title}: {len(pages)} pages, loss {loss:.1f}\n")
    print("| class | kept wrongly | lost | pages |\n|---|---|---|---|")
    for kind in sorted(on, key=lambda kind: -shares[kind, "kept wrongly"] - shares[kind, "lost"]):
        print(f"| {kind} | {shares[kind, 'kept wrongly']:.1%} | {shares[kind, 'lost']:.1%} | {len(on[kind])} |")
    print("\n| | before | within | after | no true text |\n|---|---|---|---|---|")
    for way in ("kept wrongly", "lost"):
        print(f"| {way} | " + " | ".join(f"{places[way, place]:.1%}" for place in ("before", "within", "after", "no true text")) + " |")
    print()


def main():
    data, outlines = sys.argv[1:]
    with open(outlines) as lines, Pool(2) as pool:
        pages = pool.map(read, ((line, data) for line in lines), chunksize=16)
    table(pages, "All pages")
    table(sorted(pages, key=lambda page: page[2])[:WORST], "Largest losses")
    for kind in sorted({page[1] for page in pages}):
        table([page for page in pages if page[1] == kind], kind)
    sums = defaultdict(lambda: [0, 0])
    for *_, structures in pages:
        for kind, size, kept in structures:
            sums[kind][0] += size
            sums[kind][1] += size * kept
    print("structures:", ", ".join(f"{kind} {kept / total:.4f} of {total}" for kind, (total, kept) in sums.items()))


if __name__ == "__main__":
    main()
