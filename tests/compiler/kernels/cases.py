"""Programs that are hard for kernels: what is written overlaps, aliases, wraps around or is out of range.

``CASES``: each function, the tuples of arguments that it is called with, and what it is differentiated by.
"""

import math

import numpy as np

A = np.array
rng = np.random.default_rng(0)
x5, y5, m34, m43, m33 = (
    rng.normal(size=5),
    rng.normal(size=5),
    rng.normal(size=(3, 4)),
    rng.normal(size=(4, 3)),
    rng.normal(size=(3, 3)),
)
x20 = rng.normal(size=20)
m1212 = rng.normal(size=(12, 15))
CASES = []


def case(*calls, argnums=0):
    def keep(function):
        CASES.append((function, calls, argnums))
        return function

    return keep


B = rng.normal(size=(30, 2))[:, 0]
C = rng.normal(size=(15, 12)).T
R = x20[::-1]


@case((x5,), (x20,), (B,), (R,), (x20[::3],), (A([1.5]),), (np.zeros(0),), (x20.astype("f4"),))
def overlap_copy(x):
    a = x * 2.0
    a[1:] = a[:-1]
    return np.sum(a * x)


@case((x5,), (x20,), (B,), (R,), (A([1.5]),), (np.zeros(0),))
def overlap_add(x):
    a = x * 2.0
    a[1:] += a[:-1]
    a[:-1] -= a[1:]
    return np.sum(a * a)


@case((x5,), (x20,), (B,), (R,), (A([1.5]),))
def overlap_mul(x):
    a = x * 2.0
    a[1:] *= a[:-1]
    a[:-1] /= a[1:] + 10
    return np.sum(a * a)


@case((x5,), (x20,))
def swap(x):
    a = x * 1.0
    a[0], a[1] = a[1], a[0]
    a[[2, 3]] = a[[3, 2]]
    b = a[::-1]
    b[0] = 3 * b[1]
    return np.sum(a * np.arange(len(a)))


@case((x5,), (x20,))
def reversal(x):
    a = x * 1.0
    a[:] = a[::-1]
    a += a[::-1]
    return np.sum(a * np.arange(len(a)) ** 2)


@case((m33,), (m1212[:, :12],))
def transposed(x):
    a = x * 1.0
    a[:] = a.T
    a += a.T
    a *= a.T
    return np.sum(a * a * np.arange(len(a)))


@case((x5, y5), (x20, x20), (x20[:10], x20[5:15]), argnums=(0, 1))
def aliased(x, y):
    a = x * y
    b = x[::-1] * y
    return np.sum(a * b) + x[0] * y[-1]


@case((x5, y5), (x20, x20 + 1), argnums=(0, 1))
def inplace_args(x, y):
    x[1:] += y[:-1]
    y[:2] = x[:2]
    x *= y
    return np.sum(x * y)


@case((m34,), (m1212,), (C,))
def views(x):
    a = x * 1.0
    r = a[1]
    r[0] = 5 * a[0, 0]
    c = a[:, 1]
    c *= 2
    d = a.reshape(-1)
    d[2:5] = d[0:3]
    t = a.T
    t[0] += t[1]
    return np.sum(a**2 * np.arange(a.size).reshape(a.shape))


@case(
    (x5, A([0, 1, 1, 4, -1])),
    (x20, A([0, 0, 0, -20, 19])),
    (x20, A([0, 0, 20])),
    (x20, A([-21])),
    (x20, A([], dtype=int)),
)
def repeated(x, i):
    a = np.zeros_like(x)
    np.add.at(a, i, x[i])
    a[i] += x[i]
    a[i] = x[i] * 2
    return np.sum(a * x)


@case((x5, 2), (x5, -1), (x5, 5), (x5, -6), (x20, 19), (x20, 20))
def index_arg(x, i):
    a = x * 2
    a[i] = x[i] ** 2
    a[i] += 1.0
    return a[i] * np.sum(a)


@case((x20, 2, 9), (x20, -5, 30), (x20, 9, 2), (x20, -30, 4), (x20, 3, -3))
def slice_args(x, i, j):
    a = x * 2
    a[i:j] = x[i:j] ** 2
    a[i:j] *= 2
    return np.sum(a[i:j]) + np.sum(a)


