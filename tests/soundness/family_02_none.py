"""What may be None: what do Python's operators, NumPy's functions and methods make of it?"""

import numpy as np

from .harness import program

X = np.array([0.3, 0.4, 0.5])
LATER = [(X, 0), (X, 1)]


def last(n, value):
    """The value, or None where the loop has no turn."""
    found = None
    for _ in range(n):
        found = value
    return found


@program(X, 2, later=LATER, compiled=False)
def axes_of_none(x, n):
    v = last(n, x)
    return x[0] * (np.ndim(v) + 1)


@program(X, 2, later=LATER, compiled=False)
def elements_of_none(x, n):
    v = last(n, x)
    return x[0] * (np.size(v) + 1)


@program(X, 2, later=LATER, compiled=False)
def shape_of_none(x, n):
    v = last(n, x)
    return x[0] * (len(np.shape(v)) + 1)


@program(X, 2, later=LATER, compiled=False)
def none_as_a_vector(x, n):
    v = last(n, x)
    return x[0] * (len(np.atleast_1d(v)) + 1)


@program(X, 2, later=LATER, compiled=False)
def none_as_an_array(x, n):
    v = last(n, x)
    w = np.asarray(v)
    return x[0] * (w.ndim + 1)


@program(X, 2, later=LATER, compiled=False)
def none_in_an_array(x, n):
    v = last(n, x)
    w = np.array([v])
    return x[0] * (w.ndim + 1)


@program(X, 2, later=LATER, compiled=False)
def none_as_a_number(x, n):
    v = last(n, x)
    w = np.isscalar(v)
    return x[0] * (w + 1)


@program(X, 2, later=LATER, compiled=False)
def zeros_like_none(x, n):
    v = last(n, x)
    w = np.zeros_like(v)
    return x[0] * (w.ndim + 1)


@program(X, 2, later=LATER)
def kept_without_none(x, n):
    v = last(n, x)
    w = [v, v]
    return x[0] * (len([u for u in w if u is not None]) + 1)


@program(X, 2, later=LATER, compiled=False)
def none_unrolled(x, n):
    v = last(n, x)
    w = np.ravel(v)
    return x[0] * (w.shape[0] + 1)


@program(X, 2, later=LATER, compiled=False)
def none_or_the_argument(x, n):
    v = last(n, x)
    return x[0] * (2 if v is x else 3)


@program(X, 2, later=LATER, compiled=False)
def class_of_what_may_be_none(x, n):
    v = last(n, x)
    return x[0] * (2 if isinstance(v, np.ndarray) else 3)


@program(X, 2, later=LATER, compiled=False)
def length_of_none(x, n):
    v = last(n, x)
    try:
        return x[0] * len(v)
    except TypeError:
        return x[1]


@program(X, 2, later=LATER, compiled=False)
def method_of_none(x, n):
    v = last(n, x)
    try:
        return x[0] * v.sum()
    except AttributeError:
        return x[1]


@program(X, 2, later=LATER, compiled=False)
def copy_of_none(x, n):
    v = last(n, x)
    w = np.copy(v)
    return x[0] * (w.ndim + 2)


@program(X, 2, later=LATER, compiled=False)
def popped_keys(x, n):
    d = {"a": 1.0, "b": x}
    for i in range(n):
        d["a"] = d.pop("b")
    return np.sum(d["a"]) * x[0]


@program(X, 2, later=LATER)
def popped_key_that_is_missing(x, n):
    d = {"a": 1.0}
    try:
        d.pop("q")
        return x[0]
    except KeyError:
        return x[1] * 3


@program(X, 0, compiled=False)
def list_with_none_as_an_array(x, n):
    l = []
    prev = None
    for i in range(3):
        l.append(prev)
        if i < n:
            prev = x[i]
    w = np.array(l)
    return x[0] * (2 if w.dtype == object else 3)


@program(X, 2, later=LATER)
def none_equals(x, n):
    v = last(n, x[0])
    return x[0] * (2 if v == x[0] else 3)


@program(X, 2, later=LATER, compiled=False)
def ufunc_equals_none(x, n):
    v = last(n, x[0])
    return x[0] * (2 if np.equal(v, 1.0) else 3)


@program(X, 2, later=LATER, compiled=False)
def logical_not_of_none(x, n):
    v = last(n, x[0])
    return x[0] * (2 if np.logical_not(v) else 3)


@program(X, 2, later=LATER, compiled=False)
def array_equals_none(x, n):
    v = last(n, x)
    return x[0] * (2 if np.array_equal(v, x) else 3)


@program(X, 2, later=LATER)
def none_differs(x, n):
    v = last(n, x[0])
    return x[0] * (2 if v != 0.7 else 3)


@program(X, 2, later=LATER, compiled=False)
def none_is_not_compared(x, n):
    v = last(n, x[0])
    try:
        return x[0] * (2 if v > 0.2 else 3)
    except TypeError:
        return x[1]


@program(X, 2, later=LATER)
def none_in_a_tuple(x, n):
    v = last(n, x[0])
    return x[0] * (2 if v in (0.7, 1) else 3)


@program(X, 2, later=LATER, compiled=False)
def count_of_none(x, n):
    v = last(n, x[0])
    l = [v, x[1]]
    return x[0] * (l.count(None) + 1)


