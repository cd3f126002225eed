"""Lengths that depend on numbers of the call: is a length that looks constant believed to be?"""

import numpy as np

from .harness import program

TEN = np.linspace(0.3, 1.7, 10)
SIXTY = np.sin(np.arange(60.0)) + 1.5
HUNDRED = np.cos(np.arange(100.0)) + 1.5


# ----- the page's own
@program(0.3, 3, later=[(0.4, 8), (0.5, 1), (0.6, 4)], kernels=True)
def window(x, n):
    return np.mean(x * np.arange(1.0, min(n, 5) + 1))


@program(0.3, 1, later=[(0.3, 0), (0.4, 3), (0.5, 2)], kernels=True)
def levels(x, l):
    return np.mean(x * np.arange(2 ** (3 - l)))


@program(0.3, 400, later=[(0.3, 99), (0.4, 160)], kernels=True)
def spread(p, n):
    return np.std(np.linspace(0.0, 1.0, n // 50) * p)


@program(0.7, TEN[:4], 1, later=[(0.7, TEN[:4], 4), (0.7, TEN[:4], 9), (0.2, TEN[:1], 0)], kernels=True)
def late(p, x, i):
    return np.sum(np.sin(x * (np.full(max(1, 5 - i), 2.0) * p)))


@program(HUNDRED, later=[(SIXTY,), (HUNDRED[:46],)], kernels=True)
def tail_deleted(x):
    return np.std(np.delete(x, slice(0, 45)))


@program(HUNDRED, later=[(SIXTY,)], kernels=True)
def tail_split(x):
    return np.std(np.split(x, [45, 60])[1])


@program(HUNDRED, later=[(SIXTY,)], kernels=True)
def tail_sliced(x):
    return np.mean(x[45:])


@program(TEN[:3], 1, later=[(TEN[:3], 0), (TEN[:3], 3), (TEN, 2)], kernels=True)
def rest(x, i):
    s = 0.0
    for j in np.arange(i, x.shape[0]):
        s = s + x[j] ** 2
    return s


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("window", "numpy", "right"): "gradient of argument 0",
    ("window", "numba", "right"): "gradient of argument 0",
    ("levels", "numpy", "right"): "gradient of argument 0",
    ("levels", "numba", "right"): "numbers of the value",
    ("spread", "numpy", "right"): "gradient of argument 0",
    ("spread", "numba", "right"): "gradient of argument 0",
    ("late", "numpy", "right"): "gradient of argument 0",
    ("late", "numba", "right"): "call 4: numbers of the value",
    ("tail_deleted", "numpy", "right"): "gradient of argument 0",
    ("tail_deleted", "numba", "right"): "gradient of argument 0",
    ("tail_split", "numpy", "right"): "gradient of argument 0",
    ("tail_split", "numba", "right"): "gradient of argument 0",
    ("tail_sliced", "numpy", "compiled"): "traced",
    ("tail_sliced", "numba", "compiled"): "traced",
    ("rest", "numba", "right"): "numbers of the value",
}
