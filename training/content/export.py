"""Writes a trained model to the file that the Rust program includes.

Weights become bytes and leaves short numbers; thresholds are rounded down to single
precision, which changes no answer, because inputs have single precision too.
"""

import struct

import numpy as np

from learning import DOUBT, NETWORK_SHARE, TABLES
from pages import SLOTS, TYPE_SLOTS, TYPES

MAGIC = b"content model 2\n"


def in_bytes(weights):
    """Quantises weights to signed bytes with one step size; the few largest are clipped."""
    highest = float(np.quantile(np.abs(weights[weights != 0]), 0.999)) if np.any(weights) else 1.0
    scale = np.float32(highest / 127)
    return np.clip(np.rint(weights / scale), -127, 127).astype(np.int8), scale


def rounded_down(threshold):
    value = np.float32(np.clip(threshold, np.finfo(np.float32).min, np.finfo(np.float32).max))
    return np.nextafter(value, np.float32(-np.inf)) if float(value) > threshold else value


class Tree:
    """A decision tree. Each question precedes the questions that it leads to."""

    def __init__(self, structure):
        self.questions, self.leaves = [], []
        self._visit(structure)
        count = len(self.questions)
        place = lambda next: next[1] if next[0] == "question" else count + next[1]
        self.questions = [(column, threshold, place(yes), place(no)) for column, threshold, yes, no in self.questions]

    def _visit(self, node):
        if "leaf_value" in node:
            self.leaves.append(node["leaf_value"])
            return "leaf", len(self.leaves) - 1
        assert node["decision_type"] == "<=", "only numbers are asked for"
        at = len(self.questions)
        self.questions.append(None)
        yes, no = self._visit(node["left_child"]), self._visit(node["right_child"])
        self.questions[at] = (node["split_feature"], rounded_down(node["threshold"]), yes, no)
        return "question", at


class Forest:
    """All trees of a model, with their leaves quantised by one step size."""

    def __init__(self, booster, columns):
        self.columns = columns
        self.trees = [Tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
        highest = max(abs(leaf) for tree in self.trees for leaf in tree.leaves)
        self.scale = np.float32(highest / 32767)

    def encode(self):
        out = [struct.pack("<Hf", len(self.trees), self.scale)]
        for tree in self.trees:
            out.append(struct.pack("<B", len(tree.questions)))
            for column, threshold, yes, no in tree.questions:
                out.append(struct.pack("<BBBf", self.columns[column], yes, no, threshold))
            steps = np.rint(np.array(tree.leaves) / self.scale).astype(np.int16)
            out.append(steps.astype("<i2").tobytes())
        return b"".join(out)


def encode(model, inputs_hash, type_columns):
    """The bytes of the file. `model` contains tables, type, trees and network."""
    out = [MAGIC, struct.pack("<Q", inputs_hash)]
    for name in TABLES:
        weights, bias = model["tables"][name]
        steps, scale = in_bytes(weights)
        assert len(steps) == SLOTS
        out += [struct.pack("<ff", scale, bias), steps.tobytes()]
    weights, bias = model["type"]["words"]
    steps, scale = in_bytes(weights)
    assert steps.shape == (len(TYPES), TYPE_SLOTS)
    out += [struct.pack("<f", scale), struct.pack(f"<{len(TYPES)}f", *bias), np.ascontiguousarray(steps.T).tobytes()]
    out.append(Forest(model["type"]["trees"], range(type_columns)).encode())
    inputs = len(model["network"].scale)
    out.append(Forest(model["trees"], range(inputs)).encode())
    out += [struct.pack("<ff", DOUBT, NETWORK_SHARE), encode_network(model["network"])]
    return b"".join(out)


def encode_network(network):
    """The scales of the inputs, and the weights, bias and output weight of each hidden unit."""
    inputs, units = network.weights.shape
    hidden = np.vstack([network.weights, network.biases, network.outputs]).T.ravel()
    numbers = np.concatenate([network.scale, hidden, [network.bias]])
    return struct.pack("<HH", inputs, units) + numbers.astype("<f4").tobytes()


def rounded(model):
    """The same model with quantised tables, whose results the Rust code must reproduce."""
    tables = {}
    for name, (weights, bias) in model["tables"].items():
        steps, scale = in_bytes(weights)
        tables[name] = (steps.astype(np.float32) * scale, bias)
    weights, bias = model["type"]["words"]
    steps, scale = in_bytes(weights)
    words = (steps.astype(np.float32) * scale, bias)
    return dict(model, tables=tables, type=dict(model["type"], words=words))
