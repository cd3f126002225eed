"""Lists that are filled with values of another type than their first ones, and names whose rank changes."""

import functools

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])


@program(0.3, 3)
def append_zero(x, n):
    c = []
    for _ in range(n):
        c.append(0)
    for l in range(1, n):
        c[l] = x * l
    return c[1] + c[2] * x


@program(0.3, 3)
def none_times(x, n):
    c = [None] * n
    for l in range(n):
        c[l] = x * l
    return c[1] + c[2] * x


@program(0.3, 4)
def dict_value(x, n):
    d = {"a": 0, "b": 1}
    for l in range(n):
        d["a"] = d["a"] + x * l
        d["b"] = d["a"] * x
    return d["a"] * d["b"]


@program(0.3, 4)
def dict_of_lists(x, n):
    d = {"a": [0] * n, "b": [1] * n}
    for l in range(n):
        d["a"][l] = x * l
        d["b"][l] = d["a"][l] ** 2
    return sum(d["a"]) + sum(d["b"])


@program(0.3, 3)
def nested_lists(x, n):
    g = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            g[i][j] = x * (i + 1) + j
    t = 0
    for i in range(n):
        for j in range(n):
            t = t + g[i][j] * x
    return t


@program(0.3, 3, later=[(0.4, 0), (0.4, 5)], kernels=True)
def number_repeated(x, n):
    c = [x * x, x] * n
    total = 0.0
    for i, v in enumerate(c):
        total += v * (i + 1)
    return total


@program(THREE, 3, later=[(THREE, 1)], kernels=True)
def array_repeated(x, n):
    return np.sum(np.array([x, x * x] * n) * 2.0) + np.sum((n * [x])[-1])


@program(0.3, 3)
def tuples_in_lists(x, n):
    c = [(0, 0)] * n
    for l in range(n):
        c[l] = (x * l, l)
    t = 0
    for a, b in c:
        t += a * b * x
    return t


@program(0.3, 3)
def one_float_among_ints(x, n):
    c = [0] * n
    c[0] = x
    for l in range(1, n):
        c[l] = c[l - 1] * 2
    return c[n - 1]


@program(0.3, 4)
def append_in_branch(x, n):
    c = []
    for l in range(n):
        if l % 2:
            c.append(x * l)
        else:
            c.append(0)
    return c[0] + c[1] * c[3]


@program(0.3, 5)
def fib_list(x, n):
    c = [0, 1]
    for l in range(n):
        c.append(c[-1] + c[-2] * x)
    return c[n]


@program(0.3, 3)
def prev_int(x, n):
    prev = 0
    for i in range(n):
        prev = prev * x + i
    return prev


@program(0.3, 3)
def int_array_state(x, n):
    v = np.arange(4)
    for i in range(n):
        v = v * x + 1
    return np.sum(v)


@program(0.3, 3)
def float32_state(x, n):
    v = np.zeros(4, dtype=np.float32)
    for i in range(n):
        v = v * 0.5 + np.full(4, x)
    return np.sum(v)


@program(0.3, 3)
def complex_state(x, n):
    z = 0.0
    for i in range(n):
        z = z * 0.3 + x * (1j**i)
    return abs(z) ** 2


@program(0.3, 3)
def complex_list(x, n):
    z = [0.0] * n
    for i in range(n):
        z[i] = x * np.exp(1j * i)
    t = 0
    for i in range(n):
        t = t + z[i]
    return abs(t) ** 2


@program(THREE, 0.7, 2)
def page_g_n(x, s, n):
    v = s * s
    t = x * v
    for i in range(n):
        v = x * 2
    return np.sum(t) + np.sum(v)


@program(THREE, 0.7, 0)
def page_g_zero_turns(x, s, n):
    v = s * s
    t = x * v
    for i in range(n):
        v = x * v
    return np.sum(t) + np.sum(v)


@program(THREE, 0.7, 3)
def grows_rank(x, s, n):
    v = s
    for i in range(n):
        v = v * x + 1
    return np.sum(v * v)


@program(THREE, 0.7, 3)
def rank_down(x, s, n):
    v = x
    for i in range(n):
        v = np.sum(v) * s
    return np.sum(v * x)


