"""Does what a generator has filled stay filled, where it might have raised for a handler of the caller's?"""

import itertools
import operator

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings(
    "ignore::ast_ad.FallbackWarning", "ignore::ast_ad.ZeroGradientWarning"
)


def products(x):
    items = list(x)
    if len(items) > 1:
        total = items[0]
        yield total
        for item in items[1:]:
            total = total * item
            yield total


def in_a_list(x, s):
    try:
        r = list(products(x))
    except IndexError:
        r = [2.0 * s]
    return sum(r) + len(r)


def added_up(x, s):
    try:
        r = sum(products(x))
    except IndexError:
        r = 2.0 * s
    return r


def sorted_items(x, s):
    try:
        r = sorted(products(x))
    except Exception:
        r = [2.0 * s]
    return sum(v * i for i, v in enumerate(r))


def in_an_array(x, s):
    try:
        r = np.array([*products(x), s])
    except LookupError:
        r = np.array([2.0 * s])
    return np.sum(r * r)


def accumulated(x, s):
    try:
        r = sum(list(itertools.accumulate(x, operator.mul)))
    except Exception:
        r = 2.0 * s
    return r


def fill(kept, x):
    kept.append(list(x)[1] * 2.0)
    kept.append(list(x)[-1])
    return 3.0


def made_in_the_statement(x, s):
    try:
        kept, number = (found := []), fill(found, x)
    except IndexError:
        kept, number = [s], 1.0
    return sum(kept) * number


def set_in_the_statement(x, s):
    class Box:
        value = 0.0

        def put(self, v):
            self.value = list(v)[1]
            return self.value

    try:
        pair = (b := Box(), b.put(x))
    except IndexError:
        return s
    return pair[0].value * pair[1]


PROGRAMS = (
    in_a_list, added_up, sorted_items, in_an_array, accumulated, made_in_the_statement, set_in_the_statement,
)  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program, backend, monkeypatch):
    monkeypatch.setenv("AST_AD_CHECK", "0")
    derivative = ast_ad.value_and_grad(program, argnums=(0, 1), backend=backend)
    for n in (5, 2, 1, 0, 3):
        x = np.linspace(-1.3, 1.1, n) + 0.05
        value, (by_x, by_s) = derivative(x, 0.3)
        assert value == pytest.approx(program(x, 0.3), rel=1e-14)
        steps = 1e-6 * np.eye(n)
        slopes = [(program(x + step, 0.3) - program(x - step, 0.3)) / 2e-6 for step in steps]
        assert by_x == pytest.approx(np.array(slopes), rel=1e-6, abs=1e-8)
        assert by_s == pytest.approx(
            (program(x, 0.3 + 1e-6) - program(x, 0.3 - 1e-6)) / 2e-6, rel=1e-6, abs=1e-8
        )
