"""Does every function whose result may share memory with an argument say so, however that lies in memory?

The in-place pass writes to what it believes to be fresh: a view that is not declared is a wrong gradient.
"""

import itertools
import operator
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import all_samples, arrays_in, column_major, every_other, laid

import ast_ad
from ast_ad.compiler.analysis.aliasing import VIEWS, behaviour
from ast_ad.compiler.ir.ops import Lit, Op
from ast_ad.rules.itself import ITSELF_FOR
from ast_ad.rules.registry import lookup

SAMPLES = all_samples()


def backwards(a):
    return np.array(a[::-1], order="C")[::-1] if a.ndim else a


LAYOUTS = [np.array, column_major, every_other, backwards]


def name_of(fn):
    return getattr(fn, "__name__", str(fn))


@pytest.mark.parametrize("fn", [f for f in SAMPLES if f is not operator.getitem], ids=name_of)
def test_views_are_declared(fn):
    if lookup(fn) is None or behaviour(Op(fn, (), ())) != "fresh":
        return
    if lookup(fn).itself:  # read in place of a call, so that what it returns is known to be the argument
        return
    for layout, sample in itertools.product(LAYOUTS, SAMPLES[fn]):
        if fn in ITSELF_FOR and behaviour(Op(fn, tuple(map(Lit, sample.args)), ())) != "fresh":
            continue
        args, kwargs = laid(sample.args, layout), {k: laid(v, layout) for k, v in sample.kwargs.items()}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                result = fn(*args, **kwargs)
            except Exception:  # error samples are tested elsewhere
                continue
        given = list(arrays_in([*args, *kwargs.values()]))
        for out in arrays_in(result):
            shared = any(np.shares_memory(out, a) for a in given)
            assert not shared, f"the result is a view of an argument: {sample}"
            assert out.flags.writeable or not out.size, f"the result is read-only: {sample}"


def written():
    """Samples of a user's functions that return windows, where what they look at is an array of floats.

    In the same order in every process.
    """
    for fn in sorted(VIEWS, key=lambda f: (name_of(f), str(f.__module__))):
        if fn.__module__ is not None and fn.__module__.startswith("ast_ad"):
            continue
        for number, sample in enumerate(SAMPLES.get(fn, [])):
            first = sample.args[0] if sample.args else None
            real = "dtype" not in sample.kwargs and not any(a is complex for a in sample.args)
            finite = isinstance(first, np.ndarray) and first.dtype == np.float64 and np.isfinite(first).all()
            if finite and real:
                yield pytest.param(fn, sample, id=f"{name_of(fn)}-{number}")


def writing(fn, sample, layout):
    """A program that writes to what a function returns, and reads the array that it was called with.

    The write is that of the first result; arrays that it has beside the first one are its own.
    """
    rest, kwargs = sample.args[1:], sample.kwargs
    own = layout is np.array

    def program(x):
        weights = np.cos(np.arange(x.size)).reshape(x.shape)
        others = [np.array(v) if isinstance(v, np.ndarray) else v for v in rest]
        x = x * 1.0 if own else x
        seen = fn(x, *others, **kwargs)
        if isinstance(seen, (tuple, list)):
            seen = seen[0]
        before = np.sum(seen)
        seen *= 2.0
        return np.sum(weights * x * x) + before * np.sum(np.sin(seen))

    return program


@pytest.mark.drawn(of=61)
@pytest.mark.filterwarnings("ignore:future versions will not create a writeable array:FutureWarning")
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fn, sample", list(written()))
def test_a_write_to_the_result_reaches_what_it_reaches_in_numpy(fn, sample, layout):
    program = writing(fn, sample, layout)

    def moved(by=0.0):
        x = layout(sample.args[0])
        x += by * np.cos(np.arange(x.size)).reshape(x.shape)
        return x

    try:
        expected = program(moved())
    except (ValueError, DeprecationWarning) as error:  # one element many times: NumPy warns, and will refuse
        assert re.search("read-only|overlapping", str(error))
        with pytest.raises((ValueError, RuntimeError), match="read-only|at several places"):
            ast_ad.value_and_grad(program)(moved())
        return
    value, gradient = ast_ad.value_and_grad(program)(moved())
    assert value == expected
    difference = (program(moved(1e-5)) - program(moved(-1e-5))) / 2
    direction = moved(1e-5) - moved()
    np.testing.assert_allclose(np.sum(gradient * direction), difference, rtol=1e-6, atol=1e-11)