@program(THREE, 0.7, 3)
def read_by_index(x, s, n):
    v = s
    t = 0.0
    for i in range(n):
        v = x * (i + 1) * s
        t = t + v[i]
    return t + np.sum(v)


@program(THREE, 0.7)
def branch_scalar_array(x, s):
    if s > 0.5:
        v = s * s
    else:
        v = x * s
    return np.sum(v * x)


@program(THREE, 0.3)
def branch_zero_array(x, s):
    v = 0
    if s < 0.5:
        v = x * s
    return np.sum(v * x + v)


@program(0.3, 3)
def branch_int_float(x, n):
    v = 1
    for i in range(n):
        if i > 1:
            v = x * i
        else:
            v = i + 2
    return v * x


@program(0.3, 2)
def branch_int_float2(x, n):
    c = [0] * n
    if x > 0:
        c[0] = x
    return c[0] * x + c[1]


@program(THREE, 0.7)
def branch_real_complex(x, s):
    v = x
    if s > 0.5:
        v = x * (1 + 2j)
    return np.sum(np.abs(v) ** 2)


@program(THREE, 0.7)
def branch_f32_f64(x, s):
    v = np.ones(3, dtype=np.float32)
    if s > 0.5:
        v = x * s
    return np.sum(v * x)


# ----- in helper functions
def fill(c, x):
    for l in range(len(c)):
        c[l] = x * l
    return c


@program(0.3, 4)
def helper_fill(x, n):
    c = fill([0] * n, x)
    return c[1] * c[3]


def scan(step, init, n):
    out = [init]
    for i in range(n):
        out.append(step(out[-1], i))
    return out


@program(0.3, 4)
def helper_scan(x, n):
    c = scan(lambda a, i: a * x + i, 0, n)
    return c[-1] + c[n - 1]


def poly(coefs, x):
    r = 0
    for c in coefs:
        r = r * x + c
    return r


@program(0.3, 4)
def helper_poly(x, n):
    return poly([k for k in range(n)], x)


def table(n):
    return [[0] * n for _ in range(n)]


@program(0.3, 4)
def helper_table(x, n):
    t = table(n)
    for i in range(n):
        t[i][i] = x
        for j in range(i):
            t[i][j] = t[i - 1][j] * x + 1
    s = 0
    for row in t:
        s = s + sum(row)
    return s


def widen(v, x):
    for i in range(2):
        v = v + x
    return v


@program(THREE, 0.7)
def helper_widen(x, s):
    w = widen(s * s, x)
    return np.sum(w * w) + s


def norm_or(v):
    if np.ndim(v) == 0:
        return v * v
    return np.sum(v * v)


@program(THREE, 0.7, 2)
def helper_rank_test(x, s, n):
    v = s
    for i in range(n):
        v = x * i + s
    return norm_or(v) + s


def accumulate(values, total=0):
    for v in values:
        total = total + v
    return total


@program(THREE, 0.7)
def helper_accumulate(x, s):
    return accumulate([x * s, x * 2]).sum() + accumulate([s, s * s])


# ----- in methods, comprehensions and lambdas
class Stack:
    def __init__(self, n):
        self.items = [0] * n
        self.top = 0

    def push(self, i, v):
        self.items[i] = v
        self.top = v

    def total(self):
        return sum(self.items) + self.top


@program(0.3, 3)
def method_stack(x, n):
    s = Stack(n)
    for i in range(n):
        s.push(i, x * (i + 1))
    return s.total() * x


class Mean:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def add(self, v):
        self.sum = self.sum + v
        self.count += 1

    def value(self):
        return self.sum / self.count


@program(THREE, 0.7, 3)
def method_mean(x, s, n):
    m = Mean()
    for i in range(n):
        m.add(x * s * (i + 1))
    return np.sum(m.value() ** 2)


@program(0.3, 4)
def comp_mixed(x, n):
    c = [x * i if i % 2 else i for i in range(n)]
    return c[0] + c[1] * c[3]


@program(0.3, 4)
def comp_nested(x, n):
    c = [[x if i == j else 0 for j in range(n)] for i in range(n)]
    t = 0
    for i in range(n):
        for j in range(n):
            t += c[i][j] * (i + j + 1)
    return t * x


