"""What if one list, dict or object is in the arguments twice, and the function changes it?"""

import dataclasses
import warnings

import pytest

import ast_ad
from ast_ad.errors import SharedMemoryError


@dataclasses.dataclass
class Box:
    v: float


def appended(a, b):
    a.append(2.0)
    return sum(b) * a[0]


def first_of_rows(rows):
    rows[0].append(2.0)
    return sum(rows[1])


def item_set(p, h):
    h["w"] = 5.0
    return p["h"]["w"] * h["w"]


def attribute_set(a, b):
    a.v = a.v * 3.0
    return b.v


def in_a_loop(a, b):
    t = 0.5
    while t < 3.0:
        a[0] = a[0] * t
        a, b = b, a
        t = t * 1.5
    return a[0] + 2.0 * b[0]


def only_read(a, b):
    return sum(a) * b[0]


ROW, INNER, BOX = [1.0, 2.0], {"w": 0.5}, Box(0.7)
CHANGED = [
    (appended, (ROW, ROW), ([1.0, 2.0], [1.0, 2.0])),
    (first_of_rows, ([ROW, ROW],), ([[1.0], [2.0]],)),
    (item_set, ({"h": INNER}, INNER), ({"h": {"w": 0.5}}, {"w": 0.5})),
    (attribute_set, (BOX, BOX), (Box(0.7), Box(0.2))),
    (in_a_loop, (ROW, ROW), ([1.0], [2.0])),
]


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("apart_first", [False, True])
@pytest.mark.parametrize("function, together, apart", CHANGED, ids=[c[0].__name__ for c in CHANGED])
def test_a_change_of_what_the_arguments_hold_twice_is_an_error(function, together, apart, apart_first):
    derivative = ast_ad.value_and_grad(function, argnums=tuple(range(len(apart))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if apart_first:
            before = derivative(*apart)
        with pytest.raises(SharedMemoryError, match="hold twice"):
            derivative(*together)
        if apart_first:
            assert derivative(*apart) == before
    assert ROW == [1.0, 2.0] and INNER == {"w": 0.5} and Box(0.7) == BOX


def test_a_change_of_another_one_is_traced():
    def counted(a, b, c):
        c.append(a[0] * b[0])
        return sum(c)

    with pytest.warns(ast_ad.FallbackWarning, match="hold twice"):
        found = ast_ad.value_and_grad(counted, argnums=(0, 1))(ROW, ROW, [1.0])
    assert found == (2.0, ([1.0, 0.0], [1.0, 0.0]))


def test_what_is_only_read_may_be_there_twice():
    derivative = ast_ad.value_and_grad(only_read, argnums=(0, 1))
    assert derivative(ROW, ROW) == (3.0, ([1.0, 1.0], [3.0, 0.0]))
    assert derivative.mode == "compiled"
