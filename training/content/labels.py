"""Labels the blocks of a page that are its main content.

The truth is a plain text, so that every block has to be found in it. A block is located by
its runs of three words; the blocks that follow each other in the truth as they do on the
page form a chain, and the heaviest chain is the content. Copies beyond those that the truth
has stay outside. At the end single blocks change sides where the page's score gains.
"""

import re
from collections import Counter, defaultdict

WORD = re.compile(r"\w+")

ENOUGH = 0.65  # share of a block's runs that the truth must hold
SURE = 0.7
MAYBE = 0.4
WHOLE = 0.9  # share of a structure's runs in the truth from which all of it is content


def words(text):
    return WORD.findall(text.lower())


def f1(shared, kept, true):
    return 2 * shared / (kept + true) if kept + true else 0.0


class Truth:
    """The ground truth text with an index for searching."""

    def __init__(self, text):
        self.words = []
        self.line_starts, self.line_ends = set(), set()
        for line in text.split("\n"):
            found = words(line)
            if found:
                self.line_starts.add(len(self.words))
                self.words += found
                self.line_ends.add(len(self.words))
        self.runs, self.places = defaultdict(list), defaultdict(list)
        for at in range(len(self.words) - 2):
            self.runs[tuple(self.words[at : at + 3])].append(at)
        for at, word in enumerate(self.words):
            self.places[word].append(at)

    def locate(self, block):
        """The confidence that the ground truth contains the block, and its places, best first."""
        if len(block) < 3:
            return self._locate_short(block)
        runs = list(zip(block, block[1:], block[2:]))
        found = [run in self.runs for run in runs]
        sure = sum(found) / len(runs)
        if sure < MAYBE:
            return sure, []
        starts, tried = Counter(), 0
        for offset, run in enumerate(runs):
            if found[offset]:
                for at in self.runs[run][:30]:
                    starts[max(0, at - offset)] += 1
                tried += 1
                if tried > 40:
                    break
        best = starts.most_common(12)
        return sure, [start for start, count in best if count >= 0.5 * best[0][1]]

    def _locate_short(self, block):
        if not block:
            return 0.0, []
        size = len(block)
        starts = [at for at in self.places.get(block[0], ())[:200] if self.words[at : at + size] == block]
        lines = [at for at in starts if at in self.line_starts and at + size in self.line_ends]
        if lines:
            return 1.0, lines[:30]
        return (0.6, starts[:30]) if starts else (0.0, [])


def heaviest_chain(blocks, places, sure, length):
    """Blocks with their spans in the ground truth, increasing in both."""
    best = [(0.0, -1)] * (length + 2)  # a Fenwick tree of maxima over where chains end
    steps = []

    def reach(at):
        found, at = (0.0, -1), at + 1
        while at > 0:
            if best[at][0] > found[0]:
                found = best[at]
            at -= at & -at
        return found

    for block, starts in enumerate(places):
        size, ends = len(blocks[block]), []
        worth = size * sure[block] * (1.0 if size >= 3 else 0.5)
        for start in starts:
            end = min(length, start + size)
            weight, before = reach(start)
            steps.append((block, start, end, before))
            ends.append((end, (weight + worth, len(steps) - 1)))
        for end, entry in ends:
            at = end + 1
            while at < length + 2:
                if entry[0] > best[at][0]:
                    best[at] = entry
                at += at & -at
    chain, step = [], reach(length)[1]
    while step >= 0:
        chain.append(steps[step][:3])
        step = steps[step][3]
    return chain[::-1]


def neighbourhood(blocks, sure, chain, reach=6):
    """For each block, the share of the text around it that was found."""
    weight = [min(len(block), 30) if len(block) >= 3 else 0 for block in blocks]
    found = [0] * len(blocks)
    for block, _, _ in chain:
        if sure[block] >= SURE:
            found[block] = weight[block]
    sums, hits = [0], [0]
    for a, b in zip(weight, found):
        sums.append(sums[-1] + a)
        hits.append(hits[-1] + b)
    share = []
    for at in range(len(blocks)):
        low, high = max(0, at - reach), min(len(blocks), at + reach + 1)
        share.append((hits[high] - hits[low]) / max(1, sums[high] - sums[low]))
    return share


