"""Names and containers that change their kind: int to float to array, other ranks, ints beside floats."""

from __future__ import annotations

from ..author import Author
from .names import count, leave, loop_header
from .registry import production


@production(2.4)
def filled_list(a: Author) -> None:
    """``[0] * n``, then numbers."""
    c, i, n = a.fresh("c out vals"), a.fresh("i j l"), a.pick([count(a), "n", count(a)])
    size = a.fresh("m size")
    a.line(f"{size} = {n}")
    made = a.pick(
        [
            "[0] * {n}",
            "list(range({n}))",
            "[0 for _ in range({n})]",
            "[None] * {n}",
            "[0.0] * {n}",
            "[1] * {n}",
            "[k for k in range({n})]",
            "[0, 1] * {n}",
            "[0] + [1] * {n}",
            "list(np.arange({n}))",
        ]
    )
    a.line(f"{c} = {made.format(n=size)}")
    start = a.pick(["range({})", "range(1, {})", "range({})"]).format(size)
    with a.suite(f"for {i} in {start}:", loop=True):
        value = a.pick(
            ["{f} * {i}", "{f}", "{f} + {c}[{i} - 1]", "{c}[{i}] + {f}", "np.sin({f}) * {c}[{i}]"]
        ).format(f=a.float(1), i=i, c=c)
        if a.chance(0.2):
            leave(a, ("continue",))
        a.line(f"{c}[{i}] {a.pick(['=', '=', '+='])} {value}")
    reads = [
        "{c}[1] + {c}[2] * {f}",
        "sum({c})",
        "{c}[-1] * {f}",
        "sum({c}) * {c}[0]",
        "np.sum({c})",
        "np.sum(np.array({c}) * {f})",
        "sum([t * t for t in {c}])",
        "{c}[0] + {c}[-1]",
        "np.mean({c}) * {c}[{m} - 1]",
        "max({c})",
    ]
    a.line(f"{a.fresh('a r t')} = {a.pick(reads).format(c=c, f=a.float(0), m=size)}")


@production(2)
def int_that_adds_floats(a: Author) -> None:
    """``total = 0`` before a loop."""
    t, i = a.fresh("total acc s0"), a.fresh("i j k")
    a.line(f"{t} = {a.pick(['0', '1', '0', '2'])}")
    with a.suite(loop_header(a, i), loop=True):
        if a.chance(0.3):
            leave(a)
        value = a.any(1) if a.chance(0.6) else a.float(1)
        a.line(
            a.pick(
                [
                    "{t} = {t} + {v}",
                    "{t} += {v}",
                    "{t} = {t} * 0.5 + {v}",
                    "{t} -= {v}",
                    "{t} = max({t}, {v})",
                ]
            ).format(t=t, v=value)
        )
        if a.chance(0.3):
            a.statements(1)
    a.line(f"{a.fresh('a r b')} = np.sum({t}) * {a.float(0)}")


@production(3.2)
def scalar_becomes_array(a: Author) -> None:
    """A name is a float before a loop and an array in it, or the other way round."""
    v, t, i, seen = a.fresh("v g h"), a.fresh("t w"), a.fresh("i j"), a.array()
    x = seen.name
    pair = [a.float(1), a.vector(seen, 1)]
    if a.chance(0.3):
        pair.reverse()
    a.line(f"{v} = {pair[0]}")
    if a.chance(0.7):
        a.line(f"{t} = {x} * {v}")
    else:
        t = v
    with a.suite(f"for {i} in range({count(a)}):", loop=True):
        if a.chance(0.3):
            leave(a)
        if a.chance(0.4):
            text = a.pick(["{v} * {x}", "{v} + {x}", "{v} * {p}", "{p} - {v}"]).format(v=v, x=x, p=pair[1])
            a.line(f"{v} = {text}")
        else:
            a.line(f"{v} = {pair[1]}")
        if a.chance(0.3):
            a.line(f"{t} = {t} * {a.damped()} + {v}")
    a.line(f"{a.fresh('a r b')} = np.sum({t}) + np.sum({v}) * {a.float(0)}")


