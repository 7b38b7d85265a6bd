"""Which blocks are kept, and how good that is."""

from collections import Counter

import numpy as np

from pages import TYPES


def cut(likely, lengths, least=0.0):
    """The likeliest blocks, as many as give the highest expected word F1."""
    keep = np.zeros(len(likely), bool)
    gains = likely * lengths
    if not len(likely) or gains.sum() < least:
        return keep
    order = np.argsort(-likely, kind="stable")
    score = 2 * np.cumsum(gains[order]) / (np.cumsum(lengths[order]) + gains.sum())
    keep[order[: int(np.argmax(score)) + 1]] = True
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
    """The same over all runs of four words: order and wholeness count."""
    kept = [word for at in np.flatnonzero(keep) for word in blocks[at]]
    return counts_f1(runs(kept), runs(truth))


class Score:
    """Word F1 of every page that was judged."""

    def __init__(self, pages, likely, judged, least=0.0):
        self.kinds = pages.types[judged]
        self.keep = {page: cut(likely[pages.span(page)], pages.lengths[pages.span(page)], least) for page in judged}
        self.f1 = np.array([word_f1(pages.words[page], self.keep[page], pages.truth_words[page]) for page in judged])

    def by_type(self):
        return {kind: float(self.f1[self.kinds == at].mean()) for at, kind in enumerate(TYPES) if (self.kinds == at).any()}

    def __str__(self):
        kinds = self.by_type()
        macro = np.mean(list(kinds.values()))
        return f"all {self.f1.mean():.4f} macro {macro:.4f} | " + " ".join(f"{k} {v:.3f}" for k, v in kinds.items())
