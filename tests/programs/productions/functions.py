"""Helpers, methods, closures, lambdas and comprehensions: they write to arguments, return views."""

from __future__ import annotations

from ..author import Author, Suite
from ..probe import Seen
from .registry import production
from .views import OF_ANY


def parameters(a: Author, most: int = 3) -> list[Seen]:
    found = [
        s
        for s in a.scope.names.values()
        if s.all("float") or s.all("array") and s.writeable or s.all("list") or s.all("int")
    ]
    if a.chance(0.52):
        found = [s for s in found if s.all("float")]
    return [a.pick(found) for _ in range(a.random.randint(1, most))]


def finish(a: Author, names: list[str]) -> None:
    """The return of a helper."""
    way = a.random.random()
    if way < 0.45:
        a.line(f"return {a.float(2)}")
    elif way < 0.7:
        a.line(f"return {a.vector(None, 2)}")
    elif way < 0.85:
        a.line(f"return {a.pick(names)}")
    else:
        arrays = a.array(least=1).name
        a.line(f"return {a.pick(OF_ANY).format(v=arrays)}")


def call_then_write(a: Author, result: str, target: Seen) -> None:
    """Use what a helper gave back: perhaps a view of its argument."""
    if a.chance(0.35) and target.all("array"):
        a.line(f"{a.pick([result, target.name])} {a.pick(['*=', '+=', '-='])} {a.damped()}")
    if a.chance(0.6):
        a.line(f"{a.fresh('a r b')} = np.sum({result} * {a.float(0)})")


def function(a: Author, at_top: bool) -> None:
    g, r, params = a.fresh("g helper update inner0"), a.fresh("r out0 q"), parameters(a)
    names = [a.fresh("a b c d v w") for _ in params]
    given = [seen.name for seen in params]
    if a.chance(0.2) and len(given) > 1:
        given[1] = given[0]  # one array for two parameters
        params = [params[0], params[0], *params[2:]]
    outer = a.pick(list(a.scope.names.values())).name
    body, position = (a.top.body, None) if at_top else (a.place.body, len(a.place.body))
    a.line(f"{r} = {g}({', '.join(given)})")
    with a.helper(f"def {g}({', '.join(names)}):", body, position):
        if not at_top and a.chance(0.6):
            a.line(f"{a.fresh('o0 c0')} = {outer}")
        a.statements(3)
        finish(a, names)
    a.callables.append((g, tuple(params)))
    call_then_write(a, r, params[0])


@production(3)
def helper_function(a: Author) -> None:
    """A function of the module with a random body."""
    function(a, at_top=True)


@production(2.2)
def inner_function(a: Author) -> None:
    """A function inside the function: it reads variables around it."""
    function(a, at_top=False)


@production(1.8)
def method(a: Author) -> None:
    """A method with a random body; the object keeps state."""
    cls, obj, r, params = (
        a.fresh("Layer Solver State"),
        a.fresh("obj layer"),
        a.fresh("r out0 q"),
        parameters(a, 2),
    )
    names = [a.fresh("a b c d v w") for _ in params]
    kept = a.pick(params).name if a.chance(0.6) else a.float(0)
    suite = Suite(f"class {cls}:", ["def __init__(self, w):", "    self.w = w", "    self.log = []"])
    a.top.body.append(suite)
    a.line(f"{obj} = {cls}({kept})\n{r} = {obj}.step({', '.join(s.name for s in params)})")
    with a.helper(f"def step(self, {', '.join(names)}):", suite.body):
        a.statements(2)
        a.line(
            a.pick(
                ["self.w = self.w * {f}", "self.log.append({f})", "self.w += {f}", "self.n = {f}", "pass"]
            ).format(f=a.float(0))
        )
        a.line(f"return {a.float(1)} * np.sum(self.w)" if a.chance(0.7) else f"return {a.pick(names)}")
    a.line(f"{a.fresh('a r b')} = np.sum({obj}.w) * {a.float(0)} + len({obj}.log)")
    if a.chance(0.4):
        with a.suite(f"for {a.fresh('i k')} in range(2):", loop=True):
            a.line(f"{r} = {obj}.step({', '.join(s.name for s in params)})")


