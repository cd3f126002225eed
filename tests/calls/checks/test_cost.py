"""What does the check of a first call cost?"""

import tracemalloc

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.checks.facts import Broken, Facts
from ast_ad.compiler.ir.ops import Var
from ast_ad.compiler.ir.types import Array, ListOf, Scalar

F = np.dtype(float)


@pytest.fixture(autouse=True)
def by_default(monkeypatch):
    monkeypatch.delenv("AST_AD_CHECK", raising=False)


def long_chain(x):
    a = np.sin(x) * x
    b = np.cos(a) + a / 2.0
    c = np.tanh(b) - b * x
    d = np.exp(-c * c) + c
    e = np.arctan(d) * d + x
    f = np.sqrt(e * e + 1.0) + e
    return np.sum(np.log(f * f + 1.0))


def peak(derivative, x):
    tracemalloc.start()
    derivative(x)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_that_nobody_reads_any_more_is_let_go_of():
    x = np.linspace(0.1, 1.0, 300_000)
    derivative = ast_ad.value_and_grad(long_chain, backend="numpy")
    derivative(x[:3])
    derivative = ast_ad.value_and_grad(long_chain, backend="numpy")
    first, later = peak(derivative, x), peak(derivative, x)
    assert "types and lengths" in derivative.explain()
    assert first < 1.6 * later + 8 * x.nbytes  # all of them would be about forty


NESTED = Var(ListOf(ListOf(ListOf(Scalar("float")))))


def nested(length, wrong=None):
    value = [[[1.0] * length for _ in range(length)] for _ in range(length)]
    if wrong is not None:
        value[wrong][wrong][wrong] = np.zeros(2)
    return value


@pytest.mark.parametrize("length", [1, 3, 10, 80])
def test_lists_within_lists(length):
    facts = Facts()
    facts.check([(NESTED, False, False, "safe")], [nested(length)])
    for wrong in (0, -1):
        with pytest.raises(Broken, match="an array"):
            Facts().check([(NESTED, False, False, "safe")], [nested(length, wrong)])
    arrays = Var(ListOf(Array(F, (3,))))
    with pytest.raises(Broken, match="a length of 2"):
        Facts().check([(arrays, False, False, "safe")], [[np.zeros(3), np.zeros(2)]])
