"""Trains the model that separates the main content of pages from the rest.

    train.py cv FOLDER               five folds by domain, everything refitted in each; writes
                                     cross_validated.f32, which `content_score` reads
    train.py fit FOLDER MODEL        learns from all pages and writes the model
    train.py agree FOLDER MODEL      compares with what the program says (likely.f32)

FOLDER is what the program `content_features` wrote.
"""

import json
import os
import pickle
import sys

import numpy as np

from export import encode, rounded
from labels import words
from learning import Learner, likely as likely_of
from pages import Pages
from scoring import Score, run_f1

FEW = 8.0  # expected words below which one could also deliver nothing


def report(pages, likely, judged, title):
    score = Score(pages, likely, judged)
    print(f"{title}: {score}", flush=True)
    return score


def cross_validate(pages, folder):
    learner, everyone = Learner(pages), np.arange(len(pages))
    folds, likely = pages.folds(5, everyone, 7), np.zeros(len(pages.labels), np.float32)
    for fold in range(5):
        model, inputs = learner.fit(everyone[folds != fold])
        part = folds[pages.page_of] == fold
        likely[part] = likely_of(model, inputs[part])
        report(pages, likely, everyone[folds == fold], f"fold {fold}")
    likely.tofile(os.path.join(folder, "cross_validated.f32"))
    for title, least, titled in (
        ("all folds", 0.0, False),
        (f"with nothing below {FEW:.0f} expected words", FEW, False),
        ("with the heading that is the title", 0.0, True),
    ):
        score = Score(pages, likely, everyone, least, titled)
        articles = [page for page in everyone if pages.types[page] == 0]
        four = [run_f1(pages.words[page], score.keep[page], words(pages.truths[page])) for page in articles]
        print(f"{title}: {score}; articles by runs of four words {np.mean(four):.4f}", flush=True)
    perfect = Score(pages, pages.labels.astype(np.float32), everyone, 0.5)
    print(f"perfect choice of blocks: {perfect}")


def fit_all(pages, folder, target):
    learner = Learner(pages)
    model, _ = learner.fit(np.arange(len(pages)))
    inputs_hash = int(json.load(open(os.path.join(folder, "names.json")))["inputs_hash"])
    data = encode(model, inputs_hash, len(pages.page_names) + 7)
    with open(target, "wb") as file:
        file.write(data)
    with open(os.path.join(folder, "fitted.pkl"), "wb") as file:
        pickle.dump(model, file)
    print(f"{target}: {len(data)} bytes")


def agree(pages, folder):
    """Compares the predictions of the Rust program with those of Python, with the same tables."""
    learner = Learner(pages)
    with open(os.path.join(folder, "fitted.pkl"), "rb") as file:
        model = rounded(pickle.load(file))
    learnt = np.hstack([learner.table_scores(model["tables"]), learner.type_likely(model["type"])[pages.page_of]])
    ours = likely_of(model, np.hstack([learner.rows, learnt]).astype(np.float32))
    theirs = np.fromfile(os.path.join(folder, "likely.f32"), np.float32)
    apart = np.abs(ours - theirs)
    print(f"blocks {len(apart)}, further apart than 0.0001: {np.mean(apart > 1e-4):.5f}, median {np.median(apart):.1e}")
    # Rounding may move a sum across a threshold.
    if np.mean(apart > 1e-4) > 0.005:
        sys.exit("the program and the training disagree")


if __name__ == "__main__":
    command, folder = sys.argv[1:3]
    pages = Pages(folder)
    if command == "cv":
        cross_validate(pages, folder)
    elif command == "fit":
        fit_all(pages, folder, sys.argv[3])
    elif command == "agree":
        agree(pages, folder)
    else:
        sys.exit(__doc__)
