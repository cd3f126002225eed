"""Does code of a class that is run by a read run as often as in a plain call, and do the reads see the same?

Classes that derive from dict, and objects that tell a number for an index, count how often they are asked:
what asks once more, to compile, to check or to sweep back, changes what the next read gives.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.5, 1.5, 2.5])
asked = [0]


class ByItem(dict):
    def __getitem__(self, key):
        asked[0] += 1
        return dict.__getitem__(self, key) * asked[0]


class ByQuestion(dict):
    def __contains__(self, key):
        asked[0] += 1
        return True


class ByPartial(dict):
    __getitem__ = functools.partialmethod(lambda self, times, key: dict.get(self, key) * times, 3)


class ByName(dict):
    def __getattr__(self, name):
        asked[0] += 1
        return self[name]


class ByAbsence(dict):
    def __missing__(self, key):
        asked[0] += 1
        self[key] = float(asked[0])
        return self[key]


class ByLength(dict):
    def __len__(self):
        asked[0] += 1
        return 7


class Place:
    """An index that goes on by one each time."""

    def __init__(self):
        self.now = -1

    def __index__(self):
        asked[0] += 1
        self.now += 1
        return self.now


class Named:
    def __getattr__(self, name):
        asked[0] += 1
        if name.startswith("_"):
            raise AttributeError(name)
        return 2.0


held: Any = {}
named = Named()


def item(x):
    return np.sum(x) * held["a"]


def item_if_there(x):
    return np.sum(x) * (held["a"] if "a" in held else 7.0)


def every_item(x):
    return np.sum(x) * sum(held[key] for key in held) + x[0] * len(held)


def absent_item(x):
    return np.sum(x) * (held["z"] if isinstance(held, (ByAbsence, Counter, defaultdict)) else 1.0)


def attribute(x):
    return np.sum(x) * (held.a if isinstance(held, ByName) else 1.0)


def attribute_by_code(x):
    return np.sum(x) * named.a


def places(x):
    at = Place()
    return x[at] ** 2 + 3 * x[at] * x[at]


def places_in_a_trace(x):
    sys._getframe()
    at = Place()
    y = np.zeros(4) * x[0]
    y[at] = x[0]
    y[at] += x[1] ** 2
    y[at:] *= x[2]
    return np.sum(y * np.arange(4.0)) + (x * 2)[Place()] ** 2


def run(f: Any, call: Any, cls: Any) -> list[Any]:
    """What three calls give, the last after a change, and how often code was asked by then."""
    global held
    held, asked[0], seen = cls(a=2.0, b=3.0), 0, []
    for turn in range(3):
        if turn == 2:
            dict.__setitem__(held, "a", 4.0)
        value = call(X.copy())
        value, gradient = value if isinstance(value, tuple) else (value, None)
        if gradient is not None and f not in (places, places_in_a_trace):
            np.testing.assert_allclose(np.sum(gradient * X), value)  # all are linear in x
        seen.append((float(value), asked[0], sorted(dict.items(held))))
    return seen


def of_floats(**items: float) -> Any:
    return defaultdict(float, items)


CLASSES = [ByItem, ByQuestion, ByPartial, ByName, ByAbsence, ByLength, OrderedDict, Counter, of_floats, dict]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("f", [item, item_if_there, every_item, absent_item, attribute])
def test_a_dict_of_a_class_is_read_as_in_a_plain_call(f, cls):
    assert run(f, ast_ad.value_and_grad(f), cls) == run(f, f, cls)


@pytest.mark.parametrize("f", [attribute_by_code, places, places_in_a_trace])
def test_an_object_is_asked_as_often_as_in_a_plain_call(f):
    assert run(f, ast_ad.value_and_grad(f), dict) == run(f, f, dict)


@pytest.mark.parametrize("f", [places, places_in_a_trace])
def test_the_sweep_goes_back_to_the_places_that_were_read(f):
    gradient = ast_ad.grad(f)(X.copy())
    h = 1e-6
    slopes = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6)
