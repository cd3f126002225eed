"""Has check_grads nothing to say of calls of primitives? Those of the table are right.

Of the samples of functions that users call every fifth is taken.
"""

from __future__ import annotations

import functools
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import all_samples, name

from ast_ad import check_grads, custom_vjp
from ast_ad.errors import FallbackWarning
from ast_ad.rule.direct import holds_floats
from ast_ad.rules.registry import lookup

EVERY = 5


def cases():
    """The samples of NumPy's, SciPy's and Python's functions at smooth points, as calls that stand alone.

    They ask for all of their floats.
    """
    whole = [
        (fn, sample)
        for fn, samples in all_samples().items()
        for sample in samples
        if (rule := lookup(fn)) is not None and rule.kind != "nondifferentiable" and not sample.kink
        if not name(fn).startswith("ast_ad.")
        if any(map(holds_floats, sample.args))
        and (
            sample.wrt is None or set(sample.wrt) >= {i for i, x in enumerate(sample.args) if holds_floats(x)}
        )
    ]
    return [pytest.param(*case, id=f"{name(case[0])}-{i}") for i, case in enumerate(whole[::EVERY])]


@pytest.mark.drawn(of=9)
@pytest.mark.parametrize("fn, sample", cases())
def test_no_alarm(fn, sample):
    function = functools.partial(fn, **sample.kwargs) if sample.kwargs else fn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        warnings.filterwarnings("ignore", "Arrays of 2-dimensional vectors", DeprecationWarning)  # np.cross
        check_grads(function, sample.args, order=1, modes=["rev"])


@pytest.mark.parametrize(
    "matrix", [np.ones((3, 3)), np.outer(np.ones(4), [1.0, -2.0, 0.0, 3.0]), np.zeros((2, 2))]
)
def test_no_alarm_at_singular_matrices(matrix):
    check_grads(np.linalg.det, (matrix,), order=1)


def test_an_error_at_a_point_of_zeros_is_found():
    @custom_vjp
    def cube(x):
        return np.sum(x * x * x)

    cube.defvjp(lambda x: (cube(x), x), lambda x, g: (g * 3.0 * x * x + 1e-12,))
    with pytest.raises(AssertionError, match="1e-12 by ast_ad.vjp, and 0.0 by differences"):
        check_grads(cube, (np.zeros(2),), order=1, modes=["rev"])
