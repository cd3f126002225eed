"""What a program reads outside of it: globals, attributes, defaults, cells. They change between calls."""

from __future__ import annotations

import dataclasses

from ..author import Author
from .registry import production


def change_later(a: Author, statement: str) -> None:
    """A statement that is run before one of the later calls, or before several."""
    for k in range(1, len(a.calls)):
        if a.chance(0.6):
            before = a.calls[k].before
            a.calls[k] = dataclasses.replace(
                a.calls[k], before=f"{before}\n{statement}" if before else statement
            )


def outer(a: Author, text: str) -> None:
    a.top.body += text.split("\n")
    a.known = None


def use(a: Author, value: str) -> None:
    r = a.fresh("a r b")
    ways = [
        "{r} = {v} * {f}",
        "{r} = np.sum({v} * {x})",
        "{r} = {f} + np.sin({v} * 1.0)",
        "{r} = np.sum({x} * {v}) + {f}",
    ]
    if a.chance(0.25):
        with a.suite(f"for {a.fresh('i k')} in range({a.random.randint(1, 3)}):", loop=True):
            a.line(a.pick(ways).format(r=r, v=value, f=a.float(1), x=a.array().name))
    else:
        a.line(a.pick(ways).format(r=r, v=value, f=a.float(1), x=a.array().name))


@production(3.3)
def global_number(a: Author) -> None:
    name = a.fresh("RATE SCALE COUNT DEPTH ALPHA")
    value = a.pick([a.number(), str(a.random.randint(1, 3)), a.number(), "True"])
    outer(a, f"{name} = {value}")
    later = [a.number(), str(a.random.randint(0, 4)), "np.array([0.5])", "0", "False", "np.float64(0.25)"]
    change_later(
        a,
        f"{name} = {a.pick(later)}",
    )
    if a.chance(0.3) and value.isdigit():
        t = a.fresh("t u v")
        with a.suite(f"for {a.fresh('i k')} in range({name}):", loop=True):
            a.line(f"{t} = {a.any(1)}")
        use(a, f"np.sum({t})")
    elif a.chance(0.3):
        with a.suite(f"if {name} > {a.pick(['0.5', '0', '1'])}:"):
            a.statements(1)
        use(a, name)
    else:
        use(a, name)


@production(2.4)
def global_array(a: Author) -> None:
    name, k = a.fresh("TABLE WEIGHTS KNOTS"), a.random.randint(2, 4)
    outer(a, f"{name} = np.array([{', '.join(a.number() for _ in range(k))}])")
    change_later(
        a,
        a.pick(
            [
                f"{name}[0] = {a.number()}",
                f"{name} = np.array([{a.number()}, {a.number()}])",
                f"{name} *= 2.0",
                f"{name} = {name}[::-1]",
                f"{name} = np.arange(3)",
                f"{name} = np.ones(1)",
                f"{name} = {name}.astype(np.float32)",
            ]
        ),
    )
    use(
        a,
        a.pick(
            [
                "np.sum({})",
                "{}[0]",
                "{}[-1]",
                "np.mean({})",
                "len({})",
                "{}.shape[0]",
                "np.sum({}[1:])",
                "np.std({})",
                "np.sum({0} * {0}[0])",
            ]
        ).format(name),
    )


