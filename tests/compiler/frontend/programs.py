"""Programs for test_programs.py: mutation, views, aliases, control flow, containers, classes."""

import functools
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import scipy  # whose parts are loaded where they are named

P = namedtuple("P", "a b")


@dataclass
class S:
    pos: np.ndarray
    k: float = 2.0

    def energy(self):
        return self.k * (self.pos**2).sum()

    @property
    def first(self):
        return self.pos[0]


class Op:
    def __init__(self, w):
        self.w = w

    def __call__(self, v):
        self.w = self.w * 0.5
        return self.w * v


def p1(x):
    y = x.copy()
    v = y[1:]
    for i in range(3):
        v[i % 2] += y[i] * v[0]
    return (y**2).sum() + v.sum()


def rebound(x):
    a = x * 1.0
    b = a
    if x[0] > 0:
        b = a * 2
    b = b + 1
    a[0] = 5 * x[1]
    return (a * b).sum()


def p3(x):
    u = x.copy()
    un = np.zeros(4)
    for n in range(3):
        un[:] = u
        u[1:-1] = un[1:-1] * un[:-2] + un[2:]
        u, un = un, u
    return (u * un).sum()


def p4(x):
    L = []
    for i in range(4):
        L.append(x[i] * i)
    s = 0.0
    while len(L) > 1:
        s += L.pop() * L[-1]
    return s


def p5(x):
    d = {"a": x.copy(), "b": x * 2}
    for k in d:
        d[k][0] = d["a"][1] * 3
    return (d["a"] * d["b"]).sum()


def p6(x):
    m = np.outer(x, x)
    r = m[1]
    m[1, 2] = 7.0 * x[0]
    r[0] = r[2] * 2
    m += m.T
    return (m * m).sum()


def p7(x):
    s = 0.0
    for i in range(4):
        if x[i] < 0:
            continue
        for j in range(4):
            if j == i:
                continue
            if x[j] > 1.5:
                break
            s += x[i] * x[j]
        else:
            s += 10 * x[i]
    return s


def p8(x):
    def step(y, k):
        y[k] = y[k - 1] * y[k]
        return y[k]

    z = x + 1.0
    t = 0.0
    for k in range(1, 4):
        t += step(z, k)
    return t + z.sum()


def p9(x):
    best = None
    for v in x:
        if best is None or v * v > best:
            best = v * v
    return best * x[0]


def p10(x):
    A = np.zeros((4, 4))
    A[np.arange(4), np.arange(4)] = x
    A[0] += A[1:].sum(axis=0)
    A[:, 1] *= x
    return np.linalg.norm(A, "fro") ** 2


def p11(x):
    y = x[::-1]
    z = y.copy()
    z[y > 0.5] *= 2.0
    z[[0, 1, 0]] += 1.0 * x[:3]
    return (z**3).sum()


def p12(x):
    i = 0
    acc = 1.0
    while True:
        acc = acc * (1 + 0.1 * x[i])
        i += 1
        if i >= 4:
            break
    return acc


def p13(x):
    s = 0
    for a, b in zip(x[:-1], x[1:]):
        s = s + a * b if a > b else s - a
    return s


def p14(x):
    y = np.empty_like(x)
    np.cumsum(x, out=y)
    np.multiply(y, x, out=y)
    y2 = y.reshape(2, 2)
    y2[0, :] = y2[1, :]
    return (y * np.arange(4.0)).sum()


def p15(x):
    total = 0.0
    state = (x[0], x[1])
    for k in range(5):
        a, b = state
        state = (b, 0.5 * a * b + 0.1 * k)
        total += state[0]
    return total + state[1]


def p16(x):
    f = [lambda t, i=i: t * x[i] for i in range(3)]
    return sum(g(i + 1.0) for i, g in enumerate(f))


def p17(x):
    M = x.reshape(2, 2).copy()
    for row in M:
        row *= row.sum()
    return (M**2).sum()


def p18(x):
    y = x.copy()
    y[1:] += y[:-1]
    y[:-1] -= y[1:] * 0.5
    return (y**2).sum()


def p19(x):
    c = np.zeros(3)
    np.add.at(c, [0, 2, 0, 1], x)
    return (c**2).sum()


def p20(x):
    y = x.copy()

    def g():
        y[0] = y[1] ** 2

    g()
    g()
    return y.sum()


def p21(x):
    n = 0
    y = x.copy()
    while np.abs(y).max() > 0.5 and n < 20:
        y = y * 0.7
        n += 1
    return (y * n).sum()


def p22(x):
    rows = [x * k for k in range(1, 4)]
    rows[0][0] = rows[1][1]
    A = np.array(rows)
    A[1] = rows[2]
    return (A**2).sum()


def p23(x):
    s = 0.0
    for i, v in enumerate(x):
        if i == 0:
            prev = v
        else:
            s += v * prev
            prev = v
    return s


