"""Views and copies that strides and lengths tell apart, of arrays that lie in memory in every which way.

All must be right, and compiled where nothing else is said.
"""

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
Y = np.array([[0.5, 0.7, -0.2], [1.5, -0.3, 0.9], [0.1, 0.4, -1.1]])
WIDE = np.array([[0.5, 0.7, -0.2, 0.3], [1.5, -0.3, 0.9, -0.6]])
LATER = [(X * 0.5, Y.T, 0.4), (np.array([0.3, 0.9]), Y[:2, :2].copy(), -0.7), (X, Y[:, :1].copy(), 1.1)]


@program(X, Y, 1.5, later=LATER)
def a_row_of_disagreeing_factors(x, y, s):
    m = np.array([x, x]).T * np.outer(x, x)[:, :2]
    r = m[0].ravel()
    np.multiply(r, s, r)
    c = m[:, 0].ravel()
    c *= 3.0
    return np.sum(m * m) + np.sum(r * r) + np.sum(c * x)


@program(X, Y, 1.5, later=LATER)
def chosen_by_where(x, y, s):
    m = np.where(np.outer(x, x) > 0, np.outer(x, x).T, s)
    v = np.rollaxis(m, 1).ravel()
    w = m.ravel()
    v -= 0.3
    w *= 2.0
    return np.sum(m * m) + np.sum(v * w)


@program(X, Y, 1.5, later=LATER)
def columns_are_kept(x, y, s):
    m = np.zeros((2, len(x)), order="F") + x
    v, w = m.T.reshape(-1), m.ravel()
    v[0] = s
    w[1] = 5.0 * s
    return np.sum(m * m) + np.sum(v * w)


@program(X, Y, 1.5, later=LATER)
def first_rows_and_first_columns(x, y, s):
    m = np.outer(x, x)
    a, b = np.vsplit(m, [1])[0].ravel(), np.hsplit(m, [1])[0].ravel()
    a *= s
    b *= 7.0
    return np.sum(m * m) + np.sum(a) + np.sum(b * x)


@program(X, Y, 1.5, later=LATER)
def flattened_by_columns(x, y, s):
    v = np.reshape(y, -1, order="F")
    y *= s
    return np.sum(v * 2.0) + np.sum(y * y)


@program(X, Y, 1.5, later=LATER)
def a_part_of_each_row(x, y, s):
    m = np.outer(x, x)
    v = m[:, :2].reshape(-1)
    v[0] += s
    return np.sum(m * m) + np.sum(v * v)


@program(X, WIDE, 1.5, later=[(X, WIDE.T.copy(), 0.4), (X, WIDE.T, 0.4)])
def every_other_column_joins(x, y, s):
    v = y[:, ::2].reshape(-1)
    w = y[::2, 0].reshape((1, -1))
    m = np.outer(x, x)
    u = m.reshape(-1)[::2].reshape(-1, order="F")
    v[0] += s
    w[0, 0] *= 2.0
    u[1] = s
    return np.sum(y * y) + np.sum(v * v) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def the_real_part_of_real_numbers(x, y, s):
    x, y = x * 1.0, y * 1.0
    a, b = np.real(x), y.real
    a[0] = s
    y *= 2.0
    return np.sum(x * x) + np.sum(b * b) + (a is x)


@program(X, Y, 1.5, later=LATER)
def asked_for_rows(x, y, s):
    m = np.concatenate([np.array([x, x]).T] * 2, axis=1)
    a, b = np.asarray(m, order="C"), np.asarray(m, order="F")
    m[1:] *= s
    b[0] += 1.0
    return np.sum(a * a) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def columns_of_a_product(x, y, s):
    m = np.dot(np.array([x, x]).T, np.array([x, x]))
    c = np.ascontiguousarray(m[:, 0])
    d = np.ascontiguousarray(m[0])
    m *= s
    d[0] += 2.0
    return np.sum(c * x) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def turned_twice(x, y, s):
    m = np.outer(x, x * 2.0)
    v = np.moveaxis(np.flip(m.T, 0), 0, -1).ravel()
    w = np.swapaxes(m.T, 0, 1).ravel()
    m += s
    w[2:] *= 0.5
    return np.sum(v * v) + np.sum(w) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def stretched_by_a_column(x, y, s):
    m = np.array([x, x]).T + x[:, None]
    v = m.reshape(-1)
    w = m.T.reshape(-1)
    m *= s
    w[0] = 2.0
    return np.sum(v * v) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def like_the_first_one_only(x, y, s):
    m = np.full_like(np.outer(x, x).T, np.outer(x, x) * s)
    n = np.full_like(np.outer(x, x), np.outer(x, x).T * s)
    v, w = m.ravel(), n.ravel()
    v[0], w[0] = 2.0, 3.0
    return np.sum(m * m) + np.sum(n * v.reshape(n.shape)) + np.sum(w)


