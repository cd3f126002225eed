"""What leaves a compiled program is of the class that Python gives it: containers that it reads as lists."""

import collections

import numpy as np
import pytest

import ast_ad

X = np.array([0.7, -1.3, 2.1])
LEFT = {}


def deque():
    return collections.deque([1, 2], maxlen=3)


def default_dict():
    return collections.defaultdict(list, a=[1])


def counter():
    return collections.Counter("aab")


def ordered_dict():
    found = collections.OrderedDict(z=1)
    found["a"] = 2
    return found


def copied():
    return collections.OrderedDict(a=1).copy()


def numbers():
    return range(3), slice(1, 2)


def keys():
    return {"a": 1}.keys()


def items():
    return {"a": 1}.items()


def in_a_list():
    found = []
    for n in 1, 2:
        found.append(collections.deque([n]))
    return found


def stored(made):
    def function(x):
        LEFT["made"] = made()
        return x.sum()

    return function


def returned(made):
    return lambda x: (x.sum(), made())


MADE = deque, default_dict, counter, ordered_dict, copied, numbers, keys, items, in_a_list


@pytest.mark.slow(beyond=1)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("made", MADE, ids=lambda made: made.__name__)
def test_containers_leave_as_they_are_in_python(made):
    LEFT.clear()
    gradient = ast_ad.grad(stored(made), check=False, backend="numpy")
    for _ in range(2):
        assert np.array_equal(gradient(X), np.ones(3))
        assert type(LEFT["made"]) is type(made())
        assert repr(LEFT["made"]) == repr(made())
    _, aux = ast_ad.grad(returned(made), has_aux=True, check=False, backend="numpy")(X)
    assert repr(aux) == repr(made())


def two_dicts(x, n):
    one, other = collections.OrderedDict(a=x[0], b=n), collections.OrderedDict(b=n, a=2.0)
    other.update(c=x[1])
    same = float(isinstance(one, collections.OrderedDict)) + float(isinstance(one, dict))
    return one["a"] * other["c"] * same + len(one), list(other)


def test_an_ordered_dict_is_compiled():
    gradient = ast_ad.value_and_grad(two_dicts, has_aux=True, fallback="error", backend="numpy")
    (value, keys), found = gradient(X, 3)
    assert (value, keys) == two_dicts(X, 3)
    assert np.allclose(found, [2 * X[1], 2 * X[0], 0])
