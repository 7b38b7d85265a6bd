"""Labelled pages from the output of the Rust program `content_features`."""

import json
import os
from collections import Counter
from multiprocessing import Pool

import numpy as np
import scipy.sparse
import tldextract
from sklearn.model_selection import StratifiedGroupKFold

from labels import label, words

TYPES = ["article", "service", "product", "collection", "forum", "listing", "documentation"]
SLOTS, TYPE_SLOTS, CHAIN = 1 << 14, 1 << 11, 9
MOST_OF_A_PAGE = 1.5  # the sum of the weights of its blocks


def _labelled(line):
    page = json.loads(line)
    blocks = [words(text) for text in page["blocks"]]
    return page["id"], page["url"], page["type"], page["truth"] or "", blocks, label(blocks, page["truth"] or "")


def slot_matrix(folder, name, width):
    """One row of weights for each list: each slot counts 1 / sqrt(slots of the list)."""
    slots = np.fromfile(os.path.join(folder, name + ".u16"), np.uint16).astype(np.int32)
    lengths = np.fromfile(os.path.join(folder, name + ".lengths.u32"), np.uint32).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    data = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths).astype(np.float32)
    matrix = scipy.sparse.csr_matrix((data, slots, starts), shape=(len(lengths), width))
    matrix.sum_duplicates()
    return matrix


class Pages:
    """All pages, their blocks one after the other."""

    def __init__(self, folder):
        names = json.load(open(os.path.join(folder, "names.json")))
        self.row_names, self.page_names = names["rows"], names["pages"]
        read = lambda name, kind, width: np.fromfile(os.path.join(folder, name), kind).reshape(-1, width)
        self.rows = read("rows.f32", np.float32, len(self.row_names))
        self.page_rows = read("pages.f32", np.float32, len(self.page_names))
        self.chains = read("chains.u32", np.uint32, CHAIN)
        with open(os.path.join(folder, "pages.jsonl")) as lines, Pool(2) as pool:
            labelled = pool.map(_labelled, lines, chunksize=16)
        self.ids, self.urls, types, self.truths, self.words, labels = zip(*labelled)
        types = ["collection" if kind == "category" else kind for kind in types]
        self.types = np.array([TYPES.index(kind) if kind in TYPES else 0 for kind in types])
        self.starts = np.concatenate([[0], np.cumsum([len(page) for page in self.words])])
        self.labels = np.concatenate([np.array(page, np.int8) for page in labels])
        self.page_of = np.repeat(np.arange(len(self)), np.diff(self.starts))
        self.lengths = np.array([len(block) for page in self.words for block in page], np.float32)
        self.truth_words = [Counter(words(truth)) for truth in self.truths]
        self.truth_sizes = np.array([sum(counts.values()) for counts in self.truth_words], float)
        self.tables = {name: slot_matrix(folder, name, SLOTS) for name in ("structure", "wording", "heading")}
        self.head = slot_matrix(folder, "head", TYPE_SLOTS)
        split = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
        self.domains = [split(url).top_domain_under_public_suffix or url or name for url, name in zip(self.urls, self.ids)]

    def __len__(self):
        return len(self.ids)

    def span(self, page):
        return slice(self.starts[page], self.starts[page + 1])

    def folds(self, count, pages, seed):
        """Folds of these pages; no domain is in two folds."""
        kinds = self.types[pages]
        fold = np.zeros(len(pages), int)
        cut = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
        for at, (_, part) in enumerate(cut.split(kinds, kinds, [self.domains[page] for page in pages])):
            fold[part] = at
        return fold

    def weights(self):
        """The weight of a block in the score of its page: its words relative to the ground truth. Limited,
        so that pages with much boilerplate do not dominate."""
        weights = np.zeros(len(self.lengths), np.float32)
        for page in range(len(self)):
            span = self.span(page)
            share = self.lengths[span] / max(30.0, self.truth_sizes[page])
            weights[span] = share / max(1.0, share.sum() / MOST_OF_A_PAGE)
        return weights * len(weights) / weights.sum()

    def root_weights(self):
        weights = np.zeros(len(self.lengths), np.float32)
        for page in range(len(self)):
            roots = np.sqrt(self.lengths[self.span(page)])
            weights[self.span(page)] = roots / max(1.0, roots.sum())
        return weights * len(weights) / weights.sum()
