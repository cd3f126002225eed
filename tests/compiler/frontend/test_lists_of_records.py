"""Lists of run-time length whose elements are named tuples, dicts or objects."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

import ast_ad

P = np.array([0.4, 1.1, -0.7])
ALONG = np.array([0.2, -0.5, 1.0])


class State(NamedTuple):
    x: float
    v: float


@dataclass
class Part:
    x: float
    v: float
    m: float = 1.0

    def energy(self):
        return 0.5 * self.m * self.v**2


@dataclass(frozen=True)
class Fr:
    x: float
    y: np.ndarray


class Pt:
    def __init__(self, x, v):
        self.x = x
        self.v = v


class Acc:
    def __init__(self, x):
        self.x = x
        self.items = []

    def bump(self):
        self.x = self.x * 2


class Box:
    pass


BOX = Box()


def summed(p, n):
    states = []
    x, v = p[0], p[1]
    for i in range(n):
        v = v - 0.1 * x * p[2]
        x = x + 0.1 * v
        states.append(State(x, v))
    return sum(s.x * s.v for s in states)


def last_and_middle(p, n):
    states = [State(p[0], p[1])]
    for i in range(n):
        s = states[-1]
        v = s.v - 0.1 * s.x * p[2]
        states.append(State(s.x + 0.1 * v, v))
    return states[-1].x + states[n // 2].v ** 2


def methods(p, n):
    ps = []
    x, v = p[0], p[1]
    for i in range(n):
        v = v - 0.1 * x * p[2]
        x = x + 0.1 * v
        ps.append(Part(x, v))
    return sum(q.energy() for q in ps)


def dicts(p, n):
    rows = []
    x = p[0]
    for i in range(n):
        x = x + 0.1 * np.sin(x * p[1])
        rows.append({"x": x, "e": x * x * p[2]})
    t = 0.0
    for r in rows:
        t += r["x"] * r["e"]
    return t


def frozen_with_arrays(p, n):
    hist = []
    x = p.copy()
    for i in range(n):
        x = x + 0.1 * np.sin(x)
        hist.append(Fr(float(i), x))
    return np.sum(np.array([h.y for h in hist]) ** 2)


def comprehended(p, n):
    return sum(q.x * q.v for q in [Pt(p[0] * i, p[1] + i) for i in range(n)])


def replaced(p, n):
    hist = []
    s = State(p[0], p[1])
    while len(hist) < n:
        s = s._replace(x=s.x + 0.1 * s.v, v=s.v - 0.1 * s.x * p[2])
        hist.append(s)
    best = max(hist, key=lambda s: s.x)
    return best.x + hist[1].v


def dicts_with_arrays(p, n):
    d = []
    for i in range(n):
        d.append(dict(t=i * 0.1, y=p * i))
    return sum(np.sum(e["y"]) * e["t"] for e in d)


def columns(p, n):
    st = []
    s = State(p[0], p[1])
    for i in range(n):
        st.append(s)
        s = State(s.x + 0.1 * s.v, s.v - 0.1 * s.x * p[2])
    x = np.array([s.x for s in st])
    v = np.array([s.v for s in st])
    return np.trapezoid(x * v, dx=0.1)


def of_dataclasses_replaced(p, n):
    s = Part(p[0], p[1])
    hist = []
    for i in range(n):
        s = replace(s, x=s.x + 0.1 * s.v, v=s.v - 0.1 * s.x * p[2])
        hist.append(s)
    return hist[-1].energy() + hist[0].x


def on_a_branch(p, n):
    s = Part(p[0], p[1])
    hist = []
    for i in range(n):
        if s.x > 0.2:
            hist.append(s)
        s = Part(s.x + 0.1 * s.v, s.v - 0.1 * s.x * p[2])
    return sum(h.x for h in hist) if hist else s.x


def equal_by_code(p, n):
    parts = [Part(p[i % 3], 1.0) for i in range(n)]
    t = 0.0
    for a in parts:
        for b in parts:
            if a == b:
                t = t + a.x * b.x
    return t


def written_array_of_one(p, n):
    rows = [{"x": p * i} for i in range(n)]
    rows[1]["x"][0] = 7.0
    return sum(np.sum(q["x"]) for q in rows)


def written_array_of_another_name(p, n):
    a = p.copy()
    rows = []
    for i in range(n):
        rows.append({"x": a, "i": i})
        a = a * 1.5
    a0 = rows[0]["x"]
    a0[1] = 9.0
    return sum(np.sum(q["x"]) * q["i"] for q in rows) + np.sum(rows[0]["x"])


def built_up(p, n):
    rows = []
    for i in range(n):
        r = {}
        r["x"] = p[0] * i
        r["y"] = r["x"] ** 2
        rows.append(r)
    rows2 = [q for q in rows if q["x"] > 0.5]
    return sum(q["y"] for q in rows2) + len(rows2) * p[1] + rows2[-1]["x"]


def moved(p, n):
    rows = []
    for i in range(n):
        rows.append(Pt(p[0] * i, p[1]))
    rows.reverse()
    last = rows.pop()
    rows.insert(0, last)
    return rows[0].x + rows[1].x * 2 + sum(r.x * r.v for r in rows[1:3])


def ordered(p, n):
    rows = []
    for i in range(n):
        rows.append({"t": i * 0.1, "x": p[0] * i})
    return (
        np.sum([r["x"] for r in rows])
        + max(rows, key=lambda r: r["x"])["x"]
        + sorted(rows, key=lambda r: -r["x"])[1]["t"] * p[1]
    )


def put_in_place(p, n):
    rows = []
    for i in range(n):
        rows.append({"t": i * 0.1, "x": p[0] * i})
    rows[2] = {"t": 3.0, "x": p[1]}
    return sum(r["x"] * r["t"] for r in rows)


def as_tuples(p, n):
    rows = []
    for i in range(n):
        rows.append(State(p[0] * i, p[1]))
    return (
        np.sum(np.array(rows))
        + sum(a + b for a, b in rows)
        + rows[1][0]
        + isinstance(rows[0], State) * p[2]
        + len(rows[0])
    )


def values_of_a_dict(p, n):
    d = {}
    for i in range(n):
        d[i] = State(p[0] * i, p[1])
    return sum(s.x * s.v for s in d.values()) + d[1].x


def nested(p, n):
    rows = []
    for i in range(n):
        rows.append({"a": State(p[0] * i, p[1]), "l": [p[0], p[1] * i]})
    return sum(r["a"].x + r["l"][1] for r in rows)


def with_texts(p, n):
    rows = []
    for i in range(n):
        rows.append({"x": p[0] * i, "name": "a" if i else "b"})
    return sum(r["x"] for r in rows if r["name"] == "a")


def with_none(p, n):
    rows = []
    for i in range(n):
        rows.append({"x": p[0] * i, "n": None})
    return sum(r["x"] for r in rows if r["n"] is None)


def list_in_one(p, n):
    rows = [Acc(p[0] * i) for i in range(n)]
    rows[1].items.append(p[1])
    return sum(sum(r.items) + r.x for r in rows)


def shared_list(p, n):
    l = [p[0]]
    rows = []
    for i in range(n):
        rows.append({"l": l, "x": p[1] * i})
    l.append(p[2])
    return sum(sum(r["l"]) * r["x"] for r in rows)


def shared_array(p, n):
    a = p.copy()
    rows = []
    for i in range(n):
        rows.append(Fr(1.0 * i, a))
    a[0] = 3 * p[1]
    return sum(np.sum(r.y) * r.x for r in rows)


def joined(p, n):
    rows = [dict(x=p[0] * i, y=i) for i in range(n)]
    a = [r for r in rows if r["y"] > 1]
    b = rows + a
    return (
        sum(r["x"] for r in b)
        + sum(v for r in b for v in r.values())
        + sum(len(r) for r in b) * p[2]
        + ("x" in b[0]) * p[1]
    )


def copied(p, n):
    rows = [dict(x=p[0] * i, y=i) for i in range(n)]
    return (
        np.array([list(r.values()) for r in rows]).sum()
        + sum(1.0 for k in rows[0]) * p[1]
        + dict(rows[0], x=p[2])["x"]
        + {**rows[1]}["x"]
    )


def stack(p, n):
    q = [Pt(p[0], 1.0)]
    for i in range(n):
        s = q.pop()
        q.append(Pt(s.x * 1.1 + s.v, s.v * p[1]))
        if i == 2:
            q.append(Pt(p[2], 2.0))
    return sum(s.x for s in q)


def changed_in_a_loop(p, n):
    parts = [Part(p[0] * (i + 1), p[1]) for i in range(n)]
    for t in range(3):
        for q in parts:
            q.v -= 0.1 * q.x * p[2]
            q.x += 0.1 * q.v
    return sum(q.x for q in parts)


def one_object_again(p, n):
    s = Pt(p[0], p[1])
    hist = []
    for i in range(n):
        s.x = s.x + 0.1 * s.v
        hist.append(s)
    return sum(h.x for h in hist)


def changed_when_in_it(p, n):
    s = Pt(p[0], p[1])
    hist = []
    for i in range(n):
        s.x = s.x * 1.1
        t = Pt(s.x, s.v)
        hist.append(t)
        s = t
    return sum(h.x for h in hist)


def changed_after(p, n):
    r = {"x": p[0]}
    rows = []
    for i in range(n):
        rows.append(r)
        r["x"] = r["x"] + p[1]
    return sum(q["x"] for q in rows)


def changed_in_it(p, n):
    rows = [{"x": p[i % 3] * i} for i in range(n)]
    rows[0]["x"] = 5.0 * p[0]
    return sum(q["x"] for q in rows)


def identities(p, n):
    parts = [Pt(p[i % 3], i) for i in range(n)]
    t = 0.0
    for a in parts:
        for b in parts:
            if a is not b:
                t = t + a.x * b.x
    return t


def equal_by_identity(p, n):
    parts = [Pt(p[i % 3], i) for i in range(n)]
    t = 0.0
    for a in parts:
        for b in parts:
            if a != b:
                t = t + a.x * b.x
    return t


def changed_before(p, n):
    rows = []
    for i in range(n):
        r = {}
        r["x"] = p[0] * i
        if i > 1:
            r["x"] = r["x"] * 2
        rows.append(r)
    return sum(q["x"] for q in rows)


def other_order_of_keys(p, n):
    rows = []
    for i in range(n):
        if i % 2:
            rows.append({"x": p[0] * i, "y": 1.0})
        else:
            rows.append({"y": p[1], "x": 2.0})
    return sum(r["x"] * r["y"] for r in rows)


def updated(p, n):
    class_list = []
    for i in range(n):
        class_list.append({"x": p[0] * i})
    q = class_list[0]
    q.update(x=p[1])
    return sum(r["x"] for r in class_list)


def key_added(p, n):
    rows = []
    for i in range(n):
        rows.append({"x": p[0] * i})
    for r in rows:
        r["y"] = r["x"] * 2
    return sum(r["y"] for r in rows)


def one_object_after_others(p, n):
    s = Pt(p[0], p[1])
    hist = [Pt(0.0, 0.0), Pt(1.0, 1.0)]
    for i in range(n):
        s.x = s.x + 0.1 * s.v
        hist.append(s)
    return sum(h.x for h in hist)


def changed_by_a_method(p, n):
    rows = [Acc(p[0] * i) for i in range(n)]
    rows[1].bump()
    return sum(r.x for r in rows)


def stored_outside(p, n):
    rows = [Pt(p[0] * i, 1.0) for i in range(n)]
    BOX.h = rows
    return sum(r.x for r in rows)


def named_tuples_stored_outside(p, n):
    rows = [State(p[0] * i, 1.0) for i in range(n)]
    BOX.h = rows
    return sum(r.x for r in rows)


def asked_for(p, n):
    rows = [Pt(p[0] * i, 1.0) for i in range(n)]
    a = Pt(p[0] * 1, 1.0)
    return sum(r.x for r in rows) * (2.0 if a in rows else 1.0)


def changed_by_its_names(p, n):
    rows = [Pt(p[0] * i, 1.0) for i in range(n)]
    vars(rows[0])["x"] = p[2]
    return sum(q.x for q in rows)


def changed_by_setattr(p, n):
    rows = [Pt(p[0] * i, 1.0) for i in range(n)]
    rows[0].x = p[2]
    return sum(q.x for q in rows)


def changed_by_its_dict(p, n):
    rows = [Pt(p[0] * i, 1.0) for i in range(n)]
    rows[0].__dict__.update(x=p[2])
    return sum(q.x for q in rows)


def changed_deep_inside(p, n):
    rows = [[Pt(p[0] * i, 1.0)] for i in range(n)]
    rows[0][0].x = p[2]
    return sum(q[0].x for q in rows)


def changed_inside_of_another(p, n):
    a = Acc(p[0])
    rows = []
    for i in range(n):
        rows.append({"o": a, "x": p[1] * i})
    a.x = p[2]
    return sum(r["o"].x * r["x"] for r in rows)


FOLLOWED = [
    summed,
    last_and_middle,
    methods,
    dicts,
    frozen_with_arrays,
    comprehended,
    replaced,
    dicts_with_arrays,
    columns,
    of_dataclasses_replaced,
    on_a_branch,
    equal_by_code,
    written_array_of_one,
    written_array_of_another_name,
    built_up,
    moved,
    ordered,
    put_in_place,
    as_tuples,
    values_of_a_dict,
    nested,
    with_texts,
    with_none,
    list_in_one,
    shared_list,
    shared_array,
    joined,
    copied,
    stack,
]
REFUSED = [
    changed_in_a_loop,
    one_object_again,
    changed_when_in_it,
    changed_after,
    changed_in_it,
    identities,
    equal_by_identity,
    changed_before,
    other_order_of_keys,
    updated,
    key_added,
    one_object_after_others,
    changed_by_a_method,
    stored_outside,
    named_tuples_stored_outside,
    asked_for,
    changed_by_its_names,
    changed_by_setattr,
    changed_by_its_dict,
    changed_deep_inside,
    changed_inside_of_another,
]


def check(f, value, bar):
    assert value == pytest.approx(f(P, 5), rel=1e-12)
    difference = (f(P + 1e-6 * ALONG, 5) - f(P - 1e-6 * ALONG, 5)) / 2e-6
    assert np.sum(bar * ALONG) == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow(beyond=1))])
@pytest.mark.slow(beyond=3)
def test_what_is_followed(f, backend):
    """Without the net, so that nothing is set right behind its back."""
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error", check=False)
    for _ in range(2):
        check(f, *derivative(P, 5))


@pytest.mark.slow
@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_traced(f):
    """Tuples have no identity: what would show that is not compiled."""
    with pytest.raises(ast_ad.UnsupportedError):
        ast_ad.value_and_grad(f, fallback="error", check=False)(P, 5)
    check(f, *ast_ad.value_and_grad(f)(P, 5))
    if f in (stored_outside, named_tuples_stored_outside):
        assert isinstance(BOX.h[1], (State, Pt))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_as_results():
    def f(p, n):
        rows = [State(p[0] * i, 1.0) for i in range(n)]
        return sum(r.x for r in rows), rows

    (_, rows), _ = ast_ad.value_and_grad(f, has_aux=True)(P, 3)
    assert rows == f(P, 3)[1]
    assert all(isinstance(row, State) for row in rows)
