"""Items, operands and constants that are refused."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

import ast_ad
from ast_ad.compiler.frontend.context import TensorOutside

from .case import SQUARE, X, refused


@refused("an item of what may be None", X)
def item_of_what_may_be_none(x):
    one = x[0] if x[0] > 0 else None
    return np.sum(x) * one[0]  # here


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
def store_of_numbers_among_objects(x):
    held = np.empty(2, dtype=object)
    held[0] = x[0]  # here
    return np.sum(x)


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


BYTES = bytearray(b"abc")


@refused("a function that raises whatever", X)
def name_that_is_nowhere(x):
    return np.sum(x) * no_such_name  # noqa: F821  # here


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


@refused("nothing is known of a value of type object", X)
def class_of_an_object_in_an_array(x):
    found = np.array([np.sin, 1], dtype=object)
    return np.sum(x) * isinstance(found[0], float)  # here


@refused("`np.gcd` with these arguments", X)
def function_of_ints_of_a_number_or_an_array(x):
    y = x if x[0] > 0 else 1.0
    return np.sum(x) * np.sum(np.gcd(y, 2))  # here
