"""What kernels call is a part of them: no machine code of its own, the same numbers, from Python as well."""

import numpy as np
import pytest

pytest.importorskip("numba")

from ast_ad.compiler.kernels.linked import linked
from ast_ad.compiler.kernels.numbers.small_matrices import invert_small, solve_small_vector
from ast_ad.compiler.kernels.runtime import Mismatch, kernel


@linked
def shifted(x, by):
    return x + by


@linked
def checked_root(x):
    if x < 0:
        raise Mismatch
    return np.sqrt(shifted(x, -3))


def roots(x, out):
    for i in range(x.shape[0]):
        out[i] = checked_root(x[i])


def test_kernels_contain_what_they_call():
    run, x = kernel(roots), np.array([4.0, 12.0])
    out = np.empty(2)
    run(x, out)
    np.testing.assert_array_equal(out, np.sqrt(x - 3))
    (text,) = run.inspect_llvm().values()
    assert not [line for line in text.splitlines() if line.startswith("declare") and "checked_root" in line]
    (result,) = checked_root.overloads.values()
    assert result.library.get_pointer_to_function(result.fndesc.mangled_name) == 0  # has no address


def test_python_calls_them_as_well():
    for _ in range(2):
        assert checked_root(4.0) == 1
        assert shifted(8, 3) == 11
        with pytest.raises(Mismatch):
            checked_root(-1.0)
    assert checked_root(np.float32(4)) == 1


def test_they_call_themselves_with_the_same_types_alone():
    @linked
    def descend(x, steps):
        return x if steps == 0 else descend(0.5 * x, steps - 1) + 1

    @linked
    def from_two(x):
        return descend(x, 2)  # an int that is known

    assert descend(1.0, 2) == 2.25
    with pytest.raises(NotImplementedError, match="descend calls itself with other types"):
        from_two(1.0)


def test_exceptions_end_the_kernel():
    with pytest.raises(Mismatch):
        kernel(roots)(np.array([1.0, -1.0]), np.empty(2))


def test_several_signatures_are_apart():
    a = np.array([[4.0, 1.0], [2.0, 3.0]])
    strided = np.asfortranarray(a)
    inverse, other = np.empty((2, 2)), np.empty((2, 2))
    invert_small(a, inverse)
    invert_small(strided, other)
    np.testing.assert_array_equal(inverse, other)
    np.testing.assert_allclose(inverse @ a, np.eye(2), atol=1e-15)
    solution = np.empty(2)
    solve_small_vector(a, np.ones(2), solution)
    np.testing.assert_allclose(a @ solution, 1, rtol=1e-15)
    with pytest.raises(Mismatch):
        invert_small(np.ones((2, 2)), inverse)


@linked
def lost(x, y):
    return (x + y) - y


def all_lost(x, out):
    for i in range(x.shape[0]):
        out[i] = lost(x[i], 1e20)


def test_numbers_are_computed_as_written():
    """In the order that is written, whatever the kernel may do that is the first to call it."""
    out = np.empty(3)
    kernel(all_lost)(np.ones(3), out)
    np.testing.assert_array_equal(out, 0.0)
    assert lost(1.0, 1e20) == 0.0
