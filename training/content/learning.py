"""The model: three linear tables, the type of the page, and trees and a small network that use all
features."""

import warnings

import lightgbm

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.neural_network import MLPClassifier

from pages import TYPES

TABLES = ["structure", "wording", "heading"]

# Features of a page that are repeated for each of its blocks.
PAGE_INPUTS = [
    "page_words", "page_link_density", "page_blocks", "page_block_length", "page_articles", "page_paragraphs",
    "page_long", "page_group_members", "page_group_share", "page_group_links",
]

TREES = dict(
    objective="binary", learning_rate=0.12, num_leaves=31, max_depth=8, min_data_in_leaf=60, feature_fraction=0.4,
    bagging_fraction=0.8, bagging_freq=1, lambda_l2=20.0, min_sum_hessian_in_leaf=40.0, path_smooth=20.0, max_bin=63,
    num_threads=1, verbose=-1, seed=3, deterministic=True, force_col_wise=True,
)
ROUNDS = 100

NETWORK = dict(
    hidden_layer_sizes=(48,), alpha=0.3, batch_size=1024, learning_rate_init=2e-3, max_iter=5, n_iter_no_change=99,
    random_state=1,
)
NETWORK_SHARE = 0.4  # of the answer; the rest is the trees'
DOUBT = 3.0  # trees whose sum is further from nought are sure, and the network is not asked
HEAVIEST = 30.0  # how much a block may weigh in a step of the network

TYPE_TREES = dict(
    objective="multiclass", num_class=len(TYPES), learning_rate=0.15, num_leaves=8, min_data_in_leaf=15,
    feature_fraction=0.4, bagging_fraction=0.8, bagging_freq=1, lambda_l2=3.0, max_bin=63, num_threads=1,
    verbose=-1, seed=3, deterministic=True, force_col_wise=True,
)
TYPE_ROUNDS = 30

INNER_FOLDS = 8


def linear(matrix, labels, weights, alpha, rounds, **more):
    model = SGDClassifier(loss="log_loss", alpha=alpha, max_iter=rounds, tol=None, average=True, random_state=1, **more)
    return model.fit(matrix, labels, sample_weight=weights)


class Network:
    """A network with one hidden layer. Inputs are scaled to between minus one and one; the weights
    include the standardisation."""

    def __init__(self, inputs, labels, weights):
        self.scale = (1 / (np.abs(inputs).mean(axis=0) + 1e-6)).astype(np.float32)
        small = self._squashed(inputs)
        middle, spread = small.mean(axis=0), small.std(axis=0) + 1e-3
        model = MLPClassifier(tol=0, **NETWORK)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # few rounds are what keeps it general
            model.fit((small - middle) / spread, labels, sample_weight=np.minimum(weights, HEAVIEST))
        single = lambda values: np.asarray(values, np.float32)
        self.weights = single(model.coefs_[0] / spread[:, None])
        self.biases = single(model.intercepts_[0] - middle @ (model.coefs_[0] / spread[:, None]))
        self.outputs, self.bias = single(model.coefs_[1][:, 0]), single(model.intercepts_[1][0])

    def _squashed(self, inputs):
        scaled = inputs * self.scale
        return scaled / (1 + np.abs(scaled))

    def predict(self, inputs):
        hidden = np.maximum(self._squashed(inputs) @ self.weights + self.biases, 0)
        return hidden @ self.outputs + self.bias


def likely(model, inputs):
    """The combined prediction of trees and network for blocks."""
    sums = model["trees"].predict(inputs, raw_score=True)
    doubtful = np.flatnonzero(np.abs(sums) <= DOUBT)
    sums[doubtful] += (model["network"].predict(inputs[doubtful]) - sums[doubtful]) * NETWORK_SHARE
    return 1 / (1 + np.exp(-sums))


class Condensed:
    """The distinct rows of a table: neighbouring blocks mostly share theirs."""

    def __init__(self, matrix, page_of):
        key = np.random.default_rng(5).random(matrix.shape[1])
        sums = matrix.astype(np.float64) @ key
        order = np.lexsort((sums, page_of))
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(page_of[order]) != 0) | (np.abs(np.diff(sums[order])) > 1e-9)
        self.row_of = np.empty(len(order), np.int64)
        self.row_of[order] = np.cumsum(new) - 1
        self.matrix = matrix[order[new]]

    def fit(self, rows, labels, weights):
        """The weights of a table, trained on these blocks."""
        count = self.matrix.shape[0]
        at = self.row_of[rows]
        good = np.bincount(at, weights[rows] * labels[rows], count)
        bad = np.bincount(at, weights[rows] * (1 - labels[rows]), count)
        has_good, has_bad = np.flatnonzero(good), np.flatnonzero(bad)
        matrix = scipy.sparse.vstack([self.matrix[has_good], self.matrix[has_bad]], format="csr")
        given = np.concatenate([np.ones(len(has_good), int), np.zeros(len(has_bad), int)])
        weight = np.concatenate([good[has_good], bad[has_bad]])
        model = linear(matrix, given, weight / weight.mean(), 5e-5, 6)
        return model.coef_[0].astype(np.float32), float(model.intercept_[0])

    def score(self, table):
        """The prediction of a table for every block."""
        return (self.matrix @ table[0] + table[1]).astype(np.float32)[self.row_of]


