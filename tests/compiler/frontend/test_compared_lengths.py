"""Are comparisons decided by what is known of lengths, and by nothing else?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.constructs.comparisons import by_lengths
from ast_ad.compiler.ir.ops import Lit, Var
from ast_ad.compiler.ir.types import Dim, Scalar

OPERATORS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def length(size):
    return Lit(size) if isinstance(size, int) else Var(Scalar("int", None, size))


@pytest.mark.parametrize("fn", OPERATORS)
def test_what_is_told_holds_for_all_lengths(fn):
    n, m = Dim.symbol("n", least=3), Dim.symbol("m", least=0)
    told = 0
    for one in (n, n - 1, n + m, m, m - 1, 0, 2, 5):
        for two in (n, n + 2, m, 0, 3, 2, -1):
            found = by_lengths(fn, length(one), length(two))
            if found is None:
                continue
            told += 1
            for a in range(3, 9):
                for b in range(9):
                    sizes = [
                        d
                        if isinstance(d, int)
                        else d.const + sum(c * {"n": a, "m": b}[t.key] for t, c in d.terms)
                        for d in (one, two)
                    ]
                    assert fn(*sizes) is found, (one, two)
    assert told > 10


def by_its_length(x):
    if len(x) > 2 and len(x) >= x.size:
        x = x * 2
    if len(x[1:]) < len(x):
        x = x[1:] * x[:-1]
    return np.sum(x**2) if len(x) == 1 else np.sum(x**3)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_each_length_takes_its_own_path(backend):
    pytest.importorskip("numba")
    gradient = ast_ad.value_and_grad(by_its_length, backend=backend)
    for n in (20, 3, 2, 1, 18, 40, 2):
        x = np.linspace(0.5, 1.5, n)
        assert gradient(x)[0] == pytest.approx(by_its_length(x))
        ast_ad.check_grads(by_its_length, (x,), order=1, modes=("rev",))
