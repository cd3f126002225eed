"""Do kernels mean what Numba makes of the same functions?"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import types
from numba.core.compiler import Flags
from numba.core.datamodel import default_manager

from ast_ad.compiler.kernels.compilers import LEFT_OUT, REPLACED, _Given
from ast_ad.compiler.kernels.linked import linked
from ast_ad.compiler.kernels.runtime import bound, exact_kernel, kernel
from ast_ad.compiler.kernels.translation import FIELDS, OPERATORS

DTYPES = "f8", "f4", "i8", "i4", "u1", "?", "c16", "c8"
SIGNS = {"truediv": "/", "mul": "*", "add": "+", "sub": "-", "eq": "==", "ne": "!="}
ORDERS = "<", "<=", ">", ">="
SIGNS.update(zip(("lt", "le", "gt", "ge"), ORDERS, strict=True))
NUMBERS = (
    3,
    -2,
    True,
    2.5,
    np.float32(1.25),
    np.int32(-7),
    np.uint8(200),
    np.uint64(5),
    1.5 - 2j,
    np.complex64(2j),
)


def test_parts_of_arrays() -> None:
    for axes, layout in ((1, "C"), (3, "A")):
        parts = default_manager[types.Array(types.float64, axes, layout)]._fields
        assert {part: parts.index(part) for part in FIELDS} == FIELDS


def test_steps_are_there_to_be_replaced() -> None:
    """A step of Numba's that has another name now would be done in vain, or not at all."""
    compiled = exact_kernel(lambda x: x + 1)
    compiled(1.0)
    (result,) = compiled.overloads.values()
    steps = {name.partition("_")[2] for name in result.metadata["pipeline_times"]["nopython"]}
    assert {p._name for p in REPLACED.values()} <= steps
    assert not {p._name for p in (*LEFT_OUT, *REPLACED)} & steps
    assert "_optimize_functions" not in vars(result.library)  # but while what Python calls is written


def test_flags_that_helpers_are_found_by_stay_as_they_are() -> None:
    plain = Flags()
    plain.nrt, plain.error_model = True, "numpy"
    given = _Given(plain)
    settled = given.copy()
    assert settled is _Given(plain).copy() and settled == plain == settled and hash(settled) == hash(plain)
    given.nrt = False
    assert given.copy() != settled and settled.nrt and settled == plain
    with pytest.raises(TypeError):
        settled.nrt = False
    changed = settled.copy()
    changed.nrt = False
    assert settled.nrt and not changed.nrt


def laid_out(array: Any, layout: str) -> Any:
    if layout == "A":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return np.asarray(array, order=layout)  # type: ignore[call-overload]


@pytest.mark.drawn(of=36)
@pytest.mark.parametrize("layout", "CFA")
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements(dtype: str, layout: str) -> None:
    def swapped(a: Any, b: Any, i: Any, j: Any) -> Any:
        a[i, 1, -1], b[-2] = b[i], a[-2, j, 0]
        b[i] = a[j, -3, i]
        a[0, j, i] = 1
        return a[i, j, -2], a[-1, i, j], b[j], b[-1]

    for i, j in ((1, 0), (-2, -1), (np.int32(-1), np.int8(1)), (np.uint8(1), np.uint64(0))):
        a = laid_out(np.arange(24).reshape(3, 4, 2).astype(dtype), layout)
        b = laid_out(np.arange(5, 9).astype(dtype), layout)
        plain = a.copy(order="K"), b.copy(order="K")
        expected = numba.njit(swapped)(laid_out(plain[0], layout), b2 := laid_out(plain[1], layout), i, j)
        assert linked(swapped)(a, b, i, j) == expected
        assert np.array_equal(b, b2)


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("layout", "CFA")
@pytest.mark.parametrize("dtype", DTYPES)
def test_places(dtype: str, layout: str) -> None:
    """In kernels no index is below 0; all types of integers are places."""

    def swapped(a: Any, b: Any, i: Any, j: Any) -> Any:
        a[i, 1, 0], b[3] = b[i], a[2, j, 0]
        b[i] = a[j, 3, i]
        return a[i, j, 1], b[j], b[3]

    for i, j in ((1, 0), (np.int32(0), np.int8(1)), (np.uint8(1), np.uint64(0))):
        a = laid_out(np.arange(24).reshape(3, 4, 2).astype(dtype), layout)
        b = laid_out(np.arange(5, 9).astype(dtype), layout)
        a2, b2 = a.copy(), b.copy()
        assert exact_kernel(swapped)(a, b, i, j) == swapped(a2, b2, i, j)
        assert np.array_equal(a, a2)
        assert np.array_equal(b, b2)


def test_neighbours_in_a_slice_are_loaded_together() -> None:
    """``i + bound(start, n)`` is not below 0, which LLVM can't tell: it would choose between addresses."""

    def added(x: Any, y: Any, start: int) -> None:
        first = bound(start, x.shape[0])
        for i in range(y.shape[0]):
            y[i] += x[i + first] * x[i + first + 1]

    x, y = np.arange(20.0), np.zeros(9)
    function = kernel(added)
    function(x, y, 5)
    assert np.array_equal(y, x[5:14] * x[6:15])
    (text,) = function.inspect_llvm().values()
    assert re.search(r"load <\d+ x double>", text)
    assert not re.search(r"insertelement <\d+ x double>", text)


