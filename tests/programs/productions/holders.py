"""Who holds an array: one in several lists, dicts and names; lists that grow, are swapped and unpacked."""

from __future__ import annotations

from ..author import Author
from ..probe import Seen
from .names import count, leave
from .registry import production


def change(a: Author, name: str, seen: Seen | None = None) -> str:
    """A statement that writes into the array of this name."""
    ways = [
        "{n} += {d}",
        "{n} *= {d}",
        "{n}[:] = {n} * {d}",
        "{n}[0] = {d}",
        "{n}[-1:] += {d}",
        "{n} -= 0.3 * np.sin({n})",
        "{n}[...] = np.cos({n})",
        "{n}[0] *= {d}",
        "np.add({n}, {d}, out={n})",
        "{n}[1:] *= {d}",
        "{n}.fill({d})",
        "np.multiply({n}, {d}, {n})",
    ]
    return a.pick(ways).format(n=name, d=a.damped())


@production(2.4)
def history(a: Author) -> None:
    """A list to which the same array, or copies of it, is appended in a loop that changes it."""
    u, hist, seen = a.fresh("u w state"), a.fresh("hist us log"), a.array(least=1)
    starts = ["{v}.copy()", "np.zeros_like({v})", "{v} * {f}", "{v}", "np.tanh({v})"]
    a.line(f"{u} = {a.pick(starts).format(v=seen.name, f=a.float(0))}")
    a.line(f"{hist} = {a.pick(['[]', '[]', f'[{u}]', f'[{u}.copy()]'])}")
    with a.suite(f"for {a.fresh('i k')} in range({a.random.randint(1, 4)}):", loop=True):
        kept = a.pick(["{u}", "{u}", "{u}.copy()", "{u}[:]", "{u} * 2", "{u}.T", "np.array({u})"]).format(u=u)
        lines = [change(a, u) if a.chance(0.75) else f"{u} = {u} * {a.damped()}", f"{hist}.append({kept})"]
        if a.chance(0.4):
            lines.reverse()
        a.line("\n".join(lines))
        if a.chance(0.3):
            a.statements(1)
        if a.chance(0.2):
            leave(a)
    ways = [
        "sum([np.sum(h * h) for h in {h}])",
        "np.sum(np.array({h}) * {f})",
        "np.sum({h}[0]) * {f} + np.sum({h}[-1])",
        "np.sum(np.stack({h})[-1])",
        "sum(np.sum(h) * k for k, h in enumerate({h}))",
        "np.sum(np.mean({h}, axis=0))",
    ]
    a.line(f"{a.fresh('a r b')} = {a.pick(ways).format(h=hist, f=a.float(0))}")


@production(2.5)
def rows_in_a_list(a: Author) -> None:
    """A list of the rows of a matrix, or of parts of a vector: each is a view."""
    seen, rows = a.array(least=2), a.fresh("rows parts ws")
    ways = [
        "[{y}[k] for k in range(len({y}))]",
        "list({y})",
        "[r for r in {y}]",
        "[{y}[0], {y}[-1]]",
        "[{y}[:1], {y}[1:]]",
        "list({y}[::-1])",
        "np.split({y}, [1])",
        "[*{y}]",
        "[{y}[k, 1:] for k in range(2)]",
        "[{y}.T, {y}]",
        "[{y}, {y}]",
        "list(map(np.asarray, {y}))",
        "[r * 1.0 for r in {y}]",
    ]
    a.line(f"{rows} = {a.pick(ways).format(y=seen.name)}")
    r = a.fresh("r p o")
    writes = [
        "{rows}[1][:] = {f}",
        "{rows}[0] *= {f}",
        "{rows}[0], {rows}[1] = {rows}[1], {rows}[0]\n{rows}[0] *= {f}",
        "{r} = {rows}[-1]\n{r} += {f}",
        "for {r} in {rows}:\n    {r} *= {f}",
        "for k, {r} in enumerate({rows}):\n    {r} += {f} * k",
        "{rows}[0], {rows}[1] = {rows}[1], {rows}[0]",
        "{rows}.reverse()\n{rows}[0] -= {f}",
        "{rows}[0] = {rows}[1]\n{rows}[1][0] = {f}",
        "{rows}.append({rows}[0])\n{rows}[-1] += {f}",
        "{y}[0] = {f}",
        "{y} *= {f}",
        "{rows}[0] = {rows}[0] * {f}\n{rows}[0] += {y}[0]",
        "{r} = {rows}.pop()\n{r} *= {f}",
    ]
    a.line(a.pick(writes).format(rows=rows, r=r, f=a.damped(), y=seen.name))


