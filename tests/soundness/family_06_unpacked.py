"""Exceptions that compiled code raises itself: are they the ones of Python, and do handlers catch them?

``ERROR``: no trace answers, so that what comes up is what the program raises.
"""

import math

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3])
LONG = np.array([0.4, -0.9, 1.3, 0.7])
Y = np.arange(12.0).reshape(3, 4) / 7.0
ERROR = {"fallback": "error"}


# ----- unpacking
@program(X, later=[(X[:2],), (LONG,), (X[:0],)], options=ERROR)
def items_of_an_array(x):
    a, b, c = x
    return a * b * c


@program(X, 3, later=[(X, 1), (LONG, 4), (X, 3)], options=ERROR)
def items_of_a_list(x, n):
    a, b, c = [x[i] * 2.0 for i in range(n)]
    return a * b + c


@program(Y, later=[(Y[:, :2],), (Y[:, :3],)], options=ERROR)
def items_of_rows_in_a_loop(y):
    total = 0.0
    for a, b, c, d in y:
        total += a * b - c * d
    return total


@program(Y, later=[(Y[:2],), (Y[:, :2],), (np.tile(Y, (2, 1)),)], options=ERROR)
def rows_by_a_helper(y):
    def three(rows):
        a, b, c = rows
        return np.sum(a * b) + np.sum(c)

    return three(y * 2.0)


@program(X, 3, later=[(X, 1), (X, 2), (LONG, 4)], options=ERROR)
def the_first_two_and_the_rest(x, n):
    a, b, *rest = [x[i] * x[i] for i in range(n)]
    return a * b + sum(rest)


@program(LONG, later=[(X,), (X[:2],), (X[:0],)], options=ERROR)
def the_ends_of_an_array(x):
    a, *middle, b, c = x
    return a * b * c + np.sum(middle)


@program(X, compiled=False)  # whatever the arguments are
def ends_of_what_has_one_item(x):
    a, *middle, b = (x[0],)
    return a * b + len(middle)


@program(X, 0, later=[(X, 1), (X, 2)], compiled=False)  # a tuple of one length or another
def ends_of_what_may_have_one_item(x, n):
    pair = (x[0] * 2.0, x[1]) if n == 0 else (x[2],)
    if n > 1:
        return x[1] * x[1]
    a, *middle, b = pair
    return a * b + len(middle)


# ----- caught
@program(X, later=[(X[:2],), (LONG,), (X,)])
def another_length_is_caught(x):
    try:
        a, b, c = x * 2.0
    except ValueError:
        return x[0] * x[1]
    return a * b * c


@program(X, 3, later=[(X, 1), (LONG, 4), (X, 2)])
def too_few_for_the_ends_are_caught(x, n):
    items = [x[i] * 2.0 for i in range(n)]
    try:
        a, *middle, b, c = items
    except ValueError:
        return items[0] * 3.0
    return a * b * c + sum(middle)


@program(Y, later=[(Y[:, :2],), (Y[:2],)])
def no_assertion_is_caught(y):
    total = 0.0
    for row in y:
        try:
            try:
                a, b, c, d = row
            except AssertionError:
                total += 100.0 * row[0]
            else:
                total += a * b - c * d
        except ValueError:
            total += row[1] * row[1]
    return total


@program(X)
def one_item_for_two_is_caught(x):
    try:
        a, *middle, b = [x[0]]
    except ValueError:
        return x[1] * x[1]
    return a * b + len(middle)


@program(X, later=[(X[:2],), (LONG,)], compiled=False)  # a name has been bound by then
def pairs_of_pairs_are_caught(x):
    try:
        (a, b), (c, d, e) = x[:2], x
    except ValueError:
        return np.sum(x) * 2.0
    return a * b * c + d * e


# ----- which exception comes first
@program(1.5, later=[(0.0,), (-1.0,), (2.0,)], options=ERROR)
def a_logarithm_before_its_derivative(s):
    return math.log(s) + math.exp(s)


@program(1.5, 2, later=[(0.0, 0), (1.0, 0), (-1.0, 1)], options=ERROR)
def a_logarithm_before_a_helpers_division(s, n):
    def share(v):
        part = v / n
        return part * part

    return math.log(s) + share(s)


@program(1.5, 2, later=[(0.0, -2), (1.0, -1), (-1.0, 1)], options=ERROR)
def a_root_before_a_helpers_check(s, n):
    def checked(v):
        if n < 0:
            raise KeyError(n)
        return v * n

    return math.sqrt(s - 1.0) * checked(s)


@program(X, 1, later=[(X, 0), (X, -1), (X, 2)], options=ERROR)
def an_attribute_of_none(x, n):
    y = x if n > 0 else None
    return y.sum() * x[0]


@program(X, 1, later=[(X, 0), (X, 2)], options=ERROR)
def an_item_of_none(x, n):
    y = x * 2.0 if n > 0 else None
    return y[0] * x[0]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