def p24(x):
    y = x * 2
    z = y
    z += x
    w = y - 0
    y *= 3
    return (w * z).sum()


def p25(x):
    y = np.ones((3, 4))
    y.T[1:3] = x[:3]
    y[y > 1.0] = 0.5
    return (y * x).sum()


def p26(x):
    s = x
    for _ in range(2):
        s = np.sin(s) + 0 * x.sum()
    t = 0.0
    for _ in range(3):
        t = t + s * x
    return t.sum()


def p27(x):
    h = np.zeros((5, 4))
    h[0] = x
    for t in range(1, 5):
        for j in range(4):
            h[t, j] = h[t - 1, (j + 1) % 4] * 0.5 + np.tanh(h[t - 1, j])
            if h[t, j] > 0.9:
                h[t, j] = 0.9
    return h[-1].sum()


def p28(x):
    a, *rest = x
    return a * sum(rest) + max(rest) * min(x)


def p29(x):
    y = x.copy()
    for i in range(4):
        y[i], y[3 - i] = y[3 - i] * 2, y[i]
    return (y * np.array([1.0, 2.0, 3.0, 4.0])).sum()


def p30(x):
    q = x.copy()
    w = q[1:3]
    q = q * 2
    w[0] = 9.0
    return (q * x).sum() + w.sum()


def q1(x):
    s = S(x * 2)
    s.k = x[1]
    return s.energy() * s.first


def q2(x):
    o = Op(x[0])
    t = 0.0
    for v in x:
        t += o(v)
    return t


def q3(x):
    q = P(x[:2], x[2:])
    q = q._replace(b=q.b * 2)
    return (q.a * q.b).sum()


def q4(x):
    return (
        math.exp(x[0]) * math.sin(x[1])
        + math.sqrt(abs(x[2]))
        + math.log1p(x[3] ** 2)
        + math.hypot(x[0], x[1])
    )


def q5(x):
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), -x).sum() + np.where(x > 0, np.sqrt(x), 0).sum()


def q6(x):
    return np.sort(x)[1] * np.median(x) + np.percentile(x, 30) + np.argmax(x) * x[0]


def q7(x):
    return np.einsum("i,j,ij->", x, x, np.outer(x, np.cos(x))) + np.trace(np.outer(x, x))


def q8(x):
    A = np.outer(x, x) + 3 * np.eye(4)
    return (
        np.linalg.det(A)
        + np.linalg.inv(A).sum()
        + np.linalg.slogdet(A)[1]
        + np.linalg.eigvalsh(A)[2]
        + np.linalg.svd(A, compute_uv=False)[0]
    )


def q9(x):
    w, v = np.linalg.eigh(np.outer(x, x) + np.diag([1.0, 2.0, 3.0, 4.0]))
    return (w * np.abs(v[0])).sum()


def q10(x):
    return (
        np.abs(np.fft.fft(x))[1] + np.real(np.fft.ifft(np.fft.fft(x) * 1j)).sum() + np.angle(x[0] + 1j * x[1])
    )


def q11(x, n=3):
    if n == 0:
        return 1.0
    return x[n] * q11(x, n - 1) + x[0]


def q12(x):
    r = 1.0
    for i, j in np.ndindex(2, 2):
        r = r + x[2 * i + j] ** 2 * (i + 1)
    return r


def q13(x):
    return sum(a * b for a, b in zip(x, x[::-1]) if a > b) + max(v * 2 for v in x) + min([x[0], x[1], 0.1])


def q14(x):
    y = x.astype(np.float32) * 2
    return float((y.astype(float) * x).sum()) if False else (x * x).sum()


def q15(x):
    if (n := len(x)) > 3 and 0 < x[0] < 1 < x[2]:
        return n * x[0] * x[2]
    return x.sum()


def q16(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v**2)
        else:
            out.extend([v, v * 2])
    return np.array(out).sum() * len(out)


def q17(x):
    return (
        np.interp(x, [-1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 4.0, 9.0]).sum()
        + np.polyval(x, 0.7)
        + np.trapezoid(x**2, dx=0.1)
        + np.gradient(x)[0]
    )


def q18(x):
    return np.cov(x, x[::-1] ** 2)[0, 1] + np.corrcoef(x, np.sin(x))[0, 1] + x.std(ddof=1) + np.var(x)


def q19(x):
    @functools.lru_cache
    def c(k):
        return k * 2

    return sum(c(i) * x[i] for i in range(4))


def q20(x):
    t = np.zeros((3, 3))
    t[np.triu_indices(3)] = np.concatenate([x, x[:2]])
    t = t + t.T
    return np.linalg.norm(t) + np.linalg.norm(t, 1) + np.linalg.norm(x, np.inf) + np.linalg.norm(t, 2)


