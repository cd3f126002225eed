"""Lists, dicts and changes in place that are refused."""

from __future__ import annotations

import math

import numpy as np
import scipy  # whose parts are loaded where they are named

from .case import OUTSIDE, M, Plain, X, of_one, refused


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
    return np.sum(scipy.stats.weightedtau(x, x**2, axis=1).statistic)  # here


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


@refused("who has it is not known", X)
def list_in_a_list_on_one_path(x):
    rows = []
    for v in x:
        rows.append([v])
    first = rows[0]
    one = [first] if x[0] > 0 else [[x[1]]]  # here
    one[0].append(x[2])
    return sum(one[0])


@refused("it may be an array, a number or None", X)
def element_of_either_kind(x):
    one = x * 1.0 if x[0] > 0 else x[0]
    rows = []
    for v in x:
        rows.append(x * v)
    rows[0] = one  # here
    rows[0][...] = 1.0
    return np.sum(rows[0])


@refused("its structure differs between the paths", X)
def attribute_of_either_structure(x):
    if x[0] > 0:
        OUTSIDE.either = [x[0]]
    else:
        OUTSIDE.either = (x[0], 1.0)  # here
    return np.sum(x)


@refused("it is float64 on one path and list[float] on another", X)
def list_of_another_structure_on_each_path(x):
    rows = [x[0]]
    if x[0] > 0:
        rows.append([1.0])
    else:
        rows.append("a")
        rows.append(2.0)  # here
    return np.sum(x) * rows[0]


@refused("an element is float64 and another one is list[float]", X)
def list_of_unlike_elements(x):
    rows = [v for v in x]
    if x[0] > 0:
        rows.append([1.0])  # here
    return rows[0]


@refused("a value is float64 and another one is str", X)
def dict_that_gets_an_unlike_value(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i]
    return np.sum(x) * len(found.setdefault(1, "a"))  # here


@refused("a dict as an operand", X)
def size_of_a_dict(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i]
    return np.sum(x) * np.size(found)  # here


@refused("an object as an operand", X)
def object_as_a_key(x):
    return np.sum(x) * len({Plain(x): 1.0})  # here


@refused("it may be an array, a number or None", X)
def number_that_a_pass_makes_an_element(x):
    rows, one = [x * 1.0 for _ in x], x[0]
    for v in x:
        if v > 0:
            one = rows[0]
        rows.append(one)  # here
        one += 1.0
    return np.sum(rows[0])


@refused("an array of an iterator", X)
def array_of_a_map(x):
    return np.sum(x) * np.size(np.array(map(abs, x)))  # here


@refused("an array of an iterator", X)
def size_of_a_generator(x):
    return np.sum(x) * np.size(v for v in x)  # here


@refused("a view of a dict", X)
def array_of_values(x):
    return np.sum(x) * np.array({"a": x[0]}.values()).ndim  # here


@refused("what may be None", X)
def result_in_place_of_none(x):
    y = x * 1.0 if x[0] > 0 else None
    return np.sum(np.multiply(x, 2.0, out=(y,)))  # here


@refused("out= of several arrays", X)
def results_in_place(x):
    y = x * 1.0
    np.divmod(x, 2.0, out=(y, y * 1.0))  # here
    return np.sum(y)


@refused("where= without out=", X)
def parts_of_new_arrays(x):
    return np.sum(np.divmod(x, 2.0, where=x > -9.0)[0])  # here


@refused("an element is float64 and another one is list[float64]", X, 1)
def unlike_element_that_is_taken_out(x, n):
    parts = [x[0], [x[1]]]
    parts.pop(n)  # here
    return parts[0]


@refused("unlike elements", X, 2)
def unlike_elements_several_times(x, n):
    parts = [x[0], [x[1]]] * n  # here
    return parts[0]


@refused("unlike elements", X, 1)
def unlike_elements_behind_each_other(x, n):
    parts = [x[i] for i in range(n)] + [[x[1]], x]  # here
    return parts[0]


@refused("unlike elements", X, 1)
def unlike_elements_are_added(x, n):
    parts = [x[i] for i in range(n)]
    parts.extend(["a", x])  # here
    return parts[0]
