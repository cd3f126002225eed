"""Is what is passed over in a sweep as simple as it gets?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.simplify import simplify
from ast_ad.compiler.simplify.settled import Settled
from tests.growth import nested
from tests.growth.programs import made

FIVE = np.array([0.4, -0.9, 1.3, 0.7, -0.2])


def sharing(depth):
    """Branches within branches that compute the same, and what those around them compute."""
    lines = ["import numpy as np", "def f(x, y):", "    a = x * y", "    b = a"]
    for i in range(depth):
        indent = "    " * (i + 1)
        lines += [
            f"{indent}a = a * np.sin(x) + np.exp(-y) * {i}.0",
            f"{indent}if a < {i}.5:",
            f"{indent}    b = b * np.sin(x) - np.exp(-y) * a",
            f"{indent}else:",
            f"{indent}    b = b / (1.0 + a * a) - a * np.sin(x)",
        ]
    return made([*lines, "    return b * a"])


def loops(depth):
    """Loops within branches within branches."""
    lines = ["def f(x, y):", "    a = x * y"]
    for i in range(depth):
        indent = "    " * (i + 1)
        lines += [
            f"{indent}if a < {i}.5:",
            f"{indent}    a = a * x",
            f"{indent}else:",
            f"{indent}    for i in range(2):",
            f"{indent}        a = a * y + (a if a > x else x)",
        ]
    return made([*lines, "    return a"])


CASES = [
    (nested.alternatives(14), (0.7, 5), 11),
    (nested.alternatives(14, True), (0.7, 5), 11),
    (nested.early_returns(12), (0.7, 0.2), 1),
    (nested.within_branches(9), (0.7, 0.8), 6),
    (nested.writes_within_branches(7), (0.7, FIVE), 0),
    (sharing(8), (0.7, 0.2), 0),
    (loops(6), (0.7, 0.2), 0),
]


@pytest.mark.drawn(of=4)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(("function", "args", "least"), CASES)
def test_texts_are_what_they_are_without(monkeypatch, backend, function, args, least):
    holds, passed = Settled.holds, []

    def counted(settled, op, *rest):
        found = holds(settled, op, *rest)
        passed.append(found)
        return found

    def text():
        return ast_ad.value_and_grad(function, argnums=(0,), backend=backend, fallback="error")

    monkeypatch.setattr(Settled, "holds", counted)
    found = text()
    value = found(*args)
    assert sum(passed) >= least
    monkeypatch.setattr(simplify, "TRIES", 0)
    expected = text()
    np.testing.assert_array_equal(value[1], expected(*args)[1])
    assert found.source == expected.source and (least == 0 or len(passed) > sum(passed))