@production(2.1, simple=True)
def unpacked_array(a: Author) -> None:
    """``w1, w2 = list(y)``, ``first, *rest = x``: parts of one array."""
    seen = a.array(least=2)
    names = [a.fresh("w1 w2 w3 p1 p2") for _ in range(3)]
    first, second, third = names
    ways = [
        "{0}, {1} = list({y})[:2]",
        "{0}, {1} = {y}[:2]",
        "{0}, *{1} = {y}",
        "{0}, {1}, *{2} = list({y})",
        "({0}, {1}), {2} = {y}[:2], {y}",
        "[{0}, {1}] = {y}[0], {y}[1]",
        "{0}, {1} = {y}[0], {y}[0]",
        "{0} = {1} = {y}",
        "{0}, {1} = {y}, {y}[1:]",
        "*{0}, {1} = {y}",
    ]
    text = a.pick(ways).format(first, second, third, y=seen.name)
    a.line(text)
    write = a.pick(
        [
            "{0} -= {f} * 1.5",
            "{0} = {0} * {f}",
            "{0} += {1}",
            "{y}[0] = {f}",
            "{1} *= {f}",
            "{0}[0] = {f}",
            "{0}, {1} = {1}, {0}",
            "pass",
        ]
    )
    a.line(write.format(first, second, y=seen.name, f=a.damped()))


@production(1.7)
def momentum(a: Author) -> None:
    """An optimiser's loop, with or without a history."""
    w, v, seen, ws = a.fresh("w th"), a.fresh("v vel"), a.array(), a.fresh("ws path")
    copied = a.pick(["{}.copy()", "{}.copy()", "{}", "{} * 1.0"]).format(seen.name)
    a.line(f"{w} = {copied}\n{v} = {a.pick([f'np.zeros_like({w})', '0.0', f'{w} * 0.1', '0'])}")
    keeps = a.chance(0.6)
    if keeps:
        a.line(f"{ws} = []")
    with a.suite(f"for {a.fresh('k it')} in range({count(a)}):", loop=True):
        decay = a.pick([f"{v} *= 0.9", f"{v} = 0.9 * {v}"])
        step = a.pick(
            [f"{v} -= {a.damped(0)} * np.cos({w})", f"{v} = {v} - 0.2 * np.sin({w}) * {a.float(0)}"]
        )
        move = a.pick([f"{w} += {v}", f"{w} = {w} + {v}", f"{w}[:] = {w} + {v}"])
        a.line("\n".join([decay, step, move]))
        if keeps:
            a.line(f"{ws}.append({a.pick([w, w, w + '.copy()', v])})")
        if a.chance(0.2):
            leave(a)
    if keeps:
        a.line(f"{a.fresh('a r')} = sum([np.sum(h * {a.float(0)}) for h in {ws}])")
    a.line(f"{a.fresh('a r')} = np.sum({w} * {w}) + np.sum({v})")


@production(1.5)
def list_grows_while_iterated(a: Author) -> None:
    held, e, t, r = a.fresh("l todo items"), a.fresh("e item p"), a.fresh("total t"), a.fresh("a r")
    f, g, n = a.float(1), a.float(1), a.random.randint(3, 6)
    start = a.pick(["[{f}]", "[{f}, {g}]", "list({v})", "[{v}]", "[1, {f}]"]).format(
        f=f, g=g, v=a.array(1, least=1).name
    )
    ways = [
        "for {e} in {held}:\n    if len({held}) < {n}:\n        {held}.append({e} * {d})",
        (
            "for {e} in {held}:\n    {t} = {t} + np.sum({e})\n    if len({held}) < {n}:\n"
            "        {held}.append(np.sin({e}))"
        ),
        "for k, {e} in enumerate({held}):\n    if k < {n}:\n        {held}.append({e} * {d})",
        "while len({held}) < {n}:\n    {held}.append({held}[-1] * {d})",
        "for {e} in {held}:\n    if len({held}) > {n}:\n        break\n    {held}.append({e} * {d} + 0.1)",
        "for {e} in {held}[:]:\n    {held}.append({e} * {d})",
        "for {e} in list({held}):\n    {held}.insert(0, {e} * {d})",
        "for {e} in {held}:\n    {held}[-1] = {held}[-1] + {e} * {d}",
        "for k in range(len({held})):\n    {held}.append({held}[k] * {d})",
        "for {e}, k in zip({held}, range({n})):\n    {held}.append({e} * {d})",
        "for {e} in {held}:\n    if len({held}) < {n}:\n        {held} += [{e} * {d}]",
        "for {e} in {held}:\n    {t} = {t} + np.sum({e})\n    if len({held}) > 1:\n        del {held}[-1]",
        "for {e} in reversed({held}):\n    if len({held}) < {n}:\n        {held}.append({e} * {d})",
        "for {e} in {held}:\n    if len({held}) < {n}:\n        {held}.extend([{e} * {d}, 0.2])",
    ]
    a.line(f"{held} = {start}\n{t} = {a.pick(['0', '0.0'])}")
    a.line(a.pick(ways).format(held=held, e=e, t=t, n=n, d=a.damped(0)))
    a.line(f"{r} = {t} + sum([np.sum(h * {a.float(0)}) for h in {held}])")