def test_arrays_that_are_made_chosen_and_left() -> None:
    def function(x: Any, n: int) -> float:
        total, held = 0.0, x
        for i in range(n):
            made = np.empty(i + 2)
            made[-1] = made[0] = x[i]
            if i % 2:
                held = made
            total += held[0] * made[i + 1] + held.T[-1]
        pair = (x, held)
        return total + pair[0][1] - pair[1][-1]

    x = np.array([1.0, 2.0, 3.0, 5.0])
    assert linked(function)(x, 4) == function(x, 4)


def test_elements_of_empty_shapes() -> None:
    """An index into an array without axes is none that counts along an axis."""

    def function(a: Any, row: Any) -> Any:
        a[()] = row[1][0]
        return a[()], row[-1, 2]

    a, row = np.array(2.0), np.arange(6.0).reshape(2, 3)
    assert linked(function)(a, row) == (3.0, 5.0)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("op", sorted(OPERATORS, key=lambda o: o.__name__))
def test_operators(op: Callable[..., Any]) -> None:
    """With numbers of all pairs of types, and constants on either side."""
    sign = SIGNS[op.__name__]
    numbers = [n for n in NUMBERS if sign not in ORDERS or not isinstance(n, (complex, np.complexfloating))]
    names = [f"x{k}" for k in range(len(numbers))]
    pairs = [f"{a} {sign} {b}" for a in (*names, "3", "2.5") for b in (*names, "-1", "0.5")]
    here: dict[str, Any] = {}
    exec(f"def of_all({', '.join(names)}):\n    return {', '.join(pairs)}", here)
    plain, ours = numba.njit(error_model="numpy")(here["of_all"]), exact_kernel(here["of_all"])
    assert ours(*numbers) == plain(*numbers)
    assert [s.return_type for s in ours.nopython_signatures] == [
        s.return_type for s in plain.nopython_signatures
    ]


# ----- names that are used again and again
def test_parts_of_one_name() -> None:
    def function(n: int, x: float) -> Any:
        i, kept = 7, 0.5  # an int, then a float, then an int again
        for i in range(n):
            t = i * x
            kept += t
        for i in range(n):
            t = kept if i else x
            t = t * t
            kept -= t / 2
        before = i
        t, i = 2, x  # type: ignore[assignment]
        while i < 20:
            i, t = i * 2 + t, t + 1  # type: ignore[assignment]
        return kept, before, i, t

    assert exact_kernel(function)(4, 0.3) == function(4, 0.3)


def test_a_name_is_known_from_the_turn_before() -> None:
    def function(n: int) -> Any:
        t, last = 9.0, -1.0
        for i in range(n):
            if i:
                last = last + t
            t = i * 1.5
            for k in range(2):
                t = t + k
        for i in range(2):
            t = 0.25
            last += t
        return last

    assert exact_kernel(function)(5) == function(5)


class Writer:
    """Writes a function of few names, most of them assigned again and again."""

    NAMES = "abcd"

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def number(self) -> str:
        first, second = self.random.choices(self.NAMES, k=2)
        form = ["{} + {} * 0.5", "{} - {}", "{} * 0.75", "0.5 + {}", "x[0] - {}", "x[1] * {}"]
        return self.random.choice(form).format(first, second)

    def block(self, depth: int, indent: str, in_loop: bool) -> Iterator[str]:
        for _ in range(self.random.randint(2, 4)):
            kind = self.random.random()
            if depth and kind < 0.25:
                name, self.loops = self.random.choice("ijk") + str(depth), self.loops + 1
                yield f"{indent}for {name} in range({self.random.randint(0, 3)}):"
                yield from self.block(depth - 1, indent + "    ", True)
            elif depth and kind < 0.45:
                yield f"{indent}if {self.random.choice(self.NAMES)} > {self.random.uniform(-1, 2):.2f}:"
                yield from self.block(depth - 1, indent + "    ", in_loop)
                if self.random.random() < 0.5:
                    yield f"{indent}else:"
                    yield from self.block(depth - 1, indent + "    ", in_loop)
                elif in_loop and self.random.random() < 0.3:
                    yield f"{indent}    {self.random.choice(['break', 'continue'])}"
            elif kind < 0.6:
                yield f"{indent}x[{self.random.randint(0, 1)}] = {self.number()}"
            elif kind < 0.7:
                first, second = self.random.sample(self.NAMES, 2)
                yield f"{indent}{first}, {second} = {self.number()}, {self.number()}"
            else:
                sign = self.random.choice(["=", "=", "+="])
                yield f"{indent}{self.random.choice(self.NAMES)} {sign} {self.number()}"

    def text(self) -> str:
        lines = ["def function(x):", "    a, b, c, d = 0.5, x[0], x[1], -1.0", *self.block(3, "    ", False)]
        return "\n".join([*lines, "    return a, b, c, d"])


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("seed", range(24))
def test_random_names(seed: int) -> None:
    check(Writer(seed).text())


def check(text: str) -> None:
    here: dict[str, Any] = {}
    exec(text, here)
    plain, ours = np.array([0.7, -1.2]), np.array([0.7, -1.2])
    expected = here["function"](plain)
    assert exact_kernel(here["function"])(ours) == expected, text
    assert np.array_equal(ours, plain, equal_nan=True), text
