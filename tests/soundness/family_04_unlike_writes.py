"""Items are written to what is one of two arrays that differ in their axes or dtypes, or a number or None."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]
NINE = np.outer([0.4, -0.9, 1.3], [1.1, 0.6, -0.7])


@program(NINE, 0.8, later=[(NINE, -0.6), (NINE[:2], 0.3), (NINE[:2], -0.1)])
def rows_or_all_of_it_in_one_row(y, s):
    b = np.zeros_like(y)
    for i in range(3):
        w = b.reshape(-1)
        if s > 0:
            w = b[i % 2 :]
        w[0] = np.tanh(np.sum(w) + s + y[0, i])
    return np.sum(b * y) + np.sum(w * w)


@program(NINE, 3, later=[(NINE, 2), (NINE, 1), (NINE[:2], 3), (NINE[:2], 0)])
def one_of_three_is_filled(y, n):
    b = y * 2.0
    if n > 2:
        v = b[0]
    elif n > 1:
        v = b.reshape(-1)[1:]
    else:
        v = b[1:]
    w = v
    w[...] = np.cos(y[0, 1])
    v[-1] = np.sin(y[0, 0])
    return np.sum(b * y) + np.sum(w * w)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def of_a_number_no_item_is_written(x, n):
    y = x * 2.0
    v = y[1:] if n > 2 else 3.5
    w = v
    w[0] = np.sin(x[0])
    return np.sum(y * x) + np.sum(v)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def of_none_no_item_is_written(x, n):
    y = x * 2.0
    v = None
    if n > 2:
        v = y[1:]
    w = v
    np.copyto(w, x[0] * 2.5)
    return np.sum(y * x) + np.sum(v * v)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def put_into_none(x, n):
    y = x * 2.0
    v = y[1:] if n > 2 else None
    w = v
    np.put(w, [0], np.exp(x[1]))
    return np.sum(y * x)


@program(FOUR, 3, later=[(FOUR, 4), (TWO, 3)], compiled=False)
def added_at_the_places_of_a_number(x, n):
    y = x * 2.0
    v = y[1:] if n > 2 else 3.5
    w = v
    np.add.at(w, [0, 0], x[1])
    return np.sum(y * x) + np.sum(v)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)], compiled=False)
def out_may_be_none(x, n):
    y = x * 2.0
    v = y[:1] if n > 2 else None
    w = v
    z = np.multiply(x[:1], x[1], out=w)
    z += 1.0
    return np.sum(y * x) + np.sum(z * z)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def single_and_double_precision(x, n):
    y = x * 2.0
    single = np.ones((2, 2), np.float32)
    v = y[1:] if n > 2 else single
    w = v
    w[0] = 2.5
    w[-1:] += 0.25
    return np.sum(y * x) + np.sum(v) + np.sum(single)


def halved(a):
    a[0] *= 0.5
    a[...] = a + 1.0
    return a


@program(NINE, 3, later=[(NINE, 1), (NINE[:2], 3), (NINE[:2], 0)])
def a_helper_writes_to_rows_or_a_row(y, n):
    b = y * 1.5
    views = [b[0], b[:2]]
    v = views[0] if n > 2 else views[1]
    halved(v)
    w = halved(v)
    w[-1] = np.sum(y)
    return np.sum(b * y) + np.sum(v * w)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
