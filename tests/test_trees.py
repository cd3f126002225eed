"""Is every structure taken apart and put together again, leaf by leaf, and recognised when it comes back?"""

import collections
import enum
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ast_ad.errors import InputTypeError
from ast_ad.trees import flatten, register_leaf

Point = collections.namedtuple("Point", "x y")


@dataclass
class Layer:
    W: object
    bias: object = 0.0
    name: str = "layer"


@dataclass(frozen=True)
class Checked:
    x: float
    twice: float = field(init=False)

    def __post_init__(self):
        if not 0 <= self.x <= 1:
            raise ValueError
        object.__setattr__(self, "twice", 2 * self.x)


class Color(enum.IntEnum):
    RED = 1


x = np.arange(3.0)


@pytest.mark.parametrize("value", [1.0, 2, 3j, x, np.float32(1), np.int64(3), np.bool_(True), np.array(1)])
def test_plain_leaves(value):
    leaves, tree = flatten(value)
    assert leaves[0] is value and repr(tree) == "*" and tree.unflatten([5]) == 5


@pytest.mark.parametrize(
    "value", [None, "a", True, Color.RED, len, np.dtype("f4"), slice(1, 2), {1, 2}, b"a"]
)
def test_static_values(value):
    leaves, tree = flatten(value)
    assert leaves == [] and tree.unflatten([]) is value and tree == flatten(value)[1]
    assert tree.unflatten([], static=0) == 0


@pytest.mark.parametrize(
    "value, shown, paths",
    [
        ((1.0, (x,)), "(*, (*,))", ["v[0]", "v[1][0]"]),
        ([], "[]", []),
        ({"b": 1, "a": 2}, "{'b': *, 'a': *}", ["v['b']", "v['a']"]),
        (Point(1.0, None), "Point(x=*, y=None)", ["v.x"]),
        (Layer(x, 2.0), "Layer(W=*, bias=*, name='layer')", ["v.W", "v.bias"]),
        (collections.OrderedDict(k=[1]), "{'k': [*]}", ["v['k'][0]"]),
    ],
)
def test_containers(value, shown, paths):
    leaves, tree = flatten(value)
    assert repr(tree) == shown and list(tree.paths("v")) == paths
    again = tree.unflatten(leaves)
    assert type(again) is type(value) and again is not value
    assert flatten(again)[1] == tree and all(a is b for a, b in zip(flatten(again)[0], leaves, strict=True))
    assert tree == flatten(again)[1] and hash(tree) == hash(flatten(again)[1])


def test_names_are_identifiers_and_differ():
    _, tree = flatten({"a b": 1, "a_b": 2, "class": 3, 0: (4, 5), "": 6})
    names = tree.names("p")
    assert names == ("p_a_b", "p_a_b_2", "p_class", "p_0_0", "p_0_1", "p")
    assert all(name.isidentifier() for name in flatten([1, {"é": 2}])[1].names())


def test_a_dataclass_is_rebuilt_without_its_checks():
    leaves, tree = flatten(Checked(0.5))
    assert leaves == [0.5, 1.0]
    assert tree.unflatten([7.0, 8.0]).x == 7.0


def test_what_tells_structures_apart():
    values = [(1,), [1], {"a": 1}, {"b": 1}, (1, 2), ((1,),), ("a",), ("b",), (None,), (True,), Point(1, 2)]
    values += [{"a": 1, "b": 2}, {"b": 2, "a": 1}, ({1},), ({1},), (object(),), 1.0, None]
    trees = [flatten(v)[1] for v in values]
    assert len(set(trees)) == len(values)
    assert not any(a == b for i, a in enumerate(trees) for b in trees[:i])


def test_values_of_leaves_are_no_part_of_the_structure():
    assert flatten((1.0, {"a": 2}))[1] == flatten((x, {"a": 3j}))[1]


@pytest.mark.filterwarnings("ignore:.*matrix:PendingDeprecationWarning")
@pytest.mark.parametrize("strange", [lambda: np.matrix([[1.0]]), lambda: np.ma.masked_array([1.0])])
def test_array_classes_with_other_operators_are_refused(strange):
    with pytest.raises(InputTypeError, match="np.asarray"):
        flatten([strange()], "params")


def test_a_list_that_contains_itself():
    loop = []
    loop.append(loop)
    with pytest.raises(InputTypeError, match="`params` contains itself"):
        flatten(loop, "params")


def test_a_wrong_number_of_leaves():
    with pytest.raises(ValueError, match="2 leaves for a structure with 1"):
        flatten([1])[1].unflatten([1, 2])


def test_registered_leaves():
    class Tensor:
        pass

    register_leaf(Tensor)
    assert flatten((Tensor(),))[1] == flatten((1.0,))[1]


leaf = st.floats(allow_nan=False) | st.integers() | st.none() | st.text(max_size=3) | st.booleans()
trees = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.builds(Point, inner, inner)
        | st.builds(Layer, inner, inner)
    ),
    max_leaves=12,
)


@given(trees)
def test_round_trip(value):
    leaves, tree = flatten(value)
    assert tree.unflatten(leaves) == value
    assert len(tree.paths("v")) == len(set(tree.names("v"))) == len(leaves) == tree.num_leaves
    space = {"v": value, "inf": math.inf}
    assert [eval(path, space) for path in tree.paths("v")] == leaves
