"""Effects by the special methods of containers and by operators in place happen once for each call, too."""

import collections

import numpy as np
import pytest

import ast_ad

X, V = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])
NUMBERS, COUNTS, MEMBERS, LAST = [0], {"n": 0}, set(), collections.deque()
ORDERED = collections.OrderedDict(a=1, b=2)


class Tally:
    n = 0
    asked: list = []

    def __class_getitem__(cls, key):
        cls.asked.append(key)
        return 1.0


def emptied():
    NUMBERS[:], COUNTS["n"] = [0], 0
    MEMBERS.clear(), LAST.clear(), Tally.asked.clear()
    ORDERED.update(a=1), ORDERED.move_to_end("b")
    Tally.n = 0


def state():
    return repr((NUMBERS, COUNTS, MEMBERS, LAST, ORDERED, Tally.n, Tally.asked))


def not_compiled(x):
    return x.__len__() * 0


def items(x):
    NUMBERS.__setitem__(0, NUMBERS[0] + 1)
    return x.sum() * NUMBERS[0]


def entries(x):
    COUNTS.__setitem__("n", COUNTS["n"] + 1)
    return x.sum() * COUNTS["n"]


def longer(x):
    NUMBERS.__iadd__([1])
    return x.sum() * len(NUMBERS)


def made_again(x):
    list.__init__(NUMBERS, [*NUMBERS, 1])
    return x.sum() * len(NUMBERS)


def members(x):
    known = MEMBERS
    known |= {len(known)}
    return x.sum() * len(MEMBERS) + not_compiled(x)


def others(x):
    MEMBERS.symmetric_difference_update({len(MEMBERS)})
    return x.sum() * len(MEMBERS) + not_compiled(x)


def last(x):
    seen = LAST
    seen += [1]
    seen.extendleft([2])
    seen.rotate(1)
    return x.sum() * len(LAST) + not_compiled(x)


def order(x):
    ORDERED.move_to_end("a" if next(iter(ORDERED)) == "a" else "b")
    return x.sum() + not_compiled(x)


def attribute(x):
    type.__setattr__(Tally, "n", Tally.n + 1)
    return x.sum() * Tally.n


def asked(x):
    return x.sum() * Tally["a"]


FUNCTIONS = items, entries, longer, made_again, members, others, last, order, attribute, asked
OPERATORS = {
    "grad": lambda f: ast_ad.grad(f, check=False),
    "jvp": lambda f: lambda x: ast_ad.jvp(f, (x,), (V,)),
    "hvp": lambda f: lambda x: ast_ad.hvp(f, (x,), (V,)),
    "jacobian": ast_ad.jacobian,
}


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_each_call_has_the_effects_once(function, name):
    derivative = OPERATORS[name](function)
    for _ in range(2):
        emptied()
        function(X)
        expected = state()
        emptied()
        derivative(X)
        assert state() == expected
