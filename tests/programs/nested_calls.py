"""Random nests of loops as kernels, with lengths that are new to them, and arguments of any layout.

``python -m tests.programs.nested_calls 0 500`` compiles the programs of 500 seeds with Numba and compares
values with the plain function's, and gradients with differences along a few directions. Lengths of 0, 1 and 2
are among those of a program's calls. Its arguments lie by columns, backwards, at every second element,
read-only, in another byte order, and some are one array, or parts of one.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .case import load, unload
from .check import _derivative
from .nests import Writer

CALLS = ((4, 3), (3, 5), (1, 1), (2, 1), (1, 2), (5, 2), (0, 2), (3, 0), (2, 2), (0, 0))
WRT = (0, 1, 2, 3, 4, 7)


@dataclass(frozen=True)
class Layouts:
    """How the arguments of a call lie in memory."""

    x: str = "plain"
    a: str = "plain"
    shared: str = ""  # "same": z is x; "inside": z and x overlap; "row": y is a row of a
    single: bool = False

    def build(self, values: tuple[Any, ...]) -> list[Any]:
        x, y, z, a, s, idx, k, c = values
        kind = np.float32 if self.single else np.float64
        x, y, z, a = (np.array(v, kind) for v in (x, y, z, a))
        c = laid(np.array(c, np.complex64 if self.single else complex), self.x)
        a = laid(a, self.a)
        if self.shared == "same":
            x = z = laid(x, self.x)
        elif self.shared == "inside" and len(x):
            whole = np.append(x, x[:1])  # of another argument's elements all but one
            x, z = whole[:-1], whole[1:]
        elif self.shared == "row" and len(a):
            x, z, y = laid(x, self.x), laid(z, "plain"), a[-1]
        else:
            x, z = laid(x, self.x), laid(z, self.x if self.x != "constant" else "plain")
        return [x, y, z, a, s, idx.copy(), k, c]


def laid(v: np.ndarray, how: str) -> np.ndarray:
    """The same values at other places in memory."""
    if how == "columns":
        return np.asfortranarray(v)
    if how == "backwards":
        return v[::-1].copy()[::-1]
    if how == "second":
        wide = np.full([2 * n for n in v.shape], np.nan, v.dtype)
        wide[(slice(None, None, 2),) * v.ndim] = v
        return wide[(slice(None, None, 2),) * v.ndim]
    if how == "turned":
        return np.ascontiguousarray(v.T).T
    if how == "constant":
        v = v.copy()
        v.flags.writeable = False
        return v
    if how == "swapped":
        return v.astype(v.dtype.newbyteorder())
    return v.copy()


def calls(seed: int, writes: bool) -> Iterator[tuple[tuple[Any, ...], Layouts]]:
    source, numbers = random.Random(f"calls/{seed}"), np.random.default_rng(seed)
    single = source.random() < 0.15
    first, *rest = CALLS[:2] if source.random() < 0.8 else source.sample(CALLS, 2)
    sizes = [first, *rest, *source.sample(CALLS[2:], 2)]
    for number, (n, m) in enumerate(sizes):
        draw = lambda *shape: np.round(numbers.normal(size=shape), 2) + 0.003  # noqa: E731
        values = draw(n), draw(m), draw(n), draw(n, m), float(draw()), numbers.integers(-n, max(n, 1), n)
        pick, hows = source.choice, ["columns", "backwards", "second", "turned", "swapped"]
        hows += [] if writes else ["constant"]
        layouts = Layouts(single=single)
        if source.random() < (0.3 if number == 0 else 0.6):
            shared = pick(["", "", "same", "inside", "row"])
            layouts = Layouts(pick(["plain", *hows]), pick(["plain", *hows]), shared, single)
        yield (*values, source.randint(0, 4), draw(n) + 1j * draw(n)), layouts


def settled(values: tuple[Any, ...], layouts: Layouts) -> tuple[Any, ...]:
    """The values that the arguments have, where some share memory."""
    return tuple(v.copy() if isinstance(v, np.ndarray) else v for v in layouts.build(values))


def attempt(f: Any, args: list[Any]) -> Any:
    try:
        return f(*args)
    except Exception as error:
        return error


def moved(values: tuple[Any, ...], directions: list[Any], step: float) -> list[Any]:
    """The arguments in double precision and in plain memory, a step further."""
    args = list(values)
    for i, d in zip(WRT, directions, strict=True):
        args[i] = args[i] + step * d if i != 4 else float(args[i] + step * d)
    return [np.array(v, np.result_type(v, float)) if i in WRT and i != 4 else v for i, v in enumerate(args)]


def judge(seed: int, folder: pathlib.Path, backend: str, directions: int = 3) -> str:
    """'right', 'refused', 'raises' (every call), 'unsure', or what is wrong."""
    import ast_ad

    writer = Writer(seed)
    module = load(writer.source(), folder)
    try:
        derivative = ast_ad.value_and_grad(module.f, argnums=WRT, backend=backend)
        raised = refused = sure = 0
        given = list(calls(seed, writer.writes))
        for number, (values, layouts) in enumerate(given):
            found = compared(module.f, derivative, values, layouts, directions, seed)
            if found.startswith("wrong"):
                n, m = values[3].shape
                return f"call {number} ({n}, {m}) {layouts} k={values[6]}: {found}"
            raised, refused = raised + (found == "raises"), refused + (found == "refused")
            sure += found == "sure"
        if raised == len(given):
            return "raises"
        return "refused" if refused else "right" if sure else "unsure"
    finally:
        unload(module)


def compared(f: Any, derivative: Any, values: Any, layouts: Layouts, count: int, seed: int) -> str:
    """One call, against the plain function and its differences along a few directions."""
    import ast_ad

    values = settled(values, layouts)
    expected = attempt(f, layouts.build(values))
    args = layouts.build(values)
    try:
        value, gradient = derivative(*args)
    except ast_ad.AdError as error:
        if isinstance(error, ast_ad.errors.InternalError) or error.code.startswith("E9"):
            return f"wrong: {error}"
        return "refused"
    except Exception as error:
        same = isinstance(expected, Exception) and type(error) is type(expected)
        return "raises" if same else f"wrong: {type(error).__name__}: {error} instead of {expected!r}"
    if isinstance(expected, Exception):
        return f"wrong: {value} instead of {expected!r}"
    if not all(np.array_equal(one, two) for one, two in zip(args, layouts.build(values), strict=True)):
        return "wrong: an argument has changed"
    near = 2e-4 if layouts.single else 1e-9
    if not np.allclose(value, expected, near, near, equal_nan=True):
        return f"wrong: value {value} instead of {expected}"
    for i, got in zip(WRT, gradient, strict=True):
        kind = getattr(args[i], "dtype", None)
        if np.shape(got) != np.shape(args[i]) or kind is not None and got.dtype != kind.newbyteorder("="):
            return f"wrong: gradient {i} is {got!r}"
    numbers, sure = np.random.default_rng(seed), 0
    for _ in range(count):
        along = [numbers.normal(size=np.shape(values[i])) for i in WRT]
        along[-1] = along[-1] + 1j * numbers.normal(size=along[-1].shape)
        single = abs(f(*moved(values, along, 0.0)) - expected) > 1e-4 * (1 + abs(expected))
        try:
            estimate = np.nan if single else _derivative(lambda h, d=along: float(f(*moved(values, d, h))))
        except Exception:
            estimate = np.nan
        if not np.isfinite(estimate):
            continue
        sure += 1
        got = sum(float(np.sum(np.real(np.conj(g) * d))) for g, d in zip(gradient, along, strict=True))
        bound = (5e-3 if layouts.single else 1e-5) * (1 + abs(estimate) + abs(expected))
        if not abs(got - estimate) <= bound:
            return f"wrong: slope {got} instead of {estimate}"
    return "sure" if sure else "unsure"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("count", type=int, help="of programs")
    parser.add_argument("--backend", default="numba")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    os.environ.setdefault("AST_AD_CHECK", "0")
    tally: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        for seed in range(options.first, options.first + options.count):
            if options.show:
                print(f"# seed {seed}\n{Writer(seed).source()}")
                continue
            started = time.perf_counter()
            found = judge(seed, pathlib.Path(name), options.backend)
            kind = found if found in ("right", "refused", "raises", "unsure") else "wrong"
            tally[kind] += 1
            if options.verbose:
                print(seed, kind, f"{time.perf_counter() - started:.1f}", flush=True)
            if kind == "wrong":
                print(f"# seed {seed}: {found}\n{Writer(seed).source()}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in tally.items()))
    return int(tally["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
