"""Arrays in lists, dicts, objects, names and closures at once: written against all of it together."""

import numpy as np

from .harness import program

X = np.array([0.3, 1.2, -0.7, 0.9])


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 4)])
def one_array_twice_in_a_list(x, n):
    a, b = x.copy(), x * 2
    parts = [a, b, a]
    for k in range(n):
        parts[k % 3][k % 2] *= 1.0 + 0.1 * k
    return np.sum(a) + np.sum(b * b) + parts[2][0]


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def history_of_an_array_that_is_written(x, n):
    hist = []
    u = x.copy()
    for k in range(n):
        u = u * 0.9 if k % 2 else u
        hist.append(u)
        u[0] += 1.0
    return sum(np.sum(h * h) for h in hist) + u[0]


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def the_last_of_a_list_or_its_copy(x, n):
    hist = [x.copy()]
    for k in range(n):
        last = hist[-1]
        if k % 2:
            last = last.copy()
        last[k % 4] += x[0]
        hist.append(last)
    hist[0][1] = 7.0 * x[1]
    return sum(np.sum(h * (i + 1)) for i, h in enumerate(hist))


@program(X, 2, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def best_row_is_halved(x, n):
    rows = [x[i : i + 1] * 1.0 for i in range(4)]
    best = rows[0]
    for i in range(n):
        if rows[i % 4][0] > best[0]:
            best = rows[i % 4]
        best[0] *= 0.5
    return sum(r[0] ** 2 for r in rows) + best[0]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def buffers_in_a_list_are_reversed(x, n):
    buf = [x.copy(), x * 0.0]
    for i in range(n):
        buf[1][:] = buf[0] * 1.1
        buf.reverse()
        buf[0][i % 4] += 0.5
    return np.sum(buf[0] * x) + buf[1][0]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def queue_of_one_array(x, n):
    q = [x.copy()]
    seen = q[0]
    for i in range(n):
        v = q.pop(0)
        v += 1
        q.append(v if i % 2 else v * 2)
    seen[0] = seen[0] * x[3]
    return np.sum(q[-1]) + np.sum(seen * seen)


@program(X, 2, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 5)])
def items_of_a_dict_get_other_keys(x, n):
    d = {i: x * i for i in range(3)}
    for i in range(n):
        w = d[i % 3]
        w[i % 4] -= x[1]
        d[(i + 1) % 3] = w
    return sum(np.sum(v * v) for v in d.values())


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def rows_of_a_matrix_in_a_list(x, n):
    a = np.zeros((2, 4))
    rows = list(a)
    for i in range(n):
        rows[i % 2][i % 4] += x[i % 4]
    return np.sum(a * a) + np.sum(rows[0] * x)


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def a_new_array_twice_in_each_pass(x, n):
    out = []
    for i in range(n):
        t = np.zeros(2)
        out += [t, t]
        t[0] = x[i % 4]
        out[-1][1] = x[0] * i
    return sum(o[0] * o[1] for o in out) + x[0]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def row_of_numbers_under_a_name(x, n):
    m = [[0.0] * 3 for _ in range(2)]
    r = m[0]
    for i in range(n):
        m[i % 2][i % 3] += x[i % 4]
        r[0] += m[1][1]
        if i == 2:
            r = m[1]
    return sum(sum(v * v for v in row) for row in m) + r[0]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def box_that_sums_in_its_class(x, n):
    class Box:
        total = 0.0

        def __init__(self, v):
            self.v = v

        def add(self, w):
            self.v = self.v + w
            Box.total = Box.total + np.sum(w)
            return self

    b = Box(x)
    c = b
    for i in range(n):
        b.add(x * i)
    c.v[0] = 3.0
    return np.sum(b.v * x) + Box.total


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def class_with_operators(x, n):
    class P:
        __slots__ = ("a", "b")

        def __init__(self, a, b=None):
            self.a, self.b = a, [] if b is None else b

        def __add__(self, o):
            return P(self.a + o.a, self.b + o.b)

        def __len__(self):
            return len(self.b)

        def __getitem__(self, i):
            return self.b[i]

        def __iter__(self):
            return iter(self.b)

    p = P(x[0], [x[1]])
    for i in range(n):
        p = p + P(x[i % 4] * i, [x[2]])
    return p.a * len(p) + sum(v for v in p) + p[0]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def class_with_a_base(x, n):
    class Base:
        k = 2.0

        def f(self, v):
            return v * self.k

    class Sub(Base):
        k = n + 1.0

        def f(self, v):
            return super().f(v) + np.sin(v)

        @property
        def g(self):
            return self.k * x[0]

        @staticmethod
        def h(v):
            return v * v

        @classmethod
        def i(cls, v):
            return v * cls.k

    s = Sub()
    return s.f(x[1]) + s.g + Sub.h(x[2]) + s.i(x[3])


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def context_manager_that_appends(x, n):
    class Ctx:
        def __init__(self, out):
            self.out = out

        def __enter__(self):
            self.out.append(x[0])
            return self

        def __exit__(self, *e):
            self.out.append(self.out[0] * 2)
            return False

    out = []
    for i in range(n):
        with Ctx(out) as c:
            if i == 1:
                continue
            c.out[0] = c.out[0] * x[1]
    return sum(out) + x[2]


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def number_or_array_with_another_name(x, n):
    s = 0.0
    for i in range(n):
        t = s
        s += x * i if i % 2 else x[0]
        t = t * 2
    return np.sum(s * x) + np.sum(t if n else 0.0)


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def number_or_array_in_a_list(x, n):
    s = x[0]
    keep = []
    for i in range(n):
        keep.append(s)
        s *= x if i else 2.0
    return np.sum(s) + sum(np.sum(k) for k in keep)


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def powers_with_exponents_that_fall(x, n):
    tot = 0.0
    for i in range(n + 2):
        tot = tot + x[0] * 2 ** (3 - i) + (i + 1) ** (n - 3) * x[1]
    return tot


