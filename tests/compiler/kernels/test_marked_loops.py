"""Are loops of a known number of turns vectors in machine code where that is faster, and right always?"""

from __future__ import annotations

import platform
import re
from typing import Any

import numpy as np
import pytest

from ast_ad.compiler.kernels import translation, vector_math
from ast_ad.compiler.kernels.numbers import kernel_math
from ast_ad.compiler.kernels.runtime import kernel

SUM, STORE = "total = total + x[i] * y[i]", "out[i] = x[i] - y[i]"
ADDED, BRANCH = "out[i] += x[i] * y[3]", "total = total + x[i] if x[i] > y[i] else total - 2.0"
CALL, CALLED = "out[i] = tanh(x[i])", "out[i] = expit(x[i] * y[i])"
CASES = [
    *((line, turns, True) for line in (SUM, STORE, ADDED) for turns in (16, 17, 32)),
    *((line, turns, True) for line in (CALL, CALLED) for turns in (4, 7, 16, 33)),
    *((line, turns, False) for line in (SUM, STORE, ADDED) for turns in (1, 4, 15, 64)),
    *((line, turns, False) for line in (CALL, CALLED) for turns in (3, 64)),
    *((line, "len(x)", False) for line in (SUM, STORE, CALL)),
    (SUM, "3, 40, 2", True),
    (SUM, "31, -1, -1", True),
    (BRANCH, 32, False),
    ("for j in range(20): total = total + x[i] * y[j]", 20, True),  # the inner one
]


def one_loop(line: str, turns: Any) -> Any:
    text = "def function(x, y, out):\n    total = 0.0\n"
    text += f"    for i in range({turns}):\n        {line}\n    return total\n"
    here: dict[str, Any] = {"tanh": vector_math.tanh, "expit": kernel_math.expit}
    exec(text, here)
    return here["function"]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize(("line", "turns", "marked"), CASES)
def test_which_loops_and_what_they_compute(
    line: str, turns: Any, marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[Any] = []

    def mark(branch: Any, marked: Any = translation.mark) -> None:
        marks.append(branch)
        marked(branch)

    monkeypatch.setattr(translation, "mark", mark)
    plain = one_loop(line, turns)
    compiled = kernel(plain)
    x, y, out = np.sin(np.arange(64.0)), np.cos(np.arange(64.0)) + 0.2, np.ones((2, 64))
    value, expected = compiled(x, y, out[0]), plain(x, y, out[1])
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    np.testing.assert_allclose(out[0], out[1], rtol=1e-14)
    assert len(marks) == marked


@pytest.mark.skipif(platform.machine() != "x86_64", reason="looks for names of x86's instructions")
@pytest.mark.parametrize("turns", [16, 24, 32, 48])
def test_sums_are_vectors(turns: int) -> None:
    """One by one they would be as many products of single numbers as there are turns."""
    compiled = kernel(one_loop(SUM, turns))
    compiled(np.ones(64), np.ones(64), np.ones(64))
    (assembly,) = compiled.inspect_asm().values()
    single = re.findall(r"\bv?(?:mul|fmadd\d*)sd\b", assembly)
    assert len(single) < 8, assembly


@pytest.mark.skipif(not vector_math.VECTORISED, reason="there is no vector library here")
@pytest.mark.parametrize("turns", [4, 8, 16, 31])
@pytest.mark.parametrize("line", [CALL, CALLED])
def test_functions_are_called_for_several_numbers(line: str, turns: int) -> None:
    compiled = kernel(one_loop(line, turns))
    compiled(np.ones(64), np.ones(64), np.ones(64))
    (assembly,) = compiled.inspect_asm().values()
    assert "_ZGV" in assembly
