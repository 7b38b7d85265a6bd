"""Selects the blocks of the main content, and scores the selection."""

from collections import Counter

import numpy as np

from pages import TYPES


def cut(likely, lengths, least=0.0):
    """The most likely blocks; their number maximises the expected word F1."""
    keep = np.zeros(len(likely), bool)
    gains = likely * lengths
    if not len(likely) or gains.sum() < least:
        return keep
    order = np.argsort(-likely, kind="stable")
    score = 2 * np.cumsum(gains[order]) / (np.cumsum(lengths[order]) + gains.sum())
    keep[order[: int(np.argmax(score)) + 1]] = True
    return keep


LEAST_WORDS, LIKELY = 8, 0.7  # as in content/copies.rs


def without_copies(likely, blocks):
    """The same without uncertain copies of texts that a page contains twice."""
    likely, seen = likely.copy(), set()
    for at in np.argsort(-likely, kind="stable"):
        text = tuple(blocks[at])
        if len(text) >= LEAST_WORDS:
            if text in seen and likely[at] < LIKELY:
                likely[at] = 0
            seen.add(text)
    return likely


SHARED, BETWEEN = 0.5, 12  # as in content/own_title.rs


def with_title(pages, page, keep):
    """The same with the heading that equals the title of the page, if the block after it is kept."""
    rows, column = pages.rows[pages.span(page)], pages.row_names.index
    is_title = (rows[:, column("since_title")] == 0) & (rows[:, column("heading_level")] == 1)
    is_own = is_title & (rows[:, column("of_title")] >= SHARED) & (rows[:, column("hidden")] == 0)
    keep = keep.copy()
    for at in np.flatnonzero(is_own):
        keep[at] |= keep[at + 1 : at + 1 + BETWEEN].any()
    return keep


def counts_f1(kept, true):
    size, total = sum(kept.values()), sum(true.values())
    if not total:
        return float(not size)
    return 2 * sum((kept & true).values()) / (size + total) if size else 0.0


def word_f1(blocks, keep, true):
    kept = Counter()
    for at in np.flatnonzero(keep):
        kept.update(blocks[at])
    return counts_f1(kept, true)


def runs(sequence, size=4):
    return Counter(zip(*(sequence[at:] for at in range(size))))


def run_f1(blocks, keep, truth):
    """The same for all sequences of four words, which also scores order and completeness."""
    kept = [word for at in np.flatnonzero(keep) for word in blocks[at]]
    return counts_f1(runs(kept), runs(truth))


class Score:
    """Word F1 of every predicted page."""

    def __init__(self, pages, likely, judged, least=0.0, titled=False):
        self.kinds = pages.types[judged]
        self.keep = {}
        for page in judged:
            span = pages.span(page)
            self.keep[page] = cut(without_copies(likely[span], pages.words[page]), pages.lengths[span], least)
        if titled:
            self.keep = {page: with_title(pages, page, keep) for page, keep in self.keep.items()}
        self.f1 = np.array([word_f1(pages.words[page], self.keep[page], pages.truth_words[page]) for page in judged])

    def by_type(self):
        return {kind: float(self.f1[self.kinds == at].mean()) for at, kind in enumerate(TYPES) if (self.kinds == at).any()}

    def __str__(self):
        kinds = self.by_type()
        macro = np.mean(list(kinds.values()))
        return f"all {self.f1.mean():.4f} macro {macro:.4f} | " + " ".join(f"{k} {v:.3f}" for k, v in kinds.items())
