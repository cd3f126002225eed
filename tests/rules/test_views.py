"""Does every function whose result may share memory with an argument say so?

The in-place pass writes to what it believes to be fresh: a view that is not declared is a wrong gradient.
"""

import operator
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import all_samples

from ast_ad.analysis.aliasing import behaviour
from ast_ad.ir.ops import Op
from ast_ad.rules.registry import lookup

SAMPLES = all_samples()


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)


@pytest.mark.parametrize(
    "fn", [f for f in SAMPLES if f is not operator.getitem], ids=lambda f: getattr(f, "__name__", str(f))
)
def test_views_are_declared(fn):
    if lookup(fn) is None or behaviour(Op(fn, (), ())) != "fresh":
        return
    if lookup(fn).itself:  # read in place of a call, so that what it returns is known to be the argument
        return
    for sample in SAMPLES[fn]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                result = fn(*sample.args, **sample.kwargs)
            except Exception:  # error samples are tested elsewhere
                continue
        given = list(arrays_in([*sample.args, *sample.kwargs.values()]))
        for out in arrays_in(result):
            shared = any(np.shares_memory(out, a) for a in given)
            assert not shared, f"the result is a view of an argument: {sample}"
            assert out.flags.writeable or not out.size, f"the result is read-only: {sample}"
