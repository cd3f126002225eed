"""Statements and expressions that are refused."""

from __future__ import annotations

import contextlib
import enum
import functools

import numpy as np

from .case import LOCK, META, Plain, X, of_one, refused


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


@refused("a mapping pattern", X)
def mapping_pattern_of_an_object(x):
    match KINDS:
        case {"a": y}:  # here
            return np.sum(y)
    return np.sum(x)


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


@refused("a read of an exception", X)
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


OUTER = Plain(1.0)


class Deleted(Plain):
    def __delattr__(self, name):
        raise ValueError(name)


@refused("`del` of the attribute `x`", X)
def deletion_of_an_attribute_by_code(x):
    made = Deleted(x)
    del made.x  # here
    return np.sum(x)


@refused("`del` of the attribute `x`", X)
def deletion_of_an_attribute_outside(x):
    del OUTER.x  # here
    return np.sum(x)


@refused("`async def` statement", X)
def statement_that_is_not_known(x):
    async def inner():  # here
        pass

    return np.sum(x)


@refused("cannot access local variable", X)
def name_that_each_pass_deletes(x):
    total = 0.0
    for v in x:
        twice = v * 2.0
        total += twice
        del twice
    return total + twice  # noqa: F821  # here