def label(blocks, text, structures=()):
    """0 or 1 for each block, given as lists of words. `structures` are the ranges of blocks of code, table rows,
    list items and quotes."""
    truth, labels = Truth(text), [0] * len(blocks)
    length = len(truth.words)
    if not length or not blocks:
        return labels
    located = [truth.locate(block) for block in blocks]
    sure = [found[0] for found in located]
    places = [found[1] for found in located]
    chain = heaviest_chain(blocks, places, sure, length)
    around = neighbourhood(blocks, sure, chain)
    used = bytearray(length + 1)
    for at, (block, start, end) in enumerate(chain):
        if len(blocks[block]) >= 3:
            keep = sure[block] >= ENOUGH
        else:
            before, behind = chain[at - 1] if at else None, chain[at + 1] if at + 1 < len(chain) else None
            adjoins = (before is not None and start - before[2] <= 1 and block - before[0] <= 3) or (
                behind is not None and behind[1] - end <= 1 and behind[0] - block <= 3
            )
            keep = (sure[block] >= 1 and around[block] > 0.15) or (adjoins and around[block] > 0.3)
        if keep:
            labels[block] = 1
            used[start:end] = b"\1" * (end - start)
    add_out_of_order(blocks, places, sure, around, used, labels, length)
    climb(blocks, sure, truth.words, labels)
    complete_structures(blocks, truth, structures, labels)
    return labels


def complete_structures(blocks, truth, structures, labels):
    """A structure whose words the truth has in this order is content as a whole, if a part of it is: blocks of one or two
    words are found in the truth only where they are lines of it."""
    for first, end in structures:
        if any(labels[first:end]) and not all(labels[first:end]):
            own = [word for block in blocks[first:end] for word in block]
            runs = list(zip(own, own[1:], own[2:]))
            if runs and sum(run in truth.runs for run in runs) >= WHOLE * len(runs):
                labels[first:end] = [1] * (end - first)


def add_out_of_order(blocks, places, sure, around, used, labels, length):
    """Blocks that the ground truth has elsewhere, if no other block covers that part."""
    for block in sorted(range(len(blocks)), key=lambda at: -len(blocks[at])):
        size = len(blocks[block])
        if labels[block] or sure[block] < SURE or (size < 3 and (sure[block] < 1 or around[block] < 0.3)):
            continue
        for start in places[block]:
            end = min(length, start + size)
            if end > start and sum(used[start:end]) <= 0.3 * (end - start):
                labels[block] = 1
                used[start:end] = b"\1" * (end - start)
                break


def climb(blocks, sure, truth, labels):
    """Flips the labels of single blocks if that raises the score of the page."""
    true, kept = Counter(truth), Counter()
    for block, keep in zip(blocks, labels):
        if keep:
            kept.update(block)
    shared, size, total = sum((kept & true).values()), sum(kept.values()), len(truth)
    for at, block in enumerate(blocks):
        counts = Counter(block)
        if labels[at]:
            lost = sum(min(kept[w], true[w]) - min(kept[w] - n, true[w]) for w, n in counts.items())
            if f1(shared - lost, size - len(block), total) > f1(shared, size, total) + 1e-9:
                labels[at] = 0
                kept.subtract(counts)
                shared, size = shared - lost, size - len(block)
        elif len(block) >= 6 and sure[at] >= MAYBE:
            won = sum(min(kept[w] + n, true[w]) - min(kept[w], true[w]) for w, n in counts.items())
            if won >= 0.75 * len(block) and f1(shared + won, size + len(block), total) > f1(shared, size, total) + 1e-9:
                labels[at] = 1
                kept.update(counts)
                shared, size = shared + won, size + len(block)
