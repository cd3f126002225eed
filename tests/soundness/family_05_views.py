"""Functions that return a view, a copy or either: does a write into the result reach the array behind it?"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
SQUARE = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- the page's own
@program(SQUARE)
def einsum_transposed(y):
    y = y * 1.0
    v = np.einsum("ij->ji", y)
    v[0, 1] = 3.0 * y[2, 2]
    return np.sum(y * y)


@program(SQUARE)
def einsum_diagonal(y):
    y = y * 1.0
    v = np.einsum("ii->i", y)
    v *= y[0]
    return np.sum(y * y)


@program(THREE)
def conjugate_of_real(x):
    x = x * 1.0
    v = x.conj()
    v[1:] = x[:-1] * 2.0
    return np.sum(x * x)


@program(THREE)
def astype_without_copy(x):
    x = x * 1.0
    v = x.astype(float, copy=False)
    v[0] = x[1] * x[2]
    return np.sum(x * x)


@program(THREE)
def array_without_copy(x):
    x = x * 1.0
    v = np.array(x, copy=False)
    v[0] = x[1] * x[2]
    return np.sum(x * x)


@program(THREE)
def array_copied_if_needed(x):
    x = x * 1.0
    v = np.array(x, copy=None)
    v[0] = x[1] * x[2]
    return np.sum(x * x)


@program(THREE)
def nan_to_num_without_copy(x):
    x = x * 1.0
    v = np.nan_to_num(x, copy=False)
    v[0] = x[1] * x[2]
    return np.sum(x * x)


@program(THREE)
def meshgrid_without_copy(x):
    x = x * 1.0
    a, b = np.meshgrid(x, np.arange(2.0), copy=False)
    x[0] = x[1] * x[2]
    return np.sum(a * a) + np.sum(b)


@program(np.array([0.4, 0.9, 1.3]))
def open_mesh(x):
    x = x * 1.0
    v = np.ix_(x)[0]
    v[0] = x[1] * x[2]
    return np.sum(x * x)


@program(SQUARE)
def asarray_in_another_order(y):
    y = y * 1.0
    v = np.asarray(y, order="F")
    v[0, 1] = 3.0 * y[2, 2]
    return np.sum(y * y) + np.sum(v)


@program(THREE, 0.7)
def broadcast_together(x, s):
    a, b = np.broadcast_arrays(x, np.ones((2, 1)))
    return np.sum(a * b * s) + np.sum(a[1] ** 2)


@program(SQUARE)
def squeezed_row(y):
    y = y * 1.0
    v = np.squeeze(y[:1])
    v[1] = y[2, 2] * 2.0
    return np.sum(y * y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("einsum_transposed", "numpy", "right"): "bits of the value",
    ("einsum_transposed", "numba", "right"): "numbers of the value",
    ("einsum_diagonal", "numpy", "right"): "bits of the value",
    ("einsum_diagonal", "numba", "right"): "numbers of the value",
    ("conjugate_of_real", "numpy", "right"): "bits of the value",
    ("conjugate_of_real", "numba", "right"): "numbers of the value",
    ("astype_without_copy", "numpy", "right"): "bits of the value",
    ("astype_without_copy", "numba", "right"): "numbers of the value",
    ("array_without_copy", "numpy", "right"): "bits of the value",
    ("array_without_copy", "numba", "right"): "numbers of the value",
    ("array_copied_if_needed", "numpy", "right"): "bits of the value",
    ("array_copied_if_needed", "numba", "right"): "numbers of the value",
    ("nan_to_num_without_copy", "numpy", "right"): "bits of the value",
    ("nan_to_num_without_copy", "numba", "right"): "numbers of the value",
    ("meshgrid_without_copy", "numpy", "right"): "bits of the value",
    ("meshgrid_without_copy", "numba", "right"): "numbers of the value",
    ("open_mesh", "numpy", "right"): "bits of the value",
    ("open_mesh", "numba", "right"): "numbers of the value",
    ("asarray_in_another_order", "numpy", "right"): "bits of the value",
    ("asarray_in_another_order", "numba", "right"): "numbers of the value",
    ("squeezed_row", "numpy", "right"): "raises IndexError where the function raises nothing",
}
