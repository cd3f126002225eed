"""Can a system of linear inequalities between integers hold?

Fourier-Motzkin elimination over the rationals, with bounds rounded to integers on the way. "No" is a proof;
"yes" may be wrong, and is the answer too where the system grows too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Any

ONE = "1"  # stands for the constant term
Linear = dict[Any, int]  # coefficients
LARGEST = 400  # forms after one elimination: with more the answer is "yes", which is always safe


def plus(a: Mapping[Any, int], b: Mapping[Any, int], factor: int = 1) -> Linear:
    """``a + factor * b``.

    >>> plus({"i": 1, ONE: 2}, {"i": 1}, -1)
    {'1': 2}
    """
    total = dict(a)
    for key, value in b.items():
        total[key] = total.get(key, 0) + factor * value
    return {key: value for key, value in total.items() if value}


def minus(a: Mapping[Any, int], b: Mapping[Any, int], constant: int = 0) -> Linear:
    """``a - b + constant``."""
    return plus(plus(a, b, -1), {ONE: constant})


def possible(constraints: Iterable[Linear]) -> bool:
    """Whether all the forms may be zero or more at once.

    >>> i_before_j = {"j": 1, "i": -1, ONE: -1}
    >>> possible([i_before_j]), possible([i_before_j, {"i": 1, "j": -1}])
    (True, False)
    """
    system = {_normal(form) for form in constraints}
    while True:
        unknown = {key for form in system for key, _ in form if key != ONE}
        if any(form[0][1] < 0 for form in system if form and all(key == ONE for key, _ in form)):
            return False
        if not unknown:
            return True
        key = min(unknown, key=lambda k: (_products(system, k), repr(k)))
        if _products(system, key) > LARGEST:
            return True
        lower = [dict(form) for form in system if dict(form).get(key, 0) > 0]
        upper = [dict(form) for form in system if dict(form).get(key, 0) < 0]
        system = {form for form in system if key not in dict(form)}
        for a in lower:
            for b in upper:
                scaled = {k: -b[key] * v for k, v in a.items()}
                system.add(_normal(plus(scaled, b, a[key])))


def _products(system: set[tuple[tuple[Any, int], ...]], key: Any) -> int:
    """How many forms the elimination of a variable gives."""
    signs = [dict(form).get(key, 0) for form in system]
    return sum(s > 0 for s in signs) * sum(s < 0 for s in signs)


def _normal(form: Mapping[Any, int]) -> tuple[tuple[Any, int], ...]:
    """The form with coprime coefficients, its constant rounded down, in a fixed order."""
    common = gcd(*(value for key, value in form.items() if key != ONE)) or 1
    scaled = {key: value // common for key, value in form.items()}
    return tuple(sorted(((k, v) for k, v in scaled.items() if v), key=lambda item: repr(item[0])))