@production(1.6)
def global_container(a: Author) -> None:
    name = a.fresh("CONFIG TERMS OPTIONS")
    ways = [
        (
            '{n} = {{"rate": {c}, "k": 2}}',
            '{n}["rate"]',
            ['{n}["rate"] = {c}', '{n}["k"] = 3', '{n} = {{"rate": 2, "k": 1}}'],
        ),
        (
            "{n} = [{c}, {c}, 1]",
            "{n}[1]",
            ["{n}[1] = {c}", "{n}.append(2.0)", "{n} = [0, 1]", "{n}.insert(0, 0.5)"],
        ),
        ("{n} = [{c}, {c}]", "sum({n})", ["{n}.append({c})", "{n}.pop()", "{n}[0] = 3"]),
        ("{n} = ({c}, 2)", "{n}[0]", ["{n} = (0.5, 1)", "{n} = (1, 0.5, 2)"]),
        (
            "{n} = [np.array([{c}, 1.0]), np.ones(2)]",
            "np.sum({n}[0])",
            ["{n}[0][0] = {c}", "{n}[0] = np.ones(3)", "{n}.reverse()"],
        ),
        (
            '{n} = {{"w": np.array([{c}, {c}])}}',
            'np.sum({n}["w"])',
            ['{n}["w"][1] = {c}', '{n}["w"] = np.ones(3)', '{n}["v"] = 1'],
        ),
        ("{n} = 'sin'", "(np.sin({f}) if {n} == 'sin' else np.cos({f}))", ["{n} = 'cos'"]),
        ("{n} = np.sin", "{n}({f})", ["{n} = np.cos", "{n} = math.tanh", "{n} = lambda t: t * 2.0"]),
        ("{n} = None", "(0.5 if {n} is None else {n})", ["{n} = {c}", "{n} = 2"]),
    ]
    made, read, changes = a.pick(ways)
    outer(a, made.format(n=name, c=a.number()))
    change_later(a, a.pick(changes).format(n=name, c=a.number()))
    use(a, read.format(n=name, f=a.float(0)))


@production(2.5)
def attributes(a: Author) -> None:
    """Attributes of a global object, of a class, of a nested object, of a default argument."""
    cls, obj = a.fresh("Config Model Box"), a.fresh("CFG OBJ MODEL")
    outer(
        a,
        (
            f"class {cls}:\n    order = 2\n    def __init__(self):\n"
            f"        self.rate = {a.number()}\n"
            f"        self.w = np.array([{a.number()}, {a.number()}])\n"
            f"        self.parts = [1.0, {a.number()}]\n        self.calls = 0\n"
            f"    def scale(self, a):\n        return a * self.rate"
        ),
    )
    outer(a, f"{obj} = {cls}()")
    ways = [
        ("{o}.rate", "{o}.rate = {c}"),
        ("np.sum({o}.w)", "{o}.w[0] = {c}"),
        ("np.sum({o}.w)", "{o}.w = np.ones(3)"),
        ("{o}.order", "{k}.order = 3"),
        ("{o}.parts[1]", "{o}.parts[1] = {c}"),
        ("sum({o}.parts)", "{o}.parts.append({c})"),
        ("{o}.scale({f})", "{o}.rate = {c}"),
        ("{o}.scale({f})", "{k}.scale = lambda self, a: a * 3.0"),
        ("{k}.order", "{k}.order = 0.5"),
        ("{o}.rate", "{o} = {k}()\n{o}.rate = {c}"),
        ("{o}.scale({f})", "{o}.scale = lambda a: a * 0.5"),
        ("getattr({o}, 'rate')", "{o}.rate = {c}"),
        ("len({o}.parts)", "{o}.parts.pop()"),
        ("{o}.__dict__['rate']", "{o}.rate = 2"),
    ]
    read, changed = a.pick(ways)
    read, changed = read.format(o=obj, k=cls, f=a.float(0)), changed.format(o=obj, k=cls, c=a.number())
    change_later(a, changed)
    way = a.random.random()
    if way < 0.35:
        helper = a.fresh("with_default scaled using")
        outer(
            a,
            (
                f"def {helper}(a, obj={obj}):\n"
                f"    return a * {read.replace(obj, 'obj') if 'obj' not in read else read}"
            ),
        )
        a.line(f"{a.fresh('a r b')} = {helper}({a.float(1)})")
    elif way < 0.5:
        a.stateful = True
        a.line(f"{obj}.calls += 1\n{obj}.rate = {obj}.rate * 0.9")
        use(a, a.pick([f"{obj}.calls", f"{obj}.rate"]))
    else:
        use(a, read)