@program(X, 2, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def list_that_grows_under_zip(x, n):
    q = [x[0], x[1]]
    tot = 0.0
    for v, w in zip(q, range(n)):
        tot = tot + v * w
        if len(q) < 4:
            q.append(v * x[2])
    return tot + sum(q)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 6)])
def pool_that_is_permuted(x, n):
    pool = []
    for i in range(n):
        pool.append(np.zeros(2) + x[i % 4])
    ref = pool[0] if n else x[:2].copy()
    for i in range(n):
        j = (i * 7) % n
        pool[i], pool[j] = pool[j], pool[i]
        pool[i] *= 1.1
    ref[0] += 5.0
    return sum(np.sum(p * (k + 1)) for k, p in enumerate(pool)) + ref[0] * ref[1]


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 6)])
def windows_and_their_arrays(x, n):
    layers = [x * (k + 1) for k in range(3)]
    views = [l[1:3] for l in layers]
    for i in range(n):
        views[i % 3][0] += layers[(i + 1) % 3][2]
        layers[i % 3] *= 0.9
    return sum(np.sum(v) for v in views) + np.sum(layers[0] * layers[2])


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 6)])
def best_array_or_none(x, n):
    best, bestv, hist = None, -1e9, []
    u = x.copy()
    for i in range(n):
        u = u * 0.8 + 0.1 * x[i % 4]
        hist.append(u)
        if np.sum(u) > bestv:
            best, bestv = u, np.sum(u)
    if best is not None:
        best[0] = 10.0 * x[0]
    return sum(np.sum(h * h) for h in hist) + bestv * 0.1


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 6)])
def weights_and_gradients_of_a_net(x, n):
    class Net:
        def __init__(self):
            self.w = [x[:2] * 1.0, x[2:] * 1.0]
            self.g = [np.zeros(2) for _ in self.w]

        def back(self):
            for g, w in zip(self.g, self.w):
                g += w * w

        def step(self, lr):
            for w, g in zip(self.w, self.g):
                w -= lr * g
                g[:] = 0

    net = Net()
    for _ in range(n):
        net.back()
        net.step(0.1)
    return sum(np.sum(w) for w in net.w)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 0), (X + 1, 6)])
