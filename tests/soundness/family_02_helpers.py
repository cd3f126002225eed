"""What do Python's and NumPy's helpers return: which class, whose object, of which calls?"""

import bisect
import functools
import math
import operator
import types

import numpy as np

from .harness import program

X = np.array([0.11, 0.23])


@functools.cache
def counted(n):
    return np.arange(n) * 1.0


class Wide:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value > 0.2)


class Empty:
    def __len__(self):
        return 0


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_by_a_key(x, k):
    u = sorted([x[1], x[0]], key=lambda v: -v, reverse=k > 0)
    return u[0] * 3 + u[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_pairs(x, k):
    u = sorted([(x[1], 1.0), (x[0], 2.0)])
    return u[0][0] * u[0][1] * 3


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_lists_are_themselves(x, k):
    a = [3]
    b = [3, 4]
    sorted([b, a])[0].append(5)
    return x[1] * len(a) + x[0] * len(b)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def piecewise_functions_see_their_elements(x, k):
    v = np.piecewise(x, [x < 0.2, x >= 0.2], [lambda t: t.sum() * t, lambda t: t * 2])
    return v.sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def piecewise_with_an_otherwise(x, k):
    v = np.piecewise(x, [x < 0.2 + k], [lambda t: t - t.mean(), 2.0])
    return (v * v + x).sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def vectorized_function_sees_pythons_numbers(x, k):
    f = np.vectorize(lambda t: x[0] * 3 if isinstance(t, np.generic) else x[1] * 2)
    return f(x * 2)[0] + f(x)[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def function_along_columns(x, k):
    z = np.stack([x, x * 2, x * 3])
    v = np.apply_along_axis(lambda r: r[:2] * 2, 0, z)
    return (v * np.arange(4.0).reshape(2, 2)).sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def cached_array_is_one_object(x, k):
    @functools.lru_cache(None)
    def h(i):
        return x * i

    a = h(2)
    a *= 3
    return h(2).sum() + x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def cached_result_is_itself(x, k):
    @functools.cache
    def h(v):
        return np.ones(2) * v

    return x[0] if h(k) is h(k) else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def cached_outside(x, k):
    a = counted(2)
    return (a * x).sum() + (x[0] if a is counted(2) else x[1])


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def cached_function_of_an_array(x, k):
    @functools.lru_cache(None)
    def h(v):
        return v.sum()

    try:
        return h(x) + x[0]
    except TypeError:
        return x[1] * 3


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def reduce_with_where(x, k):
    return x[0] * np.add.reduce(x, where=np.array([True, False]))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def bools_add_up_to_two(x, k):
    return x[0] * (bool(x[0] > 0) + bool(x[1] > 0))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def membership_is_pythons_bool(x, k):
    return x[0] * ((x[0] in (x[0], x[1])) + (x[1] in (x[0], x[1])))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def equality_of_tuples_is_pythons_bool(x, k):
    return x[0] * (((x[0], k) == (x[0], k)) + ((x[1], k) == (x[1], k)))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def any_is_pythons_bool(x, k):
    return x[0] * (any([x[0] > 0, x[1] > 5]) + any(x > 0) + all(v > 0 for v in x))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def generator_over_a_name_that_changes(x, k):
    y = x * 1
    gen = (v * 2 for v in y)
    y = y * 5
    return sum(gen) + y[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def larger_of_an_int_and_true(x, k):
    m = max(k, True)
    return x[0] * 2 if isinstance(m, bool) else x[1] * m


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def larger_list_is_itself(x, k):
    a = [1, 2]
    b = [3]
    max(a, b).append(3)
    return x[1] * len(b)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def truth_of_an_object(x, k):
    return x[0] * 3 if Wide(x[0]) else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def truth_of_an_empty_object(x, k):
    return x[0] * 3 if Empty() else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def truth_of_a_range(x, k):
    return x[0] * 3 if range(k) else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def truth_of_none_or_an_array(x, k):
    u = None
    if k:
        u = np.zeros(1)
    return x[0] * 3 if u else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def one_list_under_several_keys(x, k):
    d = dict.fromkeys(["a", "b"], [])
    d["a"].append(x[0])
    return x[1] * len(d["b"]) + x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def inserted_in_order(x, k):
    h = [1, 3]
    bisect.insort(h, 2)
    return x[0] * h[1] + x[1] * len(h)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def changed_by_a_function_of_operator(x, k):
    h = [1, 3]
    operator.setitem(h, 0, 5)
    g = operator.iadd(h, [4])
    return x[0] * h[0] + x[1] * len(h) + len(g)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def set_changed_in_place(x, k):
    s = {1}
    t = s
    t |= {2}
    return x[0] * len(s)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def float32_times_pythons_or_numpys_number(x, k):
    u = 0.1
    for _ in range(k):
        u = x[0] * 3
    z = np.ones(2, np.float32) * u
    return (z * x / 7).sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def out_given_by_position(x, k):
    o = np.zeros(2)
    np.clip(x, 0, 0.2, o)
    p = np.zeros(())
    x.sum(0, None, p)
    return x[0] * o.sum() + p * x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def out_and_what_stands_behind_it(x, k):
    o = np.zeros(1)
    np.mean(x, 0, None, o, True)
    return x[0] * o[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def operator_iadd_of_an_array(x, k):
    a = np.zeros(2)
    operator.iadd(a, x)
    return (a * x).sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def operator_setitem_of_an_array(x, k):
    a = np.zeros(2)
    operator.setitem(a, 0, x[1])
    return (a * x).sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def any_stops_at_the_first(x, k):
    return x[0] * any(x[i] > 0.2 for i in range(5))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def all_stops_at_the_first(x, k):
    a = []
    r = all((a.append(i), i <= k)[1] for i in range(5) for _ in range(2))
    return x[0] * len(a) + r


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def method_that_returns_nothing(x, k):
    a = [1]
    r = (k and a.append(3)) or a.append(4)
    return x[0] * len(a)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def unsigned_numbers_that_do_not_fit(x, k):
    try:
        u = np.array([k * 300] * (k + 2), dtype=np.uint8)
        return x[0] * u.sum()
    except OverflowError:
        return x[1] * 3


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def largest_of_a_list_of_arrays_is_itself(x, k):
    l = [(x * i)[:1] for i in range(1, k + 2)]
    m = max(l)
    m *= 2
    return l[-1].sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sum_of_no_numbers_is_an_int(x, k):
    u = []
    for i in range(k):
        u.append(x[i])
    s = sum(u)
    return x[0] * 3 if isinstance(s, int) else s * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def array_of_the_sum_of_no_numbers(x, k):
    z = np.full(2, sum(x[:k]))
    z[0] = x[0] * 70
    return z.sum() * x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def product_of_no_numbers_is_an_int(x, k):
    s = math.prod(x[:k])
    return x[0] * 3 if isinstance(s, int) else s * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def rounded_to_none_or_some_digits(x, k):
    z = np.array([round(2.7, None if k else 1), 1])
    z[0] = x[0] * 15
    return z.sum() * x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def clipped_by_none_or_a_number(x, k):
    u = None if k else 0.2
    return np.clip(x, u, 0.5).sum() * x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def zip_of_unequal_lengths(x, k):
    s = x[0]
    try:
        for a, b in zip(x, x[:1], strict=True):
            s = s + a * b
    except ValueError:
        return x[1] * 3
    return s


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def zip_of_equal_lengths(x, k):
    s = x[0]
    for a, b in zip(x, x * 2, strict=True):
        s = s + a * b
    return s


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def classes_of_iterators(x, k):
    return x[0] * isinstance(zip(x, x), zip) + x[1] * isinstance((v for v in x), types.GeneratorType)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def classes_of_functions(x, k):
    f = functools.partial(max, 1)
    return x[0] * isinstance(f, functools.partial) + x[1] * (
        isinstance(Wide(x[0]).__bool__, types.MethodType) + callable(f)
    )


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def item_behind_a_range(x, k):
    try:
        return x[0] * range(3)[k + 3]
    except IndexError:
        return x[1] * 3


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def items_of_a_range(x, k):
    r = range(k, 10, 3)
    return x[0] * r[-1] + x[1] * r[1:][0]


@program(X, 0, later=[(X, 1), (X, 2)], compiled=False, kernels=False)
def negative_power_of_an_int(x, k):
    z = np.array([2**-k, 3])
    z[0] = x[0] * 95
    return z.sum() * x[1]


@program(X, 0, later=[(X, 1), (X, 2)], compiled=False, kernels=False)
def power_that_may_be_negative(x, k):
    z = np.full(2, pow(3, 1 - k))
    z[0] = x[0] * 95
    return z.sum() * x[1]


@program(X, 0, later=[(X, 1), (X, 2)], compiled=False, kernels=False)
def powers_in_a_loop(x, k):
    z = np.array([(-1) ** i for i in range(-k, 3)])
    z[0] = x[0] * 95
    return z.sum() * x[1]


@program(X, 0, later=[(X, 1), (X, 2)], compiled=False, kernels=False)
def powers_by_position(x, k):
    z = np.array([2**i for i in range(k + 1)])
    z[0] = x[0] * 95
    return z.sum() * x[1]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
