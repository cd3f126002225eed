"""The functions that kernels call do in compiled code what they do in Python."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from ast_ad.compiler.kernels import runtime as kernels
from ast_ad.compiler.kernels.runtime import FLAGS, Mismatch

INTEGERS = [
    0,
    1,
    -1,
    2,
    5,
    -5,
    6,
    -6,
    7,
    2**31,
    -(2**62),
    2**62 - 1,
    2**62,
    -(2**62) + 1,
    2**63 - 1,
    -(2**63),
]
FLOATS = [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, 1e308, 5e-324]
COMPLEX = [0j, 1j, 1 + 0j, complex(math.nan, 0), complex(0, math.inf), complex(-0.0, -0.0)]


def compiled(function, arity):
    """A compiled function that calls the given one."""
    calls = [lambda a: function(a), lambda a, b: function(a, b), lambda a, b, c: function(a, b, c)]
    return numba.njit(error_model="numpy", fastmath=FLAGS)(calls[arity - 1])


def outcome(function, args):
    try:
        return function(*args)
    except Mismatch:
        return Mismatch


def agree(function, cases):
    run = compiled(function, len(cases[0]))
    for args in cases:
        expected, found = outcome(function, args), outcome(run, args)
        assert type(found) is type(expected), (args, found, expected)
        assert found is expected or np.array_equal(found, expected, equal_nan=True), (args, found, expected)


def test_require():
    agree(kernels.require, [(True,), (False,)])
    agree(kernels.require, [(1,), (0,)])
    agree(kernels.require, [(0.5,), (0.0,)])


def test_places_in_arrays():
    agree(kernels.position, [(i, n) for i in INTEGERS for n in (0, 1, 5, 6, 1000)])
    agree(kernels.bound, [(i, n) for i in INTEGERS for n in (0, 1, 5, 6, 1000)])
    few = [0, 1, 2, 3, 7, 8, -1, -2, -9]
    agree(kernels.span, [(a, b, s) for a in few for b in few for s in (1, 2, 3, 10)])
    agree(kernels.turns, [(a, b, s) for a in few for b in few for s in (1, 2, 3, 10, -1, -2, -3, -10)])
    for a in few:
        for b in few:
            for step in (1, 2, 5, -1, -4):
                assert kernels.turns(a, b, step) == len(range(a, b, step))


def test_integers_that_could_overflow():
    agree(kernels.small, [(i,) for i in INTEGERS])
    small = [i for i in INTEGERS if abs(i) < 2**63 - 1]
    agree(kernels.product, [(a, b) for a in small for b in small if abs(a * b) < 2**200])


def test_numbers_of_which_python_would_raise():
    single = [np.float32(x) for x in (0.0, -0.0, 1.5, math.inf, math.nan)]
    for values in (FLOATS, COMPLEX, INTEGERS, [True, False], single):
        run = compiled(kernels.nonzero, 1), compiled(kernels.defined, 1)
        for x in values:
            for function, fast in zip((kernels.nonzero, kernels.defined), run, strict=True):
                with np.errstate(all="ignore"):
                    expected = (
                        outcome(function, (x,)) if values[0] is not True or function is kernels.nonzero else x
                    )
                found = outcome(fast, (x,))
                assert found is expected or np.array_equal(found, expected, equal_nan=True), (function, x)


def test_integers_without_a_sign_are_no_indices():
    with pytest.raises(numba.TypingError):
        compiled(kernels.position, 2)(np.uint64(2**64 - 1), 5)


def test_small_integer_types_are_widened():
    run = compiled(kernels.position, 2)
    assert run(np.int8(-1), 300) == 299 and run(np.uint8(200), 300) == 200


def test_a_failed_check_leaves_the_loop():
    @numba.njit
    def first(a, n):
        for i in range(n):
            a[kernels.position(i, len(a))] = i
        return n

    a = np.zeros(3)
    assert first(a, 3) == 3
    with pytest.raises(Mismatch):
        first(a, 4)
    assert a.tolist() == [0.0, 1.0, 2.0]


def test_arrays_with_more_room_keep_their_rows():
    @numba.njit
    def grown(a, n):
        return kernels.reserve(a, n)

    for shape in (0,), (3,), (3, 2), (2, 0, 3), (4, 2, 3):
        for dtype in np.float64, np.int64, np.complex64, np.bool_:
            a = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
            assert grown(a, shape[0]).shape == shape
            for n in shape[0] + 1, 100:
                found = grown(a, n)
                assert found.shape == (max(n, 2 * shape[0]), *shape[1:]) and found.dtype == dtype
                assert np.array_equal(found[: shape[0]], a)


def test_long_compilations_are_told(caplog, monkeypatch):
    monkeypatch.setattr(kernels, "LONG", 1e9)
    with caplog.at_level("INFO", logger="ast_ad"):
        kernels.kernel(lambda x: x + 1)(1.0)
        assert not caplog.records
        monkeypatch.setattr(kernels, "LONG", 0.0)
        add = kernels.kernel(lambda x: x + 1)
        add(1.0)
        add(2.0)
    (record,) = caplog.records
    assert record.name == "ast_ad"
    assert record.getMessage().startswith("Numba compiled <lambda> in ")
