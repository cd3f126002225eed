"""Control flow as Python has it: finally, handlers, errstate, early returns, statements that only raise."""

from __future__ import annotations

from ..author import Author
from .names import define, leave, loop_header, use
from .registry import production


@production(1.5)
def finally_(a: Author) -> None:
    """``finally`` in a loop, left by break, continue or not at all."""
    t, i = a.fresh("total t acc"), a.fresh("i j k")
    a.line(f"{t} = {a.pick(['0.0', '0', a.float(0)])}")
    with a.suite(loop_header(a, i), loop=True):
        with a.suite("try:", tail="finally:"):
            if a.chance(0.7):
                leave(a)
            a.line(f"{t} = {t} + {a.float(1)}")
            if a.chance(0.3):
                a.statements(1)
            if a.chance(0.3):
                leave(a)
        if a.chance(0.3):
            with a.suite("except ZeroDivisionError:"):
                a.line(f"{t} = {t} * 0.5")
        with a.suite("finally:"):
            a.line(f"{t} = {a.pick(['{} * 0.9', '{} + {f}', '{} - 0.5']).format(t, f=a.float(0))}")
            if a.chance(0.2):
                leave(a, ("break",))
    use(a, t)


@production(1.4)
def finally_in_helper(a: Author) -> None:
    g, r, f = a.fresh("attempt guarded tried"), a.fresh("a r b"), a.float(1)
    ways = [
        "def {g}(a, k):\n    try:\n        return a * {c}\n    finally:\n        a = a * 2.0",
        ("def {g}(a, k):\n    try:\n        b = a * k\n    finally:\n        b = np.sin(a)\n    return b"),
        (
            "def {g}(a, k):\n    try:\n        return a * {c}\n    finally:\n        if k > 1:\n"
            "            return a * a"
        ),
        (
            "def {g}(a, k):\n    for j in range(3):\n        try:\n            if j == k:\n"
            "                return a * j\n        finally:\n            a = a * {c}\n"
            "    return a"
        ),
        (
            "def {g}(a, k):\n    out = []\n    try:\n        out.append(a)\n        if k > 1:\n"
            "            return sum(out)\n        out.append(a * {c})\n    finally:\n"
            "        out.append(2.0)\n    return sum(out)"
        ),
        (
            "def {g}(a, k):\n    try:\n        if k > 1:\n            raise ValueError(k)\n"
            "        b = a * {c}\n    except ValueError:\n        b = a * a\n    else:\n"
            "        b = b + 1.0\n    finally:\n        a = 0.0\n    return b + a"
        ),
        (
            "def {g}(a, k):\n    total = np.zeros(2)\n    try:\n        total[0] = a\n"
            "        return np.sum(total * {c})\n    finally:\n        total[1] = a"
        ),
        (
            "def {g}(a, k):\n    while True:\n        try:\n            a = a * {c}\n"
            "            if k > 0:\n                continue\n            return a\n"
            "        finally:\n            k -= 1"
        ),
    ]
    a.top.body += a.pick(ways).format(g=g, c=a.number()).split("\n")
    a.line(f"{r} = {g}({f}, {a.pick([a.length(0), '0', '1', '2'])})")


