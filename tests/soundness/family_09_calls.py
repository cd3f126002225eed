"""Calls as Python and NumPy allow them: by other names, with more arguments, and with too many."""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3])
LATER = [(X[:2], 0.55), (-X, 1.93)]


@program(X, 0.7, later=LATER)
def first_arguments_by_name(x, s):
    a, b = np.array(object=[x[0], s]), np.asarray(a=x)
    return (
        np.sum(a * s) + np.sum(np.asanyarray(a=b * s, dtype=float)) + np.sum(np.full_like(a=x, fill_value=s))
    )


@program(X, 0.7, later=LATER)
def ranges_by_name(x, s):
    return np.sum(x * np.arange(start=0, stop=len(x))) * s + np.sum(np.arange(start=1, stop=3, step=1) * s)


@program(X, 0.7, later=LATER)
def texts_of_another_base(x, s):
    return int("11", base=2) * np.sum(x) * s + int("7") * s


@program(X, 0.7, later=LATER)
def places_between_bounds(x, s):
    return [1, 2, 1].index(1, 1) * np.sum(x * s) + (3, 4, 3, 3).index(3, 1, -1) * s


@program(X, 0.7, later=LATER, compiled=False)
def classes_by_a_call(x, s):
    made = type("Made", (), {"rate": s, "scaled": lambda self, v: self.rate * v})
    return np.sum(made().scaled(x)) * made.rate


@program(X, 0.7, later=LATER, compiled=False)
def traced_by_name(x, s):
    def once():
        yield s

    rates = once()
    y = np.asarray(a=[next(rates), x[0]]) * x[1]
    return np.sum(np.array(object=y) * np.full_like(a=y, fill_value=s)) + sum(rates, start=s)


@program(X, 0.7, later=[(-X, 1.93)], compiled=False)
def more_than_a_function_takes(x, s):
    try:
        return np.sum(x) + isinstance(s)
    except TypeError:
        return np.sum(x * s)


@program(X, 0.7, later=[(-X, 1.93)], compiled=False)
def names_that_a_method_lacks(x, s):
    try:
        return np.sum(x) + x.copy(s, s)[0]
    except TypeError:
        return np.sum(x * s)


KNOWN: dict[tuple[str, str, str], str] = {}
