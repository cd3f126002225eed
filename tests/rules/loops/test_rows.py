"""Do the two forms of adding rows agree, with rows that are named several times and from the end?"""

import numpy as np
import pytest

from ast_ad.rules.loops import rows


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("compiled", [False, True])
def test_forms_agree(dtype, compiled):
    rng = np.random.default_rng(0)
    given, index = (9 * rng.normal(size=(12, 3))).astype(dtype), rng.integers(-5, 5, 12)
    run = rows.add_rows.compile() if compiled else rows.add_rows.loops
    found, expected = np.ones((5, 3), dtype), np.ones((5, 3), dtype)
    run(given, index, found)
    rows.add_rows.plain(given, index, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    run(given[::2], index[::2], found.T.copy().T)
    for wrong in (5, -6):
        with pytest.raises(IndexError):
            run(given, np.full(12, wrong), found)
