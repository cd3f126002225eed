"""Do the two forms of a mask agree, with infinities and NaN on both sides?"""

import itertools

import numpy as np
import pytest

from ast_ad.rules.loops import masks

ODD = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45]


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("compiled", [False, True])
def test_forms_agree(dtype, compiled):
    y, g = np.array(list(itertools.product(ODD, ODD)), dtype).T
    kernel = masks.where_positive
    run = kernel.compile() if compiled else kernel.loops
    with np.errstate(under="ignore"):
        for a, b in ((y, g), (y.reshape(8, 8).T, g.reshape(8, 8)), (y[::2], g[::2])):
            found = run(a, b)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, kernel.plain(a, b))
            np.testing.assert_array_equal(found, np.where(a <= 0, 0, b))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("compiled", [False, True])
def test_leaks_agree(dtype, compiled):
    x, g = np.array(list(itertools.product(ODD, ODD)), dtype).T
    run = masks.leaked.compile() if compiled else masks.leaked.loops
    with np.errstate(under="ignore", invalid="ignore"):
        for slope in (dtype(0.25), dtype(-1.0), dtype(0.0)):
            for a, b in ((x, g), (x.reshape(8, 8).T, g.reshape(8, 8)), (x[::2], g[::2])):
                found = run(a, b, slope)
                assert found.dtype == dtype
                np.testing.assert_array_equal(found, np.where(a > 0, b, slope * b))
