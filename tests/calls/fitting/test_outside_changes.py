"""Do kernels see every change of what a function reads from outside?"""

import pytest

from tests.soundness.outside_cases import CASES, run

pytest.importorskip("numba")


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen(name):
    run(name, "numba")
