"""Functions that return a view, a copy or either: does a write into the result reach the array behind it?"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])
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


# ----- in helper functions
def exchange_ghost_cells(u):
    left, right = np.split(u, 2)
    left[-1] = 0.5 * right[1]
    right[0] = 0.5 * left[0]


@program(FOUR, later=[(np.arange(6.0) * 0.3,)])
def halves_of_a_domain(x):
    u = x * x
    exchange_ghost_cells(u)
    return np.sum(u**2 * np.arange(1.0, len(u) + 1))


def set_boundary(field, axis, value):
    along = np.moveaxis(field, axis, 0)
    along[0] = value
    along[-1] = 2.0 * along[1]


@program(SQUARE, 0.6, 1, later=[(SQUARE, 0.6, 0), (SQUARE, 0.3, -1)])
def boundary_along_an_axis(y, s, axis):
    field = y + 0.0
    set_boundary(field, axis, s)
    return np.sum(field * y) + np.sum(field**2)


def zero_the_first(flat, s):
    flat[0] = s * s
    return flat


@program(SQUARE, 0.6)
def flattened_with_and_without_a_copy(y, s):
    y = y * 1.0
    copied = zero_the_first(np.ravel(y.T), s)
    shared = zero_the_first(np.ravel(y), 3.0 * s)
    return np.sum(y[0] ** 2) + np.sum(copied * shared)


def damp(z, s):
    z.real *= s
    part = np.imag(z)
    part[1:] = part[:-1] * s
    return z


@program(THREE, 0.6)
def parts_of_complex_numbers(x, s):
    z = x + 1j * np.sin(x)
    w = damp(z, s)
    return np.sum(np.abs(z) ** 2) + np.sum(w.real)


def as_column(x):
    return np.atleast_2d(x).T


@program(THREE, 0.6)
def column_of_a_vector(x, s):
    x = x * 2.0
    column = as_column(x)
    column[1, 0] = s * column[2, 0]
    x[0] = x[1] * s
    return np.sum(column @ column.T) + x[1]


def normalized(u):
    u = np.asarray(u)
    u /= np.sqrt(np.sum(u * u))
    return u


@program(SQUARE, later=[(SQUARE.T.copy(),)])
def normalized_in_place(y):
    rows = y * 1.0
    first = normalized(rows[0])
    second = normalized(np.ascontiguousarray(rows[:, 1]))
    return np.sum(rows * y) + first @ second


# ----- in methods, comprehensions and lambdas
class Field:
    def __init__(self, values):
        self.values = values

    @property
    def interior(self):
        return self.values[1:-1]

    def smooth(self, rate):
        inner = self.interior
        inner += rate * (self.values[2:] - 2.0 * inner + self.values[:-2])

    def columns(self):
        return np.hsplit(self.values, self.values.shape[1])


@program(FOUR, 0.1, later=[(np.arange(6.0) ** 2 * 0.1, 0.2)])
def interior_of_an_object(x, rate):
    field = Field(x.copy())
    field.smooth(rate)
    field.smooth(rate)
    return np.sum(field.values**3) + np.sum(field.interior)


@program(SQUARE, 0.6)
def columns_of_an_object(y, s):
    field = Field(y * 1.0)
    a, b, c = field.columns()
    a[:] = b * s
    c -= a
    return np.sum(field.values**2)


@program(np.linspace(0.2, 1.1, 7), 0.6, later=[(np.linspace(0.2, 1.1, 5), 0.6)])
def parts_in_a_comprehension(x, s):
    y = x * 1.0
    parts = [p for p in np.array_split(y, 3)]
    parts[1] *= s
    parts[2][0] = parts[0][0]
    return np.sum(y * y * np.arange(1.0, len(y) + 1))


@program(FOUR, 0.6)
def mirrored_by_a_lambda(x, s):
    y = np.sin(x)
    mirror = lambda v: v[::-1]
    mirror(y)[:2] = s * mirror(y)[2:]
    return np.sum(y * y) + y[3]


@program(SQUARE, 0.6)
def rows_flattened_in_a_comprehension(y, s):
    y = y * 1.0
    rows = [part.ravel() for part in np.vsplit(y, 3)]
    copies = [part.flatten() for part in np.vsplit(y, 3)]
    rows[2][1] = s
    copies[0][0] = 5.0 * s
    return np.sum(y**2) + np.sum(copies[0] * rows[0])


@program(FOUR, 0.6)
def another_view_of_the_same(x, s):
    same = lambda a: a.view().reshape(-1)
    y = x * s
    z = same(y)
    z.sort()
    np.multiply(z, s, out=z[:])
    return np.sum(y * np.arange(1.0, 5.0))


# ----- in nested loops
@program(np.linspace(0.2, 1.1, 5), 0.6, later=[(np.linspace(0.3, 0.9, 7), 0.5)])
def windows_made_before_the_writes(x, s):
    y = x * 1.0
    windows = np.lib.stride_tricks.sliding_window_view(y, 3)
    total = 0.0
    for step in range(2):
        for k in range(len(windows)):
            y[k] = y[k] + s * windows[k, 1]
            total = total + windows[k].sum() * (k + 1)
    return total


@program(SQUARE, 0.6, 4, later=[(SQUARE, 0.6, 1)])
def edges_by_turning(y, s, turns):
    y = y * 1.0
    for turn in range(turns):
        q = np.rot90(y, turn)
        for j in range(1, 3):
            q[0, j] += s * q[1, j - 1]
    return np.sum(y**2 * np.arange(9.0).reshape(3, 3))


@program(SQUARE, 0.6)
def diagonal_read_after_writes(y, s):
    y = y * 1.0
    d = np.diagonal(y)
    trace = 0.0
    for i in range(3):
        for j in range(i + 1):
            y[i, i] = y[i, i] * s + y[i, j]
        trace = trace + d[i] * d[0]
    return trace + np.sum(d)


@program(SQUARE + 2.0 * np.eye(3))
def elimination_through_squeezed_rows(a):
    a = a.copy()
    for k in range(2):
        pivot = np.squeeze(a[k : k + 1])
        for i in range(k + 1, 3):
            row = np.squeeze(a[i : i + 1], axis=0)
            row -= row[k] / pivot[k] * pivot
    return a[0, 0] * a[1, 1] * a[2, 2]


@program(THREE, 0.6)
def broadcast_read_after_writes(x, s):
    y = x * 1.0
    b = np.broadcast_to(y, (2, 3))
    total = 0.0
    for i in range(2):
        for j in range(3):
            y[j] = y[j] * s + 0.1 * i
            total = total + b[i, j] * b[1 - i, 0]
    return total + np.sum(b)


@program(np.linspace(0.2, 1.1, 6), 0.6, 3, later=[(np.linspace(0.2, 1.1, 8), 0.6, 1)])
def red_and_black_cells(x, s, sweeps):
    u = x + 0.0
    red, black = u[::2], u[1::2]
    for sweep in range(sweeps):
        for k in range(len(red) - 1):
            red[k + 1] = 0.5 * (black[k] + black[k + 1]) * s
        black[:-1] = 0.5 * (red[1:] + red[:-1])
    return np.sum(u * u)


@program(SQUARE, 0.6)
def diagonal_through_flat_steps(y, s):
    y = y * 1.0
    for k in range(2):
        flat = np.reshape(y, -1)
        for i in range(3):
            flat[4 * i] -= s * flat[(4 * i + 1) % 9]
    y.flat[::2] *= s
    return np.sum(y * y)


# ----- further ones, of all kinds
@program(SQUARE, kernels=False)
def real_if_close_written(y):
    y = y * 1.0
    v = np.real_if_close(y)
    v[0] = v[1]
    return np.sum(y * y)


@program(SQUARE)
def asfortranarray_of_a_column_major(y):
    y = np.array(y.T, order="F")
    v = np.asfortranarray(y)
    v[0] = 2.0 * v[1]
    return np.sum(y * y)


@program(SQUARE, kernels=False)
def require_written(y):
    y = y * 1.0
    v = np.require(y, requirements=["C"])
    v[0] = 2.0 * v[1]
    return np.sum(y * y)


@program(THREE, kernels=False)
def array_of_an_array_without_copying(x):
    y = x * 1.0
    v = np.asanyarray(y)
    v[1] = v[0] * 2.0
    w = np.array(y)
    w[2] = 5.0 * y[1]
    return np.sum(y * y) + np.sum(w)


@program(SQUARE, kernels=False)
def swapped_axes_written(y):
    y = y * 1.0
    v = np.swapaxes(y, 0, 1)
    v[0] = y[1]
    return np.sum(y * y * np.arange(9.0).reshape(3, 3))


@program(SQUARE, kernels=False)
def reshaped_transposed(y):
    y = y * 1.0
    v = y.T.reshape(-1)
    v[0] = 5.0 * y[1, 1]
    return np.sum(y * y) + np.sum(v * v)


@program(SQUARE, kernels=False)
def ravel_in_column_order(y):
    y = y * 1.0
    v = y.ravel(order="F")
    w = y.ravel(order="K")
    v[1] = 4.0 * y[0, 0]
    w[2] = 3.0 * y[2, 2]
    return np.sum(y * y) + np.sum(v * w)


@program(THREE, kernels=False)
def roots_of_unity_part(x):
    z = x + 0j
    z.imag[:] = x[::-1]
    z.imag += 1.0
    return np.sum(np.abs(z) ** 2 * x)


@program(THREE, 0.5, kernels=False)
def out_argument_is_the_array(x, s):
    y = x * 1.0
    z = np.multiply(y, s, out=y)
    z += x
    return np.sum(y * y)


@program(THREE, 0.5, kernels=False)
def put_and_place(x, s):
    y = x * 1.0
    v = y[::-1]
    np.put(v, [0], s * 2.0)
    np.copyto(v[1:2], x[0] * s)
    np.place(y, y < 0.0, s)
    return np.sum(y * np.arange(1.0, 4.0)) + np.sum(v)


@program(SQUARE, 0.5, kernels=False)
def fill_diagonal_of_a_view(y, s):
    y = y * 1.0
    v = y[:, ::-1]
    np.fill_diagonal(v, s)
    return np.sum(y * y * np.arange(9.0).reshape(3, 3))


@program(THREE, 0.5, kernels=False)
def sorted_in_place_through_a_view(x, s):
    y = x * s
    y[::2].sort()
    v = np.sort(y)
    v[0] = 9.0 * s
    return np.sum(y * np.arange(1.0, 4.0)) + np.sum(v)


@program(SQUARE, 0.5, kernels=False)
def advanced_index_is_a_copy(y, s):
    y = y * 1.0
    v = y[[0, 2]]
    v[0] = s
    w = y[0:2][:, [True, False, True]]
    w *= s
    y[[1]] *= s
    return np.sum(y * y) + np.sum(v) + np.sum(w)


@program(SQUARE, 0.5, kernels=False)
def ufunc_at_on_a_row(y, s):
    y = y * 1.0
    row = y[1]
    np.add.at(row, [0, 0, 2], s)
    np.subtract.at(y.T, (0, 1), s * s)
    return np.sum(y * y)


@program(SQUARE, kernels=False)
def unstacked_rows(y):
    y = y * 1.0
    a, b, c = np.unstack(y)
    a -= 2.0 * b
    return np.sum(y * y) + np.sum(c)


@program(SQUARE, kernels=False)
def column_stack_is_a_copy(y):
    y = y * 1.0
    v = np.column_stack([y[:, 0], y[:, 1]])
    v[0] = 7.0 * y[2, 2]
    w = np.atleast_3d(y)
    w[0, 0, 0] = y[1, 1]
    return np.sum(y * y) + np.sum(v)


@program(THREE, kernels=False)
def tiled_once_is_a_copy(x):
    y = x * 1.0
    v = np.tile(y, 1)
    v[0] = 3.0 * y[1]
    w = np.repeat(y, 1)
    w[1] = 4.0 * y[2]
    u = np.broadcast_to(y, (3,)).copy()
    u[2] = 1.0
    return np.sum(y * y) + v @ w + u @ w


@program(THREE, kernels=False)
def abs_and_positive_are_copies(x):
    y = np.abs(x)
    v = +y
    v[0] = 5.0 * y[1]
    w = np.real(y)
    w[2] = y[0] * 2.0
    r = np.round(y, 20)
    r[0] = 1.0
    return np.sum(y * y) + np.sum(v)


@program(THREE, kernels=False)
def nan_to_num_and_clip_out(x):
    y = x * 1.0
    v = np.clip(y, -5.0, 5.0, out=y)
    v[0] = y[1] * 3.0
    np.nan_to_num(y, copy=True)[1] = 4.0
    return np.sum(y * y)


@program(SQUARE, 1, later=[(SQUARE, 0)])
def axis_known_at_run_time(y, axis):
    y = y * 1.0
    turned = np.swapaxes(y, 0, axis)
    turned[0] *= 3.0
    return np.sum(y**3)


@program(SQUARE, 2, compiled=False, later=[(SQUARE, 1)])
def rows_of_planes(y, planes):
    total = 0.0
    for k in range(planes):
        field = y * (k + 1.0)
        parts = [np.moveaxis(field, k, 0) for _ in range(1)]
        parts[0][-1] = y[k]
        total = total + np.sum(field * field)
    return total


@program(np.repeat(FOUR, 2)[::2], compiled=False)
def ravel_of_every_other(x):
    flat = np.ravel(x)
    flat *= 2.0
    return np.sum(x * x)


@program(np.repeat(SQUARE, 2, axis=1)[:, ::2], compiled=False)
def flattened_columns(y):
    def scale(field):
        lines = np.reshape(field, -1)
        lines[1:3] *= field[0, 0]
        return lines

    return np.sum(scale(y)) + np.sum(y**3)


@program(np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5]]).T)
def contiguous_of_a_transpose(y):
    solid = np.ascontiguousarray(y)
    solid[0] = 2.0
    return np.sum(y * y) + np.sum(solid**3)


@program(0.3, np.array([0.0, -0.651, -2.661, -4.82, 0.0]), wrt=(0,), compiled=False)
def trimmed_then_scaled(s, k):
    inner = np.trim_zeros(k)
    k -= s
    return np.sum(inner * inner)


@program(0.3, FOUR, wrt=(0,))
def windows_of_constants(s, k):
    windows = np.lib.stride_tricks.sliding_window_view(k, 2)
    for i in range(2):
        k[i + 1 :] *= s
    return np.sum(windows[:, 0] * windows[:, 1])


@program(THREE)
def stretched_with_a_number(x):
    own = x * 1.0
    shown = np.broadcast_arrays(own, 1.0)[0]
    own -= own * 0.5
    return np.sum(shown)


@program(THREE, compiled=False)
def written_where_it_is_stretched(x):
    rows = np.meshgrid(x, x)[1]
    for _ in range(2):
        seen = np.broadcast_arrays(rows, 1.0)[0]
        seen += x
    return np.sum(rows)


@program(THREE)
def several_at_least_vectors(x):
    own = x * 1.0
    first, second = np.atleast_1d(own, 2.0)
    first *= second[0] * x
    return np.sum(own)


@program(THREE, 0.4, later=[(THREE, 1.4)], compiled=False)
def window_on_an_array_or_a_number(x, s):
    def chosen(values):
        return values * s if s > -1.0 else 0.75

    b = chosen(x)
    part = b[0:2]
    part *= 2.0
    return np.sum(b)


@program(THREE, 0.4, later=[(THREE, 1.4)], compiled=False)
def window_read_after_the_write(x, s):
    b = x * s if s > -1.0 else 0.75
    part = b[1:]
    for k in range(2):
        b[k] = 5.0 * s
    return np.sum(part * x[1:])


@program(np.array([[1.093, -0.007], [-0.787, -0.517], [0.873, 0.193]]), -1.647)
def sum_of_a_copy_of_a_transpose(y, s):
    y[0] = s
    turned = y.T.copy()
    return np.sum(turned)


def summed_down(w):
    return np.sum(np.cumsum(w, axis=0) ** 2) + np.sum(np.max(w, axis=-1))


@program(
    np.array([-0.857, 0.963, 0.473]),
    3,
    later=[(np.array([-0.857, 0.963, 0.473]), n) for n in (0, 1)],
    compiled=False,
)
def axes_that_a_loop_gives(x, n):
    w = x
    for _ in range(n):
        w = np.atleast_2d(w)
    return summed_down(w)


@program(
    np.array([-0.857, 0.963, 0.473]),
    2,
    later=[(np.array([-0.857, 0.963, 0.473]), n) for n in (0, 1, 3)],
    compiled=False,
)
def axes_that_a_loop_gives_in_turn(x, n):
    w, v = x, x[:2]
    while n > 0:
        w, v = v, np.atleast_3d(w)
        n -= 1
    return summed_down(w)


@program(np.array([-0.8, 0.9, 0.4]), 0, later=[(np.array([-0.8, 0.9, 0.4]), 1)], compiled=False)
def grown_in_place(x, n):
    w = x * 1
    if n == 1:
        w = np.ones((1, 3)) * x
    w += np.ones((1, 3))
    return np.sum(w * w)


@program(np.array([-0.8, 0.9, 0.4]), 1, later=[(np.array([-0.8, 0.9, 0.4]), 0)], compiled=False)
def number_or_array_changed_by_an_array(x, n):
    w = x * 1
    if n == 1:
        w = x.sum()
    w *= np.ones((2, 3))
    return np.sum(w * w)


@program(np.array([-0.8, 0.9, 0.4]), 1, later=[(np.array([-0.8, 0.9, 0.4]), 0)])
def number_or_array_changed_by_a_number(x, n):
    w = x * 1
    if n == 1:
        w = x.sum()
    w *= x[0]
    return np.sum(w * w)


# ----- a number that is stretched can't be written to
def stretched(x, s):
    return np.broadcast_to(s, x.shape)


STRETCHED = np.array([0.4, -0.7, 1.3])


@program(STRETCHED, 0.3, 1, later=[(STRETCHED[:2], 0.3, 0)], compiled=False)
def clipped_into_a_stretched_number(x, s, n):
    a = stretched(x, s)
    if n:
        np.clip(a, -2.0, 2.0, out=a)
    return np.sum(a) + np.sum(x)


@program(STRETCHED, 0.3, 0, later=[(STRETCHED[:2], 0.3, 2)], compiled=False)
def added_to_a_stretched_number(x, s, n):
    a = stretched(x, s)
    for _ in range(n):
        a += x
    return np.sum(a) + np.sum(x)


@program(STRETCHED, 0.3, 0, later=[(STRETCHED[:2], 0.3, 1)], compiled=False)
def a_part_of_a_stretched_number(x, s, n):
    a = stretched(x, s)
    w = a[1:]
    try:
        w[0] = 1.0
    except ValueError:
        w = w * 3.0
        w[0] = x[n]
    return np.sum(a) + np.sum(w)


@program(STRETCHED, 0.3, 0, later=[(STRETCHED[:2], 0.3, 1)])
def made_of_a_stretched_number(x, s, n):
    a = stretched(x, s)
    b, c, total = a * x, a.copy(), 0.0
    b[n] = 1.0
    c[1] += s
    for v in a:
        total += v
    a = a + x
    a[n] = 2.0
    return np.sum(b) + total + np.sum(c * a)


@program(FOUR, 2, later=[(FOUR, 0), (FOUR[:3], 1)])
def a_bound_that_may_be_none(x, n):
    y = x * 1.0
    y[: -n or None] *= 3.0
    v = y[n or None :]
    v[0] = x[0]
    return np.sum(y * y)


@program(FOUR, 3, later=[(FOUR, 0), (FOUR, 1)])
def a_bound_that_a_loop_sets(x, n):
    y = x * 1.0
    k = None
    for i in range(n):
        y[k:] *= 2.0
        if i == 1:
            k = i
    return np.sum(y * y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("unstacked_rows", "numpy", "compiled"): "traced",
    ("unstacked_rows", "numba", "compiled"): "traced",
}