@production(1.6)
def handlers(a: Author) -> None:
    """try and except, with what raises inside."""
    r, k, f, g = a.fresh("a r b"), a.length(0), a.float(1), a.float(1)
    ways = [
        "try:\n    {r} = {f} / ({k} - {k})\nexcept ZeroDivisionError:\n    {r} = {g}",
        "try:\n    {r} = {v}[{k} + 9] * {f}\nexcept IndexError:\n    {r} = {g}",
        (
            "try:\n    if {cond}:\n        raise ValueError('no')\n    {r} = {f}\n"
            "except ValueError:\n    {r} = {g}"
        ),
        "try:\n    {r} = {f}\n    int('a')\nexcept (ValueError, TypeError):\n    {r} = {r} * {g}",
        '{d} = {{"p": {f}}}\ntry:\n    {r} = {d}["q"]\nexcept KeyError:\n    {r} = {d}["p"] * 2',
        "{r} = {f}\ntry:\n    assert {cond}\n    {r} = {g}\nexcept AssertionError:\n    pass",
        (
            "try:\n    {r} = np.linalg.cholesky(np.eye(2) * ({f} - 9.0))[0, 0]\n"
            "except np.linalg.LinAlgError:\n    {r} = {g}"
        ),
        "try:\n    {r} = {f}\nexcept ValueError:\n    {r} = 0.0\nelse:\n    {r} = {r} + {g}",
        (
            "{r} = 0.0\nfor {d} in range(3):\n    try:\n        if {d} == {k} % 3:\n"
            "            raise StopIteration\n        {r} += {f}\n    except StopIteration:\n"
            "        {r} += {g}\n        continue"
        ),
        "try:\n    {r} = math.sqrt({f} - 5.0)\nexcept ValueError as error:\n    {r} = {g}",
        (
            "try:\n    {r} = {f}\n    try:\n        {r} = {r} * [1.0][{k} + 5]\n"
            "    except KeyError:\n        {r} = 3.0\nexcept IndexError:\n    {r} = {r} + {g}"
        ),
        "try:\n    {r} = math.exp(1000.0 + {f})\nexcept OverflowError:\n    {r} = {g}",
    ]
    a.line(a.pick(ways).format(r=r, k=k, f=f, g=g, v=a.array(1).name, cond=a.condition(), d=a.fresh("d q")))


@production(2.4)
def guarded_statements(a: Author) -> None:
    """A try block of random statements."""
    with a.suite("try:", tail="finally:"):
        a.statements(2)
        name = define(a)
    if a.chance(0.6):
        with a.suite(
            f"except {a.pick(['ValueError', 'ZeroDivisionError', 'Exception', '(KeyError, IndexError)'])}:"
        ):
            a.line(f"{name} = {a.float(0)}")
    else:
        with a.suite("finally:"):
            a.statements(1)
    use(a, name)


@production(1.7)
def errstate(a: Author) -> None:
    """Warnings of one block only."""
    what = a.pick(
        [
            'divide="raise"',
            'divide="ignore"',
            'all="ignore"',
            'invalid="raise", divide="raise"',
            'over="raise"',
            'all="raise"',
            'under="ignore"',
        ]
    )
    place, r, v, f = a.random.randrange(3), a.fresh("a r b"), a.array().name, a.float(1)
    risky = a.pick(
        [
            "np.where({v} > 0, 1.0 / ({v} * 0.0), {v})",
            "np.log({v} * 0.0 + 0.0)",
            "np.exp({v} + 2000.0)",
            "np.sqrt({v} - 50.0)",
            "1.0 / ({v} - {v})",
        ]
    ).format(v=v)
    outside = f"{a.fresh('o q')} = np.sum(np.where(np.isfinite({risky}), 1.0, 2.0)) * {f}"
    if place == 0:
        a.line(outside)
    with a.suite(f"with np.errstate({what}):"):
        a.line(f"{r} = {f} / (2.0 + np.cos({a.float(0)}))")
        if a.chance(0.5):
            a.statements(2)
    if place == 1:
        a.line(outside)


@production(2.4)
def early_return(a: Author) -> None:
    with a.suite(f"if {a.condition()}:"):
        if a.chance(0.3):
            a.statements(1)
        value = a.float(2)
        if a.inner:
            a.line(f"return {value}")
        else:
            a.line(f"return np.sum({value})")


@production(2.1)
def return_in_loop(a: Author) -> None:
    with a.suite(loop_header(a, a.fresh("i j k")), loop=True):
        a.statements(1)
        leave(a, ("return " + a.float(1),))
        if a.chance(0.4):
            a.statements(1)


@production(2, simple=True)
def unused_result(a: Author) -> None:
    """A statement that only raises, or not."""
    v, k, f = a.array().name, a.length(0), a.float(1)
    ways = [
        "1.0 / (1 + abs({k}))",
        "{v}[0]",
        "{v}.reshape(-1, {k})",
        "np.dot({v}, {v})",
        "[1, 2, 3, 4, 5][{k}]",
        "{v}[{k}]",
        "int({f})",
        "np.zeros({k} - 2)",
        '{{"a": 1}}["a"]',
        "assert {f} < 100.0",
        "{f} / ({f} + 0.0)",
        "math.sqrt(abs({f}))",
        "float(np.sum({v}))",
        "np.sum({v}) / len({v})",
        "{t} = [0.5][{k} % 1]",
        "{t} = {v} + np.ones({v}.shape)",
        "{t} = 1 // (1 + abs({k}))",
        "np.linalg.inv(np.eye(2) * (1.0 + {f} ** 2))",
        "{t} = {v}[{k}:][0]",
        "{t} = math.log(abs({f}))",
        "{t} = np.arange(4).reshape(2, {k})",
        "1 / ({k} - 2)",
        "{t} = float({f}) / ({k} - 1)",
    ]
    a.line(a.pick(ways).format(v=v, k=k, f=f, t=a.fresh("unused tmp")))


