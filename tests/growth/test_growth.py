"""Does the compiler's work grow in proportion to the program?

What is counted are calls of functions, those of Python and those in C: the same number in every run, on
every machine. No time is measured.
"""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from ast_ad import inspect

from . import nested, programs

ARRAY = np.linspace(0.1, 0.9, 7)
GROWING = [
    (programs.scalars, 0.7),
    (programs.arrays, ARRAY),
    (programs.writes, ARRAY),
    (programs.loops, 0.7),
    (programs.branches, 0.7),
    (nested.helpers, 0.7),
]
SMALL = 24
MOST = 1.3
"""How much more than in proportion the work may be that the next hundred statements make: some of it grows
with the logarithm of the length."""


def work(make, size, argument):
    """How many calls it takes to compile a program."""
    function, calls = make(size), 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    threading.setprofile(count)  # deep programs are compiled on a thread with a deep stack
    sys.setprofile(count)
    try:
        compiled = inspect(function, argument)
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    assert compiled.mode == "compiled"
    return calls


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize(("make", "argument"), GROWING, ids=lambda p: getattr(p, "__name__", ""))
def test_work_is_in_proportion(make, argument):
    work(make, 8, argument)  # what is done once in a process
    first, second, third = (work(make, SMALL * n, argument) for n in (1, 4, 8))
    assert (third - second) / 4 < MOST * (second - first) / 3  # what does not grow at all is not counted