def q21(x):
    match len(x):
        case 4 if x[0] > 0:
            r = x[0] * x[1]
        case 4:
            r = x[1]
        case _:
            r = 0.0
    return r


def q22(x):
    v = x
    for k in range(3):
        v = np.convolve(v, [0.25, 0.5, 0.25], mode="same")
        v = np.maximum(v, 0.1) - np.clip(v, -0.2, 0.5)
    return (v * x).sum()


def q23(x):
    a = {"w": x[:2], "n": {"b": x[2:]}}
    a["n"]["b"] = a["n"]["b"] + a["w"]
    return sum((v * v).sum() for v in [a["w"], a["n"]["b"]])


def q24(x):
    return (
        (x[:, None] * x[None, :])[[0, 1], [2, 3]].sum()
        + np.take(x, [1, 1]).sum()
        + x[x > 0].prod()
        + np.cumprod(x)[-1]
    )


def q25(x):
    try:
        s = x[0] * 2
    except ValueError:
        s = 0.0
    finally:
        s = s + x[1]
    return s


def q26(x):
    z = x[0] + 1j * x[1]
    w = np.exp(z) * np.conj(z)
    return (w * np.conj(w)).real + abs(w) + w.imag


def q27(x):
    s = 0.0
    i = 0
    while i < 10:
        i += 1
        if i % 2:
            continue
        s += x[i % 4] * i
        if s > 8:
            break
    else:
        s = s * 100
    return s


def q28(x):
    y = np.array([[x[0], 0.0], [x[1], x[2]]])
    b = np.linalg.solve(y, x[2:])
    return (b**2).sum() + np.linalg.cholesky(y @ y.T + np.eye(2))[1, 0]


def q29(x):
    return (
        np.sum(np.sinc(x))
        + np.logaddexp(x, 0).sum()
        + np.arctan2(x, x[::-1] + 2).sum()
        + np.hypot(x, 1).sum()
        + np.tanh(x).mean()
    )


def q30(x):
    return (
        np.piecewise(x, [x < 0, x >= 0], [lambda t: t**2, lambda t: 3 * t]).sum()
        + np.select([x > 1, x > 0], [x**2, x], 0).sum()
    )


def q31(x):
    def squares(values):
        for v in values:
            if v > 1:
                return
            yield v * v

    s = 0.0
    for i, y in enumerate(squares(x)):
        s += y * (i + 1)
    return s + next(squares(x)) + sum(np.sin(v) for v in x if v > 0)


def q32(x):
    with np.errstate(divide="ignore"):
        y = np.log(np.abs(x))
    return np.sum(y * x)


def q33(x):
    sums = {}
    for i in range(len(x)):
        key = (i * i) % 3
        sums[key] = sums.get(key, 0.0) + x[i] * (i + 1)
    total = 0.0
    for key, value in sums.items():
        total += value**2 * (key + 1)
    return total


def q34(x):
    class Spring:
        stiffness = 3.0

        def __init__(self, length):
            self.length = length

        def energy(self, y):
            return self.stiffness * (y - self.length) ** 2

    return Spring(x[0]).energy(x[1]) + Spring(x[2]).energy(x[3])


def q35(x):
    items = [x[0]]
    for v in items:
        if len(items) < 4:
            items.append(v * x[len(items)])
    return sum(items)


def q36(x):
    s = 0.0
    for i in range(3):
        y = x * i if i % 2 else x[i]
        s += np.ndim(y) + np.sum(y * y)
    return s


def q37(x):
    rows = []
    for i in range(3):
        rows.append([])
        for j in range(i + 1):
            rows[i].append(x[j] * (i + 1))
    rows[2][0] *= 2.0
    return rows[2][0] ** 2 + rows[1][1] * rows[2][2]


def q38(x):
    name = {"first": x[0], "rest": x[1:]}
    name.update(first=name["first"] * 2)
    a, b = np.split(name.pop("rest"), [1])
    return np.sum(a) * name["first"] + np.sum(b**2) + max(abs(v) for v in x) * round(2.4)


def q39(x):
    rows = [[v] for v in x]
    first = rows[0]
    if x[0] > 0:
        rows[1].append(1.0)
    else:
        first = rows[2]
    return np.sum(x) * first[0]


def q40(x):
    pairs = [(v, v * w) for v, w in zip(x, x[1:]) if v > -9]
    return np.sum(np.array(pairs) ** 2) + np.multiply(x, 2.0, out=(None,))[0]


def q41(x):
    found = scipy.stats.pearsonr(x, x**2)  # a named tuple with a constructor of its own
    return np.sum(x) * isinstance(found, tuple) + found[0]


def q42(x):
    y = x if x[0] > 0 else np.outer(x, x)
    return np.sum(y**2) * len(np.nonzero(y)) + np.sum(np.gradient(y)[0])
