"""What do tests of calls share? What is compiled in them, and what runs at the same time."""

import threading

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


@pytest.fixture
def in_threads():
    """Run a function with each of some arguments, in a thread for each, until all are done."""

    def run(work, given):
        threads = [threading.Thread(target=work, args=(one,)) for one in given]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return run