@production(1.4, simple=True)
def division_by_zero(a: Author) -> None:
    """NumPy's infinities, which a test takes out again."""
    r, f, v, k = a.fresh("a r b"), a.float(1), a.array(least=1).name, a.length(0)
    ways = [
        "{r} = np.where(np.isfinite({v}[0] / ({f} - {f})), 1.0, {g})",
        "{r} = np.sum(np.where({v} * 0.0 > 0, {v} / (0.0 * {v}), {v})) * {f}",
        "{r} = min(1.0 / np.float64(0.0), {f})",
        "{r} = np.nan_to_num(np.mean({v}[99:])) + {f}",
        "{r} = np.minimum({v}[0] / np.float64({k} - {k}), {f})",
        "{r} = 0.0 if np.isnan(np.mean({v}[50:])) else {f}",
        "{r} = {g} if np.isinf(np.sum({v}) / np.float64(0)) else {f}",
        "{r} = np.nanmax([{f}, np.log(np.float64(-1.0))])",
        "{r} = np.fmax({f}, np.nan)",
        "{r} = np.nansum(np.array([{f}, np.nan, {g}]))",
    ]
    a.line(a.pick(ways).format(r=r, f=f, v=v, k=k, g=a.float(1)))


@production(2.1)
def folded_branch(a: Author) -> None:
    """Constants in a branch that is not taken."""
    r, f, k = a.fresh("a r b"), a.float(1), a.length(0)
    ways = [
        "if {k} > 90:\n    {r} = {f} / 0\nelse:\n    {r} = {f}",
        "if {k} < 0:\n    {r} = [1.0][3] * {f}\nelse:\n    {r} = {f} * 2.0",
        "{r} = {f} / 0.0 if {k} > 80 else {f}",
        "{r} = {f}\nif False:\n    {r} = undefined * 2",
        "if {k} < 100:\n    {r} = {f}\nelse:\n    {r} = math.sqrt(-1.0)",
        "{r} = {f}\nif {k} > 70:\n    {r} = np.ones(3) @ np.ones(4)",
        "{r} = {f}\nwhile {k} < 0:\n    {r} = {r} / 0",
        "{r} = {f} if {k} >= 0 else (1).missing",
        "if isinstance({f}, str):\n    {r} = len({f})\nelse:\n    {r} = {f}",
        "{r} = {f}\nif {k} > 60:\n    raise RuntimeError('large')",
        "{r} = {f} * (1 if {k} < 50 else 1 // 0)",
    ]
    a.line(a.pick(ways).format(r=r, f=f, k=k))


@production(2, simple=True)
def values_of_logic(a: Author) -> None:
    r, f, g, k = a.fresh("a r b"), a.float(1), a.float(1), a.length(0)
    ways = [
        "{r} = {k} and {f} or {g}",
        "{r} = {f} or {g}",
        "{r} = ({r}0 := {f}) * {r}0 + {g}",
        "{r} = {f} if {f} < {g} < 2.0 else {g}",
        "{r} = [{f}, {g}][{f} > 0.2]",
        "{r} = ({f}, {g})[{k} % 2]",
        "{r} = {f} * ({f} > 0) + {g} * ({f} <= 0)",
        "{r} = ({k} or {f}) * {g}",
        "{r} = {f} and {g}",
        "{r} = {{True: {f}, False: {g}}}[{f} > 0.1]",
        "{r} = sum(t for t in ({f}, {g}) if t != 0.25)",
        "{r} = next((t for t in ({f}, {g}) if t > 0.1), {f})",
        "{r} = (None or {f}) * {g}",
        "{r} = not {k} or {f}",
        "{r} = any([{f} > 0, {g} > 0]) * {f} + {g}",
    ]
    a.line(a.pick(ways).format(r=r, f=f, g=g, k=k))


