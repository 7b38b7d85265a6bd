"""Trains the model that decides whether a page sells one product.

    train.py cv DATA FEATURES LAB            nested cross-validation, ablation, worst disagreements
    train.py fit DATA FEATURES LAB MODEL     learns from all pages and writes the model
    train.py agree DATA FEATURES LAB MODEL   compares with what the program decides

FEATURES and LAB are what the program `product_features` wrote.
"""

import sys
import warnings

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from logistic import log_loss, probability, read_model, write_model
from pages import LAB, OTHER, REAL, Pages

warnings.filterwarnings("ignore", category=FutureWarning)

SEEDS = (1, 2, 3)
OUTER, INNER, INNER_SETS = 10, 5, 2
WINDOW = 21  # thresholds over which the F1 is averaged
STRENGTHS = (0.1, 0.3)  # inverse of the L2 penalty

# The weight of a page in training. The pages of real-products were labelled by hand and chosen to
# look alike; those of the lab are made up, and many are of one layout.
PAGE_WEIGHTS = {REAL: 3.0, OTHER: 1.0, LAB: 0.05}


def weights_of(pages):
    return np.array([PAGE_WEIGHTS[source] for source in pages.sources])


class Logistic:
    """L2-regularised logistic regression over standardised features."""

    def __init__(self, strength):
        self.strength = strength

    def fit(self, values, labels, weights):
        self.mean = np.average(values, axis=0, weights=weights)
        self.scale = np.sqrt(np.average((values - self.mean) ** 2, axis=0, weights=weights))
        self.scale[self.scale == 0] = 1.0
        model = LogisticRegression(C=self.strength, solver="newton-cholesky", max_iter=200)
        model.fit((values - self.mean) / self.scale, labels, sample_weight=weights)
        self.weights = model.coef_[0] / self.scale
        self.bias = model.intercept_[0] - self.weights @ self.mean
        return self

    def probability(self, values):
        return probability(self.weights, self.bias, values)


class Trees:
    """Small gradient-boosted trees, for comparison."""

    def __init__(self, rounds):
        self.model = GradientBoostingClassifier(
            n_estimators=rounds, learning_rate=0.1, max_depth=3, subsample=0.7, min_samples_leaf=8,
            max_features=0.4, random_state=1,
        )

    def fit(self, values, labels, weights):
        self.model.fit(values, labels, sample_weight=weights)
        return self

    def probability(self, values):
        return self.model.predict_proba(values)[:, 1]


def folds(pages, part, count, seed):
    """Folds of these pages; no registrable domain is in two. Domains are dealt out, those with the
    most product pages first."""
    domains, domain_of = np.unique(pages.domains[part], return_inverse=True)
    products, sizes = np.bincount(domain_of, pages.labels[part]), np.bincount(domain_of)
    order = np.random.default_rng(seed).permutation(len(domains))
    order = order[np.lexsort((-sizes[order], -products[order]))]
    fold_of = np.zeros(len(domains), int)
    fold_of[order] = np.arange(len(domains)) % count
    for fold in range(count):
        yield part[fold_of[domain_of] != fold], part[fold_of[domain_of] == fold]


