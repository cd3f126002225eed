"""What is so in one process only: is no program taken from the disk that rests on it?"""

import abc
import numbers

import numpy as np
import pytest

from ast_ad import rule
from ast_ad.rules import registry

from .test_stored import THREE, own_cache, restored  # noqa: F401  (the fixture of every test here)


def in_the_order_of_a_set(x):
    total = 0.0
    for i, name in enumerate({"left", "right", "up"}):
        total += x[len(name) % 3] * (i + 1)
    return total


def listed(x):
    first, *_ = list({"left", "right", "up"})
    return x[len(first) % 3]


def as_keys(x):
    return sum(x[i] * (i + 1) for i, _ in enumerate(dict.fromkeys({"left", "right", "up"})))


def written_out(x):
    return x[len(f"{ {'left', 'up'} }".partition(",")[0]) % 3]


def joined(x):
    return x[len(",".join({"left", "up"}).partition(",")[0]) % 3]


def looked_up(x):
    mode = "left"
    return np.sum(x * x) if mode in {"left", "right"} and len({"a", "b"} | {mode}) == 3 else np.sum(x)


def in_the_order_of_numbers(x):
    return sum(x[i] * (i + 1) for i in {0, 2, 1})


@pytest.mark.parametrize("function", [in_the_order_of_a_set, listed, as_keys, written_out, joined])
def test_the_order_of_texts_in_a_set(function):
    """It hangs on the seed of the process's hashes."""
    assert not restored(function, THREE)[1]
    assert not restored(function, THREE)[1]


@pytest.mark.parametrize("function", [looked_up, in_the_order_of_numbers])
def test_sets_whose_order_nobody_reads_or_hashes_tell_in_every_process(function):
    assert not restored(function, THREE)[1]
    assert restored(function, THREE)[1]


class Abstract(abc.ABC):  # noqa: B024
    pass


def asks_an_abstract_class(x):
    known = isinstance(x[0], numbers.Real)
    return np.sum(x * x) if isinstance(x, Abstract) or not known else np.sum(x)


def test_what_an_abstract_class_answers():
    """It has learnt of other classes, where another program has registered them."""
    assert not restored(asks_an_abstract_class, THREE)[1]
    assert restored(asks_an_abstract_class, THREE)[1]
    Abstract.register(np.ndarray)
    (_, gradient), again = restored(asks_an_abstract_class, THREE)
    assert not again
    assert gradient.tolist() == [2.0, 4.0, 6.0]


# ----- rules
def cubed(x):
    return x * x * x


def calls_what_may_have_a_rule(x):
    return np.sum(cubed(x))


def test_a_function_that_has_a_rule_in_one_process_only(monkeypatch):
    monkeypatch.setattr(registry, "_primitives", dict(registry._primitives))
    assert not restored(calls_what_may_have_a_rule, THREE)[1]
    assert restored(calls_what_may_have_a_rule, THREE)[1]

    @rule.elementwise(cubed)
    def rule_of_cubed(ans, x):
        return 5.0 * x

    (_, gradient), again = restored(calls_what_may_have_a_rule, THREE)
    assert not again
    assert gradient.tolist() == [5.0, 10.0, 15.0]