@production(2.7)
def short_functions(a: Author) -> None:
    """Lambdas, comprehensions, closures that change what they close over."""
    g, r, f, v = a.fresh("g fn h0"), a.fresh("a r b"), a.float(1), a.array(1, least=1).name
    c = a.float(0)
    ways = [
        "{g} = lambda t: t * {f}\n{r} = sum([{g}(t) for t in {v}])",
        "{g} = lambda t, k=2: t ** k + {f}\n{r} = np.sum({g}({v})) + {g}({c}, k=3)",
        (
            "{q} = {c}\ndef {g}(t):\n    nonlocal {q}\n    {q} = {q} + t\n    return {q}\n"
            "{r} = {g}({f}) * {g}({f}) + {q}"
        ),
        (
            "{q} = [{f}]\ndef {g}(t):\n    {q}.append(t * {q}[-1])\n    return len({q})\n"
            "for k0 in range(2):\n    {g}({c})\n{r} = sum({q}) * {g}({c})"
        ),
        "{r} = sum([t * u0 for t in {v} for u0 in {v} if t > u0])",
        "{r} = sum([k * t for k, t in enumerate({v}) if k % 2 == 0])",
        "{q} = {{k: t * {f} for k, t in enumerate({v})}}\n{r} = {q}[0] + sum({q}.values())",
        "{r} = functools.reduce(lambda p0, q0: p0 * 0.5 + q0, {v}, {f})",
        (
            "{q} = {v} * 1.0\ndef {g}(p0, q0):\n    p0[-1:] += q0\n    return p0\n"
            "{r} = np.sum(functools.reduce({g}, [t * {f} for t in {v}], {q})) * {c} + np.sum({q})"
        ),
        (
            "{q} = [lambda t: t * {f}, np.sin, lambda t: t + {c}]\n{r} = {c}\nfor {g} in {q}:\n"
            "    {r} = {g}({r})"
        ),
        "{g} = lambda *ts: sum(ts) * {f}\n{r} = {g}(*{v})",
        "{g} = lambda **kw: kw['p'] * {f} + kw.get('q', 0)\n{r} = {g}(p={c})",
        "def {g}(t, k):\n    return t if k == 0 else {g}(t * {f}, k - 1)\n{r} = {g}({c}, {n})",
        "def {g}():\n    for t in {v}:\n        yield t * {f}\n{r} = sum({g}())",
        "{q} = sorted({v}, key=lambda t: t * {f})\n{r} = {q}[0] * {c}",
        "{r} = sum(map(lambda p0, q0: p0 * q0, {v}, {v})) * {f}",
        "{q} = list(filter(lambda t: t > {c}, {v}))\n{r} = sum({q}) * {f} + len({q})",
        "{q} = {f}\n{g} = lambda: {q} * 2\n{q} = {c}\n{r} = {g}()",
        "{q} = [lambda: k0 * {f} for k0 in range(3)]\n{r} = {q}[0]()",
        "{q} = [[t * k for t in {v}] for k in range(2)]\n{r} = {q}[1][0] * {f}",
        "def {g}(out):\n    out[0] = {f}\n{q} = {v}.copy()\n{g}({q})\n{r} = np.sum({q})",
        "def {g}(p0, q0):\n    p0 *= {c}\n    return p0 + q0\n{r} = np.sum({g}({v}, {v}))",
        "{g} = {v}.sum\n{r} = {g}() * {f}",
        "{q} = []\n{g} = {q}.append\nfor t in {v}:\n    {g}(t * {f})\n{r} = sum({q})",
        "{r} = max([{f}, {c}], key=lambda t: -t) * 2",
        "def {g}(t):\n    t = t * 2\n    return t, t + 1\n{r}, {q} = {g}({f})\n{r} = {r} * {q}",
        "{r} = [t for t in {v}][-1] * {f} + (lambda t: t * t)({c})",
        "{r} = sum(t * {f} for t in {v} if t > {c})",
        "{q} = iter({v})\n{r} = next({q}) * {f}\nfor t in {q}:\n    {r} = {r} + t",
        (
            "def {g}(p0, *rest, k=1.0, **kw):\n    return p0 * k + sum(rest) + len(kw)\n"
            "{r} = {g}(*{v}, k={f}, z=1)"
        ),
    ]
    a.line(a.pick(ways).format(g=g, r=r, f=f, v=v, c=c, q=a.fresh("q o p"), n=a.random.randint(1, 3)))


