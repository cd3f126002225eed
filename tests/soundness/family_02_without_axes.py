"""Arrays without axes beside numbers, NumPy's and Python's: which is it, and who else sees a write?"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
LATER = [(-X, 0.45, 0), (X, 0.55, 3), (-X, 1.93, 1)]


# ----- an array without axes stays one through op=
@program(X, 1.45, 0, later=LATER, compiled=False)
def another_name_after_a_change(x, s, k):
    u = np.array(x[2]) if k > 1 else 1.0
    u += s
    v = u
    u *= s
    return np.sum(u * x[0]) + v**2 * s


@program(X, 1.45, 0, later=LATER, compiled=False)
def another_shape_after_a_change(x, s, k):
    u = np.array(x[2]) if k > 1 else 1.0
    u += s
    v, w = np.ravel(u), np.reshape(u, -1)
    u *= s
    return np.sum(u * x[0]) + np.sum(v**2) * s + w[0]


@program(X, 1.45, 0, later=LATER, compiled=False)
def of_numpys_numbers(x, s, k):
    u = x[2] if k > 1 else np.array(s)
    u += s
    w = u
    u += x[0]
    return u * x[0] + w**2 * s


# ----- questions that tell an array without axes from a number
@program(X, 1.45, 0, later=LATER)
def is_it_a_float(x, s, k):
    u = x[0] if k > 1 else np.array(x[2])
    return np.sum(u if isinstance(u, float) else u * 3)


@program(X, 1.45, 0, later=LATER)
def is_it_an_array(x, s, k):
    u = np.array(x[2]) * 1 if k > 1 else np.array(s)
    return np.sum(u * s if isinstance(u, np.ndarray) else u * 3) + isinstance(u, np.generic)


@program(X, 1.45, 0, later=LATER)
def is_it_one_still(x, s, k):
    u, v = np.array(x[2]), np.array(x[1])
    for _ in range(k):
        u = u * s
        v *= s
    return u * (2 if isinstance(u, np.ndarray) else 3) + v * (2 if isinstance(v, np.ndarray) else 3)


@program(X, 1.45, 0, later=LATER)
def has_it_items(x, s, k):
    u = x[0] if k > 1 else np.array(x[2])
    return u * (3 if hasattr(u, "__setitem__") else 2) * s


@program(X, 1.45, 0, later=LATER)
def which_class_is_it_of(x, s, k):
    u = np.array(x[2]) if k > 1 else x[1]
    return (type(u) is np.float64) * s + u * np.isscalar(u)


@program(X, 1.45, 0, later=LATER)
def a_number_of_two_paths_or_an_array(x, s, k):
    if x[0] > 0:
        u = s * 2
    elif k > 2:
        u = k
    else:
        u = s * 2
    v = u if x[0] > 0 else np.array(s)
    return np.sum(v if isinstance(v, float) else v * 3)


# ----- a function that gives the number in it
@program(X, 1.45, 0, later=LATER)
def without_nans(x, s, k):
    u = np.array(s)
    v = np.nan_to_num(u, copy=False)
    u *= s
    return u * x[0] + v**2 * s + isinstance(v, np.ndarray)


@program(X, 1.45, 0, later=LATER)
def without_nans_if_it_has_axes(x, s, k):
    u = np.array(s) if k > 1 else x * s
    v = np.nan_to_num(u, copy=False)
    return np.sum(u * x[0]) + np.sum(v**2) * s + isinstance(v, np.ndarray)


@program(X, 1.45, 0, later=LATER)
def stretched_to_no_axes(x, s, k):
    u = np.array(s)
    v = np.broadcast_to(u, ())
    u *= x[k]
    return np.sum(v * s) + u * isinstance(v, np.ndarray)


# ----- asked twice: for its axes, and then whether it is an array
@program(X, 1.45, 0, later=[*LATER, (X, 0.45, 5)])
def asked_twice(x, s, k):
    if k < 2:
        u = np.array(s)
    elif k > 4:
        u = x * s
    else:
        u = s
    return np.sum(np.ravel(u) * s) + np.sum(np.reshape(u, -1)) + np.sum(np.atleast_1d(u)[0] * s)


@program(X, 1.45, 0, later=[*LATER, (X, 0.45, 5)])
def squared_table(x, s, k):
    t = 2 if k < 2 else None
    u = np.outer(x, x) if t is None else t
    return np.trace(np.outer(u, u)) * s


# ----- integers in the place of what is differentiated: their cotangent is no array of integers
@program(X, 1.45, 0, later=LATER)
def integers_or_the_argument(x, s, k):
    u = np.arange(4) if k < 2 else x
    v = np.copy(u) * s
    return np.sum(u**2) * s + u[0] + np.sum(v) + u[1:].sum() * s


@program(X, 1.45, 0, later=LATER)
def integers_or_a_number(x, s, k):
    u = s
    for _ in range(k):
        u = np.arange(4)
    w = np.arange(4) if k > 1 else s
    return np.average(u) * s + np.sum(np.sin(w)) + (float(w) if np.ndim(w) == 0 else s)


@program(X, 1.45, 0, later=LATER)
def complex_or_an_integer(x, s, k):
    u = s + 1j * x[0] if k > 1 else 2
    w = s + 1j * x[0] if k > 1 else x * s
    return np.real(np.ravel(u)[-1]) + np.real(np.sum(np.atleast_1d(w)[0])) + np.abs(np.sum(w))


# ----- None where the number is missing
@program(X, 1.45, 0, later=LATER)
def replaced_where_it_is_missing(x, s, k):
    t = x[0] if k % 2 == 0 else None
    u = t if t is not None else s
    if k > 2:
        u = np.max(np.hypot(np.real(u), 1.0))
    elif k % 2 == 0:
        u = x[1:]
    return np.sum(u) * 0.3


@program(X, 1.45, 7, later=[(X, 0.45, 0), (-X, 0.45, 7)])
def sum_of_one_that_was_missing(x, s, k):
    t = x[0] if k > 5 else None
    return np.sum(s if t is None else t)


@program(X, 1.45, 0, later=[(X, 0.45, 0), (X, 0.45, 3), (-X, 0.45, 3)])
def a_number_that_may_be_missing_or_an_array(x, s, k):
    t = s if x.sum() > s else None
    u = t if t is not None else x
    w = np.array(s) if k > 1 else s
    return np.sum(u) * 0.3 + np.dot(np.ravel(w), np.ravel(w))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
