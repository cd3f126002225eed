"""What do tests and doctests share? The numbers they draw are the same in every run."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def draws_are_the_same() -> Iterator[None]:
    """Before each test the generator of tensors, where it is loaded, starts from the same seed."""
    package = sys.modules.get("ast_ad.eager.operations.randomness")
    if package is not None:
        package.manual_seed(0)
    yield
