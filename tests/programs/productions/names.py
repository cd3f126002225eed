"""Names that are bound in a loop, branch or handler and read after it; loops that end early or never begin"""

from __future__ import annotations

from ..author import Author
from .registry import production


def count(a: Author) -> str:
    """A number of turns: a literal, or computed."""
    if a.chance(0.5):
        return str(a.random.randint(1, 4))
    return a.pick(["min({}, 4)", "max({}, 1)", "{} % 4", "{}"]).format(a.length(1))


def loop_header(a: Author, name: str) -> str:
    n = count(a)
    if a.chance(0.6):
        header = a.pick(
            [
                "range({n})",
                "range({n})",
                "range(1, {n} + 1)",
                "range({n} - 1, -1, -1)",
                "np.arange({n})",
                "range(0, {n}, 2)",
                "list(range({n}))",
                "reversed(range({n}))",
            ]
        )
        return f"for {name} in {header.format(n=n)}:"
    values = a.array().name
    header = a.pick(
        [
            "for {i} in range(len({v})):",
            "for {i}, {j} in enumerate({v}):",
            "for {j} in {v}:",
            "for {i} in range({v}.shape[0]):",
            "for {j} in {v}[1:]:",
            "for {i}, {j} in enumerate({v}[::-1]):",
            "for {j}, {k} in zip({v}, {w}):",
            "for {j} in reversed({v}):",
            "for {i} in range(1, len({v})):",
            "for {j} in list({v}):",
            "for {i}, ({j}, {k}) in enumerate(zip({v}, {v}[1:])):",
        ]
    )
    return header.format(i=name, v=values, w=a.array().name, j=a.fresh("e row p"), k=a.fresh("o d"))


def leave(a: Author, ways: tuple[str, ...] = ("break", "continue")) -> None:
    with a.suite(f"if {a.condition()}:"):
        if a.chance(0.3):
            a.statements(1)
        way = a.pick(ways)
        a.place.body.append(way)
        a.known = None


def define(a: Author, stems: str = "u v last e r") -> str:
    """A new name for a float or an array."""
    name = a.fresh(stems)
    a.line(f"{name} = {a.any(2)}")
    return name


def use(a: Author, name: str) -> None:
    """Read a name whatever it is."""
    ways = ["np.sum({})", "np.sum({0} * {0})", "np.sum(np.sin(1.0 * {}))"]
    a.line(f"{a.fresh('a b c r')} = {a.pick(ways).format(name)}")


@production(3)
def loop(a: Author) -> None:
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        a.statements(3)


@production(2.8)
def loop_left_early(a: Author) -> None:
    """break or continue, first or last in the body, before and after a name is bound."""
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        early = a.chance(0.6)
        if early:
            leave(a)
        name = define(a)
        if a.chance(0.5):
            a.statements(1)
        if not early or a.chance(0.2):
            leave(a)
    if a.chance(0.7):
        use(a, name)


@production(3.7)
def last_match(a: Author) -> None:
    """A name is bound only where a test holds."""
    name = a.fresh("best last u m")
    if a.chance(0.3):
        a.line(f"{name} = {a.pick(['None', '0', 'x', '0.0'])}")
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        with a.suite(f"if {a.condition()}:"):
            a.line(f"{name} = {a.any(2)}")
            if a.chance(0.3):
                a.line("break")
        if a.chance(0.25):
            with a.suite("else:"):
                a.statements(1)
    use(a, name)


@production(3.6)
def branches(a: Author) -> None:
    """Names that one or several branches bind."""
    name = a.fresh("u v b t")
    with a.suite(f"if {a.condition()}:"):
        a.line(f"{name} = {a.any(2)}")
        a.statements(1)
    while a.chance(0.4):
        with a.suite(f"elif {a.condition()}:"):
            if a.chance(0.7):
                a.line(f"{name} = {a.any(2)}")
            else:
                a.statements(1)
    if a.chance(0.5):
        with a.suite("else:"):
            if a.chance(0.7):
                a.line(f"{name} = {a.any(2)}")
            else:
                a.statements(1)
    if a.chance(0.6):
        use(a, name)


@production(2)
def best_so_far(a: Author) -> None:
    """``best = None`` and a test for it."""
    best, score = a.fresh("best top"), a.fresh("score value")
    a.line(f"{best} = None")
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        a.line(f"{score} = {a.float(2)}")
        test = a.pick(
            ["{b} is None or {s} > {b}", "{b} is None", "{b} is not None and {s} < {b} or {b} is None"]
        )
        with a.suite(f"if {test.format(b=best, s=score)}:"):
            text = a.pick(["{}", "{} * {f}", "np.sin({})"]).format(score, f=a.float(0))
            a.line(f"{best} = {text}")
    use(a, best)


@production(2.3)
def loop_variable_after(a: Author) -> None:
    i, v = a.fresh("i j k"), a.array(1, least=1).name
    e = a.fresh("e el p")
    header = a.pick(
        [
            f"for {i}, {e} in enumerate({v}):",
            f"for {i}, {e} in zip(range(9), {v}[::-1]):",
            f"for {i}, {e} in enumerate({v}, 1):",
            f"for {i}, {e} in enumerate(list({v})):",
        ]
    )
    with a.suite(header, loop=True):
        a.statements(1)
        if a.chance(0.4):
            leave(a)
    ways = ["{e} * {i}", "{e} * {f} + {i}", "{v}[{i} - 1] * {e}"]
    a.line(f"{a.fresh('a r s')} = {a.pick(ways).format(e=e, i=i, v=v, f=a.float(0))}")


