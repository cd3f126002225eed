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

from ast_ad import check_grads
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
    nan = pytest.mark.xfail(strict=True, reason="nan where two eigenvalues of the covariance are equal")
    return [
        pytest.param(*case, id=f"{name(case[0])}-{i}", marks=[nan] if is_round(*case) else [])
        for i, case in enumerate(whole[::EVERY])
    ]


def is_round(fn, sample):
    """Whether it is a density with a covariance of which two eigenvalues are equal."""
    if not name(fn).startswith("scipy.stats._multivariate"):
        return False
    values = np.linalg.eigvalsh(np.atleast_2d(sample.args[2]))
    return bool(np.any(np.diff(values) < 1e-12))


@pytest.mark.parametrize("fn, sample", cases())
def test_no_alarm(fn, sample):
    function = functools.partial(fn, **sample.kwargs) if sample.kwargs else fn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        warnings.filterwarnings("ignore", "Arrays of 2-dimensional vectors", DeprecationWarning)  # np.cross
        check_grads(function, sample.args, order=1, modes=["rev"])