@production(2.4)
def defaults(a: Author) -> None:
    """Defaults that are arrays, lists or numbers, keyword-only too; mutable ones are written."""
    g, f, r = a.fresh("with_table looked scaled"), a.float(1), a.fresh("a r b")
    ways = [
        (
            "def {g}(a, k={c}):\n    return a * k",
            "{g}({f})",
            [
                "{g}.__defaults__ = ({c},)",
                "{g}.__defaults__ = (2,)",
                "{g}.__defaults__ = (np.ones(2).sum(),)",
            ],
        ),
        (
            "def {g}(a, *, k={c}):\n    return a * k",
            "{g}({f})",
            ["{g}.__kwdefaults__ = {{'k': {c}}}", "{g}.__kwdefaults__['k'] = 3"],
        ),
        (
            "def {g}(a, table=np.array([{c}, {c}])):\n    return a * np.sum(table)",
            "{g}({f})",
            ["{g}.__defaults__[0][0] = {c}", "{g}.__defaults__ = (np.ones(3),)"],
        ),
        (
            "def {g}(a, seen=[]):\n    seen.append(1.0)\n    return a * len(seen)",
            "{g}({f})",
            ["{g}.__defaults__[0].clear()", "pass"],
        ),
        (
            "def {g}(a, memo={{}}):\n    memo['n'] = memo.get('n', 0) + 1\n    return a * memo['n']",
            "{g}({f})",
            ["{g}.__defaults__[0].clear()", "pass"],
        ),
        (
            "def {g}(a, buf=np.zeros(2)):\n    buf[0] += 1.0\n    return a * np.sum(buf)",
            "{g}({f})",
            ["{g}.__defaults__[0][:] = 0.0", "pass"],
        ),
        (
            "def {g}(a, k=2, *, c={c}, **more):\n    return a * k + c + more.get('d', 0)",
            "{g}({f}, d={c})",
            ["{g}.__defaults__ = (3,)", "{g}.__kwdefaults__ = {{'c': {c}}}"],
        ),
        ("def {g}(a, fn=np.sin):\n    return fn(a)", "{g}({f})", ["{g}.__defaults__ = (np.cos,)"]),
        (
            (
                "def {g}(a, out=None):\n    out = [] if out is None else out\n    out.append(a)\n"
                "    return sum(out)"
            ),
            "{g}({f}) + {g}({f}, [1, {c}])",
            ["pass"],
        ),
        (
            "def {g}(a, weights=(1, {c})):\n    return sum(a * w for w in weights)",
            "{g}({f})",
            ["{g}.__defaults__ = ((0.5, 2, 1),)"],
        ),
    ]
    made, read, changes = a.pick(ways)
    outer(a, made.format(g=g, c=a.number()))
    changed = a.pick(changes)
    if changed != "pass":
        change_later(a, changed.format(g=g, c=a.number()))
    a.stateful = a.stateful or "seen" in made or "memo" in made or "buf" in made
    a.line(f"{r} = {read.format(g=g, f=f, c=a.number())}")


@production(1.6)
def partial(a: Author) -> None:
    g, p, f, r = a.fresh("base kernel"), a.fresh("fixed bound"), a.float(1), a.fresh("a r b")
    ways = [
        (
            "def {g}(k, a):\n    return a * k",
            "{p} = functools.partial({g}, {c})",
            ["{p} = functools.partial({g}, {c})", "{p} = functools.partial({g}, 2)"],
        ),
        (
            "def {g}(a, table):\n    return a * np.sum(table)",
            "{p} = functools.partial({g}, table=np.array([{c}, {c}]))",
            ["{p}.keywords['table'][0] = {c}", "{p}.keywords['table'] = np.ones(3)"],
        ),
        (
            "def {g}(a, k=1, c=0.5):\n    return a * k + c",
            "{p} = functools.partial({g}, k=3)",
            ["{p}.keywords['k'] = {c}", "{p}.keywords['c'] = {c}"],
        ),
        (
            "def {g}(rows, a):\n    return sum(a * t for t in rows)",
            "{p} = functools.partial({g}, [1, {c}])",
            ["{p}.args[0].append({c})", "{p}.args[0][0] = 0.5"],
        ),
        (
            "def {g}(a, fn):\n    return fn(a) * {c}",
            "{p} = functools.partial({g}, fn=np.tanh)",
            ["{p}.keywords['fn'] = np.sin"],
        ),
        (
            "def {g}(k, a):\n    return a + np.sum(k)",
            "{p} = functools.partial({g}, np.array([{c}, 1.0]))",
            ["{p}.args[0][1] = {c}", "{p}.args[0][:] = 0.0"],
        ),
    ]
    made, bound, changes = a.pick(ways)
    outer(a, made.format(g=g, c=a.number()))
    outer(a, bound.format(g=g, p=p, c=a.number()))
    change_later(a, a.pick(changes).format(g=g, p=p, c=a.number()))
    a.line(f"{r} = {p}({f})")