@production(2.1)
def rank_changes(a: Author) -> None:
    seen, i, w = a.array(least=1), a.fresh("i j"), a.fresh("w g h")
    a.line(f"{w} = {seen.name}")
    ways = [
        "np.sum({w}, axis=0)",
        "{w} * np.ones((2, 1))",
        "np.outer({w}, {w})[:3]",
        "{w}[0]",
        "{w}.ravel()",
        "{w}[None] * {f}",
        "np.mean({w}, axis=-1)",
        "np.atleast_2d({w})",
        "{w}[..., None] + {f}",
        "np.sin({w}) if np.ndim({w}) else {x}",
    ]
    text = a.pick(ways).format(w=w, f=a.float(0), x=seen.name)
    with a.suite(a.pick([f"for {i} in range({count(a)}):", f"if {a.condition()}:"]), loop=True):
        if a.chance(0.4):
            with a.suite(f"if {a.condition()}:"):
                a.line(f"{w} = {text}")
        else:
            a.line(f"{w} = {text}")
    text = a.pick(["np.sum({0} * {0})", "np.sum(np.tanh({0}))", "np.mean({0})", "np.sum({0})"]).format(w)
    a.line(f"{a.fresh('a r b')} = {text}")


@production(2.2)
def kind_by_branch(a: Author) -> None:
    name = a.fresh("v b h")
    values = [a.pick(["0", "1", "0.0", "None", "True"]), a.any(1)]
    a.random.shuffle(values)
    with a.suite(f"if {a.condition()}:"):
        a.line(f"{name} = {values[0]}")
    with a.suite("else:"):
        a.line(f"{name} = {values[1]}")
    if "None" in values:
        a.line(f"{a.fresh('a r')} = np.sum({name}) if {name} is not None else {a.float(1)}")
    else:
        text = a.pick(["np.sum({} * {f})", "{f} * np.sum({})", "np.sum({}) + {f}"]).format(name, f=a.float(0))
        a.line(f"{a.fresh('a r')} = {text}")


@production(1.5)
def ints_beside_floats(a: Author) -> None:
    """A list, tuple or dict whose first elements are ints."""
    c, f, g = a.fresh("c d vals"), a.float(1), a.float(1)
    ways = [
        "{c} = [0, {f}]\n{c}.append({g})\n{r} = sum({c}) * {c}[1]",
        (
            "{c} = []\n{c}.append(0)\nfor {i} in range({n}):\n"
            "    {c}.append({c}[-1] + {f} * {i})\n{r} = {c}[-1] + sum({c})"
        ),
        "{c} = [1, 2, {f}]\n{c}[0] = {g}\n{r} = {c}[0] * {c}[1] * {c}[2]",
        (
            '{c} = {{"a": 0, "b": 1}}\nfor {i} in range({n}):\n    {c}["a"] += {f}\n'
            '    {c}["b"] = {c}["b"] * {g}\n{r} = {c}["a"] * {c}["b"]'
        ),
        "{c} = (0, {f}, 1)\n{r} = sum({c}) * {c}[0] + {c}[1] * {c}[2]",
        "{c} = [0, 0]\n{c}[1] = {f}\n{c}[0] += {c}[1] * 2\n{r} = {c}[0] * {g}",
        (
            "{c} = {{}}\nfor {i} in range({n}):\n    {c}[{i}] = {c}.get({i} - 1, 0) + {f}\n"
            "{r} = sum({c}.values())"
        ),
        "{c} = [1] + [{f}] * {n}\n{c}[{n}] *= {g}\n{r} = sum([t * k for k, t in enumerate({c})])",
        (
            "{c} = [0 for _ in range({n} + 1)]\n{c}[-1] = {f}\nfor {i} in range({n}):\n"
            "    {c}[{i}] = {c}[{i} - 1] * {g}\n{r} = np.sum({c})"
        ),
        (
            "{c} = [2, {f}]\nfor {i} in range({n}):\n    {c}[0], {c}[1] = {c}[1], {c}[0] * {g}\n"
            "{r} = {c}[0] - {c}[1]"
        ),
        (
            "{c} = [[0] * 2 for _ in range({n} + 1)]\n{c}[0][1] = {f}\n{c}[-1][0] += {g}\n"
            "{r} = {c}[0][1] * 2 + {c}[-1][0]"
        ),
        "{c} = [0, {f}, True]\n{r} = 0\nfor {i} in {c}:\n    {r} += {i} * {g}",
        "{c} = np.array([0, 1, 2]) * {f}\n{c}[0] = {g}\n{r} = np.sum({c})",
        (
            "{c} = [0, 1]\nfor {i} in range({n}):\n    {c}.append({c}[-1] * {f} + {c}[-2])\n"
            "{r} = {c}[-1] * {g}"
        ),
        "{c} = [{f}, 3]\n{c}.insert(0, 1)\n{c}[0] *= {g}\n{r} = {c}[0] + {c}[1] * {c}[2]",
    ]
    text = a.pick(ways).format(c=c, f=f, g=g, i=a.fresh("i k"), n=a.random.randint(1, 3), r=a.fresh("a r b"))
    a.line(text)