@production(2.1)
def work_list(a: Author) -> None:
    """A list as stack or queue."""
    held, e, t = a.fresh("stack queue work"), a.fresh("e item p"), a.fresh("total t")
    f, n = a.float(1), a.random.randint(2, 5)
    ways = [
        (
            "{held} = [{f}]\n{t} = 0.0\nwhile {held}:\n    {e} = {held}.pop()\n    {t} += {e} * {e}\n"
            "    if abs({e}) > 0.3:\n        {held}.append({e} * 0.5)"
        ),
        (
            "{held} = [({f}, {n})]\n{t} = 0\nwhile {held}:\n    {e}, k = {held}.pop()\n"
            "    {t} = {t} + {e} * k\n    if k > 1:\n        {held}.append(({e} * {d}, k - 1))"
        ),
        (
            "{held} = list({v})\n{t} = 0.0\nwhile len({held}) > 1:\n    {e} = {held}.pop(0)\n"
            "    {held}[0] = {held}[0] + {e} * {d}\n{t} = {held}[0]"
        ),
        "{held} = list({v})\n{t} = 0.0\nwhile {held}:\n    {e} = {held}.pop()\n    {t} = {t} * {d} + {e}",
        (
            "{held} = [{f}]\n{t} = 0\nfor k in range({n}):\n    {held}.append({held}[-1] * {d})\n"
            "    if len({held}) > 2:\n        {t} += {held}.pop(0)"
        ),
        (
            "{held} = [{v}]\n{t} = 0.0\nwhile {held}:\n    {e} = {held}.pop()\n    if len({e}) <= 1:\n"
            "        {t} += np.sum({e} ** 2)\n    else:\n"
            "        {held}.append({e}[: len({e}) // 2])\n        {held}.append({e}[len({e}) // 2 :])"
        ),
        (
            "{held} = [0]\n{t} = 0.0\nwhile {held}:\n    k = {held}.pop()\n    {t} += {f} * k\n"
            "    if k < {n}:\n        {held} += [k + 1, k + 2]"
        ),
        (
            "{held} = [{f}, {f} * 0.5]\nfor k in range({n}):\n"
            "    {held} = [{held}[-1], {held}[0] + {held}[-1] * {d}]\n{t} = {held}[0] * {held}[1]"
        ),
        (
            "{held} = [{v}.copy()]\n{t} = 0.0\nfor k in range({n}):\n    {e} = {held}.pop()\n"
            "    {e} *= {d}\n    {t} += np.sum({e})\n    {held}.append({e})"
        ),
        (
            "{held} = []\n{t} = 0.0\nfor {e} in {v}:\n    while {held} and {held}[-1] < {e}:\n"
            "        {t} = {t} + {held}.pop() * {f}\n    {held}.append({e})\n{t} = {t} + sum({held})"
        ),
    ]
    a.line(a.pick(ways).format(held=held, e=e, t=t, f=f, n=n, d=a.damped(0), v=a.array(1, least=1).name))


@production(2.6)
def swaps(a: Author) -> None:
    """Names of arrays that change places, in a loop or not, and writes afterwards."""
    x = a.array(least=1)
    y = a.pick(a.like(x.form))
    first, second = a.fresh("a0 cur"), a.fresh("b0 nxt")
    own = a.pick(["{}.copy()", "{} * 1.0", "np.zeros_like({})", "{}"])
    a.line(
        f"{first} = {a.pick(['{}.copy()', '{}', '{} * 2.0']).format(x.name)}\n{second} = {own.format(y.name)}"
    )
    moves = [
        "{a}, {b} = {b}, {a}",
        "{b}, {a} = {a}, {a}",
        "{a}, {b} = {b}, {a} * {d}",
        "{a} = {b}",
        "{t} = {a}\n{a} = {b}\n{b} = {t}",
        "{a}, {b} = {b}, {b}",
    ]
    text = a.pick(moves).format(a=first, b=second, d=a.damped(0), t=a.fresh("tmp t"))
    if a.chance(0.7):
        with a.suite(f"for {a.fresh('i k')} in range({count(a)}):", loop=True):
            lines = [text, change(a, a.pick([first, second]))]
            if a.chance(0.5):
                lines.reverse()
            a.line("\n".join(lines[: 1 if a.chance(0.2) else 2]))
    elif a.chance(0.5):
        a.line(f"if {a.condition()}:\n    " + text.replace("\n", "\n    "))
    else:
        a.line(text)
    a.line(change(a, a.pick([first, second])))
    a.line(f"{a.fresh('a r')} = np.sum({first}) * {a.float(0)} + np.sum({second} * {second})")


