"""Is the garbage collector asked less often while code is traced, and as before when it is not?"""

import gc
import threading

import numpy as np
import pytest

import ast_ad
from ast_ad.eager.collector import RARELY, collected_rarely


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_trace(thresholds):
    seen = []

    def function(x):
        seen.append(gc.get_threshold())
        return np.sum(x**2)

    ast_ad.grad(function)(np.ones(3))
    assert RARELY in seen and gc.get_threshold() == thresholds


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_trace_that_raises(thresholds):
    def function(x):
        eval("1")  # what no compiler follows
        raise KeyError(x[0] > 0)

    with pytest.raises(KeyError):
        ast_ad.grad(function)(np.ones(3))
    assert gc.get_threshold() == thresholds


def test_blocks_that_overlap(thresholds):
    entered, left = threading.Event(), threading.Event()

    def other():
        with collected_rarely():
            entered.set()
            left.wait()

    thread = threading.Thread(target=other)
    with collected_rarely():
        thread.start()
        entered.wait()
    assert gc.get_threshold() == RARELY
    left.set()
    thread.join()
    assert gc.get_threshold() == thresholds


def test_what_the_user_sets_stays():
    with collected_rarely():
        gc.set_threshold(500, 5, 5)
    assert gc.get_threshold() == (500, 5, 5)
    gc.set_threshold(0)
    with collected_rarely():
        assert gc.get_threshold()[0] == 0