@production(2.2)
def int_array(a: Author) -> None:
    """Integer arrays that meet floats."""
    c, r, n = a.fresh("c idx iv"), a.fresh("a r b"), a.random.randint(2, 4)
    ways = [
        "{c} = np.arange({n})\n{r} = np.sum({c} * {f})",
        "{c} = np.zeros({n}, dtype=int)\n{c}[0] = {f} * 3\n{c}[1] += 2\n{r} = np.sum({c} * {g})",
        "{c} = np.arange({n})\n{c} = {c} * {f}\n{c}[0] = {g}\n{r} = np.sum({c} ** 2)",
        "{c} = np.array([1, 2, 3])\n{c}[1:] = {c}[:-1]\n{r} = np.mean({c} * {f})",
        "{c} = np.ones({n}, dtype=bool)\n{c}[0] = {f} > 0.1\n{r} = np.sum({c} * {g})",
        (
            "{c} = np.zeros({n}, dtype=int)\nfor {i} in range({n}):\n    {c}[{i}] = {i} ** 2\n"
            "    {c} = {c} + {f} * 0 if {i} > 5 else {c}\n{r} = np.sum({c} * {f})"
        ),
        "{c} = ({v} * 4).astype(int)\n{r} = np.sum({c} * {v}) * {f}",
        ("{c} = np.argsort({v}, axis=0)\n{r} = np.sum(np.take_along_axis({v}, {c}, axis=0)[0]) * {f}"),
        "{c} = np.full({n}, 2)\n{r} = np.sum({f} ** {c})",
        "{c} = np.array([0, {f}, 1])\n{r} = {c}[1] * 3 + {c}[2] * {g}",
        "{c} = np.asarray([1, 0, 2])\n{r} = np.sum({v}[:1] * {c}.sum()) + {f}",
        "{c} = np.where({v} > {f}, 1, 0)\n{r} = np.sum({c} * {v})",
        "{c} = np.where({v} > {f}, {v}, 0)\n{r} = np.sum({c} * {g})",
        "{c} = [int(t) for t in {v}.ravel() * 2]\n{r} = sum({c}) * {f}",
    ]
    text = a.pick(ways).format(
        c=c, r=r, n=n, f=a.float(1), g=a.float(1), i=a.fresh("i k"), v=a.array(least=1).name
    )
    a.line(text)