@case((x20,), (x5,), (A([1.0, np.nan, -1.0, np.inf]),), (A([np.nan]),), (A([-0.0, 0.0, 1.0]),))
def extrema(x):
    a = np.maximum(x, 0.3) + np.minimum(x, x[::-1])
    b = np.where(x > 0, x, -2 * x)
    return (
        np.sum(a * b)
        + np.max(x)
        + np.min(x)
        + np.sum(np.where(np.isnan(x), 0.0, x))
        + np.sum(np.clip(x, -1, 1))
    )


@case((A([1.0, np.nan, -1.0, np.inf]),), (A([-0.0, 0.0, 1.0]),), (x20,))
def abs_sign(x):
    return np.sum(np.abs(x) * np.sign(x)) + np.sum(np.sqrt(np.abs(x))) + np.max(np.abs(x))


@case((2.5, 3), (2.5, 0), (2.5, 60), (1.0, 200))
def int_power(x, n):
    k = 3
    for _ in range(n):
        k = k * 7 + 1
    return x * float(k % 1000003)


@case((2.0, 0.0), (2.0, 1.0), (0.0, 0.0), (-1.0, 2.0), argnums=(0, 1))
def python_division(x, y):
    return x / y + x // 1.5 + x % 0.7


@case((A([2.0, 1.0]), 0.0), (A([2.0, 1.0]), 2.0), argnums=(0, 1))
def array_division(x, y):
    return np.sum(x / y)


@case((A([2.0, 1.0]), 0.0), (A([2.0, 1.0]), 2.0), (A([0.0, 1.0]), 2.0), argnums=(0, 1))
def element_division(x, y):
    s = 0.0
    for i in range(2):
        s += y / x[i] + x[i] / y
    return s


@case((-1.0,), (0.0,), (2.0,), (800.0,), (np.inf,), (np.nan,))
def domain(x):
    return math.log(x) + math.sqrt(x)


@case((-1.0,), (0.0,), (2.0,), (800.0,), (np.inf,), (np.nan,))
def domain2(x):
    s = 0.0
    for i in range(3):
        s += math.exp(x) * math.sin(x)
    return s


@case((-1.0,), (0.0,), (2.0,), (-2.5,), (1e200,))
def power_domain(x):
    s = 0.0
    for i in range(3):
        s += x**0.5 + x**2
        s += x**i + x**-2
    return s


@case((3.0,), (100.0,), (0.5,))
def while_break(x):
    s = x
    n = 0
    while s > 1.0:
        s = s * 0.5 + 0.1
        n += 1
        if n > 10:
            break
    return s * n


