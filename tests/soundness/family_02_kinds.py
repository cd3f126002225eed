"""What follows from a type that depends on the path taken? Filled arrays, questions about classes and dtypes.

All must be right; most are traced, since the answer is known at run time only.
"""

import numpy as np

from .harness import program

X = np.array([0.11, 0.23])


def mix(x, k):
    u = 0
    if k:
        u = x.sum()
    return u


def loopmix(x, k):
    u = 0
    for _ in range(k):
        u = x.sum()
    return u


def array_or_half(x, k):
    u = x
    for _ in range(k):
        u = 0.5
    return u


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def filled_with_an_int_or_a_float(x, k):
    u = mix(x, k)
    z = np.full(3, u)
    z[0] = x[0]
    return np.sum(z * z)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def array_of_what_a_loop_may_leave_an_int(x, k):
    u = loopmix(x, k)
    z = np.array([u, 1])
    z[0] = x[0] * 7
    return np.sum(z * z) + x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def asked_for_int(x, k):
    u = loopmix(x, k)
    return x[0] * 3 if isinstance(u, int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def asked_for_a_dtype_attribute(x, k):
    u = loopmix(x, k)
    return x[0] * 3 if hasattr(u, "dtype") else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def asked_for_the_class(x, k):
    u = loopmix(x, k)
    return x[0] * 3 if type(u) is int else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def asarray_dtype_of_one_of_two(x, k):
    u = mix(x, k)
    z = np.zeros(2) + 0
    z = np.zeros_like(u, shape=(3,)) if hasattr(np, "zz") else np.asarray(u)
    return x[0] * 3 if z.dtype == np.int64 else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def dtype_handed_on(x, k):
    u = mix(x, k)
    v = np.ones(3, dtype=np.asarray(u).dtype)
    v[1] = x[0] * 9.7
    return v.sum() * x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def asked_for_floating(x, k):
    u = mix(x, k)
    return x[0] * 3 if isinstance(u, np.floating) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def python_or_numpy_float(x, k):
    u = 1.5
    if k:
        u = x.sum()
    return x[0] * 3 if isinstance(u, np.generic) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def shape_of_python_or_numpy_float(x, k):
    u = 1.5
    if k:
        u = x.sum()
    return x[0] * 3 if hasattr(u, "shape") else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def is_true_of_bool_or_float(x, k):
    u = True
    if k:
        u = x[0]
    return x[0] * 3 if u is True else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def array_of_a_list_of_two_kinds(x, k):
    u = [0, 0]
    if k:
        u = [x[0], 1.0]
    z = np.array(u)
    z[1] = x[1] * 5
    return z.sum()


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def array_of_a_list_filled_in_a_loop(x, k):
    u = [0, 0]
    for i in range(k):
        u[i] = x[i] * 3
    z = np.array(u)
    z[1] = x[1] * 5.5
    return z.sum() + x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def array_of_a_list_that_grows(x, k):
    u = [1]
    for i in range(k):
        u.append(x[i] * 3)
    z = np.array(u)
    z[0] = x[1] * 5.5
    return z.sum() + x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def written_int_or_float_array(x, k):
    u = np.zeros(2, int)
    if k:
        u = x * 2
    u[0] = x[1] * 3.7
    return np.sum(u * u) * x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def dtype_compared(x, k):
    u = np.zeros(2, int)
    if k:
        u = x * 2
    return x[0] * 3 if u.dtype == float else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def issubdtype_of_one_of_two(x, k):
    u = np.zeros(2, int)
    if k:
        u = x * 2
    return x[0] * 3 if np.issubdtype(u.dtype, np.integer) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def int_or_float_constant(x, k):
    u = 2
    if k:
        u = 2.0
    return x[0] * 3 if isinstance(u, int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def length_of_its_text(x, k):
    u = 7
    if k:
        u = 7.0
    return x[0] * len(str(u))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def length_of_its_formatted_text(x, k):
    u = 7
    if k:
        u = 7.0
    return x[0] * len(f"{u}")


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def power_of_a_negative_int_or_float(x, k):
    u = -1
    if k:
        u = -1.0
    try:
        v = np.power(2, u)
    except ValueError:
        v = 5.0
    return x[0] * v


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def numpys_int_or_pythons(x, k):
    u = np.int64(3)
    if k:
        u = 3
    return x[0] * 3 if isinstance(u, int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def ndim_of_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    return x[0] * 3 if np.ndim(u) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def len_of_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    try:
        n = len(u)
    except TypeError:
        n = 10
    return x[0] * n


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def method_of_an_int_or_a_float(x, k):
    u = 1
    if k:
        u = 1.0
    return x[0] * 3 if u.is_integer() and type(u) is float else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def divided_by_pythons_or_numpys_zero(x, k):
    u = np.float64(0.0)
    if k:
        u = 0.0
    try:
        v = 1.0 / u
    except ZeroDivisionError:
        v = 3.0
    return x[0] * v if np.isfinite(v) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def bool_or_int(x, k):
    u = 1
    if k:
        u = True
    return x[0] * 3 if isinstance(u, bool) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def index_array_of_bools_or_ints(x, k):
    u = 1
    if k:
        u = True
    return np.sum(x[np.array([u, u])] * 3)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def inverted_bool_or_int(x, k):
    u = 1
    if k:
        u = True
    return x[0] * (-u) + x[1] * (~u)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def isinstance_of_none_or_array(x, k):
    u = None
    if k:
        u = x
    return x[0] * 3 if isinstance(u, np.ndarray) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def precision_asked_for(x, k):
    u = x.astype(np.float32)
    if k:
        u = x
    return np.sum(u * u).astype(float) * x[0] if u.dtype == np.float32 else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def kind_of_an_element(x, k):
    u = [1, 2]
    for i in range(k):
        u[0] = x[0]
    return x[0] * 3 if isinstance(u[0], int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def kind_of_a_dict_value(x, k):
    d = {"a": 1}
    if k:
        d["a"] = x[0]
    return x[0] * 3 if isinstance(d["a"], int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def kind_after_a_conditional_sum(x, k):
    u = 0
    for i in range(3):
        u = u + x[0] if i >= k else u
    return x[0] * 3 if isinstance(u, int) else x[1] * 2


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def floor_of_a_filled_array(x, k):
    u = 0
    m = 5
    while m > k:
        m -= 1
        if m == 2:
            u = 0.5
    return np.sum(np.full(2, u) // 1) * x[0] + np.add(u, x).sum() * (1 if np.full(2, u).dtype == int else 4)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def single_or_double_scalar(x, k):
    u = np.float32(0.1)
    if k:
        u = np.float64(0.1)
    w = u * x.astype(np.float32)
    return np.sum(w).astype(np.float64) * x[0] * (2 if w.dtype == np.float32 else 3)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def python_or_numpy_double_with_singles(x, k):
    u = 0.1
    if k:
        u = np.float64(0.1)
    w = u * x.astype(np.float32)
    return np.sum(w).astype(np.float64) * x[0] * (2 if w.dtype == np.float32 else 3)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def attributes_of_vector_or_column(x, k):
    u = x
    if k:
        u = x[:, None]
    return x[0] * u.ndim * u.shape[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def transposed_vector_or_column(x, k):
    u = x
    if k:
        u = x[:, None]
    return np.sum(u.T * x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def where_of_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    return np.sum(np.where(x > 0.15, u, x * x)) + np.sum(np.ones_like(u)) * x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def stacked_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    a = np.array([u, u])
    return np.sum(a * a) * a.ndim


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def ravelled_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    s = 0.0
    for v in np.ravel(u):
        s = s + v * v
    return s


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def in_place_on_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    u = u * 1.0
    u += x[1]
    return np.sum(u * u)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def reductions_of_array_or_number(x, k):
    u = x
    if k:
        u = x[0]
    return np.sum(np.max(u) * x) + np.mean(u) + np.size(u) * x[0]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def outer_with_array_or_number(x, k):
    return np.sum(np.add.outer(x, array_or_half(x, k)))


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def ndmin_of_array_or_number(x, k):
    return np.sum(np.array(array_or_half(x, k), ndmin=2)[0] ** 2)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def isscalar_of_array_or_number(x, k):
    return np.sum(x**2) if np.isscalar(array_or_half(x, k)) else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def ndim_compared(x, k):
    m = array_or_half(x, k)
    return np.sum(x**2) if np.ndim(m) == 0 else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def iterable_array_or_number(x, k):
    m = array_or_half(x, k)
    return np.sum(x**2) if np.iterable(m) else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def isinstance_float_of_array_or_number(x, k):
    m = array_or_half(x, k)
    return np.sum(x**2) if isinstance(m, float) else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def isinstance_array_of_array_or_number(x, k):
    m = array_or_half(x, k)
    return np.sum(x**2) if isinstance(m, np.ndarray) else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def hasattr_of_array_or_number(x, k):
    m = array_or_half(x, k)
    return np.sum(x**2) if hasattr(m, "shape") else np.sum(x)


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_middle(x, k):
    return sorted([x[0], x[1], 0.15])[1] * 3


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def list_sorted_in_place(x, k):
    l = [x[0] * 3, x[1], k]
    l.sort()
    return l[0] + 2 * l[1] + 5 * l[2]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_keeps_ints(x, k):
    l = sorted([x[0], 2])
    return x[0] * 3 if isinstance(l[1], int) else x[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_equal_numbers(x, k):
    l = sorted([x[0], x[0] * 1, x[1] * 0 + x[0]])
    return l[0] + 2 * l[1] + l[2] * 4


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_comprehension(x, k):
    m = sorted([x[i] * x[i] for i in range(2)])
    return m[0] / m[1]


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sorted_keys(x, k):
    d = sorted({"b": 1, "a": 2})
    return x[0] * len(d[0])


@program(X, 0, later=[(X, 1)], compiled=False, kernels=False)
def sum_of_sorted(x, k):
    return sum(sorted([x[0], -x[1], k])) * x[0]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