def items_under_a_key_that_alternates(x, n):
    d = {"a": x.copy(), "b": x * 2}
    cur = "a"
    for i in range(n):
        v = d[cur]
        cur = "b" if cur == "a" else "a"
        d[cur] = d[cur] + v
        v[0] = 1.0
    return np.sum(d["a"] * d["b"])


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 6)])
def list_times_two(x, n):
    rows = [x * 1.0 for _ in range(2)]
    same = rows * 2
    for i in range(n):
        same[i % 4][i % 4] += x[(i + 1) % 4]
    rows.append(same[1])
    rows[2][0] = 0.0
    return sum(np.sum(r * r) for r in rows) + np.sum(same[3])


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 6)])
def helper_that_gives_back_its_buffer(x, n):
    def bump(buf, k):
        buf[k % len(buf)] += x[k % 4]
        return buf

    bufs = [np.zeros(3), np.ones(3)]
    last = bufs[1]
    for i in range(n):
        if i % 3 == 1:
            bufs.insert(0, bufs.pop())
        last = bump(bufs[0], i)
    last *= x[0]
    return np.sum(bufs[0]) + 2 * np.sum(bufs[1] * bufs[1])


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 6)])
def cells_of_a_grid(x, n):
    grid = [[x[i] * x[j] * np.ones(2) for j in range(2)] for i in range(2)]
    for i in range(n):
        row = grid[i % 2]
        cell = row[(i + 1) % 2]
        cell += x[i % 4]
        if i % 2:
            row[0] = cell
    return sum(np.sum(c * c) for r in grid for c in r)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 6)])
def array_that_is_sometimes_copied(x, n):
    a = x.copy()
    b = a
    c = [a]
    for i in range(n):
        if i % 2:
            a = a.copy()
        a += 1.0
        c.append(a) if a[0] > 1 else None
    b *= 2.0
    return np.sum(a) + np.sum(b * b) + sum(np.sum(v * (k + 1)) for k, v in enumerate(c))


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def double_buffer_with_a_history(x, n):
    u, un = x.copy(), np.zeros(4)
    hist = []
    for k in range(n):
        un[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, un = un, u
        if k % 2 == 0:
            hist.append(u)
    return sum(np.sum(h**2) for h in hist) + np.sum(u * un)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def rows_and_a_column(x, n):
    m = np.outer(x, x)
    rows = [m[i] for i in range(4)]
    r = rows[0]
    for k in range(n):
        r = rows[(k * 3) % 4]
        r += rows[(k + 1) % 4] * 0.1
        m[:, 0] *= 0.5
    return np.sum(r) + np.sum(m * m)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def halves_of_an_array(x, n):
    parts = np.split(x * 1.0, 2)
    for k in range(n):
        p = parts[k % 2]
        q = parts[(k + 1) % 2] if x[0] > 0.2 else p
        p += 0.3 * q
        q[0] *= 1.5
    return np.sum(np.concatenate(parts) * x)


@program(X, 3, wrt=(0,), later=[(X * 1.5, 1), (X + 1, 5)])
def closure_that_appends_and_calls_itself(x, n):
    acc = []

    def visit(v, d):
        acc.append(v)
        if d:
            v[0] += d * x[1]
            visit(v if d % 2 else v.copy(), d - 1)

    visit(x.copy(), 2)
    return sum(np.sum(v * v) for v in acc) + n


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("class_with_operators", "numpy", "compiled"): "traced",
    ("class_with_operators", "numba", "compiled"): "traced",
    ("number_or_array_with_another_name", "numpy", "compiled"): "traced",
    ("number_or_array_with_another_name", "numba", "compiled"): "traced",
    ("number_or_array_in_a_list", "numpy", "compiled"): "traced",
    ("number_or_array_in_a_list", "numba", "compiled"): "traced",
    ("helper_that_gives_back_its_buffer", "numpy", "compiled"): "traced",
    ("helper_that_gives_back_its_buffer", "numba", "compiled"): "traced",
}