@case((x20,), (x5,), (np.zeros(0),))
def loop_break(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            break
        if x[i] < -1.0:
            continue
        s += x[i] ** 2
    return s + 1.0 * i if len(x) else s


@case((x20,), (x5,), (np.zeros(0),), (A([2.0]),))
def loop_return(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if s > 1.0:
            return s * x[i]
    return s


@case((m34, m43), (m34, m34), (m34, m33), (m1212, m1212.T), argnums=(0, 1))
def matmul(a, b):
    return np.sum(a @ b) + np.sum((a * 1.5) @ (b * b))


@case(
    (m34, x5[:4]),
    (m34, x5),
    (m34, x5[:1]),
    (m34, m34[:1]),
    (m34, m34[:, :1]),
    (m1212, x20[:15]),
    (m1212, x20),
    argnums=(0, 1),
)
def broadcasting(a, b):
    return np.sum(a * b + np.exp(b) * a) + np.sum(b)


@case((x5, y5), (x5, x20), (x20, x20), (x5, A([2.0])), (A([2.0]), x5), argnums=(0, 1))
def mismatched(a, b):
    return np.sum(a * b) + np.dot(a, a)


@case((x5, y5), (x5, x20), (x20, x20 + 1), argnums=(0, 1))
def mismatched_dot(a, b):
    return np.dot(a, b)


@case(
    (x5, x5[:3]),
    (x5, A([1.0])),
    (x20, x20[:18]),
    (x20, x20[:17]),
    (x20, A([1.0])),
    (A([1.0, 2.0]), np.zeros(0)),
    argnums=(0, 1),
)
def mismatched_store(a, b):
    c = a * 2
    c[1:-1] = b
    c[:-2] += b
    return np.sum(c * c)


@case(
    (m34.astype("f4"), 2.0),
    (m1212.astype("f4"), 0.1),
    (x20.astype("f4"), 1 / 3.0),
    (x20.astype("f4"), np.float32(1 / 3)),
    (x20.astype("f4"), np.float64(1 / 3)),
)
def single(a, s):
    b = np.exp(a * s) + a / s
    t = 0.0
    for i in range(a.shape[0]):
        t = t + s * np.sum(b[i])
    return t + np.sum(b) * s + np.mean(a)


@case((x20.astype("f4"),), (x5.astype("f4"),))
def single_loop(a):
    t = a[0]
    for i in range(1, len(a)):
        t = t * 0.5 + a[i] * a[i - 1]
    return t


@case((x20 + 1j * x20[::-1],), (x5 + 1j * y5,), ((x5 + 1j * y5).astype("c8"),))
def complexes(z):
    w = z * z.conj() + np.exp(z) * 2j
    return np.sum(np.abs(w)) + np.sum(w.real * z.imag) + np.real(np.sum(z) * z[0])


@case(
    (x20, np.arange(20)),
    (x5, np.arange(5)),
    (x5, A([True, False, True, False, True])),
    (x5, np.arange(5, dtype="i4")),
    (x5, np.arange(5, dtype="u1")),
    (x5, np.arange(5, dtype="f4")),
)
def mixed(x, k):
    return np.sum(x * k) + np.sum(x**k) + np.sum(k) + np.sum((k + 1) / (k + 2) * x)


@case((x20, A([200, 100], dtype="u1")), (x20, A([2**62, 2**62])), (x20, A([2**31 - 1, 5], dtype="i4")))
def integer_wrap(x, k):
    return (
        np.sum(x) * np.sum(k + k) + k[0] * x[0] + np.sum(x) * float(k[0] + k[0]) + float(np.sum(k * k)) * x[1]
    )


@case((x20, 2**62), (x20, 2**31), (x20, 5), (x20, -(2**62)))
def integer_big(x, k):
    s = 0.0
    for i in range(3):
        s += x[i] * (k + k + k) + float(k * k) * x[0]
    return s


@case((A(2.0),), (2.0,), (np.float64(2.0),), (np.float32(2.0),))
def zero_d(x):
    a = np.ones(3) * x
    b = np.exp(x)
    return np.sum(a * b) * x


@case((m34,), (m1212,), (np.zeros((0, 3)),), (np.zeros((3, 0)),), (np.ones((1, 1)),))
def reductions(x):
    return (
        np.sum(np.sum(x, axis=0) ** 2)
        + np.sum(np.sum(x, axis=1, keepdims=True) * x)
        + np.sum(x.mean(axis=1))
        + np.sum(np.prod(x, axis=0))
    )


@case((m34,), (m1212,), (np.zeros((0, 3)),), (np.zeros((3, 0)),), (np.ones((1, 1)),))
def reductions_max(x):
    return np.sum(np.max(x, axis=0) ** 2) + np.sum(x - np.min(x, axis=1, keepdims=True))


@case((A([1.0, 1.0, 0.0, 1.0]),), (np.zeros(3),))
def ties(x):
    return np.max(x) * 3 + np.min(x) * 2 + np.sum(np.maximum(x, 1.0)) + np.sum(np.abs(x))


@case((m34, 1), (m34, -1), (m34, 3), (m1212, 11), (m1212, 12))
def row_loop(x, k):
    s = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        s = s * 0.5 + np.tanh(x[i] * s + x[k])
    return np.sum(s)


@case((x20,), (x5,), (A([1.0]),))
def stencil(x):
    u = x * 1.0
    for t in range(4):
        v = u * 1.0
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u**2)


@case((x20,), (x5,), (A([1.0]),), (A([1.0, 2.0]),))
def gauss_seidel(x):
    u = x * 1.0
    for t in range(3):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
        u[0] = u[-1]
    return np.sum(u**2)


@case((x20,), (x5,))
def list_growing(x):
    out = []
    for i in range(len(x)):
        if x[i] > 0:
            out.append(np.sin(x[i]))
    return sum(out) * 1.0 + x[0]


@case((x20,), (x5,))
def masks(x):
    a = x * 1.0
    a[x > 0] = 0.5
    a[a < 0] *= 2
    return np.sum(a[a > 0.1] * 3) + np.sum(a * x)


@case((x20, True), (x20, False), (x5, True))
def branches(x, flag):
    if flag:
        a = x * 2
    else:
        a = x[::-1]
    if x[0] > 0:
        b = a
    else:
        b = a * 3
        b[0] = 1.0
    if np.sum(x) > 0:
        a = a * 1.0
        a[1] = 7.0
    return np.sum(a * b)


@case((x20,), (x5,))
def carried_alias(x):
    a = x * 1.0
    b = x * 2.0
    for i in range(3):
        a, b = b, a + b[::-1]
        b[i] = 2 * a[i]
    return np.sum(a * b)


@case((x20,), (x5,))
def carried_old(x):
    a = x * 1.0
    old = a
    for i in range(3):
        old = a
        a = a.copy()
        a[i] += old[i + 1]
    return np.sum(a * old)


@case((m34,), (m1212,))
def axis_slices(x):
    return (
        np.sum(x[::2, 1:] * x[::2, :-1])
        + np.sum(x[::-1][:, ::-1] * x)
        + np.sum(x[-2:, -3:])
        + np.sum(x[..., 0] * x[:, None, -1])
    )


@case((x20,), (x5,))
def python_ints(x):
    n = len(x)
    s = 0.0
    for i in range(n - 1, -1, -1):
        s += x[i] * x[n - 1 - i] * x[(i * 7) % n] * x[-i]
    return s


@case((x20, 1), (x20, 2), (x20, 3), (x20, -1), (x20, 0))
def steps(x, k):
    s = 0.0
    for i in range(0, len(x), k):
        s += x[i]
    return s + np.sum(x[::k])


@case((x5,), (x20,))
def min_max_python(x):
    s = 0.0
    for i in range(len(x)):
        s += max(x[i], 0.0) * min(x[i], 1.0, 2.0) + abs(x[i]) + round(x[i]) + int(x[i] * 10)
    return s


@case((x5,), (x20,))
def extrema_of_several(x):
    s = max(x[0], x[1], x[2]) * min(x[0], x[1], x[2], 0.25)
    for i in range(2, x.shape[0]):
        s = max(s * 0.5 + x[i], x[i - 1] - s, x[i - 2], -s)
    return s


@case((x5,), (A([np.nan, 1.0, 2.0]),), (A([1.0, np.nan, 2.0]),), (A([1.0, 1.0, 1.0]),))
def several_nan(x):
    return max(x[0], x[1], x[2]) + 2.0 * min(x[0], x[1], x[2])


@case((x5,), (x20,), (A([1.5]),), (np.zeros(0),))
def ranges_with_steps(x):
    n = x.shape[0]
    down, up = np.arange(n - 1, -1, -1), np.arange(0, 3 * n, 3)
    s = np.sum(x * down) + np.sum(x**2 * up) + np.sum(np.arange(5, 5, 2))
    for i in range(n):
        s += np.sum(np.arange(i, -2, -2)) * x[i] + np.sum(np.arange(-i, i, 3)) * x[i] ** 2
    return s


@case((A([np.nan, 1.0]),), (A([1.0, np.nan]),), (x20,))
def nan_min_max(x):
    s = 0.0
    for i in range(len(x)):
        s += max(x[i], 0.0) + min(0.0, x[i])
    return s + max(x[0], x[1])


@case(
    (x20, x20),
    (x5, x5),
    (A([0.0, 1.0, 2.0]), A([1.0, 0.0, -1.0])),
    (A([0.0, 0.0]), A([0.0, -1.0])),
    (A([-1.0, -2.0]), A([0.5, 2.0])),
    argnums=(0, 1),
)
def powers(x, p):
    return np.sum(x**2 + x**3 + x**4 + x**0.5 + x**-1.0) + np.sum(np.abs(x) ** p)


@case((A([0.0, 1.0]), A([1.0, 0.0])), argnums=(0, 1))
def power_kinks(x, p):
    return np.sum(x**p)


@case((m34,), (m1212,))
def stats(x):
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    s = e / e.sum(axis=1, keepdims=True)
    return np.sum(z * s) + np.var(x) + np.sum(np.log(s))


@case((x20,), (x5,))
def copies(x):
    a = x * 1.0
    b = a.copy()
    a[0] = 5.0
    c = a
    c[1] = 6.0
    d = np.array(a)
    a += 1
    return np.sum(a * b * d) + b[0] * c[1]


@case((x20,), (x5,))
def lazy_views(x):
    a = x * 1.0
    v = a[1:]
    w = v * 2  # a formula of v
    a[1] = 100.0  # after w
    u = v[::-1]
    a[2] = w[0]
    return np.sum(w) + np.sum(u * v)


@case((m34, x5[:3]), (m1212, x20[:12]), (m34, x5), argnums=(0, 1))
def outer_products(m, v):
    return np.sum(np.outer(v, v) * m[:, :1]) + np.sum(v @ m) + np.sum(m.T @ v) + np.dot(v, v)


@case(
    (x20, A([3, 1, 2])),
    (x5, A([0, 0, -1])),
    (x5, A([9])),
    (m34, A([0, 2])),
    (m34, A([0, 3])),
    (m1212, A([[0, 3], [11, -12]])),
)
def gathers(x, i):
    return np.sum(x[i] ** 2) + np.sum(np.take(x, i, axis=0))


@case((m34, A([0, 2, 1]), A([0, 1, 3])), (m34, A([0, 2, 1]), A([0, 1, 4])), (m34, A([0, 2, 1]), A([2])))
def gathers2(x, i, j):
    return np.sum(x[i, j]) + np.sum(x[:, j]) + np.sum(x[i][:, j])


# ----- where rounding is what is computed
SMALL = np.full(20, 1e-12)


@case((x20,))
def compensated_sum(x):
    s = 0.0
    c = 0.0
    for i in range(len(x)):
        y = x[i] * 1e5 ** (i % 3) - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


@case((SMALL,))
def logarithm_near_one(x):
    y = 1.0 + x
    return np.sum(np.log(y) * x / (y - 1.0))


@case((x20,))
def rounding_errors(x):
    a = x[:-1]
    b = x[1:]
    s = a + b
    bb = s - a
    return np.sum((a - (s - bb)) + (b - bb)) * 1e17


@case((x20 * 10,))
def rounded(x):
    r = (x + 6755399441055744.0) - 6755399441055744.0
    return np.sum((x - r) ** 2)


# ----- lengths that depend on the data
@case((A([-1.0]), A([2.0])), (A([1.0]), A([2.0])), argnums=(0, 1))
def chosen_of_one(x, w):
    y = x[x > 0]
    return np.sum(y * w)


@case((x20, A([2.0])), (x5, A([2.0])), (np.zeros(3), A([2.0])), argnums=(0, 1))
def chosen(x, w):
    y = x[x > 0]
    z = x[np.nonzero(x)]
    return np.sum(y * w) + np.sum(np.sqrt(np.abs(z))) + np.sum(np.unique(np.floor(x)) * w)


# ----- memory that a kernel sees under two names
@case((m33,), (m1212[:, :12],))
def two_names(x):
    a = np.linalg.inv(x @ x.T + np.eye(len(x)))
    b = a.T
    c = a @ x
    a -= b
    a += c @ c.T
    return np.sum(a * x) + np.sum(np.linalg.solve(a + 10 * np.eye(len(x)), x))


@case((x5, True), (x5, False), (x20, True))
def branches_of_views(x, flag):
    a = x[::-1]
    if x[0] > 0:
        b = a
    else:
        b = a * 3
        b[0] = 1.0
    if flag:
        a = a * 1.0
        a[1] = 7.0
    return np.sum(a * b)


@case((1.5, x5), (-1.5, x20), argnums=(0, 1))
def early_return(s, x):
    k = 0
    while k < 3:
        for j in range(3):
            if x[j] * s > 1.0:
                return np.sum(x[j:] * s)
            s = s + np.sum(np.array([x[i] * s for i in range(2)]))
        k += 1
    return s * x[0]


@case((np.concatenate([x20, x20, x20]), 5), (np.concatenate([x20, x5]), 3), argnums=0)
def carried_state(w, n):
    """A state in two buffers, beside matrices that are parts of one vector and show the same numbers."""
    first, second = w[: n * n].reshape(n, n), w[2 : 2 + n * n].reshape(n, n)
    h = w[:n] * 1.0
    for i in range(3):
        h = np.tanh(first @ h)
        h *= 0.5
        h[i] += second[0] @ h
    return np.sum(h)


@case((x20,), (x5,), (np.concatenate([x20, x20]),))
def swapped_parts(x):
    a = np.concatenate((x, x))
    p, q = a[:-1], a[1:]
    for _ in range(3):
        p, q = q, p
        p += 0.5 * q
    return np.sum(a * np.arange(len(a)))
