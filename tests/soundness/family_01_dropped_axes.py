"""Axes that are dropped where their length is 1: is the number of axes asked for as the program runs?

A list of arrays is an array whose first length is that of the list, however its elements came about.
"""

import numpy as np

from .harness import program

X = np.array([0.3, 0.7, 1.1])
COUNTS = [(X, 1), (X, 3)]


@program(X, 0.5, later=[(X, 1.0), (X, 0.0)])
def rows_that_are_kept(x, least):
    rows = [np.sin(np.arange(3.0) * k) for k in x if k > least]
    w = np.squeeze(rows)
    return np.sum(w**2) * w.ndim


@program(X, 2, later=COUNTS)
def rows_of_a_count(x, n):
    w = np.squeeze([x * (k + 1) for k in range(n)])
    w *= np.hanning(w.size) if w.ndim == 1 else 2.0
    return np.sum(w / np.amax(w))


@program(X, 2, later=COUNTS)
def pairs(x, n):
    w = np.squeeze([[2 * x[k], np.sin(x[k])] for k in range(n)])
    return np.sum(w**2) if w.ndim == 2 else w[0] * w[1]


@program(X, 2, later=COUNTS)
def numbers(x, n):
    w = np.squeeze([x[k] ** 2 for k in range(n)])
    return w[0] * w[-1] if w.ndim else 7.0 * w


@program(X, 2, later=COUNTS)
def two_axes(x, n):
    w = np.squeeze(np.array([[x[k : k + 1] * (j + 1) for j in range(n)] for k in range(n)]))
    return np.sum(np.atleast_1d(w)[-1] ** 2) * (1 + w.ndim)


@program(X, 0.5, later=[(X, 1.0), (X, 0.0)])
def selected(x, least):
    w = np.squeeze(x[x > least])
    return np.sum(w**3) * (1 + np.ndim(w))


@program(X, 2, later=COUNTS)
def written_through(x, n):
    y = np.sin(np.outer(x, x))
    w = y[:, :n].squeeze()
    w[0] = 3 * x[1]
    return np.sum(y**2) + np.sum(w)


@program(X, 2, later=COUNTS)
def covariance_of_rows(x, n):
    c = np.cov([x * (k + 1) + x**2 for k in range(n)])
    return np.sum(c) if c.ndim else 5.0 * c


@program(X, 0.0, later=[(X, 0.5), (X, 2.0)], compiled=False)
def sum_of_no_rows(x, least):
    total = sum([x * k for k in x if k > least])
    return np.sum(total) + np.ndim(total) + x[0]


@program(X, 0.0, later=[(X, 0.5), (X, 2.0)])
def sum_that_begins_with_an_array(x, least):
    total = sum([x * k for k in x if k > least], np.zeros(3))
    return np.sum(total**2) * np.ndim(total) + x[0]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