def score(labels, decided, weights=None):
    """Precision, recall and F1."""
    weights = np.ones(len(labels)) if weights is None else weights
    right = weights[(labels == 1) & decided].sum()
    precision = right / max(weights[decided].sum(), 1e-9)
    recall = right / max(weights[labels == 1].sum(), 1e-9)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def best_threshold(labels, found, weights):
    """The threshold of the highest F1 over several sets of folds, smoothed: the single best value is
    that of a few pages."""
    grid = np.arange(0.05, 0.951, 0.01)
    scores = [[score(labels, row >= cut, weights)[2] for cut in grid] for row in found]
    smooth = np.convolve(np.mean(scores, axis=0), np.ones(WINDOW) / WINDOW, mode="valid")
    return round(float(grid[np.argmax(smooth) + WINDOW // 2]), 2)


def choose(pages, values, part, seed, models):
    """The model of the lowest log-loss in the inner folds, and its threshold there."""
    weights, best = weights_of(pages), None
    for make in models:
        found = np.zeros((INNER_SETS, len(pages.labels)))
        for row in range(INNER_SETS):
            for train, test in folds(pages, part, INNER, seed + row):
                model = make().fit(values[train], pages.labels[train], weights[train])
                found[row, test] = model.probability(values[test])
        losses = [log_loss(row[part], pages.labels[part], weights[part]) for row in found]
        if best is None or np.mean(losses) < best[0]:
            threshold = best_threshold(pages.labels[part], found[:, part], weights[part])
            best = np.mean(losses), make, threshold
    return best[1], best[2]


def nested(pages, values, models, seeds=SEEDS):
    """Probabilities and decisions of pages whose domain neither model nor threshold has seen."""
    found, decided = np.zeros((len(seeds), len(pages.labels))), []
    everyone, weights = np.arange(len(pages.labels)), weights_of(pages)
    for row, seed in enumerate(seeds):
        is_product = np.zeros(len(pages.labels), bool)
        for train, test in folds(pages, everyone, OUTER, seed):
            make, threshold = choose(pages, values, train, seed + 100, models)
            model = make().fit(values[train], pages.labels[train], weights[train])
            found[row, test] = model.probability(values[test])
            is_product[test] = found[row, test] >= threshold
        decided.append(is_product)
    return found, np.array(decided)


def strengths(chosen=STRENGTHS):
    return [lambda strength=strength: Logistic(strength) for strength in chosen]


def figures(pages, found, decided):
    """Log-loss, precision, recall and F1 by source, mean over the seeds."""
    result = {}
    for source in (REAL, OTHER, LAB):
        part = pages.sources == source
        labels = pages.labels[part]
        loss = np.mean([log_loss(row[part], labels, np.ones(part.sum())) for row in found])
        result[source] = (loss, *np.mean([score(labels, row[part]) for row in decided], axis=0))
    return result


def show(title, result):
    parts = [f"{source} {loss:.4f} {p:.3f}/{r:.3f} F1 {f:.3f}" for source, (loss, p, r, f) in result.items()]
    print(f"{title}: " + "; ".join(parts), flush=True)


def cross_validate(pages):
    stored = np.array([pages.decided])
    show("stored model (saw these pages)", figures(pages, stored * 0.98 + 0.01, stored))
    found, decided = nested(pages, pages.values, strengths())
    base = figures(pages, found, decided)
    show("logistic regression", base)
    trees = [lambda rounds=rounds: Trees(rounds) for rounds in (60, 120)]
    show("gradient-boosted trees", figures(pages, *nested(pages, pages.values, trees, SEEDS[:1])))
    for source in (REAL, OTHER):
        wrong = [
            f"{pages.ids[at]} {pages.labels[at]} {found[:, at].mean():.2f}"
            for at in np.flatnonzero(pages.sources == source)
            if round(decided[:, at].mean()) != pages.labels[at]
        ]
        print(f"wrong in {source}: {', '.join(wrong)}")
    print("without a feature: change of log-loss and F1, real-products and wcxb-dev")
    everything = outer_figures(pages, pages.values)
    for at, name in enumerate(pages.names):
        result = outer_figures(pages, np.delete(pages.values, at, axis=1))
        loss, f1 = (result - everything)[:, 0], (result - everything)[:, 1]
        print(f"{name:26} {loss[0]:+.4f} {loss[1]:+.4f}   {f1[0]:+.3f} {f1[1]:+.3f}", flush=True)


def outer_figures(pages, values):
    """Log-loss and F1 of both sets of saved pages in the outer folds, with one strength and one
    threshold: for comparing features."""
    found, weights = np.zeros((len(SEEDS), len(pages.labels))), weights_of(pages)
    for row, seed in enumerate(SEEDS):
        for train, test in folds(pages, np.arange(len(pages.labels)), OUTER, seed):
            model = Logistic(STRENGTHS[-1]).fit(values[train], pages.labels[train], weights[train])
            found[row, test] = model.probability(values[test])
    result = figures(pages, found, found >= 0.5)
    return np.array([(result[source][0], result[source][3]) for source in (REAL, OTHER)])


def fit(pages, target):
    everyone, weights = np.arange(len(pages.labels)), weights_of(pages)
    make, threshold = choose(pages, pages.values, everyone, SEEDS[0], strengths())
    model = make().fit(pages.values, pages.labels, weights)
    base = figures(pages, *nested(pages, pages.values, strengths()))
    measured = [
        f"{source}: precision {p:.3f}, recall {r:.3f}, F1 {f:.3f}, log-loss {loss:.4f}; {(pages.sources == source).sum()} pages."
        for source, (loss, p, r, f) in base.items()
    ]
    head = [
        "Weights of the features that decide whether a page sells one product. Logistic regression;",
        "from (threshold) on, the probability makes it a product page. Written by training/products/run.",
        "Data: product extraction benchmark (Zyte, 2021, MIT), WCXB development set (Murrough Foley,",
        "2026, CC BY 4.0), labels of training/products/labels.tsv, and the made-up shops of the lab.",
        f"L2 strength {model.strength}, nested cross-validation in {OUTER} folds by registrable domain:",
        *measured,
    ]
    write_model(target, head, threshold, model.bias, pages.names, model.weights)


def agree(pages, target):
    """Checks that the program decides as the weights of the file do."""
    threshold, bias, weights = read_model(target, pages.names)
    found = probability(weights, bias, pages.values)
    differs = (found >= threshold) & ~pages.decided
    also = (found < threshold) & pages.decided
    print(f"the program rejects {differs.sum()} pages that the model accepts, and accepts {also.sum()} that it rejects")
    stored = np.array([pages.decided])
    show("on the pages of training", figures(pages, np.array([found]), stored))


if __name__ == "__main__":
    command, data, features, lab, *target = sys.argv[1:]
    read = Pages(data, features, lab)
    {"cv": cross_validate, "fit": fit, "agree": agree}[command](read, *target)