@program(0.3, 4)
def lambda_reduce(x, n):
    return functools.reduce(lambda a, i: a * x + i, range(n), 0)


@program(0.3, 4)
def lambda_setter(x, n):
    c = [1] * n

    def put(i, v):
        c[i] = v

    for i in range(n):
        put(i, x * i)
    return sum(c) * x


@program(0.3, 4)
def sum_with_start(x, n):
    c = [0] * n
    for i in range(n):
        c[i] += x * i
    return sum(c, 0) * x


@program(0.3, 4)
def max_of_list(x, n):
    c = [0] * n
    for i in range(n):
        c[i] = x * i
    return max(c) * x


@program(0.3, 4)
def np_of_list(x, n):
    c = [0] * n
    for i in range(n):
        c[i] = x * i
    return np.sum(np.array(c) ** 2)


@program(0.3, 4)
def swap_in_list(x, n):
    c = [0] * n
    c[n - 1] = x
    for i in range(n - 1):
        c[i], c[i + 1] = c[i + 1] + x, c[i]
    return c[0] + c[1] * c[2]


# ----- in nested loops
@program(0.3, 4)
def dp(x, n):
    best = [0] * (n + 1)
    for i in range(1, n + 1):
        for j in range(i):
            cand = best[j] + x * (i - j)
            if cand > best[i]:
                best[i] = cand
    return best[n] * x


@program(0.3, 3)
def nested_state(x, n):
    a = 0
    b = 1
    for i in range(n):
        for j in range(n):
            a, b = b, a * x + j
    return a * b


@program(THREE, 0.7, 2)
def nested_rank(x, s, n):
    v = s
    t = 0
    for i in range(n):
        for j in range(n):
            v = v * x + j
        t = t + v
    return np.sum(t * v)


@program(0.3, 4)
def while_list(x, n):
    c = [1] * n
    i = 0
    while i < n:
        c[i] = x**i
        i += 1
    return c[2] * c[3] + i


@program(THREE, 3)
def list_of_arrays(x, n):
    c = [0] * n
    for i in range(n):
        c[i] = x * (i + 1)
    t = 0
    for v in c:
        t = t + v
    return np.sum(t * t)


@program(0.3, 5)
def memo(x, n):
    m = [-1] * (n + 1)
    m[0] = 0
    m[1] = x
    for i in range(2, n + 1):
        if m[i] < 0:
            m[i] = m[i - 1] + m[i - 2] * x
    return m[n]


@program(0.3, 4)
def inner_changes_outer_int(x, n):
    k = 1
    for i in range(n):
        if i == 2:
            k = x
    return k * 3


@program(0.3, 4)
def extend_floats(x, n):
    c = [0] * n
    for i in range(2):
        c = c + [x * i]
    c += [x]
    return c[-1] * c[-2] + c[0]


@program(0.3, 4)
def slice_of_list(x, n):
    c = [0] * n
    for i in range(n):
        c[i] = x * i
    d = c[1:]
    return sum(d) * x


@program(THREE, 3)
def int_store_in_float_list(x, n):
    c = [v * 2.0 for v in x]
    for i in range(n):
        c[i] = i
    c[0] = x[0]
    return c[0] * c[1] + c[2]


@program(THREE)
def tolist_store(x):
    c = x.tolist()
    c[0] = c[1] * 2
    return c[0] * c[2]


@program(0.3, 3)
def np_ints(x, n):
    c = list(np.zeros(n, dtype=int))
    for i in range(n):
        c[i] = x * i
    return c[1] * c[2]


@program(0.3, 3)
def bools(x, n):
    c = [False] * n
    for i in range(n):
        c[i] = x * i
    return c[1] * c[2]


@program(0.3, 3)
def copy_then_store(x, n):
    a = [0] * n
    b = a.copy() if n > 2 else list(a)
    for i in range(n):
        b[i] = x * i
    return a[1] + b[1] * b[2]


@program(0.3, 3)
def two_names(x, n):
    a = [0] * n
    b = a
    for i in range(n):
        b[i] = x * i
    return a[1] * b[2]


@program(0.3, 3)
def pop_ints(x, n):
    a = [1] * n
    a.append(x)
    t = 0
    while len(a) > 0:
        t = t * x + a.pop()
    return t


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