@production(2.3, simple=True)
def shared_array(a: Author) -> None:
    """One array in two containers; it is changed through one of them."""
    x, c, d = a.array(least=1, writeable=True).name, a.fresh("c box bag"), a.fresh("d map kept")
    ways = [
        "{c} = [{x}, {x}]\n{c}[0] *= {f}\n{r} = np.sum({c}[1])",
        '{c} = [{x}]\n{d} = {{"k": {x}}}\n{d}["k"][0] = {f}\n{r} = np.sum({c}[0])',
        "{c} = [{x}.copy()] * 2\n{c}[0] += {f}\n{r} = np.sum({c}[1])",
        '{d} = {{"a": {x}, "b": {x}[1:]}}\n{d}["b"] *= {f}\n{r} = np.sum({d}["a"])',
        "{c} = ({x}, {f})\n{c}[0][0] = {f}\n{r} = np.sum({x}) * {c}[1]",
        ("{c} = [{x}]\n{d} = {c}\n{d}.append({x} * 2)\n{d}[0][0] += {f}\n{r} = len({c}) * np.sum({c}[0])"),
        (
            "{c} = [{x}.copy(), {x}.copy()]\n{d} = {c}[:]\n{d}[0] *= {f}\n{d}[1] = {d}[1] * {f}\n"
            "{r} = np.sum({c}[0]) + np.sum({c}[1])"
        ),
        "{c} = [[0.0] * 2] * 2\n{c}[0][1] = {f}\n{r} = {c}[1][1] * np.sum({x})",
        ("{c} = [{x}]\n{d} = list({c})\n{x} = {x} * 2\n{d}[0][0] *= {f}\n{r} = np.sum({x}) + np.sum({c}[0])"),
        '{d} = dict(a={x})\n{c} = {d}.copy()\n{c}["a"] += {f}\n{r} = np.sum({d}["a"])',
        "{c} = [{x}]\n{c} = {c} + [{c}[0]]\n{c}[1] -= {f}\n{r} = np.sum({c}[0] * {c}[1])",
        "{c} = [{x}]\n{c}.extend({c})\n{c}[-1][:1] = {f}\n{r} = np.sum({c}[0])",
        "{c} = [{x}[0:1], {x}]\n{c}[1] *= {f}\n{r} = np.sum({c}[0])",
        "{c} = np.array([{x}, {x}])\n{c}[0] *= {f}\n{r} = np.sum({c}[1]) + np.sum({x})",
        "{c} = [{x}]\nfor {d} in {c}:\n    {d} += {f}\n{r} = np.sum({x} * {c}[0])",
        "{c} = {x}\n{x} = {x} + {f}\n{c} *= 2\n{r} = np.sum({x}) - np.sum({c})",
    ]
    a.line(a.pick(ways).format(c=c, d=d, x=x, f=a.damped(), r=a.fresh("a r b")))


@production(2.2, simple=True)
def list_methods(a: Author) -> None:
    held, f, g, v = a.fresh("l vals c"), a.float(1), a.float(1), a.array(1, least=1).name
    start = a.pick(
        ["[{f}, {g}]", "list({v})", "[{v}, {v} * 2]", "[0, {f}]", "[{f}] * 3", "{v}.tolist()", "sorted({v})"]
    ).format(f=f, g=g, v=v)
    ops = [
        "{held}.append({g})",
        "{held}.insert(1, {g})",
        "{held}.extend([{g}, 1])",
        "{held} += [{g}]",
        "{held} = {held} + {held}",
        "{held}[0:1] = [{g}, {f}]",
        "del {held}[0]",
        "{held}.reverse()",
        "{held} *= 2",
        "{held} = {held}[::-1]",
        "{held}[0], {held}[-1] = {held}[-1], {held}[0]",
        "{held}.pop(0)",
        "{held}[-1] = {g}",
        "{held} = [h * {g} for h in {held}]",
        "{held} = {held}[1:] + {held}[:1]",
        "{held}[:] = [h * 2 for h in {held}]",
        "{held}.append({held}[0] * {g})",
        "{held} = [*{held}, {g}]",
        "{held}[-1] += {g}",
        "{held} = list(reversed({held}))",
    ]
    lines = [a.pick(ops).format(held=held, f=f, g=g) for _ in range(a.random.randint(1, 3))]
    a.line(
        "\n".join(
            [
                f"{held} = {start}",
                *lines,
                f"{a.fresh('a r')} = sum([np.sum(h) * (k + 1) for k, h in enumerate({held})])",
            ]
        )
    )