@production(2.2)
def global_state(a: Author) -> None:
    """A function that writes a global or counts its calls."""
    name, g = a.fresh("CALLS TOTAL LAST"), a.fresh("bump note remember")
    ways = [
        "{n} = 0\ndef {g}(a):\n    global {n}\n    {n} += 1\n    return a * {n}",
        "{n} = [0.5]\ndef {g}(a):\n    {n}[0] = {n}[0] * 1.1\n    return a * {n}[0]",
        "{n} = {{}}\ndef {g}(a):\n    {n}['c'] = {n}.get('c', 0) + 1\n    return a + {n}['c']",
        "{n} = np.ones(2)\ndef {g}(a):\n    {n}[1] += 0.5\n    return a * np.sum({n})",
        "def {g}(a):\n    {g}.count = getattr({g}, 'count', 0) + 1\n    return a * {g}.count",
        "{n} = []\ndef {g}(a):\n    {n}.append(1)\n    return a * len({n})",
    ]
    outer(a, a.pick(ways).format(n=name, g=g))
    a.stateful = True
    a.line(f"{a.fresh('a r b')} = {g}({a.float(1)})")


@production(1.8)
def factory(a: Author) -> None:
    """A closure made outside, whose cell changes."""
    g, p = a.fresh("make build"), a.fresh("made step0")
    c, d = a.number(), a.number()
    ways = [
        (
            "def {g}(k):\n    def step(a):\n        return a * k\n    return step\n{p} = {g}({c})",
            [
                "{p} = {g}({d})",
                "{p} = {g}(3)",
                "{p}.__closure__[0].cell_contents = {d}",
                "{p}.__closure__[0].cell_contents = 2",
            ],
        ),
        (
            (
                "def {g}():\n    k = {c}\n    def step(a):\n        return a * k\n"
                "    def change(v):\n        nonlocal k\n        k = v\n    step.change = change\n"
                "    return step\n{p} = {g}()"
            ),
            ["{p}.change({d})", "{p}.change(2)"],
        ),
        (
            "def {g}(w):\n    return lambda a: a * np.sum(w)\n{p} = {g}(np.array([{c}, 1.0]))",
            ["{p}.__closure__[0].cell_contents[0] = {d}", "{p} = {g}(np.ones(3))"],
        ),
        (
            (
                "def {g}(fn):\n    @functools.wraps(fn)\n    def inner(a):\n"
                "        return fn(a) + {c}\n    return inner\n@{g}\ndef {p}(a):\n"
                "    return np.sin(a)"
            ),
            ["{p} = {g}(np.cos)"],
        ),
        ("{p} = [lambda a, k=k: a * k for k in (1, {c})][1]", ["{p} = abs"]),
        (
            (
                "class {g}:\n    def __init__(self, k):\n        self.k = k\n"
                "    def __call__(self, a):\n        return a * self.k\n{p} = {g}({c})"
            ),
            ["{p}.k = {d}", "{p}.k = 2", "{p} = {g}({d})"],
        ),
    ]
    made, changes = a.pick(ways)
    outer(a, made.format(g=g, p=p, c=c, d=d))
    change_later(a, a.pick(changes).format(g=g, p=p, c=c, d=d))
    a.line(f"{a.fresh('a r b')} = {p}({a.float(1)})")
