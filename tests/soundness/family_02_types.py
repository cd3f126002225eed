"""Names and lists whose type, rank or kind changes: does the type at the first store count for all?"""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])


# ----- the page's own
@program(0.3, 3, later=[(0.4, 6)], kernels=True)
def zeros_filled(x, n):
    c = [0] * n
    for l in range(1, n):
        c[l] = x * l
    return c[1] + c[2] * x


@program(0.3, 3, later=[(0.4, 6)], kernels=True)
def range_filled(x, n):
    c = list(range(n))
    for l in range(1, n):
        c[l] = x * l
    return c[1] + c[2] * x


@program(0.3, 3, later=[(0.4, 6)], kernels=True)
def comprehension_filled(x, n):
    c = [0 for _ in range(n)]
    for l in range(1, n):
        c[l] = x * l
    return c[1] + c[2] * x


@program(0.3, 3, later=[(0.4, 6)], kernels=True)
def zero_appended(x, n):
    c = []
    c.append(0)
    for l in range(1, n):
        c.append(x * l)
    return c[1] + c[2] * x


@program(FOUR, 0.6, later=[(FOUR[:2], 0.3)], kernels=True)
def number_becomes_array(x, s):
    v = s * s
    t = x * v
    for i in range(2):
        v = x * 2
    return np.sum(t) + np.sum(v)


@program(FOUR, 3, later=[(FOUR, 0), (FOUR[:2], 1)], kernels=True)
def rank_grows(x, n):
    y = x
    for i in range(n):
        if y.ndim == 1:
            y = np.outer(y, x)
        y = y * 1.5
    return np.sum(y[0] * 2.0)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("zeros_filled", "numpy", "right"): "gradient of argument 0",
    ("zeros_filled", "numba", "right"): "gradient of argument 0",
    ("range_filled", "numpy", "right"): "gradient of argument 0",
    ("range_filled", "numba", "right"): "gradient of argument 0",
    ("comprehension_filled", "numpy", "right"): "gradient of argument 0",
    ("comprehension_filled", "numba", "right"): "gradient of argument 0",
    ("number_becomes_array", "numpy", "right"): "gradient of argument 1",
    ("number_becomes_array", "numba", "right"): "gradient of argument 1",
    ("rank_grows", "numpy", "compiled"): "traced",
    ("rank_grows", "numba", "compiled"): "traced",
}