@program(X, 2, later=LATER, compiled=False)
def text_of_none(x, n):
    v = last(n, x[0])
    return x[0] * (2 if str(v) == "None" else 3)


@program(X, 0, compiled=False)
def full_of_none(x, n):
    v = last(n, x[0])
    w = np.full(2, v)
    return x[0] * (2 if w.dtype == object else 1)


@program(X, 2, later=LATER, compiled=False)
def attribute_that_none_lacks(x, n):
    v = last(n, x)
    return x[0] * (2 if hasattr(v, "shape") else 1)


@program(X, 2, later=LATER, compiled=False)
def type_of_what_may_be_none(x, n):
    v = last(n, x)
    return x[0] * (2 if type(v) is np.ndarray else 1)


@program(X, 2, later=LATER)
def truth_of_none(x, n):
    v = last(n, x[0])
    return x[0] * (2 if v else 1)


@program(X, 2, later=LATER)
def truth_of_zero_or_none(x, n):
    v = last(n, 0.0)
    return x[0] * (2 if not v else 1)


@program(X, 2, later=LATER)
def none_or_a_number(x, n):
    v = last(n, x[0])
    return x[0] * (v or 2.0)


@program(X, 2, later=LATER)
def slice_up_to_none(x, n):
    v = last(n, 2)
    return np.sum(x[:v])


@program(X, 2, later=LATER, compiled=False)
def axis_that_may_be_none(x, n):
    v = last(n, 0)
    return np.sum(np.cumsum(x, axis=v))


@program(X, 2, later=LATER, compiled=False)
def axis_or_all_axes(x, n):
    v = last(n, 0)
    return np.sum(np.sum(np.outer(x, x), axis=v) ** 2)


@program(X, 2, later=LATER, compiled=False)
def index_that_may_be_none(x, n):
    v = last(n, 0)
    return np.sum(x[v] ** 2)


@program(X, 2, later=LATER)
def sum_of_none(x, n):
    top = last(n, x)
    c = np.sum(top)
    if c is None:
        return x[0] * 3
    return c * x[1]


@program(X, 2, later=LATER)
def sum_of_none_as_a_truth(x, n):
    c = np.sum(last(n, x[0]))
    t = c if c else x[1]
    return t * x[1]


@program(X, 2, later=LATER, compiled=False)
def sum_of_none_in_a_product(x, n):
    c = np.sum(last(n, x * 2))
    try:
        return c * x[1]
    except TypeError:
        return x[2]


@program(X, 2, later=LATER, compiled=False)
def largest_of_none(x, n):
    c = np.max(last(n, x * 2))
    return x[0] if c == None else x[1] * c  # noqa: E711


@program(X, np.ones((5, 3)), later=[(X, np.ones((2, 3)) * 0.3)])
def products_with_the_row_before(x, y):
    before = None
    total = 0.0
    for row in y:
        if before is not None:
            total = total + np.sum(row * before)
        before = row
    return total + np.sum(before) + np.sum(row)


@program(X, np.ones((5, 3)), later=[(X, np.ones((2, 3)) * 0.3)])
def the_row_before_in_convolutions(x, y):
    before = None
    rows = []
    for row in y:
        rows.append(np.zeros(3) if before is None else np.convolve(before, row)[:3])
        before = row
    return np.sum(np.array(rows) ** 2) + np.sum(np.convolve(before, before) ** 2)


@program(X, np.arange(6.0).reshape(2, 3), later=[(X, -np.ones((2, 3)))])
def the_best_row(x, y):
    best, value = None, 1e9
    for row in y:
        if row.sum() * x[0] < value:
            value, best = row.sum(), row
    return np.sum(np.stack([best, best * 2]) ** 2) + np.sum(best**3)


@program(X, 3, later=[(X, 1)])
def product_with_what_may_be_none(x, n):
    v = None if n < 2 else x
    return np.sum(np.outer(x, v))


@program(X, 2, later=LATER, compiled=False)
def none_is_not_copied_to_an_array(x, n):
    y = x.copy()
    np.copyto(y, last(n, x * 2))
    return np.nansum(y) + x[0]


@program(np.array([1.8, 1.3, -1.3]), later=[(np.array([-0.2, 1.1]),), (np.array([2.5]),)])
def sum_of_the_number_before(x):
    before = None
    total = 0.0
    for e in x:
        if before is not None:
            total = total + np.sum(e * before)
        if -1 < x[0] < total:
            break
        before = e
    return total + np.sum(before) * 0.31


@program(np.array([1.8, 1.3, -1.3]), later=[(np.array([-0.2, 1.1]),), (np.array([2.5]),)])
def means_of_the_last_number(x):
    last = other = None
    total = 0.0
    for i in range(len(x)):
        if other is not None:
            total += x[i] * other * last
        other = last = x[i] ** 2
    return total + np.mean(last) * np.max(other) + np.sum(np.broadcast_to(last, (2,)) * other)


@program(X, 2, later=[(X, 1)])
def sum_of_a_number_that_a_loop_adds_to(x, n):
    v = last(n, x[1])
    w = v
    for i in range(n):
        w = w + np.sum(v) * x[i]
        v = np.sum(w) if i % 2 else v
    return np.sum(v) * np.sum(w) + w


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
