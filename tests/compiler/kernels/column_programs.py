"""Random programs of loops over columns: parts of them, sums, numbers that wait, additions and own places."""

from __future__ import annotations

import random

HEAD = "import numpy as np\n\n\ndef program(a, w, x):\n    "
START = [
    "n, m = a.shape",
    "b = np.zeros_like(a)",
    "c = a * 0.5",
    "y = np.zeros(n)",
    "z = np.zeros(m)",
    "s = 0.0",
]
RESULT = "return x[0] * x[1] + s + np.sum(b * b) + np.sum(c * w) + np.sum(y * y) + np.sum(z)"
COLUMNS = ("a[:, k]", "w[:, k]", "a[:, k] * w[:, k]", "np.sin(a[:, k])", "x[:n] * a[:, k]", "c0[:, k]")
NUMBERS = ("x[k % 3]", "a[0, k]", "w[-1, k]", "(k + 1.0)", "0.3", "t")
STATEMENTS = (
    "b[:, k] = {u} * {p}",
    "b[:, k] += {u} - {p}",
    "y += {u} * {p}",
    "y[1:] -= {p} * a[1:, k] * w[:-1, k]",
    "z[k] = np.sum({u}) * {p}",
    "z[k] += {u} @ {v}",
    "t = np.mean({u}) + {p}",
    "t = np.dot({u}, {v})",
    "s += t * {p}",
    "s += np.sum({u} * {v})",
    "s -= {p}",
    "b[: k % n + 1, k] += {p}",
    "b[0, k] = t",
    "for j in range(n):\n        b[j, k] = b[j, k] + {p} * a[j, k]",
    "for j in range(n):\n        s = s + c0[j, k] * a[j, k]",
    "for j in range(1, n):\n        b[j, k] = 0.5 * b[j - 1, k] + a[j, k]",
    "r = a[:, k] - t\n    b[:, k] = r / (1.0 + r @ r)",
    "c[0, :] += {p} * a[0, :]",
    "t = b[0, k]\n    b[:, k] = {u} * 0.5\n    b[0, k] = t + {p}",
    "t = b[0, k]\n    for j in range(n):\n        b[j, k] = a[j, k] * w[j, k]\n    b[0, k] = t - {p}",
    "t = z[k]\n    for j in range(n):\n        z[k] += a[j, k] * w[j, k]\n    z[k] = t + {p}",
    "b[k % n, :] += {p} * w[0, :]",
)


def column_program(seed: int) -> str:
    """The text of a function of two matrices of one shape and a vector."""
    draw = random.Random(seed)
    turns = draw.choice(["range(m)", "range(m - 1, -1, -1)", "range(m)", "range(1, m)"])
    outer = draw.random() < 0.4
    lines = ["t = 0.1"]
    for _ in range(draw.randint(2, 6)):
        names = {
            "u": f"({draw.choice(COLUMNS)})",
            "v": f"({draw.choice(COLUMNS)})",
            "p": draw.choice(NUMBERS),
        }
        lines += draw.choice(STATEMENTS).format(**names).split("\n    ")
    body = [f"for k in {turns}:", *("    " + line for line in lines)]
    if outer:
        body = ["for i in range(2):", *("    " + line for line in body), "    w = w * 0.9 + 0.1 * b"]
    return HEAD + "\n    ".join([*START, "c0 = a * w", *body, RESULT]) + "\n"
