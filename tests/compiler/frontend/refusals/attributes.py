"""Attributes that are refused."""

from __future__ import annotations

import numpy as np

from .case import OUTSIDE, Plain, X, refused


@refused("tuples have none", X)
def attribute_of_a_tuple(x):
    return np.sum((x, x).first)  # here


@refused("float64[?] have none", X)
def attribute_that_arrays_lack(x):
    return np.sum(x.first)  # here


@refused("memory layout of an array", X)
def layout_of_an_array(x):
    y = np.matmul(np.ones((2, 3, 3)), np.full((2, 3, 3), x[0]))
    return np.sum(y) * y.flags.c_contiguous  # here


@refused("the strides of an array", X)
def strides_of_an_array(x):
    y = x[None]
    return np.sum(y) * y.strides[0]  # here


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


@refused("the object and its class get one", X)
def attribute_of_object_and_class(x):
    OUTSIDE.scale = 2.0
    Plain.scale = 3.0
    del_later = OUTSIDE.scale  # here
    return np.sum(x) * del_later


@refused("'Plain' object has no attribute 'nothing'", X)
def attribute_that_an_outside_object_lacks(x):
    return np.sum(x) * OUTSIDE.nothing  # here


@refused("the class has it on some paths only", X)
def class_of_a_pass(x):
    for v in x:

        class Inner:
            scale = v

        if v > 0:
            break
    return np.sum(x) * Inner.scale  # here


class Heir(Plain):
    def missing(self):
        return super().no_such_method()  # here


@refused("super().no_such_method", X)
def method_that_no_base_has(x):
    return Heir(x).missing()