@production(2.3)
def counter(a: Author) -> None:
    """An int that counts, and multiplies floats."""
    c, r, i = a.fresh("count hits k"), a.fresh("a r b"), a.fresh("e p")
    v = a.array(1, least=1).name
    ways = [
        "{c} = 0\nfor {i} in {v}:\n    if {i} > {num}:\n        {c} += 1\n{r} = {c} * {f}",
        "{c} = 0\nfor {i} in {v}:\n    {c} += {i} > {num}\n{r} = {c} * {f} + {c}",
        "{c} = 1\nfor {i} in {v}:\n    {c} = {c} * 2 if {i} > 0 else {c}\n{r} = {f} / {c}",
        "{c} = 1\nfor {i} in {v}:\n    {c} /= 2\n{r} = {c} * {f}",
        "{c} = 1\nfor {i} in {v}:\n    {c} *= {i}\n{r} = {c} + {f}",
        "{c} = 3\nwhile {c} > 0:\n    {c} -= 1\n    {r} = {c} * {f}",
        "{c} = 0\nfor {i} in {v}:\n    {c} = {c} + 1 if {i} < {num} else 0.5 * {f}\n{r} = {c} * 2",
        "{c} = 0\nfor {i} in range(3):\n    {c} = {c} ** 2 + {i}\n    {r} = {c} * {f}",
        "{c} = 2\nfor {i} in range(2):\n    {c} = {c} // 1 + {f}\n{r} = {c} * {c}",
        "{c} = 0\nfor {i} in {v}:\n    {c} = max({c}, {i})\n{r} = {c} * {f}",
        "{c} = True\nfor {i} in {v}:\n    {c} = {c} and {i} > {num}\n{r} = {c} * {f} + {f}",
        (
            "{c} = -1\nfor {i} in range(len({v})):\n    if {v}[{i}] > {num}:\n        {c} = {i}\n"
            "{r} = {v}[{c}] * {f}"
        ),
    ]
    a.line(a.pick(ways).format(c=c, r=r, i=i, v=v, f=a.float(1), num=a.number(-0.6, 0.6)))


@production(2.4)
def previous_is_none(a: Author) -> None:
    prev, t, e = a.fresh("prev last p"), a.fresh("total t"), a.fresh("e cur")
    seen = a.array(least=1)
    a.line(f"{prev} = None\n{t} = {a.pick(['0', '0.0'])}")
    with a.suite(f"for {e} in {seen.name}:", loop=True):
        with a.suite(
            a.pick([f"if {prev} is not None:", f"if {prev} is None:\n    pass\nelse:"]).split("\n")[0]
        ):
            a.line(
                f"{t} = {t} + np.sum({e} * {prev if a.place.header.endswith('not None:') else a.float(0)})"
            )
        if a.chance(0.3):
            leave(a, ("continue", "break"))
        a.line(f"{prev} = {a.pick([e, e, f'{e} * {a.float(0)}'])}")
    a.line(f"{a.fresh('a r')} = {t} + np.sum({prev})")


@production(1.7, simple=True)
def casts(a: Author) -> None:
    f, v, r = a.float(1), a.vector(None, 1), a.fresh("a r w")
    ways = [
        "{r} = int({f} * 5) * {g}",
        "{r} = float(int({f} * 3)) + {g}",
        "{r} = bool({f}) * {g}",
        "{r} = np.float64({f}) * {g}",
        "{r} = ({v}).astype(np.float64) * {g}",
        "{r} = ({v}).astype(int) * {g}",
        "{r} = np.asarray({f}) * {g}",
        "{r} = float(np.sum({v}))",
        "{r} = np.array({f})[()] * {g}",
        "{r} = ({v}).astype(bool) * {g}",
        "{r} = np.array({f}) + {v}",
        "{r} = round({f}, 1) + {g}",
        "{r} = np.array([{f}, 1])",
        "{r} = np.array([[0, {f}], [1, {g}]])",
        "{r} = float(np.array({f})) * {g}",
        "{r} = np.array([{f}]).item() * {g}",
        "{r} = np.float64({f}).item() * {g}",
        "{r} = ({v}).tolist()",
        "{r} = int(np.round({f} * 4)) * {g}",
        "{r} = math.trunc({f} * 4) + {g}",
        "{r} = np.array({f}, dtype=float).reshape(1) * {g}",
        "{r} = complex({f}, {g}).real * {g}",
    ]
    a.line(a.pick(ways).format(r=r, f=f, v=v, g=a.float(1)))