@production(2.2)
def may_raise(a: Author) -> None:
    """What raises in some of the calls, if the program is one that may."""
    k, f = a.length(0), a.float(1)
    if a.may_raise:
        ways = [
            "if {k} > 3:\n    raise ValueError('large')",
            "{t} = {f} / ({k} - 3)",
            "{t} = [{f}, 1.0, 2.0][{k} - 1]",
            "assert {k} != 4",
            "if {f} > 0.3:\n    raise KeyError('a')",
            "{t} = {v}[{k}] * {f}",
            "for {i} in range({k} - 3):\n    {t} = {f} * {i}\n{u} = {t} * 2",
            "{t} = {v} + np.ones({k})",
            "{t} = {{3: {f}}}[{k}]",
            "if {k} < 3:\n    {t} = {f}\n{u} = {t}",
            "{t} = {f} / float({k} - {k})",
            "{t} = [{f}] * ({k} - 3)\n{u} = {t}[0]",
        ]
    else:
        ways = [
            "if {k} > 90:\n    raise ValueError('large')",
            "assert {k} < 90, 'many'",
            "if np.isnan({f}):\n    raise FloatingPointError",
            "if {v}.ndim > 3:\n    raise TypeError({k})",
            "if not {k} < 70:\n    raise RuntimeError",
        ]
    text = a.pick(ways).format(
        k=k, f=f, t=a.fresh("t u v"), u=a.fresh("w z"), i=a.fresh("i j"), v=a.array(1, least=1).name
    )
    a.line(text)


@production(2.4)
def generators(a: Author) -> None:
    """A generator function, what it sees and changes, and who asks it for how many items."""
    g, r, t, k = a.fresh("items turns gen"), a.fresh("a r b"), a.fresh("t e"), a.fresh("k i")
    f, c, v, n = a.float(0), a.float(1), a.array(1, least=1).name, a.length(0)
    bodies = [
        "for {t} in {v}:\n        yield {t} * {f}",
        "for {k} in range({n}):\n        yield {v}[0] * {k} + {f}",
        "for {t} in {v}:\n        if {t} > {f}:\n            yield {t} * {t}",
        "p0 = {f}\n    while True:\n        yield p0\n        p0 = p0 * {d}",
        "yield {f}\n    yield from {v}\n    yield {c}",
        "for {k}, {t} in enumerate({v}):\n        if {k} == 2:\n            return\n        yield {t} * {k}",
        "p0 = {f}\n    for {t} in {v}:\n        p0 = p0 * {d} + {t}\n        yield p0\n    yield 0.5",
    ]
    body = a.pick(bodies)
    a.line(f"def {g}():\n    " + body.format(t=t, k=k, v=v, n=n, f=f, c=c, d=a.damped(0)))
    ways = [
        "{r} = {z}\nfor {k}, {t} in enumerate({g}()):\n    if {t} > 2:\n        break\n    {r} += {t} * {k}",
        "{r} = {z}\nfor {t}, {k} in zip({g}(), {v}):\n    {r} += {t} * {k}",
        "{r} = {z}\nfor {k}, {t} in zip(range(3), {g}()):\n    if {t} > 0:\n        {r} += {t} * {k}",
        "{r} = next({g}(), {z})",
    ]
    if "while" not in body:
        ways += [
            "{r} = sum({g}())",
            "{r} = sum([{t} * {c} for {t} in {g}()])",
            "{r} = max({g}(), default={f}) + len(list({g}()))",
            "{r} = sum(map(lambda q0: q0 * {c}, {g}())) + any(q0 > 1.0 for q0 in {g}())",
            "{r} = {z}\nfor {t} in {g}():\n    {r} = {r} * {d} + {t}\nelse:\n    {r} = {r} + 0.5",
            "{r} = sum(filter(lambda q0: q0 > {f}, {g}())) * {c}",
        ]
    a.line(
        a.pick(ways).format(r=r, g=g, k=k, t=t, v=v, c=c, f=f, d=a.damped(0), z=a.pick(["0.0", "0", "0.5"]))
    )
