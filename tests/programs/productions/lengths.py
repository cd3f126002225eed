"""Lengths that are computed from ints: arrays, slices, loops and shapes of them."""

from __future__ import annotations

from ..author import Author
from .registry import form, production

UNDER = (
    "np.mean({})",
    "np.sum({})",
    "np.std({})",
    "np.var({})",
    "({}).mean()",
    "np.sum(np.sin({}))",
    "np.linalg.norm({} + 0.1)",
    "np.mean(({}) ** 2)",
    "np.median({})",
)


def made(a: Author) -> str:
    """An array whose length is computed."""
    n = a.length(2)
    ways = [
        "np.arange({n})",
        "np.arange(1.0, {n} + 1)",
        "np.ones({n})",
        "np.full({n}, {f})",
        "np.linspace(0.0, 1.0, {n})",
        "np.arange({n}) * 0.5",
        "np.linspace({f}, 1.0, {n})",
        "np.zeros({n}) + {f}",
        "np.arange(0, {n}, 2)",
        "np.arange({n}, 0, -1)",
        "np.arange(1, {n})",
        "np.ones(({n}, 2))",
        "np.arange({n}, 6)",
        "np.full((2, {n}), {f})",
        "np.array([{f}] * {n})",
        "np.array([t * {f} for t in range({n})])",
        "np.repeat({f}, {n})",
        "np.eye({n})",
        "np.arange({n}).astype(float)",
        "np.tile([1.0, {f}], {n})",
        "np.linspace(0, {f}, num={n} + 1)[1:]",
        "np.arange(1.0, {n})[::-1]",
        "np.concatenate([np.ones({n}), [{f}]])",
    ]
    return a.pick(ways).format(n=n, f=a.float(0))


def part(a: Author) -> str:
    """A part of an array whose bounds are computed."""
    seen = a.array(1)
    n = a.length(1)
    ways = [
        "{v}[{n}:]",
        "{v}[:{n}]",
        "{v}[:-{n}]",
        "{v}[-{n}:]",
        "{v}[{n}:{m}]",
        "{v}[::{n}]",
        "{v}[{n}::2]",
        "np.delete({v}, slice(0, {n}))",
        "np.split({v}, [{n}])[1]",
        "np.split({v}, [{n}, {m}])[1]",
        "np.array_split({v}, {n})[0]",
        "{v}[:{n}][::-1]",
        "np.delete({v}, {n})",
        "{v}[1:-{n}]",
        "np.repeat({v}, {n})",
        "np.tile({v}, {n})",
        "np.pad({v}, {n})",
        "{v}[range({n})]",
        "{v}[np.arange({n})]",
        "np.diff({v}, n={n})",
        "{v}[slice(None, {n})]",
        "{v}[{n}:][:{m}]",
        "np.resize({v}, {n})",
        "np.trim_zeros({v}[{n}:])",
        "np.roll({v}, {n})[{n}:]",
        "{v}[np.arange(len({v})) < {n}]",
        "{v}[{v} > {f}]",
        "np.append({v}[:{n}], {f})",
        "{v}[-{n}:{m}]",
        "{v}[{m}:{n}:-1]",
        "np.concatenate([{v}[{n}:], {v}[:{n}]])",
    ]
    return a.pick(ways).format(v=a.vector(seen, 0), n=n, m=a.length(1), f=a.float(0))


@form("float", 1.5)
def of_computed_length(a: Author, depth: int) -> str:
    text = made(a) if a.chance(0.5) else part(a)
    return a.pick(UNDER).format(
        a.pick(["{t} * {f}", "{f} * {t}", "{t}", "{t} + {f}"]).format(t=text, f=a.float(depth - 1))
    )


@production(3, simple=True)
def array_of_computed_length(a: Author) -> None:
    text = made(a)
    factor = a.pick(["{t}", "{t} * {f}", "{f} + {t}", "np.sin({t} * {f})"]).format(t=text, f=a.float(1))
    a.line(f"{a.fresh('u g q grid')} = {factor}")


@production(2, simple=True)
def part_of_computed_length(a: Author) -> None:
    text = a.pick(["{}", "{} * {f}", "np.tanh({})"]).format(part(a), f=a.float(1))
    a.line(f"{a.fresh('u g q part')} = {text}")


@production(2, simple=True)
def length(a: Author) -> None:
    """An int with a name."""
    a.line(f"{a.fresh('m k num half')} = {a.length(2)}")


