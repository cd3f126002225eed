"""Is what the front end does not follow refused by name, at its line?

The line that an error has to name bears the mark ``# here``.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import enum
import functools
import itertools
import math
import operator
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import gast
import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.context import TensorOutside
from ast_ad.compiler.frontend.tables import EVAL

Program = Callable[..., Any]
CASES: list[Any] = []


def refused(
    word: str, *args: Any, error: type[ast_ad.AdError] = ast_ad.UnsupportedError, placed: bool = True
) -> Callable[[Program], Program]:
    """The derivative of the function at these arguments is refused, with this word in the message.

    ``placed``: the error names a line.
    """

    def register(function: Program) -> Program:
        CASES.append(pytest.param(function, args, word, error, placed, id=f"{function.__name__}: {word}"))
        return function

    return register


LOCK = threading.Lock()
X = np.array([0.4, -0.9, 1.3])
SQUARE = np.array([[0.4, -0.9], [1.3, 0.2]])
M = np.array([[0.4, -0.9, 1.3], [0.2, 0.7, -0.5]])


# ----- calls
@refused("method `.byteswap()`", X)
def method_without_a_rule(x):
    return np.sum(x.byteswap())  # here


@refused("another dtype or class", X)
def view_of_another_dtype(x):
    return np.sum(x.view(np.complex128).real)  # here


@refused("int is not callable", X)
def call_of_a_number(x):
    three = 3
    return np.sum(x) + three()  # here


class Answers:
    def __getattr__(self, name):
        return 1.0


@refused("its class answers that itself", X)
def attribute_that_a_class_answers(x):
    made = Answers()
    made.scale = 2.0
    return np.sum(x) * (made.scale if hasattr(made, "shift") else 1.0)  # here


@refused("name the base class", X)
def super_of_nothing(x):
    class Outer:
        def scale(self):
            return super(Outer, self).__init__()  # noqa: UP008  # here

    Outer().scale()
    return np.sum(x)


@refused("deepcopy with a memo", X)
def deepcopy_with_a_memo(x):
    return np.sum(copy.deepcopy([x], {})[0])  # here


@refused("which of its elements are one array", X)
def deepcopy_of_references(x):
    rows = []
    for v in x:
        rows.append(x * v)
    row = rows[0]
    rows.append(row)
    row[0] = 1.0
    return np.sum(copy.deepcopy(rows)[0])  # here


@refused("known at run time only", X)
def call_of_a_result(x):
    return np.sum(x)(1.0)  # here


WITHOUT_SOURCE = eval("lambda x: x * 2.0")


@refused("source", X, error=ast_ad.SourceError)
def function_without_source(x):
    return np.sum(WITHOUT_SOURCE(x))  # here


@refused("out=", X)
def out_that_is_no_array(x):
    np.add(x, x, out=[0.0, 0.0, 0.0])  # here
    return np.sum(x)


@refused("it writes to an array", X)
def overwritten_input(x):
    return np.median(x, overwrite_input=True)  # here


@refused("where= without out=", X)
def where_without_out(x):
    return np.sum(np.exp(x, where=x > 0))  # here


@refused("random numbers drawn by `random`", X)
def random_numbers(x):
    return np.sum(x) * np.random.random()  # here


@refused("it is compiled code that may", X)
def clock(x):
    return np.sum(x) * time.time()  # here


@refused("ValueError: math domain error", X)
def constant_out_of_domain(x):
    return np.sum(x) * math.sqrt(-1.0)  # here


@refused("without a rule", X)
def compiled_code_without_a_rule(x):
    return np.sum(x) * functools.cmp_to_key(operator.lt)(x[0])  # here


@refused("an item that is not there", X)
def index_of_nothing(x):
    return np.sum(x) * (1, 2).index(3)  # here


@refused("`del` of an item", X)
def deletion_from_an_array(x):
    y = x * 2.0
    del y[0]  # here
    return np.sum(y)


@refused("`del` of every k-th item", X)
def deletion_of_every_other(x):
    values = [v for v in x]
    del values[::2]  # here
    return values[0]


@refused("the dict has no such key", X)
def deletion_of_a_missing_key(x):
    d = {"a": x}
    del d["b"]  # here
    return np.sum(d["a"])


@refused("the dict has no such key", X)
def pop_of_a_missing_key(x):
    d = {"a": x}
    return np.sum(d.pop("b"))  # here


class Made:
    def __new__(cls, *args):
        return object.__new__(cls)

    def __init__(self, x):
        self.x = x


class OfInt(int):
    pass


@refused("its constructor is not Python code", X)
def constructor_without_code(x):
    return np.sum(x) * OfInt(2)  # here


@refused("it defines __new__", X)
def class_with_a_new(x):
    return np.sum(Made(x).x)  # here


async def later(x):
    return x


@refused("it is asynchronous", X)
def asynchronous_function(x):
    later(x)  # here
    return np.sum(x)


def of_one(x):
    return np.sum(x)


@refused("takes 1 positional arguments, 2 given", X)
def too_many_arguments(x):
    return of_one(x, x)  # here


@refused("argument `y` does not fit", X)
def unknown_keyword(x):
    return of_one(x, y=x)  # here


@refused("argument `x` is missing", X)
def missing_argument(x):
    return np.sum(x) + of_one()  # here


@refused("len() of a 0-d array", X)
def length_of_a_number(x):
    return np.sum(x) * len(np.asarray(x[0]))  # here


@refused("len() of this value", X)
def length_of_a_generator(x):
    return np.sum(x) * len(v for v in x)  # here


@refused("lengths are not known to be equal", X, X)
def strict_zip(x, y):
    total = 0.0
    for a, b in zip(x, y[1:], strict=True):  # here
        total += a * b
    return total


@refused("any() or all() of rows", M)
def any_of_rows(x):
    return np.sum(x) * any(x > 0)  # here


@functools.lru_cache
def cached(x):
    return x * 2.0


@functools.lru_cache
def cached_list(x):
    return [x]


TABLE = {"a": 0.0}


@functools.lru_cache
def cached_store(x):
    TABLE["a"] = 1.0
    return x


@refused("it has no hash", X)
def cache_of_an_array(x):
    return np.sum(cached(x))  # here


@refused("a store outside, by a function with a cache", 1.5)
def cache_of_a_store(x):
    return x * cached_store(x)  # here


@refused("what a function with a cache returns", 1.5)
def cache_of_a_list(x):
    return cached_list(x)[0]  # here


@refused("only iterators over static sequences", X)
def next_of_an_array(x):
    return next(x)  # here


@refused("the iterator is exhausted", X)
def next_of_nothing(x):
    return np.sum(x) + next(iter(()))  # here


@refused("np.minimum.at", X)
def minimum_at(x):
    y = x * 2.0
    np.minimum.at(y, [0, 0], 0.1)  # here
    return np.sum(y)


@refused("`dtype` of np.add.reduce", X)
def dtype_of_a_reduction(x):
    return np.add.reduce(x, dtype=np.float32)  # here


@refused("np.arctan2.accumulate", X)
def accumulated_angles(x):
    return np.sum(np.arctan2.accumulate(x))  # here


@refused("copy=False where a copy may be needed", X)
def copy_that_is_forbidden(x):
    return np.sum(np.asarray(x, dtype=np.float32, copy=False))  # here


@refused("`like` of an array", X)
def array_like(x):
    return np.sum(np.asarray(x, like=x))  # here


@refused("`count` of np.fromiter", X)
def count_of_fromiter(x):
    return np.sum(np.fromiter((v for v in x), float, count=3))  # here


@refused("np.fromiter of what are no numbers", M)
def fromiter_of_rows(x):
    return np.sum(np.fromiter((row for row in x), float))  # here


@refused("another one in others", X)
def vectorize_of_two_types(x):
    return np.sum(np.vectorize(lambda v: v if v > 0 else 0)(x))  # here


@refused("followed for matrices only", X)
def along_an_axis_of_a_vector(x):
    return np.sum(np.apply_along_axis(np.sum, 0, x))  # here


@refused("np.piecewise of a number", 1.5)
def piecewise_of_a_number(x):
    return np.piecewise(x, [x > 0], [lambda v: v, 0.0])  # here


@refused("question about the memory", X)
def memory_of_arrays(x):
    return np.sum(x) * np.shares_memory(x, x)  # here


@refused("`np.size` along this axis", X)
def size_along_no_axis(x):
    return np.sum(x) * np.size(x, 1)  # here


@refused("an order of what are no numbers", X)
def order_of_arrays(x):
    return np.sum(sorted([x, x * 2.0])[0])  # here


@refused("which is known at run time only", X)
def largest_of_arrays(x):
    return np.sum(max(x, x * 2.0))  # here


@refused("changes the kind of the array", X)
def complex_in_place(x):
    y = x * 2.0
    y += 1j * x  # here
    return np.sum(y)


# ----- attributes
@refused("does not know it on this Tup", X)
def attribute_of_a_tuple(x):
    return np.sum((x, x).first)  # here


@refused("float64[?] have none", X)
def attribute_that_arrays_lack(x):
    return np.sum(x.first)  # here


@refused("memory layout of an array", X)
def layout_of_an_array(x):
    return np.sum(x) * x.flags.c_contiguous  # here


@refused("attribute `strides`", X)
def strides_of_an_array(x):
    return np.sum(x) * x.strides[0]  # here


class Plain:
    scale = 1.0

    def __init__(self, x):
        self.x = x

    @property
    def fixed(self):
        return self.x


@refused("this Plain has none", X)
def attribute_that_an_object_lacks(x):
    return np.sum(Plain(x).y)  # here


@refused("the instance has on some paths and its class on the others", X)
def attribute_of_object_or_class(x):
    made = Plain(x)
    if x[0] > 0:
        made.scale = 2.0
    return np.sum(x) * made.scale  # here


class Derived(Plain):
    def method(self):
        return super().__repr__()  # here


@refused("super().__repr__", X)
def super_that_is_no_python(x):
    Derived(x).method()
    return np.sum(x)


@refused("has no attribute 'nothing'", X)
def attribute_that_a_constant_lacks(x):
    return np.sum(x) * "text".nothing  # here


@refused("the class Inner has none", X)
def attribute_that_a_local_class_lacks(x):
    class Inner:
        pass

    return np.sum(x) * Inner.scale  # here


@refused("it has no setter", X)
def property_without_a_setter(x):
    made = Plain(x)
    made.fixed = x  # here
    return np.sum(x)


@refused("the object outlives the call", X)
def attribute_of_a_constant(x):
    text = "text"
    text.scale = 1.0  # here
    return np.sum(x)


OUTSIDE = Plain(1.0)


@refused("the object and its class get one", X)
def attribute_of_object_and_class(x):
    OUTSIDE.scale = 2.0
    Plain.scale = 3.0
    del_later = OUTSIDE.scale  # here
    return np.sum(x) * del_later


@refused("'Plain' object has no attribute 'nothing'", X)
def attribute_that_an_outside_object_lacks(x):
    return np.sum(x) * OUTSIDE.nothing  # here


# ----- statements and expressions
@refused("a change in place of this object", X)
def set_in_place(x):
    other = KINDS
    other |= {3}  # here
    return np.sum(x) * len(KINDS)


KINDS = {1}


@refused("the truth value of an array", X)
def truth_of_an_array(x):
    if np.zeros(3) + 1.0:  # here
        return np.sum(x)
    return np.sum(-x)


@refused("`MatchMapping` pattern", X)
def mapping_pattern(x):
    match {"a": x}:
        case {"a": y}:  # here
            return np.sum(y)


@refused("a starred pattern", X)
def starred_pattern(x):
    match (x, x):
        case (y, *_):  # here
            return np.sum(y)


@refused("decorator or metaclass", X)
def class_with_a_metaclass(x):
    class Inner(metaclass=META):  # here
        pass

    return np.sum(x)


@refused("what it derives from is no plain class", X)
def class_that_derives_from_no_class(x):
    class Inner(x.shape):  # here
        pass

    return np.sum(x)


@refused("what `Kind` does with it", X)
def class_that_derives_from_an_enum(x):
    class Inner(Kind):  # here
        pass

    return np.sum(x)


class Kind(enum.Enum):
    pass


@refused("does not follow its `__slots__`", X)
def class_with_slots(x):
    class Inner:  # here
        __slots__ = ("x",)

    return np.sum(x)


@refused("how an instance reads its `half`", X)
def class_with_a_partial(x):
    class Inner:  # here
        half = functools.partial(of_one, x)

    return np.sum(x)


@refused("it stands in no class statement", X)
def property_outside_of_a_class(x):
    got = property(lambda self: 1.0)  # here
    return np.sum(x)


@refused("this option of np.errstate", X)
def option_of_errstate(x):
    with np.errstate(call=print):  # here
        return np.sum(x)


class Exits:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return str(value) == "no"  # here


@refused("a read of `an exception`", X)
def manager_that_reads_the_exception(x):
    with Exits():
        y = {"a": x}["b"]
    return np.sum(x)


@contextlib.contextmanager
def once():
    yield


@refused("its context manager may swallow it", X)
def exception_within_with(x):
    with once():  # here
        y = {"a": x}["b"]
    return np.sum(x)


@refused("`with` statement", X)
def lock(x):
    with LOCK:  # here
        return np.sum(x)


@contextlib.contextmanager
def perhaps(x):
    if x[0] > 0:
        yield 1.0
    else:
        yield 2.0


@refused("whether it yields depends on the path", X)
def manager_that_may_not_yield(x):
    with perhaps(x) as scale:  # here
        y = np.sum(x) * scale
    return y


@refused("the class has it on some paths only", X)
def name_of_a_class_body(x):
    class Inner:
        if x[0] > 0:
            scale = 2.0
        double = scale * 2.0  # here

    return np.sum(x) * Inner.double


@refused("which is left early", X)
def generator_that_is_left_early(x):
    def items():
        try:
            yield from x
        finally:
            pass

    total = 0.0
    for v in items():
        total += v
        if total > 0.1:  # here
            break
    return total


@refused("zip() of several generators", X)
def zip_of_generators(x):
    def items():
        yield from x

    total = 0.0
    for a, b in zip(items(), items()):  # here
        total += a * b
    return total


@refused("`reversed` of an iterator", X)
def reversed_generator(x):
    def items():
        yield from x

    total = 0.0
    for v in reversed(items()):  # here
        total += v
    return total


@refused("a list that changes while `zip` runs over it", X)
def zip_over_a_list_that_changes(x):
    def items():
        yield from x

    seen = [x[0], x[1], x[2]]
    total = 0.0
    for a, b in zip(items(), seen):  # here
        seen.append(a)
        total += a * b
    return total


@refused("the class statement gives it none", X)
def new_attribute_of_a_local_class(x):
    class Inner:
        pass

    Inner.scale = 2.0  # here
    return np.sum(x) * Inner.scale


@refused("outside of the program", X, placed=False)
def local_class_that_is_returned(x):
    class Inner:
        pass

    return Inner


@refused("ZeroDivisionError", X)
def constant_that_raises(x):
    return np.sum(x) * (1 / 0)  # here


@refused("operator sub on objects", X)
def operator_that_a_class_lacks(x):
    return Plain(x) - Plain(x)  # here


@refused("a comparison", X)
def comparison_of_unlike_constants(x):
    return np.sum(x) * ("a" < 1)  # here


@refused("`del` of an attribute", X)
def deletion_of_an_attribute(x):
    made = Plain(x)
    del made.x  # here
    return np.sum(x)


@refused("`async def` statement", X)
def statement_that_is_not_known(x):
    async def inner():  # here
        pass

    return np.sum(x)


# ----- items
@refused("an item of what may be None", X)
def item_of_what_may_be_none(x):
    one = x[0] if x[0] > 0 else None
    return np.sum(x) * one[0]  # here


@refused("a directive in np.r_", X)
def directive(x):
    return np.sum(np.r_["0,2", x, x])  # here


@refused("too many indices", X)
def too_many_indices(x):
    return x[0, 0]  # here


@refused("they choose other elements", X)
def bool_or_int(x):
    i = True if x[0] > 0 else 1
    return np.sum(x[i])  # here


@refused("the sequence has 2 items", X)
def index_beyond_a_tuple(x):
    return (x[0], x[1])[2]  # here


@refused("unlike things", X)
def index_into_unlike_things(x):
    i = int(x[0] * 3.0)
    return np.sum((x, 1.0, "a")[i])  # here


@refused("an item assignment", X)
def assignment_to_a_tuple(x):
    pair = (x, x)
    pair[0] = 1.0  # here
    return np.sum(x)


@refused("a complex value stored in a real array", X)
def complex_into_real(x):
    y = x * 2.0
    y[0] = 1j  # here
    return np.sum(y)


@refused("it holds no numbers", X)
def store_of_strings(x):
    names = np.empty(2, dtype="U3")
    names[0] = "abc"  # here
    return np.sum(x)


# ----- operands
@refused("a dict whose keys depend on the path", X)
def keys_of_one_path(x):
    parts = {"a": x}
    if x[0] > 0:
        parts["b"] = x  # here
    return np.sum(parts["a"])


@refused("as an operand", X)
def function_as_an_operand(x):
    return np.sum(x * (lambda v: v))  # here


@refused("with these arguments", X)
def product_that_does_not_fit(x):
    return np.sum(np.linalg.inv(x))  # here


@refused("that is known at run time only", X)
def axis_at_run_time(x):
    return np.sum(np.sum(np.outer(x, x), axis=int(x[0])))  # here


@refused("a view read after its base was written", X)
def view_of_unknown_order(x):
    y = np.outer(x, x) if x[0] > 0 else np.outer(x, x).T
    flat = y.ravel()
    y[0, 0] = 1.0
    return np.sum(flat)  # here


@refused("a write through what may be a view or a copy", X)
def write_through_an_unknown_order(x):
    y = np.outer(x, x) if x[0] > 0 else np.outer(x, x).T
    y.ravel()[0] = 1.0  # here
    return np.sum(y)


@refused("it holds no numbers", X)
def array_of_strings_from_outside(x):
    return np.sum(x) * (NAMES[0] == "a")  # here


NAMES = np.array(["a", "b"])
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


@refused("do not mean what they mean for arrays", X)
def masked_array_from_outside(x):
    return np.sum(x * MASKED)  # here


@refused("it is no list, tuple, dict or array", X)
def deque_from_outside(x):
    return np.sum(x) * len(DEQUE)  # here


DEQUE = collections.deque([1.0])
RING: dict[str, Any] = {"a": 1.0}
RING["b"] = RING


@refused("it contains itself", X)
def dict_in_itself(x):
    return np.sum(x) * RING["a"]  # here


DEEP: list[Any] = [1.0]
for _ in range(200):
    DEEP = [DEEP]


@refused("it lies too deep", X)
def list_too_deep(x):
    part = DEEP
    for _ in range(200):
        part = part[0]  # here
    return np.sum(x) * part[0]


def before_its_cell_is_set():
    @refused("it has no value yet", X)
    def reads_an_empty_cell(x):
        return np.sum(x) * later  # here

    if X[0] > 100:
        later = 1.0


before_its_cell_is_set()


@refused("an item of an outside object", X)
def item_of_an_outside_object(x):
    return np.sum(x) * BYTES[7]  # here


META = type
BYTES = bytearray(b"abc")


@refused("a function that raises whatever", X)
def name_that_is_nowhere(x):
    return np.sum(x) * no_such_name  # noqa: F821  # here


# ----- loops
@refused("an instance of `product`", X)
def index_of_an_unlike_iterable(x):
    total = 0.0
    for i, (a, b) in enumerate(itertools.product(x, x)):  # here
        total += a * b
    return total


@refused("it begins at the item that was the last one then", X)
def reversed_of_a_changed_list(x):
    items = [v for v in x]
    back = reversed(items)
    items.append(x[0])
    total = 0.0
    for v in back:  # here
        total += v
    return total


@refused("there is no end in sight", X)
def list_that_grows_for_ever(x):
    items = [x[0]]
    for v in items:
        items.append(v)  # here
    return items[0]


@refused("the value of an expression, which differs", X)
def function_on_each_path(x):
    fn = np.cos if x[0] > 0 else np.sin  # here
    return np.sum(fn(x))


@refused("what is returned, which differs", X)
def result_of_one_path(x):
    if x[0] > 0:
        return np.sum(x)
    return (x, 1.0)  # here


@refused("a container that is in itself", X)
def ring_in_a_loop(x):
    ring = [x[0]]
    ring.append(ring)
    for v in x:
        ring[0] = v  # here
    return ring[0]


@refused("unrolled, the program gets too long", X)
def loop_over_many(x):
    total = 0.0
    for name in ("a",) * 20001:  # here
        total += x[0] * len(name)
    return total


@refused("a function that raises whatever", X)
def function_that_always_raises(x):
    raise ValueError("always")  # here


# ----- SciPy
stats = pytest.importorskip("scipy.stats")


@refused("its parameters do not fit", X)
def distribution_without_its_shape(x):
    return np.sum(stats.gamma.pdf(x * x))  # here


@refused("only the defaults are followed", X)
def statistic_that_omits(x):
    return stats.skew(x, nan_policy="omit")  # here


@refused("the statistic takes one", M)
def statistic_of_several_axes(x):
    return stats.skew(x, axis=(0, 1))  # here


# ----- stores in what outlives the call
PARTS: list[Any] = [[1.0], [2.0]]
NESTED: dict[Any, Any] = {"a": [1.0]}
VALUES: list[float] = [1.0, 2.0]


@refused("others take their places", X, placed=False)
def store_of_other_objects(x):
    for i in range(len(PARTS)):
        PARTS[int(x[i] > 0)] = [x[i]]
    return np.sum(x)


@refused("another one takes the place of one", X, placed=False)
def store_of_another_object(x):
    PARTS[0] = [3.0]
    return np.sum(x)


@refused("the keys of the dict are known at run time only", X, placed=False)
def store_of_a_dict(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i]
    OUTSIDE.found = found
    return np.sum(x)


@refused("has another name", X, placed=False)
def store_of_a_list_twice(x):
    both = [x[0]]
    OUTSIDE.one = both
    OUTSIDE.two = both
    return np.sum(x)


@refused("defines its class at each call", X, placed=False)
def store_of_a_local_object(x):
    class Inner:
        pass

    OUTSIDE.made = Inner()
    return np.sum(x)


GRID = np.zeros((2, 2))


@refused("an array that has another name", X, placed=False)
def store_of_a_view(x):
    GRID[0] = 1.0
    OUTSIDE.view = GRID[0]
    return np.sum(x)


@refused("an array that shares memory with it", X, placed=False)
def store_of_two_views(x):
    y = x * 2.0
    OUTSIDE.one = y[:2]
    OUTSIDE.two = y[1:]
    return np.sum(x)


@refused("prints or warns", X, placed=False)
def store_and_print(x):
    OUTSIDE.x = 1.0
    print(x[0])
    return np.sum(x)


class Slotted:
    __slots__ = ("x",)


SLOTTED = Slotted()


@refused("has code or slots for it", X)
def store_in_a_slot(x):
    SLOTTED.x = 1.0  # here
    return np.sum(x)


@refused("a write to `VALUES`", X, placed=False)
def store_on_one_path(x):
    own = [3.0, 4.0]
    one = VALUES if x[0] > 0 else own
    one[0] = 5.0
    return np.sum(x)


# ----- dicts and lists whose content is known at run time only
@refused("it is no int, string, or tuple of them", X)
def float_as_a_key(x):
    d = {1.0: x[0]}
    return d[x[1]]  # here


OUTER = {0: 1.0}


@refused("the structure of the program depends on it", X)
def key_of_a_dict_from_outside(x):
    OUTER[int(x[0] * 3.0)] = x[0]  # here
    return np.sum(x)


@refused("unlike keys or values", X)
def dict_of_unlike_values(x):
    d = {}
    for i in range(len(x)):
        d[i] = x[i]
        d[i + 1] = "a"  # here
    return np.sum(x)


@refused("items get between those", X)
def list_that_extends_itself(x):
    items = [x[0]]
    items.extend(items.append(v) or v for v in (x[1], x[2]))  # here
    return items[0]


@refused("may have more axes than the array", X)
def more_axes_in_place(x):
    y = x * 2.0
    y += np.outer(x, x)  # here
    return np.sum(y)


@refused("assignment to .shape", X)
def shape_that_is_set(x):
    y = x * 2.0
    setattr(y, "shape", (3, 1))  # noqa: B010  # here
    return np.sum(y)


@refused("or may not lie row by row", X)
def shape_of_a_view(x):
    y = x * 2.0
    z = y[:]
    y.shape = (3, 1)  # here
    return np.sum(y) + np.sum(z)


@refused("`*` here", X)
def class_with_starred_bases(x):
    class Inner(*(object,)):  # here
        pass

    return np.sum(x)


@refused("it may be a number", X)
def fill_of_a_number(x):
    y = np.sum(x)
    y.fill(1.0)  # here
    return y


@refused("a loop whose structure changes", X)
def while_that_changes_structure(x):
    parts, i = (x[0],), 0
    while x[i] > -2.0 and i < 2:
        parts, i = (parts, 1.0), i + 1  # here
    return np.sum(x)


# ----- constants
@refused("a matrix", X)
def matrix_as_a_constant(x):
    return np.sum(x) * np.sum(np.matrix("1 2"))  # here


@refused("an array of dtype |S1", X)
def bytes_as_a_constant(x):
    return np.sum(x) * len(np.frombuffer(b"ab", dtype="S1"))  # here


TENSOR = ast_ad.tensor([1.0, 2.0, 3.0])


@refused("`TENSOR`, a tensor", X, error=TensorOutside)
def tensor_from_outside(x):
    return np.sum(x * TENSOR)  # here


@refused("how the array lies in memory is not known", SQUARE)
def order_of_one_of_two(x):
    y = x if x[0, 0] > 0 else x.T.copy().T
    return np.ravel(y * 2.0, order="K")[1]  # here


# ----- loops and stores
@refused("loops nested 30 deep", X, 2)
def calls_in_loops(x, n):
    def inner(depth):
        total = x[0]
        for i in range(n):  # here
            total += inner(depth - 1) if depth else x[1]
        return total

    return inner(31)


@refused("what it derives from", X)
def class_from_a_function(x):
    class Inner(of_one):  # here
        pass

    return np.sum(x)


@refused("a function that raises whatever", X)
def pop_of_an_empty_dict(x):
    d = {}
    i = int(x[0] * 3.0)
    return np.sum(x) * d.pop(i)  # here


@refused("it is applied row by row", M)
def statistic_of_rows(x):
    return np.sum(stats.shapiro(x, axis=1).statistic)  # here


@refused("a dict as an operand", X)
def dict_as_an_operand(x):
    return np.sum(np.array({"a": x}))  # here


@refused("a function that raises whatever", X)
def choice_of_two_that_raise(x):
    return np.sum(x) + (math.cos(x) if x[0] > 0 else math.sin(x))  # here


@refused("its elements have other names", X, placed=False)
def store_of_references(x):
    rows, kept = [], x * 1.0
    for v in x:
        rows.append(kept)
        kept[0] = v
    OUTSIDE.rows = rows
    return np.sum(x)


@refused("the class Inner has none", X)
def attribute_that_a_class_only_declares(x):
    class Inner:
        scale: float

    return np.sum(x) * Inner.scale  # here


@refused("`keepdims` of np.sum that is known", X)
def option_at_run_time(x):
    return np.sum(np.sum(x, keepdims=x[0] > 0))  # here


@refused("may be an array, a number or None", X)
def reference_of_several_kinds(x):
    rows, one = [], x * 1.0
    for v in x:
        rows.append(one)  # here
        one[0] = v
        one = x * v if v > 0 else None
    return np.sum(rows[0])


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # np.matrix
@pytest.mark.parametrize("function, args, word, error, placed", CASES)
def test_refusal(
    function: Program, args: tuple[Any, ...], word: str, error: type[ast_ad.AdError], placed: bool
) -> None:
    with pytest.raises(error) as caught:
        ast_ad.grad(function, fallback="error")(*copy.deepcopy(args))
    message = str(caught.value)
    assert word in message and type(caught.value) is error
    assert caught.value.source_line.rstrip().endswith("# here" if placed else ""), message
    assert placed or not caught.value.source_line


def test_an_expression_that_nothing_reads() -> None:
    """Expressions of later versions of Python, whose kind no module has entered in the table."""

    def function(x: np.ndarray) -> Any:
        return np.sum(x) * len({1, 2})

    with mock.patch.dict(EVAL):
        del EVAL[gast.Set]
        with pytest.raises(ast_ad.UnsupportedError, match="`Set` expression"):
            ast_ad.grad(function, fallback="error")(X)


def test_a_name_that_a_rule_lacks() -> None:
    def scaled(x: float) -> float:
        return x * 2.0

    @ast_ad.rule.vjp(scaled)
    def scaled_rule(g: Any, ans: Any, x: Any) -> Any:
        return (g * no_such_name,)  # noqa: F821

    with pytest.raises(ast_ad.UnsupportedError, match="name `no_such_name`"):
        ast_ad.grad(lambda x: scaled(x), fallback="error")(1.5)