@program(X, Y, 1.5, later=LATER)
def new_axes_and_numbers(x, y, s):
    m = np.outer(x, x)
    a, b = m[None, 1].ravel(), m[1:2, :, None].reshape(-1)
    c = m[:, None, 1].ravel()
    a *= s
    b += 1.0
    c *= 0.0
    return np.sum(m * m) + np.sum(a * b) + np.sum(c)


@program(X, Y, 1.5, later=LATER, compiled=False)
def three_axes(x, y, s):
    m = np.multiply(np.ones((2, 3, len(x))) * x, np.ones((len(x), 3, 2), order="F").T * s)
    t = np.swapaxes(m, 0, 1) * 1.0
    v, w = m.ravel(), t[1].ravel()
    v[0] *= 3.0
    w[0] *= 5.0
    return np.sum(m * m) + np.sum(t * t)


@program(X, Y, 1.5, later=LATER)
def in_a_loop(x, y, s):
    total = 0.0
    for k in range(3):
        m = np.outer(x, x) * np.array([x, x, x]).T[:, : len(x)] if len(x) == 3 else np.outer(x, x)
        v = m[:1].ravel()
        w = m[:, 0].ravel()
        v *= s
        w[k % 2] = 9.0
        total = total + np.sum(m * m) + np.sum(w * x)
    return total


# ----- what lies by rows, whatever it is given, and other shapes
@program(X, Y, 1.5, later=LATER)
def powers_by_columns(x, y, s):
    m = np.vander(x, 3)
    v = np.ravel(m, order="F")
    w = np.asarray(m, order="F")
    m[0] *= s
    np.multiply(v, x[1], v)
    w[...] = np.cos(w)
    return np.sum(v * v) + np.sum(m * m) + np.sum(w)


@program(X, Y, 1.5, later=LATER)
def rows_of_powers_joined(x, y, s):
    m = np.vander(x, 3)
    v = m[1:].reshape(-1)
    u = np.ascontiguousarray(m.T).ravel()
    m *= x[1]
    v += s
    u.fill(s)
    u[0] = x[0]
    return np.sum(v * v) + np.sum(m * m) + np.sum(u)


@program(X, Y, 1.5, later=LATER)
def the_same_shape_of_a_transpose(x, y, s):
    m = -np.outer(x, x).T
    v = m.reshape(m.shape[::-1])
    v[...] = np.cos(v) * s
    m[0] += x[0]
    return np.sum(v * x[1]) + np.sum(m * m)


@program(X, Y, 1.5, later=LATER)
def another_shape_of_a_transpose(x, y, s):
    m = -np.outer(x, x[:2]).T
    v = m.reshape(m.shape[::-1])
    v *= s
    m[0] += x[0]
    return np.sum(v * x[1]) + np.sum(m * m)


# ----- writes to another shape of a vector whose steps are not one
@program(X, 0.3, X * 2, later=[(-X, 1.3, X), (X[:2], -0.2, X[1:])], options={"check": True})
def put_into_a_part_written_whole(x, s, b):
    c = x[::-1]
    c[[0, 1]] = s
    c = np.minimum(b, 1.5, out=c)
    c.put(1, s)
    return np.sum(c * c) + x[0]


@program(X, Y, 1.5, later=LATER)
def a_column_of_a_part_written_whole(x, y, s):
    c = (x * 2.0)[::-1]
    c[...] = s
    c.reshape(c.shape[0], 1)[0] = y[0, 0]
    d = np.flip(x * s)
    d.put(0, y[0, 0])
    return np.sum(c * c) + np.sum(d * x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