@production(3)
def length_in_loop(a: Author) -> None:
    """An array whose length depends on the turn."""
    i, t, n = a.fresh("i j k"), a.fresh("total t acc"), a.random.randint(2, 4)
    a.line(f"{t} = {a.pick(['0', '0.0', a.float(0)])}")
    with a.suite(
        a.pick(
            [f"for {i} in range({n}):", f"for {i} in range(1, {n}):", f"for {i} in range({a.length(1)}):"]
        ),
        loop=True,
    ):
        size = a.pick(
            [
                "{i}",
                "{i} + 1",
                "max(1, {n} - {i})",
                "{n} - {i}",
                "2 ** {i}",
                "min({i}, 2)",
                "({i} + 1) % 3",
                "max({i}, 2)",
            ]
        ).format(i=i, n=n)
        array = a.pick(
            [
                "np.arange({s})",
                "np.ones({s})",
                "np.full({s}, {f})",
                "np.linspace(0, 1, {s})",
                "{v}[:{s}]",
                "{v}[{s}:]",
                "np.zeros(({s}, 2))",
                "{v}[-({s}):]",
            ]
        ).format(s=size, f=a.float(0), v=a.array(1).name)
        under = a.pick(UNDER).format(
            a.pick(["{t} * {f}", "{f} * ({t} + {g})", "{t} + {f}"]).format(
                t=array, f=a.float(0), g=a.float(0)
            )
        )
        a.line(f"{t} = {t} {a.pick(['+', '-', '+'])} {under}")
        if a.chance(0.3):
            a.statements(1)


@production(2.4, simple=True)
def broadcast_of_lengths(a: Author) -> None:
    """Arrays of two computed lengths meet, where one of them may be 1."""
    n, seen = a.length(1), a.array()
    ways = [
        "np.full(max(1, {n} - 3), {f}) * {v}",
        "np.ones(({n}, 1)) * {v}",
        "np.arange({n})[:, None] * {v}",
        "{v} + np.zeros({n})",
        "np.ones({n} // {n}) * {v}",
        "np.full(min({n}, 1), {f}) + {v}",
        "{v} * np.ones(len({v}))",
        "{v}[:, None] * np.arange({n})",
        "{v} * np.arange({v}.shape[-1])",
        "np.outer({v}, np.ones({n}))",
        "np.broadcast_to({v}, ({n},) + {v}.shape) * {f}",
        "{v}[-1:] * np.ones({n})",
        "np.ones({n}) * {v}.sum()",
        "np.linspace(0, 1, {v}.shape[-1]) - {v}",
    ]
    a.line(f"{a.fresh('u g q')} = {a.pick(ways).format(n=n, v=seen.name, f=a.float(0))}")


@production(1.7, simple=True)
def computed_shape(a: Author) -> None:
    """``reshape`` and its like, to shapes that are computed."""
    n, seen = a.length(1), a.array()
    ways = [
        "{v}.reshape(-1, {n})",
        "{v}.reshape({n}, -1)",
        "np.reshape({v}, ({v}.size // {n}, {n}))",
        "{v}.reshape({v}.shape[::-1])",
        "np.arange(float({n} * 2)).reshape({n}, 2) * {f}",
        "{v}.reshape(-1, 1)",
        "{v}.reshape(len({v}), -1)",
        "np.ones(2 * {n}).reshape(2, -1) * {f}",
        "{v}.reshape(1, -1) * {f}",
        "np.stack([{v}] * {n})",
        "np.array_split({v}, 2)[0]",
        "np.hstack([{v}.ravel(), {f}])",
        "{v}.reshape({v}.size)",
        "np.zeros(({n}, {v}.shape[0])) + {v}.shape[0] * {f}",
        "np.vstack([{v}.ravel()] * {n})",
        "np.reshape({v}.ravel()[:2 * ({v}.size // 2)], (-1, 2))",
    ]
    text = a.pick(ways).format(n=n, v=seen.name, f=a.float(0))
    text = a.pick(["{}", "np.mean({}, axis=0)", "np.sum({}, axis=-1)", "{}"]).format(text)
    a.line(f"{a.fresh('u g q')} = {text}")


@production(2.1)
def loop_of_computed_length(a: Author) -> None:
    i, t, v = a.fresh("i j k"), a.fresh("total t acc"), a.array(1, least=1).name
    header = a.pick(
        [
            "np.arange({n}, {v}.shape[0])",
            "range({n}, len({v}))",
            "range({n} // 2)",
            "range(len({v}) - {n})",
            "range(0, len({v}), {n})",
            "range(min({n}, len({v})))",
            "range(abs({n} - 2))",
            "range(len({v}) - 1, {n}, -1)",
            "range(max(0, len({v}) - {n}), len({v}))",
        ]
    )
    a.line(f"{t} = {a.pick(['0', '0.0', '1.0'])}")
    with a.suite(f"for {i} in {header.format(n=a.length(1), v=v)}:", loop=True):
        a.line(f"{t} = {t} + {v}[{i} % len({v})] {a.pick(['** 2', '* ' + a.float(0), '* ' + i])}")
        if a.chance(0.3):
            a.statements(1)


@production(2, simple=True)
def list_of_computed_length(a: Author) -> None:
    n, c = a.length(1), a.fresh("c vals out")
    ways = [
        "[{f} * k for k in range({n})]",
        "[{f}] * {n}",
        "list(np.ones({n}) * {f})",
        "[{v}[k % len({v})] for k in range({n})]",
        "[t * {f} for t in {v}[:{n}]]",
        "[{v} * k for k in range({n})]",
        "list({v})[:{n}]",
        "[k + {f} for k in range(1, {n}) if k % 2]",
    ]
    a.line(f"{c} = {a.pick(ways).format(n=n, f=a.float(0), v=a.array(1, least=1).name)}")
