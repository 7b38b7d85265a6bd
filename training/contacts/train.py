"""Trains and measures the model of people: a logistic regression over what the readers see.

    train.py fit DATA WORK MODEL    trains on all samples and writes MODEL
    train.py cv DATA WORK           nested cross-validation by registrable domain
    train.py open DATA WORK         samples without a label, for labelling

WORK holds `pages.jsonl`, `people.jsonl` (real pages) and `lab.jsonl`, as `run` writes them.
"""
import hashlib
import json
import os
import sys
import unicodedata

import numpy as np

from logistic import domain_of, log_loss, probability, write_model

HERE = os.path.dirname(os.path.abspath(__file__))
# The generated pages add layouts and languages that the real pages lack. All of them together
# weigh this share of the real ones.
LAB_SHARE = 0.5
PENALTIES = [1.0, 3.0, 10.0]
FOLDS = 5
# A wrong person costs more than a missing one: precision counts more than recall.
BETA = 0.7


def folded(name):
    letters = unicodedata.normalize('NFKD', name)
    return ' '.join(''.join(c if c.isalnum() else ' ' for c in letters if not unicodedata.combining(c)).casefold().split())


def key_of(page, name):
    """Labels name people by a hash, so that the file holds no names."""
    return hashlib.sha256(f'{page} {folded(name)}'.encode()).hexdigest()[:12]


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def own_labels():
    labels = {}
    with open(os.path.join(HERE, 'labels.tsv'), encoding='utf-8') as file:
        for line in file:
            if not line.startswith('#'):
                key, label = line.split()
                labels[key] = None if label == '-' else int(label)
    return labels


class Samples:
    def __init__(self, data, work):
        truth = {page['id']: page for page in lines(os.path.join(data, 'real-contacts', 'truth.jsonl'))}
        labels = own_labels()
        head, *rows = lines(os.path.join(work, 'people.jsonl'))
        self.features = head['features']
        x, y, pages, names, domains = [], [], [], [], []
        self.open = []
        for row in rows:
            label = self.label(row, truth, labels)
            if label == 'open':
                self.open.append(row)
            if label not in (0, 1):
                continue
            x.append(row['features'])
            y.append(label)
            pages.append(row['id'])
            names.append(folded(row['name']))
            domains.append(domain_of(row['url']))
        self.x, self.y = np.array(x, float), np.array(y, float)
        self.pages, self.names, self.domains = np.array(pages), names, np.array(domains)
        counts = {page: pages.count(page) for page in set(pages)}
        # A page with a hundred names must not outweigh the others.
        self.weights = np.array([counts[page] ** -0.5 for page in pages])
        self.truth = truth
        lab = lines(os.path.join(work, 'lab.jsonl'))[1:]
        self.lab_x = np.array([row['features'] for row in lab], float)
        self.lab_y = np.array([row['is_own'] for row in lab], float)

    @staticmethod
    def label(row, truth, labels):
        page = truth.get(row['id'])
        if page is None:
            return labels.get(key_of(row['id'], row['name']), 'open')
        name = folded(row['name'])
        same = lambda person: folded(person['name'] if isinstance(person, dict) else person) == name
        if any(map(same, page['people'])):
            return 1
        if any(map(same, page.get('people_opt', []))):
            return None
        return 0

    def fold_of(self, seed):
        """A fold for every domain."""
        known = sorted(set(self.domains))
        order = np.random.default_rng(seed).permutation(len(known))
        fold = {domain: order[at] % FOLDS for at, domain in enumerate(known)}
        return np.array([fold[domain] for domain in self.domains])

    def fit(self, rows, penalty, columns=None):
        lab_weight = np.full(len(self.lab_y), LAB_SHARE * self.weights[rows].sum() / len(self.lab_y))
        x = np.vstack([self.x[rows], self.lab_x])
        if columns is not None:
            x = x * columns
        return logistic(x, np.concatenate([self.y[rows], self.lab_y]), np.concatenate([self.weights[rows], lab_weight]), penalty)

    def predict(self, beta, rows):
        return probability(beta[:-1], beta[-1], self.x[rows])


def logistic(x, y, weights, penalty):
    """Newton's method; the last coefficient is the bias, which has no penalty."""
    x = np.hstack([x, np.ones((len(x), 1))])
    ridge = np.full(x.shape[1], penalty)
    ridge[-1] = 1e-6
    beta = np.zeros(x.shape[1])
    for _ in range(100):
        p = probability(beta[:-1], beta[-1], x[:, :-1])
        gradient = x.T @ (weights * (p - y)) + ridge * beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def persons(samples, rows, p):
    """Each name of a page once, with its highest probability."""
    best = {}
    for row, value in zip(rows, p):
        name = (samples.pages[row], samples.names[row])
        best[name] = max(best.get(name, (-1.0, 0.0)), (value, samples.y[row]))
    return np.array(list(best.values())).reshape(-1, 2)


