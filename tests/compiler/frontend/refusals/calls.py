"""Calls that are refused: of functions, methods, classes, and of functions of NumPy and SciPy."""

from __future__ import annotations

import copy
import functools
import math
import operator
import os

import numpy as np
import scipy  # whose parts are loaded where they are named

import ast_ad

from .case import M, X, of_one, refused


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
    if x[0] > 0.0:
        made.shift = 2.0  # on one path the object has it, on the other one its class may answer
    return np.sum(x) * (2.0 if hasattr(made, "shift") else 1.0)  # here


@refused("name the base class", X)
def super_of_nothing(x):
    class Outer:
        def scale(self):
            return super(Outer).__thisclass__ is Outer  # here

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
    return np.exp(x[0], where=x[1] > 0)  # here


@refused("random numbers drawn by `dirichlet`", X)
def random_numbers(x):
    return np.sum(x * np.random.dirichlet([1.0, 2.0, 3.0]))  # here


@refused("it is compiled code that may", X)
def process(x):
    return np.sum(x) * os.getpid()  # here


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
    def __new__(cls, x):
        return x


class OfInt(int):
    pass


@refused("its constructor is not Python code", X)
def constructor_without_code(x):
    return np.sum(x) * OfInt(2)  # here


@refused("its __new__ returns what may be another object", X)
def class_that_makes_no_instance(x):
    return np.sum(Made(x))  # here


async def later(x):
    return x


@refused("it is asynchronous", X)
def asynchronous_function(x):
    later(x)  # here
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


@refused("3 items stand beside 2", X, X)
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


@functools.lru_cache
def cached_read(x):
    return x + TABLE["a"]


@refused("read by a function with a cache", 1.5)
def cache_of_what_is_read(x):
    return x * cached_read(2.0)  # here


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


@refused("copy=False where a copy may be needed", X)
def copy_that_is_forbidden(x):
    return np.sum(np.asarray(x, dtype=np.float32, copy=False))  # here


@refused("`like` of an array", X)
def array_like(x):
    return np.sum(np.asarray(x, like=x))  # here


@refused("np.fromiter of what are no numbers", M)
def fromiter_of_rows(x):
    return np.sum(np.fromiter((row for row in x), float))  # here


@refused("another one in others", X)
def vectorize_of_two_types(x):
    return np.sum(np.vectorize(lambda v: v if v > 0 else 0)(x))  # here


@refused("no numbers of Python's precision", X.astype(np.float32))
def vectorize_in_single_precision(x):
    return np.sum(np.vectorize(lambda v: v * v)(x))  # here


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


@refused("its parameters do not fit", X)
def distribution_without_its_shape(x):
    return np.sum(scipy.stats.gamma.pdf(x * x))  # here


@refused("only the defaults are followed", X)
def statistic_that_omits(x):
    return scipy.stats.skew(x, nan_policy="omit")  # here


@refused("the statistic takes one", M)
def statistic_of_several_axes(x):
    return scipy.stats.skew(x, axis=(0, 1))  # here


@refused("it is compiled code that may do something else at each call", X)
def item_of_a_set(x):
    return np.sum(x) * NUMBERS.pop()  # here


NUMBERS = {1, 2}
