"""How far the figures of fields that rules read depend on the pages of real-contacts.

    python3 DATA/real-contacts/score.py --list | trawl extract --mode contacts --batch > records.jsonl
    fields.py DATA records.jsonl

Nothing is fitted here, so that the folds share the rules: the table shows F1 of five folds by registrable domain, and
the standard error by the jackknife over domains. The rules were written by readers of all these pages.
"""
import importlib.util
import json
import os
import sys

import numpy as np

from logistic import domain_of

FIELDS = ['emails', 'phones', 'addresses', 'socials', 'name', 'legal_name', 'people']
FOLDS = 5


def scorer(data):
    """The scorer of the data as a module."""
    spec = importlib.util.spec_from_file_location('score', os.path.join(data, 'real-contacts', 'score.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def f1(counts):
    right, wrong, missed = counts
    return 2 * right / max(1, 2 * right + wrong + missed)


def main():
    data, records = sys.argv[1:3]
    score = scorer(data)
    with open(os.path.join(data, 'real-contacts', 'truth.jsonl'), encoding='utf-8') as file:
        truth = [json.loads(line) for line in file]
    with open(records, encoding='utf-8') as file:
        found = {page['id']: score.read(json.loads(line)) for page, line in zip(truth, file, strict=True)}
    domains = {}
    for page in truth:
        sums = score.score([page], found)[0]
        domain = domains.setdefault(domain_of(page['url']), {field: np.zeros(3) for field in FIELDS})
        for field in FIELDS:
            domain[field] += sums[field]
    names = sorted(domains)
    order = np.random.default_rng(1).permutation(len(names))
    print(f'{len(truth)} pages of {len(names)} domains')
    print(f'{"field":12}{"all":>7}  ' + ' '.join(f'fold {fold + 1}' for fold in range(FOLDS)) + '  standard error')
    for field in FIELDS:
        counts = np.array([domains[name][field] for name in names])
        total = counts.sum(axis=0)
        folds = [f1(counts[order % FOLDS == fold].sum(axis=0)) for fold in range(FOLDS)]
        left_out = np.array([f1(total - own) for own in counts])
        error = np.sqrt((len(names) - 1) / len(names) * ((left_out - left_out.mean()) ** 2).sum())
        print(f'{field:12}{f1(total):7.3f}  ' + ' '.join(f'{fold:6.3f}' for fold in folds) + f'  {error:14.3f}')


main()