@production(2.6)
def helper_that_writes(a: Author) -> None:
    """A short helper that changes its argument, or gives it or a view of it back."""
    g, r, q = a.fresh("put touch shift"), a.fresh("w o q"), a.fresh("a r b")
    seen = a.array(least=1, writeable=True)
    ways = [
        "u[0] = c\n    return u",
        "u *= c\n    return u[1:]",
        "u += c",
        "return u",
        "return u[::-1]",
        "v = u\n    v *= c\n    return v",
        "u = u * c\n    return u",
        "u[:] = u[::-1] * c\n    return u.T",
        "if c > 0:\n        return u\n    return u.copy()",
        "for k in range(len(u)):\n        u[k] = u[k] * c\n    return u",
        "return u if c > 0.2 else u * c",
        "u = u[1:]\n    u -= c\n    return u",
        "return [u, u[:1]]",
        "return u, u * c",
        "return {'u': u, 'c': c}",
        "u[...] = c\n    return np.sum(u)",
        "w = np.asarray(u)\n    w[-1] = c\n    return w",
        "return np.array(u)",
        "np.multiply(u, c, out=u)\n    return u",
        "try:\n        return u\n    finally:\n        u[0] = c",
        "u.sort(axis=0)\n    return u * c",
        "out = np.empty_like(u)\n    out[...] = c\n    return out + u",
    ]
    body = a.pick(ways)
    a.top.body += f"def {g}(u, c):\n    {body}".split("\n")
    again = a.pick([seen.name, seen.name, f"{seen.name}[:1]", f"{seen.name} * 1.0", f"{seen.name}.T"])
    call = f"{r} = {g}({again}, {a.damped()})"
    if a.chance(0.3):
        with a.suite(f"for {a.fresh('i k')} in range({a.random.randint(1, 3)}):", loop=True):
            a.line(call)
            if a.chance(0.4):
                a.statements(1)
    else:
        a.line(call)
    after = ["{r} *= {d}", "{v} *= {d}", "{v}[0] = {d}", "{r}[0] = {d}", "pass"]
    if "return" in body and "{'u'" not in body and "np.sum" not in body:
        a.line(a.pick(after).format(r=r, v=seen.name, d=a.damped()))
    a.line(
        f"{q} = np.sum({seen.name} * {a.float(0)})"
        + (
            ""
            if "return" not in body or "[u" in body or "{'u'" in body or ", u" in body
            else f" + np.sum({r} * {r})"
        )
    )


@production(2.1)
def passed_twice(a: Author) -> None:
    """One array, or overlapping parts of it, for two parameters."""
    g, q, x = a.fresh("mix blend axpy"), a.fresh("a r b"), a.array(least=2, writeable=True)
    ways = [
        "u *= c\n    return np.sum(u * v)",
        "u[0] = c\n    return np.sum(v)",
        "u += v\n    return np.sum(v) * c",
        "v[:] = u * c\n    return np.sum(u + v)",
        "u, v = v, u\n    u *= c\n    return np.sum(v)",
        "w = u\n    w -= c * v\n    return np.sum(u) + np.sum(v)",
        "for k in range(2):\n        u[k] = v[k - 1] * c\n    return np.sum(u)",
        "return np.sum(u * v) * c",
        "u = u + v\n    v *= c\n    return np.sum(u)",
    ]
    a.top.body += f"def {g}(u, v, c):\n    {a.pick(ways)}".split("\n")
    pair = a.pick(
        [
            "{x}, {x}",
            "{x}, {x}",
            "{x}[1:], {x}[:-1]",
            "{x}, {x}[::-1]",
            "{x}, {x}.copy()",
            "{x}[:], {x}",
            "{x}, {x}.T",
        ]
    ).format(x=x.name)
    a.line(f"{q} = {g}({pair}, {a.damped()}) + np.sum({x.name}) * {a.float(0)}")
