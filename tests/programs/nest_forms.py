"""Which expressions have random nests of loops? Tables of texts with weights, by what they are made of.

In the texts ``{0}``, ``{1}``, ``{2}`` and ``{f}`` are floats; ``{v}`` and ``{u}`` are vectors of one length,
``{w}`` is a row, ``{a}`` and ``{b}`` are matrices, ``{c}`` and ``{d}`` complex vectors (in FLOATS ``{c}`` is
a condition), ``{i}`` and ``{j}`` places.
"""

HEAD = """import math

import numpy as np


def bump(a, b):
    if a > b:
        return math.tanh(a - b)
    return 0.3 * b


def fill(buf, v):
    for q in range(len(buf)):
        if buf[q] > 1.2:
            return q
        buf[q] = buf[q - 1] * 0.5 + math.sin(v)
    return len(buf)

"""
FLOATS = (
    ("{0} + {1}", 3),
    ("{0} - {1}", 3),
    ("{0} * {1}", 5),
    ("np.sin({0})", 2),
    ("math.cos({0})", 2),
    ("np.tanh({0})", 2),
    ("np.exp(-abs({0}))", 1),
    ("np.sqrt(1.0 + {0} * {0})", 1),
    ("abs({0})", 1),
    ("{0} ** 2", 1),
    ("{0} ** 3 * 0.2", 1),
    ("{0} / (1.5 + {1} ** 2)", 2),
    ("min({0}, {1})", 1),
    ("max({0}, {1})", 1),
    ("np.maximum({0}, {1})", 1),
    ("np.where({0} > {1}, {0}, {2})", 1),
    ("({0} if {c} else {1})", 2),
    ("np.hypot({0}, {1} + 2.0)", 1),
    ("np.arctan2({0}, 1.5 + abs({1}))", 1),
    ("(1.2 + abs({0})) ** {1}", 0.5),
    ("({0} % 1.3)", 0.5),
    ("({0} // 0.7)", 0.5),
    ("bump({0}, {1})", 1),
    ("int({0} * 3.0) * {1}", 0.5),
    ("np.sign({0}) * {1}", 0.5),
    ("np.clip({0}, -0.6, 0.8)", 1),
    ("-{0}", 1),
    ("(0.4 - ({0} > {1})) * {2}", 0.5),
)
OF_VECTOR = (
    ("np.sum({v})", 2),
    ("{v}.mean()", 1),
    ("np.max({v})", 1),
    ("{v}.min()", 0.5),
    ("np.sum({v} * {u})", 2),
    ("np.dot({v}, {u})", 1),
    ("np.sum({v}[{i}:])", 1),
    ("np.sum({v}[:{i}] * {u}[:{i}])", 2),
    ("np.sum({v}[1:] - {v}[:-1])", 1),
    ("np.sum({v}[::-1] * {u})", 1),
    ("np.sum({v}[::2])", 1),
    ("np.prod(1.0 + 0.3 * np.sin({v}))", 0.5),
    ("np.sqrt(0.1 + np.sum({v} ** 2))", 1),
    ("{v}[np.argmax({u})]", 1),
    ("np.sum({v}[{u} > 0.1])", 0.5),
    ("np.cumsum({v})[-1]", 0.5),
    ("sum([t * {f} for t in {v}])", 0.5),
)
OF_MATRIX = (
    ("np.sum({a})", 1),
    ("np.sum({a} * {b})", 1),
    ("np.sum({a}[:, {j}])", 2),
    ("np.sum({a}[{i}] * {w})", 2),
    ("{v} @ {a} @ {w}", 1),
    ("np.sum({a}[{i}, :{j}])", 1),
    ("np.max(np.sum({a}, axis=0))", 0.5),
    ("np.sum(np.dot({a}, {w}))", 1),
    ("np.sum(np.max({a}, axis=1) * {v})", 0.5),
    ("np.sum({a}.T @ {v})", 1),
    ("np.trace({a} @ {b}.T)", 0.5),
)
VECTORS = (
    ("{v} * {f}", 3),
    ("{v} + {u}", 2),
    ("np.sin({v})", 2),
    ("{v} * {u}", 2),
    ("np.where({v} > {f}, {v}, {u})", 1),
    ("np.maximum({v}, {u})", 1),
    ("{v}[::-1]", 1),
    ("np.roll({v}, 1)", 1),
    ("np.cumsum({v}) * 0.3", 0.5),
    ("{v} - np.mean({v})", 1),
    ("np.tanh({v} * {f}) + {u}", 1),
    ("np.sort({v})", 0.3),
    ("{v} ** 2 * 0.3", 1),
)
MATRICES = (
    ("{a} * {f}", 2),
    ("{a} + {b}", 2),
    ("np.sin({a}) * {w}", 2),
    ("{a} * {v}[:, None]", 2),
    ("np.outer({v}, {w})", 2),
    ("{a}[::-1]", 1),
    ("{a}[:, ::-1]", 1),
    ("np.where({a} > 0.0, {a}, {b})", 1),
    ("0.3 * {a} @ ({b}.T @ {a})", 1),
)
OF_WAVE = (
    ("{c}[{i}].real", 2),
    ("abs({c}[{i}] + 2.0)", 1),
    ("({c}[{i}] * np.conj({d}[{j}])).imag", 2),
    ("np.vdot({c}, {d}).real", 1),
    ("np.sum(np.abs({c}) ** 2)", 1),
    ("np.angle(2.5 + np.tanh({c}[{i}].real) * 1j)", 0.5),
)
WAVES = (
    ("{c}[{i}] * {d}[{j}] * 0.6", 2),
    ("np.exp(1j * {f})", 2),
    ("np.conj({d}[{j}])", 1),
    ("complex({f}, {f})", 1),
    ("({f} - 0.5j) * {d}[{j}]", 2),
    ("{d}[{j}] / (2.0 + abs({d}[{j}]))", 1),
)
