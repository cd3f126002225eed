"""Powers of Python's own floats, which are complex where the base is negative and the exponent a fraction."""

import math

import numpy as np

from .harness import program

X = np.array([0.4, -0.7, 1.3])


@program(0.7, later=[(-0.7,), (0.2,)], compiled=False)
def root_of_negative(s):
    return abs(s**0.5) * 2.0


@program(0.7, later=[(-0.7,)], compiled=False)
def real_part(s):
    r = s**1.5
    return r.real * 2.0 + s


@program(0.7, 0.5, later=[(-0.7, 1.5), (0.3, 2.5), (-0.7, 0.5)], compiled=False)
def exponent_given(s, p):
    return abs(s**p) * 2.0


@program(0.7, 2, later=[(-0.7, 3), (-0.7, -1), (0.4, 0)])
def exponent_int(s, k):
    return s**k + s**2.0 + s**-1


@program(0.7, later=[(2.5,), (-0.4,)], compiled=False)
def in_a_loop(s):
    t = 0.0
    for i in range(3):
        t = t + abs((s - i) ** 0.5)
    return t


@program(2.7, 3, later=[(2.5, 2), (1.4, 3), (0.3, 0)], compiled=False)
def rolling_in_a_loop(s, n):
    t = 1.0
    for i in range(n):
        t = t + ((s - i) ** 0.5 * 0.5).real
        t **= 1.5
    return t


@program(0.7, later=[(-0.7,)], compiled=False)
def asked_for_its_class(s):
    r = (s * 2.0) ** 0.3
    return -2.0 * s if isinstance(r, complex) else r


@program(0.7, later=[(-0.7,)], compiled=False)
def asked_by_numpy(s):
    r = pow(s * 2.0, 0.3)
    return 2.0 * s if np.iscomplexobj(r) else r


@program(0.7, later=[(-0.7,)], compiled=False)
def caught(s):
    try:
        return math.sin(s**0.5)
    except TypeError:
        return s * 3.0


@program(X, 0.5, later=[(X, -0.5), (X[:2], 0.1)], compiled=False)
def times_an_array(x, s):
    return np.sum(np.abs(x * s**0.5))


class Law:
    def __init__(self, exponent):
        self.exponent = exponent

    def __call__(self, v):
        return v**self.exponent


@program(X, 0.5, later=[(X, -0.5), (X[:2], 0.1)], compiled=False)
def by_an_object(x, s):
    laws = [Law(0.5), Law(2.0), Law(1.5)]
    return sum(abs(law(s)) * v for law, v in zip(laws, x, strict=False))


@program(X, 0.5, later=[(X, -0.5)])
def of_elements_numpy_has_nan(x, s):
    r = x[0] ** 0.5 + np.float64(s * s) ** 0.5
    return r * 2.0


@program(0.3, -0.4, later=[(0.3, 0.4), (-1.0, 2.0)])
def length_of_a_vector(a, b):
    return (a * a + b * b) ** 0.5 + abs(a) ** 1.5 + max(b, 0.25) ** 0.5 + math.exp(a) ** b


@program(0.7, 2, later=[(0.3, 1), (0.3, -1)])
def root_of_an_int(s, k):
    return abs(k**0.5) * s


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