def f_beta(found, threshold):
    given = found[:, 0] >= threshold
    right = found[given, 1].sum()
    wanted = found[:, 1].sum()
    return (1 + BETA**2) * right / max(1e-9, given.sum() + BETA**2 * wanted)


def best_threshold(found):
    """The lowest threshold whose mean score over random halves is within 0.01 of the best: the maximum of a flat
    curve is an accident, and among equals the one that finds more is better."""
    # Below 0.5 a person more likely belongs to others.
    grid = np.arange(0.5, 0.91, 0.02)
    rng = np.random.default_rng(0)
    total = np.zeros(len(grid))
    for _ in range(40):
        half = found[rng.random(len(found)) < 0.5]
        total += [f_beta(half, threshold) / 40 for threshold in grid]
    return float(grid[total >= total.max() - 0.01].min())


def inner(samples, rows, seed, columns=None):
    """Penalty and threshold, chosen by cross-validation within these rows."""
    folds = samples.fold_of(seed)[rows]
    best = None
    for penalty in PENALTIES:
        p = np.zeros(len(rows))
        for fold in range(FOLDS):
            test = folds == fold
            if test.any():
                p[test] = samples.predict(samples.fit(rows[~test], penalty, columns), rows[test])
        loss = log_loss(p, samples.y[rows], samples.weights[rows])
        if best is None or loss < best[0]:
            best = (loss, penalty, best_threshold(persons(samples, rows, p)))
    return best[1:]


def outer(samples, columns=None, tune=True):
    """Probabilities of models that did not see the domain, and their thresholds."""
    folds = samples.fold_of(1)
    p, thresholds = np.zeros(len(samples.y)), np.zeros(len(samples.y))
    for fold in range(FOLDS):
        train, test = np.where(folds != fold)[0], np.where(folds == fold)[0]
        penalty, threshold = inner(samples, train, 2 + fold, columns) if tune else (1.0, 0.5)
        p[test] = samples.predict(samples.fit(train, penalty, columns), test)
        thresholds[test] = threshold
    return p, thresholds


def report(samples, p, thresholds):
    rows = np.arange(len(p))
    for title, chosen in (('pages of real-contacts', [page in samples.truth for page in samples.pages]),
                          ('further labelled pages', [page not in samples.truth for page in samples.pages]),
                          ('all', [True] * len(p))):
        chosen = np.array(chosen)
        found = persons(samples, rows[chosen], (p - thresholds)[chosen])
        given = found[:, 0] >= 0
        right, wanted = found[given, 1].sum(), found[:, 1].sum()
        precision, recall = right / max(1, given.sum()), right / max(1, wanted)
        print(f'{title}: {len(found)} names, {wanted:.0f} own; precision {precision:.3f}, recall {recall:.3f} '
              f'(of names that a reader finds), F1 {2 * precision * recall / max(1e-9, precision + recall):.3f}, wrong {given.sum() - right:.0f}')
    print(f'log loss {log_loss(p, samples.y, samples.weights):.4f}')
    print('probability: people, share of own')
    found = persons(samples, rows, p)
    for low, high in ((0, .1), (.1, .3), (.3, .5), (.5, .7), (.7, .8), (.8, .9), (.9, 1.01)):
        inside = (found[:, 0] >= low) & (found[:, 0] < high)
        if inside.any():
            print(f'  {low:.1f}-{min(high, 1):.1f}: {inside.sum()}, {found[inside, 1].mean():.2f} (mean probability {found[inside, 0].mean():.2f})')


def ablation(samples):
    p, _ = outer(samples, tune=False)
    whole = log_loss(p, samples.y, samples.weights)
    losses = []
    for at, name in enumerate(samples.features):
        columns = np.ones(samples.x.shape[1])
        columns[at] = 0
        # The column is left out of training; its weight is then zero.
        p, _ = outer(samples, columns, tune=False)
        losses.append((log_loss(p, samples.y, samples.weights) - whole, name))
    print('change of log loss without a feature')
    for loss, name in sorted(losses, reverse=True):
        print(f'  {loss:+.4f} {name}')


def main():
    command, data, work = sys.argv[1:4]
    samples = Samples(data, work)
    if command == 'open':
        for row in samples.open:
            print(json.dumps({'key': key_of(row['id'], row['name']), **row}))
        return
    if command == 'cv':
        report(samples, *outer(samples))
        ablation(samples)
        return
    rows = np.arange(len(samples.y))
    penalty, threshold = inner(samples, rows, 7)
    beta = samples.fit(rows, penalty)
    head = [
        'Weights of the logistic regression that decides whether a person belongs to the company.',
        'Computed by training/contacts/run; see the README there. Data: pages of WCXB (Murrough Foley,',
        '2026, CC BY 4.0) with own labels, and the generated companies of the tests. Not to be edited.',
    ]
    write_model(sys.argv[4], head, threshold, beta[-1], samples.features, beta)
    print(f'penalty {penalty}, threshold {threshold:.2f}, {len(rows)} samples of {len(set(samples.domains))} domains')


main()
