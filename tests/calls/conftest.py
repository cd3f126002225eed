"""What do tests of calls share? What is compiled in them."""

import pytest

from ast_ad.calls.derivative import Derivative


@pytest.fixture
def compilations(monkeypatch):
    """The functions that are compiled, one for each program."""
    seen, compiled = [], Derivative.compiled

    def noted(self, *args):
        seen.append(self)
        return compiled(self, *args)

    monkeypatch.setattr(Derivative, "compiled", noted)
    return seen
