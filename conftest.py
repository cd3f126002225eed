"""What do tests and doctests share? The numbers they draw are the same in every run."""

import pytest

from tests.together import draw_the_same


@pytest.fixture(autouse=True)
def draws_are_the_same() -> None:
    draw_the_same()
