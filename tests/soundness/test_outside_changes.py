"""Is every change of what a function reads from outside seen by the next call?"""

import pytest

from .outside_cases import CASES, run


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen(name):
    run(name, "numpy")
