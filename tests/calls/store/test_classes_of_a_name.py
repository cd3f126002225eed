"""Is a program of an earlier process left alone if a class of the same name is made otherwise now?

In one process another class is another object; what the compiler took from the object, its bases and its
fields, a name doesn't tell in the next process.
"""

import collections
import dataclasses
import sys

import numpy as np
import pytest

from .test_stored import own_cache, restored  # noqa: F401

THREE = np.array([1.0, 2.0, 3.0])
THIS = sys.modules[__name__]


class Base:
    pass


class Thing(Base):
    pass


@dataclasses.dataclass
class Data:
    a: float
    b: float = 3.0


Pair = collections.namedtuple("Pair", "a b", defaults=[3.0])
PAIR, DATA, OTHER, THING = Pair(2.0, 3.0), Data(2.0, 3.0), Data(2.0, 4.0), Thing()


def of_fields(x):
    return np.sum(x**PAIR.a) * PAIR.b


def of_defaults(x):
    pair = Pair(2.0 * x)
    return np.sum(pair.a) * pair.b


def of_bases(x):
    return np.sum(x**2) if isinstance(THING, Base) else np.sum(x)


def of_comparison(x):
    return np.sum(x**2) if DATA == OTHER else np.sum(x)


def swapped():
    return collections.namedtuple("Pair", "b a")


def other_default():
    return collections.namedtuple("Pair", "a b", defaults=[5.0])


def without_base():
    return type("Thing", (), {})


def compared_by_one():
    return dataclasses.make_dataclass(
        "Data", [("a", float), ("b", float, dataclasses.field(default=3.0, compare=False))]
    )


@pytest.mark.parametrize(
    ("function", "made"),
    [
        (of_fields, swapped),
        (of_defaults, other_default),
        (of_bases, without_base),
        (of_comparison, compared_by_one),
    ],
)
def test_a_class_of_the_same_name(monkeypatch, function, made):
    restored(function, THREE)
    before, again = restored(function, THREE)
    assert again
    cls = made()
    cls.__module__ = __name__
    monkeypatch.setattr(THIS, cls.__name__, cls)
    given = {"Pair": {"PAIR": (2.0, 3.0)}, "Data": {"DATA": (2.0, 3.0), "OTHER": (2.0, 4.0)}}
    for name, values in given.get(cls.__name__, {"THING": ()}).items():
        monkeypatch.setattr(THIS, name, cls(*values))
    (value, gradient), again = restored(function, THREE)
    step = np.array([1e-6, 0.0, 0.0])
    slope = (function(THREE + step) - function(THREE - step)) / 2e-6
    assert not again and value == function(THREE) != before[0] and abs(gradient[0] - slope) < 1e-6
