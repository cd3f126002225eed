"""Orders in memory of what functions make: sorted, repeated, joined, required or seen under another name.

All must be right, and compiled where nothing else is said.
"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3])
Y = np.array([[0.5, 0.7, -0.2], [1.5, -0.3, 0.9], [0.1, 0.4, -1.1]])
COLUMNS = np.asfortranarray(Y)
LATER = [(X[::-1], COLUMNS, 0.4), (np.array([0.3, 0.9, 0.2, -0.6]), Y[:2], -0.7), (X[:2].copy(), Y[::2], 1.1)]


# ----- .view()
@program(X, Y, 1.5, later=LATER)
def all_under_another_name(x, y, s):
    v, w = x.view(), y.T.view(float)
    v *= s
    y[0] = 2.0 * s
    return np.sum(x * x) + np.sum(w * w) + np.sum(v)


@program(X, Y, 1.5, later=LATER)
def a_view_of_each_turn(x, y, s):
    total = 0.0
    for row in y:
        v = row.view(np.ndarray)
        v[0] = total * s
        total += np.sum(np.sin(row))
    return total + np.sum(y * y)


@program(X, Y, 1.5, later=LATER)
def a_view_of_the_dtype(x, y, s):
    parts = [a.view(x.dtype) for a in (x * s, x[1:])]
    parts[1] -= np.sum(parts[0])
    return np.sum(x * x) + np.sum(parts[0] * 2.0)


# ----- what np.require returns
@program(X, Y, 1.5, later=LATER)
def rows_or_columns_required(x, y, s):
    m = np.outer(x, x)
    a, b = np.require(m, float, ["C"]), np.require(m, requirements="F")
    a[0] = s * x
    b[0] *= 3.0
    return np.sum(m * m) + np.sum(a) + np.sum(b * b)


@program(X, Y, 1.5, later=LATER)
def required_of_an_argument(x, y, s):
    a = np.require(y, None, ["F_CONTIGUOUS"])
    a -= s
    y[0] *= 2.0
    return np.sum(a * a) + np.sum(y * y)


@program(X, Y, 1.5, wrt=(2,), later=[(np.arange(3), COLUMNS, 0.3)])
def required_of_another_dtype(x, y, s):
    a = np.require(x, float)
    a[0] = s
    return np.sum(a * a) + np.sum(x) * 1.5


@program(X, Y, 1, later=[(X, Y, 0), (X[:2], COLUMNS, 1)], compiled=False)
def an_order_of_what_may_be_a_vector(x, y, n):
    m = np.outer(x, x).T if n > 0 else x * 1.0
    r = np.asarray(m, order="C")
    r[0] = 5.0
    return np.sum(m * m) + np.sum(r * np.sum(x))


# ----- as large as all of them
@program(X, Y, 1.5, later=LATER)
def nothing_is_stretched(x, y, s):
    a, b = np.broadcast_arrays(y, s)[0], np.broadcast_arrays(x, x * 2.0)[0]
    a[0] *= s
    b += np.sum(a)
    return np.sum(y * y) + np.sum(x * b)


@program(X, Y, 1.5, later=LATER)
def the_stretched_one_is_read(x, y, s):
    m = np.outer(x, x)
    a, b = np.broadcast_arrays(x, m)
    b[0] = s * x
    x *= 2.0
    return np.sum(a * a) + np.sum(m * b)


@program(X, Y, 1.5, later=LATER)
def an_open_mesh_by_columns(x, y, s):
    rows, columns = np.ix_(x[:2], x[::2])
    a, b = np.asarray(rows, order="F"), np.ascontiguousarray(columns)
    a *= s
    b += 1.0
    return np.sum(x * x) + np.sum(rows * columns) + np.sum(b)


@program(X, Y, 1.5, later=LATER)
def a_mesh_is_a_copy(x, y, s):
    a, b = np.meshgrid(x, x * s)
    v, w = np.reshape(b, -1), a.T.ravel()
    b += s
    a *= x
    return np.sum(v * v) + np.sum(w) + np.sum(x * x)


@program(X, Y, 1.5, later=LATER)
def lists_by_columns(x, y, s):
    a, b = np.asarray([x, x * s], order="F"), np.array([y.T, y.T])
    u, v, w = a.ravel(), a.T.ravel(), b.ravel()
    u[0], v[1], w[0] = s, 2.0 * s, 3.0
    return np.sum(a * a) + np.sum(u * v) + np.sum(b * b) + np.sum(w)


# ----- made without gaps
@program(X, Y, 1.5, later=LATER)
def vectors_have_no_gaps(x, y, s):
    made = [
        np.roll(x, 1),
        np.sum(y, axis=0),
        np.linalg.norm(y, axis=1),
        x[x > -9.0],
        y[:, [0]][:, 0],
        np.sort(x),
    ]
    total = 0.0
    for v in made[:5]:
        w = np.asarray(v, order="F")
        w *= s
        total = total + np.sum(v * v) + np.sum(w)
    return total


@program(X, Y, 1.5, later=LATER)
def a_column_has_no_gaps(x, y, s):
    a, b = np.mean(y, axis=1, keepdims=True), y[:, [1]]
    v, w = a.ravel(), b.reshape(-1, order="F")
    v[0] = s
    b -= s
    return np.sum(a * a) + np.sum(w * w) + np.sum(v)


@program(X, Y, 1.5, later=LATER)
def repeated_by_rows(x, y, s):
    a = np.repeat(y.T, 2, axis=0)
    v, w = a.ravel(), a.ravel("F")
    v[1] = s
    w[0] = 3.0 * s
    return np.sum(a * a) + np.sum(v) + np.sum(w * w)


@program(X, Y, 1.5, later=LATER)
def sorted_as_they_lie(x, y, s):
    m = np.array([x, x * s]).T
    a, b, c = np.sort(m, axis=0), np.cumsum(m, axis=1), np.nan_to_num(m)
    u, v, w = a.ravel(), b.ravel("F"), c.reshape(-1)
    u[0], v[0], w[0] = s, 2.0 * s, 3.0 * s
    return np.sum(a * a) + np.sum(b * b) + np.sum(c * c) + np.sum(u)


@program(X, Y, 1.5, later=LATER)
def halves_by_rows(x, y, s):
    m = np.outer(x, x).T
    a, b = np.triu(m), np.tril(m)
    v, w = a.ravel(), b.ravel("F")
    v[0], w[0] = s, 2.0 * s
    return np.sum(a * a) + np.sum(b * b) + np.sum(v * w)


@program(X, Y, 1.5, later=LATER)
def copied_by_rows(x, y, s):
    a = y.copy()
    v = a.ravel()
    v[1:] *= s
    return np.sum(a * a) + np.sum(v) * np.sum(y)


@program(X, Y, 1.5, later=LATER)
def converted_as_it_lies(x, y, s):
    m = np.array([x, x * s]).T
    a, b, c = m.astype(complex), m.astype(float, order="C"), m.astype(float, "F")
    u, v, w = a.ravel(), b.ravel(), c.ravel()
    u[0], v[0], w[0] = s, 2.0 * s, 3.0 * s
    return np.sum(a.real**2) + np.sum(b * b) + np.sum(c * c) + np.sum(w)


@program(X, Y, 1.5, later=LATER, compiled=False)
def places_have_gaps(x, y, s):
    places = np.where(np.outer(x, x) > 0.0)[0]
    other = np.ascontiguousarray(places)
    other[0] = 1
    return np.sum(x[places]) * s + np.sum(x[other])


@program(X, Y, 1.5, later=LATER)
def eigenvalues_have_none(x, y, s):
    values, vectors = np.linalg.eigh(np.outer(x, x) + np.diag(np.arange(1.0, len(x) + 1.0)))
    v = np.asarray(values, order="F")
    v *= s
    return np.sum(values * values) + np.sum(v)


# ----- slices of what may be a number or an array, or has one or two axes
@program(X, Y, 1.5, later=LATER)
def a_number_becomes_a_vector(x, y, s):
    g = x[0] * s
    for _ in range(2):
        g = x - x - g
    v, w = g[:-1], g[::-1]
    v[:] = x[1:] * 3.0
    w[0] = s
    return np.sum(g * g) + np.sum(v * w[1:])


@program(X, Y, 3, later=[(X, Y, 0), (X[:2], Y * 2.0, 1), (X, Y[:2], 2)])
def velocity_turned_round(x, y, n):
    velocity, th = 0.0, y.copy()
    for _ in range(n):
        velocity = 0.9 * velocity - 0.2 * np.sin(th)
        th += velocity
    for _ in range(2):
        seen = velocity[::-1]
        seen[...] = np.cos(seen)
    return np.sum(velocity * x[0]) + np.sum(seen * seen)


@program(X, Y, 1, later=[(X, Y, 0), (X[:2], COLUMNS, 1), (X, Y[:2], 0)])
def slices_whatever_the_rank(x, y, n):
    a = y * 2.0 if n else x * 3.0
    v = a[1:]
    a[...] = a * x[0]
    w = v[..., :2]
    w[...] = w - np.sum(a)
    return np.sum(v * v) + np.sum(a) + np.sum(w)


@program(X, Y, 1, later=[(X, Y, 0), (X[:2], COLUMNS, 2), (X, Y[:2], 3)])
def slices_in_a_helper(x, y, n):
    def put(u, v, c):
        v[:] = u * c
        return np.sum(u + v)

    total = 0.0
    for i in range(n):
        total = total * x - x[i % 2]
        total = total + x
        total = total + put(total[1:], total[:-1], 0.5)
    return np.sum(total) * np.sum(y)


@program(X, 0, later=[(X, 1), (X[:2], 2)])
def slices_in_a_list(x, n):
    a = np.outer(x, x) if n else x * 2.0
    rows = [a[1:], a[:-1]]
    for r in rows:
        r[...] = np.sin(r)
    return np.sum(a * a) + np.sum(rows[0])


@program(X, 1, later=[(X, 0), (X[:2], 2)])
def slices_of_each_turn(x, n):
    a = np.outer(x, x) if n else x * 2.0
    for i in range(2):
        v = a[i:]
        for j in range(2):
            v[...] = v * np.cos(x[j])
        a = a * 1.5
    return np.sum(a * a) + np.sum(v)


@program(X, 1, later=[(X, 0), (X[:2], 2)])
def a_slice_of_a_slice_with_a_second_name(x, n):
    a = np.outer(x, x) if n else x * 2.0
    b, v = a, a[1:]
    w = v[::-1]
    w[...] = x[0] * 2.0
    b[0] = x[1]
    return np.sum(a) + np.sum(b * b) + np.sum(v * w)


@program(X, Y, 0.7, later=[(np.array([0.3, 0.9, 0.2]), Y[:1], 0.5), (X[:1], Y[:2], 1.1)])
def the_last_rows_of_an_unknown_square(x, y, s):
    v = np.array([t * s for t in x if t > -5.0])
    m = np.outer(v, v)
    r = m[1:].reshape(-1)
    m *= 2.0
    r -= s
    return np.sum(m * m) + np.sum(r)


# ----- copies by method, and out=
FIVE = np.random.default_rng(5).normal(size=5)
FURTHER = [(np.random.default_rng(seed).normal(size=5), -1.237) for seed in range(20, 27)]


def upright(x, s):
    return np.vstack((x, np.cos(x))).T * s


@program(FIVE, 0.4, later=FURTHER)
def a_copy_in_rows_of_what_lies_in_columns(x, s):
    w = upright(x, s)
    res = w.copy()
    res[:] = w * s
    return np.sum(res) + np.sum(np.cos(res) * 0.7)


@program(FIVE, 0.4, later=FURTHER)
def sums_into_a_copy(x, s):
    w = upright(x, s)
    res = w.copy()
    np.cumsum(w, axis=0, out=res)
    return np.sum(res) + np.sum(np.cos(res) * 0.7)


@program(FIVE, 0.4, later=FURTHER)
def a_product_into_rows_and_columns(x, s):
    w = upright(x, s)
    rows, columns = np.empty((len(x), 2)), np.empty((len(x), 2), order="F")
    for _ in range(2):
        np.multiply(w, s, out=rows)
        np.clip(rows, -1.0, 1.0, out=columns)
    return np.sum(rows) + np.sum(np.cos(columns) * 0.7)


@program(FIVE, 0.4, later=FURTHER)
def out_of_a_helper_on_one_path(x, s):
    def filled(a, into):
        return np.sin(a, into)

    w = upright(x, s)
    res = np.zeros((len(x), 2)) if s > 0 else w.T.copy().T
    filled(w, res)
    return np.sum(res) * np.sum(res * w)


# ----- stores of a whole array
@program(X, Y, 1.5, later=LATER)
def all_stored_into_itself(x, y, s):
    u = np.outer(x, x)
    u += u[0]
    u[:] = u
    y[...] = y * s
    y[:, :] = y
    return np.sum(u * u) + np.sum(y)


@program(X, Y, 1.5, later=LATER)
def all_stored_in_turns(x, y, s):
    u, kept, total = y * s, [], 0.0
    w = u.T.copy().T
    for k in range(3):
        v = u
        w[...] = u * y
        kept.append(w)
        u = np.multiply(v, w, out=u) if k % 2 else v - w
        total += np.sum(w[0]) * s
    return total + np.sum(kept[0] * u) + np.sum(v)


@program(X, Y, 1.5, later=LATER)
def half_stored_and_half_added(x, y, s):
    def scaled(a, into):
        into[:] = a * s
        return into

    u, w = y.copy(), np.zeros(y.shape, order="F")
    if np.sum(x) > 0:
        w = scaled(u, w)
    else:
        w += u.T[: len(y)] if y.shape[0] == y.shape[1] else u
    u[:] = w
    u -= scaled(w, w)
    return np.sum(u * u) + np.sum(w * np.sin(y))


# ----- copies of arguments that lie in columns, in the first call or in a later one
TALL = np.random.default_rng(3).normal(size=(7, 3))
WIDE = np.random.default_rng(4).normal(size=(5, 6))
EITHER = [(WIDE.T, 0.3, 0), (TALL[::2], 0.9, 2), (WIDE, -0.4, 1), (np.asfortranarray(TALL), 0.7, 3)]


@program(TALL, 0.4, 2, later=EITHER)
def steps_on_a_copy(y, s, n):
    u = y.copy()
    for _ in range(n + 1):
        u[:, 1:] += s * (1.0 - u[:, 1:])
    return np.sum(u) + np.sum(np.cos(u)) + np.mean(u * 0.7)


@program(WIDE.T, 0.4, 2, later=EITHER)
def copies_of_copies(y, s, n):
    old, best = y.copy(), None
    for i in range(n):
        new = old.copy()
        new[0], new[-1] = old[-1] * s, old[0] * 1.1
        if best is None or np.sum(new) > np.sum(best):
            best = new.copy()
        old = new
    return np.sum(old * 0.3) + (0.7 if best is None else np.sum(best))


@program(TALL, 0.4, 2, later=EITHER)
def only_read(y, s, n):
    def spread(a, times):
        b = a.copy()
        return np.sum(b * times) + np.sum(b.T.copy() / 3.0)

    return spread(y, s) + spread(y[1:], s) + spread(y * n, 0.1) + spread(y[:, ::-1], 0.2)


@program(WIDE.T, 0.4, 2, later=EITHER)
def kept_by_an_object(y, s, n):
    class Grid:
        def __init__(self, values):
            self.values = values.copy()
            self.trail = []

        def step(self, rate):
            self.trail.append(self.values.copy())
            self.values *= rate
            self.values[0] = self.values[-1]

    grid = Grid(y)
    for _ in range(n):
        grid.step(s)
    return np.sum(grid.values * 0.7) + sum(np.sum(t * 0.3) for t in grid.trail)


# ----- parts that are written in place lie where they lay
SQUARE = np.sin(np.arange(49.0)).reshape(7, 7)
COLUMNWISE = [(np.asfortranarray(SQUARE), Y, 1.5), (np.repeat(SQUARE, 2, 0)[::2], Y, -0.3)]


@program(SQUARE, Y, 1.5, later=COLUMNWISE)
def all_of_it_beside_its_transpose(x, y, s):
    w = x[...]
    w -= x.T * 0.2
    return np.sum(np.fliplr(w) * np.arange(7)) + np.sum(w) * s


@program(SQUARE, Y, 1.5, later=COLUMNWISE)
def columns_beside_rows(x, y, s):
    w = x[:, :3]
    np.multiply(w, x.T[:, :3], out=w)
    v = w[1:]
    v /= 2.0 + np.abs(x.T[1:, 2:5])
    return np.sum(w) * s + np.sum(v)


KNOWN: dict[tuple[str, str, str], str] = {}
