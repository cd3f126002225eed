"""Are tangents those of the formulas, and never lost silently?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.torch.autograd import Function, grad
from ast_ad.torch.autograd.forward_ad import dual_level, make_dual, unpack_dual


def tensor(*values):
    return ast_ad.tensor(list(values) or [1.0, 2.0], dtype=ast_ad.float64)


def put(x):
    y = x * 1
    y[0] = x[1] * 7
    return y


PROGRAMS = {
    "power": lambda x: x**3,
    "quotient": lambda x: (x * 2 + 1) / x - x.exp(),
    "reduction": lambda x: (x * x).sum() * x.max(),
    "index": lambda x: x[0] * x,
    "write": put,
    "in place": lambda x: (x * 1).mul_(x).add_(x),
    "matrix": lambda x: ast_ad.stack([x, x * x]) @ x,
    "view": lambda x: x.view(2, 1).expand(2, 3) * 3,
    "softmax": lambda x: x.softmax(0).log(),
    "linear": lambda x: x * 2,
    "reflected": lambda x: 1 - 2 / x,
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_tangents_are_directional_derivatives(case):
    fn, x, v, eps = PROGRAMS[case], tensor(0.7, 1.3), tensor(1.0, -0.5), 1e-6
    expected = (fn(x + v * eps) - fn(x - v * eps)) / (2 * eps)
    with dual_level():
        value, tangent = unpack_dual(fn(make_dual(x, v)))
    assert value.tolist() == fn(x).tolist() and not tangent.requires_grad
    np.testing.assert_allclose(tangent.numpy(), expected.numpy(), rtol=1e-7, atol=1e-7)


def test_several_tangents_add_up():
    with dual_level():
        x, y = make_dual(tensor(), tensor(1.0, 1.0)), make_dual(tensor(3.0, 4.0), tensor(2.0, 0.0))
        assert unpack_dual(x * y).tangent.tolist() == [5.0, 4.0]
        assert unpack_dual(x).tangent.tolist() == [1.0, 1.0]
        assert unpack_dual(tensor() * 2).tangent is None
        assert unpack_dual(x.detach() * 2).tangent is None
        assert unpack_dual(x > 1).tangent is None


def test_holomorphic_functions():
    z = ast_ad.tensor([1 + 2j], dtype=ast_ad.complex128)
    with dual_level():
        tangent = unpack_dual(make_dual(z, ast_ad.ones_like(z) * 1j) ** 2).tangent
    assert tangent.tolist() == [(2 + 4j) * 1j]


def test_tangents_can_be_differentiated():
    x = tensor().requires_grad_()
    with dual_level():
        value, tangent = unpack_dual((make_dual(x, tensor(3.0, 4.0)) ** 3).sum())
        assert grad(tangent, x, retain_graph=True)[0].tolist() == [18.0, 48.0]
        assert grad(value, x)[0].tolist() == [3.0, 12.0]
        dual = make_dual(x, tensor(3.0, 4.0))
        (g,) = grad((dual**3).sum(), x, create_graph=True)
        assert unpack_dual(g).tangent.tolist() == [18.0, 48.0]


def test_functions_without_a_tangent_of_their_own():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    with dual_level():
        assert unpack_dual(Square.apply(make_dual(tensor(), tensor(3.0, 4.0)))).tangent.tolist() == [
            6.0,
            16.0,
        ]


def test_tangents_end_with_their_level():
    with dual_level():
        dual = make_dual(tensor(), tensor())
    assert unpack_dual(dual).tangent is None
    with dual_level():
        assert unpack_dual(dual).tangent is None
    with ast_ad.no_grad():
        with dual_level():
            assert unpack_dual(make_dual(tensor(), tensor()) * 2).tangent.tolist() == [2.0, 4.0]
        assert not ast_ad.is_grad_enabled()


@pytest.mark.parametrize(
    "mode", [ast_ad.no_grad, ast_ad.inference_mode, lambda: ast_ad.set_grad_enabled(False)]
)
def test_recording_stays_on(mode):
    with (
        dual_level(),
        pytest.raises(RuntimeError, match="recording can't be switched off inside of a dual level"),
    ):
        with mode():
            pass
    assert ast_ad.is_grad_enabled()


def test_complaints():
    with pytest.raises(
        RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists"
    ):
        make_dual(tensor(), tensor())
    with dual_level():
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
            with dual_level():
                pass
        with pytest.raises(RuntimeError, match="that already has a forward gradient at the same level 0"):
            make_dual(make_dual(tensor(), tensor()), tensor())
        with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
            make_dual(tensor(), tensor(1.0))
        with pytest.raises(
            ValueError, match="Expected primal to be floating point or complex, but got: torch.int64"
        ):
            make_dual(ast_ad.tensor([1, 2]), tensor())