@production(4.2)
def empty_loop(a: Author) -> None:
    """A loop that has no turn, in some of the calls or in all."""
    i, v = a.fresh("i j k"), a.array().name
    header = a.pick(
        [
            "for {i} in range({n} - {n}):",
            "for {i} in {v}[:0]:",
            "for {i} in range({n}, 2):",
            "for {i} in []:",
            "for {i} in range(max(0, {n} - 4)):",
            "for {i} in {v}[4:]:",
            "for {i} in range(3, {n}):",
        ]
    )
    kept = a.fresh("u v w")
    if a.chance(0.6):
        a.line(f"{kept} = {a.any(1)}")
    with a.suite(header.format(i=i, n=a.length(0), v=v), loop=True):
        a.line(f"{kept} = {a.any(1)}")
        if a.chance(0.3):
            a.line(f"{i} = {i} * 2")
    use(a, kept)


@production(4)
def convergence(a: Author) -> None:
    """A while loop with a test on values."""
    old, new, k = a.fresh("old prev a"), a.fresh("new cur b"), a.fresh("it k step")
    a.line(f"{k} = 0")
    kind = a.random.randrange(4)
    if kind == 0:
        a.line(f"{new} = {a.damped()}")
        with a.suite(f"while {k} < {count(a)} and abs({new}) > 0.01:", loop=True):
            a.line(f"{old} = {new}")
            a.line(f"{new} = 0.5 * {old} * {a.damped()}")
            if a.chance(0.4):
                a.statements(1)
            a.line(f"{k} += 1")
        a.line(f"{a.fresh('d r')} = {new} * 2.0")
    elif kind == 1:
        a.line(f"{new} = {a.float(1)}")
        with a.suite("while True:", loop=True):
            a.line(f"{old} = {new}\n{new} = {old} - 0.3 * np.sin({old}) * {a.damped(0)}\n{k} += 1")
            a.line(f"if abs({new} - {old}) < 1e-3 or {k} >= {count(a)}:\n    break")
            a.line(f"{a.fresh('res gap')} = {new} - {old}")
    elif kind == 2:
        seen = a.array()
        a.line(f"{new} = {seen.name}")
        with a.suite(f"while np.sum({new} ** 2) > {a.number(0.1, 2)} and {k} < {count(a)}:", loop=True):
            step = a.pick(["{0} * 0.7", "np.tanh({0}) * 0.8", "{0} - 0.4 * np.sin({0})"]).format(old)
            a.line(f"{old} = {new}\n{new} = {step}\n{k} += 1")
            if a.chance(0.3):
                leave(a)
        a.line(
            f"{a.fresh('d r')} = np.sum({old}) + np.sum({new})"
            if a.chance(0.5)
            else f"{a.fresh('d r')} = np.sum({new}) * {k}"
        )
    else:
        a.line(f"{new} = {a.float(1)}")
        with a.suite(f"while {k} < {count(a)}:", loop=True):
            a.line(f"{k} += 1")
            leave(a)
            a.line(f"{new} = {new} * {a.damped()}\n{a.fresh('g res')} = {new} * {k}")
        a.line(f"{a.fresh('d r')} = {new} * {k}")


@production(3.8)
def loop_with_else(a: Author) -> None:
    i, name = a.fresh("i j k"), a.fresh("u got v")
    with a.suite(loop_header(a, i), loop=True):
        a.statements(1)
        with a.suite(f"if {a.condition()}:"):
            a.line(f"{name} = {a.any(1)}\nbreak")
    with a.suite("else:"):
        a.line(f"{name} = {a.any(1)}")
        if a.chance(0.3):
            a.statements(1)
    use(a, name)


@production(2.4)
def flag_of_a_search(a: Author) -> None:
    found, name = a.fresh("found done ok"), a.fresh("u hit v")
    a.line(f"{found} = False")
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        order = a.chance(0.5)
        if order:
            a.line(f"if {found}:\n    {a.pick(['break', 'continue'])}")
        a.line(f"{name} = {a.any(1)}")
        a.line(f"{found} = {a.condition()}" if a.chance(0.6) else f"if {a.condition()}:\n    {found} = True")
        if not order:
            a.line(f"if {found}:\n    {a.pick(['break', 'continue'])}")
            a.statements(1)
    with a.suite(f"if {a.pick(['', 'not '])}{found}:"):
        a.line(f"{name} = {name} * {a.float(0)}")
    use(a, name)


@production(3)
def nested_loops(a: Author) -> None:
    i, j = a.fresh("i j k"), a.fresh("i j l")
    with a.suite(loop_header(a, i), loop=True):
        if a.chance(0.4):
            leave(a)
        n = a.pick([i + " + 1", count(a), i, "2"]) if i in a.names("int") else count(a)
        with a.suite(f"for {j} in range({n}):", loop=True):
            a.statements(2)
            if a.chance(0.5):
                leave(a)
            name = define(a)
        if a.chance(0.5):
            use(a, name)
    use(a, name)


@production(1.8, simple=True)
def deleted_name(a: Author) -> None:
    name, again = a.fresh("tmp t u"), a.any(1)
    a.line(f"{name} = {a.any(1)}\n{a.fresh('a b')} = np.sum({name})\ndel {name}\n{name} = {again}")