@production(1.7)
def dicts(a: Author) -> None:
    d, f, x = a.fresh("d params cfg"), a.float(1), a.array(least=1)
    k = a.fresh("k key")
    a.line(
        f'{d} = {{"w": {a.pick([x.name, x.name + ".copy()", a.vector(x, 1)])}, "b": '
        f"{a.pick([f, '0', '1.0'])}}}"
    )
    ops = [
        "for {k} in {d}:\n    {d}[{k}] = {d}[{k}] * {f}",
        "for {k}, v0 in {d}.items():\n    {d}[{k}] = v0 - 0.1 * np.sin(v0)",
        '{d}["w"] += {f}',
        '{d}["c"] = {d}["w"] * {d}["b"]',
        "{d}.update(b={f})",
        "{d} = {{k0: v0 * {f} for k0, v0 in {d}.items()}}",
        '{d}["b"] = {d}.get("z", {f})',
        '{d}["w"][0] = {f}',
        '{d}.setdefault("n", 0)\n{d}["n"] += {f}',
        '{d} = {{**{d}, "b": {f}}}',
        'if "b" in {d}:\n    {d}["b"] = {d}["b"] + {f}',
        "for {k} in sorted({d}):\n    {d}[{k}] *= {f}",
        '{d}["w"], {d}["b"] = {d}["b"], {d}["w"]',
        '{d}["b"] = {d}.pop("w")',
        '{d}.setdefault("w", {f})',
        'for {k} in list({d}):\n    {d}[{k} + "2"] = {d}[{k}] * 0.5',
    ]
    text = a.pick(ops).format(d=d, f=a.damped(), k=k)
    if a.chance(0.5):
        with a.suite(f"for {a.fresh('i it')} in range({count(a)}):", loop=True):
            a.line(text)
    else:
        a.line(text)
    a.line(f"{a.fresh('a r')} = sum([np.sum(v0) for v0 in {d}.values()])")


@production(1.7)
def iterated_containers(a: Author) -> None:
    """zip, enumerate and reversed over lists whose elements are written."""
    held, x = a.fresh("l ms c"), a.array(least=1)
    y = a.pick(a.like(x.form)).name
    ways = ["[{x}, {y}]", "[{x}.copy(), {y} * 2.0]", "[{x} * {f}, {x}]", "[{x}, {x}, {y}]"]
    a.line(f"{held} = {a.pick(ways).format(x=x.name, y=y, f=a.float(0))}")
    p, q = a.fresh("p e"), a.fresh("q o")
    header = a.pick(
        [
            "for {p} in {held}:",
            "for {p}, {q} in zip({held}, {held}[1:]):",
            "for {q}, {p} in enumerate({held}):",
            "for {p} in reversed({held}):",
            "for {p}, {q} in zip({held}, [1.0, {f}, 2]):",
            "for {q}, {p} in enumerate(reversed({held})):",
            "for {p} in {held}[::-1]:",
            "for {p}, {q} in zip({held}, reversed({held})):",
            "for {q}, {p} in enumerate({held}, 1):",
            "for {p}, {q} in zip({x}, {y}):",
        ]
    )
    with a.suite(header.format(p=p, q=q, held=held, f=a.float(0), x=x.name, y=y), loop=True):
        body = [
            "{p} += {d}",
            "{p} *= {d}",
            "{p}[0] = {d}",
            "{p} = {p} * {d}",
            "{p}[:] = {p} * np.sum({q})",
            "{held}[0] = {p} * {d}",
            "{held}[-1] = {held}[0]",
            "{p} -= {q} * 0.5",
        ]
        a.line(a.pick(body).format(p=p, q=q, d=a.damped(), held=held))
        if a.chance(0.4):
            a.statements(1)
    a.line(f"{a.fresh('a r')} = sum([np.sum(h * h) * (k + 1) for k, h in enumerate({held})]) + np.sum({p})")
