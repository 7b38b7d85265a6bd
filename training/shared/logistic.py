"""What the training programs of logistic regressions share: the file of weights that
`text::logistic::LogisticModel` reads, probabilities, log loss, and domains."""

import numpy as np
import tldextract

BIAS, THRESHOLD = "(bias)", "(threshold)"

_split = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def domain_of(url):
    """The registrable domain of a URL, by which folds are made."""
    return _split(url).top_domain_under_public_suffix or url


def probability(weights, bias, values):
    return 1 / (1 + np.exp(-(values @ weights + bias)))


def log_loss(found, labels, weights):
    found = np.clip(found, 1e-6, 1 - 1e-6)
    return np.average(-np.where(labels == 1, np.log(found), np.log(1 - found)), weights=weights)


def write_model(path, head, threshold, bias, names, weights):
    """Writes the weights under a head of comment lines."""
    lines = [f"# {line}" for line in head]
    lines += [f"{THRESHOLD}\t{threshold:.2f}", f"{BIAS}\t{bias:.4f}"]
    lines += [f"{name}\t{weight:.4f}" for name, weight in zip(names, weights)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read_model(path, names):
    """Threshold, bias and the weights of these features."""
    with open(path, encoding="utf-8") as lines:
        entries = dict(line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#"))
    return float(entries[THRESHOLD]), float(entries[BIAS]), np.array([float(entries[name]) for name in names])