class Learner:
    """Trains on some pages and predicts others."""

    def __init__(self, pages):
        self.pages = pages
        self.condensed = {name: Condensed(pages.tables[name], pages.page_of) for name in TABLES}
        self.roots, self.weights = pages.root_weights(), pages.weights()
        known = [pages.page_names.index(name) for name in PAGE_INPUTS]
        self.rows = np.hstack([pages.rows, pages.page_rows[:, known][pages.page_of]])
        self.names = pages.row_names + PAGE_INPUTS + ["table_" + name for name in TABLES] + ["type_" + kind for kind in TYPES]

    def fit_tables(self, rows):
        labels = self.pages.labels
        return {name: self.condensed[name].fit(rows, labels, self.roots) for name in TABLES}

    def table_scores(self, tables):
        return np.stack([self.condensed[name].score(tables[name]) for name in TABLES], axis=1)

    def fit_type(self, chosen, inner):
        """The model of the page type, and out-of-fold predictions for each page."""
        kinds, head = self.pages.types, self.pages.head
        said = np.zeros((len(self.pages), len(TYPES)), np.float32)
        learn = lambda part: linear(head[part], kinds[part], None, 1e-4, 30, class_weight="balanced")
        for fold in np.unique(inner):
            part = chosen[inner == fold]
            said[part] = learn(chosen[inner != fold]).decision_function(head[part])
        words = learn(chosen)
        inputs = np.hstack([self.pages.page_rows, said])
        grow = lambda part: lightgbm.train(TYPE_TREES, lightgbm.Dataset(inputs[part], kinds[part]), TYPE_ROUNDS)
        likely = np.zeros_like(said)
        for fold in np.unique(inner):
            part = chosen[inner == fold]
            likely[part] = grow(chosen[inner != fold]).predict(inputs[part])
        return dict(words=(words.coef_.astype(np.float32), words.intercept_.astype(np.float32)), trees=grow(chosen)), likely

    def type_likely(self, model, pages=None):
        head, rows = self.pages.head, self.pages.page_rows
        coefficients, bias = model["words"]
        said = head @ coefficients.T + bias
        return model["trees"].predict(np.hstack([rows, said]).astype(np.float32)).astype(np.float32)

    def prepare(self, chosen):
        """Learned features of all blocks: for the chosen pages from models that were not trained on
        their domain, for all others from models that were trained on all chosen pages."""
        pages = self.pages
        inner = pages.folds(INNER_FOLDS, chosen, 11)
        fold_of = np.full(len(pages), -1)
        fold_of[chosen] = inner
        block_fold = fold_of[pages.page_of]
        learnt = np.flatnonzero(block_fold >= 0)
        tables = self.fit_tables(learnt)
        scores = self.table_scores(tables)
        for fold in range(INNER_FOLDS):
            part = block_fold == fold
            scores[part] = self.table_scores(self.fit_tables(np.flatnonzero((block_fold >= 0) & ~part)))[part]
        type_model, likely = self.fit_type(chosen, inner)
        others = np.setdiff1d(np.arange(len(pages)), chosen)
        likely[others] = self.type_likely(type_model)[others]
        return dict(tables=tables, type=type_model), np.hstack([scores, likely[pages.page_of]]).astype(np.float32)

    def fit(self, chosen):
        """A model of the chosen pages, and its learned features for all pages."""
        model, learnt = self.prepare(chosen)
        inputs = np.hstack([self.rows, learnt])
        blocks = np.flatnonzero(np.isin(self.pages.page_of, chosen))
        given, labels, weights = inputs[blocks], self.pages.labels[blocks], self.weights[blocks]
        model["trees"] = lightgbm.train(TREES, lightgbm.Dataset(given, labels, weight=weights), ROUNDS)
        model["network"] = Network(given, labels, weights)
        return model, inputs
