"""Is what nobody reads left out only where something else raises what it would raise?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.ops import Block, Function, Lit, Op, Var
from ast_ad.compiler.ir.types import Array, Dim
from ast_ad.compiler.simplify.raised_elsewhere import drop_readers

RNG = np.random.default_rng(4)


def poisson(x, w):
    k = np.arange(x.shape[0])
    squares = k[:, None] ** 2 + k[None, :] ** 2
    u = np.real(np.fft.ifft2(np.fft.fft2(x * w) / np.where(squares == 0, 1.0, squares)))
    return np.sum(u**2)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_hessian_products_transform_no_values(backend):
    if backend == "numba":
        pytest.importorskip("numba")
    x, w, v = RNG.normal(size=(3, 6, 6))
    found = ast_ad.hvp(poisson, (x, w), (v, None), backend=backend, fallback="error")[0]
    gradient = ast_ad.grad(poisson, backend=backend)
    np.testing.assert_allclose(found, gradient(v, w), rtol=1e-11, atol=1e-13)  # it is linear
    for wrong in (np.ones((0, 0)), np.ones((6, 5))):
        with pytest.raises((ValueError, ZeroDivisionError)) as told:
            poisson(wrong, w)
        with pytest.raises(ValueError):
            ast_ad.hvp(poisson, (wrong, w), (wrong, None), backend=backend)


def array(*lengths, dtype="complex128"):
    return Var(Array(np.dtype(dtype), lengths))


def readers(*ops, result=None):
    """The functions whose results are still read, of those that ``unread`` read."""
    made = {out for op in ops for out in op.outs}
    read_by = [v for op in ops for v in (*op.args, *op.kwargs.values())]
    params = tuple({v for v in read_by if isinstance(v, Var) and v not in made})
    function = Function("f", params, Block(list(ops), (result,) if result is not None else ()))
    drop_readers(function)
    makers = {out: op for op in ops for out in op.outs}
    return [makers[op.args[0]] for op in function.body.ops if op.fn is builtin.unread]


N, M = Dim.symbol("n"), Dim.symbol("m")


def transform(of, fn=np.fft.fft, **options):
    return Op(fn, (of,), (array(*of.type.shape),), options)


def read(op):
    return Op(builtin.unread, (op.out,), (), effect=True)


def test_of_two_alike_one_stays():
    x, y = array(N), array(N)
    first, second = transform(x), transform(y, np.fft.ifft)
    assert readers(first, read(first), second, result=second.out) == []
    assert readers(first, read(first), second, read(second)) in ([first], [second])


def test_what_differs_is_read():
    x = array(N)
    first = transform(x)
    for other in (transform(array(M)), transform(x, np.fft.rfft), transform(array(N), norm=Lit("ortho"))):
        assert readers(first, read(first), other, result=other.out) == [first]


def test_lengths_that_are_not_known_are_not_alike_by_name_either():
    x, unknown = array(N), [Var(Array(np.dtype(complex), None)) for _ in range(2)]
    first, second = (Op(np.convolve, (x,), (array(None),), {"v": v}) for v in unknown)
    assert readers(first, read(first), second, result=second.out) == [first]


def test_an_effect_between_them_parts_them():
    first, second = transform(array(N)), transform(array(N))
    store = Op(print, (), (), effect=True)
    assert readers(first, read(first), store, second, result=second.out) == [first]


def test_what_only_it_reads_is_asked_itself():
    """The inverse transform is done elsewhere; that nobody else inverts the matrix stays known."""
    x = array(N, N)
    inverse = Op(np.linalg.inv, (x,), (array(N, N),))
    outer, other = transform(inverse.out), transform(array(N, N))
    assert readers(inverse, outer, read(outer), other, result=other.out) == [inverse]
    negative = Op(np.negative, (x,), (array(N, N),))
    outer = transform(negative.out)
    assert readers(negative, outer, read(outer), other, result=other.out) == []


@pytest.mark.slow
def test_what_raises_in_a_value_raises_in_products_with_its_hessian():
    def f(x, a):
        y = np.linalg.inv(a) @ x
        return np.sum(np.real(np.fft.fft(y)) * 3.0) + np.sum(x**2)

    x, a = RNG.normal(size=4), RNG.normal(size=(4, 4))
    np.testing.assert_allclose(ast_ad.hvp(f, (x, a), (x, None))[0], 2 * x)
    with pytest.raises(np.linalg.LinAlgError):
        ast_ad.hvp(f, (x, np.zeros((4, 4))), (x, None))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_the_next_turn_writes_to_is_still_written(backend):
    """Nobody but the loop itself reads the array that it writes to."""
    if backend == "numba":
        pytest.importorskip("numba")

    def f(x, n):
        seen = np.zeros(3)
        for i in range(n):
            seen[i] = x[0]
        return np.sum(x * x)

    x = np.array([0.4, -0.9, 1.3])
    derivative = ast_ad.grad(f, backend=backend)
    np.testing.assert_allclose(derivative(x, 3), 2 * x)
    with pytest.raises(IndexError):
        derivative(x, 4)
